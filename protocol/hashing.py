"""Domain-separated hashing of fields that cannot run into each other."""

from hashlib import sha256, sha512

from protocol.errors import LocalError

LENGTH_BYTES = 8


def frame(label: bytes, *fields: bytes) -> bytes:
    """Return the label and the fields, each behind its length (8 bytes, big-endian).

    The framing is injective: two different sequences never give the same bytes, so a hash over
    it cannot be confused by shifting a byte from one field to the next. Raises `LocalError` for
    a field that is not `bytes`.
    """
    parts: list[bytes] = []
    for field in (label, *fields):
        if type(field) is not bytes:
            raise LocalError(f"a hashed field must be bytes, not {type(field).__name__}")
        parts += (len(field).to_bytes(LENGTH_BYTES, "big"), field)
    return b"".join(parts)


def digest(label: bytes, *fields: bytes) -> bytes:
    """Return the SHA-256 (32 bytes) of the framed label and fields."""
    return sha256(frame(label, *fields)).digest()


def wide_digest(label: bytes, *fields: bytes) -> bytes:
    """Return the SHA-512 (64 bytes) of the framed label and fields, wide enough to reduce to a
    scalar."""
    return sha512(frame(label, *fields)).digest()
