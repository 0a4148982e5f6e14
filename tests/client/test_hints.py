"""A hint names the choice that was advised, and no other one that is possible too."""

from __future__ import annotations

from cli.front.assistant import advised
from p2p304.cards import parse_card
from p2p304.rules304.actions import CallCaps, CallSpoilt, Ready
from p2p304.sentences import say
from p2p304.slots import Slot
from p2p304.telling import Choice

FACES = tuple((Slot(place), parse_card(name)) for place, name in enumerate(("JH", "9H")))
READY = Choice(Ready(), say("go on"))
CAPS = Choice(CallCaps(FACES), say("call caps"), order=(Slot(0), Slot(1)))
SPOILT = Choice(CallSpoilt(), say("call spoilt trumps"))


def test_advice_is_not_taken_for_a_call_of_caps_that_is_listed_before_it() -> None:
    listed = (CAPS, SPOILT, READY)
    assert advised(CallSpoilt(), listed) is SPOILT
    assert advised(Ready(), listed) is READY


def test_caps_are_advised_in_whatever_order() -> None:
    assert advised(CallCaps(FACES[::-1]), (READY, SPOILT, CAPS)) is CAPS
