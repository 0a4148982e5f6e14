"""Auditing a transcript: the receiving half of play, from a file, by a stranger without a key.

The same replicas and machines judge as in live play, so there is one code path for verdicts. An
audit takes the file in pieces and stops at the first check that fails. Of a hand that it has judged
it keeps the result and the seats' keys, nothing else (see `protocol.table.evidence`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Final

from p2p304.game import AnyGame, MatchState, Outcome
from p2p304.seats import Seat, place_name
from protocol.errors import LocalError, MalformedMessage, PeerFault, ProofError
from protocol.places import Digest, Lane
from protocol.table.agreement import (
    FEWEST,
    ends_here,
    lacks_only_signatures,
    present_in,
    sides_missing,
)
from protocol.table.events import (
    Event,
    HandEnded,
    HandRuled,
    HandStarted,
    HandUnfinished,
    MatchEnded,
)
from protocol.table.evidence import KeyHistory, binds, evidence_from_bytes
from protocol.table.judge_again import confirm
from protocol.table.ledger import Fits, Origin, OutOfTurn, Strange
from protocol.table.machine import Phase
from protocol.table.origins import check_origin
from protocol.table.replica import (
    OUT_OF_TURN,
    AnyReplica,
    HandReplica,
    as_deck,
    as_hand,
    as_match,
    open_ledger,
)
from protocol.table.ruling_effects import Consequence, at_point, consequence, stopped
from protocol.table.rulings import stops
from protocol.table.standing import (
    check_continued,
    first_match,
    standing_after,
    standing_ruled,
)
from protocol.transcript.file import (
    Agreed,
    Entry,
    FileEnds,
    LedgerBegins,
    LedgerEnds,
    Said,
    Stopped,
    TranscriptReader,
)
from protocol.transcript.report import AuditedHand, Broken, HandResult, Report, Tally
from protocol.wire.authenticate import open_agreement, open_ledger_message, open_ruling
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.messages import Agreement, SignedRuling

MOST_KEYS: Final = 200_000
"""So many HandKeys messages are kept, 50,000 decks of four seats: what stays below 300 MB."""


class _Failed(Exception):
    def __init__(self, broken: Broken) -> None:
        super().__init__(broken.check)
        self.broken = broken


class Auditor:
    """Audits one transcript, which is fed to it in pieces; `report` is what it has found so far."""

    def __init__(self, game_of: Callable[[Charter], AnyGame]) -> None:
        """Begin with nothing read; `game_of` gives the game that the file's charter names."""
        self.report = Report()
        self._game_of = game_of
        self._reader = TranscriptReader()
        self._game: AnyGame | None = None
        self._open: AnyReplica | None = None
        self._last: dict[Lane, AnyReplica] = {}
        self._keys = KeyHistory()
        self._results: dict[HandResult, HandResult] = {}
        self._match: MatchState | None = None
        self._over = False
        """Whether the newest hand was the last one of its match, known or not."""
        self._tally = Tally()
        self._place: tuple[int, int] = (-1, -1)
        self._agreed: tuple[Agreement, ...] = ()
        self._ruled: Consequence | None = None
        """What followed from the ruling that ended the newest hand, if one did."""

    @property
    def ledger(self) -> AnyReplica | None:
        """The ledger that is being read, or None between ledgers."""
        return self._open

    def fork(self) -> Auditor:
        """Return an auditor that has read the same, so that both go on by themselves."""
        other, report = copy(self), self.report
        other.report = replace(
            report,
            passed=Counter(report.passed),
            hands=list(report.hands),
            plays=dict(report.plays),
        )
        other._reader, other._tally = self._reader.fork(), self._tally.fork()
        other._last = dict(self._last)
        return other

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield what the messages in these bytes tell, each once it is judged, until a check fails.

        Raises MalformedMessage `transcript.format` for a file that is no transcript, LocalError for
        one with more decks than keys can be kept of, and whatever `game_of` raises for a game that
        it does not know. The file may come in pieces of any size.
        """
        if self.report.broken is not None:
            return
        place = "the file"
        try:
            for entry in self._reader.feed(data):
                self._tally.add("record")
                yield from self._read(entry)
        except MalformedMessage as error:
            if error.check == "transcript.format":
                raise
            self.report.broken = Broken(error.check, place, None, error.detail)
        except _Failed as failed:
            self.report.broken = failed.broken

    def finish(self) -> Report:
        """Return the report, once the last piece of the file was fed."""
        if self.report.broken is None:
            try:
                self._reader.finish()
                self.report.contents = self._reader.contents
            except MalformedMessage as error:
                self.report.broken = Broken(error.check, self._where(), None, error.detail)
        if self._reader.began:
            self._tally.add("beginning")
        self.report.passed = self._tally.passed(self.report)
        return self.report

    def _where(self) -> str:
        if self._open is None:
            return "the file"
        return f"{self._open.origin.ledger}, round {len(self._open.ledger.rounds)}"

    def _fail(self, check: str, detail: str = "") -> _Failed:
        return _Failed(Broken(check, self._where(), None, detail))

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Take what does not hold for the end of the audit, where it has come to."""
        try:
            yield
        except (MalformedMessage, ProofError) as error:
            raise self._fail(error.check, error.detail) from None
        except PeerFault as fault:
            self._tally.add("envelope")  # its body is wrong in itself, under a good signature
            raise self._convicted(fault) from None

    # --- reading ----------------------------------------------------------------------------------

    def _read(self, entry: Entry) -> Iterator[Event]:
        if isinstance(entry, Charter) is not (self._game is None):
            raise self._fail("transcript.order", "the charter comes first, once")
        match entry:
            case Charter():
                self.report.charter = entry
                self._game = self._game_of(entry)
                if self._game.seats != len(entry.seats):
                    raise self._fail("charter.seats", "not as many as the game has")
                self._tally.add("charter")
                with self._failing():
                    check_continued(entry, self._game)
                if entry.continues is not None:
                    self._tally.add("continuation")
            case LedgerBegins(origin) if self._open is None and not self._ended:
                self._open = self._begin(origin)
                self._place = (-1, -1)
                self._tally.add("origin")
                self._tally.begin_ledger()
                if origin.ledger.lane is Lane.HAND:
                    yield HandStarted(origin.ledger.number, origin.leading, origin.scores)
            case Said(raw) if self._open is not None and not self._stopped:
                yield from self._judge(self._open, raw)
            case Stopped(raw) if self._open is not None and not self._agreed:
                self._judge_ruling(self._open, raw)
            case Agreed(raw) if self._open is not None and self._open.ruling is None:
                self._judge_agreement(self._open, raw)
            case LedgerEnds(digest) if self._open is not None:
                yield from self._end(self._open, digest)
            case FileEnds() if self._open is None:
                if not self.report.hands:
                    raise self._fail("transcript.missing", "there is no hand in the file")
                self.report.complete = True
                self._tally.add("file")
            case _:
                raise self._fail("transcript.order", "what stands here belongs elsewhere")

    def _begin(self, origin: Origin) -> AnyReplica:
        game, charter = self._game, self.report.charter
        assert game is not None
        assert charter is not None
        with self._failing():
            self._match = check_origin(origin, self._last, self._match, game, over=self._over)
        deck = self._last.get(Lane.DECK) if origin.ledger.lane is Lane.HAND else None
        return open_ledger(charter, game, origin, deck=as_deck(deck))

    # --- judging ----------------------------------------------------------------------------------

    def _judge(self, replica: AnyReplica, raw: bytes) -> Iterator[Event]:
        charter = self.report.charter
        assert charter is not None
        with self._failing():
            signed = open_ledger_message(raw, charter)
        self._tally.add("envelope", "body")
        if signed.place.ledger != replica.origin.ledger:
            raise self._fail("ledger.place", "a message of another ledger")
        place = (signed.place.round, signed.place.seat)
        if place <= self._place:
            raise self._fail("ledger.place", "messages stand by round and seat, once each")
        self._place = place
        try:
            self._keys = self._keys.noted(signed, charter)
        except PeerFault as fault:
            raise self._convicted(fault) from None
        if self._keys.messages > MOST_KEYS:
            raise LocalError(
                f"the file holds more than {MOST_KEYS // len(charter.seats):,} decks:"
                " audit its hands in several files"
            )
        match replica.offer(signed):
            case Fits():
                pass
            case Strange():
                raise self._fail("ledger.digest", "the message continues another history")
            case OutOfTurn():
                raise self._convicted(replica.fault(signed, OUT_OF_TURN))
            case _:
                raise self._fail("ledger.place", "the message stands in the wrong place")
        self._tally.add("placed")
        try:
            replica = replica.accept(signed)
        except PeerFault as fault:
            raise self._convicted(fault) from None
        self._tally.message(signed)
        if binds(signed.place):
            self.report.plays[signed.place.seat] = (signed.place, raw)
        self._open = replica
        if replica.complete:
            try:
                closed, happened = replica.close()
            except ProofError as error:  # keys that cancel: all seats together, or none
                raise self._fail(error.check, error.detail) from None
            self._open = closed
            self._tally.facts(closed.machine)
            yield from happened

    def _judge_agreement(self, replica: AnyReplica, raw: bytes) -> None:
        charter = self.report.charter
        assert charter is not None
        with self._failing():
            agreement = open_agreement(raw, charter)
        self._tally.add("envelope", "body")
        with self._failing():
            check_agreement(replica, agreement, self._agreed)
        self._agreed += (agreement,)
        self._tally.add("agreement")

    def _judge_ruling(self, replica: AnyReplica, raw: bytes) -> None:
        charter, game = self.report.charter, self._game
        assert charter is not None
        assert game is not None
        if replica.ruling is not None:
            raise self._fail("transcript.order", "a second ruling about a hand")
        with self._failing():
            ruling = open_ruling(raw, charter)
        self._tally.add("envelope", "body")
        with self._failing():
            self._open, self._ruled = ended_by(replica, ruling, game)
        self._tally.add("ruling")

    @property
    def _ended(self) -> bool:
        """Whether the table has stopped by agreement, or by a referee's word."""
        last = self.report.hands[-1].ruling if self.report.hands else None
        return bool(self._agreed) or (
            last is not None and last.content.verdict == RulingVerdict.END
        )

    @property
    def _stopped(self) -> bool:
        """Whether nothing more of the open ledger may follow but its end."""
        return bool(self._agreed) or (self._open is not None and self._open.ruling is not None)

    def _convicted(self, fault: PeerFault) -> _Failed:
        evidence = fault.evidence[0] if fault.evidence else None
        if evidence is not None:
            assert self._game is not None
            confirm(evidence_from_bytes(evidence), self._game)
        return _Failed(Broken(fault.check, self._where(), Seat(fault.seat), "", evidence))

    # --- ending -----------------------------------------------------------------------------------

    def _end(self, replica: AnyReplica, digest: Digest) -> Iterator[Event]:
        if replica.ledger.head != digest:
            raise self._fail("ledger.head", "the ledger does not end where the file says")
        lane = replica.origin.ledger.lane
        signing = replica.machine.phase is Phase.SIGNING
        setup, hand = as_match(replica), as_hand(replica)
        if self._agreed and hand is not None:
            with self._failing():
                check_all_agreed(hand, self._agreed)
        elif not replica.settled and not signing:
            due = places_named(replica.ledger.missing, replica)
            phase = replica.machine.phase.value
            raise self._fail("ledger.settled", f"unfinished; it waits for {due} ({phase})")
        luck = None if setup is None else setup.machine.luck
        if setup is not None and luck is None:
            raise self._fail("ledger.settled", "no match begins with it at this table")
        self._tally.add("ledger")
        if setup is not None and luck is not None:
            assert self._game is not None
            assert self.report.charter is not None
            number = setup.origin.ledger.number
            self._match, self._over = (
                first_match(self.report.charter, self._game, number, luck),
                False,
            )
        elif hand is not None:
            yield from self._end_hand(hand)
        else:
            self._tally.add("deck")
        self._last[lane] = replica
        self._open = None

    def _end_hand(self, replica: HandReplica) -> Iterator[Event]:
        machine = replica.machine
        for fact in machine.second_opinion():
            raise self._fail("second-opinion", f"round {fact.round}: {fact.statement}")
        number = replica.origin.ledger.number
        hand = audited_hand(replica, self._agreed, self._results)
        outcome = machine.outcome if hand.outcome is not None else None
        self.report.hands.append(hand)
        assert self._game is not None
        self._tally.add("hand")
        if replica.ruling is not None:
            yield from self._end_ruled(replica, replica.ruling, outcome)
            return
        self.report.standing = standing_after(replica, self._game, self._agreed)
        self._over = self.report.standing is None
        if hand.ended_by:
            yield HandUnfinished(number, hand.ended_by)
        if self._match is not None:
            self._tally.add("lineage")
        if outcome is None:
            return
        scores: tuple[int, ...] = ()
        if self._match is not None and self._game is not None:
            self._match = self._game.after_hand(self._match, outcome)
            scores = tuple(self._match.scores)
        yield HandEnded(number, outcome, scores)
        if self._match is not None and self._match.winner is not None:
            yield MatchEnded(self._match.winner, scores)
            self._match = None

    def _end_ruled(
        self, replica: HandReplica, ruling: SignedRuling, outcome: Outcome | None
    ) -> Iterator[Event]:
        """Go on from what was ruled; whether the match so far is in the file or not."""
        after, known = self._ruled, self._match is not None
        assert after is not None
        if known:
            self._tally.add("lineage")
        if outcome is not None:
            yield HandEnded(ruling.content.hand, outcome, ())
        yield HandRuled(ruling, ())
        self.report.standing = standing_ruled(replica, after.match)
        self._over = after.over
        self._match = None if after.over or not known else after.match
        if after.winner is not None:
            yield MatchEnded(after.winner, () if after.match is None else after.match.scores)


def audit_bytes(data: bytes, game_of: Callable[[Charter], AnyGame]) -> Report:
    """Audit a whole transcript at once, and return the report; raises as `Auditor.feed` does.

    What is wrong in the file is in the report (`valid`, `broken`), not raised. `game_of` gives the
    game that the file's charter names.
    """
    auditor = Auditor(game_of)
    for _ in auditor.feed(data):
        pass
    return auditor.finish()


def places_named(seats: Iterable[Seat], replica: AnyReplica) -> str:
    """Return what the seats of a table are called."""
    count = len(replica.charter.seats)
    return ", ".join(place_name(seat, count) for seat in seats)


def check_agreement(
    replica: AnyReplica, agreement: Agreement, before: tuple[Agreement, ...]
) -> None:
    """Return if an agreement ends this ledger where it stands, behind those `before` it.

    Raises ProofError `agreement.hand` or `agreement.seats`.
    """
    content = agreement.content
    same = all(each.content == content for each in before)
    if not (same and ends_here(replica, content)):
        raise ProofError("agreement.hand", "an agreement about something else")
    if lacks_only_signatures(replica, content.closed):
        raise ProofError("agreement.hand", "the hand has a result, only signatures are missing")
    if before and agreement.seat <= before[-1].seat:
        raise ProofError("agreement.seats", "agreements stand by seat, once each")


def check_all_agreed(hand: HandReplica, agreed: tuple[Agreement, ...]) -> None:
    """Return if all who were to agree did, a seat of every side among them.

    Raises ProofError `agreement.seats` or `agreement.sides`.
    """
    present = present_in(agreed[0].content, hand.charter)
    if len(present) < FEWEST or present != tuple(each.seat for each in agreed):
        raise ProofError("agreement.seats", "not those who were to agree")
    if side := sides_missing(hand, present, len(hand.ledger.rounds)):
        raise ProofError("agreement.sides", f"nobody of {places_named(side, hand)}")


def ended_by(
    replica: AnyReplica, ruling: SignedRuling, game: AnyGame
) -> tuple[HandReplica, Consequence]:
    """Return the hand as a ruling ends it where it stands, and what follows from that.

    Raises ProofError `ruling.point` or `ruling.verdict`.
    """
    hand, content = as_hand(replica), ruling.content
    here = hand is not None and at_point(hand, content)
    if hand is None or not here or content.closed != len(hand.ledger.rounds):
        raise ProofError("ruling.point", "a ruling about something else")
    if hand.ledger.accepted:
        raise ProofError("ruling.point", "messages behind what was ruled")
    if not stops(content):
        raise ProofError("ruling.verdict", "it stops no hand")
    after = consequence(game, content, hand.origin, hand.machine.outcome)
    return stopped(hand, ruling), after


def audited_hand(
    replica: HandReplica,
    agreed: tuple[Agreement, ...],
    results: dict[HandResult, HandResult],
) -> AuditedHand:
    """Return what is reported of a hand that has ended; equal `results` of many are kept once."""
    machine, ruling = replica.machine, replica.ruling
    outcome = machine.outcome
    missing = replica.ledger.missing if not replica.settled else ()
    if ruling is not None:
        if ruling.content.verdict == RulingVerdict.REDEAL:
            outcome = None
        signing = replica.past[-1].phase is Phase.SIGNING
        missing = tuple(map(Seat, range(len(replica.charter.seats)))) if signing else ()
    result = HandResult.of(outcome) if outcome is not None else None
    if result is not None:
        result = results.setdefault(result, result)
    return AuditedHand(
        replica.origin.ledger.number,
        machine.dealer,
        result,
        missing if result is not None else (),
        tuple(each.seat for each in agreed),
        ruling,
    )
