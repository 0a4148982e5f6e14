"""Maharashtra (PROFILES 3.2, VARIANTS R99 to R113): a called partner, courts, a score for each."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.cards import parse_card
from p2p304.games import telling_of
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.called import holder, sides
from p2p304.rules304.running import RunningFacts, RunningMatch, RunningOutcome, points_text
from p2p304.rules304.state import End, Phase
from p2p304.rules304.telling.called import known_partner
from p2p304.rules304.telling.scene import scene
from p2p304.seats import Seat
from p2p304.sentences import Who
from p2p304.simulator import FalseStatement
from p2p304.statements import NotCard
from p2p304.telling import Ended, Tried
from tests.rules.table_304 import Table

HANDS = {
    "S": "JS 9S AS JH TS 7D 8D 7C",
    "E": "KS QS 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC 9H 8H 7H KC",
    "W": "JD 9D AD TD KD QD QC 8C",
}


def dealt(*toggles: str, hands: dict[str, str] = HANDS, profile: str = "maharashtra") -> Table:
    """West has dealt: South, then East, North and West speak."""
    return Table(profile, "W", hands, toggles=toggles)


def passed(table: Table) -> Table:
    """Nobody undertakes Half Court."""
    for letter in "SENW":
        table.do(letter, act.Pass())
    return table


def chosen(table: Table, maker: str, indicator: str, card: str, *, opened: bool = True) -> Table:
    """The maker lays, names and declares, and everybody sorts."""
    while table.state.phase not in (Phase.TRICK, Phase.WINDOW):
        turn = table.state.awaiting[0]
        action: act.Action = table.legal("SENW"[turn])[0]
        match table.state.phase:
            case Phase.INDICATOR4 | Phase.INDICATOR8:
                action = act.LayIndicator(table.slot(maker, indicator))
            case Phase.NAMING:
                action = act.NameCard(parse_card(card))
            case Phase.DECLARE:
                action = act.OpenTrump(parse_card(indicator)) if opened else act.KeepClosed()
        table.table.act(turn, action)
    return table


def bought(
    bid: Bid = 200,
    card: str = "JC",
    *toggles: str,
    opened: bool = True,
    hands: dict[str, str] = HANDS,
) -> Table:
    """South has bought the hand and named a card; the others passed."""
    table = dealt(*toggles, hands=hands)
    if bid is Contract.HALF_COURT:
        table.do("S", act.PlaceBid(bid))
    else:
        passed(table).do("S", act.PlaceBid(bid))
        for letter in "ENW" if isinstance(bid, int) else "":
            table.do(letter, act.Pass())
    return chosen(table, "S", "9S", card, opened=opened)


def bids(table: Table, letter: str) -> list[Bid]:
    return [each.bid for each in table.legal(letter) if isinstance(each, act.PlaceBid)]


# --- the card that is named -------------------------------------------------------------------


def test_the_maker_proves_that_it_has_not_the_card_that_it_names() -> None:
    table = dealt()
    passed(table).do("S", act.PlaceBid(200))
    for letter in "ENW":
        table.do(letter, act.Pass())
    for letter in "SENW":
        table.do(letter, table.legal(letter)[0])
    table.do("S", act.LayIndicator(table.slot("S", "9S")))
    own = {*HANDS["S"].split()}
    named = [str(each.card) for each in table.legal("S") if isinstance(each, act.NameCard)]
    assert len(named) == 24
    assert not own & {*named}
    for mine in ("JS", "9S"):
        with pytest.raises(FalseStatement) as caught:
            table.table.fork(SeededRandomness(1)).act(Seat(0), act.NameCard(parse_card(mine)))
        slots = (*table.state.hands[0], table.state.indicator)
        assert caught.value.statement == NotCard(slots, parse_card(mine))
    assert table.refused("S", act.NameCard(parse_card("2C"))).endswith("(rule 3.2)")


def test_the_holder_knows_its_side_at_once_and_the_others_when_the_card_falls() -> None:
    table = bought()
    state = table.state
    assert state.partner_secret
    assert [state.mates(seat) for seat in state.everybody] == [()] * 4

    def partners(seat: int | None) -> list[str]:
        found = scene(table.table.view(None if seat is None else Seat(seat)), (0, 0, 0, 0))
        return ["SENW"[n] for n, place in enumerate(found.places) if "partner" in place.roles]

    assert [partners(seat) for seat in (0, 1, 2, 3, None)] == [[], [], ["S"], [], []]
    table.trick("S", "7C KH JC QC")
    assert not table.state.partner_secret
    assert table.state.mates(Seat(0)) == (Seat(2),)
    assert table.state.opponents(Seat(0)) == (Seat(1), Seat(3))
    assert [partners(seat) for seat in (0, 1, 2, 3)] == [["N"], ["W"], ["S"], ["E"]]


def test_who_may_be_with_whom_follows_from_the_record() -> None:
    before = sides(dealt().state)
    assert before == (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
    table = bought()
    assert sides(table.state) == (
        ((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)), ((0,), (1, 2, 3))
    )  # fmt: skip
    table.trick("S", "7C KH JC QC")
    assert sides(table.state) == (((0, 2), (1, 3)),)
    assert table.game.sides(table.state) == sides(table.state)


# --- courts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["SNEW", "NSEW", "WESN"])
def test_a_court_that_a_shown_card_loses_ends_with_the_window_whoever_speaks_first(
    order: str,
) -> None:
    """R106, with pre_show: all speak at once, and what one of them may say hangs on no other."""
    table = bought(Contract.FULL_COURT, "JC", "pre_show")
    table.trick("S", "7C KS TC 8C")
    assert table.state.phase is Phase.WINDOW, "East may be the partner"
    for letter in order:
        assert table.state.end is None
        shown = act.ShowCard(table.slot("N", "JC"), parse_card("JC"))
        table.do(letter, shown if letter == "N" else act.Ready())
    assert table.state.end is End.CONTRACT_LOST
    assert table.game.settle(table.state).scores == (-5, 5, -5, 5)


def test_under_half_court_nobody_may_hold_the_card_and_the_maker_counts_three_times() -> None:
    table = bought(Contract.HALF_COURT, "AH")  # in the second batch, which nobody gets
    assert table.state.partner_secret
    for trick in ("JS KS TC AD", "AS QS AC TD", "9S 8S 9C 9D", "JH 7S JC JD"):
        table.trick("S", trick)
    assert holder(table.state) is None
    while table.state.phase is not Phase.OVER:
        turn = "SENW"[table.state.awaiting[0]]
        table.do(turn, table.legal(turn)[0])
    outcome = table.game.settle(table.state)
    assert table.state.end is End.PLAYED
    assert outcome.facts.partner is None
    assert [abs(score) for score in outcome.scores] == [12, 4, 4, 4]


def facts(**more: Any) -> RunningFacts:
    given = {"seats": 4, "maker": Seat(0), "partner": Seat(2), "bid": 200, "target": 200}
    return RunningFacts(**(given | more))


def test_whoever_has_the_highest_score_beyond_the_goal_has_won_and_nobody_else() -> None:
    match = RunningMatch(named_profile("maharashtra"), Seat(0), (11, 12, 3, 11))
    assert match.winners == (1,)


# --- house rules ------------------------------------------------------------------------------

MARRIED = {
    "S": "JS 9S KS QS TS 7D 8D 7C",
    "E": "AS JH 8S 7S AH TH KH QH",
    "N": "JC 9C AC TC KC QC 7H 9H",
    "W": "JD 9D AD TD KD QD 8H 8C",
}


TWICE = MARRIED | {
    "N": "JC 9C KD QD KC QC 7H 9H",
    "W": "JD 9D AD TD AC TC 8H 8C",
}


def married(card: str = "JC", bid: int = 200) -> Table:
    return bought(bid, card, "marriages", hands=MARRIED)


def pair(table: Table, letter: str, suit: str) -> act.DeclareMarriages:
    return act.DeclareMarriages(table.faces(letter, f"K{suit} Q{suit}"))


def test_one_key_shows_all_marriages_of_a_hand() -> None:
    table = bought(200, "JC", "marriages", hands=TWICE)
    table.trick("S", "7C JH JC 8C")
    view = table.table.view(Seat(2))
    choices = telling_of(table.game).choices(view, table.game.legal_actions(view))
    shown = [each for each in choices if isinstance(each.action, act.DeclareMarriages)]
    assert len(shown) == 3
    keyed = [each for each in shown if each.key]
    assert [(each.key, len(each.action.cards)) for each in keyed] == [("m", 4)]
    assert len({word for each in shown for word in each.typed}) == 3


def test_a_marriage_that_was_shown_is_not_shown_again() -> None:
    table = bought(200, "JC", "marriages", hands=TWICE)
    table.trick("S", "7C JH JC 8C")
    table.do("N", pair(table, "N", "D"))
    table.table.state = table.state._replace(awaiting=(Seat(2),))  # as in another window
    said = table.refused("N", pair(table, "N", "D"))
    assert said == "the marriage of each suit counts once (rule 3.2)"


def played_out(table: Table) -> RunningOutcome:
    while table.state.phase is not Phase.OVER:
        turn = "SENW"[table.state.awaiting[0]]
        calm = [each for each in table.legal(turn) if not isinstance(each, act.DeclareMarriages)]
        table.do(turn, calm[0])
    outcome = table.game.settle(table.state)
    assert isinstance(outcome, RunningOutcome)
    return outcome


def test_a_marriage_of_the_makers_side_lowers_what_it_needs_and_a_defenders_raises_it() -> None:
    """R111: without limits, and the price follows the bid."""
    table = married(bid=250)
    table.trick("S", "7C JH JC 8C")
    table.do("S", pair(table, "S", "S"))
    table.do("N", pair(table, "N", "C"))
    table.ready()
    outcome = played_out(table)
    assert outcome.facts.bid == 250
    assert outcome.facts.target == 250 - 40 - 20
    faces = {slot: table.table.face(slot) for hand in table.state.dealt for slot in hand}
    rows = telling_of(table.game).summary(
        Ended(table.state, outcome, outcome.scores, table.state.faces | faces)
    )
    (tricks,) = ("".join(map(str, row.line)) for row in rows if row.label == "Tricks")
    assert ", and needed 190: 250, 40 less for " in tricks
    assert ", 20 less for " in tricks
    assert abs(outcome.scores[0]) in (3, 4)
    table = married(bid=250)
    table.trick("S", "7D AH 9H JD")
    assert table.state.tricks[0].winner == Seat(3)
    table.do("W", pair(table, "W", "D"))
    table.ready()
    assert played_out(table).facts.target == 270


def test_the_last_trick_counts_ten_toward_the_bid_or_against_it() -> None:
    """R112."""
    table = bought(200, "JC", "last_trick")
    while table.state.phase is not Phase.OVER:
        turn = "SENW"[table.state.awaiting[0]]
        table.do(turn, table.legal(turn)[0])
    outcome = table.game.settle(table.state)
    won = table.state.tricks[-1].winner in outcome.facts.side
    assert outcome.facts.target == (190 if won else 210)
    rows = telling_of(table.game).summary(
        Ended(table.state, outcome, outcome.scores, table.state.faces)
    )
    (tricks,) = ("".join(map(str, row.line)) for row in rows if row.label == "Tricks")
    how = "190: 200, 10 less" if won else "210: 200, 10 more"
    assert tricks.endswith(f", and needed {how} for the last trick")


def test_divided_by_ten_a_result_looks_otherwise_and_is_the_same() -> None:
    plain, divided = named_profile("maharashtra"), named_profile("maharashtra", ["divide_by_ten"])
    assert [points_text(divided, each) for each in (304, 300, 7, -12)] == [
        "30.4",
        "30",
        "0.7",
        "-1.2",
    ]
    one, other = (RunningOutcome(each, facts(points=204)) for each in (plain, divided))
    assert one.scores == other.scores
    assert "204 points" in one.summary
    assert "20.4 points" in other.summary
    shown = scene(bought(200, "JC", "divide_by_ten").table.view(None), (0, 0, 0, 0))
    assert shown.contract[0] == ("20 by ", Who(Seat(0)))


def test_a_partner_that_has_sorted_its_hand_is_answered_whatever_card_it_tries() -> None:
    table = bought()
    while table.state.awaiting != (Seat(2),):
        turn = table.state.awaiting[0]
        table.table.act(turn, table.legal("SENW"[turn])[0])
    view, legal = table.table.view(Seat(2)), table.legal("N")
    assert known_partner(view) == Seat(0)
    telling = telling_of(table.game)
    # It has seen the card that was called in two slots: as it was dealt, and as it lies now.
    for slot in table.state.hands[2]:
        assert telling.refusal(view, legal, Tried(slot=slot))
