"""Framed hashing, the sponge, commitments and the place of a proof."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from hashlib import sha256, sha512, shake_256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import labels
from protocol.cards import salted_commitment as module
from protocol.cards.salted_commitment import commit, derive_salt, opening_line, verify_opening
from protocol.cards.secrets import expand
from protocol.encoding import digest, frame, wide_digest
from protocol.errors import LocalError, ProofError
from protocol.proofs.ciphersuite import decode_scalar
from protocol.proofs.sponge import DuplexSponge, decode_uint, derive_session_id
from tests.crypto.dealing import context, other_contexts, refused
from tests.crypto.draft_records import records
from tests.crypto.p256 import P256

# --- digest ---------------------------------------------------------------------------------------

# Framed hashing: no field runs into the next, no label into another (attacks.md, FS3, FS4).

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


# --- sponge ---------------------------------------------------------------------------------------

# The sponge against draft-irtf-cfrg-fiat-shamir's vectors, and its laws.
#
# The sponge against the vectors of draft-irtf-cfrg-fiat-shamir, and its laws.
# part of the product, and their records are not run.

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


# --- commitment -----------------------------------------------------------------------------------

# Salted commitments: binding, hiding by salt, bound to their place, checkable by hand.

SEED = bytes(range(32))
CONTEXT = sha256(b"table 1, hand 2, trick 3, seat west").digest()
ELSEWHERE = sha256(b"table 1, hand 2, trick 3, seat east").digest()
SALT = derive_salt(seed=SEED, context=CONTEXT)
COMMITMENT = commit(context=CONTEXT, salt=SALT, value=b"JS")


def refused_opening(commitment: bytes, context: bytes, salt: bytes, value: bytes) -> str:
    with pytest.raises(ProofError) as caught:
        verify_opening(commitment, context=context, salt=salt, value=value)
    return caught.value.check


def test_a_copied_commitment_and_its_copied_opening_fail_at_another_seat() -> None:
    """CM3."""
    assert refused_opening(COMMITMENT, ELSEWHERE, SALT, b"JS") == "commitment.opening"


def test_every_bit_of_a_commitment_and_of_its_opening_counts() -> None:
    right = (COMMITMENT, CONTEXT, SALT, b"JS")
    for field, data in enumerate(right):
        for bit in range(8 * len(data)):
            changed = (int.from_bytes(data, "big") ^ 1 << bit).to_bytes(len(data), "big")
            given = (*right[:field], changed, *right[field + 1 :])
            assert refused_opening(*given) == "commitment.opening"


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_other_lengths_are_refused(length: int) -> None:
    assert refused_opening(bytes(length), CONTEXT, SALT, b"JS") == "commitment.length"
    assert refused_opening(COMMITMENT, CONTEXT, bytes(length), b"JS") == "commitment.salt-length"
    with pytest.raises(LocalError):
        commit(context=bytes(length), salt=SALT, value=b"JS")
    with pytest.raises(LocalError):
        commit(context=CONTEXT, salt=bytes(length), value=b"JS")
    with pytest.raises(LocalError):
        verify_opening(COMMITMENT, context=bytes(length), salt=SALT, value=b"JS")


@pytest.mark.parametrize("wrong", ["JS", None, bytearray(b"JS"), 7])
def test_what_is_not_bytes_is_refused(wrong: object) -> None:
    assert refused_opening(wrong, CONTEXT, SALT, b"JS") == "commitment.length"  # type: ignore[arg-type]
    assert refused_opening(COMMITMENT, CONTEXT, wrong, b"JS") == "commitment.salt-length"  # type: ignore[arg-type]
    assert refused_opening(COMMITMENT, CONTEXT, SALT, wrong) == "commitment.value"  # type: ignore[arg-type]


def test_without_a_salt_a_commitment_is_guessed_and_with_one_it_is_not() -> None:
    """CM1: all 32 cards against the digest."""
    cards = [f"{rank}{suit}".encode() for rank in "J9AXKQ87" for suit in "CDHS"]
    weak = sha256(b"JS").digest()
    assert [card for card in cards if sha256(card).digest() == weak] == [b"JS"]
    guesses = [
        card
        for card in cards
        for salt in (bytes(32), CONTEXT, sha256(CONTEXT).digest())
        if commit(context=CONTEXT, salt=salt, value=card) == COMMITMENT
    ]
    assert guesses == []


def test_a_salt_comes_back_after_a_crash_and_is_another_one_elsewhere() -> None:
    """CM4."""
    assert derive_salt(seed=SEED, context=CONTEXT) == SALT
    salts = {
        derive_salt(seed=seed, context=context)
        for seed in (SEED, SEED[::-1])
        for context in (CONTEXT, ELSEWHERE)
    }
    assert len(salts) == 4
    with pytest.raises(LocalError):
        derive_salt(seed=SEED[:31], context=CONTEXT)


def test_no_two_openings_share_a_line() -> None:
    openings = [
        (context, salt, value)
        for context in (CONTEXT, ELSEWHERE)
        for salt in (SALT, bytes(32))
        for value in (b"", b":", b"JS", SALT, b"\0JS")
    ]
    lines = {opening_line(context=c, salt=s, value=v) for c, s, v in openings}
    assert len(lines) == len(openings)
    assert all(line.isascii() and line.count(":") == 3 for line in lines)


def test_the_documented_command_gives_the_same_digest() -> None:
    """The one-liner of the module's docstring, run as a person would."""
    shell, tool = shutil.which("sh"), shutil.which("sha256sum")
    if shell is None or tool is None:
        pytest.skip("no sh or no sha256sum here")
    (command,) = [
        line.strip() for line in (module.__doc__ or "").splitlines() if "| sha256sum" in line
    ]
    for name, data in (("CONTEXT", CONTEXT), ("SALT", SALT), ("VALUE", b"JS")):
        command = command.replace(name, data.hex())
    output = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=True)
    assert output.stdout.split()[0] == COMMITMENT.hex()


# --- context --------------------------------------------------------------------------------------

# The place of a proof: every field counts, and no field can be mistaken for another.

HERE = context(2, "Action", 9)


def test_every_field_gives_another_identifier() -> None:
    places = [HERE, *other_contexts(HERE), HERE.part(0), HERE.part(1), HERE.part(1).part(1)]
    identifiers = {place.session_identifier(b"purpose") for place in places}
    identifiers |= {
        HERE.session_identifier(b"other"),
        HERE.session_identifier(b"purpose", b""),
        HERE.session_identifier(b"purpose", b"detail"),
        HERE.session_identifier(b"purpose", b"detail", b""),
    }
    assert len(identifiers) == len(places) + 4
    assert {len(each) for each in identifiers} == {32}


def test_a_byte_moved_between_fields_gives_another_identifier() -> None:
    left = replace(HERE, table=b"ab", ledger=b"c")
    right = replace(HERE, table=b"a", ledger=b"bc")
    assert left.session_identifier(b"x") != right.session_identifier(b"x")
    assert HERE.session_identifier(b"xy", b"z") != HERE.session_identifier(b"x", b"yz")


def test_the_identifier_is_as_specified() -> None:
    """The digest of all fields in order, numbers as four bytes, behind its label."""
    four = [number.to_bytes(4, "big") for number in (HERE.version, HERE.attempt, 9, 2)]
    assert HERE.session_identifier(b"purpose", b"detail") == digest(
        b"p2p304/v1/proof-context",
        four[0],
        HERE.table,
        HERE.ledger,
        four[1],
        four[2],
        four[3],
        b"Action",
        HERE.history,
        b"purpose",
        b"detail",
    )


@pytest.mark.parametrize("field", ["version", "attempt", "round", "seat"])
@pytest.mark.parametrize("number", [-1, 2**32, True, 1.0, "1", None])
def test_a_number_that_does_not_fit_is_refused(field: str, number: object) -> None:
    with pytest.raises(LocalError):
        replace(HERE, **{field: number})  # type: ignore[arg-type]
    assert replace(HERE, **{field: 2**32 - 1}) != HERE  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["table", "ledger", "history"])
@pytest.mark.parametrize("data", ["text", bytearray(4), None, 4])
def test_an_identifier_that_is_not_bytes_is_refused(field: str, data: object) -> None:
    with pytest.raises(LocalError):
        replace(HERE, **{field: data})  # type: ignore[arg-type]
