"""The bytes of every card message from a fixed seed: a change of bytes is a change of protocol.

A proof depends on everything that its challenges absorb, on every label, generator and order of
fields. Whoever changes a pin changes the specification and its version with it.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.crypto.test_card_mutations import MAKERS

PINS = {
    "keys": "3536b0a4ab91fcfbb2a3f872fb379fce",
    "shuffle": "9b7885745be48d07b08a0d2560476007",
    "shares": "ad14f681c66529a5f712a5771d9bcd3b",
    "hand-over": "064251595785d20c3a62339f795bbc2b",
    "remix": "ad7d93521263380dc1f1170b22f17a1b",
    "opening": "42dbe58ecb7e315e6bb7b4ece02598a7",
    "suit opening": "fa8400f6cd621bb8290e6aedb2c46630",
    "none of suit": "a7a48708d31bb7f8bf69b4ef9295fe30",
    "suits differ": "809c2bf52e8cb3b7371dbd2c19a6a963",
    "any of": "e4f879f9412fd123e6b57b30a9107c9d",
    "points below": "936c789c18935a22467e1963f8713c39",
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_gives_the_same_bytes_for_ever(name: str) -> None:
    assert sha256(MAKERS[name](f"pin {name}").data).hexdigest()[:32] == PINS.get(name)
