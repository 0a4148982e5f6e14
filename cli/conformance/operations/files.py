"""Operations on whole files: audits and evidence (specs 6)."""

from __future__ import annotations

from base64 import b64decode

from cli.conformance.answers import Rejected, operation, unhex
from cli.errors import UserError
from cli.seat.charter_text import game_of
from p2p304.plain_json import Answer, Json
from protocol.errors import MalformedMessage
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.table.standing import check_change, check_continued
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import Said, TranscriptReader
from protocol.wire.charter import Charter


@operation("transcript.audit")
def transcript_audit(given: Json) -> Answer:
    """`transcript`, base64: valid, the hands' scores, and who has not signed."""
    try:
        report = audit_bytes(b64decode(given["transcript"]), game_of)
    except MalformedMessage as error:
        raise Rejected(error.check, seat=None) from None
    except UserError:
        raise Rejected("charter.profile", seat=None) from None
    broken = report.broken
    if broken is not None:
        raise Rejected(broken.check, seat=None if broken.seat is None else int(broken.seat))
    hands = [
        {
            "number": hand.number,
            "dealer": int(hand.dealer),
            "scores": list(hand.outcome.scores) if hand.outcome else [],
            "unconfirmed": [int(seat) for seat in hand.unconfirmed],
        }
        for hand in report.hands
    ]
    return Answer({"valid": True, "hands": hands})


@operation("charter.continues")
def charter_continues(given: Json) -> Answer:
    """`before`, base64, a valid transcript, `charter` of another table: whether that goes on with
    the match of the first from the last hand of its file (specs 6.5)."""
    charter = Charter.from_bytes(unhex(given["charter"]))
    try:
        before = audit_bytes(b64decode(given["before"]), game_of)
        check_continued(charter, game_of(charter))
    except UserError:
        raise Rejected("charter.profile") from None
    if before.charter is None or not before.valid:
        raise Rejected("transcript.missing")
    if before.standing is None:
        raise Rejected("continuation.point")
    check_change(before.standing, charter)
    return Answer({"goes_on": True})


@operation("transcript.records")
def transcript_records(given: Json) -> Answer:
    """`transcript`, base64: how many messages it holds, read but not judged."""
    reader = TranscriptReader()
    entries = list(reader.feed(b64decode(given["transcript"])))
    reader.finish()
    return Answer({"messages": sum(isinstance(each, Said) for each in entries)})


@operation("evidence.check")
def evidence_check(given: Json) -> Answer:
    """`evidence`, base64: whom it convicts, and of what."""
    evidence = evidence_from_bytes(b64decode(given["evidence"]))
    try:
        game = game_of(evidence.charter)
    except UserError:
        raise Rejected("charter.profile") from None
    found = check_evidence(evidence, game)
    convicted = "referee" if found.referee else "seat"
    return Answer({convicted: int(found.seat), "check": found.check})
