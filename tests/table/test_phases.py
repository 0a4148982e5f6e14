"""The table of phases: every pair of phase and message, and every transition of real hands."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.games import create_game
from p2p304.seats import Seat
from protocol import contents
from protocol.contents import Content
from protocol.course import Course
from protocol.errors import LocalError, ProofError
from protocol.messages import KINDS
from protocol.opening import OpeningCourse
from protocol.phases import AWAITED, FIRST, NEXT, Phase, follow
from protocol.preparing import PreparingCourse
from protocol.proceedings import AnyDocket
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame

CONTENTS: list[Content] = [
    contents.Confirmation(bytes(32)),
    contents.LuckOpening(bytes(32)),
    contents.HandKeys(bytes(66), bytes(96)),
    contents.ShuffleStep(b"x"),
    contents.DealShares(b"x"),
    contents.HandOverShares(()),
    contents.SortedHands(()),
    contents.Action("pass"),
    contents.ResultSignature(()),
]


def watched(table: Table) -> tuple[dict[Phase, AnyDocket], set[tuple[Phase, Phase]]]:
    """A docket in every phase that occurs, and every transition, of a hand played to its end."""
    seen: dict[Phase, AnyDocket] = {}
    steps: set[tuple[Phase, Phase]] = set()
    before: dict[Any, Phase] = {}
    table.confirm()

    def until() -> bool:
        for name, docket in table.chairs[0].session.proceedings.dockets.items():
            phase = docket.course.phase
            seen.setdefault(phase, docket)
            closed = len(docket.ledger.rounds)
            if before.get((name, closed - 1)) is not None:
                steps.add((before[name, closed - 1], phase))
            else:
                assert closed or phase in FIRST
            before[name, closed] = phase
        return table.all_played(1)()

    table.run(until)
    return seen, steps


def test_every_kind_of_message_is_in_the_list() -> None:
    assert {type(each) for each in CONTENTS} == {
        kind.record.make for kind in KINDS if kind.lane is not None
    }
    assert {kind for kind in AWAITED.values() if kind} == {type(each) for each in CONTENTS}
    assert set(NEXT) == {(phase, kind) for phase, kind in AWAITED.items() if kind}


@pytest.mark.parametrize("seed", range(3))
def test_every_pair_of_phase_and_message_is_judged_by_the_table(seed: int) -> None:
    seen, _ = watched(Table(TinyGame(3, target=100), seed))
    walked = 0
    for phase, docket in seen.items():
        course: Course = docket.course
        assert course.phase is phase
        if AWAITED[phase] is None:
            assert course.contributors == ()
            assert docket.settled
            continue
        occasion = docket.occasion(course.contributors[0])
        for content in CONTENTS:
            walked += 1
            if type(content) is AWAITED[phase]:
                continue
            with pytest.raises(ProofError) as caught:
                course.take(content, occasion)
            assert caught.value.check == "turn.kind"
    assert walked >= 9 * (len(Phase) - 3)


def test_transitions_of_real_hands_are_those_of_the_table() -> None:
    steps: set[tuple[Phase, Phase]] = set()
    for seed in range(4):
        steps |= watched(Table(TinyGame(3, target=100), seed))[1]
    steps |= watched(Table(create_game("41"), 1))[1]
    for before, after in steps:
        awaited = AWAITED[before]
        assert awaited is not None
        assert after in NEXT[before, awaited]
        assert follow(before, after) is after
    assert steps >= {
        (Phase.CONFIRMING, Phase.DRAWING),
        (Phase.DRAWING, Phase.SETTLED),
        (Phase.KEYING, Phase.SHUFFLING),
        (Phase.SHUFFLING, Phase.SHUFFLING),
        (Phase.SHUFFLING, Phase.SETTLED),
        (Phase.DEALING, Phase.ACTING),
        (Phase.ACTING, Phase.DEALING),
        (Phase.ACTING, Phase.ACTING),
        (Phase.ACTING, Phase.HANDING_OVER),
        (Phase.HANDING_OVER, Phase.ACTING),
        (Phase.ACTING, Phase.SIGNING),
        (Phase.SIGNING, Phase.SETTLED),
    }


def test_what_the_table_does_not_list_does_not_happen() -> None:
    refused = 0
    for before in Phase:
        for after in Phase:
            awaited = AWAITED[before]
            if awaited is None or after not in NEXT[before, awaited]:
                refused += 1
                with pytest.raises(LocalError):
                    follow(before, after)
    assert refused == len(Phase) ** 2 - sum(len(each) for each in NEXT.values())


def test_courses_begin_in_first_phases() -> None:
    assert OpeningCourse(3).phase in FIRST
    assert PreparingCourse((), 3, Seat(0)).phase in FIRST
