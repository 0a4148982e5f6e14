"""The verdicts on caps: duties, windows and house rules."""

from __future__ import annotations

from functools import cache

import pytest

from p2p304.rules304.agreement import named_profile
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.judge import CapsMoment, caps_verdicts, certain_order, duties, moments
from p2p304.rules304.choices import CapsGrace
from p2p304.rules304.scoring import CapsVerdict
from p2p304.rules304.state import State
from p2p304.seats import Seat
from tests.rules.pinned import scenarios
from tests.rules.scenario_table import ScenarioTable

SEATS = 4

SCENARIOS = {each["id"]: each for each in scenarios()}
SOUTH, NORTH = Seat(0), Seat(2)
NONE, WRONG, LOST = CapsVerdict.NONE, CapsVerdict.WRONG, CapsVerdict.LOST
BONUS, NO_BONUS = CapsVerdict.CORRECT_BONUS, CapsVerdict.CORRECT_NO_BONUS


@cache
def ended(scenario: str, *, strict: bool = False) -> State:
    """The end of a shared scenario's hand, with or without windows between the cards."""
    given = SCENARIOS[scenario]
    if strict:
        given = {**given, "options": {"caps_timing": "strict"}}
    table = ScenarioTable(given)
    table.more_plays = True
    for step in given["steps"]:
        if isinstance(step, str):
            table.step(step)
    table.ready()
    return table.state


def under(state: State, *toggles: str, name: str = "pagat", **overrides: object) -> State:
    """The same hand, judged under another agreement."""
    return state._replace(profile=named_profile(name, toggles, overrides))


CALLED_SURE, CALLED_EARLY, CALLED_LATE = "P049", "P050", "P051"
CALLED_AT_THE_WINDOW, NEVER_CALLED, CALLED_AND_LOST = "P052", "P054", "P055"
SANDBAGGED = "P081"


@pytest.mark.parametrize(
    ("scenario", "toggles", "verdict"),
    [
        (CALLED_SURE, (), BONUS),
        (CALLED_SURE, ("caps_strict",), BONUS),
        (CALLED_EARLY, (), WRONG),
        (CALLED_EARLY, ("caps_late_free",), WRONG),
        (CALLED_LATE, (), WRONG),
        (CALLED_LATE, ("caps_late_free",), BONUS),
        (CALLED_AT_THE_WINDOW, (), BONUS),
        (CALLED_AT_THE_WINDOW, ("caps_strict",), WRONG),
        (CALLED_AT_THE_WINDOW, ("caps_strict", "caps_late_free"), BONUS),
        (NEVER_CALLED, (), WRONG),
        (NEVER_CALLED, ("caps_late_free",), WRONG),
        (NEVER_CALLED, ("sandbag_ok",), WRONG),
        (CALLED_AND_LOST, (), LOST),
        (SANDBAGGED, (), WRONG),
        (SANDBAGGED, ("sandbag_ok",), NONE),
    ],
)
def test_verdict_by_knowledge(
    scenario: str, toggles: tuple[str, ...], verdict: CapsVerdict
) -> None:
    state = ended(scenario, strict="caps_strict" in toggles)
    assert caps_verdicts(under(state, *toggles)) == (verdict, NONE)


def test_there_is_no_verdict_where_caps_are_off() -> None:
    assert caps_verdicts(under(ended(NEVER_CALLED), name="card304-alpha")) == (NONE, NONE)


def at(cards: int, in_window: bool) -> CapsMoment:
    """A moment of a hand of four seats and eight tricks."""
    return CapsMoment(cards, in_window, 4, 8)


def test_the_duty_begins_with_the_card_that_gives_certainty() -> None:
    state = ended(NEVER_CALLED)
    # North can place the last two hearts with South once East and West have shown out of them.
    assert duties(state, (state.faces,) * SEATS) == {
        SOUTH: at(15, False),
        NORTH: at(21, False),
    }


def test_moments_are_told_once_and_in_order() -> None:
    found = list(moments(ended(NEVER_CALLED)))
    assert [moment.cards for moment, _ in found] == list(range(29))
    assert [moment for moment, _ in found if moment.in_window] == [
        at(cards, True) for cards in range(0, 29, 4)
    ]
    called = [moment.cards for moment, _ in moments(ended(CALLED_SURE))]
    assert called == list(range(16))


def test_what_was_sure_stays_sure_while_the_order_is_kept() -> None:
    state = ended(NEVER_CALLED)
    begun = {SOUTH: 15, NORTH: 21}
    for moment, then in moments(state):
        for seat in map(Seat, range(SEATS)):
            sure = certain_order(then, seat, state.faces)
            assert sure is (moment.cards >= begun.get(seat, 99)), (moment, seat)


def test_a_card_face_down_is_known_to_its_owner_and_after_the_trick_to_the_maker() -> None:
    state = ended("P048")
    east = Seat(1)
    assert state.maker == east
    for moment, then in moments(state):
        tricks = (trick.plays for trick in then.tricks)
        lying = {play for plays in tricks for play in plays if play.slot not in then.faces}
        for seat in map(Seat, range(SEATS)):
            information = information_of(then, seat, state.faces)
            unseen = {play.slot for play in lying if seat not in (east, play.seat)}
            assert set(information.hidden) == unseen, (moment, seat)
            for play in then.plays:
                known = not play.down or play.seat == seat
                assert (play.slot in information.faces) is known, (moment, seat)
    assert len(lying) == 5


@pytest.mark.parametrize(
    ("call", "duty", "grace", "in_time"),
    [
        (at(0, True), at(0, True), CapsGrace.TRICK, True),
        (at(0, False), at(0, True), CapsGrace.TRICK, False),
        (at(4, True), at(0, False), CapsGrace.TRICK, True),
        (at(15, False), at(15, False), CapsGrace.TRICK, True),
        (at(16, True), at(13, False), CapsGrace.TRICK, True),
        (at(16, False), at(13, False), CapsGrace.TRICK, False),
        (at(16, True), at(16, True), CapsGrace.TRICK, True),
        (at(17, False), at(16, True), CapsGrace.TRICK, False),
        (at(15, True), at(15, True), CapsGrace.STRICT, True),
        (at(15, False), at(15, True), CapsGrace.STRICT, True),
        (at(16, True), at(15, True), CapsGrace.STRICT, False),
    ],
)
def test_windows(call: CapsMoment, duty: CapsMoment, grace: CapsGrace, in_time: bool) -> None:
    assert call.meets(duty, grace) is in_time
