"""Matches that go on at another table, judged from the audits of both tables' files (specs 6.5).

A file is of one table. Whether a table goes on with another's match as it stood needs the files of
both, and so does a seat that signed at both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from protocol.errors import ProofError
from protocol.table.evidence import Fork, contradiction
from protocol.table.judge_again import Conviction
from protocol.table.standing import check_change
from protocol.transcript.auditor import Report
from protocol.wire.charter import Charter


class Change(NamedTuple):
    """A table that goes on with the match of another, and the verdict on it.

    `after` is the index of its report, `before` that of the other table's; None if no file holds
    the hand from which the match goes on. `broken` is the first failed check, "" for none; `detail`
    says more about it.
    """

    before: int | None
    after: int
    broken: str = ""
    detail: str = ""


def changes(reports: Sequence[Report]) -> Iterator[Change]:
    """Yield one Change for each table whose charter goes on with a match of another table, judged
    by the other table's file, in the order of its first valid file.

    If no file holds the hand from which the match goes on, the change has `before` None. Of several
    that hold it the first that contradicts the change is judged, else the first. Files that failed
    their audit are left out on both sides.

    Args:
        reports: of whole files, in any order; a change names them by index.
    """
    told: set[bytes] = set()
    for after, report in enumerate(reports):
        charter = report.charter
        term = charter.continues if charter is not None and report.valid else None
        # Several files of one table tell one change.
        if charter is None or term is None or charter.digest in told:
            continue
        told.add(charter.digest)
        found = [
            _judge(number, after, each, charter)
            for number, each in enumerate(reports)
            if each.valid
            and each.charter is not None
            and each.charter.digest == term.charter
            and any(hand.number == term.point.hand for hand in each.hands)
        ]
        # One file that goes further than the point shows that the hand did not end there (specs
        # 6.5), so that the first wrong one comes before the first right one.
        wrong = [each for each in found if each.broken]
        yield (wrong or found or [Change(None, after)])[0]


def _judge(before: int, after: int, report: Report, charter: Charter) -> Change:
    """Return the change from the table of `report`, index `before`, to the table of `charter`,
    index `after`, with the first failed check: `continuation.point` if by the report no match
    goes on (it is over, or its hand in play), else one of `check_change`; none if all hold.
    """
    # The match is over, or the hand was in play: nothing goes on from it.
    if report.standing is None:
        return Change(before, after, "continuation.point", "the match does not go on after it")
    try:
        check_change(report.standing, charter)
    # Returned with its name: other tables are judged all the same.
    except ProofError as error:
        return Change(before, after, error.check, error.detail)
    return Change(before, after)


def forks(reports: Sequence[Report]) -> Iterator[tuple[Fork, Conviction]]:
    """Yield a fork and its conviction for each key whose messages in two tables' files convict it
    of playing on at both although it may play at one (specs 6.4, kind 3); once for each key and two
    tables.

    Files that failed their audit count too.
    """
    found: set[tuple[bytes, bytes, bytes]] = set()
    going_on = [each for each in reports if each.charter and each.charter.continues]
    # Also a report with itself: `contradiction` finds nothing at one table.
    for first, second in product(reports, going_on):
        charter, other = first.charter, second.charter
        if charter is None or other is None:
            continue
        for (seat, (place, raw)), (there, (later, last)) in product(
            first.plays.items(), second.plays.items()
        ):
            # By key: a person may have another seat there.
            if charter.seats[seat].key != other.seats[there].key:
                continue
            check = contradiction((charter, place), (other, later))
            key, one, two = charter.seats[seat].key.to_bytes(), charter.digest, other.digest
            if check is not None and (key, one, two) not in found:
                # Both orders: the same two tables convict a seat once.
                found |= {(key, one, two), (key, two, one)}
                yield Fork(charter, raw, other, last), Conviction(seat, check)
