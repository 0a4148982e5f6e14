"""When an end by agreement holds: by all sides, without a result, while nobody named goes on."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from itertools import permutations
from typing import NamedTuple

import pytest

from p2p304.seats import Seat, Sides, seat_after
from protocol.errors import LocalError
from protocol.seat.session import Session
from protocol.table.events import EndProposed, EndUndone, Event, HandUnfinished, Persist, SeatBlamed
from protocol.table.machine import Phase
from protocol.topics.commands import EndUnfinished
from protocol.topics.ending import agreement_to_end
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.authenticate import open_message
from protocol.wire.contents import Action, UnfinishedAgreement
from protocol.wire.messages import Agreement, SignedMessage
from tests.table.bus import Chair, Table
from tests.table.cheating import resigned
from tests.table.seating import seeded
from tests.table.test_ending_attempts import begun, hand_of, hear, said, signing
from tests.table.test_unfinished import closed_rounds
from tests.table.tiny_game import TinyGame, TinyState

PARTNERS = (Seat(0), Seat(2))
BOTH_SIDES = (Seat(0), Seat(1), Seat(2))
WATCHED = 1
"""The seat whose session is looked at."""


def told(table: Table, seats: tuple[Seat, ...], content: UnfinishedAgreement) -> None:
    """All others hear what these seats signed."""
    for seat in seats:
        raw = said(table, seat, content)
        for reader in range(4):
            hear(table, reader, raw)


def test_two_partners_cannot_end_a_hand_while_their_opponents_are_there() -> None:
    table = begun()
    told(table, PARTNERS, agreement_to_end(hand_of(table, WATCHED), PARTNERS))
    assert SessionStatus.UNFINISHED not in {chair.session.status for chair in table.chairs}
    assert not table.heard(WATCHED, EndProposed)


class Hidden(TinyGame):
    """The partner of seat 0, who plays against the others, is 2 or nobody: not known yet."""

    def sides(self, state: TinyState) -> tuple[Sides, ...]:
        one, two, three = map(Seat, (1, 2, 3))
        return (((Seat(0), two), (one, three)), ((Seat(0),), (one, two, three)))


@pytest.mark.parametrize(("present", "ends"), [((1, 2), False), ((0, 1), True), ((0, 2), False)])
def test_where_sides_are_not_known_an_end_needs_a_seat_of_each_under_all_of_them(
    present: tuple[int, ...], ends: bool
) -> None:
    table = Table(Hidden(4, target=100), 3).begun()
    table.run(lambda: closed_rounds(table) == 3 and not table.flying)
    seats = tuple(map(Seat, present))
    content = agreement_to_end(hand_of(table, 3), seats)
    for seat in seats:
        hear(table, 3, said(table, seat, content))
    assert (table.sessions[3].status is SessionStatus.UNFINISHED) is ends
    agreed = tuple(Agreement(seat, content, said(table, seat, content)) for seat in seats)
    file = hand_transcript(table.sessions[3].table_state, 0, agreed)
    found = audit_bytes(file, lambda _: table.game).broken
    assert (found is None) is ends
    assert found is None or found.check == "agreement.sides"


# --- going on after all, in whatever order it arrives ---------------------------------------------


class Crossing(NamedTuple):
    """A round that one seat closes, and what two others can be said to have agreed before."""

    table: Table
    chairs: list[Chair]
    """Before anybody has heard the message or any agreement."""
    closing: bytes
    author: Seat

    @property
    def chair(self) -> Chair:
        """A seat that signs nothing of all this."""
        return self.chairs[seat_after(self.author, seats=4, steps=-1)]

    def agreements(self, *steps: int) -> tuple[bytes, ...]:
        """What seats so many steps from the one that closes the round sign of its beginning."""
        seats = tuple(seat_after(self.author, seats=4, steps=each) for each in steps)
        hand = self.chair.session.table_state.hand
        assert hand is not None
        content = agreement_to_end(hand, seats)
        return tuple(said(self.table, seat, content) for seat in seats)

    def after(self, heard: Iterable[bytes]) -> tuple[Session, list[Event]]:
        """The session once it has heard all this, in this order."""
        session, events = copy(self.chair.session), list[Event]()
        for raw in heard:
            events += session.receive(raw, now=1.0)
        return session, events


@pytest.fixture(scope="session")
def crossing() -> Crossing:
    table = begun()
    kept: dict[int, tuple[Seat, list[Chair]]] = {}

    def closed_by_one() -> bool:
        """Whether one seat alone is awaited, everybody is as far, and that seat has just played."""
        here = hand_of(table, 0)
        number = len(here.ledger.rounds)
        level = all(hand_of(table, seat).ledger.head == here.ledger.head for seat in range(4))
        alone = here.machine.needs_decision and len(here.ledger.contributors or ()) == 1
        if level and alone and here.ledger.missing and not table.flying:
            chairs = [Chair(copy(c.session), list(c.journal)) for c in table.chairs]
            kept[number] = (here.ledger.missing[0], chairs)
        return number - 1 in kept

    table.run(closed_by_one)
    ((number, (author, chairs)),) = kept.items()
    (message,) = hand_of(table, 0).ledger.rounds[number].messages
    return Crossing(table, chairs, message.raw, author)


def test_who_signed_the_message_that_closes_the_round_has_ended_nothing_in_any_order(
    crossing: Crossing,
) -> None:
    ends = set()
    for order in permutations((*crossing.agreements(0, 1), crossing.closing)):
        session, events = crossing.after(order)
        assert (session.status, session.agreed_end()) == (SessionStatus.PLAYING, ())
        hand = session.table_state.hand
        ends.add(hand.ledger.head)
        stopped = [each for each in events if isinstance(each, HandUnfinished | EndUndone)]
        before = order[-1] == crossing.closing  # both had agreed when the message came
        assert [type(each) for each in stopped] == ([HandUnfinished, EndUndone] if before else [])
    assert len(ends) == 1


def test_who_goes_on_after_an_end_goes_on_after_a_restart(crossing: Crossing) -> None:
    session, events = crossing.after((*crossing.agreements(0, 1), crossing.closing))
    journal = [*crossing.chair.journal, *(e.record for e in events if isinstance(e, Persist))]
    seat = session.seat
    again = Session.resume(journal, entropy=seeded("again"), **crossing.table.arguments(seat))
    assert again.status is SessionStatus.RETURNING
    assert again.table_state.hand == session.table_state.hand
    stopped = [*crossing.chair.journal, *crossing.agreements(0, 1)]
    there = Session.resume(stopped, entropy=seeded("again"), **crossing.table.arguments(seat))
    assert there.status is SessionStatus.UNFINISHED
    assert there.receive(crossing.closing, now=1.0)
    assert there.status is SessionStatus.RETURNING


def test_what_a_seat_that_is_not_named_signs_undoes_no_end_in_any_order(
    crossing: Crossing,
) -> None:
    files = set()
    for order in permutations((*crossing.agreements(1, 2), crossing.closing)):
        session, _ = crossing.after(order)
        assert session.status is SessionStatus.UNFINISHED
        files.add(hand_transcript(session.table_state, 0, session.agreed_end()))
    (file,) = files
    report = audit_bytes(file, lambda _: crossing.table.game)
    assert report.valid, report.broken
    assert report.hands[0].ended_by == tuple(sorted(report.hands[0].ended_by))


def test_a_wrong_message_convicts_its_author_before_and_after_an_end(crossing: Crossing) -> None:
    message = open_message(crossing.closing, crossing.table.charter)
    assert isinstance(message, SignedMessage)
    wrong = resigned(crossing.table.charter, message.message, Action("nonsense"))
    for order in permutations((*crossing.agreements(0, 1), wrong)):
        session, events = crossing.after(order)
        assert session.status is SessionStatus.HALTED
        assert [e.check for e in events if isinstance(e, SeatBlamed)] == ["action.notation"]


# --- going on alone, and a result -----------------------------------------------------------------


def test_who_went_on_before_a_restart_goes_on_after_it(crossing: Crossing) -> None:
    said_both = (crossing.agreements(0, 1)[0], crossing.closing)
    journal = [*crossing.chairs[crossing.author].journal, *said_both]
    arguments = crossing.table.arguments(crossing.author)
    again = Session.resume(journal, entropy=seeded("again"), **arguments)
    assert again.status is SessionStatus.RETURNING


def one_has_not_signed(gone: int = 3) -> Table:
    """A hand whose result all but one have signed, who is silent."""
    table = begun()
    table.weather.cut = lambda _, sender, __: sender == gone and signing(table)
    table.run(lambda: signing(table) and hand_of(table).ledger.missing == (gone,))
    table.wait(30)
    return table


def test_where_only_signatures_are_missing_nothing_can_be_ended() -> None:
    table = one_has_not_signed()
    content = agreement_to_end(hand_of(table), BOTH_SIDES)
    told(table, BOTH_SIDES, content)
    with pytest.raises(LocalError, match="result"):
        table.act(0, EndUnfinished(BOTH_SIDES))
    assert table.statuses() == ["PLAYING"] * 4
    assert not any(isinstance(e, EndProposed) for chair in table.chairs for e in chair.events)
    table_state = table.sessions[0].table_state
    (hand,) = audit_bytes(hand_transcript(table_state, 0), lambda _: table.game).hands
    assert hand.outcome is not None
    assert (hand.unconfirmed, hand.ended_by) == ((3,), ())
    agreed = tuple(Agreement(seat, content, said(table, seat, content)) for seat in BOTH_SIDES)
    cut = audit_bytes(hand_transcript(table_state, 0, agreed), lambda _: table.game)
    assert cut.broken is not None
    assert cut.broken.check == "agreement.hand"
    table.heal()
    table.run(table.all_played(1))  # who was missing is waited for, and signs


def test_who_agreed_before_the_result_was_there_signs_it() -> None:
    table = begun()
    table.weather.cut = lambda _, sender, reader: 0 in (sender, reader) and closing_soon(table)
    table.run(lambda: signing(table))
    table.act(0, EndUnfinished(BOTH_SIDES))
    table.heal()
    table.run(table.all_played(1))
    assert table.statuses() == ["PLAYING"] * 4


def closing_soon(table: Table) -> bool:
    """Whether all that seat 0 must do for a result is done: others close the last round."""
    hand = hand_of(table)
    if hand.machine.phase is Phase.SIGNING:
        return True
    state = hand.machine.state
    last = state.phase in ("window", "count") and not any(state.hands)
    return last and 0 in {each.place.seat for each in hand.ledger.accepted}
