"""Framed hashing: no field runs into the next, no label into another (attacks.md, FS3, FS4)."""

from __future__ import annotations

from hashlib import sha256, sha512, shake_256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import labels
from protocol.cards.secrets import expand
from protocol.encoding import digest, frame, wide_digest
from protocol.errors import LocalError

fields = st.lists(st.binary(max_size=12), max_size=5)


@given(fields, fields)
def test_two_sequences_of_fields_share_no_framing(first: list[bytes], second: list[bytes]) -> None:
    assert (frame(b"l", *first) == frame(b"l", *second)) == (first == second)


def test_shifting_a_byte_between_fields_changes_the_digest() -> None:
    assert (
        len({digest(b"l", b"ab", b"c"), digest(b"l", b"a", b"bc"), digest(b"la", b"b", b"c")}) == 3
    )
    assert digest(b"l", b"a") != digest(b"l", b"a", b"")


def test_the_bytes_are_as_specified() -> None:
    framed = bytes(7) + b"\5label" + bytes(7) + b"\2ab" + bytes(8)
    assert frame(b"label", b"ab", b"") == framed
    assert digest(b"label", b"ab", b"") == sha256(framed).digest()
    assert wide_digest(b"label", b"ab", b"") == sha512(framed).digest()


@given(st.binary(max_size=40), fields)
def test_what_is_drawn_from_a_seed_is_as_specified(seed: bytes, purpose: list[bytes]) -> None:
    draw = expand(seed, *purpose)
    for number in (1, 2):
        text = frame(labels.EXPANSION, seed, number.to_bytes(8, "big"), *purpose)
        assert draw(40) == shake_256(text).digest(40)


@pytest.mark.parametrize("field", ["ab", None, 7, bytearray(b"ab"), memoryview(b"ab")])
def test_only_bytes_are_hashed(field: object) -> None:
    with pytest.raises(LocalError):
        digest(b"l", field)  # type: ignore[arg-type]
    with pytest.raises(LocalError):
        digest(field)  # type: ignore[arg-type]
