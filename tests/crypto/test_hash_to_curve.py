"""RFC 9380's own vectors (appendix J.8.1 and the shape of section 5.3.1), step by step."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import labels
from protocol.errors import LocalError
from protocol.group.point import (
    curve_point,
    expand_message,
    hash_to_curve,
    hash_to_field,
    map_to_curve,
)
from tests.crypto.draft_records import records
from tests.crypto.p256 import SECP256K1

DST = b"QUUX-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_"
EXPANDER_DST = b"QUUX-V01-CS02-with-expander-SHA256-128"


VECTORS = records("rfc9380-secp256k1.json")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["Id"])
def test_every_step_matches_rfc_9380(vector: dict[str, Any]) -> None:
    message = vector["Msg"].encode()
    first, second, q0, q1, (x, y) = (
        tuple(int(number, 16) for number in pair)
        for pair in (vector["u"][:1], vector["u"][1:], vector["Q0"], vector["Q1"], vector["P"])
    )
    assert hash_to_field(message, DST, 2) == first + second
    assert (map_to_curve(*first), map_to_curve(*second)) == (q0, q1)
    assert curve_point(message, DST) == (x, y)
    assert hash_to_curve(message, DST).to_bytes() == bytes([2 + y % 2]) + x.to_bytes(32, "big")


def test_expanding_a_message_matches_rfc_9380_appendix_k() -> None:
    assert expand_message(b"", EXPANDER_DST, 32).hex() == (
        "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235"
    )
    assert expand_message(b"abc", EXPANDER_DST, 32).hex() == (
        "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615"
    )


def test_the_exceptional_input_zero_lands_on_the_curve() -> None:
    """Section 6.6.2's branch for a vanishing denominator, x = B / (Z · A)."""
    x, y = map_to_curve(0)
    assert (x, y) == SECP256K1.lifted(x, y & 1)
    assert x == 0xBF6CE2ABC92F03C7ABFB18752134ACC036B8E8EF46A7ED2634A86727C12D6AC1


@pytest.mark.parametrize("dst", [b"", b"x" * 256])
def test_a_tag_that_rfc_9380_does_not_allow_is_refused(dst: bytes) -> None:
    with pytest.raises(LocalError):
        hash_to_curve(b"abc", dst)


def test_too_many_bytes_of_one_message_are_refused() -> None:
    with pytest.raises(LocalError):
        expand_message(b"abc", DST, 255 * 32 + 1)


def test_points_of_our_own_tags_are_pinned() -> None:
    """Whoever changes a tag, or takes a generator from elsewhere, changes these points."""
    tags = (labels.CARD_POINT_DST, labels.SUIT_POINT_DST, labels.SHUFFLE_GENERATOR_DST)
    assert [hash_to_curve(b"pin", tag).to_bytes().hex() for tag in tags] == [
        "02f2f130ab94bbe1306b41d682a50114de2565ea94f1c9e85629169147a967d471",
        "038ecc911bf8a5cf99ba68f7d46418772c581e58db0d8f14e8a9df10afd0883699",
        "0208302b299b3c2eeadd648b47e7129df356e21373cd28661d1bd78bbbc8b1f4e7",
    ]
