"""The first auction of 304 as a decision about tokens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from p2p304.bots.play304 import auction, promise
from p2p304.bots.play304.imagined_table import PlayedOut
from p2p304.bots.play304.stakes import stakes
from p2p304.bots.play304.thinking import STEADY, Position, chance_for
from p2p304.bots.play304.usual_calls import ASK, heard_in, likely
from p2p304.bots.play304.worth import caps_worth
from p2p304.bots.players import manner_of, player_for
from p2p304.bots.styles import BOLD, CAREFUL, EVEN, NAMED, STYLES, Style, style_named, style_of
from p2p304.bots.tables import likely304
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, AskPartner, Cut, Pass, PlaceBid
from p2p304.rules304.bids import Contract, height
from p2p304.rules304.bits import mask
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import PACK
from p2p304.rules304.profiles import CHAMPIONSHIP, FOUR_SEATS, PAGAT
from p2p304.rules304.state import Phase
from p2p304.rules304.teams import team_of
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.long import examples
from tests.rules.test_bots_judgement import EAST, NORTH, SOUTH, WEST, cards, dealt

SEATS = 4


def position(table: OpenTable, scores: tuple[int, ...] = ()) -> Position:
    seat = table.state.awaiting[0]
    view = table.view(seat)
    told = type(view)(view.seat, view.state, view.faces, view.proved, scores)
    return Position(told, seat, tuple(legal_actions(view)), STEADY, chance_for(1, view, seat))


def call(table: OpenTable, style: Style = EVEN) -> Action:
    action: Action = auction.call(position(table), style).action
    return action


def auctions(hands: int) -> Iterator[OpenTable]:
    """Tables at every call of some auctions among players who think."""
    for seed in range(hands):
        deck = list(PACK)
        SeededRandomness(seed).shuffle(deck)
        table = OpenTable(Game304(PAGAT), deck, SeededRandomness(seed), dealer=Seat(seed % SEATS))
        table.act(table.state.awaiting[0], Cut(0))
        while table.state.phase is Phase.AUCTION4:
            yield table
            table.act(table.state.awaiting[0], call(table))


def test_a_great_hand_bids_and_an_empty_one_passes() -> None:
    assert isinstance(call(dealt("JS 9S AS JH")), PlaceBid)
    assert call(dealt("TS KH AD QC")) == Pass()


@pytest.mark.parametrize("stands", [160, 200, 240])
def test_a_partner_is_not_outbid_within_the_bracket_of_its_bid(stands: int) -> None:
    """Two partners with great cards would else raise each other up to what nobody makes."""
    table = dealt("JC JS 9S QS", "7H 8H KC QC", "8D 9D AD TD")
    table.act(EAST, PlaceBid(stands))
    table.act(NORTH, Pass())
    assert table.state.awaiting == (WEST,)
    bids = [each.bid for each, _ in auction._options(position(table)) if isinstance(each, PlaceBid)]
    least = PAGAT.bracket_middle if stands < PAGAT.bracket_middle else PAGAT.bracket_top
    assert all(height(bid) >= least for bid in bids)
    assert stands == 160 or call(table) == Pass()


@pytest.mark.parametrize("great", ["JH JD JS JC", "JH 9H AH JS"])
def test_four_jacks_and_their_like_are_bid_as_what_they_are(great: str) -> None:
    bid = call(dealt(great))
    assert isinstance(bid, PlaceBid)
    assert height(bid.bid) >= PAGAT.bracket_middle


def test_who_asks_or_bids_of_its_own_accord_has_something() -> None:
    asked = bid = 0
    for table in auctions(examples(3)):
        here = position(table)
        action, own = auction.call(here).action, mask(here.own_cards)
        if isinstance(action, AskPartner):
            asked += 1
            assert promise.support(own) >= likely304.STRONG
        elif isinstance(action, PlaceBid):
            bid += 1
            assert promise.best_trump(own).points > 160
    assert asked
    assert bid


def test_a_bold_player_bids_where_a_careful_one_does_not_and_never_the_other_way() -> None:
    told: list[tuple[bool, bool]] = []
    for table in auctions(examples(2)):
        bold, careful = (isinstance(call(table, style), PlaceBid) for style in (BOLD, CAREFUL))
        told.append((bold, careful))
    assert (True, False) in told
    assert (False, True) not in told


def test_who_has_one_token_left_has_less_to_lose_by_a_bid() -> None:
    table = dealt("QS TD 9D 7D")
    usual, last = (
        stakes(position(table, scores).view).tokens(team_of(EAST), 160, 0.55)
        for scores in ((11, 11), (21, 1))
    )
    assert last > 0 > usual


def test_the_calls_of_an_auction_are_heard_as_they_were_made() -> None:
    table = dealt("JS 9S AS JH", "7S KH 9D AC", "8S TH JC JD")
    table.act(EAST, AskPartner())
    state = table.state
    assert [each.said for each in heard_in(PAGAT, SOUTH, state.calls, state.auction)] == [ASK]
    table.act(WEST, PlaceBid(170))
    table.act(NORTH, Pass())
    state = table.state
    heard = heard_in(PAGAT, SOUTH, state.calls, state.auction)
    assert [(each.seat, each.said) for each in heard] == [
        (EAST, ASK),
        (WEST, 170),
        (NORTH, None),
    ]
    assert [each.floor for each in heard] == [160, 160, 180]


def test_a_partner_who_asks_is_believed_to_hold_strength() -> None:
    table = dealt("JH JC 9D 7S")
    table.act(EAST, AskPartner())
    state = table.state
    (heard,) = heard_in(PAGAT, SOUTH, state.calls, state.auction)
    strong, weak = mask(cards("JH AC 8D 7S")), mask(cards("7H 8C KD 7S"))
    assert likely(PAGAT, heard, strong) > 3 * likely(PAGAT, heard, weak)


def test_a_first_call_that_is_due_is_made() -> None:
    table = dealt("7S TH KD AC", "8S", "7H KH QH TS", profile=CHAMPIONSHIP.name)
    assert call(table) != Pass()


def test_the_pack_is_cut_at_different_places_in_different_hands() -> None:
    game, cuts = Game304(PAGAT), set[int]()
    for dealer in range(SEATS):
        for scores in ((11, 11), (9, 13)):
            table = OpenTable(
                game, list(PACK), SeededRandomness(1), dealer=Seat(dealer), scores=scores
            )
            action = player_for(game, 5).choose(table.view(table.state.awaiting[0]))
            assert isinstance(action, Cut)
            cuts.add(action.offset)
    assert len(cuts) > 4


def test_half_court_is_undertaken_with_what_wins_every_trick_and_not_with_less() -> None:
    for first, wanted in (("JS 9S AS JH", True), ("JS 9H 8D 7C", False)):
        table = dealt(first, profile="maharashtra")
        action = player_for(table.game, 3).choose(table.view(EAST))
        assert (action == PlaceBid(Contract.HALF_COURT)) == wanted


def test_to_win_every_trick_is_worth_the_bonus_for_caps() -> None:
    table = dealt("JS 9S AS JH")
    bid = table.state._replace(contract=160, maker=EAST)
    swept, beaten = (
        caps_worth(bid, PlayedOut(points, lost)) for points, lost in ((304, 0), (0, 8))
    )
    assert swept > 0 > beaten
    assert caps_worth(bid, PlayedOut(300, 1)) == 0
    without = bid._replace(profile=FOUR_SEATS["card304-alpha"])
    assert caps_worth(without, PlayedOut(304, 0)) == 0


def test_a_bot_of_a_name_has_one_manner_wherever_it_sits() -> None:
    assert style_named("Amara") is style_named("Amara 2") is style_named("Bot Amara") is BOLD
    assert style_named("Banu") is CAREFUL
    assert style_named("Asha") is None
    assert {*NAMED.values()} == {*STYLES.values()}
    games = (create_game("304"), create_game("304", "maharashtra"), create_game("41"))
    assert [manner_of(game, "club", "Banu") for game in games] == ["careful", "", ""]
    assert not manner_of(games[0], "steady", "Banu")
    assert not manner_of(games[0], "club", "Asha")


def test_players_have_manners_of_their_own_and_one_can_be_asked_for() -> None:
    assert {style_of(seed).name for seed in range(20)} == {*STYLES}
    here = position(dealt("9D QD 8D KC")).view
    told = {
        style: [
            type(player_for(Game304(PAGAT), seed, style=style).choose(here)) for seed in range(6)
        ].count(PlaceBid)
        for style in (BOLD, CAREFUL)
    }
    assert told[BOLD] >= told[CAREFUL]


@pytest.mark.parametrize("better", ["JS", "9S", "AS"])
def test_a_higher_trump_promises_its_maker_more_and_an_opponents_less(better: str) -> None:
    low, high = mask(cards("8S 7S KH QD")), mask(cards(f"{better} 8S KH QD"))
    spades = int(cards("7S")[0].suit)
    assert promise.worth(promise.MAKER, high, spades) > promise.worth(promise.MAKER, low, spades)
    assert promise.worth(promise.FOE, high, spades) < promise.worth(promise.FOE, low, spades) + 15
