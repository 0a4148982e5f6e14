"""Hand-over: one seat's share of one card, readable by one other seat, and provably right.

The owner j of a face-down card lets the reader m alone see it:

    R = ρ·G     C_card = x_card·A + ρ·X_m,card     C_suit = x_suit·A + ρ·X_m,suit

with a proof that ρ is one and the same and that the secrets are those of j's keys. Everybody can
then compute the card as a ciphertext under m's keys alone, `(-R, B_card - C_card,
B_suit - C_suit)`: nothing private is sent, so there is nothing to dispute. A randomness used for
two cards under one reader's keys would name both (the difference of two C no longer hides
anything), so it is derived from the card, and an R seen before in the deal is refused. Another deal
has other keys, under which one randomness hides as well as two (Bellare, Boldyreva, Staddon 2003).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from protocol import labels
from protocol.cards.keys import HandSecret, MaskedCard, SeatKeys
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, ProofError
from protocol.group.layout import LayoutReader, join
from protocol.group.point import (
    Point,
    add,
    base_multiply,
    blinded_multiply,
    multiply,
    negate,
    subtract,
)
from protocol.group.scalar import ORDER, SecretScalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import prove_relation, verify_compact

# The challenge, and a response for each of ρ, x_card and x_suit.
_PROOF_SCALARS = 4


@dataclass(frozen=True, slots=True)
class HandOver:
    """The message of a hand-over of one card: R, the two covered shares, and the proof."""

    cover: Point
    card_share: Point
    suit_share: Point
    proof: bytes

    def to_bytes(self) -> bytes:
        """Return 227 bytes: three compressed points, then the proof's four scalars."""
        return join((self.cover, self.card_share, self.suit_share)) + self.proof

    @classmethod
    def from_bytes(cls, data: bytes) -> HandOver:
        """Return the hand-over that `data` encodes.

        Raises `MalformedMessage` `hand-over.length`, `point.*` or `scalar.*`.
        """
        reader = LayoutReader("hand-over", data, points=3, scalars=_PROOF_SCALARS)
        cover, card_share, suit_share = reader.points(3)
        # Read and joined again, since each scalar must be reduced: one proof has one spelling
        # (attacks.md, FS8).
        return cls(cover, card_share, suit_share, join((), reader.scalars(_PROOF_SCALARS)))


def prove_handover(
    card: MaskedCard,
    secret: HandSecret,
    reader: SeatKeys,
    *,
    context: ProofContext,
    entropy: Entropy,
) -> HandOver:
    """Return the message that hands `card`, masked under the keys of `secret` alone, over to the
    seat with the keys `reader`.

    `context` is that of the message and, with `part`, of this card: never use one context for two
    cards and one reader. Nothing is checked here: for a card that is masked otherwise every
    verifier refuses the proof.
    """
    session = context.session_identifier(labels.HANDOVER_PURPOSE)
    # One card has one cover per reader and session even if the random source repeats itself.
    source = HedgedSource(
        labels.HANDOVER_NONCE,
        (session, join(card), join(reader)),
        (secret.card.value, secret.suit.value),
        ORDER,
        entropy,
    )
    cover_secret = SecretScalar(source.next_scalar())
    cover = base_multiply(cover_secret)
    # A key's secret meets a point blinded alone; the cover's, used once, needs no constant time
    # (`group/point.py`).
    card_share = add(
        blinded_multiply(card.mask, secret.card, entropy), multiply(reader.card, cover_secret)
    )
    suit_share = add(
        blinded_multiply(card.mask, secret.suit, entropy), multiply(reader.suit, cover_secret)
    )
    # Without its proof for now: the relation below needs the points alone.
    message = HandOver(cover, card_share, suit_share, b"")
    proof = prove_relation(
        _relation(card, secret.keys(), reader, message),
        (cover_secret, secret.card, secret.suit),
        session=session,
        entropy=entropy,
    )
    return HandOver(cover, card_share, suit_share, proof)


def verify_handover(
    card: MaskedCard,
    owner: SeatKeys,
    reader: SeatKeys,
    message: HandOver,
    *,
    context: ProofContext,
    covers: Set[bytes],
) -> None:
    """Verify that `message` hands over `card`, which is masked under the owner's keys alone.

    Raises `ProofError` with `hand-over.reused` or `hand-over.proof`.

    Args:
        card: as it lies, from the verifier's own deck.
        owner, reader: the keys of both seats in this deal.
        message: the owner's.
        context: of the message, with the part that is this card's.
        covers: the encoding of every R seen in this deal.
    """
    # attacks.md, DL8: two cards covered alike under one reader's keys name each other.
    if message.cover.to_bytes() in covers:
        raise ProofError("hand-over.reused")
    session = context.session_identifier(labels.HANDOVER_PURPOSE)
    try:
        verify_compact(_relation(card, owner, reader, message), message.proof, session=session)
    except ProofError as error:
        # The engine's own check goes into the detail: vectors and evidence name the statement that
        # failed.
        raise ProofError("hand-over.proof", error.check) from None


def apply_hand_over(card: MaskedCard, message: HandOver) -> MaskedCard:
    """Return the card under the reader's keys alone, from a verified message: `(-R, B_card -
    C_card, B_suit - C_suit)`.

    Raises `ProofError` with `hand-over.identity` if a part becomes the identity.
    """
    try:
        return MaskedCard(
            negate(message.cover),
            subtract(card.card, message.card_share),
            subtract(card.suit, message.suit_share),
        )
    # A part of a card is never the identity, which has no encoding (attacks.md, G1).
    except IdentityPoint:
        raise ProofError("hand-over.identity") from None


def _relation(
    card: MaskedCard, owner: SeatKeys, reader: SeatKeys, message: HandOver
) -> LinearRelation[Point]:
    """Return the relation that a hand-over's proof shows: the scalars ρ, x_card and x_suit
    behind R, the owner's two keys and the two covered shares.
    """
    builder = RelationBuilder(SECP256K1)
    cover_secret, card_secret, suit_secret = (builder.scalar() for _ in range(3))
    mask = builder.element(card.mask)
    builder.equation([builder.element(message.cover)], [(cover_secret, GENERATOR_INDEX)])
    for secret, share, own, theirs in (
        (card_secret, message.card_share, owner.card, reader.card),
        (suit_secret, message.suit_share, owner.suit, reader.suit),
    ):
        builder.equation([builder.element(own)], [(secret, GENERATOR_INDEX)])
        builder.equation(
            [builder.element(share)], [(secret, mask), (cover_secret, builder.element(theirs))]
        )
    return builder.relation()
