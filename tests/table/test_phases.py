"""The table of phases: every pair of phase and message, and every transition of real hands."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import pytest

from p2p304.seats import Seat
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError
from protocol.places import Digest, Place
from protocol.seat.session import Session
from protocol.table.events import (
    ConfirmationDue,
    Contributed,
    Event,
    Persist,
    PublishingDue,
    SeatBlamed,
    Send,
    TurnOpened,
)
from protocol.table.ledger import AWAITED, FIRST, NEXT, WINDOW, LedgerPhase, follow
from protocol.table.replica import AnyReplica
from protocol.table.setups import DeckSetup, MatchSetup
from protocol.table.table import TableState
from protocol.topics.step import SessionStatus
from protocol.wire import contents
from protocol.wire.contents import KINDS, Content
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Message, table_tag
from tests.table.bus import Table
from tests.table.seating import signing_key
from tests.table.sorting_game import SortingGame
from tests.table.tiny_game import Play

CONTENTS: list[Content] = [
    contents.Confirmation(bytes(32)),
    contents.LuckOpening(bytes(32)),
    contents.HandKeys(bytes(66), bytes(96)),
    contents.ShuffleStep(b"x"),
    contents.DealShares(b"x"),
    contents.HandOverShares(()),
    contents.SortedHands(()),
    contents.Action("pass"),
    contents.ResultSignature(()),
    contents.Reseating(1),
]


def test_every_kind_of_message_is_in_the_list() -> None:
    assert {type(each) for each in CONTENTS} == {
        kind.record.make for kind in KINDS if kind.lane is not None
    }
    awaited = [kind for kinds in AWAITED.values() for kind in kinds]
    assert sorted(awaited, key=repr) == sorted(map(type, CONTENTS), key=repr)
    assert {phase for phase, after in NEXT.items() if after} == {
        p for p in LedgerPhase if AWAITED[p]
    }


# --- every pair of phase and message -------------------------------------------------------------

SEED = 3
"""Of a table at which a seat hands a card over that another seat than ours laid down."""

ALL_SPEAK = {
    LedgerPhase.CONFIRMING,
    LedgerPhase.DRAWING,
    LedgerPhase.KEYING,
    LedgerPhase.DEALING,
    LedgerPhase.SIGNING,
}
"""Where no seat could speak out of turn, for all contribute: of the shares too, because every seat
owes those of the cards that the others are dealt."""

NOTHING_TO_JUDGE = {LedgerPhase.CONFIRMING}
"""Where any content of the awaited kind is a good one: a commitment is 32 bytes."""

REFUSED_AS: dict[LedgerPhase, str] = {
    LedgerPhase.DRAWING: "luck.opening",
    LedgerPhase.KEYING: "point.prefix",
    LedgerPhase.SHUFFLING: "shuffle-proof.length",
    LedgerPhase.DEALING: "shares.length",
    LedgerPhase.HANDING_OVER: "hand-over.count",
    LedgerPhase.SORTING: "remix.count",
    LedgerPhase.ACTING: "action.rule",
    LedgerPhase.SIGNING: "result.scores",
}
"""By which check a message of the awaited kind is refused, with the content it has in CONTENTS."""

_DUE = (ConfirmationDue, PublishingDue, TurnOpened)
"""What only says that something is to be done."""


@dataclass(frozen=True)
class Visit:
    """Our session as it was in a phase, and what others may say there."""

    session: Session
    replica: AnyReplica

    @property
    def phase(self) -> LedgerPhase:
        return self.replica.machine.phase

    @property
    def place(self) -> Place:
        return Place(self.replica.origin.ledger, len(self.replica.ledger.rounds), Seat(0))

    @property
    def speakers(self) -> list[Seat]:
        """Others whose message of this round is missing."""
        return [seat for seat in self.replica.ledger.missing if seat]

    @property
    def idlers(self) -> list[Seat]:
        """Others who have nothing to say in this round."""
        return [Seat(seat) for seat in (1, 2, 3) if seat not in self.replica.machine.contributors]

    def said(self, content: Content, seat: Seat, *, after: int = 0, strange: bool = False) -> bytes:
        """The message, so many rounds after this one, on this history or on another one."""
        lane = next(kind.lane for kind in KINDS if kind.record.make is type(content))
        assert lane is not None
        charter, head = self.session.charter, self.replica.ledger.head
        ledger = self.place.ledger
        place = Place(ledger._replace(lane=lane), self.place.round + after, seat)
        previous = Digest(bytes(32)) if strange or after else head
        message = Message(table_tag(charter.digest), place, previous, content).to_bytes()
        tag, _, *rest = cast(tuple[Value, ...], decode(message))
        body = encode((tag, int(ledger.lane), *rest))  # the lane is not always the kind's own
        return self.signed(body, seat)

    def signed(self, body: bytes, seat: Seat) -> bytes:
        digest = self.session.charter.digest
        key = signing_key(seat)
        return sign(key, body, purpose=Purpose.LEDGER, seat=seat, charter=digest).to_bytes()

    def hear(self, *raws: bytes) -> tuple[TableState, Session, list[Event]]:
        """All that was public before the last of these, the session after it, and its events."""
        session, events = copy(self.session), list[Event]()
        before = session.table_state
        for raw in raws:
            before = session.table_state
            told = session.receive(raw, now=0.0)
            events = [each for each in told if not isinstance(each, _DUE)]
        return before, session, events

    def blamed(self, seat: Seat, *raws: bytes) -> str:
        """By which check the seat is blamed for the last; nothing else has changed then."""
        before, session, (blame, *rest) = self.hear(*raws)
        assert isinstance(blame, SeatBlamed)
        assert blame.seat == seat
        assert all(isinstance(event, Send) for event in rest)
        assert session.status is SessionStatus.HALTED
        assert session.table_state is before
        return blame.check

    def moved(self, *raws: bytes) -> bool:
        """Whether the last led to more than, perhaps, telling how far we have come."""
        before, session, events = self.hear(*raws)
        now, then = (each.replicas[self.place.ledger] for each in (session.table_state, before))
        assert session.status is SessionStatus.PLAYING
        return (
            any(not isinstance(event, Send) for event in events)
            or now.machine is not then.machine
            or now.ledger.accepted != then.ledger.accepted
        )


class CoveringTable(Table):
    """Players who lay a card face down wherever they may, so that it is handed over."""

    def choose(self, seat: int) -> bool:
        actions = self.sessions[seat].legal_actions()
        down = [each for each in actions if isinstance(each, Play) and each.card is None]
        if not down:
            return super().choose(seat)
        self.act(seat, down[0])
        return True


@lru_cache(maxsize=1)
def visits() -> tuple[dict[LedgerPhase, Visit], Table]:
    """A visit of each phase of a hand, where it can be had with seats to speak and seats not to."""
    table = CoveringTable(SortingGame(4, target=100), SEED)
    seen: dict[LedgerPhase, Visit] = {}

    def until() -> bool:
        session = table.sessions[0]
        for replica in session.table_state.replicas.values():
            visit = Visit(copy(session), replica)
            earlier = seen.get(visit.phase)
            if earlier is None or _worth(visit) > _worth(earlier):
                seen[visit.phase] = visit
        return table.all_played(1)()

    until()
    table.confirm()
    table.run(until)
    return seen, table


def _worth(visit: Visit) -> tuple[bool, bool, bool]:
    return bool(visit.speakers), bool(visit.idlers), bool(visit.place.round)


def judged(visit: Visit, content: Content) -> str | None:
    """By which check a message of this kind is to be refused from a seat that is to speak."""
    lane = next(kind.lane for kind in KINDS if kind.record.make is type(content))
    if lane is not visit.place.ledger.lane:
        return "schema.lane"
    if visit.phase is LedgerPhase.SETTLED:
        return "turn.seat"
    if type(content) is not AWAITED[visit.phase][0]:  # the other one fits another match alone
        return "turn.kind"
    return None if visit.phase in NOTHING_TO_JUDGE else REFUSED_AS[visit.phase]


def test_every_phase_is_visited() -> None:
    seen, _ = visits()
    assert set(seen) == set(LedgerPhase)
    for phase, visit in seen.items():
        assert visit.speakers or phase is LedgerPhase.SETTLED
        assert bool(visit.idlers) == (phase not in ALL_SPEAK)
    assert set(REFUSED_AS) == set(LedgerPhase) - NOTHING_TO_JUDGE - {LedgerPhase.SETTLED}


@pytest.mark.parametrize("phase", LedgerPhase, ids=lambda phase: phase.name)
def test_every_pair_of_phase_and_message_is_judged_by_the_table(phase: LedgerPhase) -> None:
    for content in CONTENTS:
        check_pair(visits()[0][phase], content)


def check_pair(visit: Visit, content: Content) -> None:
    """What comes of a message in a phase."""
    expected = judged(visit, content)
    for seat in visit.speakers or visit.idlers:
        said = visit.said(content, seat)
        if expected is None:
            _, _, events = visit.hear(said)
            assert [each for each in events if not isinstance(each, Contributed)] == [Persist(said)]
        else:
            assert visit.blamed(seat, said) == expected
        if expected == "schema.lane":
            continue  # it is no message at all, whenever it comes
        assert not visit.moved(visit.said(content, seat, after=1)), "it waits for its round"
        assert not visit.moved(visit.said(content, seat, after=WINDOW)), "it is not even kept"
        assert not visit.moved(visit.said(content, seat, strange=True)), "of another history"
    for seat in visit.idlers:
        out_of_turn = "schema.lane" if expected == "schema.lane" else "turn.seat"
        assert visit.blamed(seat, visit.said(content, seat)) == out_of_turn


@pytest.mark.parametrize(
    "phase", [each for each in LedgerPhase if AWAITED[each]], ids=lambda p: p.name
)
def test_the_awaited_message_is_taken_once(phase: LedgerPhase) -> None:
    """What was really said there: it fits, again it is nothing new, and a second one convicts."""
    seen, table = visits()
    visit = seen[phase]
    replica = table.sessions[0].table_state.replicas[visit.place.ledger]
    messages = replica.ledger.rounds[visit.place.round].messages
    for seat in visit.speakers:
        (real,) = (each for each in messages if each.place.seat == seat)
        assert type(real.message.content) in AWAITED[phase]
        _, session, events = visit.hear(real.raw)
        assert events[0] == Persist(real.raw)
        now = session.table_state.replicas[visit.place.ledger].ledger
        assert real in (*now.accepted, *(m for closed in now.rounds for m in closed.messages))
        assert not visit.moved(real.raw, real.raw), "a repetition"
        for content in CONTENTS:
            if judged(visit, content) != "schema.lane" and content != real.message.content:
                second = visit.said(content, seat)
                assert visit.blamed(seat, real.raw, second) == "ledger.equivocation"
    if visit.place.round:
        for earlier in visit.replica.ledger.rounds[-1].messages:
            if earlier.place.seat:
                assert not visit.moved(earlier.raw), "a repetition of the round before"


def test_what_the_table_does_not_list_does_not_happen() -> None:
    refused = 0
    for before in LedgerPhase:
        for after in LedgerPhase:
            if after not in NEXT[before]:
                refused += 1
                with pytest.raises(LocalError):
                    follow(before, after)
    assert refused == len(LedgerPhase) ** 2 - sum(len(each) for each in NEXT.values())


def test_courses_begin_in_first_phases() -> None:
    assert MatchSetup(3).phase in FIRST
    assert DeckSetup((), 3, Seat(0)).phase in FIRST
