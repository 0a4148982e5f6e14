"""What a player of 304 may choose, and how each choice is written.

Actions name slots, not cards, because that is all that the table sees. An action that makes a face
public carries that face; whether it is the true one is a statement that the action needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from p2p304.cards import Card, Slot, parse_card, parse_face, parse_number
from p2p304.errors import NotationError
from p2p304.seats import Seat


class Contract(Enum):
    """A bid that is no number: every trick must be won (RULES 14.2, PROFILES 2)."""

    # The values are words of signed actions and agreements: none changes.
    #: Four cards: ends the four-card auction; alone where the toggle `half_court` brings it in,
    #: with the called partner where there is one.
    HALF_COURT = "half_court"

    PARTNER_CLOSE_CAPS = "pcc"  #: Eight cards, the partner's laid aside; an eight-card bid only.

    FULL_COURT = "full_court"  #: Eight cards, with the called partner; only where there is one.


Bid: TypeAlias = int | Contract  #: What a maker has undertaken: a number of points, or a contract.

# Above 904, the greatest number that any pack allows (tamil904). No auction offers two of them, so
# their order never decides.
_CONTRACT_HEIGHTS: Final = {each: 1000 + place for place, each in enumerate(Contract)}


_CONTRACT_NAMES: Final = {
    Contract.HALF_COURT: "Half Court",
    Contract.PARTNER_CLOSE_CAPS: "Partner Close Caps",
    Contract.FULL_COURT: "Full Court",
}


def height(bid: Bid) -> int:
    """Return an integer that is greater for a higher bid: a number is its own height; Half
    Court, Partner Close Caps and Full Court, in this order, stand above every number.
    """
    return _CONTRACT_HEIGHTS[bid] if isinstance(bid, Contract) else bid


def bid_text(bid: Bid) -> str:
    """Return a bid as texts of actions and agreements write it: "180", "pcc" or "half_court"."""
    return bid.value if isinstance(bid, Contract) else str(bid)


def bid_name(bid: Bid) -> str:
    """Return a bid as players say it: "180" or "Partner Close Caps"."""
    return _CONTRACT_NAMES[bid] if isinstance(bid, Contract) else str(bid)


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


# --- the canonical text of an action: one line of ASCII that names slots by number ----------------

# The bound that the game interface promises to frames; the longest action, a call of caps with
# eight faces, has about sixty.
LONGEST: Final = 400

#: What a word of a text gives an action: a number, bid or card alone, or a slot with its card.
Said = tuple[Any, ...]


def _number(text: str, position: int) -> Said:
    """Return a word of digits as a tuple of one number; raises NotationError for another word."""
    return (parse_number(text, position),)


def _bid(text: str, position: int) -> Said:
    """Return a word as a tuple of one bid: a contract such as "pcc", or a number from 0 to 9999.

    Raises NotationError at `position` for another word. Whether the number may be bid is not asked.
    """
    contracts = {contract.value: contract for contract in Contract}
    return (contracts[text] if text in contracts else parse_number(text, position),)


def _card(text: str, position: int) -> Said:
    """Return a word such as "9C" as a tuple of one card; raises NotationError for another word."""
    return (parse_card(text, position, exact=True),)


class _Form(NamedTuple):
    """How one kind of action is written after its verb: its class, its arguments, their reader."""

    action: Callable[..., Action]
    one: str = ""  #: The one thing that it says; empty for nothing, and for any number of faces.
    read: Callable[[str, int], Said] | None = None  #: None where the verb stands alone.


_FORMS: Final = {
    "pass": _Form(Pass),
    "sort": _Form(SortHand),
    "closed": _Form(KeepClosed),
    "none": _Form(AnnounceNone),
    "ready": _Form(Ready),
    "accept": _Form(AcceptCaps),
    "contest": _Form(ContestCaps),
    "double": _Form(CallDouble),
    "spoilt": _Form(CallSpoilt),
    "no-trump": _Form(DenyTrump),
    # Alone where there is one partner, who need not be named.
    "ask": _Form(AskPartner),
    "cut": _Form(Cut, "offset", _number),
    "ask-seat": _Form(AskPartner, "seat", _number),
    "bid": _Form(PlaceBid, "bid", _bid),
    "redeal": _Form(DemandRedeal, "", parse_face),
    "indicator": _Form(LayIndicator, "slot", _number),
    "name": _Form(NameCard, "card", _card),
    "open": _Form(OpenTrump, "card", _card),
    "play": _Form(PlayCard, "slot with a card", parse_face),
    "down": _Form(PlayDown, "slot", _number),
    "trump": _Form(AnnounceCut, "", parse_face),
    "show-indicator": _Form(ShowIndicator, "card", _card),
    "show": _Form(ShowCard, "slot with a card", parse_face),
    "caps": _Form(CallCaps, "", parse_face),
    "marriage": _Form(DeclareMarriages, "", parse_face),
    "one-trump": _Form(ShowTrump, "slot with a card", parse_face),
    "count": _Form(OpenCards, "", parse_face),
    "count-for": _Form(OpenHandedOver, "", parse_face),
}
_VERB_OF: Final[dict[object, str]] = {form.action: verb for verb, form in _FORMS.items()}


def format_action(action: Action) -> str:
    """Return the canonical text of an action, such as "play 40=9C" or "bid 170".

    At most 400 ASCII characters; slots are numbers, since cards may be closed. Raises TypeError for
    an object that is no action of 304. Source: specs/rules.md, 15.
    """
    # These three have an argument that may be missing, or that is written as a word.
    match action:
        case PlayCard(slot, card, all_trumps):
            return f"play {slot}={card}{' all-trumps' if all_trumps else ''}"
        case AskPartner(None):
            return "ask"
        case PlaceBid(bid):
            return f"bid {bid_text(bid)}"
    kind = type(action)
    if kind not in _VERB_OF:
        raise TypeError(f"not an action of 304: {kind.__name__}")
    verb = _VERB_OF[kind]
    if _FORMS[verb].read is None:
        return verb
    # What it says are its fields, in their order; where it shows faces, one tuple of them.
    said = [getattr(action, name) for name in kind.__slots__]
    if _FORMS[verb].one:
        return f"{verb} {'='.join(map(str, said))}"
    return verb + "".join(f" {slot}={card}" for slot, card in said[0])


def parse_action(text: str) -> Action:
    """Return the action that `format_action` writes as `text`.

    Raises NotationError, with the 0-based place in `text`, for any other text: other spacing, the
    empty text, more than 400 characters. Whether the action is legal is not asked.
    """
    if len(text) > LONGEST:
        # At the first character too many.
        raise NotationError(f"an action has at most {LONGEST} characters", LONGEST)
    words = [(each.group(), each.start()) for each in re.finditer(r"[^ ]+", text)]
    verb = words[0][0] if words else ""
    if verb not in _FORMS:
        # Cut short and escaped: texts come from strangers, and a terminal shows them.
        raise NotationError(f"{verb[:16]!a} is no action of 304", 0)
    action = _read(_FORMS[verb], words[1:], len(text))
    # A second spelling of an action (two spaces, "10D") would give one action two signed texts.
    canonical = format_action(action)
    if canonical != text:
        # Where the texts part; at the end of the shorter one where the other only goes on.
        at = next(
            (i for i, (a, b) in enumerate(zip(canonical, text, strict=False)) if a != b),
            min(len(canonical), len(text)),
        )
        raise NotationError(f"the canonical text is {canonical!r}", at)
    return action


def _read(form: _Form, words: list[tuple[str, int]], end: int) -> Action:
    """Return the action of the words behind a verb, written as `form` says; each word comes with
    its place in the text.

    A form takes no word, just one, or any number of faces; "all-trumps" may follow a card that is
    played. `end` is the length of the text: the place of the error where a word is missing. Raises
    NotationError for a word missing or too many, and for one that it cannot read.
    """
    if form.read is None:
        if words:
            raise NotationError("nothing stands behind this action", words[0][1])
        return form.action()
    if not form.one:
        return form.action(tuple(form.read(*word) for word in words))
    # The one word that may follow: the claim of a hand of trumps alone (specs/rules.md 15).
    waiver = form.action is PlayCard and [word for word, _ in words[1:]] == ["all-trumps"]
    if len(words) != 1 and not waiver:
        at = words[1][1] if words else end
        raise NotationError(f"exactly one {form.one} is expected here", at)
    return form.action(*form.read(*words[0]), *([True] if waiver else ()))
