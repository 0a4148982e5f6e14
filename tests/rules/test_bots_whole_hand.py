"""Bids of 304 by whole imagined hands: eight cards, to play alone, and packs nothing was learned
of."""

from __future__ import annotations

from typing import Any

import pytest

from p2p304.bots.play304.imagined_deals import endings, first_cards, whole_hands
from p2p304.bots.play304.stakes import outlook, stakes
from p2p304.bots.play304.whole_hand import eight_card_call, first_call
from p2p304.bots.players import player_for
from p2p304.bots.styles import BOLD, CAREFUL
from p2p304.cards import Suit
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import AskPartner, Cut, LayIndicator, Pass, PlaceBid
from p2p304.rules304.bids import Contract
from p2p304.rules304.bits import mask
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.state import Phase
from p2p304.rules304.teams import team_of
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.rules.test_bots_auction import position
from tests.rules.test_bots_judgement import EAST, NORTH, SOUTH, WEST, cards, dealt

CERTAIN = "JS 9S AS TS KS JH 9H JD"
STRONG = "JS 9S AS QS JH AH JD KD"
USUAL = "JS 9S AS QD 8H 7H KC 8D"


def eight(first: str, *others: str, four: int = 160) -> OpenTable:
    """East has bid with its first cards, and is asked about all of them."""
    table = dealt(first, *others)
    table.act(EAST, PlaceBid(four))
    for seat in (NORTH, WEST, SOUTH):
        table.act(seat, Pass())
    table.act(EAST, player_for(table.game, 1).choose(table.view(EAST)))
    assert table.state.phase is Phase.AUCTION8
    return table


def test_to_play_alone_needs_all_but_certainty() -> None:
    for hand, wanted in ((CERTAIN, True), (STRONG, False), (USUAL, False)):
        action = player_for(eight(hand).game, 1).choose(eight(hand).view(EAST))
        assert (action == PlaceBid(Contract.PARTNER_CLOSE_CAPS)) == wanted


def test_what_a_higher_bid_is_worth_depends_on_what_either_side_can_pay() -> None:
    """Who has one token left loses no more; from who has one left nobody wins more."""
    told = [
        eight_card_call(position(eight(hand), scores)).action
        for hand, scores in ((STRONG, (11, 11)), (STRONG, (21, 1)), (CERTAIN, (1, 21)))
    ]
    assert told == [Pass(), PlaceBid(250), Pass()]


def test_advice_in_the_second_auction_tells_what_each_choice_brings() -> None:
    advice = eight_card_call(position(eight(USUAL)))
    assert advice.action == advice.choices[0].action == Pass()
    assert advice.reason.startswith("Even with spades as trumps")
    certain = eight_card_call(position(eight(CERTAIN)))
    assert certain.choices[0].action == certain.action
    assert certain.chance is not None
    assert certain.chance > 0.9
    assert certain.expected == max(each.expected for each in certain.choices)
    assert len(certain.choices) == 3
    assert "it was made in" in certain.reason


def test_a_manner_changes_no_bid_by_more_than_it_is_worth() -> None:
    table = eight(STRONG)
    told = {style.name: eight_card_call(position(table), style) for style in (BOLD, CAREFUL)}
    assert told["bold"].expected == told["careful"].expected
    assert BOLD.daring == -CAREFUL.daring < 0.1


def test_the_indicator_of_eight_cards_is_of_the_suit_that_makes_the_bid() -> None:
    table = eight("JS 9S AS TS QS JH 9H JD")
    table.act(EAST, PlaceBid(250))
    while table.state.phase is not Phase.INDICATOR8:
        seat = table.state.awaiting[0]
        table.act(
            seat,
            Pass()
            if Pass() in legal_actions(table.view(seat))
            else legal_actions(table.view(seat))[0],
        )
    laid: Any = player_for(table.game, 1).choose(table.view(EAST))
    assert isinstance(laid, LayIndicator)
    assert table.face(laid.slot).suit is Suit.SPADES


def test_imagined_hands_hold_every_card_once_and_the_seats_own() -> None:
    table = eight(USUAL)
    here = position(table)
    for firsts in first_cards(here, 5):
        hands = whole_hands(here.view.state, firsts, here.chance)
        assert hands[EAST] == mask(cards(USUAL))
        assert sum(hands).bit_count() == sum(hand.bit_count() for hand in hands) == 32
        assert all(hand & first == first for hand, first in zip(hands, firsts, strict=True))
        ends = endings(here.view.state, EAST, hands, 0, 160)
        assert all(0 <= each.points <= 304 for each in ends)
        assert outlook(160, ends).made == sum(each.points >= 160 for each in ends)


def test_every_trick_is_worth_the_bonus_for_caps_as_often_as_it_is_called_in_time() -> None:
    price = stakes(position(eight(USUAL), (11, 11)).view)
    team = team_of(EAST)
    assert price.tokens(team, 160, 1.0, 1.0) == 1.5
    assert price.tokens(team, Contract.PARTNER_CLOSE_CAPS, 1.0, 1.0) == 4.0


# ---------------------------------------------------------------------------- other packs


def six(hand: str, profile: str = "six36", *calls: Any) -> OpenTable:
    """A table of six seats, whose first speaker, or the next after these calls, holds these."""
    game = create_game("304", profile)
    held = cards(hand)
    rest = [card for card in game.pack if card not in held]
    SeededRandomness(3).shuffle(rest)
    place = len(calls) * len(held)
    deck = [*rest[:place], *held, *rest[place:]]
    table = OpenTable(game, deck, SeededRandomness(1), dealer=Seat(5))
    if table.state.phase is Phase.CUT:
        table.act(table.state.awaiting[0], Cut(0))
    for action in calls:
        table.act(table.state.awaiting[0], action)
    return table


@pytest.mark.parametrize(
    ("profile", "strong", "weak"),
    [("six24", "JH 9H AH", "TS KH QD"), ("six36", "JH 9H AH JS", "8S TH KD QC")],
)
def test_six_seats_bid_on_strength_and_pass_on_weakness(
    profile: str, strong: str, weak: str
) -> None:
    lowest = six(strong, profile).state.profile.bid_min
    assert isinstance(first_call(position(six(strong, profile))).action, PlaceBid)
    stands = six(weak, profile, PlaceBid(lowest))
    assert first_call(position(stands)).action == Pass()
    told = first_call(position(six(strong, profile)))
    assert told.expected is not None
    assert told.chance is not None
    assert told.chance > 0.6


def test_a_partner_among_six_is_asked_with_cards_that_are_nearly_good_enough() -> None:
    nearly, nothing = (
        first_call(position(six(hand))).action for hand in ("JS TS KH 8D", "6S 7H 8D QC")
    )
    assert isinstance(nearly, AskPartner | PlaceBid)
    assert not isinstance(nothing, AskPartner)


def test_a_bold_player_of_six_bids_where_a_careful_one_does_not_and_never_the_other_way() -> None:
    told = set()
    for hand in (
        "JS TS KH 8D",
        "JS AS 8S 7H",
        "JH 9H 8D QC",
        "9S AS TS 8H",
        "JS KS 8S 9D",
        "JC AC 9D QH",
    ):
        here = [first_call(position(six(hand)), style).action for style in (BOLD, CAREFUL)]
        told.add(tuple(isinstance(each, PlaceBid) for each in here))
    assert (False, True) not in told
    assert {(True, True), (False, False)} & told
