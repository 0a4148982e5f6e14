"""What an audit has found: hands, how often each verification passed, and what broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from p2p304.game import Outcome
from p2p304.seats import Seat
from protocol.audit.checks import AUDITED
from protocol.ledger.continuation import MatchStanding
from protocol.places import Place
from protocol.wire.charter import Charter
from protocol.wire.messages import SignedRuling


@dataclass(frozen=True, slots=True)
class Broken:
    """The first check that failed: where, and whom it convicts, if it convicts anybody."""

    check: str
    place: str
    seat: Seat | None = None
    detail: str = ""
    evidence: bytes | None = field(default=None, repr=False)


class HandResult(NamedTuple):
    """What stays of a hand's outcome: as much as every game tells, in little room."""

    scores: tuple[int, ...]
    summary: str
    played: bool

    @classmethod
    def of(cls, outcome: Outcome) -> HandResult:
        """Return the result that `outcome` tells."""
        return cls(tuple(outcome.scores), outcome.summary, outcome.played)


@dataclass(frozen=True, slots=True)
class AuditedHand:
    """A hand that was judged again to its end; `unconfirmed` have not signed the result.

    `ended_by` are those who agreed to end it unfinished; without an outcome it has no result.
    `ruling` is that by which a referee ended it where it stands.
    """

    number: int
    dealer: Seat
    outcome: HandResult | None
    unconfirmed: tuple[Seat, ...]
    ended_by: tuple[Seat, ...] = ()
    ruling: SignedRuling | None = None


@dataclass(slots=True)
class Report:
    """What an audit found so far: how often each verification passed, hands, and what broke."""

    charter: Charter | None = None
    passed: Counter[str] = field(default_factory=Counter)
    hands: list[AuditedHand] = field(default_factory=list)
    broken: Broken | None = None
    complete: bool = False
    contents: bytes = b""
    """The digest of what all honest seats write alike, once the whole file was read."""

    standing: MatchStanding | None = None
    """Where the match stands after the last hand, if it goes on from there at another table."""
    plays: dict[Seat, tuple[Place, bytes]] = field(default_factory=dict, repr=False)
    """The last message of each seat in a hand, with its place."""

    @property
    def valid(self) -> bool:
        """Whether the whole file was there and nothing was broken."""
        return self.complete and self.broken is None


RESULTS: Final = ("passed", "not needed", "not known", "not reached", "failed")
"""What becomes of a verification in an audit; `results` says which is when."""


def results(report: Report) -> Mapping[str, str]:
    """Return for each verification "passed", "failed", "not needed" or "not reached".

    "not reached" stands for what comes after a failure. "not known" stands for what the file does
    not hold: the match before a hand that stands alone, the signatures that are not under a result.
    """
    broken = report.broken.check if report.broken is not None else None
    unknown = ("match.dealer", "match.scores", "result.signatures") if report.hands else ()
    found = {}
    for each in AUDITED:
        if each.name == broken:
            found[each.name] = "failed"
        elif report.passed[each.name]:
            found[each.name] = "passed"
        elif broken is not None:
            found[each.name] = "not reached"
        else:
            found[each.name] = "not known" if each.name in unknown else "not needed"
    return found


def by_result(report: Report) -> Mapping[str, tuple[str, ...]]:
    """Return the verifications by their result, one of RESULTS; what broke is always among them."""
    found = results(report)
    named = {each: tuple(name for name in found if found[name] == each) for each in RESULTS}
    return named | {"failed": (report.broken.check,) if report.broken is not None else ()}
