"""Four people at four terminals play a semi-final of a tournament of four teams, before a referee.

    python -m tests.journeys.run_semifinal              # make tournaments TOURNAMENTS_FLAGS=--four
    python -m tests.journeys.run_semifinal --out shots  # keeps the screens worth looking at

Everybody types the commands of the README, over a mosquitto of this machine: entries, the draw, the
semi-final. Two of the four sit at full screens of 80x24 and 100x30, two at lines, and play by what
they read. One calls the referee by the key @, one by the word; the referee reads both at a terminal
of its own, and rules: three tokens, after the hand, and no action. The other teams and the final
are played by bots. The status is 1 if the audit of all folders is not valid.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cli.children import environment, own_program
from cli.tournament.folder import TournamentFolder
from p2p304.tournament.matches import How, Match
from tests.journeys.running_brokers import mosquitto
from tests.journeys.table_players import Reader, asks_anew, prompt_of
from tests.journeys.terminals import Terminal

TEAMS = {
    "Lions": ("Asha", "Banu"),
    "Tigers": ("Chandra", "Dilini"),
    "Bears": ("Esha", "Farid"),
    "Elephants": ("Gita", "Hari"),
}
SIZES = {0: (80, 24), 1: (100, 30)}
RACE = 4
OBJECTION, ANOTHER = "they spoke of their cards", "that card was late"
CHALLENGES = re.compile(r"challenges before the\s+referee \(hand (\d+), round (\d+)\)")
CHOICE = re.compile(r"Your choice, such as (.+):$")
ENDED = re.compile(r"^ended with (\d+)$", re.MULTILINE)
LONG = 600.0


@dataclass
class Stage:
    """What all threads know: where people are, and the screens that were kept."""

    place: Path
    shots: dict[str, str] = field(default_factory=dict)
    challenged: threading.Event = field(default_factory=threading.Event)
    hand_over: threading.Event = field(default_factory=threading.Event)
    ruled: threading.Event = field(default_factory=threading.Event)
    again: threading.Event = field(default_factory=threading.Event)

    def keep(self, name: str, text: str) -> None:
        """Keep the first screen of this name."""
        if name not in self.shots:
            self.shots[name] = text
            say(f"  {time.strftime('%H:%M:%S')} {name}")


def say(line: str) -> None:
    """A line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@dataclass
class Person:
    """Somebody with a terminal and a folder of their own."""

    name: str
    terminal: Terminal
    place: Path

    def runs(self, command: str, *, code: int = 0) -> str:
        """Run a command to its end, and return what the terminal shows."""
        self.terminal.run(command)
        self.terminal.until(lambda text: bool(ENDED.search(text)), deadline=LONG)
        text = self.terminal.joined()
        found = ENDED.findall(text)
        assert found, text
        assert found[-1] == f"{code}", text
        return text

    @property
    def folder(self) -> TournamentFolder:
        """The folder of the tournament, as its commands left it."""
        return TournamentFolder(self.place / "cup")


def person(stage: Stage, name: str, home: str = "") -> Person:
    """Open a terminal in the folder of somebody, or of whoever has that `home`."""
    place = stage.place / (home or name)
    place.mkdir(exist_ok=True)
    variables = {"P2P304_HOME": str(place / "home")}
    terminal = Terminal(stage.place / f"tmux-{name}", "--version", environment=variables)
    terminal.until_ended()
    terminal.type(f"cd {place}")
    terminal.press("Enter")
    return Person(name, terminal, place)


# --- entries and draw -----------------------------------------------------------------------------


def enter(stage: Stage, people: dict[str, Person], url: str) -> None:
    """Make the tournament, enter all teams, and draw, each by the command of the README."""
    olga, other = people["Olga"], people["Olga too"]
    races = f"--races '1 {RACE}' --third none"
    olga.runs(f'tournament new cup --name "Cup of the Lions" {races} --broker {url}')
    olga.terminal.run("tournament draw cup")
    for name in [name for team in TEAMS.values() for name in team]:
        shutil.copy(olga.place / "cup" / "invitation", people[name].place)
    with ThreadPoolExecutor(max_workers=4) as pool:
        told = [*pool.map(lambda team: _entered(team, people), TEAMS)]
    stage.keep("a team has entered", told[0])
    captains = [people[names[0]] for names in TEAMS.values()]
    for each in captains:
        each.terminal.run("tournament draw cup")
    stage.keep("the organiser lists the entries", other.runs("tournament draw cup --list"))
    for each in (olga, *captains):
        each.terminal.until_shows("All have drawn", "ended with 0", deadline=LONG)
    stage.keep("a captain has drawn", captains[0].terminal.text())


def _entered(team: str, people: dict[str, Person]) -> str:
    captain, mate = (people[name] for name in TEAMS[team])
    key = _key(mate.place / "home")
    named = f"--invitation invitation --team {team}"
    captain.runs(f"tournament enter cup {named} --name {captain.name} --with {key}={mate.name}")
    return mate.runs(f"tournament enter cup {named}")


def _key(home: Path) -> str:
    done = subprocess.run(
        own_program("identity", "--json"),
        env={**environment(), "P2P304_HOME": str(home)},
        capture_output=True,
        check=True,
        text=True,
    )
    return str(json.loads(done.stdout)["key"])


# --- people at the table --------------------------------------------------------------------------


def at_screen(stage: Stage, each: Person, *, challenges: bool) -> str:
    """Play at a full screen until the command has ended, by what the prompt says."""
    reader = Reader(each.terminal, call_caps=False)
    before, turns = "", 0
    while True:
        text = each.terminal.until(partial(_moved, before), deadline=LONG)
        if ENDED.search(text):
            return text
        prompt = prompt_of(text)
        _keep_news(stage, each, text)
        if "Enter goes on." in prompt and "The referee ruled on" in _flat(text):
            stage.keep(f"{each.name} reads the ruling", text)
        elif "The match is over." in prompt:
            stage.keep(f"{each.name}: the match is over", text)
        elif "Enter goes on." in prompt:
            stage.keep(f"{each.name}: a hand is over", text)
            if stage.challenged.is_set():
                stage.hand_over.set()
        if challenges and not stage.challenged.is_set() and "Your turn" in prompt:
            turns += 1
            if turns > 2:  # a card lies already
                _challenge(stage, each)
                before = ""
                continue
        reader.answer(text)
        before = text


def _moved(before: str, text: str) -> bool:
    return bool(ENDED.search(text)) or asks_anew(before, text)


def _challenge(stage: Stage, each: Person) -> None:
    each.terminal.press("@")
    stage.keep(f"{each.name} presses @", each.terminal.until_shows("To the referee"))
    each.terminal.type(OBJECTION)
    stage.keep(f"{each.name} writes", each.terminal.until_shows(OBJECTION))
    each.terminal.press("Enter")
    text = each.terminal.until(lambda text: "challenges before" in text, deadline=LONG)
    stage.keep(f"{each.name} has called the referee", text)
    stage.challenged.set()


def at_lines(stage: Stage, each: Person, *, challenges: bool) -> str:
    """Play in lines until the command has ended: the first choice that is named."""
    answered = ""
    ends = time.monotonic() + 4 * LONG
    while time.monotonic() < ends:
        text = each.terminal.joined().rstrip()
        if ENDED.search(text):
            return text
        _keep_news(stage, each, text)
        last = text.rsplit("\n", 1)[-1]
        choice = CHOICE.search(last)
        if text == answered or not (choice or last.endswith(("[y/n]", "Order:"))):
            time.sleep(0.1)
            continue
        answered = text
        if choice and challenges and stage.ruled.is_set() and not stage.again.is_set():
            each.terminal.type(f"challenge {ANOTHER}")
            stage.again.set()
        elif choice:
            each.terminal.type("" if choice[1] == "Enter" else choice[1])
        else:
            each.terminal.type("y" if last.endswith("[y/n]") else "")
        each.terminal.press("Enter")
    raise AssertionError(f"{each.name} came to no end:\n{each.terminal.joined()}")


def _keep_news(stage: Stage, each: Person, text: str) -> None:
    if stage.challenged.is_set() and CHALLENGES.search(_flat(text)):
        stage.keep(f"{each.name} hears that somebody challenges", text)
    if OBJECTION in _flat(text):
        stage.keep(f"{each.name} reads what was said", text)
    if "The referee ruled on" in _flat(text):
        stage.keep(f"{each.name} hears the ruling", text)
    if "no action" in _flat(text):
        stage.keep(f"{each.name} hears of no action", text)


def _flat(text: str) -> str:
    return " ".join(text.split())


# --- the referee ----------------------------------------------------------------------------------


def referee(stage: Stage, people: dict[str, Person], against: str) -> None:
    """Read the challenges, and rule on them."""
    desk, watch = people["Olga"], people["Olga too"]
    watch.terminal.run("watch --match 1 --referee cup")
    said = reads(watch, OBJECTION)
    stage.keep("the referee reads", said)
    found = CHALLENGES.search(_flat(said))
    assert found is not None, said
    assert stage.hand_over.wait(LONG)
    words = f"--hand {found[1]} --round {found[2]} --why 'Heard it.'"
    told = desk.runs(f"tournament rule cup 1 penalty --against {against} {words}")
    stage.keep("the referee rules", told)
    stage.ruled.set()
    said = reads(watch, ANOTHER)
    stage.keep("the referee reads again", said)
    stage.keep("the referee lets play go on", desk.runs("tournament rule cup 1 no-action"))


def reads(watch: Person, words: str) -> str:
    """Go on with Enter wherever the screen waits for it, until these words are read."""
    before = ""
    while words not in _flat(before):
        if "[Enter]" in before:
            watch.terminal.press("Enter")
        before = watch.terminal.until(partial(_reads_on, before, words), deadline=LONG)
    return before


def _reads_on(before: str, words: str, text: str) -> bool:
    return text != before and ("[Enter]" in text or words in _flat(text))


def semi_final(stage: Stage, people: dict[str, Person]) -> Match:
    """Play the first semi-final among people, and return it as it ended."""
    olga = people["Olga"]
    tournament = olga.folder.judged.tournament
    assert tournament is not None
    match = tournament.matches[0]
    say(f"  {' and '.join(match.teams)} meet in the first semi-final")
    others = [name for team in TEAMS if team not in match.teams for name in TEAMS[team]]
    people["Omar"].terminal.run("tournament status cup --follow")
    for name in others:
        people[name].terminal.run("tournament play cup --bot --all")
    works: list[Callable[[], str]] = []
    for side, team in enumerate(match.teams):
        captain, mate = (people[name] for name in TEAMS[team])
        captain.terminal.resize(*SIZES[side])
        captain.terminal.run("tournament play cup")
        mate.terminal.run("tournament play cup --plain")
        works += [
            partial(at_screen, stage, captain, challenges=side == 0),
            partial(at_lines, stage, mate, challenges=side == 1),
        ]
    with ThreadPoolExecutor(max_workers=len(works) + 1) as pool:
        ruling = pool.submit(referee, stage, people, match.teams[1])
        ends = [each.result() for each in [pool.submit(work) for work in works]]
        ruling.result()
    for place, text in enumerate(ends):
        stage.keep(f"the end at seat {place}", text)
    ended = people[TEAMS[match.teams[0]][0]].folder.judged.tournament
    assert ended is not None
    return ended.matches[0]


# --- what must come of it -------------------------------------------------------------------------


def checked(stage: Stage, people: dict[str, Person], match: Match) -> None:
    """Let bots play the final, gather the transcripts, and audit all."""
    assert match.outcome is not None
    assert match.outcome.how is How.PLAYED
    assert match.outcome.winner is not None
    winners = [people[name] for name in TEAMS[match.outcome.winner]]
    for each in winners:
        each.terminal.run("tournament play cup --bot")
    for each in winners:
        each.terminal.until_shows("ended with 0\n", deadline=LONG)
    others = [name for team in TEAMS if team not in match.teams for name in TEAMS[team]]
    for name in others:
        people[name].terminal.until_shows("ended with 0\n", deadline=LONG)
    stage.keep("the final is played", winners[0].terminal.text())
    mine = people[TEAMS[match.teams[0]][0]]
    stage.keep("a player audits the semi-final", mine.runs("tournament audit cup --match 1"))
    olga = people["Olga"]
    people["Omar"].terminal.until_shows("ended with 0\n", deadline=LONG)
    stage.keep("the organiser has followed", people["Omar"].terminal.text())
    for each in (mine, winners[0], people[others[0]]):
        for folder in sorted((each.place / "cup").glob("match-*")):
            shutil.copytree(folder, olga.place / "cup" / folder.name, dirs_exist_ok=True)
    stage.keep("the whole is audited", olga.runs("tournament audit cup"))
    assert "valid: the standing follows" in stage.shots["the whole is audited"]
    stage.keep("the status", olga.runs("tournament status cup"))
    take = f"--take {olga.place / 'cup'}"  # nobody else is there any more
    places = (olga, mine, winners[0], people[others[0]])
    texts = [each.runs(f"tournament status cup --text {take}") for each in places]
    assert len({_flat(text[text.index("tournament 304 4") :]) for text in texts}) == 1, texts


def play_semifinal(out: Path | None = None) -> None:
    """Play it, and keep the screens in `out`; raises what is not as it must be."""
    with tempfile.TemporaryDirectory(prefix="p2p304-semi-") as folder:
        stage = Stage(Path(folder))
        people: dict[str, Person] = {}
        try:
            asyncio.run(_played(stage, people))
        except BaseException:
            for each in people.values():
                stage.shots[f"at last: {each.name}"] = each.terminal.joined()
            raise
        finally:
            for each in people.values():
                each.terminal.close()
            if out is not None:
                out.mkdir(parents=True, exist_ok=True)
                for number, (name, text) in enumerate(stage.shots.items(), 1):
                    (out / f"{number:02d} {name}.txt").write_text(text)
    say("the semi-final, its rulings and the final stand in a valid tournament")


def main() -> int:
    """Play it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, help="a folder for the screens")
    play_semifinal(parser.parse_args().out)
    return 0


async def _played(stage: Stage, people: dict[str, Person]) -> None:
    async with mosquitto(stage.place) as broker:

        def play() -> None:
            people["Olga"] = person(stage, "Olga")
            people["Olga too"] = person(stage, "Olga too", home="Olga")
            people["Omar"] = person(stage, "Omar", home="Olga")
            for name in [name for team in TEAMS.values() for name in team]:
                people[name] = person(stage, name)
            enter(stage, people, f"mqtt://127.0.0.1:{broker.port}")
            checked(stage, people, semi_final(stage, people))

        await asyncio.to_thread(play)


if __name__ == "__main__":
    sys.exit(main())
