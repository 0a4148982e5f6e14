"""Our verdicts on files that begin as a saved hand does: what they share is judged once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from cli.conformance.onward import saved_hand
from cli.conformance.tables import OwnTable
from cli.conformance.transcript_edits import Draft, DraftRecord, body_of, sign_body
from cli.errors import UserError
from cli.seat.charter_text import game_of
from protocol.encoding import decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.places import LedgerName
from protocol.table.replica import AnyReplica
from protocol.transcript.auditor import Auditor
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.envelope import Purpose
from protocol.wire.messages import table_tag

Verdict = tuple[str | None, int | None]
"""The check that fails, None if the file is valid, and the seat that is convicted, if any."""


class ExpectedVerdicts:
    """Judges variants of one sound file, each from the record in which it first differs."""

    def __init__(self, whole: bytes, *, trusted: bool = False) -> None:
        """Judge the whole file, and keep where the audit stood after each record.

        What is said of hidden cards is `trusted` without its proofs where variants hold others.
        """
        self._whole, self._draft = whole, Draft.of(whole)
        self._ended: dict[bytes, LedgerName] = {}
        """Which ledger ended with a digest."""
        auditor = Auditor(game_of, trusted=trusted)
        # After each record the audit is kept, so that a mutation is judged from its first
        # difference on.
        self._ends, self._standing = [0], [auditor.fork()]
        for piece in (MAGIC, *(each.to_bytes() for each in self._draft.records)):
            # The letters of records are those of specs 6.1: E ends a ledger.
            ledger = auditor.ledger
            if ledger is not None and piece[:1] == b"E":
                self._ended[ledger.head] = ledger.origin.ledger
            # Events are of no use here, but the auditor works as they are taken.
            list(auditor.feed(piece))
            self._ends.append(self._ends[-1] + len(piece))
            self._standing.append(auditor.fork())

    def ledger_before(self, record: int) -> AnyReplica | None:
        """Return the ledger that is open before a record of the whole file is read, or None."""
        return self._standing[record + 1].ledger

    def relink(self, draft: Draft, table: OwnTable) -> Draft:
        """Return the draft with all digests from its first difference on made anew and signed
        again: heads, what messages and ledgers continue, what agreements and rulings name.

        They are what an auditor has come to; what stands behind its verdict stays as it is.
        """
        # Not strict: a mutation may have more records, or fewer.
        pairs = enumerate(zip(draft.records, self._draft.records, strict=False))
        # Where nothing differs everything is linked again.
        same = next((at for at, (one, other) in pairs if one != other), 0)
        auditor, linked = self._standing[same + 1].fork(), list(draft.records[:same])
        heads: dict[LedgerName | None, bytes] = {}
        for record in draft.records[same:]:
            ledger = auditor.ledger
            try:
                # What each old digest has become; digests of ledgers that did not change stay.
                after = {old: heads.get(name, old) for old, name in self._ended.items()}
                linked.append(_link(record, auditor.report.charter, ledger, after, table))
                list(auditor.feed(linked[-1].to_bytes()))
            # A mutation that cannot be linked stays as it is from here on.
            except (UserError, MalformedMessage, LocalError, ValueError, TypeError, IndexError):
                break  # of whatever shape a mutation has given it
            # Behind a fault nothing is read, so nothing needs a right digest.
            if auditor.report.broken is not None:
                break
            if ledger is not None:
                heads[ledger.origin.ledger] = ledger.head
        # The rest as the mutation had it.
        return Draft((*linked, *draft.records[len(linked) :]))

    def verdict(self, data: bytes) -> Verdict:
        """Return what an audit of the whole of `data` says.

        That is `transcript.format` for what is no transcript, and `charter.profile` for one of no
        game that we know.
        """
        whole = self._whole
        # The last kept place whose bytes are the same in both files.
        last = bisect_left(self._ends, 1, key=lambda end: whole[:end] != data[:end]) - 1
        auditor = self._standing[last].fork()
        try:
            list(auditor.feed(data[self._ends[last] :]))
        except MalformedMessage as error:
            # Evidence is of a seat: what cannot be decoded convicts nobody.
            return error.check, None
        except UserError:
            # An agreement that no game here knows.
            return "charter.profile", None
        broken = auditor.finish().broken
        if broken is None:
            return None, None
        return broken.check, None if broken.seat is None else int(broken.seat)


@cache
def expected_verdicts(base: str) -> ExpectedVerdicts:
    """Return our verdicts on mutations of a saved hand."""
    return ExpectedVerdicts(saved_hand(base))


def _link(
    record: DraftRecord,
    charter: Charter | None,
    ledger: AnyReplica | None,
    after: Mapping[bytes, bytes],
    table: OwnTable,
) -> DraftRecord:
    """Return a record as it continues what stands before it; `after` is what heads have become."""
    raw = record.payload
    # L begins a ledger and names the digests that it continues.
    if record.letter == b"L":
        lane, number, continued, *rest = cast(Any, decode(raw))
        value = (lane, number, tuple(after.get(each, each) for each in continued), *rest)
        return DraftRecord(b"L", encode(value))
    if ledger is None or charter is None:
        # Before the charter or outside a ledger there is nothing to link.
        return record
    head, tag = ledger.ledger.head, table_tag(charter.digest)
    match record.letter:
        case b"M":
            _, lane, number, _, seat, kind, _, content = body_of(raw)
            place = lane, number, len(ledger.ledger.rounds), seat
            payload = sign_body(table, (tag, *place, kind, head, content), raw[2], charter=charter)
        # U is an agreement to end, R a ruling: both name a point and its digest.
        case b"U" | b"R":
            _, *said, point = cast(Any, body_of(raw))
            number, closed, _, *rest = point
            body = (tag, *said, (number, closed, ledger.ledger.digest_after(closed), *rest))
            purpose = Purpose.RULING if record.letter == b"R" else Purpose.NOTICE
            # A message names its place and the digest before it.
            payload = sign_body(table, body, raw[2], purpose=purpose, charter=charter)
        case b"E":
            # E is the ledger's own digest.
            payload = head
        case _:
            payload = raw
    return DraftRecord(record.letter, payload)
