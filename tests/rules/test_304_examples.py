"""Hidden trump in a trick: examples of RULES 18, played through the real rules."""

from __future__ import annotations

import pytest

from p2p304.disclosures import Opened
from p2p304.errors import RulesError
from p2p304.rules304.actions import AnnounceNone, PlayCard, PlayDown
from p2p304.rules304.state import Phase, Trick
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement
from p2p304.statements import SuitsDiffer
from tests.rules.scenario_table import ScenarioTable, cards, seat

HANDS = {
    "E": "JC 9C AH TD KC 8C QS 7D",
    "N": "JS 9S TH KD AS 8H 7H QC",
    "W": "AC TC JH KS 9H 8S AD QD",
    "S": "7C KH QH JD 9D 8D TS 7S",
}


def bought(dealer: str, maker: str, indicator: str, hands: dict[str, str] = HANDS) -> ScenarioTable:
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
    up = {str(each.card) for each in legal if isinstance(each, PlayCard)}
    return up | {f"~{view.faces[each.slot]}" for each in legal if isinstance(each, PlayDown)}


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
    step = hand.table.act(west, AnnounceNone())
    assert hand.state.trump_slot is not None
    assert step.statements == (SuitsDiffer(down, hand.state.trump_slot),)
    assert step.statements[0] in hand.state.facts
    assert step.disclosures == ()
    assert sum(isinstance(each, Opened) for each in hand.table.disclosures) == opened + 1
    faces_up = {play.slot for play in hand.state.tricks[-1].plays if not play.down}
    for who, before in zip((*map(Seat, range(4)), None), knew, strict=True):
        gained = set(hand.table.view(who).faces) - before - faces_up
        assert gained == ({*down} if who == west else set())
