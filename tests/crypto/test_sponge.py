"""The sponge against draft-irtf-cfrg-fiat-shamir's vectors, and its laws.

The field codecs of the draft (little-endian integers, extension fields) and its sumcheck example
are no part of the product: they stand here to run the remaining records, the example through the
product's own sponge.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalError, MalformedMessage
from protocol.proofs.ciphersuite import decode_scalar
from protocol.proofs.sponge import DuplexSponge, decode_uint, derive_session_id
from tests.crypto.draft_records import records
from tests.crypto.p256 import P256

MERSENNE = 2**31 - 1
SPONGE = records("fiatShamirShake128Vectors.json")
CODEC = records("fiatShamirCodecVectors.json")


class RefusedError(Exception):
    """A reference codec refuses its input."""


def test_the_drafts_fiat_shamir_vectors_are_there() -> None:
    assert len(SPONGE) == 13
    assert len(CODEC) == 13


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


def parse_uint(data: bytes, modulus: int) -> int:
    width = ((modulus - 1).bit_length() + 7) // 8
    value = int.from_bytes(data[:width], "little")
    if len(data) < width or value >= modulus:
        raise RefusedError
    return value


def format_varlen(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + data


def parse_varlen(data: bytes) -> bytes:
    length = int.from_bytes(data[:4], "little")
    if len(data) < 4 or len(data) - 4 < length:
        raise RefusedError
    return data[4 : 4 + length]


def verify_sumcheck(record: dict[str, Any]) -> int:
    """The draft's example protocol, its verifier: the last claim. Raises `RefusedError`."""
    narg = bytes.fromhex(record["Narg"])
    claim, rounds = number(record["ClaimedSum"]), record["NumVariables"]
    sponge = DuplexSponge(bytes.fromhex(record["SessionId"]))
    sponge.absorb(rounds.to_bytes(4, "little") + claim.to_bytes(4, "little"))
    for start in range(0, 8 * rounds, 8):
        message = narg[start : start + 8]
        constant, slope = parse_uint(message, MERSENNE), parse_uint(message[4:], MERSENNE)
        if (2 * constant + slope) % MERSENNE != claim:
            raise RefusedError
        sponge.absorb(message)
        challenge = decode_uint(sponge.squeeze(4), MERSENNE)
        claim = (constant + slope * challenge) % MERSENNE
    if len(narg) != 8 * rounds:
        raise RefusedError
    return claim


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
        case "SerializeVarLenString":
            assert format_varlen(bytes.fromhex(record["Input"])).hex() == record["Output"]
        case "SerializeField":
            encoded = number(record["Value"]).to_bytes(P256.scalar_bytes, "big")
            assert encoded.hex() == record["Output"]
            assert decode_scalar(P256(), encoded) == number(record["Value"])
        case "SerializeUint":
            data = bytes.fromhex(record["Output"])
            assert parse_uint(data, number(record["Modulus"])) == number(record["Value"])
        case "DeserializeUint":
            with pytest.raises(RefusedError):
                parse_uint(bytes.fromhex(record["Input"]), number(record["Modulus"]))
        case "DeserializeVarLenString":
            with pytest.raises(RefusedError):
                parse_varlen(bytes.fromhex(record["Input"]))
        case "DeserializeField":
            data, modulus = bytes.fromhex(record["Input"]), number(record["Modulus"])
            halves = (data[:32], data[32:])
            if record.get("Expected") == "reject":
                with pytest.raises(RefusedError):
                    [parse_uint(half, modulus) for half in halves]
            else:
                parsed = [parse_uint(half, modulus) for half in halves]
                assert parsed == [number(value) for value in record["Coordinates"]]
        case "Sumcheck" if record.get("Expected") == "reject":
            with pytest.raises(RefusedError):
                verify_sumcheck(record)
        case "Sumcheck":
            assert derive_session_id(bytes.fromhex(record["Tag"])).hex() == record["SessionId"]
            assert verify_sumcheck(record) == number(record["FinalEvaluation"])
        case other:
            pytest.fail(f"no check for {other}")


@pytest.mark.parametrize("record", SPONGE + CODEC, ids=lambda record: record["Id"])
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
    for data, name in ((bytes(31), "scalar.length"), (b"\xff" * 32, "scalar.range")):
        with pytest.raises(MalformedMessage) as caught:
            decode_scalar(P256(), data)
        assert caught.value.check == name
