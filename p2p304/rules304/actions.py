"""What a player of 304 may choose, and how each choice is written.

Actions name slots, not cards, because that is all that the table sees. An action that makes a face
public carries that face; whether it is the true one is a statement that the action needs.
"""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.cards import Card, Slot
from p2p304.rules304.bids import Bid
from p2p304.seats import Seat

Face = tuple[Slot, Card]  #: A slot and the card that is claimed to be in it.


@dataclass(frozen=True, slots=True)
class Cut:
    """Rotate the shuffled deck so that it starts at `offset`; 0 declines to cut."""

    offset: int


@dataclass(frozen=True, slots=True)
class PlaceBid:
    """Bid a number, or one of the contracts above the numbers (see bids)."""

    bid: Bid


@dataclass(frozen=True, slots=True)
class Pass:
    """Make no bid in this slot of the auction."""


@dataclass(frozen=True, slots=True)
class AskPartner:
    """Let the partner speak in this slot of the auction, or `mate` where there are several."""

    mate: Seat | None = None


@dataclass(frozen=True, slots=True)
class DemandRedeal:
    """Refuse four cards that count too little; shows them unless the profile hides them."""

    cards: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class LayIndicator:
    """Choose trump by laying this slot face down."""

    slot: Slot


@dataclass(frozen=True, slots=True)
class NameCard:
    """Name the card whose holder is the maker's partner."""

    card: Card


@dataclass(frozen=True, slots=True)
class SortHand:
    """Mix the closed hand in private, so that no slot tells when its card was dealt."""


@dataclass(frozen=True, slots=True)
class OpenTrump:
    """Show the indicator, which is `card`, and take it into the hand."""

    # Without a slot, here and in ShowIndicator: everybody knows where the indicator lies.
    card: Card


@dataclass(frozen=True, slots=True)
class KeepClosed:
    """Leave the indicator face down and play with hidden trump."""


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play a card face up.

    `all_trumps` claims that the whole hand is of this card's suit (the waiver of the first-lead
    ban where trump cannot be opened).
    """

    slot: Slot
    card: Card
    all_trumps: bool = False


@dataclass(frozen=True, slots=True)
class PlayDown:
    """Play a card face down."""

    slot: Slot


@dataclass(frozen=True, slots=True)
class AnnounceNone:
    """No face-down card of this trick is a trump."""


@dataclass(frozen=True, slots=True)
class AnnounceCut:
    """A face-down card of this trick is a trump; `cards` are the faces that the rules open."""

    cards: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class ShowIndicator:
    """Show the indicator, which is `card`, because the rules demand it."""

    card: Card


@dataclass(frozen=True, slots=True)
class Ready:
    """Nothing to claim at this point; the next card may be played."""


@dataclass(frozen=True, slots=True)
class ShowCard:
    """Show a card that will be played next, and claim nothing else."""

    slot: Slot
    card: Card


@dataclass(frozen=True, slots=True)
class CallCaps:
    """Claim every trick; `order` shows all remaining cards in the order of play.

    `order` is empty where the profile's caps are called without showing.
    """

    order: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class AcceptCaps:
    """Concede every remaining trick to the caller of caps."""


@dataclass(frozen=True, slots=True)
class ContestCaps:
    """Have the caller of caps play the cards out in the order stated."""


@dataclass(frozen=True, slots=True)
class CallDouble:
    """Undertake to win the remaining tricks as all before, for a token more."""


@dataclass(frozen=True, slots=True)
class DeclareMarriages:
    """Show the king and the queen of a suit, of several suits one after the other."""

    cards: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class CallSpoilt:
    """Claim that the trump maker's opponents were dealt no trump."""


@dataclass(frozen=True, slots=True)
class DenyTrump:
    """Answer to spoilt trumps: none of the cards dealt to me is a trump."""


@dataclass(frozen=True, slots=True)
class ShowTrump:
    """Answer to spoilt trumps: this trump was dealt to me."""

    slot: Slot
    card: Card


@dataclass(frozen=True, slots=True)
class OpenCards:
    """Open, for the count, every card that the rules ask this seat to open."""

    cards: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class OpenHandedOver:
    """The trump maker opens, for a silent owner, face-down cards that were handed over."""

    cards: tuple[Face, ...]


Action = (
    Cut
    | PlaceBid
    | Pass
    | AskPartner
    | DemandRedeal
    | LayIndicator
    | NameCard
    | SortHand
    | OpenTrump
    | KeepClosed
    | PlayCard
    | PlayDown
    | AnnounceNone
    | AnnounceCut
    | ShowIndicator
    | Ready
    | ShowCard
    | CallCaps
    | AcceptCaps
    | ContestCaps
    | CallDouble
    | DeclareMarriages
    | CallSpoilt
    | DenyTrump
    | ShowTrump
    | OpenCards
    | OpenHandedOver
)

#: Choices that end or bend a hand, legal far more often than wise: who plays by chance seldom takes
#: them.
RARE_ACTIONS = (CallCaps, CallSpoilt, DemandRedeal, ShowCard)
