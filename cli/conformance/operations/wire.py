"""Operations on frames, invites and the lobby (specs 7.1, 7.3 and 7.4)."""

from __future__ import annotations

from cli.conformance.answers import Rejected, operation, unhex
from cli.invite import Invite, InviteError
from cli.net.address import format_nodes
from p2p304.plain import Answer, Json
from p2p304.seats import Seat
from protocol import labels
from protocol.wire import lobby
from protocol.wire.identity import Seal, derive_key


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
    for an inquiry. `lobby` for what is none of this table's."""
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
    return Answer({"message": type(found).__name__, **told})
