"""What an audit has found: hands, how often each verification passed, and what broke.

A subject is a kind of thing that verifications look at: a record, an envelope, a message, a proof.
It is counted when it has passed all that are made of it, so that a verification's number is of the
subjects that passed it, not of the single comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from p2p304.game import Outcome
from p2p304.seats import Seat
from protocol.places import Place
from protocol.table.hand import HandPlay
from protocol.table.machine import LedgerMachine
from protocol.table.standing import MatchStanding
from protocol.transcript.checks import AUDITED
from protocol.wire import contents
from protocol.wire.charter import Charter
from protocol.wire.messages import SignedMessage, SignedRuling


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


class Tally:
    """The subjects so far."""

    def __init__(self) -> None:
        self._subjects: Counter[str] = Counter()
        self._facts = 0

    def fork(self) -> Tally:
        """Return a tally of the same, so that both go on by themselves."""
        other = Tally()
        other._subjects, other._facts = Counter(self._subjects), self._facts
        return other

    def add(self, *subjects: str) -> None:
        """Count one of each."""
        for subject in subjects:  # which costs a fifth of what Counter.update does
            self._subjects[subject] += 1

    def begin_ledger(self) -> None:
        """Count facts anew, because those of another ledger follow."""
        self._facts = 0

    def message(self, signed: SignedMessage) -> None:
        """Count an accepted message with all that it holds."""
        content = signed.message.content
        self.add("message", type(content).__name__)
        match content:
            case contents.Action(_, _, _, remixes, salts):
                self._many(remix=len(remixes), salt=len(salts))
            case contents.SortedHands(remixes, salts):
                self._many(remix=len(remixes), salt=len(salts))
            case contents.HandOverShares(handovers, salts):
                self._many(handover=len(handovers), salt=len(salts))
            case contents.DealShares(_, salts) | contents.ResultSignature(_, salts):
                self._many(salt=len(salts))
            case _:
                pass

    def facts(self, machine: LedgerMachine) -> None:
        """Count the statements that were proved since the last time."""
        if isinstance(machine, HandPlay):
            self.add(*(type(fact.statement).__name__ for fact in machine.facts[self._facts :]))
            self._facts = len(machine.facts)

    def passed(self, report: Report) -> Counter[str]:
        """Return how many subjects passed each verification; `report` tells what its hands lack."""
        passed = Counter(
            {each.name: sum(self._subjects[name] for name in each.subjects)
             for each in AUDITED}
        )  # fmt: skip
        hands = report.hands
        unsigned = sum(1 for hand in hands if hand.unconfirmed or hand.outcome is None)
        passed["result.signatures"] -= unsigned
        passed["ledger.settled"] -= sum(1 for hand in hands if hand.ended_by or hand.ruling)
        return passed

    def _many(self, **subjects: int) -> None:
        for subject, count in subjects.items():
            self._subjects[subject] += count
