"""Points of the curve that nobody knows a discrete logarithm of, each from a hash of its name.

Cards, suits, the unit in which points are counted, and the generators of the shuffle's Pedersen
commitments all come from hashing to the curve (RFC 9380) under distinct tags. They are computed
here and never read from a message: a known logarithm between two of them would let a shuffler
prove a deck of equal cards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from p2p304.cards import Card, Rank, Suit
from protocol import labels
from protocol.encoding import digest
from protocol.group.point import Point, hash_to_curve


@cache  # a hash to the curve takes about a millisecond
def card_point(card: Card) -> Point:
    """Return the point that stands for a card: its two letters, such as "9C", hashed to the
    curve.
    """
    # Hashed, never read: a known relation between two cards would let one pass for the other
    # (attacks.md, G13, SH1).
    return hash_to_curve(str(card).encode("ascii"), labels.CARD_POINT_DST)


@cache  # a hash to the curve takes about a millisecond
def suit_point(suit: Suit) -> Point:
    """Return the point that stands for a suit: its letter, such as "S", hashed to the curve."""
    return hash_to_curve(suit.letter.encode("ascii"), labels.SUIT_POINT_DST)


@cache  # a hash to the curve takes about a millisecond
def score_unit() -> Point:
    """Return the point V that stands for one point of a card's value."""
    return hash_to_curve(b"one point", labels.SCORE_POINT_DST)


@cache  # a hash to the curve takes about a millisecond
def chain_base() -> Point:
    """Return the point H, the base of values in the shuffle's chain of commitments."""
    return hash_to_curve(b"chain base", labels.SHUFFLE_GENERATOR_DST)


@cache  # asked for by every shuffle and its check; decks and hands have few sizes
def shuffle_generators(count: int) -> tuple[Point, ...]:
    """Return the points h_0 to h_(count-1) of the shuffle's commitment to a permutation; empty
    for a count of 0.
    """
    # Under the tag of the chain base, whose name has ten bytes: no number is it.
    numbers = (place.to_bytes(4, "big") for place in range(count))
    return tuple(hash_to_curve(number, labels.SHUFFLE_GENERATOR_DST) for number in numbers)


def constants_digest(generators: int) -> bytes:
    """Return the SHA-256 digest of all cards, suits, V, H and the first `generators` points h_i.

    The specification pins it, so that two implementations agree before they meet.
    """
    cards: Iterable[Card] = (Card(suit, rank) for suit in Suit for rank in Rank)
    return digest(
        labels.CONSTANT_POINTS,
        b"".join(card_point(card).to_bytes() for card in cards),
        b"".join(suit_point(suit).to_bytes() for suit in Suit),
        score_unit().to_bytes(),
        chain_base().to_bytes(),
        b"".join(point.to_bytes() for point in shuffle_generators(generators)),
    )
