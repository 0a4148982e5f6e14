"""What happened, in sentences of the moment, as far as one seat may know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from cli.counted import counted
from cli.story import Teller, bid_name, card_text
from p2p304.cards import Card, Suit
from p2p304.rules304.actions import (
    Action,
    AnnounceCut,
    AnnounceNone,
    CallCaps,
    Face,
    PlayCard,
    PlayDown,
)
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.state import Phase, State, Trick
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.slots import Slot
from p2p304.statements import NoneOfSuit

SUIT_NAMES: Final = {
    Suit.SPADES: "spades",
    Suit.HEARTS: "hearts",
    Suit.DIAMONDS: "diamonds",
    Suit.CLUBS: "clubs",
}


class Voice(NamedTuple):
    """How things are told: which faces are known, and whether suits have signs."""

    faces: Mapping[Slot, Card]
    ascii_only: bool = False

    def card(self, card: Card | None) -> str:
        """The card, such as "10♥"."""
        return card_text(card, ascii_only=self.ascii_only)

    def slot(self, slot: Slot | None) -> str:
        """The card in a slot, "??" where it is not known."""
        return self.card(None if slot is None else self.faces.get(slot))

    def cards(self, slots: tuple[Slot, ...]) -> str:
        """Several cards."""
        return " ".join(map(self.slot, slots))


def place(seat: Seat | int) -> str:
    """The seat's name: South, East, North or West."""
    return FOUR_SEAT_NAMES[seat]


def places(seats: tuple[Seat, ...]) -> str:
    """Several seats' names: "East", "East and West", "East, North and West"."""
    names = [place(seat) for seat in seats]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def sentences(
    before: State, seat: Seat, action: Action, after: State, voice: Voice
) -> Iterator[str]:
    """What `action` by `seat` is worth saying, card by card."""
    who = place(seat)
    match action:
        case PlayCard(slot, _, all_trumps):
            verb = "plays" if before.plays else "leads"
            more = " and states that its hand is all trumps" if all_trumps else ""
            yield f"{who} {verb} {voice.slot(slot)}{more}.{_void(before, after)}"
        case PlayDown(slot):
            known = voice.faces.get(slot)
            what = "a card" if known is None else voice.card(known)
            yield f"{who} plays {what} face down.{_void(before, after)}"
        case AnnounceNone():
            yield f"{who} has looked at the face-down cards: no trump among them."
        case AnnounceCut(cards):
            yield f"{who} has looked at the face-down cards: {_cut(before, who, cards, voice)}."
        case CallCaps(order):
            shown = " ".join(voice.card(card) for _, card in order)
            yield f"{who} calls caps" + (f" with {shown}." if shown else ".")
        case _:
            for line in Teller(voice.faces.get, ascii_only=voice.ascii_only).told(
                before, seat, action, after
            ):
                if not line.startswith("Trick "):
                    yield line
    for call in after.calls[len(before.calls) :]:
        if call.forced:
            yield f"{place(call.seat)} has no bid left and is passed."
    if before.maker is None and after.maker is not None and after.contract is not None:
        yield f"{place(after.maker)} has the bid of {bid_name(after.contract)} and chooses trump."
    if before.phase is Phase.AUCTION8 and after.phase is not Phase.AUCTION8:
        yield from _after_eight(before, after)
    if len(after.tricks) > len(before.tricks):
        yield trick_sentence(after.tricks[-1], after)


def _cut(before: State, who: str, cards: tuple[Face, ...], voice: Voice) -> str:
    """The cards of a trick that was cut, and the indicator where it was none of them."""
    lay = " ".join(voice.card(card) for slot, card in cards if slot != before.indicator)
    shown = next((voice.card(card) for slot, card in cards if slot == before.indicator), "")
    cut = "a cut" + (f", with {lay}" if lay else "")
    return cut + (f"; {who} shows the indicator, {shown}" if shown else "")


def _after_eight(before: State, after: State) -> Iterator[str]:
    top, seat = after.auction.top, after.auction.top_seat
    if top is None or seat is None:
        assert before.maker is not None
        yield f"Nobody bids with eight cards: {place(before.maker)} stays the maker."
    else:
        yield f"{place(seat)} is the maker now, with {bid_name(top)}."


def _void(before: State, after: State) -> str:
    """That the seat showed by this play that it has none of the led suit."""
    if not before.plays:
        return ""
    led = before.faces[before.plays[0].slot].suit
    shown = after.facts[len(before.facts) :]
    void = any(isinstance(each, NoneOfSuit) and each.suit is led for each in shown)
    return f" It has no {SUIT_NAMES[led]}." if void else ""


def trick_sentence(trick: Trick, state: State) -> str:
    """Who took the trick, and what is known of its points."""
    how = "cuts and takes" if trick.cut else "takes"
    points, hidden = trick_points(trick, state)
    worth = counted(points, "point") + (f" and {hidden} face down" if hidden else "")
    return f"{place(trick.winner)} {how} trick {len(state.tricks)}: {worth}."


def trick_points(trick: Trick, state: State) -> tuple[int, int]:
    """The points of a trick's public cards, and how many of its cards are not public."""
    faces = [state.faces.get(play.slot) for play in trick.plays]
    return sum(CARD_POINTS[face] for face in faces if face is not None), faces.count(None)
