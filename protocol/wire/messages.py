"""What is signed: messages of ledgers, notices, rulings; their bodies and back, and by whom.

What each carries, field by field, is declared in `protocol.wire.contents`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.bounds import MAX_NUMBER, MAX_REFEREES, MAX_ROUND
from protocol.encoding import decode, encode
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.wire.charter import TABLE_TAG_BYTES, Charter
from protocol.wire.contents import (
    KIND_OF,
    Action,
    Chat,
    Content,
    NoticeContent,
    Ruling,
    UnfinishedAgreement,
    kind_at,
)
from protocol.wire.evidence_file import malformed_body
from protocol.wire.fields import HASH, SEAT
from protocol.wire.identity import (
    AT_TABLES,
    FRAME_OVERHEAD,
    MAX_ENVELOPE_BYTES,
    OVERHEAD_BYTES,
    Envelope,
    Purpose,
    SigningKey,
    sign,
)
from protocol.wire.schema import Integer, exactly, from_value, to_value


@dataclass(frozen=True, slots=True)
class Message:
    """A ledger message: its table, place and content, and the digest (32 bytes) of its ledger
    before its round.

    `table` is the tag of the charter's digest, 8 bytes; the signature covers the whole digest.
    """

    table: bytes
    place: Place
    previous: Digest
    content: Content

    def to_bytes(self) -> bytes:
        """Return the body to sign; raises LocalError for content in another lane, or a field
        that does not fit.
        """
        kind = KIND_OF[type(self.content)]
        (lane, number), round_number, seat = self.place
        if lane is not kind.lane:
            raise LocalError(f"{kind.name} does not belong in the {lane.name.lower()} lane")
        # `int`: an encoding takes no IntEnum.
        place = (int(lane), number, round_number, seat)
        fields = to_value(kind.record, self.content)
        return encode((self.table, *place, kind.code, self.previous, fields))

    def signed(self, key: SigningKey, *, charter: bytes) -> SignedMessage:
        """Return the message signed with its seat's key for the charter of this digest, 32 bytes;
        raises as `to_bytes` does.
        """
        body, seat = self.to_bytes(), self.place.seat
        envelope = sign(key, body, purpose=Purpose.LEDGER, seat=seat, charter=charter)
        return SignedMessage(
            self.table,
            self.place,
            self.previous,
            self.content,
            envelope.to_bytes(),
            envelope.message_id,
        )


NoticeT = TypeVar("NoticeT", bound=NoticeContent, covariant=True)


@dataclass(frozen=True, slots=True)
class Notice(Generic[NoticeT]):
    """A message of a seat beside the ledgers; `table` is the tag of the charter's digest, 8 bytes.

    `serial` rises from each notice of a seat to its next, across restarts too; only Heads, which no
    journal keeps, may repeat a serial after a restart.
    """

    table: bytes
    seat: Seat
    serial: int
    content: NoticeT

    def to_bytes(self) -> bytes:
        """Return the body to sign; raises LocalError for a field that does not fit."""
        kind = KIND_OF[type(self.content)]
        fields = to_value(kind.record, self.content)
        return encode((self.table, self.seat, self.serial, kind.code, fields))


@dataclass(frozen=True, slots=True)
class RefereeWord:
    """A referee's ruling at one table; `referee` is its number in the charter."""

    table: bytes
    referee: int
    content: Ruling

    def to_bytes(self) -> bytes:
        """Return the body to sign; raises LocalError for a field that does not fit."""
        kind = KIND_OF[type(self.content)]
        fields = to_value(kind.record, self.content)
        return encode((self.table, self.referee, kind.code, fields))


class SignedRuling(NamedTuple):
    """A ruling with its signature: `referee` is the signer's number, `raw` the whole envelope,
    `id` (32 bytes) that of the body.
    """

    referee: int
    content: Ruling
    raw: bytes
    id: bytes


def sign_ruling(charter: Charter, ruling: Ruling, key: SigningKey) -> SignedRuling:
    """Return a ruling signed for the table of `charter` with the key of one of its referees.

    Raises LocalError for a key of no referee. Whether the ruling is possible is not checked.
    """
    if key.public not in charter.referees:
        raise LocalError("the charter names another referee, or none")
    number = charter.referees.index(key.public)
    body = RefereeWord(charter.tag, number, ruling).to_bytes()
    # In the place of a seat the envelope of a ruling has the referee's number (specs 3.3).
    envelope = sign(key, body, purpose=Purpose.RULING, seat=Seat(number), charter=charter.digest)
    return SignedRuling(number, ruling, envelope.to_bytes(), envelope.message_id)


@dataclass(frozen=True, slots=True)
class SignedNotice(Notice[NoticeT]):
    """A notice with its signature: `raw` is the whole envelope."""

    raw: bytes


Agreement = SignedNotice[UnfinishedAgreement]  #: A seat's agreement to end a hand.


@dataclass(frozen=True, slots=True)
class SignedMessage(Message):
    """A ledger message with its signature: `raw` is the whole envelope, `id` (32 bytes) that of
    the body.
    """

    raw: bytes
    id: bytes


_TABLE: Final = exactly(TABLE_TAG_BYTES)
_LANE: Final = Integer(0, len(Lane) - 1)
_NUMBER: Final = Integer(0, MAX_NUMBER)
_ROUND: Final = Integer(0, MAX_ROUND)
_REFEREE: Final = Integer(0, MAX_REFEREES - 1)
#: Of how many fields a body is an array.
_FIELDS: Final = {Purpose.LEDGER: 8, Purpose.NOTICE: 5, Purpose.RULING: 4}


def decode_body(envelope: Envelope) -> Message | Notice[NoticeContent] | RefereeWord:
    """Return the message, notice or ruling in a verified envelope; check the signature first.

    Raises MalformedMessage `encoding.*` or `schema.*`, for bytes that the signer made.
    """
    value = decode(envelope.body)
    # An array decodes to a tuple and to nothing else.
    if type(value) is not tuple:
        raise MalformedMessage("schema.type", "a body is an array")
    # The wire brings the three purposes of a table alone (`AT_TABLES`); a body of any other, which
    # the conformance kit can ask for, is read as a notice.
    many = _FIELDS.get(envelope.purpose, _FIELDS[Purpose.NOTICE])
    # Ledger: table, lane, number, round, seat, code, previous digest, fields. Notice: table, seat,
    # serial, code, fields. Ruling: table, referee, code, fields.
    if len(value) != many:
        raise MalformedMessage("schema.fields", f"{len(value)}, not {many}")
    if envelope.purpose is Purpose.LEDGER:
        table, lane, number, round_number, seat, code, previous, fields = value
        ledger = LedgerName(Lane(from_value(_LANE, lane)), from_value(_NUMBER, number))
        place = Place(ledger, from_value(_ROUND, round_number), Seat(from_value(SEAT, seat)))
        kind = kind_at(Purpose.LEDGER, code)
        # A message in another lane would stand where no turn expects it.
        if kind.lane is not ledger.lane:
            raise MalformedMessage("schema.lane", f"{kind.name} in {ledger}")
        return Message(
            table=from_value(_TABLE, table),
            place=place,
            previous=Digest(from_value(HASH, previous)),
            content=from_value(kind.record, fields),
        )
    if envelope.purpose is Purpose.RULING:
        table, referee, code, fields = value
        return RefereeWord(
            table=from_value(_TABLE, table),
            referee=from_value(_REFEREE, referee),
            content=from_value(kind_at(Purpose.RULING, code).record, fields),
        )
    table, seat, serial, code, fields = value
    return Notice(
        table=from_value(_TABLE, table),
        seat=Seat(from_value(SEAT, seat)),
        serial=from_value(_NUMBER, serial),
        content=from_value(kind_at(Purpose.NOTICE, code).record, fields),
    )


def room_of(envelope: bytes, game: AnyGame) -> int:
    """Return how many bytes of payload the frame of an envelope must have room for: for an Action
    the game's number for its round, 0 for any other envelope.

    All actions of a round get the same, so that a frame's size does not show the action. Source:
    specs/07-wire.md, 7.1.
    """
    try:
        body = decode_body(Envelope.from_bytes(envelope))
    # A wrong one that is sent on as evidence: it shows no action that a size could hide.
    except MalformedMessage:
        return 0
    if not (isinstance(body, Message) and isinstance(body.content, Action)):
        return 0
    # The game names a frame's size; `Seal.seal` wants the room in it.
    return game.action_frame(body.place.round) - FRAME_OVERHEAD


def chat_names(raw: bytes, charter: Charter) -> tuple[Seat, int] | None:
    """Return the seat and serial that an envelope claims if it looks like chat at this table;
    else None. Its signature is not checked, nor its body decoded.
    """
    # Exact: a bytearray could change after the check.
    if type(raw) is not bytes or not OVERHEAD_BYTES < len(raw) <= MAX_ENVELOPE_BYTES:
        return None
    # Without verifying and decoding: this is asked of every frame, before any work is spent on a
    # flood (attacks.md, MQ26).
    if raw[1] != Purpose.NOTICE:
        return None
    seat, body = Seat(raw[2]), raw[OVERHEAD_BYTES:]
    # The body is an array of five, 0x95, whose first two items are encoded as in an array of two.
    head = bytes((0x95,)) + encode((charter.tag, seat))[1:]
    # 0xFF is the form of no serial, so that another body and one that ends here have no size.
    first = body[len(head)] if body.startswith(head) and len(body) > len(head) else 0xFF
    # Below 0x80 the byte is the serial itself; else it says how many bytes follow.
    size = 1 if first < 0x80 else _INTEGER_BYTES.get(first, 0)
    serial = body[len(head) : len(head) + size]
    if not size or body[len(head) + size : len(head) + size + 1] != _CHAT:
        return None
    # Without the byte that says how many follow.
    return seat, int.from_bytes(serial if size == 1 else serial[1:], "big")


# Without 0xCF, 64 bits: a serial has 32.
#: By their first byte, how many bytes an integer of MessagePack takes that is 128 or more.
_INTEGER_BYTES: Final = {0xCC: 2, 0xCD: 3, 0xCE: 5}
_CHAT: Final = encode(KIND_OF[type(Chat(""))].code)

# From raw bytes to a message that its seat signed: size, envelope, signature, then decoding.
#
# Two ways to fail, never confused: bytes that nobody can be held to raise MalformedMessage and are
# dropped; bytes that a seat validly signed and that are wrong in themselves raise PeerFault.


#: What a seat signs at a table, and no referee.
OF_SEATS: Final = (Purpose.LEDGER, Purpose.NOTICE)


def open_table_message(
    raw: bytes, charter: Charter, purposes: Collection[Purpose] = AT_TABLES
) -> SignedMessage | SignedNotice[Any] | SignedRuling:
    """Return the message of a seat, or the ruling of a referee, that `raw` holds, its signature
    checked.

    Raises as `open_message` and `open_ruling` do, and MalformedMessage `envelope.purpose` for a
    purpose that is not in `purposes`.
    """
    envelope = open_envelope(raw, charter)
    if envelope.purpose not in purposes:
        named = " or ".join(each.name for each in purposes)
        raise MalformedMessage("envelope.purpose", f"expected {named}")
    ruled = envelope.purpose is Purpose.RULING
    try:
        body = decode_body(envelope)
    except MalformedMessage as error:
        # Without evidence: a ruling that does not decode blames nobody at the table.
        if ruled:
            raise
        evidence = malformed_body(charter, error.check, raw)
        raise PeerFault(envelope.seat, error.check, (evidence,)) from None
    match body:
        case Message(place=place):
            author: int = place.seat
        case Notice(seat=seat):
            author = seat
        case RefereeWord(referee=referee):
            author = referee
    # Dropped, and no fault: it claims no place of the seat that signed it (attacks.md, CH13).
    if author != envelope.seat:
        whose = "referees" if ruled else "seats"
        raise MalformedMessage("envelope.other_seat", f"body and envelope name different {whose}")
    # The tag is a hint for readers; that the signature is for this table was checked by the digest.
    if body.table != charter.tag:
        raise MalformedMessage("envelope.other_table", "the body names another table")
    match body:
        case Message(table, place, previous, content):
            return SignedMessage(table, place, previous, content, raw, envelope.message_id)
        case Notice(table, seat, serial, content):
            return SignedNotice(table, seat, serial, content, raw)
        case RefereeWord():
            return SignedRuling(body.referee, body.content, raw, envelope.message_id)


def open_message(raw: bytes, charter: Charter) -> SignedMessage | SignedNotice[Any]:
    """Return the message in `raw`, signed for this charter by the seat that it names.

    Raises MalformedMessage (`envelope.*`, `signature`) for bytes that anybody could have sent;
    PeerFault (`encoding.*`, `schema.*`), with a file of evidence that convinces a stranger, for a
    malformed body under a good signature.

    Args:
        raw: any bytes of a peer.
        charter: the seats' keys, and the digest under their signatures.
    """
    message = open_table_message(raw, charter, OF_SEATS)
    # Another purpose than these two was refused above.
    assert not isinstance(message, SignedRuling)
    return message


def open_ledger_message(raw: bytes, charter: Charter) -> SignedMessage:
    """Return the ledger message in `raw`, its signature checked.

    Raises as `open_message` does, and MalformedMessage `envelope.purpose` for a notice.
    """
    # A notice too, so that one with a malformed body convicts here as anywhere.
    message = open_table_message(raw, charter, OF_SEATS)
    if not isinstance(message, SignedMessage):
        raise MalformedMessage("envelope.purpose", f"expected {Purpose.LEDGER.name}")
    return message


def open_agreement(raw: bytes, charter: Charter) -> Agreement:
    """Return the agreement to end a hand in `raw`, its signature checked.

    Raises as `open_message` does, and MalformedMessage `envelope.purpose` for a ledger message,
    `agreement.hand` for another notice.
    """
    message = open_message(raw, charter)
    if not isinstance(message, SignedNotice):
        raise MalformedMessage("envelope.purpose", f"expected {Purpose.NOTICE.name}")
    if not isinstance(message.content, UnfinishedAgreement):
        raise MalformedMessage("agreement.hand", "a notice that ends no hand")
    return message


def open_ruling(raw: bytes, charter: Charter) -> SignedRuling:
    """Return the ruling in `raw`, signed for this charter by the referee whose number it names.

    Raises MalformedMessage: `envelope.*` or `signature` as `open_message` does, `envelope.purpose`
    for a message of a seat, and `encoding.*` or `schema.*` for a body that does not decode, which
    blames nobody at the table.
    """
    ruling = open_table_message(raw, charter, (Purpose.RULING,))
    # Another purpose was refused above.
    assert isinstance(ruling, SignedRuling)
    return ruling


def open_envelope(raw: bytes, charter: Charter) -> Envelope:
    """Return the envelope in `raw`, its signature checked and its body not decoded.

    Raises MalformedMessage `envelope.*` or BadSignature, which blames nobody.
    """
    envelope = Envelope.from_bytes(raw)
    signers = charter.signers[envelope.purpose]
    # An envelope's seat is a byte, and never negative.
    if envelope.seat >= len(signers):
        raise MalformedMessage("envelope.seat", f"the table has no seat {envelope.seat}")
    envelope.verify(signers[envelope.seat], charter=charter.digest)
    return envelope
