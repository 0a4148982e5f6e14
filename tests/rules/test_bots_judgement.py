"""What a competent player of 304 thinks of cards: bids, indicators, claims."""

from __future__ import annotations

from typing import Any

from p2p304.bots.levels import THUMB, Level
from p2p304.bots.play304.bidding import four_card_points, valuation
from p2p304.bots.players import search_player
from p2p304.cards import Card, Suit, parse_card
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.bids import Contract
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))
QUICK = THUMB._replace(deals=8, nodes=500)
CARELESS = THUMB._replace(deals=4, nodes=0)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(each) for each in text.split())


def dealt(*hands: str, profile: str = "pagat", **overrides: object) -> OpenTable:
    """South deals; `hands` are East's, North's, West's and South's, the first batch first.

    What is missing is filled up from the rest of the pack. The pack is not cut.
    `overrides` are parameters of the profile.
    """
    given = [list(cards(hand)) for hand in hands] + [[] for _ in range(4 - len(hands))]
    rest = [card for card in PACK if not any(card in hand for hand in given)]
    SeededRandomness(1).shuffle(rest)
    for hand in given:
        while len(hand) < 8:
            hand.append(rest.pop())
    deck = [card for batch in (0, 4) for hand in given for card in hand[batch : batch + 4]]
    game = Game304(named_profile(profile, (), overrides))
    table = OpenTable(game, deck, SeededRandomness(1), dealer=SOUTH)
    if table.state.phase is Phase.CUT:
        table.act(WEST, act.Cut(0))
    return table


def choice(table: OpenTable, seat: Seat, level: Level = QUICK) -> Any:
    return search_player(table.game, 1, level).choose(table.view(seat))


def until(table: OpenTable, phase: Phase, *silent: Seat) -> State:
    """Let competent players act until `phase`; the silent seats claim nothing."""
    while table.state.phase is not phase:
        seat = table.state.awaiting[0]
        table.act(seat, choice(table, seat, CARELESS if seat in silent else QUICK))
    state: State = table.state
    return state


# ---------------------------------------------------------------------------- bidding


def test_better_cards_promise_more_points() -> None:
    hands = ["7S 8S KH QD", "JS 8S KH QD", "JS 9S KH QD", "JS 9S AS QD", "JS 9S AS JD"]
    values = [valuation(cards(hand)).points for hand in hands]
    assert values == sorted(set(values))
    assert valuation(cards("JS 9S KH QD")).trump is Suit.SPADES
    assert four_card_points(cards("JS 9S KH QD"), Suit.SPADES) > 180


def test_a_strong_hand_bids_and_a_weak_one_does_not() -> None:
    assert isinstance(choice(dealt("JS 9S AS JH"), EAST), act.PlaceBid)
    weak = dealt("7S 9H AD QC")
    assert choice(weak, EAST) == act.AskPartner()
    weak.act(EAST, act.AskPartner())
    assert isinstance(choice(weak, WEST), act.PlaceBid | act.Pass)


def test_cards_below_fifteen_points_are_thrown_in() -> None:
    action = choice(dealt("7S 8H KD QC"), EAST)
    assert isinstance(action, act.DemandRedeal)


def test_a_forced_opening_is_the_lowest_bid_or_the_partners() -> None:
    table = dealt("7S TH KD AC", "8S", "7H KH QH TS", profile="championship")
    assert choice(table, EAST) == act.AskPartner()
    table.act(EAST, act.AskPartner())
    assert choice(table, WEST) == act.PlaceBid(160)


def test_the_partners_bid_is_left_alone_without_a_great_hand() -> None:
    table = dealt("7S AH KD QC", "8S 8H 7C 7D", "JH 9D AC 8C")
    table.act(EAST, act.PlaceBid(160))
    table.act(NORTH, act.Pass())
    assert choice(table, WEST) == act.Pass()


def test_the_indicator_is_of_the_best_suit_and_spares_the_jack() -> None:
    table = dealt("JS 9S AS QD")
    table.act(EAST, act.PlaceBid(160))
    for seat in (NORTH, WEST, SOUTH):
        table.act(seat, act.Pass())
    action = choice(table, EAST)
    assert isinstance(action, act.LayIndicator)
    face = table.face(action.slot)
    assert face.suit is Suit.SPADES
    assert face != parse_card("JS")


def test_partner_close_caps_need_all_but_certainty() -> None:
    certain = dealt("JS 9S AS TS KS JH 9H JD")
    likely = dealt("JS 9S AS QS 9H AH AD KD")
    for table, wanted in ((certain, True), (likely, False)):
        table.act(EAST, act.PlaceBid(160))
        for seat in (NORTH, WEST, SOUTH):
            table.act(seat, act.Pass())
        table.act(EAST, choice(table, EAST))
        action = choice(table, EAST)
        assert (action == act.PlaceBid(Contract.PARTNER_CLOSE_CAPS)) == wanted


# ---------------------------------------------------------------------------- claims

SEVEN_TRUMPS = "JS 9S AS TS KS QS 8S JH"
WHOLE_SUIT = "JS 9S AS TS KS QS 8S 7S"


def test_certain_caps_are_called_in_a_sure_order() -> None:
    table = dealt(SEVEN_TRUMPS, "7S", pcc=False)
    state = until(table, Phase.DECLARE)
    assert state.maker == EAST
    state = until(table, Phase.CAPS_RESPONSE)
    assert state.caps is not None
    assert state.caps.seat == EAST
    assert len(state.caps.order) == 8


def test_caps_that_are_certain_from_here_are_conceded_and_others_contested() -> None:
    table = dealt(SEVEN_TRUMPS, "7S", pcc=False)
    until(table, Phase.CAPS_RESPONSE)
    assert choice(table, NORTH) == act.AcceptCaps()
    assert choice(table, NORTH, CARELESS) == act.ContestCaps()
    bold = dealt("JS 7S 8H KD 8D 8C 7C QC", "9S AS")
    until(bold, Phase.WINDOW)
    seat = bold.state.awaiting[0]
    bold.act(seat, next(a for a in bold.game.legal_actions(bold.view(seat)) if _is_caps(a)))
    while bold.state.phase is Phase.WINDOW:
        bold.act(bold.state.awaiting[0], act.Ready())
    assert choice(bold, bold.state.awaiting[0]) == act.ContestCaps()


def test_a_maker_whose_indicator_is_hidden_answers_caps_of_the_other_side() -> None:
    table = dealt("JS 7S 8H KD 8D 8C 7C QC", profile="wikipedia")
    until(table, Phase.AUCTION8)
    table.act(table.state.awaiting[0], act.PlaceBid(250))
    until(table, Phase.DECLARE)
    table.act(table.state.awaiting[0], act.KeepClosed())
    state = until(table, Phase.WINDOW, EAST, NORTH, WEST, SOUTH)
    assert state.maker is not None
    assert state.trump_slot is not None
    assert state.trump_slot >= len(PACK), "the hand was sorted before the indicator was laid"
    caller = next(seat for seat in state.opponents(state.maker) if seat in state.awaiting)
    table.act(caller, next(a for a in table.game.legal_actions(table.view(caller)) if _is_caps(a)))
    while table.state.phase is Phase.WINDOW:
        table.act(table.state.awaiting[0], act.Ready())
    while state.maker not in table.state.awaiting:
        table.act(table.state.awaiting[0], act.ContestCaps())
    assert choice(table, state.maker) == act.ContestCaps()


def _is_caps(action: object) -> bool:
    return isinstance(action, act.CallCaps)


def test_caps_are_not_called_where_nothing_is_certain() -> None:
    table = dealt("JS 7S 8H KD 8D 8C 7C QC")
    until(table, Phase.WINDOW)
    for seat in table.state.awaiting:
        assert choice(table, seat) == act.Ready()


def spoilt_table(*, opened: bool) -> OpenTable:
    """East has all spades; South, West and North do not know that before a spade is led."""
    table = dealt(WHOLE_SUIT)
    until(table, Phase.DECLARE)
    slot = table.state.trump_slot
    table.act(EAST, act.OpenTrump(table.face(slot)) if opened else act.KeepClosed())
    return table


def test_defenders_call_spoilt_trumps_as_soon_as_they_know() -> None:
    table = spoilt_table(opened=True)
    for seat in (NORTH, SOUTH):
        assert choice(table, seat, CARELESS) == act.Ready(), "the other defender may hold trumps"
    state = until(table, Phase.TRICK, EAST, WEST, NORTH, SOUTH)
    assert state.awaiting == (EAST,)
    spade = next(slot for slot in state.hands[EAST] if table.face(slot) not in state.faces.values())
    table.act(EAST, act.PlayCard(spade, table.face(spade)))
    until(table, Phase.WINDOW, EAST, WEST, NORTH, SOUTH)
    for seat in (NORTH, SOUTH):
        assert choice(table, seat, CARELESS) == act.CallSpoilt()
    for seat in (EAST, WEST):
        assert choice(table, seat, CARELESS) == act.Ready(), "the maker's team is winning"


def test_nobody_calls_spoilt_trumps_on_a_guess() -> None:
    table = spoilt_table(opened=False)
    for seat in table.state.awaiting:
        assert choice(table, seat, CARELESS) != act.CallSpoilt()
