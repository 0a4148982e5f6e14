"""A match that goes on at another table: what audits of both tables' files say of the change.

One file tells what was played at one table. Whether a table goes on with the match of another just
as it stood there is seen in the files of both, and so is who signed what no honest seat signs.
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
    """A table goes on with the match of another.

    `before` and `after` are the numbers of the reports, `before` None where no file holds the hand
    from which it goes on. `broken` is the first check that fails, "" if none does.
    """

    before: int | None
    after: int
    broken: str = ""
    detail: str = ""


def changes(reports: Sequence[Report]) -> Iterator[Change]:
    """Yield a change for each table that goes on with a match, in the order of its first file.

    Of a table, the first valid file of the hand from which the match goes on counts, or the first
    that tells of that hand something else.

    Args:
        reports: of whole files, in any order; a change names them by their place in it, from 0.
    """
    told: set[bytes] = set()
    for after, report in enumerate(reports):
        charter = report.charter
        term = charter.continues if charter is not None and report.valid else None
        if charter is None or term is None or charter.digest in told:
            continue
        told.add(charter.digest)
        found = [
            _judged(number, after, each, charter)
            for number, each in enumerate(reports)
            if each.valid
            and each.charter is not None
            and each.charter.digest == term.charter
            and any(hand.number == term.point.hand for hand in each.hands)
        ]
        wrong = [each for each in found if each.broken]
        yield (wrong or found or [Change(None, after)])[0]


def _judged(before: int, after: int, report: Report, charter: Charter) -> Change:
    if report.standing is None:
        return Change(before, after, "continuation.point", "the match does not go on after it")
    try:
        check_change(report.standing, charter)
    except ProofError as error:
        return Change(before, after, error.check, error.detail)
    return Change(before, after)


def forks(reports: Sequence[Report]) -> Iterator[tuple[Fork, Conviction]]:
    """Yield once who played on at two tables, of which only one can be its own."""
    found: set[tuple[bytes, bytes, bytes]] = set()
    going_on = [each for each in reports if each.charter and each.charter.continues]
    for first, second in product(reports, going_on):
        for fork, conviction in _between(first, second):
            key = fork.charter.seats[conviction.seat].key.to_bytes()
            one, other = fork.charter.digest, fork.other.digest
            if (key, one, other) not in found:
                found |= {(key, one, other), (key, other, one)}
                yield fork, conviction


def _between(first: Report, second: Report) -> Iterator[tuple[Fork, Conviction]]:
    charter, other = first.charter, second.charter
    if charter is None or other is None:
        return
    for seat, (place, raw) in first.plays.items():
        for there, (later, last) in second.plays.items():
            if charter.seats[seat].key == other.seats[there].key:
                check = contradiction((charter, place), (other, later))
                if check is not None:
                    yield Fork(charter, raw, other, last), Conviction(seat, check)
