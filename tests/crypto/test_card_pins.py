"""The bytes of every card message from a fixed seed: a change of bytes is a change of protocol.

A proof depends on everything that its challenges absorb, on every label, generator and order of
fields. Whoever changes a pin changes the specification and its version with it.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.crypto.card_messages import MAKERS

PINS = {
    "keys": "3536b0a4ab91fcfbb2a3f872fb379fce",
    "shuffle": "9b7885745be48d07b08a0d2560476007",
    "shares": "ad14f681c66529a5f712a5771d9bcd3b",
    "hand-over": "064251595785d20c3a62339f795bbc2b",
    "remix": "ad7d93521263380dc1f1170b22f17a1b",
    "opening": "42dbe58ecb7e315e6bb7b4ece02598a7",
    "suit opening": "fa8400f6cd621bb8290e6aedb2c46630",
    "not this card": "1b4acd594ee0a265df36bbf4f29ebc93",
    "none of suit": "70706c629f73238f024b57722cc772f1",
    "suits differ": "853c4d4f1527933b430b8150ed240c26",
    "any of": "95d96873f6242a509ccaec6432b6f991",
    "points below": "3d6ebecdfb183ae105a0a922d13e79bd",
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_gives_the_same_bytes_for_ever(name: str) -> None:
    assert sha256(MAKERS[name](f"pin {name}").data).hexdigest()[:32] == PINS.get(name)
