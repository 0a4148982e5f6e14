"""What everybody may know of a table, and what the player of one seat may. It opens no door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from p2p304.cards import Card, Slot
from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import View
from protocol.places import Lane, LedgerName
from protocol.table.events import HeadClaim, RefereeBlamed
from protocol.table.ledger import LedgerPhase
from protocol.table.rulings import MatchHand
from protocol.table.standing import MatchStanding, present_in
from protocol.table.table import TableState
from protocol.topics.ending import ENDING, agreed_end, sides_missing
from protocol.topics.referee import REFEREE, blamed
from protocol.topics.rematch import match_over, wanted_seatings
from protocol.topics.step import (
    OwnSeat,
    SessionState,
    SessionStatus,
    awaited_replica,
    others_awaited,
)
from protocol.topics.substitute import SUBSTITUTE, charter_told, hands_begun, seats_of
from protocol.wire.charter import Charter
from protocol.wire.contents import Content, Continuation, UnfinishedAgreement
from protocol.wire.messages import Agreement, SignedRuling


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


class TableView:
    """What everybody may know of a table, each time one looks: read-only."""

    charter: Charter
    game: AnyGame

    @property
    def _public(self) -> TableState:
        raise NotImplementedError

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
        replica = self._public.replica(ledger)
        if replica is None or not 0 < number <= len(replica.ledger.rounds):
            return ()
        messages = replica.ledger.rounds[number - 1].messages
        return tuple((each.place.seat, each.message.content) for each in messages)

    def sides_missing(self, present: Iterable[Seat]) -> tuple[Seat, ...]:
        """Return the seats of a side of which nobody is present, for an end of the newest hand."""
        hand = self._public.hand
        return () if hand is None else sides_missing(hand, {*present}, len(hand.ledger.rounds))


class SeatView(TableView):
    """A table as the player of one seat may know it: read-only, from any thread."""

    def __init__(self, own: OwnSeat, game: AnyGame, state_now: Callable[[], SessionState]) -> None:
        """Show a table of this game as `state_now` tells, each time one looks."""
        self._own = own
        self._state_now = state_now
        self.charter = own.charter
        self.game = game

    @property
    def _state(self) -> SessionState:
        return self._state_now()

    @property
    def _public(self) -> TableState:
        return self._state.table_state

    def at_this_moment(self) -> SeatView:
        """Return the table as it is now: what happens there later does not show in it."""
        state = self._state
        return SeatView(self._own, self.game, lambda: state)

    @property
    def seat(self) -> Seat:
        """Our own seat."""
        return self._own.seat

    @property
    def status(self) -> SessionStatus:
        """Whether we play, catch up, or have stopped."""
        return self._state.status

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

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return what all who are present signed to end the newest hand, for its transcript."""
        state = self._state
        return agreed_end(state) if state.status is SessionStatus.UNFINISHED else ()

    def rematch_wanted(self) -> Mapping[Seat, int]:
        """Return the seating that each seat wants, of those that want another match now."""
        return wanted_seatings(self._state)

    def next_table(self) -> tuple[Charter, bytes, int] | None:
        """Return whence all go on at another table in other seats: this charter, the head of the
        last hand, the seating; None while nothing of that is settled."""
        seating, after = self._public.next_seating, match_over(self._public)
        return None if not seating or after is None else (self.charter, after, seating)

    def rulings_blamed(self) -> RefereeBlamed | None:
        """Return what is told of rulings that contradict each other, also after a restart; None
        where none do."""
        return blamed(self.charter, REFEREE.of(self._state))

    def referee_envelopes(self) -> tuple[bytes, ...]:
        """Return the signed challenges, their openings and all rulings of this match, for seats
        that lack them.
        """
        return REFEREE.envelopes_to_resend(self._state) if self.charter.referees else ()

    @property
    def matches_agreed(self) -> int:
        """To how many matches our seat has agreed by its signature."""
        setup = self._public.match_setup()
        assert setup is not None  # a table begins with one
        machine = setup.machine
        agreed = machine.seating == 0 or machine.named.get(self.seat) == 0
        return self.matches_over + agreed

    def continuation(self) -> Continuation | None:
        """Return what we said last of going on at another table, while no other hand has begun."""
        ours = SUBSTITUTE.of(self._state).of(self.seat)
        current = ours is not None and ours.hands == hands_begun(self._public)
        return ours if current else None

    def open_proposals(self) -> tuple[Continuation, ...]:
        """Return the proposals to go on elsewhere that await our answer."""
        votes, ours = SUBSTITUTE.of(self._state), self.continuation()
        begun = hands_begun(self._public)
        asked: list[Continuation] = []
        for seat, (_, content, _) in sorted(votes.said.items()):
            current = seat != self.seat and content.agreed and content.hands == begun
            said = ours is not None and ours.agreed and ours.same_as(content)
            with_us = self.seat in seats_of(content)
            new = not any(each.same_as(content) for each in asked)
            if new and current and with_us and not said and not votes.seats_that_refuse(content):
                asked.append(content)
        return tuple(asked)

    def gone_on_without_us(self) -> Continuation | None:
        """Return at which table the others go on that ended the newest hand without us."""
        present = tuple(each.seat for each in self.agreed_end())
        if not present or self.seat in present:
            return None
        said = (each.content for each in SUBSTITUTE.of(self._state).said.values())
        return next((each for each in said if seats_of(each) == present), None)

    @property
    def hands_begun(self) -> int:
        """How many hands have begun."""
        return hands_begun(self._public)

    def substituted(self) -> tuple[Seat, ...]:
        """Return the seats of bots that others may take: they sit there for who has left."""
        term = self.charter.continues
        return () if term is None else tuple(seat for seat, _ in term.bots)

    def nonces(self) -> dict[Seat, bytes]:
        """Return the nonces for the next charter of those who go on at another table."""
        ours, votes = self.continuation(), SUBSTITUTE.of(self._state)
        if ours is None:
            return {}
        said = ((seat, votes.of(seat)) for seat in seats_of(ours))
        return {seat: content.nonce for seat, content in said if content is not None}

    def yet_to_go_on(self) -> tuple[Seat, ...]:
        """Return who has not agreed to go on at another table as we have."""
        ours = self.continuation()
        if ours is None or not ours.agreed:
            return ()
        there = SUBSTITUTE.of(self._state).seats_that_agree(ours)
        return tuple(seat for seat in seats_of(ours) if seat not in there)

    def going_on(self) -> tuple[Continuation, MatchStanding] | None:
        """Return to what all agree who go on at another table, and from where, once they do."""
        ours, votes = self.continuation(), SUBSTITUTE.of(self._state)
        if ours is None or votes.agreed != ours.table:
            return None
        standing = self._public.standing(self.agreed_end())
        return None if standing is None else (ours, standing)

    def goes_on_under(self, charter: Charter) -> bool:
        """Tell whether a charter goes on with the match just as all agreed, whoever told it."""
        found = self.going_on()
        if found is None:
            return False
        told = replace(found[0], charter=charter.to_bytes())
        return charter_told(self._own, self._state, told, found[1]) is not None

    def present_at_agreed_end(self) -> tuple[Seat, ...]:
        """Return who is present, ourselves among them, in what we agreed to end the hand with,
        while we wait for the others."""
        return present_in(ours, self.charter) if (ours := self._agreed_end_of_ours()) else ()

    def yet_to_agree(self) -> tuple[Seat, ...]:
        """Return who has not signed what we agreed to, while we wait for that."""
        ours, known = self._agreed_end_of_ours(), ENDING.of(self._state)
        there = {each.seat for each in known if each.content == ours}
        return tuple(seat for seat in self.present_at_agreed_end() if seat not in there)

    def _agreed_end_of_ours(self) -> UnfinishedAgreement | None:
        """Return what we agreed to last, while we wait for others to do so."""
        known = ENDING.of(self._state) if self.status is SessionStatus.AGREEING else ()
        return next((each.content for each in reversed(known) if each.seat == self.seat), None)
