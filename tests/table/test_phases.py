"""The tables of phases and of statuses: each with all that can be heard, done or waited for."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

import pytest

from p2p304.seats import Seat
from protocol.bounds import ROUND_WINDOW
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError
from protocol.places import Digest, Lane, LedgerName, Place
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
from protocol.table.ledger import AWAITED, NEXT, Ledger, LedgerPhase, Origin
from protocol.table.replica import AnyReplica, LedgerReplica
from protocol.table.setups import DeckSetup, MatchSetup
from protocol.table.sync import our_heads
from protocol.table.table import TableState
from protocol.topics.commands import Ask, Confirm, EndUnfinished, PlayOn, Say
from protocol.topics.ending import agreement_to_end
from protocol.topics.step import CHANGES, SessionStatus, StatusEvent, next_status
from protocol.wire import contents
from protocol.wire.contents import KINDS, Action, Chat, Content, Heads, NoticeContent
from protocol.wire.identity import Purpose, sign
from protocol.wire.messages import Message, SignedMessage
from tests.table.bus import Table, charter, notice, seeded, signed, signing_key
from tests.table.cheating import resigned
from tests.table.sorting_game import SortingGame
from tests.table.tiny_game import Play, Sort, TinyGame

# --- phases ---------------------------------------------------------------------------------------

# The table of phases: every pair of phase and message, and every transition of real hands.

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

SEED = 3  #: Of a table at which a seat hands a card over that another seat than ours laid down.

#: Where no seat could speak out of turn, for all contribute: of the shares too, because every seat
#: owes those of the cards that the others are dealt.
ALL_SPEAK = {
    LedgerPhase.CONFIRMING,
    LedgerPhase.DRAWING,
    LedgerPhase.KEYING,
    LedgerPhase.DEALING,
    LedgerPhase.SIGNING,
}

#: Where any content of the awaited kind is a good one: a commitment is 32 bytes.
NOTHING_TO_JUDGE = {LedgerPhase.CONFIRMING}

#: By which check a message of the awaited kind is refused, with the content it has in CONTENTS.
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

_DUE = (ConfirmationDue, PublishingDue, TurnOpened)  #: What only says that something is to be done.


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
        message = Message(charter.tag, place, previous, content).to_bytes()
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
        assert not visit.moved(visit.said(content, seat, after=ROUND_WINDOW)), "it is not even kept"
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
    messages = replica.ledger.rounds[visit.place.round]
    for seat in visit.speakers:
        (real,) = (each for each in messages if each.place.seat == seat)
        assert type(real.content) in AWAITED[phase]
        _, session, events = visit.hear(real.raw)
        assert events[0] == Persist(real.raw)
        now = session.table_state.replicas[visit.place.ledger].ledger
        assert real in (*now.accepted, *(m for closed in now.rounds for m in closed))
        assert not visit.moved(real.raw, real.raw), "a repetition"
        for content in CONTENTS:
            if judged(visit, content) != "schema.lane" and content != real.content:
                second = visit.said(content, seat)
                assert visit.blamed(seat, real.raw, second) == "ledger.equivocation"
    if visit.place.round:
        for earlier in visit.replica.ledger.rounds[-1]:
            if earlier.place.seat:
                assert not visit.moved(earlier.raw), "a repetition of the round before"


class Jumping(NamedTuple):
    """A machine that goes from one phase to any other."""

    phase: LedgerPhase
    after: LedgerPhase

    def close(self) -> tuple[Jumping, tuple[()]]:
        return self._replace(phase=self.after), ()


def test_what_the_table_does_not_list_does_not_happen() -> None:
    refused, name = 0, LedgerName(Lane.HAND, 0)
    said = signed(charter(), name, 0, 0, Action("pass"), previous=bytes(32))
    complete = Ledger(name, (Digest(bytes(32)),), contributors=(Seat(0),), accepted=(said,))
    for before in LedgerPhase:
        for after in LedgerPhase:
            if after not in NEXT[before]:
                refused += 1
                machine = cast(Any, Jumping(before, after))
                replica = LedgerReplica(charter(), Origin(name, (), Seat(0)), complete, machine)
                with pytest.raises(LocalError, match=f"{after.name} does not follow"):
                    replica.close()
    assert refused == len(LedgerPhase) ** 2 - sum(len(each) for each in NEXT.values())


def test_courses_begin_in_first_phases() -> None:
    assert MatchSetup(3).phase is LedgerPhase.CONFIRMING
    assert DeckSetup((), 3, Seat(0)).phase is LedgerPhase.KEYING


# --- statuses -------------------------------------------------------------------------------------

# The table of statuses: every status with everything that can be heard, done or waited for.
#
# One seat of four in the middle of a hand, all of whom are to sort their cards, in every status
# that it can have; each input is given to a session of its own, and what stands afterwards is
# compared with the list here and with the table of `protocol/topics/step.py`.

STATUS_SEED = 1
WITH_US = (Seat(0), Seat(1), Seat(2))
WITHOUT_US = (Seat(1), Seat(2), Seat(3))
QUESTION = seeded("question")(16)
HAND_0 = LedgerName(Lane.HAND, 0)


@dataclass
class Sitting:
    """Our session, and what it has written to its journal."""

    session: Session
    journal: list[bytes]

    @property
    def status(self) -> SessionStatus:
        return self.session.status

    def stands(self) -> tuple[object, ...]:
        """What must not change where an input is refused."""
        session = self.session
        return session.status, session.table_state, session.agreed_end(), session.yet_to_agree()

    def fork(self) -> Sitting:
        return Sitting(copy(self.session), list(self.journal))

    def note(self, events: list[Event]) -> None:
        self.journal += [event.record for event in events if isinstance(event, Persist)]

    def hear(self, *raws: bytes) -> None:
        for raw in raws:
            self.note(self.session.receive(raw, now=1.0))

    def do(self, choice: object) -> None:
        self.note(self.session.act(choice, now=1.0))

    def restart(self) -> None:
        arguments = scene().table.arguments(0)
        self.session = Session(**arguments).resume(self.journal, entropy=seeded("question"))


@dataclass
class Scene:
    """Two moments of one hand: all are to sort; and all but one have signed the result."""

    table: Table
    sorting: Sitting
    signing: Sitting
    fitting: dict[Seat, SignedMessage]
    last: bytes  #: The signature that is missing in the second.
    own: bytes  #: What our own key signs later in the first.

    def notice(self, seat: Seat, content: NoticeContent) -> bytes:
        return notice(self.table.charter, seat, content, serial=900)

    def agreement(self, seat: Seat, present: tuple[Seat, ...]) -> bytes:
        hand = self.sorting.session.table_state.hand()
        assert hand is not None
        return self.notice(seat, agreement_to_end(hand, present))

    def heads(self, seat: Seat, answer: bytes) -> bytes:
        heads = our_heads(self.sorting.session.table_state)
        return self.notice(seat, Heads(b"", answer, heads))


@lru_cache(maxsize=1)
def scene() -> Scene:
    table = Table(TinyGame(4, target=100), STATUS_SEED)
    moments: dict[LedgerPhase, tuple[Sitting, int]] = {}

    def until() -> bool:
        chair = table.chairs[0]
        hand = chair.session.table_state.hand()
        if hand is not None and hand.origin.ledger == HAND_0:
            phase, missing = hand.machine.phase, hand.ledger.missing
            everybody = (
                phase is LedgerPhase.ACTING and len(missing) == 4 and hand.machine.state.phase
            )
            one_left = phase is LedgerPhase.SIGNING and len(missing) == 1 and missing[0] != 0
            if everybody == "sort" or one_left:
                sitting = Sitting(copy(chair.session), list(chair.journal))
                moments.setdefault(phase, (sitting, len(hand.ledger.rounds)))
        return table.all_played(1)()

    table.confirm()
    table.run(until)
    (sorting, number), (signing, end) = moments[LedgerPhase.ACTING], moments[LedgerPhase.SIGNING]
    rounds = table.sessions[0].table_state.replicas[HAND_0].ledger.rounds
    said = {each.place.seat: each for each in rounds[number]}
    hand = signing.session.table_state.hand()
    (late,) = hand.ledger.missing
    (last,) = (each.raw for each in rounds[end] if each.place.seat == late)
    return Scene(table, sorting, signing, said, last, said[Seat(0)].raw)


# --- reaching every status ---------------------------------------------------------------------


def playing() -> Sitting:
    return scene().sorting.fork()


def returning() -> Sitting:
    sitting = playing()
    sitting.restart()
    return sitting


def agreeing() -> Sitting:
    sitting = playing()
    sitting.do(EndUnfinished(WITH_US))
    return sitting


def unfinished() -> Sitting:
    sitting = agreeing()
    sitting.hear(*(scene().agreement(seat, WITH_US) for seat in (Seat(1), Seat(2))))
    return sitting


def halted() -> Sitting:
    sitting = playing()
    sitting.hear(wrong())
    return sitting


REACHED: dict[SessionStatus, Callable[[], Sitting]] = {
    SessionStatus.PLAYING: playing,
    SessionStatus.RETURNING: returning,
    SessionStatus.AGREEING: agreeing,
    SessionStatus.UNFINISHED: unfinished,
    SessionStatus.HALTED: halted,
}


def wrong() -> bytes:
    """A message of this round that the rules forbid, well signed."""
    message = scene().fitting[Seat(1)]
    return resigned(scene().table.charter, message, Action("pass"))


def fitting() -> bytes:
    message = scene().fitting[Seat(1)]
    return resigned(scene().table.charter, message, message.content)


# --- every input ---------------------------------------------------------------------------------

INPUTS: dict[str, Callable[[Sitting], object]] = {
    "bytes of nobody": lambda we: we.hear(b"nothing"),
    "a message that fits": lambda we: we.hear(fitting()),
    "a message that is wrong": lambda we: we.hear(wrong()),
    "what our own key signed elsewhere": lambda we: we.hear(scene().own),
    "talk": lambda we: we.hear(scene().notice(Seat(1), Chat("hello"))),
    "heads that answer nothing": lambda we: we.hear(
        *(scene().heads(seat, b"") for seat in WITHOUT_US)
    ),
    "the answer of one peer": lambda we: we.hear(scene().heads(Seat(1), QUESTION)),
    "the answers of all peers": lambda we: we.hear(
        *(scene().heads(seat, QUESTION) for seat in WITHOUT_US)
    ),
    "the agreement of one peer": lambda we: we.hear(scene().agreement(Seat(1), WITH_US)),
    "the agreements of all peers with us": lambda we: we.hear(
        *(scene().agreement(seat, WITH_US) for seat in (Seat(1), Seat(2)))
    ),
    "the agreements of all peers without us": lambda we: we.hear(
        *(scene().agreement(seat, WITHOUT_US) for seat in WITHOUT_US)
    ),
    "we confirm": lambda we: we.do(Confirm()),
    "we say something": lambda we: we.do(Say("hello")),
    "we agree": lambda we: we.do(EndUnfinished(WITH_US)),
    "we agree with others": lambda we: we.do(EndUnfinished((Seat(0), Seat(1)))),
    "we agree with our partner": lambda we: we.do(EndUnfinished((Seat(0), Seat(2)))),
    "we go on after all": lambda we: we.do(PlayOn()),
    "we agree alone": lambda we: we.do(EndUnfinished((Seat(0),))),
    "we play": lambda we: we.do(Sort()),
    "a tick": lambda we: we.note(we.session.tick(now=100.0)),
    "a tick at once": lambda we: we.note(we.session.tick(now=1.0)),
    "a question": lambda we: we.do(Ask(bytes(16))),
    "a restart": lambda we: we.restart(),
}

P, R, A, U, H = REACHED
NO = None  #: A LocalError, after which nothing has changed.

EXPECTED: dict[str, tuple[SessionStatus | None, ...]] = {
    #                                          P   R   A   U   H
    "bytes of nobody":                        (P,  R,  A,  U,  H),
    "a message that fits":                    (P,  R,  A,  U,  H),
    "a message that is wrong":                (H,  H,  H,  H,  H),
    # Who returns learns from others what it had signed before; whoever has not restarted knows.
    "what our own key signed elsewhere":      (H,  R,  H,  H,  H),
    "talk":                                   (P,  R,  A,  U,  H),
    "heads that answer nothing":              (P,  R,  A,  U,  H),
    "the answer of one peer":                 (P,  R,  A,  U,  H),
    "the answers of all peers":               (P,  P,  A,  U,  H),
    "the agreement of one peer":              (P,  R,  A,  U,  H),
    "the agreements of all peers with us":    (P,  R,  U,  U,  H),
    "the agreements of all peers without us": (U,  U,  U,  U,  H),
    "we confirm":                             (NO, NO, NO, NO, NO),
    "we say something":                       (P,  R,  A,  NO, NO),
    "we agree":                               (A,  A,  A,  NO, NO),
    "we agree with others":                   (A,  A,  A,  NO, NO),
    "we agree with our partner":              (NO, NO, NO, NO, NO),
    "we agree alone":                         (NO, NO, NO, NO, NO),
    "we go on after all":                     (NO, NO, P,  NO, NO),
    "we play":                                (P,  NO, NO, NO, NO),
    "a tick":                                 (P,  R,  A,  U,  H),
    "a tick at once":                         (P,  R,  A,  U,  H),
    "a question":                             (P,  R,  A,  U,  H),
    # A journal holds no fault: who is still of this opinion is told the same again.
    "a restart":                              (R,  R,  A,  U,  R),
}  # fmt: skip


@pytest.mark.parametrize("status", SessionStatus, ids=lambda each: each.name)
def test_every_status_is_reached(status: SessionStatus) -> None:
    assert REACHED[status]().status is status


@pytest.mark.parametrize("status", SessionStatus, ids=lambda each: each.name)
def test_every_pair_of_status_and_input_leads_where_the_table_says(status: SessionStatus) -> None:
    for name in INPUTS:
        check_status(status, name)


def check_status(status: SessionStatus, name: str) -> None:
    """Where an input leads in a status."""
    sitting = REACHED[status]()
    expected = EXPECTED[name][list(REACHED).index(status)]
    before, journal = sitting.stands(), list(sitting.journal)
    if expected is None:
        with pytest.raises(LocalError):
            INPUTS[name](sitting)
        assert sitting.stands() == before
        assert sitting.journal == journal
        return
    INPUTS[name](sitting)
    assert sitting.status is expected
    if name == "a restart":
        return  # another session, which began where all begin
    if expected is not status:
        ways = ((status in before, after) for before, after in CHANGES.values())
        assert (True, expected) in ways, f"{status.name} to {expected.name} is not in the table"
    if status is SessionStatus.HALTED:
        assert sitting.stands()[1:] == before[1:]
        assert sitting.journal == journal


def test_we_agree_again_when_the_hand_has_moved() -> None:
    """The last cards of the round that was open come after our agreement."""
    sitting = playing()
    sitting.do(Sort())
    sitting.do(EndUnfinished(WITH_US))
    signed = len(sitting.journal)
    for seat in WITHOUT_US:
        message = scene().fitting[seat]
        sitting.hear(resigned(scene().table.charter, message, message.content))
    assert (
        sitting.status
        is next_status(SessionStatus.AGREEING, StatusEvent.AGREED)
        is SessionStatus.AGREEING
    )
    assert len(sitting.journal) == signed + len(WITHOUT_US) + 1


def test_what_the_table_does_not_list_raises() -> None:
    for cause, (before, after) in CHANGES.items():
        for status in SessionStatus:
            if status in before:
                assert next_status(status, cause) is after
            else:
                with pytest.raises(LocalError):
                    next_status(status, cause)
    assert {*CHANGES} == {*StatusEvent}
    changing = {status for before, _ in CHANGES.values() for status in before}
    assert changing == set(SessionStatus) - {SessionStatus.HALTED}
