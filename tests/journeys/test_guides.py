"""The first page and the guides: each command that they name is run, in the order of its page; one
that both name, in that of its guide.

A command that ends by itself must end well. One that stays is waited for until it says what it is
there for. Addresses, files and keys that a page invents are exchanged for those of this machine.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tarfile
from pathlib import Path

import click
import pytest

import cli.main
from cli.children import environment
from cli.code import parse_code
from cli.commands.help import GUIDES
from cli.conformance.tables import Draft, sign_body
from cli.errors import ExitCode
from cli.net.nearby import NEARBY_VARIABLE
from cli.net.public import FILE_NAME
from cli.store.identity import IdentityStore
from cli.store.paths import HOME_VARIABLE
from tests.client.test_commands_tables import FILE as KEPT
from tests.client.test_commands_tables import MATCH
from tests.forked import ROOT, run_program
from tests.journeys.running_brokers import Mosquitto, free_port, needs_mosquitto
from tests.journeys.text_processes import Room, TextProcess
from tests.vectors.rehearsal import SAVED_HANDS
from tests.vectors.test_attacks_page import missing

GUIDE = ROOT / "specs" / "guide"
PAGES = {"README": ROOT / "README.md", **{name: GUIDE / f"{name}.md" for name in GUIDES}}
CODE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)

#: Commands that take too long to run here as they stand, and the test that runs each.
ELSEWHERE = {
    "p2p304 conformance auditor './auditor'": "tests/vectors/test_conformance.py"
    "::test_our_own_program_judges_mutated_transcripts_as_we_do",
    "p2p304 conformance seat './seat'": "tests/vectors/test_seats.py::test_our_own_seat_passes",
    "p2p304 tournament bots --teams 2 --races 1 --third none": "tests/journeys"
    "/test_tournament_play.py::test_bots_play_a_tournament_that_four_places_see_alike",
    "p2p304 watch --match 1 --referee cup": "tests/journeys/test_tournament_play.py"
    "::test_two_teams_meet_are_killed_come_back_and_sign_while_a_referee_watches",
    "p2p304 tournament reserve cup --for Ben": "tests/client/test_tournament_commands.py"
    "::test_a_reserve_signs_the_entry_and_sits_in_once_captain_and_reserve_have_signed",
    "p2p304 tournament draw cup --absent Bears": "tests/client/test_tournament_commands.py"
    "::test_a_captain_who_is_absent_is_left_out_by_the_referee_alone",
}
#: What a command that stays says when it is where its reader wants to be.
STAYS = {
    "learn": "ask your partner",
    "play": "Your choice",
    "host": "The code of this table|Your choice",
    "join": "At the table: South host, East own",
    "resume": "^Table [0-9a-f]{8}: you are ",
    "watch": "^Watching at",
    "broker": "broker",
}


def commands(page: Path) -> list[str]:
    """Every line of a page that is to be typed into a shell, without its comment."""
    blocks = [text for kind, text in CODE.findall(page.read_text("utf-8")) if kind == "console"]
    lines = [line[2:] for text in blocks for line in text.splitlines() if line.startswith("$ ")]
    return [re.sub(r"\s+# .*", "", line).strip() for line in lines]


def of_program(page: Path) -> list[str]:
    """Those of a page that call the program itself."""
    return [line for line in commands(page) if line.startswith("p2p304 ")]


def test_every_guide_has_a_page_and_every_page_a_topic() -> None:
    assert {path.stem for path in GUIDE.glob("*.md")} == set(GUIDES)
    assert len(PAGES["README"].read_text("utf-8").splitlines()) <= 150
    listed = run_program("help").stdout
    for name in GUIDES:
        assert f"  {name} " in listed


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_is_shown_in_80_columns(name: str) -> None:
    done = run_program("help", name)
    assert done.returncode == 0
    page = PAGES[name].read_text("utf-8").splitlines()
    lines = done.stdout.splitlines()
    assert lines == [line for line in page if not line.startswith("<!--")]
    assert len(lines) > 50
    wide = [line for line in lines if len(line) > 80]
    assert not wide


def test_help_with_a_command_is_the_help_of_that_command() -> None:
    assert run_program("help", "tournament", "new").stdout.startswith("Usage: p2p304 tournament")
    done = run_program("help", "nothing")
    assert done.returncode == 2
    assert "there is no command 'nothing'" in done.stderr


@pytest.mark.parametrize("name", PAGES)
def test_the_make_targets_and_options_of_a_page_exist(name: str) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    text = PAGES[name].read_text("utf-8")
    for target in re.findall(r"(?:^\$ |`)make ([a-z]+)", text, re.MULTILINE):
        assert target in targets
    for line in of_program(PAGES[name]):
        words = shlex.split(line.partition(" > ")[0])[1:]
        context = click.Context(cli.main.program, info_name="p2p304")
        command: click.Command = cli.main.program
        while isinstance(command, click.Group) and words[:1] and not words[0].startswith("-"):
            _, found, words = command.resolve_command(context, words)
            command = found
            context = click.Context(command, parent=context)
        options = {each for option in command.params for each in option.opts}
        assert {word for word in words if word.startswith("--")} <= options, line
    for test in ELSEWHERE.values():
        assert not missing(test)


class Place:
    """A directory and homes of players, in which the commands of one page are run."""

    def __init__(self, room: Room, broker: Mosquitto, where: Path) -> None:
        self.room = room
        self.broker = broker
        self.where = where
        #: The home of the reader; the hands of `kept` are on the machine of the auditor.
        self.own = where / "own"
        with tarfile.open(KEPT) as archive:
            archive.extractall(where, filter="tar")
        self.table = ""  #: The name of a table that the reader left.
        self.url = f"mqtt://127.0.0.1:{broker.port}"
        for home in (self.own, where / "host"):
            IdentityStore(home).set_nickname(home.name)
            (home / FILE_NAME).write_text(f"{self.url}\n")
        saved = SAVED_HANDS["passed-out"]
        shutil.copy(ROOT / "specs/examples/hand.p304", where / "hand.p304")
        (where / "archive").mkdir()
        (where / "archive" / "one.p304").write_bytes(saved.kept())
        (where / "club.txt").write_text("user = a\npassword = b\nhosts = 127.0.0.1\n")
        (where / "club.txt").chmod(0o600)
        draft = Draft.of(saved.kept())
        first = draft.places(b"M")[0]
        raw = sign_body(saved.table_of(), b"\xc0", draft.records[first].payload[2])
        (where / "bad.p304").write_bytes(draft.with_record(first, raw).to_bytes())

    def words(self, line: str) -> list[str]:
        """What is typed here for a line of a page."""
        line = re.sub(r"mqtts://broker\.example(\.org)?", self.url, line)
        line = line.replace("mqtts://a.example.org", self.url)
        line = line.replace("mqtts://b.example.org", self.url.replace("127.0.0.1", "localhost"))
        line = line.replace("192.168.1.20", "127.0.0.1")
        if "review" in line or "--thoughts" in line:  # half a second of a master for each decision
            line = re.sub(r"\bFILE\b|88d17ccd/1", "archive/one.p304", line)
        line = re.sub(r"\bFILE\b", "hand.p304", line).replace("88d17ccd/1", f"{MATCH}/2")
        line = line.replace("--lan", "--lan 127.0.0.1")
        line = line.replace("3f2a", self.table).replace("--every 9", "--every 99")
        line = line.replace("node checker.mjs", "python -m tests.vectors.own_program")
        line = line.replace("'python ", f"'{shlex.join([sys.executable, '-P'])} ")
        return shlex.split(line)[1:]

    def run(self, line: str) -> None:
        """Run a command that ends by itself."""
        typed, _, into = line.partition(" > ")
        words = self.words(typed)
        auditing = words[0] in ("tables", "audit", "replay", "review", "page", "stats")
        home = self.where / "amal" if auditing else self.own
        done = run_program(
            *words, variables={**environment(), HOME_VARIABLE: str(home)}, directory=self.where
        )
        code = ExitCode.CHECK_FAILED if "bad.p304" in line else ExitCode.DONE
        assert done.returncode == code, f"{line}: {done.stdout}{done.stderr}"
        if into:
            (self.where / into).write_text(done.stdout, "utf-8")

    async def start(self, line: str) -> TextProcess:
        """Start a command that stays, in its reader's home, until it says what it should."""
        words = self.words(line)
        typed: tuple[str, ...] = ()
        if words[0] == "join":
            host = "host --broker URL" if "--broker" in words else "host --lan 127.0.0.1"
            typed = ((await self._code(host)), "")
        elif words[0] == "watch":
            host = await self._hosting("host --broker URL --invites --bots 2")
            typed = tuple(await host.invites(1))
        elif words[0] == "broker":
            words += ["--port", f"{free_port()}"]
        process = await self.room.run("own", *words, typed=typed, directory=self.where)
        process.answers_until = STAYS[words[0]]  # else it would play the whole match
        await process.said(STAYS[words[0]])
        if words[0] == "play" and not self.table:
            (self.table,) = {path.name[:8] for path in self.own.glob("tables/*")}
        return process

    async def _hosting(self, line: str) -> TextProcess:
        words = [self.url if word == "URL" else word for word in line.split()]
        return await self.room.run("host", *words, directory=self.where)

    async def _code(self, line: str) -> str:
        said = await (await self._hosting(line)).said(r"The code of this table: (\S+)")
        assert parse_code(said[1])
        return said[1]


@needs_mosquitto
@pytest.mark.parametrize("name", [name for name in PAGES if name != "organiser"])
async def test_every_command_of_a_page_does_what_its_reader_wants(
    name: str, room: Room, broker: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NEARBY_VARIABLE, "127.0.0.1")
    place = Place(room, broker, tmp_path)
    on_guides = {line for page in PAGES if page != "README" for line in of_program(PAGES[page])}
    for line in of_program(PAGES[name]):
        if line in ELSEWHERE or (name == "README" and line in on_guides):
            continue
        if place.words(line)[0] in STAYS and " check " not in line:
            await (await place.start(line)).kill()
        else:
            place.run(line)


class Cup:
    """Organiser, two teams and a referee, each with a home and a directory, who type the lines."""

    def __init__(self, room: Room, url: str, where: Path) -> None:
        self.room = room
        self.url = url
        self.where = where
        self.typed: set[str] = set()
        for name in ("olga", "ana", "ben", "carl", "dana", "guest"):
            IdentityStore(where / name).set_nickname(name.title())

    def key(self, name: str) -> str:
        """The key of somebody, as `identity` prints it."""
        said = self.run(name, "identity")
        return re.findall(r"[0-9a-f]{64}", said)[0]

    def words(self, line: str, change: dict[str, str]) -> list[str]:
        self.typed.add(f"p2p304 {line}")
        changes = {"mqtts://broker.example.org": self.url, "FILE": "../olga/cup/invitation"}
        for old, new in {**changes, **change}.items():
            line = line.replace(old, new)
        return shlex.split(line)

    def run(self, name: str, line: str, **change: str) -> str:
        """Have somebody type a line, in which words are exchanged; return what was said."""
        directory = self.where / name
        variables = {**environment(), HOME_VARIABLE: str(directory)}
        done = run_program(
            *self.words(line, change), variables=variables, directory=directory, typed=""
        )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout

    async def start(self, name: str, line: str, **change: str) -> TextProcess:
        """The same for a command that stays."""
        words = self.words(line, change)
        return await self.room.run(name, *words, directory=self.where / name)


@needs_mosquitto
async def test_a_tournament_is_run_by_the_commands_of_its_guide(
    room: Room, broker: Mosquitto, tmp_path: Path
) -> None:
    cup = Cup(room, f"mqtt://127.0.0.1:{broker.port}", tmp_path)
    new = "tournament new cup --name Cup --broker mqtts://broker.example.org"
    cup.run("olga", new)
    passing = await cup.start("olga", "tournament draw cup")
    enter = "tournament enter cup --invitation FILE --team Lions"
    for captain, mate, team in (("ana", "ben", "Lions"), ("carl", "dana", "Tigers")):
        named = {"KEY=Ben": f"{cup.key(mate)}={mate.title()}", "Lions": team}
        cup.run(captain, f"{enter} --with KEY=Ben", **named)
        cup.run(mate, enter, **named)
    listing = await cup.start("olga", "tournament draw cup --list")
    draws = [await cup.start(each, "tournament draw cup") for each in ("ana", "carl")]
    for each in (*draws, listing, passing):
        assert await each.ended() == 0, each.errors
    following = await cup.start("olga", "tournament status cup --follow")
    await following.said("^1. ")
    playing = await cup.start("ana", "tournament play cup")
    await playing.said("^Your match: 1. ")
    cup.run("guest", "tournament status cup --invitation FILE")
    for each in (playing, following):
        await each.kill()
    for name in ("ana", "olga"):
        assert "Lions" in cup.run(name, "tournament status cup")
    cup.run("olga", "tournament rule cup 1 walk-over --against Tigers")
    cup.run("carl", "tournament withdraw cup")
    cup.run("olga", "tournament status cup --end")
    assert "Lions" in cup.run("olga", "tournament audit cup")
    assert set(of_program(PAGES["organiser"])) <= cup.typed | set(ELSEWHERE)
