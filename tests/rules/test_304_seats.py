"""304 at six and eight seats, as PROFILES 3.1 and rulings 92 to 98 have it."""

from __future__ import annotations

from random import Random

import pytest

from p2p304.errors import RulesError
from p2p304.rules304.actions import AskPartner, CallCaps, PlaceBid
from p2p304.rules304.agreement import (
    parse_agreement,
)
from p2p304.rules304.bidding import four_card_bids
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.notation import Retelling, format_hand, parse_hand
from p2p304.rules304.profiles import PROFILES
from p2p304.rules304.state import State
from p2p304.seats import Seat, seat_letters
from p2p304.view import View

SIX24 = "JH9HAH.TH KHQHJS.9S ASTSKS.QS JD9DAD.TD KDQDJC.9C ACTCKC.QC"
"""From South-East: that seat has four hearts of six, all but the two lowest."""


def tale(profile: str, moves: str, deal: str = "", dealer: str = "S") -> State:
    """Return the state to which these moves lead; the deal goes from the dealer's right."""
    text = f"304 {profile}\ndeal {dealer} {deal or any_deal(profile)}\ncut 0\n{moves}\n"
    return Retelling.of_record(parse_hand(text)).state


def any_deal(profile: str) -> str:
    agreed = parse_agreement(profile)
    pack = list(map(str, agreed.deck.cards))
    Random(profile).shuffle(pack)
    first, second = agreed.deal_batches.sizes
    hands = (pack[at : at + first + second] for at in range(0, len(pack), first + second))
    return " ".join("".join(hand[:first]) + "." + "".join(hand[first:]) for hand in hands)


def numbers(state: State, seat: int) -> list[int]:
    bids = four_card_bids(state.profile, state.auction, Seat(seat))
    return [bid for bid in bids if isinstance(bid, int)]


@pytest.mark.parametrize("name", PROFILES)
def test_every_card_is_dealt_once_and_each_batch_goes_round(name: str) -> None:
    profile = PROFILES[name]
    record = parse_hand(f"304 {name}\ndeal S {any_deal(name)}\ncut {5 * profile.max_cuts}\n")
    assert sorted(record.deck()) == sorted(profile.deck.cards)
    assert parse_hand(format_hand(record)) == record
    hands = Retelling.of_record(record)
    first = profile.deal_batches.sizes[0]
    for seat in range(profile.seats):
        held = [hands.faces[slot] for slot in hands.state.hands[seat]]
        assert held == list(record.hands[seat][:first])


# ------------------------------------------------------------------ auctions


def test_steps_of_five_begin_above_the_middle_bracket() -> None:
    state = tale("tamil504; +step5_from_200", "")
    offered = numbers(state, 1)
    assert [n for n in offered if n % 10] == list(range(335, 500, 10)), "ruling 92"


def test_an_asked_mate_that_can_only_pass_has_passed() -> None:
    rule = "six36; reentry_rule = 200 and up, while nobody has reached 200"
    state = tale(rule, "SE160 NE200 N?SE")
    assert [(call.seat, call.forced) for call in state.calls[2:]] == [(1, True)]
    assert state.auction.turn == 4


def test_asking_is_listed_once_for_each_mate_and_has_a_text() -> None:
    told = Retelling.of_record(parse_hand(f"304 six36\ndeal S {any_deal('six36')}\ncut 0\n"))
    legal = legal_actions(View(Seat(1), told.state, told.faces))
    assert [each for each in legal if isinstance(each, AskPartner)] == [
        AskPartner(Seat(3)),
        AskPartner(Seat(5)),
    ]
    game = Game304(PROFILES["six36"])
    assert game.format_action(AskPartner(Seat(3))) == "ask-seat 3"
    assert game.parse_action("ask-seat 3") == AskPartner(Seat(3))
    assert game.format_action(AskPartner()) == "ask"


# ------------------------------------------------------------------ play


OPENED = "SE200 NE- N- NW- SW- S- SE*JH SEopen "


def test_caps_are_over_with_the_first_card_of_the_last_trick() -> None:
    moves = OPENED + (
        "SEJH NEQH NQS NWTD SWKD SQC SE9H NEKH NKS NWAD SWQD SKC SEAH NE9S NTS NW9D SWJC STC SETH"
    )
    state = tale("six24", moves, SIX24)
    with pytest.raises(RulesError, match="the last trick has begun"):
        Game304(state.profile).apply(state, Seat(3), CallCaps(()))


def test_seats_are_points_of_the_compass_in_playing_order() -> None:
    assert seat_letters(4) == ("S", "E", "N", "W")
    assert seat_letters(6) == ("S", "SE", "NE", "N", "NW", "SW")
    assert seat_letters(8) == ("S", "SE", "E", "NE", "N", "NW", "W", "SW")
    assert seat_letters(3) == ("1", "2", "3")
    state = tale("six36", "SE160")
    with pytest.raises(RulesError, match=r"South is not to act .*; it is for North-East"):
        Game304(state.profile).apply(state, Seat(0), PlaceBid(170))
