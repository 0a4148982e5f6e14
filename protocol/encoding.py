"""The one encoding of everything that is hashed, signed or saved: a strict subset of msgpack.

A value is an integer, bytes, text or an array of values; there are no maps, floats, booleans, nil,
extensions or timestamps. Every value has exactly one encoding. Decoding walks the bytes itself
first (types, shortest forms, declared lengths against what is really there, depth), so that msgpack
never allocates for a length that a stranger merely declared, and compares a re-encoding afterwards.
This is the only module that imports `msgpack`.
"""

from __future__ import annotations

from typing import Final, cast

import msgpack

from protocol.errors import LocalError, MalformedMessage

Value = int | bytes | str | tuple["Value", ...]
"""What can be encoded. Arrays are tuples."""

MAX_DEPTH: Final = 6
"""Arrays within arrays, the outermost counted as one."""

MAX_BYTES: Final = 16_000
"""The longest encoding that travels; a saved file may allow itself more."""

INT_MIN: Final = -(1 << 63)
INT_MAX: Final = (1 << 64) - 1


def encode(value: Value, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the canonical bytes of `value` (specs/03-encodings.md, 3.1).

    Raises LocalError for a value that is none (a list, a bool, a float, None, an integer beyond 64
    bits, text with NUL or a lone surrogate), that nests deeper than MAX_DEPTH, or that takes more
    than `max_bytes`.
    """
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
    if type(data) is not bytes:
        raise LocalError(f"decode takes bytes, not {type(data).__name__}")
    if len(data) > max_bytes:
        raise MalformedMessage("encoding.size", f"{len(data)} bytes, at most {max_bytes}")
    for start, end in _scan(data):
        text = data[start:end]
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedMessage("encoding.text", error.reason) from None
        if 0 in text:
            raise MalformedMessage("encoding.text", "NUL in text")
    # This leaves msgpack nothing to refuse: if it does, that is nobody's fault but ours.
    value = cast(
        Value,
        msgpack.unpackb(
            data,
            use_list=False,
            raw=False,
            strict_map_key=True,
            max_str_len=len(data),
            max_bin_len=len(data),
            max_array_len=len(data),
            max_map_len=0,
            max_ext_len=0,
        ),
    )
    if msgpack.packb(value, use_bin_type=True) != data:
        raise MalformedMessage("encoding.canonical", "re-encoding differs")
    return value


def _check_value(value: Value, *, depth: int) -> None:
    if type(value) is int:
        if not INT_MIN <= value <= INT_MAX:
            raise LocalError("an integer must fit 64 bits")
    elif type(value) is str:
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise LocalError("text must hold neither NUL nor surrogates")
    elif type(value) is tuple:
        if depth >= MAX_DEPTH:
            raise LocalError(f"arrays nest deeper than {MAX_DEPTH}")
        for item in value:
            _check_value(item, depth=depth + 1)
    elif type(value) is not bytes:
        raise LocalError(f"{type(value).__name__} has no encoding")


# First byte of each form with an explicit size: (bytes of the size, least size or value).
_UNSIGNED: Final = {0xCC: (1, 0x80), 0xCD: (2, 1 << 8), 0xCE: (4, 1 << 16), 0xCF: (8, 1 << 32)}
_NEGATIVE: Final = {
    0xD0: (1, -0x20),
    0xD1: (2, -(1 << 7)),
    0xD2: (4, -(1 << 15)),
    0xD3: (8, -(1 << 31)),
}
_TEXT: Final = {0xD9: (1, 0x20), 0xDA: (2, 1 << 8), 0xDB: (4, 1 << 16)}
_SHORT_TEXT: Final = range(0xA0, 0xC0)
_BINARY: Final = {0xC4: (1, 0), 0xC5: (2, 1 << 8), 0xC6: (4, 1 << 16)}
_ARRAY: Final = {0xDC: (2, 0x10), 0xDD: (4, 1 << 16)}


def _scan(data: bytes) -> list[tuple[int, int]]:
    """Refuse whatever is not the one canonical encoding of one value, before anything is built.

    Returns where each text begins and ends.
    """
    end = len(data)
    place = 0
    texts: list[tuple[int, int]] = []
    missing = [1]  # how many items each open array still awaits; the first is the whole
    while missing:
        if missing[-1] == 0:
            missing.pop()
            continue
        if place >= end:
            raise MalformedMessage("encoding.truncated", f"ends at byte {end}")
        missing[-1] -= 1
        first = data[place]
        place, length, is_array = _head(data, place)
        if length > end - place:  # every item of an array takes at least one byte
            raise MalformedMessage(
                "encoding.truncated", f"{length} declared, {end - place} bytes left"
            )
        if is_array:
            if len(missing) > MAX_DEPTH:
                raise MalformedMessage("encoding.depth", f"deeper than {MAX_DEPTH}")
            missing.append(length)
        else:
            if length and (first in _TEXT or first in _SHORT_TEXT):
                texts.append((place, place + length))
            place += length
    if place != end:
        raise MalformedMessage("encoding.trailing", f"{end - place} bytes too many")
    return texts


def _head(data: bytes, place: int) -> tuple[int, int, bool]:
    """Return where the head at `place` ends, how many bytes or items follow, and whether items."""
    first = data[place]
    after = place + 1
    if first <= 0x7F or first >= 0xE0:  # a small integer
        return after, 0, False
    if first in _SHORT_TEXT:
        return after, first & 0x1F, False
    if 0x90 <= first <= 0x9F:  # short array
        return after, first & 0x0F, True
    if first in _UNSIGNED:
        size, least = _UNSIGNED[first]
        if _number(data, after, size) < least:
            raise MalformedMessage("encoding.canonical", f"integer at byte {place} is too long")
        return after + size, 0, False
    if first in _NEGATIVE:
        size, bound = _NEGATIVE[first]
        number = _number(data, after, size) - (1 << 8 * size)
        if not -(1 << 8 * size - 1) <= number < bound:
            raise MalformedMessage("encoding.canonical", f"integer at byte {place} is too long")
        return after + size, 0, False
    for forms, is_array in ((_BINARY, False), (_TEXT, False), (_ARRAY, True)):
        if first in forms:
            size, least = forms[first]
            length = _number(data, after, size)
            if length < least:
                raise MalformedMessage("encoding.canonical", f"length at byte {place} is too long")
            return after + size, length, is_array
    raise MalformedMessage("encoding.type", f"form {first:#04x} at byte {place}")


def _number(data: bytes, place: int, size: int) -> int:
    if len(data) - place < size:
        raise MalformedMessage("encoding.truncated", f"ends at byte {len(data)}")
    return int.from_bytes(data[place : place + size], "big")
