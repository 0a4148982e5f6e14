"""Keys of two halves, and cards masked under them.

A masked card is `(A, B_card, B_suit) = (r·G, CARD + r·Y_card, SUIT + r·Y_suit)`: one ElGamal
ciphertext of two points under two independent keys with one randomness. Barnett and Smart (2003)
mask one point; the suit half makes "this is no spade" one short proof. (One key for both halves
would show the difference of card and suit to anybody.)
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from p2p304.cards import Card
from protocol import labels
from protocol.entropy import Entropy
from protocol.errors import IdentityPoint, LocalError, ProofError
from protocol.group.constants import card_point, suit_point
from protocol.group.layout import LayoutReader, join
from protocol.group.point import GENERATOR, POINT_BYTES, Point, add, base_multiply, sum_points
from protocol.group.scalar import SecretScalar, secret_scalar
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.sigma import prove_relation, verify_compact


class SeatKeys(NamedTuple):
    """A seat's public keys for one deal: one for each half of a card."""

    card: Point
    suit: Point


@dataclass(frozen=True, slots=True)
class HandSecret:
    """The two secret scalars behind a seat's `SeatKeys`; never shown, never sent."""

    card: SecretScalar = field(repr=False)
    suit: SecretScalar = field(repr=False)

    def keys(self) -> SeatKeys:
        """Return the public keys that belong to these secrets."""
        return SeatKeys(base_multiply(self.card), base_multiply(self.suit))

    def check_keys(self, keys: SeatKeys) -> None:
        """Raise `LocalError` unless `keys` belong to these secrets, before a wrong share is
        sent.
        """
        if self.keys() != keys:
            raise LocalError("the secret is not that of the seat's keys in this deal")


class MaskedCard(NamedTuple):
    """A card whose face is hidden: the mask A and the masked card and suit."""

    mask: Point
    card: Point
    suit: Point


CARD_BYTES = 3 * POINT_BYTES


@dataclass(frozen=True, slots=True)
class KeyStep:
    """The message of a seat at the start of a deal: its keys, and a proof that it knows both
    secrets.

    Without the proof the last seat could choose keys that cancel the others' and read the deck.
    """

    keys: SeatKeys
    proof: bytes

    def to_bytes(self) -> bytes:
        """Return 162 bytes: two compressed points, then the proof's three scalars."""
        return join(self.keys) + self.proof

    @classmethod
    def from_bytes(cls, data: bytes) -> KeyStep:
        """Return the keys and proof that `data` encodes.

        Raises `MalformedMessage` `key-step.length`, `point.*` or `scalar.*`.
        """
        # The challenge, and a response for each half's secret.
        reader = LayoutReader("key-step", data, points=2, scalars=3)
        keys = SeatKeys(*reader.points(2))
        # Read and joined again, since each scalar must be reduced: one proof has one spelling
        # (attacks.md, FS8).
        return cls(keys, join((), reader.scalars(3)))


def draw_hand_secret(entropy: Entropy) -> HandSecret:
    """Draw a seat's two secrets of one deal, for the card half and the suit half of every card;
    they are never used for another deal, not even after a redeal.

    Raises `LocalError` if the random source gives 0, or the same secret twice.
    """
    card, suit = secret_scalar(entropy), secret_scalar(entropy)
    # One key for both halves would show the difference of card and suit to anybody (attacks.md,
    # SH7).
    if card == suit:
        raise LocalError("the random source gave the same secret twice")
    return HandSecret(card, suit)


def prove_keys(secret: HandSecret, *, context: ProofContext, entropy: Entropy) -> KeyStep:
    """Return the keys of `secret` with a proof that it is known, bound to the message of `context`.

    The proof takes 96 bytes (specs/04-cards.md, 4.3).
    """
    keys = secret.keys()
    session = context.session_identifier(labels.KEY_PURPOSE)
    proof = prove_relation(
        _key_relation(keys), (secret.card, secret.suit), session=session, entropy=entropy
    )
    return KeyStep(keys, proof)


def verify_keys(step: KeyStep, *, context: ProofContext, used: Set[bytes]) -> None:
    """Verify the proof of a seat's keys, and that they may enter the deal.

    Raises `ProofError` with `key.generator` (a key whose secret everybody knows), `key.halves` (one
    key for both halves), `key.reused` or `key.proof`.

    Args:
        step: the seat's keys and proof.
        context: of the message that holds them.
        used: encodings of keys that must not come again; a table passes none and looks in its own
            `KeyHistory`.
    """
    card, suit = step.keys
    # Its secret is 1, which everybody knows (attacks.md, G11).
    if GENERATOR in step.keys:
        raise ProofError("key.generator")
    # One key for both would show the difference of card and suit to anybody (attacks.md, SH7).
    if card == suit:
        raise ProofError("key.halves")
    # Shares of an old deal under the same key would open cards of this one (attacks.md, G12).
    if card.to_bytes() in used or suit.to_bytes() in used:
        raise ProofError("key.reused")
    session = context.session_identifier(labels.KEY_PURPOSE)
    try:
        verify_compact(_key_relation(step.keys), step.proof, session=session)
    # The check of the proof system goes into the detail: vectors name the statement that failed.
    except ProofError as error:
        raise ProofError("key.proof", error.check) from None


def _key_relation(keys: SeatKeys) -> LinearRelation[Point]:
    """Return the relation `X_card = x_card·G` and `X_suit = x_suit·G`."""
    builder = RelationBuilder(SECP256K1)
    for key in keys:
        builder.equation([builder.element(key)], [(builder.scalar(), GENERATOR_INDEX)])
    return builder.relation()


def table_keys(keys: Sequence[SeatKeys]) -> SeatKeys:
    """Return the sums of all seats' keys, half by half, under which the deck is masked.

    Raises `ProofError` `key.sum` if a sum is the identity, as for no keys; proofs of possession
    make that infeasible unless all seats conspire.
    """
    try:
        return SeatKeys(
            sum_points([each.card for each in keys]), sum_points([each.suit for each in keys])
        )
    # Under a sum of 0 the deck would be masked by nothing, and all could read it.
    except IdentityPoint:
        raise ProofError("key.sum") from None


def start_deck(pack: Sequence[Card], keys: SeatKeys) -> tuple[MaskedCard, ...]:
    """Return the cards of `pack`, in order, masked under `keys` with the fixed, public randomness
    1.

    Everybody computes it; nothing is hidden before the first shuffle. Raises `LocalError` for a
    pack with a card twice, `ProofError` with `deck.start` if a masked half is the identity.
    """
    if len(set(pack)) != len(pack):
        raise LocalError("a pack holds each card once")
    try:
        return tuple(
            MaskedCard(
                # The randomness 1: everybody computes the first deck, and takes it from nobody
                # (attacks.md, G13).
                GENERATOR,
                add(card_point(card), keys.card),
                add(suit_point(card.suit), keys.suit),
            )
            for card in pack
        )
    # A card of the start deck that its key cancels would be the identity, which has no encoding.
    except IdentityPoint:
        raise ProofError("deck.start") from None


def cards_to_bytes(cards: Sequence[MaskedCard]) -> bytes:
    """Return the masked cards as 99 bytes each, in order; b"" for none."""
    return join([point for card in cards for point in card])


def cards_from_bytes(data: bytes, *, count: int) -> tuple[MaskedCard, ...]:
    """Return the `count` masked cards that `data` encodes, 99 bytes each.

    Raises `MalformedMessage` with `cards.type`, `cards.length` or `point.*`.
    """
    points = LayoutReader("cards", data, points=3 * count, scalars=0).points(3 * count)
    # Each card's three points stand together: every third one is a mask, a card, a suit.
    return tuple(map(MaskedCard, points[::3], points[1::3], points[2::3]))
