"""Read-only views of a table: for everybody, and for the player of one seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import View
from protocol.places import Lane, LedgerName
from protocol.table.events import HeadClaim
from protocol.table.ledger import LedgerPhase
from protocol.topics.listed import SeatTopics
from protocol.topics.step import (
    OwnSeat,
    SessionState,
    SessionStatus,
    TableShown,
    awaited_others,
    awaited_replica,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Content


@dataclass(frozen=True, slots=True)
class PublicMoment:
    """The public state of a hand: its number, its closed rounds, and the open round."""

    number: int
    dealer: Seat
    closed: int
    phase: LedgerPhase
    #: Who contributes to the open round; nobody once the hand is settled.
    contributors: tuple[Seat, ...]
    missing: tuple[Seat, ...]  #: Who has yet to.
    #: Who has acted in the open round of actions, whose actions are not public yet; nobody in other
    #: rounds, which programs work at.
    answered: tuple[Seat, ...]
    state: Any  #: The game's.
    faces: Mapping[Slot, Card]  #: Every face that was ever opened, of retired slots too.

    @property
    def settled(self) -> bool:
        """Whether the hand is settled: every seat has signed its result, or a ruling stopped it."""
        return not self.contributors


class TableView(TableShown):
    """The public state of a table, read-only; each property is as of now."""

    @property
    def phase(self) -> LedgerPhase:
        """The phase of the ledger that play waits for; SETTLED if no other match begins here."""
        return awaited_replica(self.table_state).machine.phase

    @property
    def awaited_seats(self) -> tuple[Seat, ...]:
        """The seats whose message is missing in the ledger that play waits for; () if no other
        match begins here.
        """
        return awaited_replica(self.table_state).ledger.missing

    @property
    def matches_over(self) -> int:
        """The number of matches that are over at this table."""
        public = self.table_state
        # Each setup that opened in play has its entry, so that the 0 is never met.
        return public.matches.get(public.newest[Lane.TABLE], 0)

    @property
    def scores(self) -> tuple[int, ...] | None:
        """The scores of the match in play; None while there is none."""
        match = self.table_state.match
        return None if match is None else tuple(match.scores)

    @property
    def match_winner(self) -> int | None:
        """The side that won the last match, until another one begins; else None."""
        return self.table_state.won

    def hand(self, number: int | None = None) -> PublicMoment | None:
        """Return the public state of hand `number`, of the newest hand for None; None if the table
        does not have it.

        The table has a hand from its beginning until some time after its end.
        """
        hand = self.table_state.hand(number)
        if hand is None:
            return None
        play, missing = hand.machine, hand.ledger.missing
        acting = play.contributors if play.phase is LedgerPhase.ACTING else ()
        return PublicMoment(
            number=hand.origin.ledger.number,
            dealer=play.dealer,
            closed=len(hand.ledger.rounds),
            phase=play.phase,
            contributors=play.contributors,
            missing=missing,
            answered=tuple(seat for seat in acting if seat not in missing),
            state=play.state,
            faces=play.faces,
        )

    def contents_of_round(
        self, ledger: LedgerName, number: int
    ) -> tuple[tuple[Seat, Content], ...]:
        """Return the verified contents of a closed round, each with its seat, in seat order; empty
        for a ledger that is not kept or a round that is not closed.

        Args:
            ledger: the ledger's name.
            number: the round's, from 1: the last closed one is `PublicMoment.closed`. (A `Place`
                and a `RoundClosed` count rounds from 0.)
        """
        replica = self.table_state.replicas.get(ledger)
        if replica is None or not 0 < number <= len(replica.ledger.rounds):
            return ()
        messages = replica.ledger.rounds[number - 1]
        return tuple((each.place.seat, each.content) for each in messages)


class SeatView(TableView, SeatTopics):
    """A table as the player of one seat may know it, read-only."""

    @property
    def snapshot(self) -> SeatMoment:
        """The table as it is now, as a value that does not change."""
        return SeatMoment(self.charter, self.game, self.seat, self._own, self._state)

    def view(self, number: int | None = None) -> View[Any] | None:
        """Return our seat's view of hand `number`, of the newest for None.

        None before the first hand, and for a hand that is not kept.
        """
        state = self._state
        hand = state.table_state.hand(number)
        if hand is None:
            return None
        known = state.knowledge.get(hand.machine.deal)
        machine = hand.machine
        # Our own cards and what is open, never another hand.
        faces = known.faces if known else {}
        return View(self.seat, machine.state, faces, machine.proved_statements, hand.origin.scores)

    def legal_actions(self) -> tuple[Any, ...]:
        """Return the game's actions that our seat may take now; empty if play does not wait for
        us, or has stopped or not resumed.
        """
        view = self.view()
        # A returning seat signs nothing, so that it has no choice yet (specs 7.5).
        if self.status is not SessionStatus.PLAYING or view is None:
            return ()
        awaited = awaited_replica(self.table_state)
        if (
            awaited.machine.phase is not LedgerPhase.ACTING
            or self.seat not in awaited.ledger.missing
        ):
            return ()
        return tuple(self.game.legal_actions(view))

    def awaited_others(self) -> frozenset[Seat]:
        """Return the other seats that the session waits for: those whose message is missing in the
        ledger that play waits for.

        After a restart instead those that have not answered; once all have, those whose open claims
        hold us.
        """
        return awaited_others(self._own, self._state)

    def open_claims(self) -> tuple[HeadClaim, ...]:
        """Return the open claims of other seats after a restart (specs 7.5); empty once we play."""
        state = self._state
        if state.status is not SessionStatus.RETURNING:
            return ()
        return state.gossip.open_claims(state.table_state, self.seat)

    def seats_without_end(self) -> tuple[Seat, ...]:
        """Return the other seats that may lack the end of play, in seat order; empty once the
        session has halted or ended unfinished.

        If we leave before they have it, they may wait for it in vain (specs 5.6, *Leaving*).
        """
        state = self._state
        # A table that stopped or ended unfinished holds nobody (specs 5.6, leaving, no. 5).
        if state.status in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
            return ()
        return state.gossip.seats_without_end(state.table_state, self.seat)

    def next_table(self) -> tuple[Charter, bytes, int] | None:
        """Return what the charter of the next table is made from (`next_charter`): this charter,
        the head of the last hand, 32 bytes, and the seating in which all play there.

        None unless all have agreed to play the next match in other seats.
        """
        setup, after = self.table_state.match_setup(), self.table_state.match_over
        # None until all have confirmed; 0: play stays at this table.
        seating = None if setup is None else setup.machine.seating
        return None if not seating or after is None else (self.charter, after, seating)

    @property
    def matches_agreed(self) -> int:
        """The number of matches at this table that our seat has confirmed, those that are over
        included; one that is to be played in other seats, at another table, is not counted.
        """
        setup = self.table_state.match_setup()
        assert setup is not None  # a table begins with one
        machine = setup.machine
        # Confirmed by all, or by us in the open round.
        agreed = machine.seating == 0 or machine.named.get(self.seat) == 0
        # A bool counts as one.
        return self.matches_over + agreed


# Compared by identity: an equality would walk through the whole table.
@dataclass(frozen=True, eq=False)
class SeatMoment(SeatView):
    """The table at one moment, as a value that does not change, safe in any thread."""

    charter: Charter
    game: AnyGame
    seat: Seat
    # Under the names by which `SeatView` reads them, of a session as of a moment.
    _own: OwnSeat
    _state: SessionState
