"""Whoever is awaited is told of as it is: who has answered, and that nobody is waited for now."""

from __future__ import annotations

from p2p304.seats import Seat, seat_after
from protocol.places import Lane, LedgerName
from protocol.table.events import (
    Event,
    PublishingDue,
    SeatBlamed,
    Waiting,
)
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.table.ledger import Origin
from protocol.table.machine import Phase
from protocol.topics.commands import Confirm
from protocol.topics.step import SessionStatus
from protocol.wire.contents import HandKeys
from tests.table.bus import Table
from tests.table.seating import envelope
from tests.table.tiny_game import TinyGame


def test_that_nobody_is_waited_for_any_more_is_told_at_once() -> None:
    table = Table(TinyGame(3, target=100), 1)
    table.tick(10.0)
    table.tick(10.0)
    table.deliver_all()
    assert [each.seats for each in table.heard(0, Waiting)] == [(1, 2)]
    table.act(1, Confirm())
    table.deliver_all()
    assert table.sessions[0].others_awaited() == {2}
    table.act(2, Confirm())
    table.deliver_all()
    assert table.sessions[0].others_awaited() == frozenset()
    assert table.heard(0, Waiting)[-1].seats == ()
    many = len(table.heard(0, Waiting))
    table.tick(100.0)
    table.deliver_all()
    assert len(table.heard(0, Waiting)) == many  # we alone are missing


# --- early faults ---------------------------------------------------------------------------------


CHEAT, LAST = 1, 2
HONEST = (0, LAST)


class SlowToSign(Table):
    """A table where one seat signs no result before it is told the time."""

    def handle(self, seat: int, events: list[Event]) -> None:
        hand = self.sessions[seat].table_state.hand
        if seat == LAST and hand is not None and hand.machine.phase is Phase.SIGNING:
            events = [event for event in events if not isinstance(event, PublishingDue)]
        super().handle(seat, events)

    def last_is_awaited(self) -> bool:
        """Tell whether the result lacks that seat's signature alone."""
        hand = self.sessions[LAST].table_state.hand
        signing = hand is not None and hand.machine.phase is Phase.SIGNING
        return hand is not None and signing and hand.ledger.missing == (LAST,)


def keys_of_the_deck_after_next(table: Table) -> bytes:
    """Keys with a wrong proof for a deck that opens with the next hand: all that its beginning
    rests on is known before the last seat has signed this one."""
    public = table.sessions[CHEAT].table_state
    deck, hand = public.deck_of(1), public.hand
    assert deck.settled
    assert public.match is not None
    dealer = table.game.after_hand(public.match, hand.machine.outcome).dealer
    name = LedgerName(Lane.DECK, 2)
    origin = Origin(name, (deck.ledger.head,), seat_after(dealer, seats=table.game.seats))
    wrong = HandKeys(b"\2" * 66, b"p" * 96)
    root = origin.root(table.charter.digest)
    return envelope(table.charter, name, 0, CHEAT, wrong, previous=root).to_bytes()


def test_the_last_signature_under_a_result_leaves_though_it_shows_that_a_seat_cheated() -> None:
    table = SlowToSign(TinyGame(3, target=100), 3).begun()
    table.run(table.last_is_awaited)
    table.deliver_all()
    table.publish(CHEAT, keys_of_the_deck_after_next(table))
    table.deliver_all()
    assert not table.blamed()

    table.call(LAST, lambda session: session.tick(now=table.now))
    table.deliver_all()
    assert {each.seat for each in table.blamed()} == {CHEAT}
    for seat in HONEST:
        chair = table.chairs[seat]
        assert chair.session.table_state.counted == 1, "the hand that all have signed counts"
        (blamed,) = [each for each in chair.events if isinstance(each, SeatBlamed)]
        found = check_evidence(evidence_from_bytes(blamed.evidence), table.game)
        assert (found.seat, found.check) == (CHEAT, blamed.check)
        table.restart(seat)
        assert table.sessions[seat].table_state.counted == 1, "and is in the journal"
        assert table.sessions[seat].status is not SessionStatus.HALTED

    watcher, told = table.watched()
    assert watcher.halted
    assert watcher.table_state.counted == 1
    assert [each.seat for each in told if isinstance(each, SeatBlamed)] == [Seat(CHEAT)]
