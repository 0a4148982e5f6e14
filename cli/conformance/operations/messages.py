"""Operations on values, charters, envelopes and bodies (specs 3)."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from cli.conformance.answers import operation, unhex
from p2p304.plain_json import Answer, Json
from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import MAX_BYTES, Value, decode, encode
from protocol.hashing import frame
from protocol.wire.authenticate import open_said
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.identity import PublicKey
from protocol.wire.kinds import kind_of
from protocol.wire.messages import Message, RefereeWord, SignedMessage, decode_body, table_tag


def tagged(value: Value) -> Json:
    """Return a value as the line protocol writes it."""
    if isinstance(value, tuple):
        return {"array": [tagged(each) for each in value]}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, str):
        return {"text": value}
    return {"int": str(value)}


def untagged(given: Json) -> Value:
    """Return the value that `tagged` wrote so."""
    match given:
        case {"array": items}:
            return tuple(untagged(each) for each in items)
        case {"bytes": text}:
            return unhex(text)
        case {"text": str(text)}:
            return text
        case {"int": number}:
            return int(number)
        case _:
            raise ValueError(f"no value: {given}")


@operation("value.encode")
def value_encode(given: Json) -> Answer:
    """`value`: its encoding."""
    return Answer({"bytes": encode(untagged(given["value"]), max_bytes=1 << 20).hex()})


@operation("value.decode")
def value_decode(given: Json) -> Answer:
    """`bytes`: the value of a body."""
    return Answer({"value": tagged(decode(unhex(given["bytes"]), max_bytes=MAX_BYTES))})


@operation("charter.decode")
def charter_decode(given: Json) -> Answer:
    """`bytes`: the charter's digest, table tag, fingerprint and seats."""
    charter = Charter.from_bytes(unhex(given["bytes"]))
    return Answer(
        {
            "digest": charter.digest.hex(),
            "tag": table_tag(charter.digest).hex(),
            "fingerprint": charter.fingerprint,
            "nicknames": [each.nickname for each in charter.seats],
        }
    )


@operation("key.decode")
def key_decode(given: Json) -> Answer:
    """`bytes`: accepted if an honest seat can have this Ed25519 key."""
    PublicKey(unhex(given["bytes"]))
    return Answer({})


@operation("envelope.open")
def envelope_open(given: Json) -> Answer:
    """`charter`, `envelope`: seat, purpose, kind and id; also the faults of a body."""
    raw = unhex(given["envelope"])
    message = open_said(raw, Charter.from_bytes(unhex(given["charter"])))
    envelope = Envelope.from_bytes(raw)
    content = message.message.content if isinstance(message, SignedMessage) else message.content
    return Answer(
        {
            "seat": int(envelope.seat),
            "purpose": int(envelope.purpose),
            "kind": kind_of(content).name,
            "id": envelope.message_id.hex(),
        },
        [["what is signed, SHA-256", sha256(_signed(envelope, raw, given)).hexdigest()]],
    )


def _signed(envelope: Envelope, raw: bytes, given: Json) -> bytes:
    """Return the bytes that a signature covers (specs 3.3)."""
    charter = Charter.from_bytes(unhex(given["charter"])).digest
    return frame(labels.SIGNATURE, raw[:3], charter, envelope.body)


@operation("body.decode")
def body_decode(given: Json) -> Answer:
    """`purpose`, `body`: kind, place and fields."""
    body = unhex(given["body"])
    message = decode_body(Envelope(Purpose(given["purpose"]), Seat(0), bytes(64), body))
    kind = kind_of(message.content)
    output: dict[str, Any] = {"kind": kind.name, "table": message.table.hex()}
    if isinstance(message, Message):
        (lane, number), round_number, seat = message.place
        output |= {"lane": int(lane), "number": int(number), "round": round_number}
        output |= {"seat": int(seat), "previous": message.previous.hex()}
    elif isinstance(message, RefereeWord):
        output |= {"referee": message.referee}
    else:
        output |= {"seat": int(message.seat), "serial": message.serial}
    return Answer({**output, "fields": tagged(kind.record.to_value(message.content))})
