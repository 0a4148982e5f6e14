"""What everybody may know of a table, and what the player of one seat may. It opens no door."""

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
from protocol.table.rulings import MatchHand
from protocol.topics.listed import SeatTopics
from protocol.topics.step import (
    OwnSeat,
    SessionState,
    SessionStatus,
    awaited_replica,
    others_awaited,
)
from protocol.topics.topic import TableShown
from protocol.wire.charter import Charter
from protocol.wire.contents import Content
from protocol.wire.messages import SignedRuling


@dataclass(frozen=True, slots=True)
class PublicMoment:
    """Where a hand stands: its number, its closed rounds, and what the open one is about."""

    number: int
    dealer: Seat
    closed: int
    phase: LedgerPhase
    contributors: tuple[Seat, ...]
    """Who contributes to the open round; nobody once the hand is settled."""
    missing: tuple[Seat, ...]
    """Who has yet to."""
    state: Any
    """The game's."""
    faces: Mapping[Slot, Card]
    """Every face that was ever opened, of retired slots too."""

    @property
    def settled(self) -> bool:
        """Whether all have signed the result."""
        return not self.contributors

    @property
    def answered(self) -> tuple[Seat, ...]:
        """Who has acted in the open round; that, and not what, is public."""
        if self.phase is not LedgerPhase.ACTING:
            return ()
        return tuple(seat for seat in self.contributors if seat not in self.missing)


class TableView(TableShown):
    """What everybody may know of a table, each time one looks: read-only."""

    @property
    def phase(self) -> LedgerPhase:
        """What is going on, in the ledger that play waits for."""
        return awaited_replica(self._public).machine.phase

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """The seats whose message the ledger that play waits for lacks."""
        return awaited_replica(self._public).ledger.missing

    @property
    def hands_played(self) -> int:
        """In how many hands cards were played, all of them signed."""
        return self._public.played

    @property
    def hands_begun(self) -> int:
        """How many hands have begun."""
        return self._public.hands_begun

    @property
    def matches_over(self) -> int:
        """How many matches have a winner: the setup of the next one stands as soon as one has."""
        public = self._public
        return public.matches.get(public.newest[Lane.TABLE], 0)

    def referee_rulings(self) -> tuple[SignedRuling, ...]:
        """Return the rulings that stopped a hand, in their order."""
        return self._public.rulings.signed

    @property
    def scores(self) -> tuple[int, ...] | None:
        """The scores of the match in play; None while there is none."""
        match = self._public.match
        return None if match is None else tuple(match.scores)

    @property
    def match_hands(self) -> tuple[MatchHand, ...]:
        """The hands of the match in play; of the one that has just ended, until the next begins."""
        return self._public.match_hands

    @property
    def won(self) -> int | None:
        """Who has won the match that has just ended, until the next begins."""
        return self._public.won

    def hand(self, number: int | None = None) -> PublicMoment | None:
        """Return where hand `number` stands, the newest for None; None if it is not known.

        A hand is not known before it begins, nor some hands after its end, when it is forgotten.
        """
        public = self._public
        hand = public.hand if number is None else public.hand_of(number)
        if hand is None:
            return None
        play = hand.machine
        return PublicMoment(
            number=hand.origin.ledger.number,
            dealer=play.dealer,
            closed=len(hand.ledger.rounds),
            phase=play.phase,
            contributors=play.contributors,
            missing=hand.ledger.missing,
            state=play.state,
            faces=play.faces,
        )

    def contents_of_round(
        self, ledger: LedgerName, number: int
    ) -> tuple[tuple[Seat, Content], ...]:
        """Return what each seat said in a closed round, verified, in seat order.

        Nothing for a ledger that is not kept, and for a round that is not closed.

        Args:
            ledger: the ledger's name.
            number: of the round, from 1: the last closed one is `PublicMoment.closed`. (A `Place`
                and a `RoundClosed` count rounds from 0.)
        """
        replica = self._public.replicas.get(ledger)
        if replica is None or not 0 < number <= len(replica.ledger.rounds):
            return ()
        messages = replica.ledger.rounds[number - 1].messages
        return tuple((each.place.seat, each.message.content) for each in messages)


class SeatView(TableView, SeatTopics):
    """A table as the player of one seat may know it: read-only."""

    @property
    def seen(self) -> SeatMoment:
        """The table as it is now, for whoever is to open no door."""
        return SeatMoment(self.charter, self.game, self._own, self._state)

    def view(self, number: int | None = None) -> View[Any] | None:
        """Return what our seat may know of hand `number`, of the newest for None.

        None before the first hand, and for a hand that is not kept.
        """
        state = self._state
        table = state.table_state
        hand = table.hand if number is None else table.hand_of(number)
        if hand is None:
            return None
        known = state.knowledge.get(hand.machine.deal)
        machine = hand.machine
        faces = known.faces if known else {}
        return View(self.seat, machine.state, faces, machine.proved, hand.origin.scores)

    def legal_actions(self) -> tuple[Any, ...]:
        """Return the game's actions that our seat may take now: none before it has caught up."""
        view = self.view()
        if self.status is not SessionStatus.PLAYING or view is None:
            return ()
        awaited = awaited_replica(self._public)
        if (
            awaited.machine.phase is not LedgerPhase.ACTING
            or self.seat not in awaited.ledger.missing
        ):
            return ()
        return tuple(self.game.legal_actions(view))

    def others_awaited(self) -> frozenset[Seat]:
        """Return the other seats without which nothing goes on, however long they were silent."""
        return others_awaited(self._own, self._state)

    def open_claims(self) -> tuple[HeadClaim, ...]:
        """Return what others say after a restart to have and have not shown; none once we play."""
        state = self._state
        if state.status is not SessionStatus.RETURNING:
            return ()
        return state.gossip.open_claims(state.table_state, self.seat)

    def seats_without_end(self) -> tuple[Seat, ...]:
        """Return the seats that may lack the end of the last hand; None if the table has stopped.

        If we leave before they have it, they may wait for it in vain.
        """
        state = self._state
        if state.status in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
            return ()
        return state.gossip.seats_without_end(state.table_state, self.seat)

    def next_table(self) -> tuple[Charter, bytes, int] | None:
        """Return whence all go on at another table in other seats: this charter, the head of the
        last hand, the seating; None while nothing of that is settled."""
        seating, after = self._public.next_seating, self._public.match_over
        return None if not seating or after is None else (self.charter, after, seating)

    @property
    def matches_agreed(self) -> int:
        """To how many matches our seat has agreed by its signature."""
        setup = self._public.match_setup()
        assert setup is not None  # a table begins with one
        machine = setup.machine
        agreed = machine.seating == 0 or machine.named.get(self.seat) == 0
        return self.matches_over + agreed


@dataclass(frozen=True, eq=False)
class SeatMoment(SeatView):
    """The table of one moment: what happens later does not show in it, in no thread."""

    charter: Charter
    game: AnyGame
    _own: OwnSeat
    _state: SessionState
