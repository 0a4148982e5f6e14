"""Salted commitments: binding, hiding by salt, bound to their place, checkable by hand."""

from __future__ import annotations

import shutil
import subprocess
from hashlib import sha256

import pytest

from protocol.cards import salted_commitment as module
from protocol.cards.salted_commitment import commit, derive_salt, opening_line, verify_opening
from protocol.errors import LocalError, ProofError

SEED = bytes(range(32))
CONTEXT = sha256(b"table 1, hand 2, trick 3, seat west").digest()
ELSEWHERE = sha256(b"table 1, hand 2, trick 3, seat east").digest()
SALT = derive_salt(seed=SEED, context=CONTEXT)
COMMITMENT = commit(context=CONTEXT, salt=SALT, value=b"JS")


def refused(commitment: bytes, context: bytes, salt: bytes, value: bytes) -> str:
    with pytest.raises(ProofError) as caught:
        verify_opening(commitment, context=context, salt=salt, value=value)
    return caught.value.check


def test_a_copied_commitment_and_its_copied_opening_fail_at_another_seat() -> None:
    """CM3."""
    assert refused(COMMITMENT, ELSEWHERE, SALT, b"JS") == "commitment.opening"


def test_every_bit_of_a_commitment_and_of_its_opening_counts() -> None:
    right = (COMMITMENT, CONTEXT, SALT, b"JS")
    for field, data in enumerate(right):
        for bit in range(8 * len(data)):
            changed = (int.from_bytes(data, "big") ^ 1 << bit).to_bytes(len(data), "big")
            given = (*right[:field], changed, *right[field + 1 :])
            assert refused(*given) == "commitment.opening"


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_other_lengths_are_refused(length: int) -> None:
    assert refused(bytes(length), CONTEXT, SALT, b"JS") == "commitment.length"
    assert refused(COMMITMENT, CONTEXT, bytes(length), b"JS") == "commitment.salt-length"
    with pytest.raises(LocalError):
        commit(context=bytes(length), salt=SALT, value=b"JS")
    with pytest.raises(LocalError):
        commit(context=CONTEXT, salt=bytes(length), value=b"JS")
    with pytest.raises(LocalError):
        verify_opening(COMMITMENT, context=bytes(length), salt=SALT, value=b"JS")


@pytest.mark.parametrize("wrong", ["JS", None, bytearray(b"JS"), 7])
def test_what_is_not_bytes_is_refused(wrong: object) -> None:
    assert refused(wrong, CONTEXT, SALT, b"JS") == "commitment.length"  # type: ignore[arg-type]
    assert refused(COMMITMENT, CONTEXT, wrong, b"JS") == "commitment.salt-length"  # type: ignore[arg-type]
    assert refused(COMMITMENT, CONTEXT, SALT, wrong) == "commitment.value"  # type: ignore[arg-type]


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
