"""Operations on values, charters, envelopes, frames, the lobby and codes (specs 3, 5.7, 7)."""

from __future__ import annotations

from typing import Any

from cli.invite import Invite
from cli.net.address import format_nodes
from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import MAX_BYTES
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.code import Code, topic_of
from protocol.wire.code_exchange import ExchangeId, KeySide, confirmation, host_id, password
from protocol.wire.code_messages import (
    MESSAGES,
    OpenMessage,
    SealedMessage,
    from_frame,
    from_payload,
)
from protocol.wire.contents import KIND_OF
from protocol.wire.identity import Envelope, PublicKey, Purpose, Seal, derive_key
from protocol.wire.lobby import Presence
from protocol.wire.messages import (
    Message,
    RefereeWord,
    decode_body,
    open_table_message,
)
from protocol.wire.rematch import next_charter, next_key, next_token
from protocol.wire.schema import to_value
from tests.vectors.answers import READERS
from tests.vectors.plain_json import Json


def tag(value: Value) -> Json:
    """Return a value as JSON of the line protocol: an object with one member, "array", "bytes"
    (hexadecimal), "text" or "int" (as text).
    """
    if isinstance(value, tuple):
        return {"array": [tag(each) for each in value]}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, str):
        return {"text": value}
    # As text: integers have 64 bits, and many programs read JSON's as floating numbers.
    return {"int": str(value)}


def value_of(given: Json) -> Value:
    """Return the value that JSON made by `tag` stands for; raises ValueError for any other JSON."""
    match given:
        case {"array": items}:
            return tuple(value_of(each) for each in items)
        case {"bytes": text}:
            return bytes.fromhex(text)
        case {"text": str(text)}:
            return text
        case {"int": number}:
            return int(number)
        case _:
            raise ValueError(f"no value: {given}")


# A key is checked as it is made: order and form (attacks CH8).
READERS[PublicKey] = lambda text: PublicKey(bytes.fromhex(text))


def value_encode(value: Any) -> Json:
    """`value`: its encoding."""
    # Larger than a message may be: vectors also encode what is too large to send.
    return {"bytes": encode(value_of(value), max_bytes=1 << 20)}


def value_decode(bytes_: bytes) -> Json:
    """`bytes`: the value of a body."""
    return {"value": tag(decode(bytes_, max_bytes=MAX_BYTES))}


def charter_decode(bytes_: Charter) -> Json:
    """`bytes`: the charter's digest, table tag, fingerprint and seats."""
    return {
        "digest": bytes_.digest,
        "tag": bytes_.tag,
        "fingerprint": bytes_.fingerprint,
        "nicknames": [each.nickname for each in bytes_.seats],
    }


def key_decode(bytes_: PublicKey) -> Json:
    """`bytes`: accepted if an honest seat can have this Ed25519 key."""
    del bytes_  # it is one, which is all that is asked
    return {}


def envelope_open(charter: Charter, envelope: bytes) -> Json:
    """`charter`, `envelope`: seat, purpose, kind and id; also the faults of a body."""
    # Notices and rulings, too; a body that is dropped has a check's name of its own (specs 3.3).
    message = open_table_message(envelope, charter)
    opened = Envelope.from_bytes(envelope)
    content = message.content
    return {
        "seat": int(opened.seat),
        "purpose": int(opened.purpose),
        "kind": KIND_OF[type(content)].name,
        "id": opened.message_id,
    }


def body_decode(purpose: int, body: bytes) -> Json:
    """`purpose`, `body`: kind, place and fields."""
    # Seat and signature are not looked at: the body alone is decoded.
    message = decode_body(Envelope(Purpose(purpose), Seat(0), bytes(64), body))
    kind = KIND_OF[type(message.content)]
    output: Json = {"kind": kind.name, "table": message.table}
    if isinstance(message, Message):
        (lane, number), round_number, seat = message.place
        output |= {"lane": int(lane), "number": int(number), "round": round_number}
        output |= {"seat": int(seat), "previous": message.previous}
    elif isinstance(message, RefereeWord):
        output |= {"referee": message.referee}
    else:
        output |= {"seat": int(message.seat), "serial": message.serial}
    return {**output, "fields": tag(to_value(kind.record, message.content))}


# --- frames, invites, the lobby -------------------------------------------------------------------


def seal_topic(table_key: bytes, table: bytes) -> Json:
    """`table_key`, `table`: the topic."""
    return {"topic": Seal(table_key, table).topic}


def seal_seal(
    table_key: bytes, table: bytes, seat: int, salt: bytes, payload: bytes, room: int
) -> Json:
    """`table_key`, `table`, `seat` (255 for nobody), `salt`, `payload`, `room`: the frame, which
    also holds a payload of `room` bytes."""
    seal = Seal(table_key, table)
    # The salt is given: a frame would be another one each time (attacks MQ11).
    return {"frame": seal.seal(payload, seat=seat, entropy=lambda n: salt[:n], room=room)}


def seal_open(table_key: bytes, table: bytes, frame: bytes) -> Json:
    """`table_key`, `table`, `frame`: the payload and the sealing seat, 255 for nobody."""
    opened = Seal(table_key, table).open(frame)
    return {"payload": opened.payload, "seat": opened.sealed_by}


def invite_parse(text: str) -> Json:
    """`text`: what the invite holds; the error `invite` for any other text."""
    invite = Invite.parse(text)
    return {
        "address": format_nodes(invite.nodes),
        "table": invite.table,
        "table_key": invite.table_key,
        "seat": None if invite.seat is None else int(invite.seat),
        "token": invite.token,
    }


def lobby_read(
    payload: bytes, seats: int, table: bytes, seat: Seat, token: bytes, key: bytes = b""
) -> Json:
    """`payload` of a frame at a `table` of so many `seats`: which message it is, its seat (of a
    board, those that are claimed), and whether the proof for `seat` holds under its `token`; null
    for an inquiry, and of a presence whether the `key` of its seat signed it; the error `lobby` for
    what is none of this table's."""
    found = lobby.from_bytes(payload, seats=seats, table=table)
    match found:
        case None:
            # None: bytes of the lobby that anybody could have sent.
            raise MalformedMessage("lobby")
        case lobby.Claim():
            told: Json = {"seat": found.seat, "proved": found.holds(token)}
        case lobby.Board(names=names, charter=charter):
            claimed = [each for each, _ in names]
            proved = found.holds(seat, token)
            told = {"seats": claimed, "charter": bool(charter), "proved": proved}
        case lobby.Taken():
            # A proof of each message is checked with what its reader has: a token, or the seat's
            # key.
            clash = int(found.clash)
            told = {"seat": found.seat, "clash": clash, "proved": found.holds(token)}
        case lobby.Inquiry(asked=asked, knows_charter=known):
            told = {"seat": asked, "knows_charter": known, "proved": None}
        case Presence():
            told = {"seat": found.seat, "state": int(found.state), "serves": found.serves}
            told["proved"] = found.holds(PublicKey(key))
    return {"message": type(found).__name__, **told}


# --- codes and rematches --------------------------------------------------------------------------


def code_parse(text: str, words: Any) -> Json:
    """`text`, and the `words` that there are: the code as it is written, and its topic; the error
    `code` for any other text."""
    code = Code.parse(text, words)
    return {"code": code.format(), "topic": topic_of(code.number)}


def code_host(table: bytes, number: int, salt: bytes) -> Json:
    """`table`, `number`, `salt`: the host's id."""
    return {"host": host_id(table, number, salt)}


def code_read(frame: bytes) -> Json:
    """`frame`, in the open: which message it is, and its fields; the error `code` for none."""
    return _json(from_frame(frame))


def code_open(payload: bytes) -> Json:
    """`payload` of a sealed frame: which message it is, and its fields; the error `code` for
    none."""
    return _json(from_payload(payload))


def _json(message: OpenMessage | SealedMessage) -> Json:
    """Return an opened message of a code's exchange as the vectors write it: its name and its
    fields.
    """
    row = next(each for each in MESSAGES.rows if each.record.make is type(message))
    return {"message": row.name, "fields": tag(to_value(row.record, message))}


def code_exchange(
    code: str, host: bytes, joiner: bytes, exchange: bytes, joiner_random: bytes, host_random: bytes
) -> Json:
    """`code`, `host`, `joiner`, `exchange`, `joiner_random`, `host_random` (64 bytes each): both
    elements, the confirmation and the key of the seal."""
    ids = host, joiner, exchange
    named, joining = key_side(code, ids, joiner_random, at_host=False)
    _, hosting = key_side(code, ids, host_random, at_host=True)
    # Both elements in the order host, joiner, as both sides have it (specs 7.9).
    transcript = named.transcript(hosting.element, joining.element)
    # Either side computes the same key; one is enough here.
    key = joining.key(hosting.element)
    return {
        "joiner_element": joining.element,
        "host_element": hosting.element,
        "confirmation": confirmation(key, transcript),
        "seal_key": derive_key(key, labels.CODE_SEAL, transcript),
    }


def code_judge(
    code: str,
    host: bytes,
    joiner: bytes,
    exchange: bytes,
    host_random: bytes,
    element: bytes,
    confirmation_: bytes,
) -> Json:
    """`code`, `host`, `joiner`, `exchange`, `host_random`, `element`, `confirmation`: accepted if
    the guess is right; the error `code` for a wrong one."""
    named, hosting = key_side(code, (host, joiner, exchange), host_random, at_host=True)
    key = hosting.key(element)
    # A wrong guess is told by the confirmation alone (attacks CO1).
    if confirmation(key, named.transcript(hosting.element, element)) != confirmation_:
        raise ProofError("code")
    return {}


def key_side(
    text: str, ids: tuple[bytes, bytes, bytes], drawn: bytes, *, at_host: bool
) -> tuple[ExchangeId, KeySide]:
    """Return the exchange for the code `text`, and one side of it, the host's if `at_host`, else
    the joiner's.

    `ids` are those of host, joiner and exchange; `drawn` stands for what the side would draw at
    random.
    """
    number, *words = text.split("-")
    code = Code(int(number), tuple(words))
    exchange = ExchangeId(code.number, *ids)
    side = KeySide(
        # What is drawn is given, so that the exchange repeats itself.
        password(code),
        *exchange.sides,
        at_host=at_host,
        entropy=lambda length: drawn[:length],
    )
    return exchange, side


def rematch_charter(
    charter: Charter, table_key: bytes, token: bytes, after: bytes, seating: Any
) -> Json:
    """`charter` and `table_key` of a table, a seat's `token`, the head `after` which another match
    is wanted, and its `seating`: the same of the table at which it is played. `rematch.seating` for
    a seating that leads to no other table."""
    try:
        following = next_charter(charter, after, seating)
    except LocalError:
        # A program of ours misused it; a vector asks for the name that a peer's mistake has.
        raise MalformedMessage("rematch.seating") from None
    return {
        "charter": following.to_bytes(),
        "table_key": next_key(table_key, following.table),
        "token": next_token(token, following.table),
    }
