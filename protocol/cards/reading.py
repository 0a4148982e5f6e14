"""What one seat reads of a deck with its own secret, and whether that can be.

After verified shuffles every slot holds one card of the pack and no card lies in two: whatever else
a seat reads, a check of ours is broken, and nobody is accused.
"""

from __future__ import annotations

from collections.abc import Mapping

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from protocol.cards.deck import Deck
from protocol.cards.keys import HandSecret
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, InternalFault
from protocol.group.constants import card_point, suit_point
from protocol.group.point import Point, add, blinded_multiply
from protocol.group.scalar import SecretScalar


def read_card(deck: Deck, slot: Slot, seat: Seat, secret: HandSecret, *, entropy: Entropy) -> Card:
    """Return the face of `slot`, whose card is masked under the keys of `seat` alone; `secret` is
    behind these keys, `entropy` blinds the multiplications.

    Raises `ProofError` with `deck.slot` or `deck.locks`; `InternalFault` with `deck.not-a-card` or
    `deck.halves` (card and suit half disagree), which after verified shuffles only a defect of our
    own checks can cause.
    """
    (card,) = deck.under(seat, (slot,))
    face = _uncover(card.card, card.mask, secret.card, entropy)
    # The pack is small: comparing each card is faster than keeping a table.
    found = next((each for each in deck.pack if card_point(each) == face), None)
    if found is None:
        raise InternalFault("deck.not-a-card")
    # The suit half is what later proofs speak of; it must fit the card that was read (attacks.md,
    # DL5).
    if suit_point(found.suit) != _uncover(card.suit, card.mask, secret.suit, entropy):
        raise InternalFault("deck.halves")
    return found


def check_each_card_once(deck: Deck, faces: Mapping[Slot, Card]) -> None:
    """Raise `InternalFault` with `deck.twice` if `faces`, the cards that a seat knows, have one
    card in two slots of the deck: our own checks have let that pass.
    """
    known = [card for slot, card in faces.items() if slot in deck.slots]
    if len(set(known)) != len(known):
        raise InternalFault("deck.twice", "this seat sees a card in two slots")


def _uncover(half: Point, mask: Point, secret: SecretScalar, entropy: Entropy) -> Point:
    """Return the point under a masked half of a card: `half - secret · mask`. `entropy` blinds the
    multiplication.

    Raises `InternalFault` `deck.not-a-card` if the point is the identity.
    """
    # Adding -x·A subtracts the mask, with one blinded multiplication.
    # Made anew for the type checker alone, to which `-secret` is any Scalar.
    opposite = SecretScalar((-secret).value)
    try:
        return add(half, blinded_multiply(mask, opposite, entropy))
    except IdentityPoint:
        # Every card of a proved deck is a point, so an identity here is a defect of ours.
        raise InternalFault("deck.not-a-card") from None
