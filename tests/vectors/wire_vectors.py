"""Vectors of the wire: topics and frames, another match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from cli.conformance.tables import seeded
from protocol import labels
from protocol.encoding import frame as encode_frame
from protocol.version import PROTOCOL_VERSION
from protocol.wire.contents import ANY_SEATING
from protocol.wire.identity import FRAME_SIZES, MAX_PAYLOAD_BYTES, NO_SEAT, Seal, derive_key
from tests.vectors.collect import Collector
from tests.vectors.hands import SAVED_HANDS


def sealing() -> Collector:
    """Topics and frames."""
    found = Collector("sealing", "topics, frames (7.1)")
    draw = seeded("sealing vectors")
    table_key, table, salt = draw(32), draw(16), draw(32)
    common = {"table_key": table_key.hex(), "table": table.hex()}
    found.accept("seal.topic", "a topic", **common)
    found.accept("seal.topic", "another table's", table_key=table_key.hex(), table="00" * 16)
    found.accept("seal.topic", "another key's", table_key="07" * 32, table=table.hex())
    seal = Seal(table_key, table)
    for about, payload, seat, strange, *room in (
        ("a short payload", b"\1abc", 0, False),
        ("a seat's", b"\1abc", 3, False),
        ("of somebody without a seat", b"L\x90", NO_SEAT, False),
        ("nothing", b"", 0, True),
        ("as much as the small frame holds", b"x" * 972, 1, True),
        ("a byte more", b"x" * 973, 1, True),
        ("as much as the second size holds", b"x" * 1_996, 1, True),
        ("more than the second size holds", b"x" * 1_997, 1, True),
        ("a short payload with room for what the second size holds", b"\1abc", 1, False, 1_996),
        ("a short payload with room for a byte more", b"\1abc", 1, False, 1_997),
        ("a short payload in the largest frame", b"\1abc", 1, False, MAX_PAYLOAD_BYTES),
        ("room for less than there is", b"x" * 1_000, 1, False, 900),
        ("more than the third size holds", b"x" * 4_045, 1, True),
    ):
        found.accept("seal.seal", about, **common, seat=seat, salt=salt.hex(), strange=strange,
                     payload=payload.hex(), room=room[0] if room else 0)  # fmt: skip
        frame = found.rows[-1]["output"]["frame"]
        found.accept("seal.open", f"{about}, opened", **common, frame=frame, strange=strange)
    frame = seal.seal(b"\1abc", seat=2, entropy=lambda length: salt[:length])
    base = found.accept("seal.open", "from which the faults are made", **common, frame=frame.hex())

    def fault(about: str, expect: str, data: bytes) -> None:
        found.reject(base, about, expect, frame=data.hex())

    fault("a byte less", "seal.size", frame[:-1])
    fault("a byte more", "seal.size", frame + b"\0")
    fault("nothing", "seal.size", b"")
    fault("version 1", "seal.version", b"\1" + frame[1:])
    fault("version 3", "seal.version", b"\3" + frame[1:])
    for at in (1, 2, 33, 34, 500, 1023):
        changed = bytearray(frame)
        changed[at] ^= 1
        fault(f"a bit of byte {at}", "seal.tag", bytes(changed))
    sealed = (
        ("a length beyond the frame", (973).to_bytes(2, "big") + b"\1abc", 1_024),
        ("a last byte that is not zero", b"\0\4\1abc" + bytes(967) + b"\1", 1_024),
        ("a first byte behind it that is not zero", b"\0\4\1abc\1", 1_024),
        ("a length of nothing before bytes", b"\0\0\1abc", 1_024),
    )
    for about, start, size in sealed:
        fault(about, "seal.padding", _padded_by_hand(table_key, table, frame[:34], start, size))
    found.reject(base, "another key", "seal.tag", table_key="07" * 32)
    found.reject(base, "another table", "seal.tag", table="00" * 16)
    assert FRAME_SIZES[-1] - 52 == MAX_PAYLOAD_BYTES
    return found


def _padded_by_hand(table_key: bytes, table: bytes, head: bytes, start: bytes, size: int) -> bytes:
    """A frame of seat 2 whose padding is not as it must be."""
    seat_key = derive_key(table_key, labels.SEAL_SEAT_KEY, table, b"\2")
    frame_key = derive_key(seat_key, labels.SEAL_FRAME_KEY, head[2:])
    associated = encode_frame(labels.SEAL_ASSOCIATED, bytes((PROTOCOL_VERSION, 2)), table)
    padded = start + bytes(size - 50 - len(start))
    return head + ChaCha20Poly1305(frame_key).encrypt(bytes(12), padded, associated)


def rematch() -> Collector:
    """The table of another match."""
    found = Collector("rematch", "charter, key and token of another match in other seats (5.7)")
    draw = seeded("rematch vectors")
    agreed = replace(SAVED_HANDS["passed-out"].rehearsed().charter, profile="a short profile")
    common: dict[str, Any] = {"table_key": draw(32).hex(), "token": draw(16).hex()}
    common |= {"charter": agreed.to_bytes().hex(), "after": draw(32).hex()}
    base = found.accept("rematch.charter", "other partners", seating=1, **common)
    found.accept("rematch.charter", "the other seating of four", seating=2, **common)
    other = {**common, "after": draw(32).hex()}
    found.accept("rematch.charter", "after another hand", seating=1, **other)
    three = replace(agreed, seats=agreed.seats[:3])
    found.accept("rematch.charter", "three seats", seating=1,
                 **{**common, "charter": three.to_bytes().hex()})  # fmt: skip
    for about, seating in (("as they sit", 0), ("more than there are", 3), ("any", ANY_SEATING)):
        found.reject(base, about, "rematch.seating", seating=seating)
    return found
