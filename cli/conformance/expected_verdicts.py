"""Our verdicts on files that begin as a saved hand does: what they share is judged once."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from cli.conformance.onward import kept
from cli.conformance.transcript_edits import Draft
from cli.errors import UserError
from cli.seat.charter_text import game_of
from protocol.errors import MalformedMessage
from protocol.table.replica import AnyReplica
from protocol.transcript.auditor import Auditor
from protocol.transcript.file import MAGIC

Verdict = tuple[str | None, int | None]
"""The check that fails, None if the file is valid, and the seat that is convicted, if any."""


class ExpectedVerdicts:
    """Judges variants of one sound file, each from the record in which it first differs."""

    def __init__(self, whole: bytes) -> None:
        """Judge the whole file, and keep where the audit stood after each record."""
        self._whole = whole
        auditor = Auditor(game_of)
        self._ends, self._standing = [0], [auditor.fork()]
        sizes = [len(each.to_bytes()) for each in Draft.of(whole).records]
        for size in (len(MAGIC), *sizes):
            begin = self._ends[-1]
            for _ in auditor.feed(whole[begin : begin + size]):
                pass
            self._ends.append(begin + size)
            self._standing.append(auditor.fork())

    def ledger_before(self, record: int) -> AnyReplica | None:
        """Return the ledger that is open before a record of the whole file is read, or None."""
        return self._standing[record + 1].ledger

    def verdict(self, data: bytes) -> Verdict:
        """Return what an audit of the whole of `data` says.

        That is `transcript.format` for what is no transcript, and `charter.profile` for one of no
        game that we know.
        """
        last = bisect_right(self._ends, common_prefix(self._whole, data)) - 1
        auditor = self._standing[last].fork()
        try:
            for _ in auditor.feed(data[self._ends[last] :]):
                pass
        except MalformedMessage as error:
            return error.check, None
        except UserError:
            return "charter.profile", None
        broken = auditor.finish().broken
        if broken is None:
            return None, None
        return broken.check, None if broken.seat is None else int(broken.seat)


@cache
def expected_verdicts(base: str) -> ExpectedVerdicts:
    """Return our verdicts on mutations of a saved hand."""
    return ExpectedVerdicts(kept(base))


def common_prefix(one: bytes, other: bytes) -> int:
    """Return how many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
