"""`pre_show_card` in the middle of a trick: the seat on turn shows what it plays, and partners may
call caps before it is played."""

from __future__ import annotations

from p2p304.rules304.actions import Ready
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.notation import Retelling, parse_hand
from p2p304.rules304.state import Phase
from p2p304.seats import Seat

IN_TRICK = "pagat; +pre_show_in_trick"
DEAL = "JS9SASTS.KSJH9HAH QSKH8D7D.JCQD8C7C 8STHQHJD.9DADTDKD 7S8H7H9C.ACTCKCQC"
"""From East: East has the spades, and three hearts that North's queen and ten cannot beat."""
OPENED = "E160 N- W- S- E*JS E- N- W- S- Eopen "


def told(moves: str, profile: str = IN_TRICK) -> Retelling:
    return Retelling.of_record(parse_hand(f"304 {profile}\ndeal S {DEAL}\ncut 0\n{moves}\n"))


def ready(tale: Retelling) -> None:
    while tale.state.phase is Phase.WINDOW:
        tale.act(tale.state.awaiting[0], Ready())


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
