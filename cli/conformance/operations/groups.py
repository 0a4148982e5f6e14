"""Operations on points and scalars, and hashing to the curve (specs 2.1 and 2.4)."""

from __future__ import annotations

from cli.conformance.answers import operation, unhex
from p2p304.cards import Suit, parse_card
from p2p304.plain_json import Answer, Json
from protocol.group.constants import card_point, constants_digest, shuffle_generators, suit_point
from protocol.group.hash_to_curve import expand_message, hash_to_field, map_to_curve
from protocol.group.point import Point, add, hash_to_curve, linear_combination
from protocol.group.scalar import Scalar


@operation("point.decode")
def point_decode(given: Json) -> Answer:
    """`bytes`: a point, and twice the point."""
    point = Point.from_bytes(unhex(given["bytes"]))
    return Answer({"doubled": add(point, point).to_bytes().hex()})


@operation("scalar.decode")
def scalar_decode(given: Json) -> Answer:
    """`bytes`, `nonzero`: a scalar, and its negative."""
    read = Scalar.nonzero_from_bytes if given["nonzero"] else Scalar.from_bytes
    return Answer({"negated": (-read(unhex(given["bytes"]))).to_bytes().hex()})


@operation("point.combine")
def point_combine(given: Json) -> Answer:
    """`terms`, pairs of scalar and point: their sum; `point.identity` if it is the identity."""
    terms = [
        (Scalar.from_bytes(unhex(scalar)), Point.from_bytes(unhex(point)))
        for scalar, point in given["terms"]
    ]
    return Answer({"point": linear_combination(terms).to_bytes().hex()})


@operation("hash-to-curve.point")
def hash_to_point(given: Json) -> Answer:
    """`message`, `dst`: the point."""
    message, dst = unhex(given["message"]), unhex(given["dst"])
    first, second = hash_to_field(message, dst, 2)
    steps = [
        ["uniform bytes", expand_message(message, dst, 96).hex()],
        ["u0", f"{first:064x}"],
        ["u1", f"{second:064x}"],
        ["Q0.x", f"{map_to_curve(first)[0]:064x}"],
        ["Q1.x", f"{map_to_curve(second)[0]:064x}"],
    ]
    return Answer({"point": hash_to_curve(message, dst).to_bytes().hex()}, steps)


@operation("constants.card")
def constants_card(given: Json) -> Answer:
    """`card`: its two points, of the card and of its suit."""
    card = parse_card(given["card"])
    return Answer(
        {
            "card_point": card_point(card).to_bytes().hex(),
            "suit_point": suit_point(Suit(card.suit)).to_bytes().hex(),
        }
    )


@operation("constants.generator")
def constants_generator(given: Json) -> Answer:
    """`index`: that generator of the shuffle."""
    point = shuffle_generators(given["index"] + 1)[-1]
    return Answer({"point": point.to_bytes().hex()})


@operation("constants.digest")
def constants(given: Json) -> Answer:
    """`generators`, how many: the digest of all constants."""
    return Answer({"digest": constants_digest(given["generators"]).hex()})
