"""Tables of real processes, and what the system shows of them while they play."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from cli.local.bot_processes import AT_ONCE
from cli.seat.setup import JournalKind, Setup
from cli.store.identity import KEY_FILE
from cli.store.journal import FILE_NAME, Journal
from protocol.cards.secrets import Secrets
from protocol.wire.identity import SigningKey
from tests.campaigns.sweep.tables import Haystacks, Hit, Swept, search_files
from tests.journeys.text_processes import LASTING, Room

GLANCE = 0.02
"""Seconds between two looks at the processes."""
DEALS = 3
WITHIN = 180.0
LOG = "report.log"
"""What all seats, and the host's bot, write for a report of a bug."""

ENDS = ("--hands", "1", "--linger", "2")

DEBUGGING = """
import logging, os
logging.basicConfig(
    level=logging.DEBUG, filename=os.path.join(os.environ["SWEEP_LOGS"], f"{os.getpid()}.log")
)
logging.captureWarnings(True)
from asyncio.base_events import BaseEventLoop
begin = BaseEventLoop.__init__
def beginning(loop):
    begin(loop)
    loop.slow_callback_duration = 0.0
BaseEventLoop.__init__ = beginning
if os.environ.get("SWEEP_FAULT"):
    from protocol.seat.session import Session
    act, calls = Session.act, []
    def failing(session, choice, **how):
        events = act(session, choice, **how)
        calls.append(choice)
        if len(calls) == int(os.environ["SWEEP_FAULT"]):
            raise RuntimeError(f"forced: {events!r}")
        return events
    Session.act = failing
"""
"""What every process runs before the program: the root logger at DEBUG, and one error if wanted."""


class Onlooker:
    """Anybody on this machine: sees the arguments and the environment of our processes."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, bytes]] = set()

    def look(self) -> None:
        """Remember what the processes below this one show now."""
        parents: dict[int, int] = {}
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError):
                    fields = Path(entry.path, "stat").read_text("utf-8", "replace")
                    parents[int(entry.name)] = int(fields.rpartition(")")[2].split()[1])
        for process in parents:
            if process != os.getpid() and _is_below(process, os.getpid(), parents):
                for name in ("cmdline", "environ"):
                    with suppress(OSError):
                        self.seen.add((name, Path(f"/proc/{process}/{name}").read_bytes()))

    async def watch(self) -> None:
        """Look again and again."""
        while True:
            self.look()
            await asyncio.sleep(GLANCE)

    def search(self, haystacks: Haystacks) -> list[tuple[str, Hit]]:
        """Every secret that anybody could have seen."""
        return [(name, hit) for name, data in self.seen for hit in haystacks.search(data)]


def _is_below(process: int, top: int, parents: dict[int, int]) -> bool:
    while process in parents:
        process = parents[process]
        if process == top:
            return True
    return False


def secrets_under(place: Path) -> Haystacks:
    """What the journals and identities under `place` hold, and what follows from them."""
    haystacks = Haystacks()
    for path in place.rglob(KEY_FILE):
        seed = path.read_bytes()[-41:-9]
        SigningKey(seed)
        haystacks.hide(path.parent.name, "identity key", seed)
    for path in place.rglob(FILE_NAME):
        owner = path.parents[2].name
        with Journal.open(path.parent, bytes.fromhex(path.parent.name)) as journal:
            for record in journal.records():
                if record.kind == JournalKind.SETUP:
                    _hide_setup(haystacks, owner, Setup.from_bytes(record.payload))
    return haystacks


def _hide_setup(haystacks: Haystacks, owner: str, setup: Setup) -> None:
    haystacks.hide(owner, "seed", setup.seed)
    haystacks.hide("the table", "table key", setup.invite.table_key)
    tokens = [setup.invite.token, *(setup.founding.tokens if setup.founding else ())]
    for token in tokens:
        if token is not None:
            haystacks.hide("the table", "claim token", token)
    haystacks.hide_text("the table", "invite", setup.invite.format()[40:72])
    secrets = Secrets(setup.seed)
    for deal in range(DEALS):
        haystacks.hide(owner, "seed of a deal", secrets.deal_seed(deal))
        keys = secrets.hand_secret(deal)
        for each in keys.card, keys.suit:
            haystacks.hide(owner, "key of a deal", each.value.to_bytes(32, "big"))


async def _play(
    place: Path, fault: int, patch: pytest.MonkeyPatch
) -> tuple[dict[str, str], list[str]]:
    """A host, a bot of its own, another one, and a guest who fails and comes back: what they
    printed, and what was wrong."""
    log = ("--log", str(place / LOG))
    async with Room(place) as room:
        host = await room.run(
            "host", *log, "host", "--name", "Amara", "--bots", "1", *LASTING, *ENDS
        )
        invite, other = await host.invites(2)
        # Bots of the host's take no part in debugging: their environment is kept from them.
        bot = await room.run(
            "bot", *log, "bot", "--name", "Chandra", *ENDS, *AT_ONCE, typed=(other,)
        )
        patch.setenv("SWEEP_FAULT", str(fault))
        guest = await room.run("guest", *log, "join", "--name", "Banu", *ENDS, typed=(invite,))
        code = await guest.ended(within=WITHIN)
        patch.delenv("SWEEP_FAULT")
        back = await room.run("guest", *log, "resume", *ENDS)
        codes = [code, *[await each.ended(within=WITHIN) for each in (host, back, bot)]]
    people = {"host": host, "bot": bot, "guest": guest, "guest, back": back}
    printed = {f"{name}: output": person.text for name, person in people.items()}
    printed |= {f"{name}: errors": person.errors for name, person in people.items()}
    if codes != [70, 0, 0, 0]:
        return printed, [f"exit codes {codes}: {guest.errors[-300:]} {host.errors[-300:]}"]
    if "forced: " not in guest.errors:
        return printed, ["the forced error was not told"]
    logged = (place / LOG).read_text("utf-8")
    if "RuntimeError: forced: " not in logged or logged.count(" ends with 0") < len(people) - 1:
        return printed, [f"the log lacks the forced error, or how a seat ended: {logged[-300:]}"]
    return printed, []


def sweep_processes(place: Path, seed: int) -> Swept:
    """One hand of processes at debug level, one of which fails and comes back."""
    swept, onlooker = Swept(Counter(hands=1, errors=1)), Onlooker()
    site, logs, temporary = (place / name for name in ("site", "logs", "tmp"))
    for each in site, logs, temporary:
        each.mkdir(parents=True)
    (site / "sitecustomize.py").write_text(DEBUGGING, "utf-8")

    async def play(patch: pytest.MonkeyPatch) -> tuple[dict[str, str], list[str]]:
        watching = asyncio.create_task(onlooker.watch())
        try:
            return await _play(place, 1 + seed % 5, patch)
        finally:
            watching.cancel()

    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("PYTHONPATH", str(site)),
            ("PYTHONASYNCIODEBUG", "1"),
            ("PYTHONDEVMODE", "1"),
            ("SWEEP_LOGS", str(logs)),
            ("TMPDIR", str(temporary)),
        ):
            patch.setenv(name, value)
        printed, wrong = asyncio.run(play(patch))
    swept.faults += wrong
    haystacks = secrets_under(place)
    for name, text in printed.items():
        for hit in haystacks.search(text.encode()):
            if (name, hit.secret) == ("host: output", "invite"):
                swept.counts["intended"] += 1  # the host's player passes them on
            else:
                swept.leaks.append((name, hit))
    swept.leaks += onlooker.search(haystacks)
    search_files(place, haystacks, swept)
    swept.counts["logs"] = sum(path.stat().st_size for path in logs.iterdir())
    swept.counts += haystacks.counts
    return swept
