"""Operations on whole files: audits and evidence (specs 6)."""

from __future__ import annotations

from base64 import b64decode

from cli.conformance.answers import Rejected, operation
from cli.errors import UserError
from cli.seat.charter_text import game_of
from p2p304.plain import Answer, Json
from protocol.audit.auditor import audit_bytes
from protocol.audit.transcript import Said, TranscriptReader
from protocol.errors import MalformedMessage
from protocol.ledger.evidence import evidence_from_bytes
from protocol.ledger.judge_again import check_evidence


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
    return Answer({"seat": int(found.seat), "check": found.check})
