"""`pre_show_card` in the middle of a trick: the seat on turn shows what it plays, and partners may
call caps before it is played."""

from __future__ import annotations

import pytest

from p2p304.cards import parse_card
from p2p304.errors import RulesError
from p2p304.rules304.actions import CallCaps, PlayCard, Ready, ShowCard
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.judge import duties
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.choosing import legal_actions
from p2p304.rules304.notation import format_hand, parse_hand
from p2p304.rules304.retelling import Retelling
from p2p304.rules304.scoring import CapsVerdict
from p2p304.rules304.settle import settle
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.view import View

IN_TRICK = "pagat; +pre_show_in_trick"
DEAL = "JS9SASTS.KSJH9HAH QSKH8D7D.JCQD8C7C 8STHQHJD.9DADTDKD 7S8H7H9C.ACTCKCQC"
"""From East: East has the spades, and three hearts that North's queen and ten cannot beat."""
OPENED = "E160 N- W- S- E*JS E- N- W- S- Eopen "
TRICKS = "EJS NQS W8S S7S E9S N7D WQH S7H "


def told(moves: str, profile: str = IN_TRICK) -> Retelling:
    return Retelling.of_record(parse_hand(f"304 {profile}\ndeal S {DEAL}\ncut 0\n{moves}\n"))


def refused(state: State, seat: int, name: str, slot_of: Retelling) -> str:
    card = parse_card(name)
    slot = next(each for each in state.hands[seat] if slot_of.faces[each] == card)
    with pytest.raises(RulesError) as caught:
        slot_of.act(Seat(seat), ShowCard(slot, card))
    return str(caught.value)


def ready(tale: Retelling) -> None:
    while tale.state.phase is Phase.WINDOW:
        tale.act(tale.state.awaiting[0], Ready())


def test_the_seat_on_turn_shows_a_card_and_all_may_speak_before_it_is_played() -> None:
    tale = told(OPENED + "EJS NQS Wshow!8S")
    state = tale.state
    assert (state.phase, state.awaiting) == (Phase.WINDOW, (0, 1, 2, 3))
    assert len(state.plays) == 2
    ready(tale)
    assert (tale.state.phase, tale.state.awaiting) == (Phase.TRICK, (3,))
    legal = legal_actions(View(Seat(3), tale.state, tale.faces))
    plays = [each for each in legal if isinstance(each, PlayCard)]
    assert [str(each.card) for each in plays] == ["8S"], "it must be played"
    assert not [each for each in legal if isinstance(each, ShowCard)], "one card a turn"
    tale.act(Seat(3), plays[0])
    assert tale.state.promised is None


def test_it_is_for_the_seat_on_turn_and_for_cards_that_it_may_play() -> None:
    tale = told(OPENED + "EJS NQS")
    assert "is not to act" in refused(tale.state, 0, "7S", tale)
    assert "there must be no spades here, but there is 8S" in refused(tale.state, 3, "TH", tale)
    tale = told(OPENED + "EJS NQS W8S S7S E9S N7D")
    legal = legal_actions(View(Seat(3), tale.state, tale.faces))
    assert len([each for each in legal if isinstance(each, ShowCard)]) == 7, "void, so any"


def test_other_agreements_know_cards_shown_between_tricks_alone() -> None:
    for profile in ("pagat", "pagat; +pre_show"):
        tale = told(OPENED + "EJS NQS", profile)
        assert "in the middle of a trick is not agreed" in refused(tale.state, 3, "8S", tale)
    assert profile_named("pagat", ["pre_show"]).pre_show_card.value == "yes"
    chosen = profile_named("pagat", overrides={"pre_show_card": "in a trick too"})
    named = profile_named("pagat", ["pre_show_in_trick"])
    assert chosen.pre_show_card is named.pre_show_card


def test_a_maker_with_hidden_trump_shows_none() -> None:
    closed = "E160 N- W- S- E*JS E- N- W- S- Eclosed EJH NKH WTH S8H"
    tale = told(closed)
    ready(tale)
    assert "a maker with hidden trump shows none" in refused(tale.state, 1, "9H", tale)


def test_nobody_shows_where_the_team_cannot_call() -> None:
    tale = told(OPENED + "EJS")
    lost = told(OPENED + "E9H NKH WQH S8H EKS NQS W8S S7S EJS")
    assert tale.state.tricks == ()
    assert "has lost a trick" in refused(lost.state, 2, "7D", lost)


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
PLAYED = (
    "EJS NQS WJC S7S E9S N8S W9C S7C EAS NKC WAC S8C ETS NQC WTC S7H "
    "E8D NQD WJD S8H W9D SQH E7D NKD "
)
"""Left are East's last trump with the best heart, and West's ten of diamonds with a heart."""


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


def test_the_call_that_a_shown_card_made_sure_is_correct_and_without_it_it_was_owed() -> None:
    called = certain("Wshow!TD Ecaps:KSJH Naccept Saccept")
    outcome = settle(called.state)
    assert outcome.facts.caps[1] is CapsVerdict.CORRECT_BONUS
    silent = certain("Wshow!TD WTD SKH EKS NAD EJH N9H WTH SAH")
    due = duties(silent.state, (silent.faces,) * 4)
    assert due[Seat(1)].cards == 24
    assert settle(silent.state).facts.caps[1] is CapsVerdict.WRONG


def test_a_call_in_the_window_is_answered_and_the_shown_card_is_played_then() -> None:
    tale = told(OPENED + "EJS NQS W8S S7S E9S N7D Wshow!QH")
    names = {str(tale.faces[slot]): slot for slot in tale.state.hands[1]}
    call = [names[name] for name in ("AS", "TS", "KS", "JH", "9H", "AH")]
    for seat in (0, 2, 3):
        tale.act(Seat(seat), Ready())
    tale.act(Seat(1), CallCaps(tuple((slot, tale.faces[slot]) for slot in call)))
    assert (tale.state.phase, tale.state.awaiting) == (Phase.CAPS_RESPONSE, (0, 2))


def test_a_hand_in_which_a_card_was_shown_is_written_and_read_again() -> None:
    record = parse_hand(f"304 {IN_TRICK}\ndeal S {DEAL}\ncut 0\n{OPENED}EJS NQS Wshow!8S W8S S7S\n")
    assert parse_hand(format_hand(record)) == record
    assert "Wshow!8S" in format_hand(record)
