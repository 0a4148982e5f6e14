"""Libraries that remember give what they would give, and refuse again what they refuse."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from protocol.group.point import ORDER, PublicKey
from protocol.wire.identity import BadSignature
from tests.remembered import PLAIN
from tests.table.bus import signing_key

SECRETS = [number.to_bytes(32, "big") for number in (1, 2, 3, 2**255 - 19, ORDER - 2)]
format_, multiply = PLAIN["format"], PLAIN["multiply"]
of_secret, combine = PLAIN["from_valid_secret"], PLAIN["combine_keys"]


def test_every_answer_is_the_librarys_whatever_was_asked_before() -> None:
    for secret, scalar, _again in product(SECRETS, SECRETS, range(2)):
        key = of_secret(secret)
        data = format_(key)
        for one in (
            PublicKey(data),
            PublicKey.from_valid_secret(secret),
            PublicKey(format_(key, False)),
        ):
            assert one.format() == data
            assert one.format(compressed=False) == format_(key, False)
            assert one.multiply(scalar).format() == format_(multiply(key, scalar))
            other = of_secret(scalar)
            total = int.from_bytes(secret, "big") + int.from_bytes(scalar, "big")
            if total % ORDER:
                assert PublicKey.combine_keys([one, other]).format() == format_(
                    combine([key, other])
                )


def test_what_is_refused_is_refused_again() -> None:
    key = PublicKey.from_valid_secret(SECRETS[1])
    opposite = PublicKey.from_valid_secret(SECRETS[-1])
    nowhere = b"\2" + (5).to_bytes(32, "big")
    for _again in range(3):
        for refused in (
            lambda: PublicKey(nowhere),
            lambda: key.multiply(bytes(32)),
            lambda: PublicKey.combine_keys([key, opposite]),
        ):
            with pytest.raises(ValueError):
                refused()


def test_a_signature_that_was_good_is_good_for_its_key_and_its_words_alone() -> None:
    key, other = signing_key(0), signing_key(1)
    good = key.sign(b"label", b"words")
    wrong: list[tuple[Any, bytes, bytes]] = [
        (other.public, good, b"words"),
        (key.public, good, b"other words"),
        (key.public, key.sign(b"label", b"other words"), b"words"),
    ]
    for _again in range(3):
        key.public.verify(good, b"label", b"words")
        for public, signature, words in wrong:
            with pytest.raises(BadSignature):
                public.verify(signature, b"label", words)
