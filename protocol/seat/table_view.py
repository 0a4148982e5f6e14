"""A table as everybody may know it: what those who watch or play are told, without ledgers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.ledger.agreement import sides_missing
from protocol.ledger.phases import Phase
from protocol.ledger.rulings import MatchHand
from protocol.ledger.table import TableState
from protocol.places import Lane, LedgerName
from protocol.seat.status import awaited_replica
from protocol.wire.charter import Charter
from protocol.wire.contents import Content
from protocol.wire.messages import SignedRuling


@dataclass(frozen=True, slots=True)
class PublicMoment:
    """Where a hand stands: its number, its closed rounds, and what the open one is about."""

    number: int
    dealer: Seat
    closed: int
    phase: Phase
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
        if self.phase is not Phase.ACTING:
            return ()
        return tuple(seat for seat in self.contributors if seat not in self.missing)


class TableView:
    """What everybody may know of a table, each time one looks: read-only."""

    charter: Charter
    game: AnyGame

    @property
    def _public(self) -> TableState:
        raise NotImplementedError

    @property
    def phase(self) -> Phase:
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
    def course(self) -> tuple[MatchHand, ...]:
        """The hands of the match in play; of the one that has just ended, until the next begins."""
        return self._public.course

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

    def said_in(self, ledger: LedgerName, number: int) -> tuple[tuple[Seat, Content], ...]:
        """Return what each seat said in a closed round, verified, in seat order.

        Nothing for a ledger that is not kept, and for a round that is not closed.

        Args:
            ledger: the ledger's name.
            number: of the round, from 1: the last closed one is `PublicMoment.closed`. (A `Place`
                and a `RoundClosed` count rounds from 0.)
        """
        replica = self._public.replica(ledger)
        if replica is None or not 0 < number <= len(replica.ledger.rounds):
            return ()
        messages = replica.ledger.rounds[number - 1].messages
        return tuple((each.place.seat, each.message.content) for each in messages)

    def sides_missing(self, present: Iterable[Seat]) -> tuple[Seat, ...]:
        """Return the seats of a side of which nobody is present, for an end of the newest hand."""
        hand = self._public.hand
        return () if hand is None else sides_missing(hand, {*present}, len(hand.ledger.rounds))
