"""The bytes of evidence: how a file of it begins, and the one kind that needs no ledger.

A body that does not decode under a good signature convicts its seat by itself, whatever was signed
before it. All other evidence brings the agreed messages along (see `protocol.table.evidence`).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from protocol.bounds import MAX_EVIDENCE_BYTES
from protocol.encoding import Value, encode
from protocol.wire.charter import Charter

MAGIC: Final = "p2p304 evidence"
FORMAT: Final = 1


class EvidenceKind(IntEnum):
    """What a file of evidence shows; the numbers are those of specs 6.4."""

    CONFLICT = 1
    FAULT = 2
    FORK = 3
    RULINGS = 4


def evidence_file(kind: EvidenceKind, *fields: Value) -> bytes:
    """Return the bytes of a file of evidence of this kind; raises LocalError if it is too large."""
    # `int`: an encoding takes no IntEnum.
    return encode((MAGIC, FORMAT, int(kind), *fields), max_bytes=MAX_EVIDENCE_BYTES)


def malformed_body(charter: Charter, check: str, raw: bytes) -> bytes:
    """Return the evidence file that shows that the body of the envelope `raw` fails `check` when
    it is decoded.
    """
    # No ledgers: no history makes such a body right (specs 6.4).
    return evidence_file(EvidenceKind.FAULT, charter.to_bytes(), check, (), raw)
