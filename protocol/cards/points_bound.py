"""A proof that a seat's hidden cards count fewer points together than a limit.

The seat shuffles, under its own keys, a public table of the whole pack whose rows hold each card
and its points `(G, CARD + X_card, points·V + X_suit)`, and proves the shuffle. Each hidden card is
then shown to equal one row in its card half (the rows lie in an order that only the seat knows, so
their numbers tell nothing), and the rows' points, added up while masked, to be one of the sums
below the limit, without saying which: a disjunction over the sums that so many cards can have.
Looking a masked card up in a shuffled table is "mix and match" (Jakobsson and Juels 2000); one
shuffle of the pack takes the place of a disjunction over all cards for every card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from p2p304.cards import Card
from protocol import labels
from protocol.cards.keys import CARD_BYTES, HandSecret, MaskedCard, SeatKeys
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.group.constants import card_point, score_unit
from protocol.group.layout import LayoutReader, join
from protocol.group.point import GENERATOR, Point, add, multiply
from protocol.group.scalar import SCALAR_BYTES, Scalar
from protocol.proofs.batch_dleq import (
    BatchEquality,
    equality_bytes,
    prove_equality,
    verify_equality,
)
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.disjunction import prove_any, verify_any
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.shuffle import (
    Ciphertext,
    ShuffleProof,
    ShuffleStatement,
    prove_shuffle,
    shuffle_cards,
    verify_shuffle,
)

_ROW_BYTES: Final = 2
_SUM_SCALARS: Final = 2


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The public facts: what every card of the pack counts, in the pack's order."""

    pack: tuple[Card, ...]
    points: tuple[int, ...]

    @classmethod
    def of(cls, pack: Sequence[Card], points: Mapping[Card, int]) -> ScoreTable:
        """Return the table of a pack; raises `LocalError` for a card without points or below 0."""
        values = tuple(points.get(card, -1) for card in pack)
        if any(value < 0 for value in values):
            raise LocalError("every card of the pack counts 0 points or more")
        return cls(tuple(pack), values)

    def sums(self, cards: int) -> tuple[int, ...]:
        """Return all sums that so many cards of the pack can have, in ascending order."""
        reachable: list[set[int]] = [{0}, *[set() for _ in range(cards)]]
        for value in self.points:
            for taken in range(cards, 0, -1):
                reachable[taken] |= {total + value for total in reachable[taken - 1]}
        return tuple(sorted(reachable[cards]))

    def masked_rows(self, keys: SeatKeys) -> tuple[Ciphertext, ...]:
        """Return the table under a seat's keys with the public randomness 1."""
        return tuple(
            (GENERATOR, add(card_point(card), keys.card), _points_under(keys.suit, value))
            for card, value in zip(self.pack, self.points, strict=True)
        )


@dataclass(frozen=True, slots=True)
class ScoreProof:
    """The shuffled table, its argument, which row each card is, and the proofs over them."""

    rows: tuple[Ciphertext, ...]
    shuffle: ShuffleProof
    places: tuple[int, ...]
    same_cards: bytes
    low_sum: bytes

    def to_bytes(self) -> bytes:
        """Return the fields in order; a place takes 2 bytes, big-endian."""
        return b"".join(
            [
                *[join(row) for row in self.rows],
                self.shuffle.to_bytes(),
                *[place.to_bytes(_ROW_BYTES, "big") for place in self.places],
                self.same_cards,
                self.low_sum,
            ]
        )

    @staticmethod
    def size(table: ScoreTable, *, cards: int, limit: int) -> int:
        """Return the number of bytes of a proof for so many cards of a pack and a limit."""
        rows = len(table.pack)
        branches = sum(1 for total in table.sums(cards) if total < limit)
        return (
            rows * CARD_BYTES
            + ShuffleProof.size(rows)
            + cards * _ROW_BYTES
            + equality_bytes(1)
            + branches * _SUM_SCALARS * SCALAR_BYTES
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, table: ScoreTable, cards: int, limit: int) -> ScoreProof:
        """Return the proof in `data`, for so many cards of the table's pack and a limit.

        Raises `MalformedMessage` with `score.length`, `score.place` (beyond the table),
        `shuffle-proof.length`, `point.*` or `scalar.*`.
        """
        size = len(table.pack)
        rows_end = size * CARD_BYTES
        shuffle_end = rows_end + ShuffleProof.size(size)
        places_end = shuffle_end + cards * _ROW_BYTES
        cards_end = places_end + equality_bytes(1)
        if type(data) is not bytes:
            raise MalformedMessage("score.type", type(data).__name__)
        if len(data) != cls.size(table, cards=cards, limit=limit):
            raise MalformedMessage("score.length", f"{len(data)} bytes")
        reader = LayoutReader("score", data[:rows_end], points=3 * size, scalars=0)
        rows = tuple(reader.points(3) for _ in range(size))
        places = tuple(
            int.from_bytes(data[start : start + _ROW_BYTES], "big")
            for start in range(shuffle_end, places_end, _ROW_BYTES)
        )
        if any(place >= size for place in places):
            raise MalformedMessage("score.place", "beyond the table")
        same_cards, low_sum = data[places_end:cards_end], data[cards_end:]
        for scalars in (same_cards, low_sum):
            LayoutReader("score", scalars, points=0, scalars=len(scalars) // SCALAR_BYTES).scalars(
                len(scalars) // SCALAR_BYTES
            )
        shuffle = ShuffleProof.from_bytes(data[rows_end:shuffle_end], cards=size)
        return cls(rows, shuffle, places, same_cards, low_sum)


def prove_score_below(
    table: ScoreTable,
    hidden: Sequence[MaskedCard],
    faces: Sequence[Card],
    limit: int,
    secret: HandSecret,
    *,
    context: ProofContext,
    entropy: Entropy,
) -> ScoreProof:
    """Prove that `hidden`, which hold `faces`, count fewer than `limit` points.

    Raises `LocalError` if they count as many.

    Args:
        table: what every card of the pack counts.
        hidden: masked under the keys of `secret` alone.
        faces: what they hold, in the same order.
        limit: above 0; so many points are too many.
        secret: behind the seat's keys.
        context: of the message, with the part that is this claim's.
        entropy: gives order, masks and nonces.
    """
    keys = secret.keys()
    values = dict(zip(table.pack, table.points, strict=True))
    total = sum(values[face] for face in faces)
    if total >= limit:
        raise LocalError("the cards count too many points: the statement is false")
    before = table.masked_rows(keys)
    rows, shuffle_secret = shuffle_cards(before, keys, entropy)
    shuffle = prove_shuffle(
        ShuffleStatement(tuple(keys), before, rows),
        shuffle_secret,
        context=context,
        purpose=labels.SCORE_SHUFFLE_PURPOSE,
        entropy=entropy,
    )
    place_of = {
        table.pack[origin]: place for place, origin in enumerate(shuffle_secret.permutation)
    }
    places = tuple(place_of[face] for face in faces)
    same_cards = prove_equality(
        _same_cards(hidden, rows, places, keys),
        (secret.card,),
        session=_rows_session(context, shuffle, places),
        entropy=entropy,
    )
    below = [each for each in table.sums(len(faces)) if each < limit]
    low_sum = prove_any(
        _sum_relations(rows, places, keys, below),
        below.index(total),
        (secret.suit,),
        session=context.session_identifier(labels.SCORE_SUM_PURPOSE),
        entropy=entropy,
    )
    return ScoreProof(rows, shuffle, places, same_cards, low_sum)


def verify_score_below(
    table: ScoreTable,
    hidden: Sequence[MaskedCard],
    limit: int,
    keys: SeatKeys,
    proof: ScoreProof,
    *,
    context: ProofContext,
) -> None:
    """Verify that `hidden`, masked under `keys` alone, count fewer than `limit` points.

    Raises `ProofError` with `score.places` (a row twice), `score.limit` (no sum lies below),
    `shuffle.*`, `score.rows` (a card is not its row) or `score.sum`.
    """
    if len(set(proof.places)) != len(hidden) or len(proof.places) != len(hidden):
        raise ProofError("score.places")
    below = [each for each in table.sums(len(hidden)) if each < limit]
    if not below:
        raise ProofError("score.limit")
    verify_shuffle(
        ShuffleStatement(tuple(keys), table.masked_rows(keys), proof.rows),
        proof.shuffle,
        context=context,
        purpose=labels.SCORE_SHUFFLE_PURPOSE,
    )
    verify_equality(
        _same_cards(hidden, proof.rows, proof.places, keys),
        proof.same_cards,
        session=_rows_session(context, proof.shuffle, proof.places),
        check="score.rows",
    )
    try:
        verify_any(
            _sum_relations(proof.rows, proof.places, keys, below),
            proof.low_sum,
            session=context.session_identifier(labels.SCORE_SUM_PURPOSE),
        )
    except ProofError as error:
        raise ProofError("score.sum", error.check) from None


def _points_under(key: Point, value: int) -> Point:
    return add(multiply(score_unit(), Scalar(value)), key) if value else key


def _rows_session(context: ProofContext, shuffle: ShuffleProof, places: Sequence[int]) -> bytes:
    return context.session_identifier(
        labels.SCORE_ROWS_PURPOSE,
        shuffle.to_bytes(),
        b"".join(place.to_bytes(_ROW_BYTES, "big") for place in places),
    )


def _same_cards(
    hidden: Sequence[MaskedCard],
    rows: Sequence[Ciphertext],
    places: Sequence[int],
    keys: SeatKeys,
) -> BatchEquality:
    """Relate each hidden card to its row: `B - B_row = x_card·(A - A_row)`."""
    pairs = [(card, rows[place]) for card, place in zip(hidden, places, strict=True)]
    return BatchEquality(
        keys=(keys.card,),
        bases=tuple((card.mask, row[0]) for card, row in pairs),
        images=(tuple((card.card, row[1]) for card, row in pairs),),
    )


def _sum_relations(
    rows: Sequence[Ciphertext], places: Sequence[int], keys: SeatKeys, sums: Sequence[int]
) -> list[LinearRelation[Point]]:
    """Return for each sum: `X_suit = x·G` and `Σ B_points - sum·V = x·Σ A` over the places'
    rows."""
    relations = []
    for total in sums:
        builder = RelationBuilder(SECP256K1)
        secret = builder.scalar()
        builder.equation([builder.element(keys.suit)], [(secret, GENERATOR_INDEX)])
        masks = [(secret, builder.element(rows[place][0])) for place in places]
        halves = [builder.element(rows[place][2]) for place in places]
        image = [(half, 1) for half in halves]
        if total:
            image.append((builder.element(score_unit()), -total))
        builder.equation(image, masks)
        relations.append(builder.relation())
    return relations
