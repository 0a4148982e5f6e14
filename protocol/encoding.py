"""The one encoding, a strict subset of msgpack, and the one hash of whatever is signed or saved.

A value is an integer, bytes, text or an array of values; there are no maps, floats, booleans, nil,
extensions or timestamps. Every value has exactly one encoding. Decoding walks the bytes itself
first (types, shortest forms, declared lengths against what is really there, depth), so that msgpack
never allocates for a length that a stranger merely declared, and compares a re-encoding afterwards.
This is the only module that imports `msgpack`.
"""

from __future__ import annotations

from hashlib import sha256, sha512
from typing import Final, cast

import msgpack

from protocol.bounds import MAX_BYTES, MAX_DEPTH
from protocol.errors import LocalError, MalformedMessage

Value = int | bytes | str | tuple["Value", ...]  #: What can be encoded. Arrays are tuples.


# What msgpack can write in eight bytes, with a sign and without.
INT_MIN: Final = -(1 << 63)
INT_MAX: Final = (1 << 64) - 1


def encode(value: Value, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the canonical bytes of `value` (specs/03-encodings.md, 3.1).

    Raises LocalError for a value that is none (a list, a bool, a float, None, an integer beyond 64
    bits, text with NUL or a lone surrogate), that nests deeper than MAX_DEPTH, or that takes more
    than `max_bytes`.
    """
    # First, because msgpack would take lists, floats and maps too.
    _check_value(value, depth=0)
    data = cast(bytes, msgpack.packb(value, use_bin_type=True))
    if len(data) > max_bytes:
        raise LocalError(f"encoding takes {len(data)} bytes, more than {max_bytes}")
    return data


def decode(data: bytes, *, max_bytes: int = MAX_BYTES) -> Value:
    """Return the value that `data` encodes: all of these bytes, in their one canonical form.

    Raises MalformedMessage with the check `encoding.size` (more than `max_bytes`), `.type`,
    `.canonical`, `.truncated`, `.trailing`, `.depth` or `.text`, and LocalError for what is not
    `bytes`. Errors speak of sizes and places, never of content.
    """
    # `type`: a bytearray could change while it is read.
    if type(data) is not bytes:
        raise LocalError(f"decode takes bytes, not {type(data).__name__}")
    if len(data) > max_bytes:
        raise MalformedMessage("encoding.size", f"{len(data)} bytes, at most {max_bytes}")
    # Before msgpack sees anything: it would allocate what a length declares (MP7).
    for start, end in _scan(data):
        text = data[start:end]
        try:
            # For the error alone: msgpack builds the text below.
            text.decode("utf-8")
        # Only `reason`: the error itself would print what a stranger sent.
        except UnicodeDecodeError as error:
            raise MalformedMessage("encoding.text", error.reason) from None
        # Some libraries end a text at NUL, and would show another name than was signed.
        if 0 in text:
            raise MalformedMessage("encoding.text", "NUL in text")
    # This leaves msgpack nothing to refuse: if it does, that is nobody's fault but ours.
    value = cast(
        Value,
        msgpack.unpackb(
            data,
            use_list=False,
            # No form of a map or an extension passed the scan; msgpack is told all the same.
            max_map_len=0,
            max_ext_len=0,
        ),
    )
    # A second opinion on the scan: one value must have one encoding (MP1).
    if msgpack.packb(value, use_bin_type=True) != data:
        raise MalformedMessage("encoding.canonical", "re-encoding differs")
    return value


def _check_value(value: Value, *, depth: int) -> None:
    """Return if `value`, which stands inside `depth` arrays, can be encoded; else raise
    LocalError.
    """
    # `type`: True is an int, and would be encoded as another value.
    if type(value) is int:
        if not INT_MIN <= value <= INT_MAX:
            raise LocalError("an integer must fit 64 bits")
    elif type(value) is str:
        # A surrogate has no UTF-8.
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise LocalError("text must hold neither NUL nor surrogates")
    elif type(value) is tuple:
        # So that a decoder that calls itself cannot be driven deep (MP8).
        if depth >= MAX_DEPTH:
            raise LocalError(f"arrays nest deeper than {MAX_DEPTH}")
        for item in value:
            _check_value(item, depth=depth + 1)
    elif type(value) is not bytes:
        raise LocalError(f"{type(value).__name__} has no encoding")


# The kinds of values that a first byte tells; the numbers mean nothing outside `_scan`.
_NUMBER, _BINARY, _TEXT, _ARRAY = range(4)
# Above whatever the bytes hold: all that is not too small is in its shortest form.
_ANY: Final = 1 << 64
# What a first byte says: the kind of value, in how many bytes its number or length follows, the
# least that these bytes are for, and what they stay below. Without such bytes the least is all.
_FORMS: Final = {
    **dict.fromkeys((*range(0x80), *range(0xE0, 0x100)), (_NUMBER, 0, 0, 0)),
    0xCC: (_NUMBER, 1, 0x80, _ANY),
    0xCD: (_NUMBER, 2, 1 << 8, _ANY),
    0xCE: (_NUMBER, 4, 1 << 16, _ANY),
    0xCF: (_NUMBER, 8, 1 << 32, _ANY),
    # Negative ones, read without their sign: -1 is the highest number, and those from the limit on
    # (-32 to -1 for 0xD0) have a shorter form.
    0xD0: (_NUMBER, 1, 1 << 7, (1 << 8) - 0x20),
    0xD1: (_NUMBER, 2, 1 << 15, (1 << 16) - (1 << 7)),
    0xD2: (_NUMBER, 4, 1 << 31, (1 << 32) - (1 << 15)),
    0xD3: (_NUMBER, 8, 1 << 63, (1 << 64) - (1 << 31)),
    0xC4: (_BINARY, 1, 0, _ANY),
    0xC5: (_BINARY, 2, 1 << 8, _ANY),
    0xC6: (_BINARY, 4, 1 << 16, _ANY),
    **{0xA0 | length: (_TEXT, 0, length, 0) for length in range(0x20)},
    0xD9: (_TEXT, 1, 0x20, _ANY),
    0xDA: (_TEXT, 2, 1 << 8, _ANY),
    0xDB: (_TEXT, 4, 1 << 16, _ANY),
    **{0x90 | length: (_ARRAY, 0, length, 0) for length in range(0x10)},
    0xDC: (_ARRAY, 2, 0x10, _ANY),
    0xDD: (_ARRAY, 4, 1 << 16, _ANY),
}


def _scan(data: bytes) -> list[tuple[int, int]]:
    """Raise MalformedMessage unless `data` is the one canonical encoding of one value; build
    nothing.

    Return where each text that is not empty begins and ends. What the texts hold is not checked.
    """
    end, place = len(data), 0
    texts: list[tuple[int, int]] = []
    missing = 1  # how many items the innermost open array still awaits; first of all the whole
    outer: list[int] = []  # how many those around it do
    while missing or outer:
        if not missing:
            missing = outer.pop()
            continue
        if place >= end:
            raise MalformedMessage("encoding.truncated", f"ends at byte {end}")
        missing -= 1
        # Nil, booleans, floats, maps, extensions and 0xC1 have no form.
        form = _FORMS.get(data[place])
        if form is None:
            raise MalformedMessage("encoding.type", f"form {data[place]:#04x} at byte {place}")
        kind, size, length, limit = form
        place += 1
        if size:
            if end - place < size:
                raise MalformedMessage("encoding.truncated", f"ends at byte {end}")
            # Behind such bytes the third number of the form is the least that they may say.
            least, length = length, int.from_bytes(data[place : place + size], "big")
            # A shorter form would hold it: two encodings of one value (MP1).
            if not least <= length < limit:
                raise MalformedMessage("encoding.canonical", f"too long at byte {place - 1}")
            place += size
        if kind == _NUMBER:
            continue
        if length > end - place:  # every item of an array takes at least one byte
            raise MalformedMessage(
                "encoding.truncated", f"{length} declared, {end - place} bytes left"
            )
        if kind == _ARRAY:
            if len(outer) >= MAX_DEPTH:
                raise MalformedMessage("encoding.depth", f"deeper than {MAX_DEPTH}")
            outer.append(missing)
            missing = length
        else:
            if kind == _TEXT and length:
                texts.append((place, place + length))
            place += length
    if place != end:
        raise MalformedMessage("encoding.trailing", f"{end - place} bytes too many")
    return texts


# --- domain-separated hashing of fields that cannot run into each other ---------------------------

# Of every field, so that no byte can move from one to the next (FS4). Eight fit any length, so that
# no field is too long.
LENGTH_BYTES = 8


def frame(label: bytes, *fields: bytes) -> bytes:
    """Return the label and the fields, each behind its length (8 bytes, big-endian).

    The framing is injective: two different sequences never give the same bytes, so a hash over
    it cannot be confused by shifting a byte from one field to the next. Raises `LocalError` for
    a field that is not `bytes`.
    """
    parts: list[bytes] = []
    for field in (label, *fields):
        # Exact: a bytearray could change after the check.
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
    # 64 bytes modulo a 256-bit order have no bias that could be noticed.
    return sha512(frame(label, *fields)).digest()
