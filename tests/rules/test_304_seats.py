"""304 at six and eight seats, as PROFILES 3.1 and rulings 92 to 98 have it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from p2p304.errors import NotationError, ProfileError, RulesError
from p2p304.rules304.actions import AskPartner, CallCaps, OpenTrump, PlaceBid, Ready
from p2p304.rules304.agreement import (
    format_agreement,
    format_full_agreement,
    parse_agreement,
    parse_full_agreement,
    profile_named,
)
from p2p304.rules304.bidding import four_card_bids
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.hand import Game304
from p2p304.rules304.match import new_match
from p2p304.rules304.notation import format_hand, parse_hand
from p2p304.rules304.pack import Deck
from p2p304.rules304.profiles import FOUR_SEATS, PROFILES
from p2p304.rules304.retelling import Retelling
from p2p304.rules304.scoring import CapsVerdict, HandFacts, Violation, ViolationKind, score_hand
from p2p304.rules304.settle import settle
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import Team
from p2p304.seats import Seat, seat_letters
from p2p304.view import View

MORE = ("six24", "eight32", "six36", "tamil504", "tamil904")


class Row(NamedTuple):
    """What PROFILES 3.1 says of a profile."""

    seats: int
    cards: int
    top: str
    points: int
    batches: tuple[int, int]
    lowest: int
    highest: int
    brackets: tuple[int, int]
    second: int | None
    pcc: bool
    bonus: int


ROWS = {
    "six24": Row(6, 24, "JS", 304, (3, 1), 200, 300, (200, 250), None, False, 3),
    "eight32": Row(8, 32, "JS", 304, (3, 1), 200, 300, (200, 250), None, False, 3),
    "six36": Row(6, 36, "JS", 304, (4, 2), 160, 300, (200, 250), 250, True, 5),
    "tamil504": Row(6, 36, "3S", 504, (4, 2), 260, 500, (330, 410), 410, False, 5),
    "tamil904": Row(8, 40, "2S", 904, (3, 2), 460, 900, (590, 740), 740, False, 4),
}

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


def refused(profile: str, moves: str, deal: str = "") -> str:
    with pytest.raises(NotationError) as caught:
        tale(profile, moves, deal)
    return str(caught.value)


def numbers(state: State, seat: int) -> list[int]:
    bids = four_card_bids(state.profile, state.auction, Seat(seat))
    return [bid for bid in bids if isinstance(bid, int)]


@pytest.mark.parametrize("name", MORE)
def test_a_profile_has_the_seats_the_pack_and_the_numbers_of_its_row(name: str) -> None:
    row, profile = ROWS[name], PROFILES[name]
    game = Game304(profile)
    assert (game.seats, len(game.pack), str(game.pack[0])) == (row.seats, row.cards, row.top)
    assert sum(map(game.points_of, game.pack)) == row.points
    assert profile.deal_batches.sizes == row.batches
    assert row.seats * sum(row.batches) == row.cards
    assert (profile.bid_min, profile.bid_max) == (row.lowest, row.highest)
    assert (profile.bracket_middle, profile.bracket_top) == row.brackets
    assert (profile.auction8_min if profile.auction8 else None) == row.second
    assert (profile.pcc, profile.caps_bonus_before) == (row.pcc, row.bonus)
    assert profile.ask_partner == (name == "six36")
    assert profile.opening_bid_forced == (name in ("six24", "eight32"))
    assert profile.redeal_below == (15 if name == "six36" else 0)
    assert profile.exhausted_trumps
    assert profile.spoilt_trumps
    assert bool(profile.bid_shorthand) == (name == "six36"), "ruling 97"
    start = game.start(Seat(0)).state
    evens = tuple(range(0, row.seats, 2))
    assert game.sides(start) == ((evens, tuple(each + 1 for each in evens)),)
    assert start.mates(Seat(2)) == tuple(each for each in evens if each != 2)
    assert start.opponents(Seat(2)) == tuple(each + 1 for each in evens)


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


@pytest.mark.parametrize("name", PROFILES)
def test_the_full_agreement_says_what_older_ones_leave_unsaid_only_where_it_differs(
    name: str,
) -> None:
    profile = PROFILES[name]
    full = format_full_agreement(profile)
    assert parse_full_agreement(full) == profile
    assert parse_agreement(format_agreement(profile)) == profile
    rows = [line for line in full.split("\n") if line.startswith("bracket_")]
    assert rows == (
        {
            "tamil504": ["bracket_middle = 330", "bracket_top = 410"],
            "tamil904": ["bracket_middle = 590", "bracket_top = 740"],
        }.get(name, [])
    )


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("toggle", ["half_court", "forced_open", "alpha_bidding"])
def test_house_rules_for_two_pairs_are_refused_at_more_seats(name: str, toggle: str) -> None:
    with pytest.raises(ProfileError, match=f"{toggle} is for four seats"):
        profile_named(name, [toggle])


@pytest.mark.parametrize("name", MORE)
def test_every_other_house_rule_may_be_combined(name: str) -> None:
    toggles = ["caps_strict", "caps_late_free", "sandbag_ok", "external_caps_eight", "pre_show",
               "step5_from_200", "bank_scoring", "show_maker_discard", "table_chat"]  # fmt: skip
    assert set(profile_named(name, toggles).toggles) == set(toggles)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"deck": "24: 9-A"}, "deck 24: 9-A is not dealt 4 + 4"),
        (
            {"deal_batches": "3 + 1", "caps_bonus_before": 3},
            "three passes end an auction of four",
        ),
        ({"deal_batches": "4 + 2"}, "deck 32: 7-A is not dealt 4 + 2"),
        ({"auction4_end": "all others pass in a row"}, "at four seats auction4_end says three"),
        ({"bracket_middle": 260}, "bracket_middle lies above bracket_top"),
    ],
)
def test_a_pack_that_cannot_be_dealt_so_is_no_agreement(
    overrides: dict[str, object], says: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        profile_named("pagat", overrides=overrides)
    assert says in str(caught.value)


def test_four_seat_rules_with_another_pack_make_a_table_of_six() -> None:
    changes = {
        "deck": Deck.SIX_UP.value,
        "deal_batches": "4 + 2",
        "auction4_end": "all others pass in a row",
        "caps_bonus_before": 5,
    }
    assert replace(profile_named("pagat", overrides=changes), name="six36") == PROFILES["six36"]


# ------------------------------------------------------------------ auctions


@pytest.mark.parametrize("name", ["six24", "eight32"])
def test_the_first_speaker_is_forced_to_bid_200_and_the_others_may_pass(name: str) -> None:
    assert "the first speaker must bid" in refused(name, "SE-")
    assert "190 is too low; 200 is the lowest" in refused(name, "SE190")
    others = seat_letters(PROFILES[name].seats)[2:]
    state = tale(name, "SE200 " + " ".join(f"{each}-" for each in others))
    assert (state.phase, state.maker) == (Phase.AUCTION4, None), "the dealer may still speak"
    state = tale(name, "SE200 " + " ".join(f"{each}-" for each in (*others, "S")))
    assert (state.phase, state.maker, state.contract) == (Phase.INDICATOR4, 1, 200)


def test_an_auction_at_six_seats_ends_with_five_passes_or_with_six() -> None:
    assert tale("six36", "SE160 NE- N- NW- SW-").phase is Phase.AUCTION4
    assert tale("six36", "SE160 NE- N- NW- SW- S-").phase is Phase.INDICATOR4
    assert tale("six36", "SE- NE- N- NW- SW- S-").end is End.PASSED_OUT
    assert tale("six36", "SE- NE- N- NW- SW-").phase is Phase.AUCTION4


@pytest.mark.parametrize(
    ("name", "first", "limit"),
    [("six36", 160, 200), ("tamil504", 260, 330), ("tamil904", 460, 590)],
)
def test_over_any_mate_and_in_a_second_turn_one_bids_the_middle_bracket(
    name: str, first: int, limit: int
) -> None:
    step = first + 10
    state = tale(name, f"SE{first}")
    assert numbers(state, 2)[0] == step, "over an opponent any higher number"
    for mate in state.mates(Seat(1)):
        assert numbers(state, mate)[0] == limit
    letters = seat_letters(state.seats)
    state = tale(
        name,
        f"SE{first} "
        + " ".join(f"{letters[each]}-" for each in range(2, state.seats))
        + f" S{step}",
    )
    assert state.auction.turn == 1
    assert numbers(state, 1)[0] == limit
    assert f"a seat that has spoken bids {limit} or more" in refused(
        name,
        f"SE{first} "
        + " ".join(f"{letters[each]}-" for each in range(2, state.seats))
        + f" S{step} SE{step + 10}",
    )


@pytest.mark.parametrize("name", MORE)
def test_the_highest_number_ends_the_first_round_at_once(name: str) -> None:
    state = tale(name, f"SE{PROFILES[name].bid_max}")
    assert (state.phase, state.maker) == (Phase.INDICATOR4, 1), "ruling 94"


def test_steps_of_five_begin_above_the_middle_bracket() -> None:
    state = tale("tamil504; +step5_from_200", "")
    offered = numbers(state, 1)
    assert [n for n in offered if n % 10] == list(range(335, 500, 10)), "ruling 92"


def test_a_seat_asks_one_mate_by_name() -> None:
    state = tale("six36", "SE?N")
    assert (state.auction.turn, state.auction.asked, state.awaiting) == (1, 3, (3,))
    state = tale("six36", "SE?N N160")
    assert (state.auction.top, state.auction.top_seat, state.auction.turn) == (160, 3, 2)
    assert state.auction.spoken == (False, True, False, True, False, False)
    assert "only a partner can be asked" in refused("six36", "SE?NE")
    assert "names whom it asks" in refused("six36", "SE?")
    assert "names whom it asks" in refused("pagat", "E?W")
    assert "not part of this profile" in refused("tamil504", "SE?N")


def test_one_mate_may_be_asked_while_another_stands_highest() -> None:
    state = tale("six36", "SE160 NE- N?SW")
    assert state.awaiting == (5,), "ruling 93"
    assert numbers(state, 5)[0] == 200
    assert "holds the standing bid" in refused("six36", "SE160 NE- N?SE")


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


def test_a_redeal_is_for_six36_alone() -> None:
    weak = "7S8S7H8H.6S6H " + " ".join(
        "".join(cards[:4]) + "." + "".join(cards[4:])
        for cards in _others(PROFILES["six36"].deck, "7S8S7H8H6S6H", 6)
    )
    assert tale("six36", "SEredeal", weak).end is End.REDEAL
    assert "needs fewer than 0" in refused("tamil504", "SEredeal")


def _others(deck: Deck, taken: str, size: int) -> list[list[str]]:
    gone = {taken[at : at + 2] for at in range(0, len(taken), 2)}
    left = [str(card) for card in deck.cards if str(card) not in gone]
    return [left[at : at + size] for at in range(0, len(left), size)]


@pytest.mark.parametrize(("name", "low"), [("six36", 250), ("tamil504", 410), ("tamil904", 740)])
def test_the_second_auction_begins_at_the_top_bracket_and_spares_mates(name: str, low: int) -> None:
    profile = PROFILES[name]
    letters = seat_letters(profile.seats)
    passes = " ".join(f"{each}-" for each in (*letters[2:], "S"))
    deal = any_deal(name)
    first = deal[:2]
    start = f"SE{profile.bid_min} {passes} SE*{first} "
    assert f"an eight-card bid here is {low} or more" in refused(
        name, start + f"SE{low - 10}", deal
    )
    second, third = letters[2:4]
    state = tale(name, start + f"SE- {second}{low}", deal)
    assert state.phase is Phase.AUCTION8
    state = tale(name, start + f"SE- {second}{low} {third}-", deal)
    mate = Seat(4)
    assert mate in state.mates(Seat(2))
    assert [call.seat for call in state.calls if call.forced] == [mate], "none goes over a mate's"
    if not profile.pcc:
        assert "not part of this profile" in refused(name, start + "SEpcc", deal)


def test_there_is_no_second_auction_in_six24() -> None:
    state = tale("six24", "SE200 NE- N- NW- SW- S- SE*JH", SIX24)
    assert state.phase is Phase.DECLARE


# ------------------------------------------------------------------ play


OPENED = "SE200 NE- N- NW- SW- S- SE*JH SEopen "


def test_closed_with_nothing_but_trumps_to_lead_leaves_open_and_claims() -> None:
    told = Retelling.of_record(
        parse_hand(f"304 six24\ndeal S {SIX24}\ncut 0\nSE200 NE- N- NW- SW- S- SE*JH SEclosed")
    )
    assert told.state.phase is Phase.WINDOW
    for seat in range(6):
        told.act(Seat(seat), Ready())
    legal = legal_actions(View(Seat(1), told.state, told.faces))
    assert [each for each in legal if isinstance(each, OpenTrump)], "ruling 95"
    assert not [each for each in legal if type(each).__name__.startswith("Play")]
    assert "the maker opens trump" in refused(
        "six24", "SE200 NE- N- NW- SW- S- SE*JH SEclosed SE9H+", SIX24
    )


def test_four_tricks_of_six_cards_make_a_hand_of_six24() -> None:
    moves = OPENED + (
        "SEJH NEQH NQS NWTD SWKD SQC "
        "SE9H NEKH NKS NWAD SWQD SKC "
        "SEAH NE9S NTS NW9D SWJC STC "
        "SETH NEJS NAS NWJD SW9C SAC"
    )
    state = tale("six24", moves, SIX24)
    assert state.end is End.PLAYED
    assert len(state.tricks) == 4
    outcome = settle(state)
    assert outcome.facts.points == 304
    assert outcome.facts.caps[1] is CapsVerdict.WRONG, "the order was sure, and nobody called"
    assert outcome.scores == (2, -2)
    assert outcome.summary.startswith("South-East's team made 200 with 304 points")


def test_all_opponents_answer_a_call_of_caps_and_the_call_earns_the_bonus() -> None:
    called = OPENED + "SEcaps:JH9HAHTH "
    state = tale("six24", called, SIX24)
    assert state.phase is Phase.CAPS_RESPONSE
    assert state.awaiting == (0, 2, 4)
    state = tale("six24", called + "Saccept NEaccept NWaccept", SIX24)
    assert state.end is End.CONCEDED
    outcome = settle(state)
    assert outcome.facts.caps == (CapsVerdict.NONE, CapsVerdict.CORRECT_BONUS)
    assert outcome.scores == (-3, 3)
    state = tale("six24", called + "Saccept NEcontest NWaccept", SIX24)
    assert (state.phase, state.awaiting) == (Phase.TRICK, (1,))


@pytest.mark.parametrize(
    ("tricks", "verdict"), [(2, CapsVerdict.CORRECT_BONUS), (3, CapsVerdict.CORRECT_NO_BONUS)]
)
def test_the_bonus_of_six24_is_for_calls_before_trick_3(tricks: int, verdict: CapsVerdict) -> None:
    played = [
        "SEJH NEQH NQS NWTD SWKD SQC",
        "SE9H NEKH NKS NWAD SWQD SKC",
        "SEAH NE9S NTS NW9D SWJC STC",
    ]
    left = ["9H", "AH", "TH"][tricks - 1 :]
    moves = (
        OPENED + " ".join(played[:tricks]) + f" SEcaps:{''.join(left)} Saccept NEaccept NWaccept"
    )
    outcome = settle(tale("six24; caps_late_free = yes", moves, SIX24))
    assert outcome.facts.caps[1] is verdict


def test_caps_are_over_with_the_first_card_of_the_last_trick() -> None:
    moves = OPENED + (
        "SEJH NEQH NQS NWTD SWKD SQC SE9H NEKH NKS NWAD SWQD SKC SEAH NE9S NTS NW9D SWJC STC SETH"
    )
    state = tale("six24", moves, SIX24)
    with pytest.raises(RulesError, match="the last trick has begun"):
        Game304(state.profile).apply(state, Seat(3), CallCaps(()))


SIX36 = "JS9SASTS.KSQS 8S7S6SJH.9HAH THKHQH8H.7H6H JD9DADTD.KDQD 8D7D6DJC.9CAC TCKCQC8C.7C6C"


def test_both_mates_sit_out_partner_close_caps() -> None:
    start = "SE160 NE- N- NW- SW- S- SE*JS SEpcc SE*JS SEclosed "
    state = tale("six36", start, SIX36)
    assert state.leader == 1, "the bidder leads"
    opened = "SE160 NE- N- NW- SW- S- SE*JS SEpcc SE*JS SEopen "
    state = tale("six36", opened + "SEJS NE8S NWQD S6C", SIX36)
    assert len(state.tricks) == 1
    assert [play.seat for play in state.tricks[0].plays] == [1, 2, 4, 0]
    assert "is not to act" in refused("six36", opened + "SEJS NE8S N6H", SIX36)
    rest = "SE9S NE7S NWKD S7C SEAS NE6S NWTD S8C SETS NEJH NWAD SQC SEKS NE9H NW9D SKC"
    state = tale("six36", opened + f"SEJS NE8S NWQD S6C {rest} SEQS NEAH NWJD STC", SIX36)
    assert state.end is End.PLAYED
    outcome = settle(state)
    assert outcome.facts.tricks == 6
    assert outcome.facts.made
    assert outcome.scores == (-4, 4)


def test_spoilt_trumps_are_judged_on_the_cards_of_all_defenders() -> None:
    start = "SE160 NE- N- NW- SW- S- SE*JS SE- NE- N- NW- SW- S- SEopen "
    state = tale("six36", start + "Nspoilt", SIX36)
    assert state.phase is Phase.SPOILT_ANSWER
    assert [who for who, _ in state.pending] == [0], "has none, which leaves no choice"
    assert state.awaiting == (2, 4)
    state = tale("six36", start + "Nspoilt NEtrump8S", SIX36)
    assert state.end is End.VIOLATION
    spoilt = "JS9SASTS.KSQS JH9HAHTH.KHQH 8S7S6S8H.7H6H JD9DADTD.KDQD 8D7D6DJC.9CAC TCKCQC8C.7C6C"
    assert tale("six36", start + "Nspoilt", spoilt).end is End.SPOILT


@pytest.mark.parametrize(
    ("name", "bid", "made", "failed"),
    [
        ("six24", 200, 2, 3), ("six24", 240, 2, 3), ("six24", 250, 3, 4),
        ("six36", 190, 1, 2), ("six36", 200, 2, 3), ("six36", 250, 3, 4),
        ("tamil504", 320, 1, 2), ("tamil504", 330, 2, 3), ("tamil504", 400, 2, 3),
        ("tamil504", 410, 3, 4), ("tamil904", 580, 1, 2), ("tamil904", 590, 2, 3),
        ("tamil904", 730, 2, 3), ("tamil904", 740, 3, 4),
    ],
)  # fmt: skip
def test_a_bid_costs_what_its_bracket_says(name: str, bid: int, made: int, failed: int) -> None:
    profile = PROFILES[name]
    points = profile.deck.points

    def scores(taken: int) -> tuple[int, ...]:
        facts = HandFacts(maker_team=Team(1), bid=bid, points=taken, tricks=2, all_points=points)
        return score_hand(profile, facts).scores

    assert scores(bid) == (-made, made)
    assert scores(bid - 1) == (failed, -failed)


@pytest.mark.parametrize(("name", "tokens"), [("six24", 5), ("six36", 4), ("pagat", 4)])
def test_a_violation_before_any_bid_costs_the_lowest_bracket_that_can_be_bid(
    name: str, tokens: int
) -> None:
    facts = HandFacts(violation=Violation(Team(0), ViolationKind.HINT))
    assert score_hand(PROFILES[name], facts).scores == (-tokens, tokens), "ruling 96"


@pytest.mark.parametrize(("name", "number"), [("tamil504", 410), ("tamil904", 740)])
def test_trump_opens_after_trick_1_from_the_top_bracket(name: str, number: int) -> None:
    assert PROFILES[name].open_after_trick1_from == number, "ruling 92"


@pytest.mark.parametrize("name", PROFILES)
def test_the_first_dealer_is_any_seat_and_the_deal_goes_round(name: str) -> None:
    profile = PROFILES[name]
    dealers = {new_match(profile, bytes([at]) * 32).dealer for at in range(200)}
    assert dealers == set(range(profile.seats))


def test_seats_are_points_of_the_compass_in_playing_order() -> None:
    assert seat_letters(4) == ("S", "E", "N", "W")
    assert seat_letters(6) == ("S", "SE", "NE", "N", "NW", "SW")
    assert seat_letters(8) == ("S", "SE", "E", "NE", "N", "NW", "W", "SW")
    assert seat_letters(3) == ("1", "2", "3")
    state = tale("six36", "SE160")
    with pytest.raises(RulesError, match=r"South is not to act .*; it is for North-East"):
        Game304(state.profile).apply(state, Seat(0), PlaceBid(170))


def test_the_profiles_for_four_seats_come_first() -> None:
    assert tuple(PROFILES)[: len(FOUR_SEATS)] == tuple(FOUR_SEATS)
    assert {profile.seats for profile in FOUR_SEATS.values()} == {4}
