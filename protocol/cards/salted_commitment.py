"""Salted SHA-256 commitments that a person can check by hand.

A commitment is the SHA-256 of one line of ASCII text, four fields between colons, the last three
in lower-case hexadecimal:

    p2p304/v1/card-commitment:<context>:<salt>:<value>

Context (32 bytes, a digest of where the commitment is made: table, hand, round, seat, slot) and
salt (32 bytes) have fixed widths and hexadecimal has no colon, so that no two openings share a
line. The context keeps a commitment from being copied by another seat or to another place, the
salt keeps its value from being guessed, the salt's derivation from the hand's seed keeps a crash
from losing it. To check one by hand, paste the three fields an opening shows:

    printf 'p2p304/v1/card-commitment:%s:%s:%s' CONTEXT SALT VALUE | sha256sum
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from protocol import labels
from protocol.encoding import digest
from protocol.errors import LocalError, ProofError

WIDTH: Final = 32  #: Bytes of a commitment, by SHA-256, of a context and of a salt (specs 4.8).


def derive_salt(*, seed: bytes, context: bytes) -> bytes:
    """Return the salt, 32 bytes, of the commitment made in `context`, derived from the hand's
    secret `seed`.

    The salt does not reveal the seed, and two contexts have different salts. Raises `LocalError`
    for a seed of fewer than 32 bytes or a context of another length than 32.
    """
    # At the least: it is hashed, so that more bytes do no harm.
    if len(seed) < WIDTH:
        raise LocalError(f"a seed has at least {WIDTH} bytes")
    _check_length("context", context)
    return digest(labels.COMMITMENT_SALT, seed, context)


def opening_line(*, context: bytes, salt: bytes, value: bytes) -> str:
    """Return the line of text whose SHA-256 is the commitment (specs/04-cards.md, 4.8).

    Raises `LocalError` for a context or salt of another length than 32 bytes.

    Args:
        context: where the commitment is made, 32 bytes, as `MessageContext.commitment_context`.
        salt: 32 bytes that `derive_salt` made for that context.
        value: what is committed to, of any length; a card is its two letters.
    """
    _check_length("context", context)
    _check_length("salt", salt)
    label = labels.CARD_COMMITMENT.decode("ascii")
    return f"{label}:{context.hex()}:{salt.hex()}:{value.hex()}"


def commit(*, context: bytes, salt: bytes, value: bytes) -> bytes:
    """Return the commitment to `value`, 32 bytes: the SHA-256 of its `opening_line`.

    Raises `LocalError` for a context or salt of another length than 32 bytes.
    """
    return sha256(opening_line(context=context, salt=salt, value=value).encode("ascii")).digest()


def verify_opening(commitment: bytes, *, context: bytes, salt: bytes, value: bytes) -> None:
    """Verify that `salt` and `value` open `commitment` in `context`.

    The context is the verifier's own; commitment, salt and value come from a peer. Raises
    `ProofError` with `commitment.length`, `commitment.salt-length`, `commitment.value` (not bytes)
    or `commitment.opening`.
    """
    # Exact types: a subclass of bytes could compare as it likes.
    if type(commitment) is not bytes or len(commitment) != WIDTH:
        raise ProofError("commitment.length")
    if type(salt) is not bytes or len(salt) != WIDTH:
        raise ProofError("commitment.salt-length")
    if type(value) is not bytes:
        raise ProofError("commitment.value")
    # In any time: all of it is public by now.
    if commit(context=context, salt=salt, value=value) != commitment:
        raise ProofError("commitment.opening")


def _check_length(name: str, data: bytes) -> None:
    """Raise `LocalError`, which calls the data `name`, unless it is 32 bytes."""
    # Exact: a bytearray could change after the check.
    if type(data) is not bytes or len(data) != WIDTH:
        raise LocalError(f"a {name} has exactly {WIDTH} bytes")
