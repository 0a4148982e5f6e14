"""The table of statuses: every status with everything that can be heard, done or waited for.

One seat of four in the middle of a hand, all of whom are to sort their cards, in every status
that it can have; each input is given to a session of its own, and what stands afterwards is
compared with the list here and with the table of `protocol/topics/step.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import pytest

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.events import Event, Persist
from protocol.table.ledger import LedgerPhase
from protocol.table.sync import our_heads
from protocol.topics.commands import Ask, Confirm, EndUnfinished, PlayOn, Say
from protocol.topics.ending import agreement_to_end
from protocol.topics.step import NEXT, SessionStatus, StatusEvent, next_status
from protocol.wire.contents import Action, Chat, Heads, NoticeContent
from protocol.wire.messages import Message
from tests.table.bus import Table
from tests.table.cheating import resigned
from tests.table.seating import notice, seeded
from tests.table.tiny_game import Sort, TinyGame

SEED = 1
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
        self.session = Session.resume(self.journal, entropy=seeded("question"), **arguments)


@dataclass
class Scene:
    """Two moments of one hand: all are to sort; and all but one have signed the result."""

    table: Table
    sorting: Sitting
    signing: Sitting
    fitting: dict[Seat, Message]
    last: bytes
    """The signature that is missing in the second."""
    own: bytes
    """What our own key signs later in the first."""

    def notice(self, seat: Seat, content: NoticeContent) -> bytes:
        return notice(self.table.charter, seat, content, serial=900)

    def agreement(self, seat: Seat, present: tuple[Seat, ...]) -> bytes:
        hand = self.sorting.session.table_state.hand
        assert hand is not None
        return self.notice(seat, agreement_to_end(hand, present))

    def heads(self, seat: Seat, answer: bytes) -> bytes:
        heads = our_heads(self.sorting.session.table_state)
        return self.notice(seat, Heads(b"", answer, heads))


@lru_cache(maxsize=1)
def scene() -> Scene:
    table = Table(TinyGame(4, target=100), SEED)
    moments: dict[LedgerPhase, tuple[Sitting, int]] = {}

    def until() -> bool:
        chair = table.chairs[0]
        hand = chair.session.table_state.hand
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
    said = {each.place.seat: each for each in rounds[number].messages}
    hand = signing.session.table_state.hand
    (late,) = hand.ledger.missing
    (last,) = (each.raw for each in rounds[end].messages if each.place.seat == late)
    fitting = {seat: each.message for seat, each in said.items()}
    return Scene(table, sorting, signing, fitting, last, said[Seat(0)].raw)


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
NO = None
"""A LocalError, after which nothing has changed."""

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
        check_pair(status, name)


def check_pair(status: SessionStatus, name: str) -> None:
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
        ways = {cause for cause in StatusEvent if NEXT.get((status, cause)) is expected}
        assert ways, f"{status.name} to {expected.name} is not in the table"
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
        sitting.status is NEXT[SessionStatus.AGREEING, StatusEvent.AGREED] is SessionStatus.AGREEING
    )
    assert len(sitting.journal) == signed + len(WITHOUT_US) + 1


def test_what_the_table_does_not_list_raises() -> None:
    refused = 0
    for status in SessionStatus:
        for cause in StatusEvent:
            if (status, cause) in NEXT:
                assert next_status(status, cause) is NEXT[status, cause]
            else:
                refused += 1
                with pytest.raises(LocalError):
                    next_status(status, cause)
    assert refused == len(SessionStatus) * len(StatusEvent) - len(NEXT)
    assert {status for status, _ in NEXT} == set(SessionStatus) - {SessionStatus.HALTED}
