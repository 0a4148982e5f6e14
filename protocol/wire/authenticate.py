"""From raw bytes to a message that its seat signed: size, envelope, signature, then decoding.

Two ways to fail, never confused: bytes that nobody can be held to raise MalformedMessage and are
dropped; bytes that a seat validly signed and that are wrong in themselves raise PeerFault.
"""

from __future__ import annotations

from protocol.errors import MalformedMessage, PeerFault
from protocol.wire.charter import Charter
from protocol.wire.contents import UnfinishedAgreement
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.evidence_file import malformed_body
from protocol.wire.messages import (
    Agreement,
    Message,
    Notice,
    RefereeWord,
    SignedMessage,
    SignedRuling,
    decode_body,
    table_tag,
)


def open_said(raw: bytes, charter: Charter) -> SignedMessage | Notice | SignedRuling:
    """Return the message in `raw`, or the ruling, which a referee of this charter signed.

    Raises as `open_message` and `open_ruling` do.
    """
    envelope = open_envelope(raw, charter)
    if envelope.purpose is Purpose.RULING:
        return _ruling(envelope, charter, raw)
    return _message(envelope, charter, raw)


def open_message(raw: bytes, charter: Charter) -> SignedMessage | Notice:
    """Return the message in `raw`, which the seat that it names signed for this charter.

    Raises MalformedMessage (`envelope.*`, `signature`) for what anybody could have sent; PeerFault
    (`encoding.*`, `schema.*`) for a malformed body under a good signature, whose evidence is a file
    that convinces a stranger.

    Args:
        raw: any bytes of anybody.
        charter: whose seats may have signed it: its digest is under their signatures.
    """
    envelope = open_envelope(raw, charter)
    if envelope.purpose is Purpose.RULING:
        raise MalformedMessage("envelope.purpose", "a ruling is no message of a seat")
    return _message(envelope, charter, raw)


def _message(envelope: Envelope, charter: Charter, raw: bytes) -> SignedMessage | Notice:
    try:
        body = decode_body(envelope)
    except MalformedMessage as error:
        evidence = malformed_body(charter, error.check, raw)
        raise PeerFault(envelope.seat, error.check, (evidence,)) from None
    assert not isinstance(body, RefereeWord)
    seat = body.place.seat if isinstance(body, Message) else body.seat
    if seat != envelope.seat:
        raise MalformedMessage("envelope.other_seat", "body and envelope name different seats")
    if body.table != table_tag(charter.digest):
        raise MalformedMessage("envelope.other_table", "the body names another table")
    if isinstance(body, Notice):
        return body
    assert isinstance(body, Message)
    return SignedMessage(message=body, raw=raw, id=envelope.message_id)


def open_ledger_message(raw: bytes, charter: Charter) -> SignedMessage:
    """Open a ledger message as `open_message` does.

    Raises MalformedMessage `envelope.purpose` for a notice or a ruling; else as it does.
    """
    message = open_message(raw, charter)
    if isinstance(message, Notice):
        raise MalformedMessage("envelope.purpose", f"expected {Purpose.LEDGER.name}")
    return message


def open_agreement(raw: bytes, charter: Charter) -> Agreement:
    """Open an agreement to end a hand as `open_message` does.

    Raises MalformedMessage `envelope.purpose` for a ledger message, `agreement.hand` for another
    notice.
    """
    message = open_message(raw, charter)
    if not isinstance(message, Notice):
        raise MalformedMessage("envelope.purpose", f"expected {Purpose.NOTICE.name}")
    if not isinstance(message.content, UnfinishedAgreement):
        raise MalformedMessage("agreement.hand", "a notice that ends no hand")
    return Agreement(message.seat, message.content, raw)


def open_ruling(raw: bytes, charter: Charter) -> SignedRuling:
    """Return the ruling in `raw`, which the referee of that number signed for this charter.

    Raises MalformedMessage: `envelope.purpose` for a message of a seat, and for a body that does
    not decode `encoding.*` or `schema.*`, which blame nobody at the table.
    """
    envelope = open_envelope(raw, charter)
    if envelope.purpose is not Purpose.RULING:
        raise MalformedMessage("envelope.purpose", f"expected {Purpose.RULING.name}")
    return _ruling(envelope, charter, raw)


def _ruling(envelope: Envelope, charter: Charter, raw: bytes) -> SignedRuling:
    body = decode_body(envelope)
    assert isinstance(body, RefereeWord)
    if body.referee != envelope.seat:
        raise MalformedMessage("envelope.other_seat", "body and envelope name different referees")
    if body.table != table_tag(charter.digest):
        raise MalformedMessage("envelope.other_table", "the body names another table")
    return SignedRuling(body.referee, body.content, raw, envelope.message_id)


def open_envelope(raw: bytes, charter: Charter) -> Envelope:
    """Return the envelope in `raw` with its signature checked, its body not decoded.

    Raises MalformedMessage; whatever it is, it is nobody's.
    """
    envelope = Envelope.from_bytes(raw)
    if envelope.purpose is Purpose.RULING:
        key = next(iter(charter.referees[envelope.seat : envelope.seat + 1]), None)
    else:
        key = charter.key_of(envelope.seat)
    if key is None:
        raise MalformedMessage("envelope.seat", f"the table has no seat {envelope.seat}")
    envelope.verify(key, charter=charter.digest)
    return envelope
