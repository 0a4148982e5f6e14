"""A hand of 304 told as a story: sentences for actions, by one who sees the cards or does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, assert_never

from p2p304.cards import Card, Suit
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceCut,
    AnnounceNone,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    DenyTrump,
    Face,
    KeepClosed,
    LayIndicator,
    OpenCards,
    OpenHandedOver,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    ShowCard,
    ShowIndicator,
    ShowTrump,
    SortHand,
)
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.rules304.state import Phase, State, Trick
from p2p304.rules304.teams import TEAM_NAMES, team_of
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.slots import Slot

Look = Callable[[Slot], Card | None]
"""The face of a slot as far as the teller may know it, else None."""

SUIT_SIGNS: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}
_CONTRACT_NAMES: Final = {
    Contract.HALF_COURT: "Half Court",
    Contract.PARTNER_CLOSE_CAPS: "Partner Close Caps",
}
_ORDER: Final = {card: place for place, card in enumerate(PACK)}


def card_text(card: Card | None, *, ascii_only: bool = False) -> str:
    """The card as it is shown: "10♠", "J♥", or "10S" without signs; "??" for an unknown one."""
    if card is None:
        return "??"
    rank = "10" if card.rank.letter == "T" else card.rank.letter
    return rank + (card.suit.letter if ascii_only else SUIT_SIGNS[card.suit])


def bid_name(bid: Bid) -> str:
    """The bid as it is said: "180" or "Partner Close Caps"."""
    return _CONTRACT_NAMES[bid] if isinstance(bid, Contract) else str(bid)


class Teller:
    """Tells one hand, from action to action.

    `look` gives the faces that the teller may know. `ascii_only` is for terminals without signs.
    """

    def __init__(self, look: Look, *, ascii_only: bool = False) -> None:
        self._look = look
        self._ascii = ascii_only

    def hands(self, state: State) -> tuple[str, ...]:
        """A line for each seat with its unplayed cards in order, as far as they are known."""
        return tuple(
            f"{name:>5}  {self._sorted_cards(state.hands[seat])}"
            + (f"  and the indicator {self._card(state.indicator)}" * self._lies(state, seat))
            for seat, name in enumerate(FOUR_SEAT_NAMES)
        )

    def told(self, before: State, seat: Seat, action: Action, after: State) -> tuple[str, ...]:
        """What `action` by `seat` is worth telling: no, one or a few lines."""
        lines = [*self._said(before, seat, action, after)]
        if after.trick_number > before.trick_number:
            lines.insert(0, self.trick(len(after.tricks), after.tricks[-1]))
        dealt = len(after.hands[seat]) > len(before.hands[seat])  # not when Half Court is bid
        if before.phase is Phase.INDICATOR4 and dealt:
            lines.append("Everybody gets the second four cards.")
        return tuple(lines)

    def points(self, state: State) -> str:
        """How many points each team has taken so far, by the faces that are known."""
        taken = [0, 0]
        for trick in state.tricks:
            taken[team_of(trick.winner)] += self._worth(trick)
        return ", ".join(f"{name} {count}" for name, count in zip(TEAM_NAMES, taken, strict=True))

    def _said(self, before: State, seat: Seat, action: Action, after: State) -> Iterator[str]:
        who = FOUR_SEAT_NAMES[seat]
        match action:
            case Cut(offset):
                yield f"{who} cuts the pack at {offset}." if offset else f"{who} does not cut."
            case PlaceBid(bid):
                yield f"{who} bids {bid_name(bid)}."
            case Pass():
                yield f"{who} passes."
            case AskPartner():
                yield f"{who} asks {FOUR_SEAT_NAMES[(seat + 2) % 4]} to speak instead."
            case DemandRedeal(cards):
                yield f"{who} demands new cards{self._shown(cards, ' and shows ')}."
            case LayIndicator(slot):
                seen = f": {self._card(slot)}" if self._look(slot) is not None else ""
                yield f"{who} lays the indicator face down{seen}."
            case OpenTrump(card):
                yield f"{who} opens trump: {self._face(card)}."
            case KeepClosed():
                yield f"{who} keeps trump closed."
            case PlayCard(slot, _, all_trumps) if all_trumps:
                yield f"{who} leads {self._card(slot)} and states that all its cards are trumps."
            case AnnounceCut(cards):
                yield f"{who} turns the face-down cards: a cut{self._shown(cards, ' with ')}."
            case ShowIndicator(card):
                yield f"{who} shows the indicator: {self._face(card)}."
            case ShowCard(slot, _):
                yield f"{who} shows {self._card(slot)}, to be played next."
            case CallCaps(order):
                yield f"{who} calls caps{self._shown(order, ', to be played as ')}."
            case AcceptCaps():
                yield f"{who} concedes the rest."
            case ContestCaps():
                yield f"{who} wants to see the caps played."
            case CallSpoilt():
                yield f"{who} calls spoilt trumps."
            case DenyTrump():
                yield f"{who} was dealt no trump either."
            case ShowTrump(slot, _):
                yield f"{who} shows a trump that it was dealt: {self._card(slot)}."
            case PlayCard() | PlayDown() | AnnounceNone():
                pass  # told with the whole trick
            case SortHand():
                if not after.awaiting or len(after.awaiting) > len(before.awaiting):
                    yield "All sort their hands."
            case Ready() | OpenCards() | OpenHandedOver():
                pass  # nothing that a listener would miss
            case _:
                assert_never(action)

    def trick(self, number: int, trick: Trick) -> str:
        plays = (
            f"{FOUR_SEAT_NAMES[play.seat]} "
            + (f"[{self._card(play.slot)}]" if play.down else self._card(play.slot))
            for play in trick.plays
        )
        how = "cuts" if trick.cut else "wins"
        outcome = f"{FOUR_SEAT_NAMES[trick.winner]} {how}, {self._worth(trick)} points"
        return f"Trick {number}: {', '.join(plays)}. {outcome}."

    def _worth(self, trick: Trick) -> int:
        faces = (self._look(play.slot) for play in trick.plays)
        return sum(CARD_POINTS[face] for face in faces if face is not None)

    def _sorted_cards(self, slots: tuple[Slot, ...]) -> str:
        cards = [self._look(slot) for slot in slots]
        known = sorted((card for card in cards if card is not None), key=_ORDER.__getitem__)
        return " ".join(self._face(card) for card in (*known, *[None] * cards.count(None)))

    def _shown(self, faces: tuple[Face, ...], introduction: str) -> str:
        """The faces after the introduction, or nothing when there are none."""
        return introduction + " ".join(self._face(card) for _, card in faces) if faces else ""

    def _card(self, slot: Slot | None) -> str:
        return self._face(None if slot is None else self._look(slot))

    def _face(self, card: Card | None) -> str:
        return card_text(card, ascii_only=self._ascii)

    @staticmethod
    def _lies(state: State, seat: int) -> bool:
        return state.indicator is not None and state.maker == seat
