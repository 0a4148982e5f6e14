"""Keys no honest seat has, signatures for one purpose only, frames that tell a stranger nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spake2 import ed25519_basic as curve

from protocol.encoding import frame
from protocol.errors import LocalError, MalformedMessage
from protocol.wire import edwards
from protocol.wire.identity import (
    FRAME_SIZES,
    MAX_PAYLOAD_BYTES,
    NO_SEAT,
    BadSignature,
    PublicKey,
    Seal,
)
from tests.table.resigning import TORSION, decoded, encoded, signature_with, times
from tests.table.seating import refused, seeded, signing_key

P = edwards.PRIME
# Every encoding of the eight points of small order, canonical and not.
_Y8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD83D3D706A17C7
SMALL_ORDER = [
    (y | sign << 255).to_bytes(32, "little")
    for y in (0, 1, P - 1, P, P + 1, _Y8, P - _Y8)
    for sign in (0, 1)
]


@pytest.mark.parametrize("data", SMALL_ORDER, ids=lambda data: data.hex()[:8] + data.hex()[-2:])
def test_a_key_of_small_order_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        PublicKey(data)


def test_a_signature_is_for_one_key_one_label_and_one_sequence_of_fields() -> None:
    key, other = signing_key(0), signing_key(1)
    signature = key.sign(b"label", b"ab", b"c")
    key.public.verify(signature, b"label", b"ab", b"c")
    attempts: tuple[Callable[[], None], ...] = (
        lambda: other.public.verify(signature, b"label", b"ab", b"c"),
        lambda: key.public.verify(signature, b"other", b"ab", b"c"),
        lambda: key.public.verify(signature, b"label", b"a", b"bc"),
        lambda: key.public.verify(signature, b"label", b"abc"),
        lambda: key.public.verify(signature[:-1], b"label", b"ab", b"c"),
    )
    for verify in attempts:
        with pytest.raises(BadSignature):
            verify()


def test_a_signature_with_s_beyond_the_order_is_refused() -> None:
    key = signing_key(0)
    signature = key.sign(b"label", b"x")
    s = int.from_bytes(signature[32:], "little") + edwards.ORDER
    with pytest.raises(BadSignature):
        key.public.verify(signature[:32] + s.to_bytes(32, "little"), b"label", b"x")


def test_signatures_on_which_verifiers_differ_are_refused() -> None:
    """R with a part of small order passes where verifiers multiply by the cofactor; R in another
    encoding passes where they decode it. With such an R a seat could divide live and offline."""
    key, nonce, text = signing_key(0), 31337, frame(b"label", b"x")
    plain, _ = signature_with(key, encoded(times(nonce)), nonce, text)
    key.public.verify(plain, b"label", b"x")  # the recipe is right

    beside = curve.add_elements(times(nonce), TORSION)
    cofactored, challenge = signature_with(key, encoded(beside), nonce, text)
    response = int.from_bytes(cofactored[32:], "little")
    right = curve.add_elements(beside, times(challenge, decoded(key.public.to_bytes())))
    assert encoded(times(8 * response)) == encoded(times(8, right))
    with pytest.raises(BadSignature):
        key.public.verify(cofactored, b"label", b"x")

    neutral, _ = signature_with(key, (1).to_bytes(32, "little"), 0, text)
    key.public.verify(neutral, b"label", b"x")  # strange and valid
    for other in (P + 1, 1 | 1 << 255):
        spelt, _ = signature_with(key, other.to_bytes(32, "little"), 0, text)
        with pytest.raises(BadSignature):
            key.public.verify(spelt, b"label", b"x")


def test_secrets_neither_print_nor_pickle() -> None:
    key, seal = signing_key(0), Seal(b"k" * 32, b"table")
    assert key.revealed_seed().hex() not in repr(key)
    assert "6b6b" not in repr(seal)
    for secret in (key, seal):
        with pytest.raises(LocalError):
            pickle.dumps(secret)


@given(st.binary(max_size=MAX_PAYLOAD_BYTES), st.integers(0, NO_SEAT))
@settings(max_examples=40)
def test_what_is_sealed_opens_in_one_of_few_sizes(payload: bytes, seat: int) -> None:
    seal = Seal(b"k" * 32, b"table")
    frame = seal.seal(payload, seat=seat, entropy=seeded("seal"))
    assert len(frame) in FRAME_SIZES
    opened = seal.open(frame)
    assert (opened.payload, opened.sealed_by) == (payload, seat)


def test_an_oversize_payload_is_our_own_error() -> None:
    with pytest.raises(LocalError):
        Seal(b"k" * 32, b"t").seal(bytes(MAX_PAYLOAD_BYTES + 1), seat=0, entropy=seeded("s"))


def test_frames_do_not_cross_tables_keys_or_seats() -> None:
    seal = Seal(b"k" * 32, b"table")
    frame = seal.seal(b"hello", seat=1, entropy=seeded("seal"))
    for other in (Seal(b"k" * 32, b"other"), Seal(b"j" * 32, b"table")):
        with pytest.raises(MalformedMessage):
            other.open(frame)
    # The same ciphertext under the hint of another seat is another seat's frame: refused.
    assert refused(seal.open, frame[:1] + bytes((frame[1] ^ 1 ^ 2,)) + frame[2:]) == "seal.tag"


def test_a_thousand_restarts_never_repeat_a_salt_and_nothing_in_a_frame_repeats() -> None:
    seal = Seal(b"k" * 32, b"table")
    frames = [
        seal.seal(b"same", seat=0, entropy=seeded(f"start {number}")) for number in range(1_000)
    ]
    assert len({frame[2:34] for frame in frames}) == 1_000
    assert len({frame[34:] for frame in frames}) == 1_000
    # The masked seat spreads over all values: the broker cannot group frames by sender.
    assert len({frame[1] for frame in frames}) > 200


@pytest.mark.parametrize("version", [0, 1, 3, 255])
def test_a_frame_of_another_version_is_refused_by_name(version: int) -> None:
    frame = Seal(b"k" * 32, b"table").seal(b"hello", seat=1, entropy=seeded("version"))
    assert refused(Seal(b"k" * 32, b"table").open, bytes((version,)) + frame[1:]) == "seal.version"


def test_topics_differ_by_table_and_tell_nothing() -> None:
    topics = {Seal(bytes((number,)) * 32, b"t").topic for number in range(50)}
    assert len(topics) == 50
    assert all(set(topic) <= set("abcdef0123456789p/") for topic in topics)
