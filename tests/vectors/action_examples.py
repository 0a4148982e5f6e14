"""One example of every action of 304, for the specification."""

from __future__ import annotations

from typing import Final

from p2p304.cards import Slot, parse_card
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Contract
from p2p304.seats import Seat


def _faces(*texts: str) -> tuple[act.Face, ...]:
    pairs = (text.split("=") for text in texts)
    return tuple((Slot(int(slot)), parse_card(card)) for slot, card in pairs)


_CARD: Final = parse_card("9C")

EXAMPLES: Final[tuple[act.Action, ...]] = (
    act.Cut(7),
    act.PlaceBid(170),
    act.PlaceBid(Contract.HALF_COURT),
    act.PlaceBid(Contract.PARTNER_CLOSE_CAPS),
    act.Pass(),
    act.AskPartner(),
    act.DemandRedeal(_faces("4=7C", "5=8D", "6=QS", "7=KH")),
    act.DemandRedeal(()),
    act.LayIndicator(Slot(9)),
    act.SortHand(),
    act.OpenTrump(_CARD),
    act.KeepClosed(),
    act.PlayCard(Slot(40), _CARD),
    act.PlayCard(Slot(40), _CARD, all_trumps=True),
    act.PlayDown(Slot(41)),
    act.AnnounceNone(),
    act.AnnounceCut(_faces("70=JS", "9=9C")),
    act.ShowIndicator(_CARD),
    act.Ready(),
    act.ShowCard(Slot(66), _CARD),
    act.CallCaps(_faces("64=JC", "66=9C")),
    act.CallCaps(()),
    act.AcceptCaps(),
    act.ContestCaps(),
    act.CallSpoilt(),
    act.DenyTrump(),
    act.ShowTrump(Slot(97), _CARD),
    act.OpenCards(_faces("41=7D")),
    act.OpenHandedOver(_faces("41=7D")),
)

#: Those that other profiles than the five for four seats have.
OTHERS: Final[tuple[act.Action, ...]] = (
    act.AskPartner(Seat(3)),
    act.PlaceBid(Contract.FULL_COURT),
    act.NameCard(_CARD),
    act.CallDouble(),
    act.DeclareMarriages(_faces("64=KS", "66=QS")),
)
