"""A seat's decryption shares of many cards, with one proof for all of them.

A share of a card is `(x_card·A, x_suit·A)`. Whoever has every other seat's shares of a card holds
it under its own keys alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from protocol import labels
from protocol.cards.keys import HandSecret, MaskedCard, SeatKeys
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, ProofError
from protocol.group.layout import LayoutReader, join
from protocol.group.point import Point, blinded_multiply, subtract
from protocol.proofs.batch_dleq import BatchEquality, prove_equality, verify_equality
from protocol.proofs.context import ProofContext

# The challenge, and a response for each half's secret.
_PROOF_SCALARS: Final = 3


class Share(NamedTuple):
    """One seat's decryption share of one card: its mask times the seat's secret, for each half."""

    card: Point
    suit: Point


@dataclass(frozen=True, slots=True)
class ShareBatch:
    """The message with one seat's shares of several cards, in the deck's order, and one proof
    for all.
    """

    shares: tuple[Share, ...]
    proof: bytes

    def to_bytes(self) -> bytes:
        """Return 66 bytes for each card, then the proof's three scalars."""
        return join([point for share in self.shares for point in share]) + self.proof

    @classmethod
    def from_bytes(cls, data: bytes, *, cards: int) -> ShareBatch:
        """Return the shares of `cards` cards that `data` encodes.

        Raises `MalformedMessage` with `shares.length`, `point.*` or `scalar.*`.
        """
        reader = LayoutReader("shares", data, points=2 * cards, scalars=_PROOF_SCALARS)
        shares = tuple(Share(*reader.points(2)) for _ in range(cards))
        # Read and joined again, since each scalar must be reduced: one proof has one spelling
        # (attacks.md, FS8).
        return cls(shares, join((), reader.scalars(_PROOF_SCALARS)))


def prove_shares(
    cards: Sequence[MaskedCard], secret: HandSecret, *, context: ProofContext, entropy: Entropy
) -> ShareBatch:
    """Return the shares of `cards` under `secret` with their proof; raises `LocalError` for no
    cards.

    Use it only for cards from verified shuffles: a share is a multiplication by the secret key.

    Args:
        cards: as they are masked now, in the order in which the verifier has them.
        secret: behind the seat's keys of this deal.
        context: of the message that holds the batch.
        entropy: blinds the multiplications, and gives nonces.
    """
    shares = tuple(
        Share(
            blinded_multiply(card.mask, secret.card, entropy),
            blinded_multiply(card.mask, secret.suit, entropy),
        )
        for card in cards
    )
    proof = prove_equality(
        _statement(cards, shares, secret.keys()),
        (secret.card, secret.suit),
        session=context.session_identifier(labels.SHARE_PURPOSE),
        entropy=entropy,
    )
    return ShareBatch(shares, proof)


def verify_shares(
    cards: Sequence[MaskedCard], batch: ShareBatch, keys: SeatKeys, *, context: ProofContext
) -> None:
    """Verify that `batch` holds the shares of exactly these cards, in order, by the owner of
    `keys`.

    Raises `ProofError` with `shares.count` or `shares.proof`.
    """
    if len(batch.shares) != len(cards):
        raise ProofError("shares.count")
    verify_equality(
        _statement(cards, batch.shares, keys),
        batch.proof,
        session=context.session_identifier(labels.SHARE_PURPOSE),
        check="shares.proof",
    )


def without_share(card: MaskedCard, share: Share) -> MaskedCard:
    """Return `card` with one seat's mask removed by its share.

    Raises `ProofError` with `shares.identity` if a half becomes the identity.
    """
    try:
        return MaskedCard(
            card.mask, subtract(card.card, share.card), subtract(card.suit, share.suit)
        )
    # A part of a card is never the identity, which has no encoding (attacks.md, G1).
    except IdentityPoint:
        raise ProofError("shares.identity") from None


def _statement(
    cards: Sequence[MaskedCard], shares: Sequence[Share], keys: SeatKeys
) -> BatchEquality:
    """Return the statement that the shares are the cards' masks times the secrets of `keys`."""
    return BatchEquality(
        keys=tuple(keys),
        # Tuples of one: in other batches a base or an image is the difference of two points.
        bases=tuple((card.mask,) for card in cards),
        images=(
            tuple((share.card,) for share in shares),
            tuple((share.suit,) for share in shares),
        ),
    )
