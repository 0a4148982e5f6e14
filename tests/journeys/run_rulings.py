"""Tries every ruling at a live table: whole processes, over the broker of the program.

    python -m tests.journeys.run_rulings                      # all, one after the other
    python -m tests.journeys.run_rulings redeal walk-over     # these

Two teams of bots play a final, each seat by `tournament play --bot`; a referee watches, and rules
by `tournament rule` while they play, or while one team waits for the other. Each must lead to the
end of the tournament, a valid audit of the folder, and the champion that follows from what was
ruled. The status is 1 if one does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.auditing import audit_file
from cli.commands.tournament_terms import Terms
from cli.net.broker import EmbeddedBroker
from cli.net.served_page import LOOPBACK
from cli.store.identity import IdentityStore
from cli.tournament.bots import Wanted, entered, home_of
from cli.tournament.folder import TournamentFolder
from tests.journeys.text_processes import Room

RACE, PENALTY = 4, 3
ONE, OTHER = TEAMS = ("Team 1", "Team 2")
LONG = 900.0
REFEREE = "referee"


@dataclass(frozen=True, slots=True)
class Trial:
    """What is ruled of the final, and what must come of it."""

    words: tuple[str, ...]
    then: tuple[str, ...] = ()
    """What is ruled when the seats wait for it."""
    absent: bool = False
    """Whether the other team never comes."""
    champion: str | None = None
    """Who must win; None for whoever wins the race."""
    stops: bool = True
    """Whether a transcript must hold the ruling."""
    race: int = RACE
    """To how many tokens the final is."""


TRIALS = {
    "no-action": Trial(("no-action",), stops=False),
    "redeal": Trial(("redeal",)),
    "penalty": Trial(("penalty", "--against", ONE)),
    "penalty-wins": Trial(("penalty", "--against", ONE), champion=OTHER, race=PENALTY),
    "walk-over": Trial(("walk-over", "--against", OTHER), absent=True, champion=ONE, stops=False),
    "withdrawn": Trial(("withdrawn", "--against", ONE), champion=OTHER),
    "disqualified": Trial(("disqualified", "--against", ONE), champion=OTHER),
    "end": Trial(("end",), then=("walk-over", "--against", OTHER), champion=ONE),
}


async def tried(trial: Trial, place: Path) -> str:
    """Play a final with a ruling in it; return what came of it. Raises AssertionError."""
    async with EmbeddedBroker(LOOPBACK, 0) as broker, Room(place) as room:
        referee = IdentityStore(place / REFEREE).key(secrets.token_bytes)
        url = f"mqtt://{LOOPBACK}:{broker.port}"
        terms = Terms("304", None, (), f"{trial.race}", "none", None, None)
        charter = lambda key: terms.charter("Cup", key, (referee.public,), (url,))  # noqa: E731
        first = entered(Wanted(2, charter, place))
        ours = TournamentFolder.make(place / REFEREE / "cup", first.record, first.key)
        watch = await room.run(
            REFEREE, "watch", "--match", "1", "--referee", str(ours.path), "--plain", answers=False
        )
        seats = []
        for team in (1,) if trial.absent else (1, 2):
            for player in (1, 2):
                home = home_of(place, team, player)
                cup = TournamentFolder.make(home / "cup", first.record, first.key)
                words = ("tournament", "play", str(cup.path), "--bot", "--plain")
                seats.append(await room.run(str(home.relative_to(place)), *words))
        if trial.absent:
            for each in seats:
                await each.said("^Your match: 1. ", within=LONG)
        else:
            await watch.said("^Trick 1|bids", within=LONG)
        for words in filter(None, (trial.words, trial.then)):
            if words is trial.then:
                for each in seats:
                    await each.said("has ended without a result", within=LONG)
            ruling = await room.run(REFEREE, "tournament", "rule", str(ours.path), "1", *words)
            assert await ruling.ended(within=LONG) == 0, ruling.errors
        for each in seats:
            assert await each.ended(within=LONG) == 0, each.errors
        return await _judged(trial, place, room, ours)


async def _judged(trial: Trial, place: Path, room: Room, ours: TournamentFolder) -> str:
    """Audit the folder of the referee, with the transcripts of every seat beside it."""
    for home in sorted((place / "players").iterdir()):
        if (home / "cup" / "match-001").is_dir():
            shutil.copytree(home / "cup" / "match-001", ours.path / home.name)
    take = ("--take", str(home_of(place, 1, 1) / "cup"))  # nobody is there any more to tell it
    status = await room.run(REFEREE, "tournament", "status", str(ours.path), "--json", *take)
    assert await status.ended(within=LONG) == 0, status.errors
    champion = json.loads(status.text)["champion"]
    assert champion == (trial.champion or champion), champion
    assert champion in TEAMS, status.text
    audit = await room.run(REFEREE, "tournament", "audit", str(ours.path))
    assert await audit.ended(within=LONG) == 0, f"{audit.text}\n{audit.errors}"
    reports = [audit_file(each).report for each in ours.transcripts]
    hands = {hand.number: hand for each in reports if each is not None for hand in each.hands}
    stopped = sorted(number for number, hand in hands.items() if hand.ruling is not None)
    assert bool(stopped) is trial.stops, sorted(hands)
    return f"{champion} is the champion; {len(hands)} hands, stopped by a ruling: {stopped}"


def try_rulings(names: Iterable[str] = tuple(TRIALS)) -> int:
    """Try them, and return how many failed."""
    failed = 0
    for name in names:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="p2p304-ruling-") as folder:
            try:
                told = asyncio.run(tried(TRIALS[name], Path(folder)))
            except AssertionError:
                told, failed = f"FAILED: {traceback.format_exc()}", failed + 1
        sys.stdout.write(f"{name}: {told} ({time.monotonic() - began:.0f} s)\n")
        sys.stdout.flush()
    return failed


def main() -> int:
    """Try them; 1 if one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", choices=[[], *TRIALS])
    return int(try_rulings(parser.parse_args().names or TRIALS) > 0)


if __name__ == "__main__":
    sys.exit(main())
