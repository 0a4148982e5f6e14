"""What the games say at moments that few hands come to: courts, marriages, double, caps, no bid."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from p2p304.games import create_game, telling_of
from p2p304.rules41.hand import ALL_SEATS
from p2p304.rules41.hand import Phase as Phase41
from p2p304.rules304.actions import CallDouble, CallSpoilt
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.telling.options import COMMANDS, reasons
from p2p304.seats import Seat
from p2p304.sentences import Line, Who
from p2p304.telling import AnyTelling, Ended, Tried
from p2p304.view import View
from tests.rules import test_called_partner as called
from tests.rules import test_double as double
from tests.rules.caps_positions import end_position, random_position
from tests.rules.table_304 import Table
from tests.rules.test_41_hand import table_at
from tests.rules.test_caps_verdicts import (
    CALLED_AND_LOST,
    CALLED_LATE,
    NEVER_CALLED,
    ended,
    under,
)


def words(*lines: Line) -> str:
    """Lines as plain text, seats by their letters."""
    parts = (
        "SENW"[part.seat] if isinstance(part, Who) else str(part) for line in lines for part in line
    )
    return "".join(parts)


def telling(table: Table) -> AnyTelling:
    return telling_of(table.game)


def rows(
    found: AnyTelling, state: Any, outcome: Any, scores: tuple[int, ...] = ()
) -> dict[str, str]:
    """A summary by its labels."""
    told = found.summary(Ended(state, outcome, scores, getattr(state, "faces", {})))
    assert len({row.label for row in told}) == len(told)
    return {row.label: words(row.line) for row in told}


# --- a called partner -----------------------------------------------------------------------------


def test_marriages_are_counted_beside_the_points_and_their_worth_is_told() -> None:
    table = called.married()
    table.trick("S", "7C JH JC 8C")
    before = telling(table).scene(table.table.view(Seat(0)), (0, 0, 0, 0))
    assert "Marriages" not in [count.word for count in before.counts]
    shown = called.pair(table, "S", "S")
    state = table.state
    table.do("S", shown)
    said = telling(table).told(state, Seat(0), shown, table.state, table.state.faces)
    assert words(*said) == "S shows KS QS: a marriage."
    scene = telling(table).scene(table.table.view(Seat(1)), (0, 0, 0, 0))
    (count,) = [count for count in scene.counts if count.word == "Marriages"]
    assert [worth for _, worth in count.values] == ["40"]


def test_all_who_have_the_highest_score_have_won_together() -> None:
    found = telling_of(called.dealt().game)
    assert found.winning(1, (3, 12, 12, -5)) == (Seat(1), Seat(2))
    assert words(found.winners(1, (3, 12, 12, -5))) == "E and N"


# --- double, and caps by their verdict ------------------------------------------------------------


def test_a_double_is_told_when_it_is_called_while_it_stands_and_at_the_end() -> None:
    table = double.after_five()
    state = table.state
    table.do("S", CallDouble())
    said = telling(table).told(state, Seat(0), CallDouble(), table.state, table.state.faces)
    assert words(*said) == "S calls double: all eight tricks, for a token more."
    table.ready()
    scene = telling(table).scene(table.table.view(None), (5, 5))
    assert "double by S" in [words(each) for each in scene.contract]
    outcome = double.ended(table)
    assert rows(telling(table), table.state, outcome)["Double"].endswith(": won every trick")


@pytest.mark.parametrize(
    ("scenario", "profile", "said"),
    [
        (CALLED_AND_LOST, "pagat", "called, and trick"),
        (CALLED_LATE, "pagat", "called after the time for it had run out"),
        (NEVER_CALLED, "pagat", "an order was certain to win every trick, and nobody called"),
        (NEVER_CALLED, "championship", "all tricks were won without a call"),
    ],
)
def test_what_was_judged_of_caps_is_told_with_the_reason(
    scenario: str, profile: str, said: str
) -> None:
    state = under(ended(scenario), name=profile)
    game = Game304(state.profile)
    assert said in rows(telling_of(game), state, game.settle(state))["Caps"]


def test_the_reasons_of_a_certain_order_name_what_is_out_and_never_an_own_card() -> None:
    positions = (random_position(seed, 5) for seed in range(3_000))
    sure = (each for each in positions if find_order(each).sure)
    kinds = set()
    for position in islice(sure, 60):
        order = find_order(position).order
        told = [words(line) for line in reasons(position, order)]
        assert told[-1].startswith("Every way in which the cards that you cannot see may lie")
        for line in told[:-1]:
            if "trumps that are out" in line:
                named = line.partition("out, ")[2].partition(", ")[0]
                assert not {str(card) for card in order} & set(named.split())
                kinds.add("cut")
            elif "No trump is out" in line:
                kinds.add("no trump")
            elif "Trump is hidden" in line:
                assert position.trump is None
                kinds.add("hidden")
            elif "higher than" in line:
                kinds.add("higher")
    assert kinds >= {"no trump", "higher"}, kinds


def test_where_the_order_is_trumps_alone_nothing_is_said_of_cutting() -> None:
    position = end_position("S", "JC 9C", unseen="AC TC 7S 8S 7D 8D", leader="S",
                            counts={"E": 2, "N": 2, "W": 2})  # fmt: skip
    found = find_order(position)
    assert found.sure
    assert "cut" not in words(*reasons(position, found.order))


# --- 41 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", Phase41)
def test_at_every_phase_of_41_the_table_says_what_it_waits_for_and_what_the_rules_are(
    phase: Phase41,
) -> None:
    table = table_at(phase)
    found, state = telling_of(table.game), table.state
    over = phase in (Phase41.THROWN_IN, Phase41.PLAYED)
    nobody = "The deal is over." if over else "One moment: all have answered."
    assert words(found.waiting(state, ())) == nobody
    if not over:
        said = words(found.waiting(state, ALL_SEATS[1:]))
        assert said.startswith("E, N and W")
    for seat in (*ALL_SEATS, None):
        assert found.moment(table.view(seat))
    assert found.moment(None)
    assert found.ended_on_trick(state) is (phase is Phase41.PLAYED)


def test_a_deal_that_is_thrown_in_has_bids_and_nothing_else_to_tell() -> None:
    table = table_at(Phase41.THROWN_IN)
    found = telling_of(table.game)
    outcome = table.game.settle(table.state)
    assert list(rows(found, table.state, outcome)) == ["Bids"]
    assert list(rows(found, table.state, outcome, (1, 2, 3, 4))) == ["Bids", "Score"]
    last = table_at(Phase41.BIDDING)
    while len(last.state.bids) < 4:
        seat, before = last.game.contributors(last.state)[0], last.state
        action = last.game.legal_actions(last.view(seat))[0]
        last.act(seat, action)
    assert words(*found.told(before, seat, action, last.state, {})).endswith(": thrown in.")


def test_what_cannot_be_chosen_at_41_is_refused_by_the_rule_of_its_moment() -> None:
    def refused(phase: Phase41, tried: Tried, *, turn: bool = True) -> str:
        table = table_at(phase)
        seat = table.game.contributors(table.state)[0]
        view: View[Any] = table.view(seat)
        legal = table.game.legal_actions(view) if turn else ()
        return words(telling_of(table.game).refusal(view, legal, tried))

    assert refused(Phase41.CUTTING, Tried(number=99)).startswith("A cut lies between")
    assert "(rule" in refused(Phase41.BIDDING, Tried(number=14))
    assert refused(Phase41.BIDDING, Tried(word="x")) == "This is not possible now"
    assert refused(Phase41.BIDDING, Tried(number=5), turn=False) == "It is not your turn"


def test_house_rules_of_41_are_told_where_they_are_agreed() -> None:
    found = telling_of(create_game("41", "floor_12"))
    assert len(found.agreed) == 1
    assert "floor_12" in words(*found.agreed)
    assert {each.value for each in found.parameters} == {"yes", "no"}


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "seat"),
    [
        (called.dealt, 0),
        (lambda: called.passed(called.dealt()), 0),
        (called.bought, 0),
        (called.married, 0),
        (double.after_five, 1),
        (lambda: Table("pagat", "W", double.HANDS), 0),
    ],
    ids=["half-court", "numbers", "lead", "marriages", "double", "pagat"],
)
def test_a_command_that_does_not_fit_its_moment_is_refused_by_a_rule(
    table: Callable[[], Table], seat: int
) -> None:
    found = table()
    view = found.table.view(Seat(seat))
    legal = found.game.legal_actions(view)
    offered = {type(each) for each in legal}
    for command in COMMANDS:
        if command.means in offered or command.means is Contract:
            continue
        said = words(telling(found).refusal(view, legal, Tried(word=command.key)))
        assert said.endswith(")"), said
        assert "rule" in said
    nothing = telling(found).refusal(view, legal, Tried(word="abracadabra"))
    assert words(nothing) == "This is not possible now"


def test_a_number_or_a_card_at_the_wrong_moment_is_refused() -> None:
    table = called.bought()
    view = table.table.view(Seat(0))
    legal = table.game.legal_actions(view)
    assert "(rule" in words(telling(table).refusal(view, legal, Tried(number=170)))
    cutting: Any = create_game("304", "pagat")
    state = cutting.start(Seat(0)).state
    view = View(cutting.contributors(state)[0], state, {})
    legal = cutting.legal_actions(view)
    said = words(telling_of(cutting).refusal(view, legal, Tried(number=99)))
    assert "cut" in said
    assert "31" in said
    bidding = called.passed(called.dealt())
    view = bidding.table.view(Seat(0))
    slot = bidding.slot("S", "9S")
    legal = bidding.game.legal_actions(view)
    assert words(telling(bidding).refusal(view, legal, Tried(slot=slot))) == "No card is played now"


def test_a_hand_ends_on_its_last_card_or_on_what_was_said_after_a_trick() -> None:
    table = double.after_five()
    double.ended(table)
    assert telling(table).ended_on_trick(table.state)
    assert not telling(table).ended_on_trick(called.passed(called.passed(called.dealt())).state)
    state = ended(CALLED_LATE)
    after_claim = state._replace(log=(*state.log, (Seat(0), CallSpoilt())))
    assert not telling_of(Game304(state.profile)).ended_on_trick(after_claim)
