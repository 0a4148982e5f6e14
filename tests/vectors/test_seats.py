"""`p2p304 conformance seat`: our own bot passes, broken seats do not."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from cli.conformance.mutations import expected_verdicts
from cli.conformance.sittings import CHEATS, Cheat, scenarios, sit, try_seat
from cli.conformance.tables import Draft
from cli.conformance.trials import Mark
from cli.errors import UserError
from p2p304.games import GAMES
from protocol.errors import PeerFault
from protocol.table.replica import AnyReplica
from protocol.wire.messages import SignedMessage, open_message
from tests.long import sample
from tests.vectors.breakages import BREAKAGES, planted
from tests.vectors.own_program import OUR_SEAT
from tests.vectors.rehearsal import SAVED_HANDS
from tests.vectors.run_breakages import noticed_by_seat

OURS = shlex.join(OUR_SEAT)
ALL = {each.name: each for each in scenarios(sample=False)}
SAMPLE = [each for each in scenarios(sample=True) if each.suite != "honest"]
SAMPLE += [ALL["a hand under 41"], ALL["a hand under six24"]]
SAMPLE += [ALL["two messages for one place"], ALL["a hand-over for nobody's eyes"]]


#: One of every sort; of the lies in a hand one that ends it at once, as each of them does.
SOONEST = (
    "killed during the hand",
    "heads are answered with what is lacking",
    "keys without proof",
    "two cards of a shuffle exchanged",
    "two messages for one place",
)


@pytest.mark.parametrize(
    "name", sample((each.name for each in SAMPLE), SOONEST), ids=lambda name: name.replace(" ", "-")
)
async def test_our_own_seat_passes(name: str) -> None:
    trial = await sit(OURS, ALL[name], deadline=600.0)
    assert trial.mark is Mark.PASSED, trial.detail


async def test_tables_that_are_played_at_a_time_judge_again_one_after_the_other() -> None:
    lies = [ALL[name] for name in ("keys without proof", "two cards of a shuffle exchanged")]
    trials = await asyncio.gather(*(sit(OURS, each, deadline=600.0) for each in lies * 2))
    assert [(each.mark, each.detail) for each in trials] == [(Mark.PASSED, "")] * len(trials)


@pytest.mark.parametrize("name", ["what convicts is not told", "shares are told early"])
async def test_a_broken_seat_is_noticed(name: str) -> None:
    command = shlex.join(planted(name, "sit"))
    trial = await sit(command, ALL[BREAKAGES[name].sitting or ""], deadline=10.0)
    assert trial.mark is Mark.FAILED
    assert "never took its seat" not in trial.detail


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, each in BREAKAGES.items() if each.sitting])
async def test_a_broken_seat_is_noticed_where_ours_passes(name: str) -> None:
    assert await noticed_by_seat(name)


def test_every_breakage_of_a_seat_names_a_sitting_that_there_is() -> None:
    assert {each.sitting for each in BREAKAGES.values() if each.sitting} <= set(ALL)


async def test_a_program_that_never_sits_down_fails() -> None:
    idle = shlex.join([sys.executable, "-c", "import sys; sys.stdin.read()"])
    trial = await sit(idle, ALL["a hand under pagat"], deadline=2.0)
    assert trial.mark is Mark.FAILED
    assert "never took its seat" in trial.detail


async def test_a_program_that_ends_at_once_cannot_be_tried() -> None:
    ends = shlex.join([sys.executable, "-c", "import sys; sys.exit('no such table')"])
    first = anext(try_seat(ends, sample=True, deadline=180.0))
    with pytest.raises(UserError, match=r"no such table.*ended with 1"):
        await asyncio.wait_for(first, 60)


def test_a_harness_that_is_terminated_leaves_no_directories(tmp_path: Path) -> None:
    program = shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "cli.main", "conformance", "seat", program, "--sample"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as harness:
        until = time.monotonic() + 60
        while not list(tmp_path.glob("p2p304-seat-*")) and time.monotonic() < until:
            time.sleep(0.1)
        assert list(tmp_path.glob("p2p304-seat-*"))
        harness.terminate()
        assert harness.wait(60) == 130
    assert list(tmp_path.glob("p2p304-seat-*")) == []


def test_every_cheat_and_every_profile_has_a_sitting() -> None:
    assert {each.cheat for each in ALL.values() if each.cheat} == set(CHEATS)
    tables = {(game, name) for game in GAMES for name in GAMES[game].profiles or ("",)}
    assert {
        (each.game, each.agreement) for each in ALL.values() if each.suite == "honest"
    } == tables
    assert {each.suite for each in scenarios(sample=True)} == {each.suite for each in ALL.values()}


@cache
def said_in(name: str) -> tuple[tuple[AnyReplica, SignedMessage], ...]:
    """What seats said in a saved hand, each with the ledger as it stood before."""
    draft = Draft.of(SAVED_HANDS[name].kept())
    charter = SAVED_HANDS[name].table_of().charter
    found = []
    for place in draft.places(b"M"):
        message = open_message(draft.records[place].payload, charter)
        ledger = expected_verdicts(name).ledger_before(place)
        if isinstance(message, SignedMessage) and ledger is not None:
            found.append((ledger, message))
    return tuple(found)


def checks_that_fail(cheat: Cheat, name: str) -> Iterator[str]:
    """What an honest seat finds where the cheat alters a message of a saved hand."""
    for ledger, message in said_in(name):
        altered = cheat.alter_content(message.content)
        if altered is not None:
            assert altered != message.content
            try:
                ledger.accept(replace(message, content=altered))
            except PeerFault as fault:
                yield fault.check


@pytest.mark.parametrize(
    "cheat", [each for each in CHEATS if not each.both], ids=lambda cheat: cheat.name
)
def test_every_cheat_is_found_by_the_check_that_it_is_about(cheat: Cheat) -> None:
    assert cheat.check in chain(
        *(checks_that_fail(cheat, name) for name in ("closed", "passed-out"))
    )
