"""Disclosures: who learns which face, and what becomes of slots, when an action stands."""

from __future__ import annotations

from dataclasses import dataclass

from p2p304.cards import Card, Slot
from p2p304.seats import Seat


@dataclass(frozen=True, slots=True)
class Dealt:
    """These slots now belong to `seat`, which alone learns their faces."""

    seat: Seat
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class LaidDown:
    """`seat` lays this slot face down on the table; nobody learns anything new, but the protocol
    has `seat` commit to the card.
    """

    seat: Seat
    slot: Slot


@dataclass(frozen=True, slots=True)
class Opened:
    """Everybody learns that this slot holds this card."""

    slot: Slot
    card: Card


@dataclass(frozen=True, slots=True)
class HandedOver:
    """`reader` learns the face of a slot that lies face down before `owner`; nobody else does.

    With `moves` the slot comes from the owner's hand and is in the reader's from now on. Where it
    came from stays known until the reader mixes it into its hand.
    """

    slot: Slot
    owner: Seat
    reader: Seat
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Remixed:
    """`seat` mixes its cards `before` in private; they are the slots `after` from now on.

    Only `seat` knows which slot became which. Both tuples have the same length.
    """

    seat: Seat
    before: tuple[Slot, ...]
    after: tuple[Slot, ...]


Disclosure = Dealt | LaidDown | Opened | HandedOver | Remixed
