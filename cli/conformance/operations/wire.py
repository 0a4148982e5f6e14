"""Operations on frames, invites, the lobby, codes and rematches (specs 7.1, 7.3, 7.4, 7.9, 5.7)."""

from __future__ import annotations

from cli.conformance.answers import Rejected, operation, unhex
from cli.conformance.operations.messages import tagged
from cli.invite import Invite, InviteError
from cli.net.address import format_nodes
from p2p304.plain_json import Answer, Json
from p2p304.seats import Seat
from protocol import labels
from protocol.errors import LocalError
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.code import Code
from protocol.wire.code_keys import ExchangeId, KeySide, confirmation, host_id, password
from protocol.wire.code_messages import (
    MESSAGES,
    OpenMessage,
    SealedMessage,
    from_frame,
    from_payload,
)
from protocol.wire.identity import PublicKey, Seal, derive_key
from protocol.wire.presence import Presence
from protocol.wire.rematch import next_charter, next_key, next_token


def _steps(table_key: bytes, table: bytes, seat: int, salt: bytes) -> list[list[str]]:
    seat_key = derive_key(table_key, labels.SEAL_SEAT_KEY, table, bytes((seat,)))
    hint = derive_key(table_key, labels.SEAL_SEAT_HINT, table, salt, length=1)
    return [
        ["hint", hint.hex()],
        ["seat key", seat_key.hex()],
        ["frame key", derive_key(seat_key, labels.SEAL_FRAME_KEY, salt).hex()],
    ]


@operation("seal.topic")
def seal_topic(given: Json) -> Answer:
    """`table_key`, `table`: the topic."""
    return Answer({"topic": Seal(unhex(given["table_key"]), unhex(given["table"])).topic})


@operation("seal.seal")
def seal_seal(given: Json) -> Answer:
    """`table_key`, `table`, `seat` (255 for nobody), `salt`, `payload`, `room`: the frame, which
    also holds a payload of `room` bytes."""
    table_key, table = unhex(given["table_key"]), unhex(given["table"])
    salt, seat = unhex(given["salt"]), given["seat"]
    frame = Seal(table_key, table).seal(
        unhex(given["payload"]),
        seat=seat,
        entropy=lambda length: salt[:length],
        room=given["room"],
    )
    return Answer({"frame": frame.hex()}, _steps(table_key, table, seat, salt))


@operation("seal.open")
def seal_open(given: Json) -> Answer:
    """`table_key`, `table`, `frame`: the payload and the sealing seat, 255 for nobody."""
    table_key, table = unhex(given["table_key"]), unhex(given["table"])
    frame = unhex(given["frame"])
    opened = Seal(table_key, table).open(frame)
    return Answer(
        {"payload": opened.payload.hex(), "seat": opened.sealed_by},
        _steps(table_key, table, opened.sealed_by, frame[2:34]),
    )


@operation("invite.parse")
def invite_parse(given: Json) -> Answer:
    """`text`: what the invite holds; `invite` for anything that is none."""
    try:
        invite = Invite.parse(given["text"])
    except InviteError:
        raise Rejected("invite") from None
    return Answer(
        {
            "address": format_nodes(invite.nodes),
            "table": invite.table.hex(),
            "table_key": invite.table_key.hex(),
            "seat": None if invite.seat is None else int(invite.seat),
            "token": None if invite.token is None else invite.token.hex(),
        }
    )


@operation("lobby.read")
def lobby_read(given: Json) -> Answer:
    """`payload` of a frame at a `table` of so many `seats`: which message it is, its seat (of a
    board, those that are claimed), and whether the proof for `seat` holds under its `token`; null
    for an inquiry, and of a presence whether the `key` of its seat signed it. `lobby` for what is
    none of this table's."""
    seat, token = Seat(given["seat"]), unhex(given["token"])
    found = lobby.from_bytes(
        unhex(given["payload"]), seats=given["seats"], table=unhex(given["table"])
    )
    match found:
        case None:
            raise Rejected("lobby")
        case lobby.Claim():
            told: Json = {"seat": int(found.seat), "proved": found.holds(token)}
        case lobby.Board(names=names, charter=charter):
            seats = [int(each) for each, _ in names]
            told = {
                "seats": seats,
                "charter": bool(charter),
                "proved": found.holds(seat, token),
            }
        case lobby.Taken():
            told = {
                "seat": int(found.seat),
                "clash": int(found.clash),
                "proved": found.holds(token),
            }
        case lobby.Inquiry(asked=asked, knows_charter=known):
            told = {"seat": int(asked), "knows_charter": known, "proved": None}
        case Presence():
            told = {
                "seat": int(found.seat),
                "state": int(found.state),
                "serves": found.serves,
                "proved": found.holds(PublicKey(unhex(given["key"]))),
            }
    return Answer({"message": type(found).__name__, **told})


@operation("code.parse")
def code_parse(given: Json) -> Answer:
    """`text`, and the `words` that there are: the code as it is written, and its topic; `code` for
    anything that is none."""
    code = Code.parse(given["text"], given["words"])
    return Answer({"code": code.format(), "topic": code.topic})


@operation("code.host")
def code_host(given: Json) -> Answer:
    """`table`, `number`, `salt`: the host's id."""
    host = host_id(unhex(given["table"]), given["number"], unhex(given["salt"]))
    return Answer({"host": host.hex()})


@operation("code.read")
def code_read(given: Json) -> Answer:
    """`frame`, in the open: which message it is, and its fields; `code` for none."""
    return _told(from_frame(unhex(given["frame"])))


@operation("code.open")
def code_open(given: Json) -> Answer:
    """`payload` of a sealed frame: which message it is, and its fields; `code` for none."""
    return _told(from_payload(unhex(given["payload"])))


def _told(message: OpenMessage | SealedMessage) -> Answer:
    row = MESSAGES.row_of(message)
    return Answer({"message": row.name, "fields": tagged(row.record.to_value(message))})


@operation("code.exchange")
def code_exchange(given: Json) -> Answer:
    """`code`, `host`, `joiner`, `exchange`, `joiner_random`, `host_random` (64 bytes each): both
    elements, the confirmation and the key of the seal."""
    exchange, joiner = _side(given, "joiner_random", at_host=False)
    _, host = _side(given, "host_random", at_host=True)
    transcript = exchange.transcript(host.element, joiner.element)
    key = joiner.key(host.element)
    return Answer(
        {
            "joiner_element": joiner.element.hex(),
            "host_element": host.element.hex(),
            "confirmation": confirmation(key, transcript).hex(),
            "seal_key": derive_key(key, labels.CODE_SEAL, transcript).hex(),
        },
        [["transcript", transcript.hex()], ["key", key.hex()]],
    )


@operation("code.judge")
def code_judge(given: Json) -> Answer:
    """`code`, `host`, `joiner`, `exchange`, `host_random`, `element`, `confirmation`: accepted if
    the guess is right; `code` for a wrong one."""
    exchange, host = _side(given, "host_random", at_host=True)
    element = unhex(given["element"])
    key = host.key(element)
    shown = confirmation(key, exchange.transcript(host.element, element))
    if shown != unhex(given["confirmation"]):
        raise Rejected("code")
    return Answer({})


def _side(given: Json, drawn: str, *, at_host: bool) -> tuple[ExchangeId, KeySide]:
    number, *words = given["code"].split("-")
    code, entropy = Code(int(number), tuple(words)), unhex(given[drawn])
    ids = (unhex(given[name]) for name in ("host", "joiner", "exchange"))
    exchange = ExchangeId(code.number, *ids)
    side = KeySide(
        password(code), *exchange.sides, at_host=at_host, entropy=lambda length: entropy[:length]
    )
    return exchange, side


@operation("rematch.charter")
def rematch_charter(given: Json) -> Answer:
    """`charter` and `table_key` of a table, a seat's `token`, the head `after` which another match
    is wanted, and its `seating`: the same of the table at which it is played. `rematch.seating` for
    a seating that leads to no other table."""
    charter, after = Charter.from_bytes(unhex(given["charter"])), unhex(given["after"])
    try:
        following = next_charter(charter, after, given["seating"])
    except LocalError:
        raise Rejected("rematch.seating") from None
    return Answer(
        {
            "charter": following.to_bytes().hex(),
            "table_key": next_key(unhex(given["table_key"]), following.table).hex(),
            "token": next_token(unhex(given["token"]), following.table).hex(),
        },
        [["table", following.table.hex()]],
    )
