"""What strangers and peers send: encodings, envelopes, bodies, sealed frames, the lobby, MQTT."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

import msgpack.fallback  # type: ignore[import-untyped]  # it has no types

from cli.conformance.tables import seeded_entropy
from cli.conformance.trials import DEFAULT, vectors_in
from cli.net.broker import read_connect, read_topics
from cli.net.packets import PacketCutter, PacketError, read_publish
from p2p304.seats import Seat
from protocol.bounds import MAX_DEPTH
from protocol.encoding import INT_MAX, INT_MIN, Value, decode, encode
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.places import Lane
from protocol.wire.code import Code
from protocol.wire.code_exchange import HostCode, JoinerCode, LetIn
from protocol.wire.code_messages import from_frame, from_payload, to_frame, to_payload
from protocol.wire.contents import Head
from protocol.wire.evidence_file import malformed_body
from protocol.wire.identity import FRAME_SIZES, SALT_BYTES, Envelope, Purpose, Seal, sign
from protocol.wire.lobby import Board, Claim, Clash, Inquiry, Registrar, Taken, from_bytes, to_bytes
from protocol.wire.messages import Message, decode_body, open_message
from tests.campaigns.fuzz.target import Target, demand
from tests.table.bus import charter, frame_with, signing_key

AGREED = charter(game="304", profile="pagat")
TOKENS = tuple(bytes((seat + 1,)) * 16 for seat in range(4))
TABLE_KEY = bytes(range(32))
SEAL = Seal(TABLE_KEY, AGREED.table)


def hex_members(category: str, *names: str) -> list[bytes]:
    """The distinct values of such members of a category's vectors."""
    found = dict.fromkeys(
        bytes.fromhex(each.input[name])
        for each in vectors_in(DEFAULT, (category,))
        for name in names
        if isinstance(each.input.get(name), str)
    )
    return list(found)


# --- encoding -------------------------------------------------------------------------------------


def check_encoding(data: bytes) -> None:
    """A value has one encoding, both of msgpack's implementations read it, or it is refused."""
    value: Value
    try:
        value = decode(data)
    except MalformedMessage as error:
        demand(error.check.startswith("encoding."), f"refused by {error.check}")
        value = _some_value(data)
        try:
            written = encode(value)
        except LocalError:
            return
        demand(decode(written) == value, "what is encoded is decoded")
        return
    demand(encode(value) == data, "what is decoded is encoded in the same bytes")
    plain = msgpack.fallback.unpackb(data, use_list=False, raw=False)
    demand(plain == value, "the pure-Python decoder reads the same")


def _some_value(data: bytes, depth: int = 0) -> Value:
    """A value in our own vocabulary, mostly, that these bytes spell."""
    if not data:
        return ()
    match data[0] % 5:
        case 0:
            number = int.from_bytes(data[1:10], "big", signed=True)
            return max(INT_MIN - 1, min(number, INT_MAX + 1))
        case 1:
            return data[1:]
        case 2:
            return data[1:].decode("utf-8", "surrogateescape")
        case _ if depth > MAX_DEPTH:
            return b""
        case _:
            rest, size = data[2:], max(1, data[1] if len(data) > 1 else 1)
            parts = [rest[at : at + size] for at in range(0, len(rest), size)][:70]
            return tuple(_some_value(part, depth + 1) for part in parts)


# --- envelope and body ----------------------------------------------------------------------------


def check_envelope(data: bytes) -> None:
    """As they came, the bytes are nobody's; as a body that a seat signed, they are that seat's."""
    try:
        envelope = Envelope.from_bytes(data)
        demand(envelope.to_bytes() == data, "an envelope is written as it was read")
        open_message(data, AGREED)
    except MalformedMessage as error:
        demand(error.check.startswith(("envelope.", "signature")), f"refused by {error.check}")
    if len(data) < 2:
        return
    purpose, seat = Purpose(1 + data[0] % 2), Seat(data[0] // 2 % 4)
    _check_signed(data[1:], purpose, seat)


def _check_signed(body: bytes, purpose: Purpose, seat: Seat) -> None:
    try:
        signed = sign(signing_key(seat), body, purpose=purpose, seat=seat, charter=AGREED.digest)
    except LocalError:
        return
    raw = signed.to_bytes()
    demand(Envelope.from_bytes(raw) == signed, "a signed envelope round-trips")
    try:
        opened = open_message(raw, AGREED)
    except MalformedMessage as error:
        demand(error.check in ("envelope.other_seat", "envelope.other_table"), error.check)
        return
    except PeerFault as fault:
        file = malformed_body(AGREED, fault.check, raw)
        demand((fault.seat, fault.evidence) == (seat, (file,)), "the signer alone is at fault")
        demand(fault.check.startswith(("encoding.", "schema.")), fault.check)
        return
    demand(opened.to_bytes() == body, "a body is written as it was read")


def check_body(data: bytes) -> None:
    """A body decodes to one message, which is written in the same bytes, or it is refused."""
    if len(data) < 2:
        return
    envelope = Envelope(Purpose(1 + data[0] % 2), Seat(0), bytes(64), data[1:])
    try:
        body = decode_body(envelope)
    except MalformedMessage as error:
        demand(error.check.startswith(("encoding.", "schema.")), f"refused by {error.check}")
        return
    demand(body.to_bytes() == envelope.body, "a body is written as it was read")
    again = decode_body(Envelope(envelope.purpose, Seat(0), bytes(64), body.to_bytes()))
    demand(again == body, "a body is read as it was written")
    demand(isinstance(body, Message) == (envelope.purpose is Purpose.LEDGER), "purpose and body")


def _bodies() -> list[bytes]:
    found = []
    for each in vectors_in(DEFAULT, ("messages",)):
        if each.op == "body.decode" and len(each.input["body"]) < 8_000:
            found.append(bytes((each.input["purpose"] - 1,)) + bytes.fromhex(each.input["body"]))
    return found


# --- sealed frames and the lobby ------------------------------------------------------------------


def check_sealed(data: bytes) -> None:
    """A frame opens to what was sealed into it, in one way, or it is dropped."""
    for size in FRAME_SIZES[: 1 + (len(data) > 500)]:
        _check_frame((data + bytes(size))[:size])
    # Whoever has the table key can seal anything, also what no honest frame holds.
    if len(data) < 4:
        return
    size = FRAME_SIZES[0] if len(data) < 1_000 else FRAME_SIZES[1]
    seat, salt = data[0], data[1:2] * SALT_BYTES
    inner = (data[2:] + bytes(size))[: size - 2 - SALT_BYTES - 16]
    _check_frame(frame_with(TABLE_KEY, AGREED.table, inner, seat=seat, salt=salt))


def _check_frame(frame: bytes) -> None:
    try:
        opened = SEAL.open(frame)
    except MalformedMessage as error:
        demand(error.check.startswith("seal."), f"refused by {error.check}")
        return
    salt = frame[2 : 2 + SALT_BYTES]
    again = SEAL.seal(
        opened.payload,
        seat=opened.sealed_by,
        entropy=lambda _: salt,
        room=len(frame) - SALT_BYTES - 20,
    )
    demand(again == frame, "one payload has one frame of a size under one salt")


def _frames() -> list[bytes]:
    inner = [bytes((0, 9, 0, size)) + bytes(size) for size in (0, 1, 200)]
    return [*inner, b"\x01\x09\x03\xce" + b"x" * 974, *hex_members("sealing", "frame", "payload")]


def check_lobby(data: bytes) -> None:
    """A lobby message is one of four, written as it was read; it never stops the lobby."""
    found = from_bytes(data, seats=4, table=AGREED.table)
    if found is None:
        return
    demand(to_bytes(found) == data, "a lobby message is written as it was read")
    match found:
        case Claim():
            registrar = _registrar()
            answer = registrar.take(found)
            demand(answer is None or found.holds(TOKENS[found.seat]), "no token, no seat")
            if isinstance(answer, Board):
                demand(answer.holds(found.seat, TOKENS[found.seat]), "a board is proved")
        case Board():
            for seat, token in enumerate(TOKENS):
                found.holds(Seat(seat), token)
        case Taken():
            found.holds(TOKENS[0])
        case Inquiry():
            pass


def _registrar() -> Registrar:
    return Registrar(table=AGREED.table, game="304", profile="pagat", tokens=TOKENS)


@cache
def _lobby() -> list[bytes]:
    nonce = bytes(range(32))
    claim = Claim.make(
        table=AGREED.table, seat=Seat(1), token=TOKENS[1], key=signing_key(1), nickname="Bimal",
        nonce=nonce
    )  # fmt: skip
    board = _registrar().take(claim)
    taken = Taken(AGREED.table, Seat(1), nonce, Clash.NAME).with_proof(TOKENS[1])
    heads = (Head(int(Lane.TABLE), 0, 1, bytes(32), 3),)
    asked = Inquiry(AGREED.table, Seat(2), True, heads)
    whole = Board.of(AGREED, TOKENS)
    known: list[Any] = [claim, board, whole, taken, asked, Inquiry(AGREED.table, Seat(0), False)]
    return [to_bytes(each) for each in known]


# --- MQTT -----------------------------------------------------------------------------------------


def check_packets(data: bytes) -> None:
    """A stream is cut into the same packets whatever its pieces are, and nothing is held for it."""
    stream = data[1:]
    size = max(1 + data[0] if data else 1, len(stream) // 32)
    whole, pieces = PacketCutter(), PacketCutter()
    first, second = _cut(whole, [stream]), _cut(pieces, _pieces(stream, size))
    demand(first[1] == second[1], "the pieces decide nothing")
    demand(first[1] or first[0] == second[0], "the same packets")
    for packet in second[0]:
        for level in (4, 5):
            with suppress(PacketError):
                read_publish(packet, level)
        for read in (read_connect, read_topics):
            with suppress(PacketError):
                read(packet)


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def _cut(cutter: PacketCutter, chunks: list[bytes]) -> tuple[list[Any], bool]:
    found: list[Any] = []
    try:
        for chunk in chunks:
            found += cutter.feed(chunk)
    except PacketError:
        return found, True
    return found, False


def _streams() -> list[bytes]:
    connect = b"\x10\x0f\x00\x04MQTT\x04\x02\x00<\x00\x03abc"
    publish = b"\x32\x09\x00\x03a/b\x00\x01hi"
    return [b"\x03" + connect + publish + b"\xc0\x00", b"\x00\x20\x02\x00\x00\xe0\x00", b"\x01\xff"]


def _values() -> list[bytes]:
    return hex_members("encoding", "bytes")


def _envelopes() -> list[bytes]:
    bodies = [each for each in _bodies() if len(each) < 1_500]
    return [*hex_members("envelope", "envelope"), *bodies]


# --- codes ----------------------------------------------------------------------------------------


def check_code(data: bytes) -> None:
    """A message of a code is written as it was read; nothing but a host's own steps comes of it."""
    draws = seeded_entropy("fuzzed codes")
    host = HostCode(Code(7, ("zebra", "lantern")), bytes(16), entropy=draws, now=0.0)
    joiner = JoinerCode(Code(7, ("zebra", "lantern")), entropy=draws)
    step = host.hear(data, 0.0)
    demand(len(step.answers) <= 1, "one message is answered once")
    demand(not isinstance(step.event, LetIn), "nobody is let in without an exchange")
    demand(joiner.hear(data) is None, "a joiner takes answers to its own question alone")
    for read, write in ((from_frame, to_frame), (from_payload, to_payload)):
        with suppress(MalformedMessage):
            demand(write(read(data)) == data, "a message is written as it was read")  # type: ignore[arg-type]


def _codes() -> list[bytes]:
    return hex_members("code", "frame", "payload")


TARGETS = (
    Target("encoding", check_encoding, _values, 2_048),
    Target("envelope", check_envelope, _envelopes),
    Target("body", check_body, _bodies),
    Target("sealed", check_sealed, _frames, 2_000),
    Target("lobby", check_lobby, _lobby, 2_048),
    Target("code", check_code, _codes, 1_100),
    Target("packets", check_packets, _streams, 512),
)
