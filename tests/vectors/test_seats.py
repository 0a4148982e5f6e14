"""`p2p304 conformance seat`: our own bot passes, broken seats do not."""

from __future__ import annotations

import shlex
import sys

import pytest

from cli.conformance.cheats import CHEATS
from cli.conformance.results import Mark
from cli.conformance.sittings import scenarios, sit
from tests.vectors.breakages import BREAKAGES, planted

OURS = shlex.join([sys.executable, "-m", "cli.main", "conformance", "sit"])
ALL = {each.name: each for each in scenarios(sample=False)}
FAST = (
    "shuffles are not verified",
    "luck is not bound",
    "shares are told early",
    "heads are not answered",
    "nothing is journaled",
)
"""Breakages that show soon; `make breakages` tries them all."""

SAMPLE = [each for each in scenarios(sample=True) if each.suite != "honest"]


@pytest.mark.parametrize("scenario", SAMPLE, ids=lambda each: each.name.replace(" ", "-"))
async def test_our_own_seat_passes(scenario: object) -> None:
    trial = await sit(OURS, scenario, deadline=120.0)  # type: ignore[arg-type]
    assert trial.mark is Mark.PASSED, trial.detail


@pytest.mark.parametrize("name", FAST)
async def test_a_broken_seat_is_noticed(name: str) -> None:
    command = shlex.join(planted(name, "sit"))
    trial = await sit(command, ALL[BREAKAGES[name].sitting or ""], deadline=10.0)
    assert trial.mark is Mark.FAILED


def test_every_breakage_of_a_seat_names_a_sitting_that_there_is() -> None:
    assert {each.sitting for each in BREAKAGES.values() if each.sitting} <= set(ALL)


async def test_a_program_that_never_sits_down_fails() -> None:
    idle = shlex.join([sys.executable, "-c", "import sys; sys.stdin.read()"])
    trial = await sit(idle, ALL["a hand under pagat"], deadline=2.0)
    assert trial.mark is Mark.FAILED
    assert "did not end" in trial.detail


def test_every_cheat_and_every_profile_has_a_sitting() -> None:
    assert {each.cheat for each in ALL.values() if each.cheat} == set(CHEATS)
    assert sum(each.suite == "honest" for each in ALL.values()) == 5
    assert {each.suite for each in scenarios(sample=True)} == {each.suite for each in ALL.values()}
