"""The sponge against draft-irtf-cfrg-fiat-shamir's vectors, and its laws.

The draft's field codecs (little-endian integers, extension fields) and its sumcheck example are no
part of the product, and their records are not run.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalError
from protocol.proofs.ciphersuite import decode_scalar
from protocol.proofs.sponge import DuplexSponge, decode_uint, derive_session_id
from tests.crypto.dealing import refused
from tests.crypto.draft_records import records
from tests.crypto.p256 import P256

OURS = ("DuplexSponge", "DeriveSessionID", "DecodeUint", "SerializeField")
RECORDS = [
    record
    for name in ("fiatShamirShake128Vectors.json", "fiatShamirCodecVectors.json")
    for record in records(name)
    if record["Function"] in OURS
]


def number(value: int | str) -> int:
    return value if isinstance(value, int) else int(value, 16)


def replay(record: dict[str, Any]) -> bytes:
    sponge = DuplexSponge(bytes.fromhex(record["SessionId"]))
    output = b""
    for operation in record["Operations"]:
        if operation["type"] == "absorb":
            sponge.absorb(bytes.fromhex(operation["data"]))
        else:
            output += sponge.squeeze(operation["length"])
    return output


def check(record: dict[str, Any]) -> None:
    match record["Function"]:
        case "DuplexSponge":
            assert replay(record).hex() == record["Output"]
        case "DeriveSessionID":
            assert derive_session_id(bytes.fromhex(record["Tag"])).hex() == record["Output"]
        case "DecodeUint":
            squeezed = replay(record) if "Operations" in record else bytes.fromhex(record["Input"])
            assert squeezed.hex() == record.get("Output", record.get("Input"))
            assert number(record["Modulus"]) == P256.order
            assert decode_uint(squeezed, P256.order) == number(record["Challenge"])
            if "Operations" in record:
                sponge = DuplexSponge(bytes.fromhex(record["SessionId"]))
                sponge.absorb(bytes.fromhex(record["Operations"][0]["data"]))
                assert sponge.squeeze_scalar(P256.order) == number(record["Challenge"])
        case "SerializeField":
            encoded = number(record["Value"]).to_bytes(P256.scalar_bytes, "big")
            assert encoded.hex() == record["Output"]
            assert decode_scalar(P256(), encoded) == number(record["Value"])
        case other:
            pytest.fail(f"no check for {other}")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["Id"])
def test_a_vector_of_the_fiat_shamir_draft(record: dict[str, Any]) -> None:
    check(record)


@given(st.binary(), st.binary(), st.integers(0, 400), st.integers(0, 400))
def test_absorbing_and_squeezing_in_parts_is_the_same(
    first: bytes, second: bytes, short: int, long: int
) -> None:
    one, two = DuplexSponge(bytes(32)), DuplexSponge(bytes(32))
    one.absorb(first)
    one.absorb(second)
    two.absorb(first + second)
    assert one.squeeze(short) + one.squeeze(long) == two.squeeze(short + long)


def test_an_absorb_after_a_squeeze_changes_what_follows() -> None:
    one, two = DuplexSponge(bytes(32)), DuplexSponge(bytes(32))
    assert one.squeeze(16) == two.squeeze(16)
    one.absorb(b"x")
    assert one.squeeze(16) != two.squeeze(16)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_session_identifier_has_32_bytes(length: int) -> None:
    with pytest.raises(LocalError):
        DuplexSponge(bytes(length))


def test_a_challenge_uses_the_full_width_of_the_order() -> None:
    """FS7: no short and no biased challenges."""
    sponge = DuplexSponge(bytes(32))
    drawn = [sponge.squeeze_scalar(P256.order) for _ in range(64)]
    assert len(set(drawn)) == 64
    assert max(drawn).bit_length() > 250
    assert all(0 <= value < P256.order for value in drawn)


def test_a_scalar_of_another_width_or_above_the_order_is_refused() -> None:
    refused("scalar.length", decode_scalar, P256(), bytes(31))
    refused("scalar.range", decode_scalar, P256(), b"\xff" * 32)
