"""Hidden trump, claims and promises of 304 in their corners, and windows of several seats."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from p2p304.cards import parse_card
from p2p304.disclosures import Opened
from p2p304.errors import RulesError
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.calls import nothing_to_claim
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.search import find_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.notation import Retelling, parse_hand
from p2p304.rules304.play import slots_handed_over
from p2p304.rules304.state import End, Phase, Play, Trick
from p2p304.rules304.telling.options import choices
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement, OpenTable
from p2p304.statements import AllOfSuit, NoneOfSuit, SuitsDiffer
from tests.client.moments import empty_table, quiet
from tests.rules.playouts_304 import ScenarioTable, Table, calls_out_of_turn, cards, seat
from tests.rules.test_304_matrix import ALL_CLUBS, DEAL, VOID

# --- 304 claims -----------------------------------------------------------------------------------

# Claims and promises: windows in which several seats speak, shown cards, caps of three kinds.

S, E, N, W = map(Seat, range(4))
LONG = {
    "S": "JC 9C AC TC KC QC 8C 7S",
    "E": "7C 8S JD 9D AD TD KD QD",
    "N": "7H 8D JS 9S AS TS KS QS",
    "W": "8H 7D JH 9H AH TH KH QH",
}


def opened(profile: str = "pagat", **more: Any) -> Table:
    """South has opened clubs, of which it holds all but the seven, and leads."""
    table = Table(profile, "W", LONG, **more).contract("S", 160, "JC")
    table.do("S", act.OpenTrump(parse_card("JC")))
    return table


def caps(table: Table, letter: str, names: str = "") -> act.CallCaps:
    held = names or " ".join(str(table.table.face(s)) for s in table.state.hands[seat(letter)])
    return act.CallCaps(table.faces(letter, held))


@pytest.mark.parametrize(
    ("leader", "callers", "heard"),
    [("S", "EW", E), ("S", "NW", N), ("S", "SE", S), ("E", "NS", N), ("E", "SW", W)],
)
def test_of_two_calls_of_caps_the_one_nearest_to_the_next_leader_counts(
    leader: str, callers: str, heard: Seat
) -> None:
    dealer = {"S": "W", "E": "S"}[leader]
    table = Table("pagat", dealer, LONG).contract("S", 160, "JC").closed("S")
    for letter in "SENW":
        names = " ".join(str(table.table.face(s)) for s in table.state.hands[seat(letter)])
        call = act.CallCaps(table.faces(letter, names + (" JC" if letter == "S" else "")))
        table.do(letter, call if letter in callers else act.Ready())
    assert table.state.caps.seat == heard
    assert table.state.caps.log_index == len(table.state.log) - 4, "as the window opened"
    assert table.state.awaiting == tuple(sorted({(heard + 1) % 4, (heard + 3) % 4}))


# ----------------------------------------------------------------------------------- shown cards


def test_a_stated_caps_order_goes_before_a_shown_card() -> None:
    table = opened(toggles=["pre_show"])
    table.do("S", act.ShowCard(table.slot("S", "7S"), parse_card("7S")))
    table.ready()
    table.do("S", caps(table, "S", "JC 9C AC TC KC QC 8C 7S"))
    table.do("E", act.ContestCaps())
    table.do("W", act.ContestCaps())
    table.play("S", "JC")


# ------------------------------------------------------------------------------------- the count


UNCUT = {
    "S": "9S AH TH 7D KC QC 8C 7C",
    "E": "JS 9H 7H JD 9D AC TC JC",
    "N": "AS TS KS QS 8S 7S JH 9C",
    "W": "KH QH 8H AD TD KD QD 8D",
}


def test_the_maker_opens_what_was_handed_over_for_a_silent_owner_and_no_more() -> None:
    table = Table("pagat", "W", UNCUT).contract("N", 160, "KS").closed("N")
    table.trick("S", "KC AC 9C QD")
    assert table.state.tricks[-1].winner == N
    slots = slots_handed_over(table.state)
    assert [str(table.table.face(slot)) for slot in slots] == ["QD"]
    table.table.state = table.state._replace(phase=Phase.COUNT, awaiting=(W,))
    (offered,) = calls_out_of_turn(table.table.view(N))
    assert isinstance(offered, act.OpenHandedOver)
    assert calls_out_of_turn(table.table.view(S)) == []
    assert "only the trump maker" in table.refused("S", offered)
    assert "at least one card" in table.refused("N", act.OpenHandedOver(()))
    table.do("N", offered)
    assert table.state.phase is Phase.OVER
    assert not isinstance(offered, act.OpenCards)


def test_a_last_trick_in_which_trump_was_led_is_not_inspected_and_not_handed_over() -> None:
    table = Table("pagat", "W", UNCUT).contract("N", 160, "KS").closed("N")
    table.ready()
    last = {"S": "9S", "E": "9H", "N": "", "W": "KH"}
    hands = [tuple(table.slot(each, last[each]) for _ in last[each][:1]) for each in "SENW"]
    past = Trick((), W, False)
    table.table.state = table.state._replace(
        hands=tuple(hands), tricks=(past,) * 7, leader=S, awaiting=(S,)
    )
    for letter, name in zip("SENW", ("9S", "9H", "KS", "KH"), strict=True):
        table.play(letter, name)
    assert [play.down for play in table.state.tricks[-1].plays] == [False, True, False, False]
    assert table.state.phase is Phase.COUNT
    assert table.state.awaiting == (E,)
    assert slots_handed_over(table.state) == ()
    assert calls_out_of_turn(table.table.view(N)) == []


def test_opening_for_others_begins_no_new_round_of_the_count() -> None:
    table = Table("pagat", "W", UNCUT).contract("N", 160, "KS").closed("N")
    one, two = table.slot("W", "AD"), table.slot("W", "TD")
    three = table.slot("E", "JD")
    plays = (Play(S, table.slot("S", "KC"), False), Play(E, three, True))
    west = (Play(W, one, True), Play(W, two, True))
    faces = {plays[0].slot: parse_card("KC")}
    start = table.state._replace(
        phase=Phase.COUNT,
        awaiting=(E, W),
        tricks=(Trick((*plays, *west), S, False),),
        faces=faces,
        round_start=len(table.state.log),
        end=End.PLAYED,
    )
    opened_for = act.OpenHandedOver(((one, parse_card("AD")),))
    opened = act.OpenCards(((three, parse_card("JD")),))
    ways = []
    for order in (((N, opened_for), (E, opened)), ((E, opened), (N, opened_for))):
        state = start
        for who, action in order:
            state = table.game.apply(state, who, action).state
        ways.append(state)
    assert ways[0] == ways[1]
    assert ways[0].awaiting == (W,)


# --- 304 claimable --------------------------------------------------------------------------------

# Windows of 304 in which everybody can see that a seat has nothing to claim.

PLAYED_HANDS = 20


@pytest.mark.parametrize("profile", ["pagat", "tamil4", "maharashtra"])
def test_a_window_is_never_closed_on_a_claim_that_is_right(profile: str) -> None:
    game = Game304(named_profile(profile))
    table = empty_table(profile)
    idle: Counter[bool] = Counter()
    for seed in range(PLAYED_HANDS):
        chance = SeededRandomness(seed)
        cards = list(game.pack)
        chance.shuffle(cards)
        hand = OpenTable(game, cards, chance, dealer=Seat(seed % 4))
        while hand.state.awaiting:
            state, seat = hand.state, hand.state.awaiting[0]
            view = hand.view(seat)
            legal = tuple(legal_actions(view))
            if state.phase is Phase.WINDOW:
                closes = nothing_to_claim(state, seat)
                idle[closes] += 1
                (goes_on,) = [each for each in choices(view, legal) if each.window]
                assert goes_on.idle == closes
                if closes:
                    assert {type(each) for each in legal} <= {act.Ready, act.CallSpoilt}
                    assert act.CallSpoilt() not in legal or not is_spoilt(hand)
            hand.act(seat, quiet(table, legal, chance))
    assert idle[True], idle
    assert idle[False], idle


def is_spoilt(hand: OpenTable) -> bool:
    """Whether the defenders were dealt no trump, by the open cards."""
    state = hand.state
    assert state.maker is not None
    assert state.trump_slot is not None
    trump = hand.face(state.trump_slot).suit
    slots = [slot for seat in state.opponents(state.maker) for slot in state.dealt[seat]]
    return all(hand.face(slot).suit != trump for slot in slots)


# --- 304 show in turn -----------------------------------------------------------------------------

# `pre_show_card` in the middle of a trick: the seat on turn shows what it plays, and partners may
# call caps before it is played.

IN_TRICK = "pagat; +pre_show_in_trick"
#: From East: East has the spades, and three hearts that North's queen and ten cannot beat.
SHOWN = "JS9SASTS.KSJH9HAH QSKH8D7D.JCQD8C7C 8STHQHJD.9DADTDKD 7S8H7H9C.ACTCKCQC"
OPENED = "E160 N- W- S- E*JS E- N- W- S- Eopen "


def told(moves: str, profile: str = IN_TRICK) -> Retelling:
    return Retelling.of_record(parse_hand(f"304 {profile}\ndeal S {SHOWN}\ncut 0\n{moves}\n"))


def ready(tale: Retelling) -> None:
    while tale.state.phase is Phase.WINDOW:
        tale.act(tale.state.awaiting[0], act.Ready())


def test_to_others_the_shown_card_is_as_good_as_played() -> None:
    tale = told(OPENED + "EJS NQS Wshow!8S")
    view = information_of(tale.state, Seat(1), tale.faces)
    assert [play.seat for play in view.plays] == [1, 2, 3]
    assert len(view.hands[3]) == 7
    own = information_of(tale.state, Seat(3), tale.faces)
    assert [play.seat for play in own.plays] == [1, 2]
    assert len(own.hands[3]) == 8
    older = information_of(tale.state._replace(promised=None), Seat(1), tale.faces)
    assert len(older.plays) == 2


CERTAIN = "JS9SASTS.KSJH8D7D QS8SKDQD.ADKCQC9H JD9DTDTH.JC9CACTC 7SAHKHQH.8H7H8C7C"
#: Left are East's last trump with the best heart, and West's ten of diamonds with a heart.
PLAYED = (
    "EJS NQS WJC S7S E9S N8S W9C S7C EAS NKC WAC S8C ETS NQC WTC S7H "
    "E8D NQD WJD S8H W9D SQH E7D NKD "
)


def certain(moves: str, profile: str = IN_TRICK) -> Retelling:
    text = (
        f"304 {profile}; exhausted_trumps = no\ndeal S {CERTAIN}\ncut 0\n{OPENED}{PLAYED}{moves}\n"
    )
    return Retelling.of_record(parse_hand(text))


def sure(tale: Retelling, seat: int) -> tuple[str, ...]:
    return tuple(map(str, find_order(information_of(tale.state, Seat(seat), tale.faces)).order))


def test_a_partner_that_shows_its_lead_makes_an_order_sure() -> None:
    tale = certain("")
    ready(tale)
    assert tale.state.awaiting == (3,)
    assert sure(tale, 1) == (), "West may lead the heart, which East must follow"
    shown = certain("Wshow!TD")
    assert shown.state.phase is Phase.WINDOW
    assert sure(shown, 1) == ("KS", "JH")
    between = certain("WshowTD", "pagat; +pre_show")
    assert sure(between, 1) == (), "what is shown between tricks binds nobody in judging"


# --- 304 closed -----------------------------------------------------------------------------------

# Play with hidden trump in its corners: what may be opened, waived, announced and led.


def leads(table: Table, letter: str) -> set[str]:
    return {str(each.card) for each in table.legal(letter) if isinstance(each, act.PlayCard)}


def test_the_waiver_of_the_first_lead_ban_needs_a_hand_of_trumps_alone() -> None:
    table = Table("card304-alpha", "S", DEAL).given("E", 160, "9C")
    table.ready()
    trump = table.slot("E", "JC")
    with pytest.raises(FalseStatement) as caught:
        table.do("E", act.PlayCard(trump, parse_card("JC"), all_trumps=True))
    assert isinstance(caught.value.statement, AllOfSuit)
    with pytest.raises(FalseStatement) as caught:
        table.do("E", act.PlayCard(trump, parse_card("JC")))
    assert isinstance(caught.value.statement, NoneOfSuit)
    table = Table("card304-alpha", "W", ALL_CLUBS).given("S", 160, "JC")
    table.ready()
    assert leads(table, "S") == {"9C", "AC", "TC", "KC", "QC", "8C", "7C"}
    with pytest.raises(FalseStatement):
        table.do("S", act.PlayCard(table.slot("S", "9C"), parse_card("9C")))
    table.do("S", act.PlayCard(table.slot("S", "9C"), parse_card("9C"), all_trumps=True))


def test_with_nothing_but_trumps_to_lead_the_maker_opens() -> None:
    table = Table("pagat", "W", ALL_CLUBS).given("S", 160, "JC").closed("S")
    table.ready()
    assert leads(table, "S") == set()
    assert act.OpenTrump(parse_card("JC")) in table.legal("S")
    lead = act.PlayCard(table.slot("S", "9C"), parse_card("9C"), all_trumps=True)
    assert "the maker opens trump" in table.refused("S", lead)


def test_the_maker_opens_its_own_cards_before_those_of_silent_owners() -> None:
    table = Table("pagat", "W", VOID).given("E", 160, "KC").closed("E")
    table.trick("S", "JH 8D JS 7H")
    down = table.state.tricks[-1].plays[2].slot
    table.table.state = table.state._replace(phase=Phase.COUNT, awaiting=(1, 2))
    opening = act.OpenHandedOver(((down, parse_card("JS")),))
    said = table.refused("E", opening)
    assert said == "the trump maker opens its own cards first (rule 15)"
    table.do("E", table.legal("E")[0])
    table.do("E", opening)
    assert table.state.phase is Phase.OVER


# --- 304 examples ---------------------------------------------------------------------------------

# Hidden trump in a trick: examples of RULES 18, played through the real rules.


def bought(dealer: str, maker: str, indicator: str, hands: dict[str, str] = DEAL) -> ScenarioTable:
    """A hand under pagat whose maker has bought it for 160 and keeps trump closed."""
    setup = {"bid": 160, "maker": maker, "indicator": indicator, "mode": "closed"}
    return ScenarioTable({"profile": "pagat", "dealer": dealer, "hands": hands, "setup": setup})


def refused(hand: ScenarioTable, text: str) -> str:
    """The rule that refuses the action, whose refusal is expected."""
    with pytest.raises((RulesError, FalseStatement)) as caught:
        hand.fork().do(text)
    return caught.value.rule if isinstance(caught.value, RulesError) else "false"


def late_position(led: str, maker_cards: str) -> ScenarioTable:
    """Hearts are hidden trump; West, the maker, holds these cards and the indicator JH.

    The other seats hold what they were dealt; South is to lead `led`.
    """
    deal = {
        "W": "JH 7S 8C AC TC KC QC 9C",
        "S": "9H AS 7C AD TD KD QD JD",
        "N": "AH TH JC 9D 8D 7D KS QS",
        "E": "KH QH 8H 7H JS 9S TS 8S",
    }
    hand = bought("W", "W", "JH", deal)
    hand.ready()
    held = set(cards(maker_cards))
    hands = list(hand.state.hands)
    west = seat("W")
    hands[west] = tuple(slot for slot in hands[west] if hand.table.face(slot) in held)
    south = seat("S")
    past = Trick((), south, False)
    hand.table.state = hand.state._replace(hands=tuple(hands), tricks=(past,) * 5)
    hand.step(f"S play {led}")
    while hand.state.awaiting[0] != west:
        who = hand.state.awaiting[0]
        hand.table.act(who, hand.game.legal_actions(hand.table.view(who))[0])
    return hand


def plays(hand: ScenarioTable) -> set[str]:
    """The cards that the seat on turn may play, with ~ for face down."""
    view = hand.table.view(hand.state.awaiting[0])
    legal = hand.game.legal_actions(view)
    up = {str(each.card) for each in legal if isinstance(each, act.PlayCard)}
    return up | {f"~{view.faces[each.slot]}" for each in legal if isinstance(each, act.PlayDown)}


def test_5_the_indicator_does_not_follow_a_trump_lead() -> None:
    hand = late_position("9H", "7S 8C")
    assert plays(hand) == {"~7S", "~8C"}
    assert refused(hand, "W play_down JH") == "false"
    assert refused(hand, "W play JH") == "9.3"


def test_6_the_maker_follows_suit_face_up_or_cuts_or_throws_away_face_down() -> None:
    assert plays(late_position("AS", "7S 8C")) == {"7S"}
    assert plays(late_position("7C", "7S")) == {"~JH", "~7S"}


def test_7_an_uncut_trick_opens_nothing_and_shows_the_maker_alone() -> None:
    hand = bought("S", "W", "JH")
    hand.step("T E QS JS 8S 7S; T N KD AD JD 7D; T S 7C JC QC TC")
    hand.step("E play KC")
    opened = sum(isinstance(each, Opened) for each in hand.table.disclosures)
    knew = [set(hand.table.view(who).faces) for who in (*map(Seat, range(4)), None)]
    hand.step("N play_down AS; W play AC; S play_down TS")
    assert hand.state.phase is Phase.INSPECT
    west = seat("W")
    down = tuple(play.slot for play in hand.state.plays if play.down)
    step = hand.table.act(west, act.AnnounceNone())
    assert hand.state.trump_slot is not None
    assert step.statements == (SuitsDiffer(down, hand.state.trump_slot),)
    assert step.statements[0] in hand.state.facts
    assert step.disclosures == ()
    assert sum(isinstance(each, Opened) for each in hand.table.disclosures) == opened + 1
    faces_up = {play.slot for play in hand.state.tricks[-1].plays if not play.down}
    for who, before in zip((*map(Seat, range(4)), None), knew, strict=True):
        gained = set(hand.table.view(who).faces) - before - faces_up
        assert gained == ({*down} if who == west else set())
