"""The audit of a transcript, without a key, and its report.

The same replicas and machines judge as in live play, so there is one code path for verdicts. An
audit takes the file in pieces and stops at the first check that fails. Of a judged hand it keeps
the result and the seats' keys, nothing else (see `protocol.table.evidence`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeVar

from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.bounds import MOST_KEYS
from protocol.errors import LocalError, MalformedMessage, PeerFault, ProofError
from protocol.places import Lane, Place
from protocol.table.events import Event
from protocol.table.evidence import KEY_REUSE
from protocol.table.hand import HandPlay
from protocol.table.judge_again import confirmed_evidence
from protocol.table.ledger import Fits, LedgerPhase, Origin, OtherHistory
from protocol.table.replica import OUT_OF_TURN, AnyReplica, HandReplica
from protocol.table.setups import MatchSetup
from protocol.table.standing import MatchStanding, check_continued
from protocol.table.table import TableState, receive
from protocol.topics.ending import check_agreement, check_all_agreed, place_names
from protocol.transcript.checks import AUDITED
from protocol.transcript.file import FileRecord, TranscriptReader
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.messages import (
    Agreement,
    SignedRuling,
    open_agreement,
    open_ledger_message,
    open_ruling,
)

# --- what an audit has found: hands, how often each verification passed, and what broke -----------
#
# A subject is a kind of thing that verifications look at: a record, an envelope, a message, a
# proof. It is counted when it has passed all that are made of it, so that a verification's number
# is of the subjects that passed it, not of the single comparisons.


@dataclass(frozen=True, slots=True)
class Broken:
    """The first check that failed, its place in the file, and the seat that it convicts, with
    evidence, if it convicts one.
    """

    check: str
    place: str
    seat: Seat | None = None  #: None where nobody is convicted.
    detail: str = ""
    # Not printed: it is a whole file.
    #: An evidence file; None where nobody is convicted.
    evidence: bytes | None = field(default=None, repr=False)


class HandResult(NamedTuple):
    """The part of a hand's outcome that every game has: change of each side's score, summary,
    and whether cards were played.
    """

    scores: tuple[int, ...]
    summary: str
    played: bool


@dataclass(frozen=True, slots=True)
class AuditedHand:
    """A hand that was judged to its end.

    `outcome` is None without a result, or with one that a ruling made void; the seats in
    `unconfirmed` have not signed the result. `ended_by` are the seats that ended the hand by
    agreement, `ruling` is the ruling that stopped it.
    """

    number: int
    dealer: Seat
    outcome: HandResult | None
    unconfirmed: tuple[Seat, ...]
    ended_by: tuple[Seat, ...] = ()
    ruling: SignedRuling | None = None


@dataclass(slots=True)
class Report:
    """The result of an audit so far: passed verifications, hands, and the failed check."""

    charter: Charter | None = None  #: None until it was read.
    #: By the name of a verification, how many subjects passed it; filled by `Auditor.finish`.
    passed: Counter[str] = field(default_factory=Counter)
    hands: list[AuditedHand] = field(default_factory=list)
    broken: Broken | None = None
    complete: bool = False  #: Whether the file was read to its end.

    #: The digest of what all honest seats write alike, once the whole file was read.
    contents: bytes = b""

    #: Where the match stands after the last hand, if it goes on from there at another table.
    standing: MatchStanding | None = None
    #: The last message of each seat in a hand, with its place.
    plays: dict[Seat, tuple[Place, bytes]] = field(default_factory=dict, repr=False)

    @property
    def valid(self) -> bool:
        """Whether the whole file was read and no check failed."""
        return self.complete and self.broken is None


#: What becomes of a verification in an audit; `results` says which is when.
RESULTS: Final = ("passed", "not needed", "not known", "not reached", "failed")


def results(report: Report) -> Mapping[str, str]:
    """Return for each verification of AUDITED what became of it.

    "failed" is the one that ended the audit, "passed" any other that something passed. Of the rest,
    after a failure all are "not reached"; without one, "not known" is for what the file lacks (the
    match before a hand that stands alone, missing signatures under a result, specs 6.2), "not
    needed" for what the file holds no subject of.
    """
    broken = report.broken.check if report.broken is not None else None
    # These rest on other hands, or on signatures that never came; without a hand nothing asks for
    # them (specs 6.2).
    unknown = ("match.dealer", "match.scores", "result.signatures") if report.hands else ()
    found = {}
    for each in AUDITED:
        # First: other subjects may have passed the check that one failed.
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
    """Return, for each of RESULTS, the names of the verifications with that result.

    Under "failed" is the check that failed, also one that is not in AUDITED.
    """
    found = results(report)
    named = {each: tuple(name for name in found if found[name] == each) for each in RESULTS}
    return named | {"failed": (report.broken.check,) if report.broken is not None else ()}


#: Parts of a message that each are a subject of their own, by the field that has them.
_PARTS: Final = {"remixes": "remix", "handovers": "handover", "salts": "salt"}


OpenedT = TypeVar("OpenedT")


class Auditor:
    """The audit of one transcript, fed in pieces; `report` is the result so far."""

    def __init__(self, game_of: Callable[[Charter], AnyGame], *, trusted: bool = False) -> None:
        """Start an audit; `game_of` returns the game of the file's charter.

        With `trusted`, keys, shuffles and what is said of hidden cards are taken without their
        proofs, and shuffles of the pack are not carried out.
        """
        self._trusted = trusted
        self.report = Report()
        self._game_of = game_of
        self._reader = TranscriptReader()
        self._table: TableState | None = None
        #: The ledger that is being read, as far as it has come; None between ledgers.
        self.ledger: AnyReplica | None = None
        # Equal results, so that many hands of a file share one.
        self._results: dict[HandResult, HandResult] = {}
        self._subjects: Counter[str] = Counter()  #: Those that passed so far.
        # Before round 0 and seat 0, so that any first message comes after it.
        self._place: tuple[int, int] = (-1, -1)
        # Never emptied: no ledger follows a hand that was ended by agreement.
        self._agreed: tuple[Agreement, ...] = ()
        #: Whether the last hand was ended by agreement, or by a ruling with the verdict END, so
        #: that no ledger may follow.
        self._ended = False

    def fork(self) -> Auditor:
        """Return an independent copy of the audit so far, which can be fed further by itself."""
        # A shallow copy: all else is immutable, but for `_results`, which both may share: it only
        # makes one object of equal results.
        other, report = copy(self), self.report
        other.report = replace(
            report,
            passed=Counter(report.passed),
            hands=list(report.hands),
            plays=dict(report.plays),
        )
        other._reader, other._subjects = self._reader.fork(), Counter(self._subjects)
        return other

    def feed(self, data: bytes) -> Iterator[Event]:
        """Judge the next bytes of the file, any number of them, and yield the events of their
        messages. It judges only as its events are asked for: take them all.

        A check that fails ends the audit: it stands in `report.broken`, and further bytes are
        ignored. Raises MalformedMessage `transcript.format` for a file that is no transcript,
        LocalError for one with more decks than keys can be kept of, InternalFault if plain
        arithmetic does not find a fault, and whatever `game_of` raises for an unknown game.
        """
        # An audit stops at the first check that fails (specs 6.2).
        if self.report.broken is not None:
            return
        in_entry = False
        try:
            for entry in self._reader.feed(data):
                self._count("record")
                in_entry = True
                yield from self._read(entry)
                in_entry = False
        # These convict nobody: whoever wrote the file may have changed it (specs 6.2).
        except (MalformedMessage, ProofError) as error:
            # No transcript at all: there is no verdict about it (specs 6.2).
            if error.check == "transcript.format":
                raise
            # A record that cannot be read is in no ledger.
            where = self._where() if in_entry else "the file"
            self.report.broken = Broken(error.check, where, None, error.detail)
        except PeerFault as fault:
            # Without proofs there is no arithmetic to doubt.
            if not self._trusted:
                # A fault is of a message, and messages are judged at a table.
                assert self._table is not None
                confirmed_evidence(fault, self._table.game)
            evidence = fault.evidence[0] if fault.evidence else None
            seat = Seat(fault.seat)
            self.report.broken = Broken(fault.check, self._where(), seat, "", evidence)

    def finish(self) -> Report:
        """Return the report after the last piece was fed, with the counts of passed
        verifications; a file that is cut short is broken.
        """
        if self.report.broken is None:
            try:
                self._reader.finish()
                self.report.contents = self._reader.contents
            except MalformedMessage as error:
                self.report.broken = Broken(error.check, self._where(), None, error.detail)
        # Also of a file that failed later: its beginning was right.
        if self._reader.began:
            self._count("beginning")
        passed = Counter(
            {each.name: sum(self._subjects[name] for name in each.subjects)
             for each in AUDITED}
        )  # fmt: skip
        hands = self.report.hands
        # The subject is a hand, and these hands have passed all but this.
        passed["result.signatures"] -= sum(
            1 for hand in hands if hand.unconfirmed or hand.outcome is None
        )
        # An agreement or a ruling ended them, not their own last round.
        passed["ledger.settled"] -= sum(1 for hand in hands if hand.ended_by or hand.ruling)
        self.report.passed = passed
        return self.report

    def _count(self, *subjects: str) -> None:
        """Count one of each of these subjects, which has passed."""
        for subject in subjects:  # which costs a fifth of what Counter.update does
            self._subjects[subject] += 1

    def _where(self) -> str:
        """Return the place in the file for the report: ledger and round that are being read,
        "the file" between ledgers.
        """
        replica = self.ledger
        if replica is None:
            return "the file"
        return f"{replica.origin.ledger}, round {len(replica.ledger.rounds)}"

    # --- reading ----------------------------------------------------------------------------------

    def _read(self, entry: FileRecord) -> Iterator[Event]:
        """Judge one entry of the file, and yield its events.

        Raises MalformedMessage, ProofError or, if it convicts a seat, PeerFault, if it is wrong or
        stands in the wrong place, or if the game refuses the charter's number of seats or the match
        that the charter goes on with; and what `game_of` raises. So do the functions below.
        """
        table, replica = self._table, self.ledger
        match entry:
            case (b"C", Charter() as charter) if table is None:
                self.report.charter = charter
                game = self._game_of(charter)
                # Before the game is asked anything: its rules are for that number.
                if game.seats != len(charter.seats):
                    raise ProofError("charter.seats", "not as many as the game has")
                self._count("charter")
                self._table = TableState(charter, game, stated=True, trusted=self._trusted)
                check_continued(charter, game)
                if charter.continues is not None:
                    self._count("continuation")
            # The cases are the order of records (specs 6.2, reading, no. 5).
            case _ if table is None:
                raise ProofError("transcript.order", "the charter comes first, once")
            case (b"L", Origin() as origin) if replica is None and not self._ended:
                self._table, events = table.at(origin)
                self.ledger = self._table.replicas[origin.ledger]
                # Again before the first round and seat.
                self._place = (-1, -1)
                self._count("origin")
                yield from events
            case (b"M", bytes(raw)) if replica is not None and not (self._agreed or replica.ruling):
                yield from self._judge(table, replica, raw)
            case (b"R", bytes(raw)) if replica is not None and not self._agreed:
                # One ruling ends a hand; what came behind it would be void.
                if replica.ruling is not None:
                    raise ProofError("transcript.order", "a second ruling about a hand")
                self._table = table.stop_by_ruling(self._opened(open_ruling, raw), replica)
                self.ledger = self._table.replicas[replica.origin.ledger]
                self._count("ruling")
            case (b"U", bytes(raw)) if replica is not None and replica.ruling is None:
                agreement = self._opened(open_agreement, raw)
                check_agreement(replica, agreement, self._agreed)
                self._agreed += (agreement,)
                self._count("agreement")
            case (b"E", bytes(digest)) if replica is not None:
                yield from self._end(table, replica, digest)
                self.ledger = None
            case (b"Z", _) if replica is None:
                # A file without a hand shows nothing.
                if not self.report.hands:
                    raise ProofError("transcript.missing", "there is no hand in the file")
                self.report.complete = True
                self._count("file")
            case _:
                detail = (
                    "the charter comes first, once"
                    if entry.letter == b"C"
                    else "what stands here belongs elsewhere"
                )
                raise ProofError("transcript.order", detail)

    # --- judging ----------------------------------------------------------------------------------

    def _judge(self, table: TableState, replica: AnyReplica, raw: bytes) -> Iterator[Event]:
        """Judge a ledger message, move the table on, count what passed, and yield the events; keep
        a message of a hand in the report as its seat's last one.

        Raises LocalError for more decks than keys can be kept of.
        """
        charter, signed = table.charter, self._opened(open_ledger_message, raw)
        if signed.place.ledger != replica.origin.ledger:
            raise ProofError("ledger.place", "a message of another ledger")
        place = (signed.place.round, signed.place.seat)
        # Once each and in one order: else one history would have many files.
        if place <= self._place:
            raise ProofError("ledger.place", "messages stand by round and seat, once each")
        self._place = place
        try:
            # Before `receive` judges the place: a reused key convicts wherever its message
            # stands (specs 6.2, M, no. 6). Bounded: an audit keeps every key of the file.
            if len(table.keys.note(signed, charter).keys) > MOST_KEYS:
                raise LocalError(
                    f"the file holds more than {MOST_KEYS // 2 // len(charter.seats):,} decks:"
                    " audit its hands in several files"
                )
            received, cancelled = receive(table, signed), ""
        except PeerFault as fault:
            # These two fail before the place of the message has passed.
            if fault.check not in (OUT_OF_TURN, KEY_REUSE):
                self._count("placed")
            # With evidence one seat is convicted; without, all keys cancel together.
            if fault.evidence:
                raise
            received, cancelled = None, fault.check
        if received is not None:
            # Nobody is convicted: whoever wrote the file may have mixed two.
            if isinstance(received.offered, OtherHistory):
                raise ProofError("ledger.digest", "the message continues another history")
            if not isinstance(received.offered, Fits):
                raise ProofError("ledger.place", "the message stands in the wrong place")
            self._count("placed")
        content = signed.content
        # The names of kinds are names of subjects in `checks`.
        self._count("message", type(content).__name__)
        for field_name, subject in _PARTS.items():
            self._subjects[subject] += len(getattr(content, field_name, ()))
        # Only a message of a hand binds a seat to its table (specs 6.5).
        if signed.place.ledger.lane is Lane.HAND:
            self.report.plays[signed.place.seat] = (signed.place, raw)
        # Keys that cancel: this message was right by itself, and completed their round.
        if received is None:
            raise ProofError(cancelled)
        self._table = received.table_state
        self.ledger = self._table.replicas[replica.origin.ledger]
        before, machine = replica.machine, self.ledger.machine
        if isinstance(before, HandPlay) and isinstance(machine, HandPlay):
            # Statements become facts when their round closes: those of this round alone.
            made = machine.facts[len(before.facts) :]
            self._count(*(type(fact.statement).__name__ for fact in made))
        yield from received.events

    def _opened(self, opened_by: Callable[[bytes, Charter], OpenedT], raw: bytes) -> OpenedT:
        """Return what an envelope holds, and count that its signature and its body passed."""
        assert self.report.charter is not None  # it comes first
        try:
            opened = opened_by(raw, self.report.charter)
        except PeerFault:
            self._count("envelope")  # its body is wrong in itself, under a good signature
            raise
        self._count("envelope", "body")
        return opened

    # --- ending -----------------------------------------------------------------------------------

    def _end(self, table: TableState, replica: AnyReplica, digest: bytes) -> Iterator[Event]:
        """Judge the end of a ledger; then begin the match of a setup, report a hand and yield its
        events, or count a deck.

        Its head must be `digest`, and it must be complete, or a hand that lacks only signatures of
        its result or was ended by agreement or ruling. A setup after which no match begins at this
        table is refused.
        """
        # The digest says where its writer ended: a file that lacks a round fails here.
        if replica.ledger.head != digest:
            raise ProofError("ledger.head", "the ledger does not end where the file says")
        machine = replica.machine
        hand = table.hand() if isinstance(machine, HandPlay) else None
        signing = machine.phase is LedgerPhase.SIGNING
        if self._agreed and hand is not None:
            check_all_agreed(hand, self._agreed)
        # Signatures alone may be missing: the result is then unconfirmed.
        elif not replica.settled and not signing:
            due = place_names(replica.ledger.missing, replica)
            phase = machine.phase.value
            raise ProofError("ledger.settled", f"unfinished; it waits for {due} ({phase})")
        # All went on elsewhere: such a setup stands in no file of this table.
        if isinstance(machine, MatchSetup) and machine.luck is None:
            raise ProofError("ledger.settled", "no match begins with it at this table")
        self._count("ledger")
        if isinstance(machine, MatchSetup) and machine.luck is not None:
            self._table, _ = table.begin_match(replica.origin.ledger.number, machine.luck)
        elif hand is not None:
            yield from self._end_hand(table, hand)
        else:
            self._count("deck")

    def _end_hand(self, table: TableState, hand: HandReplica) -> Iterator[Event]:
        """Add an ended hand to the report, with its result if it has one, and where the match
        stands after it; yield its events.

        Raises ProofError `second-opinion` if the open cards contradict a proved statement.
        """
        # The first one only: a proof of something false would show a broken verifier.
        for fact in hand.machine.second_opinion():
            raise ProofError("second-opinion", f"round {fact.round}: {fact.statement}")
        machine, ruling, outcome = hand.machine, hand.ruling, hand.machine.outcome
        missing = hand.ledger.missing if not hand.settled else ()
        if ruling is not None:
            # The hand is void, its result too (specs 5.8).
            if ruling.content.verdict == RulingVerdict.REDEAL:
                outcome = None
            # Stopped while signatures were awaited: none of them is in the file.
            signing = hand.past[-1].phase is LedgerPhase.SIGNING
            missing = tuple(map(Seat, range(len(hand.charter.seats)))) if signing else ()
        result: HandResult | None = None
        if outcome is not None:
            result = HandResult(outcome.scores, outcome.summary, outcome.played)
            result = self._results.setdefault(result, result)  # equal ones of many are kept once
        self.report.hands.append(
            AuditedHand(
                hand.origin.ledger.number,
                machine.dealer,
                result,
                missing if result is not None else (),
                tuple(each.seat for each in self._agreed),
                ruling,
            )
        )
        # Dealer and scores were judged only where the match is known.
        self._count("hand", *(("lineage",) if table.match is not None else ()))
        self._table, self.report.standing, events = table.end_hand(hand, self._agreed)
        self._ended = bool(self._agreed) or (
            ruling is not None and ruling.content.verdict == RulingVerdict.END
        )
        yield from events


def audit_bytes(data: bytes, game_of: Callable[[Charter], AnyGame]) -> Report:
    """Audit a whole transcript and return the report.

    A failed check, or a file that is cut short, is in the report (`valid`, `broken`), not raised.
    Raises MalformedMessage only for a file that is no transcript, and what else `Auditor.feed`
    raises. `game_of` returns the game of the file's charter.
    """
    auditor = Auditor(game_of)
    # It judges as it is asked for events.
    for _ in auditor.feed(data):
        pass
    return auditor.finish()
