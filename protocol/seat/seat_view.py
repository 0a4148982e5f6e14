"""What the player of one seat may know of its table. It opens no door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.view import View
from protocol.ledger.agreement import agreement_of_all, present_in
from protocol.ledger.continuation import MatchStanding
from protocol.ledger.events import Claim, RefereeBlamed
from protocol.ledger.phases import Phase
from protocol.ledger.table import TableState
from protocol.seat.continuing import charter_told, hands_begun, seats_of
from protocol.seat.referee_talk import blamed
from protocol.seat.rematch import match_over, wanted_seatings
from protocol.seat.ruling import match_number
from protocol.seat.status import OwnSeat, SessionStatus, State, awaited_replica, others_awaited
from protocol.seat.table_view import TableView
from protocol.wire.charter import Charter
from protocol.wire.contents import Continuation, UnfinishedAgreement
from protocol.wire.messages import Agreement


class SeatView(TableView):
    """A table as the player of one seat may know it, each time it looks: read-only."""

    def __init__(self, own: OwnSeat, game: AnyGame) -> None:
        """Show a table of this game; a subclass says with `_state` where its state is."""
        self._own = own
        self.charter = own.charter
        self.game = game

    @property
    def _state(self) -> State:
        raise NotImplementedError

    @property
    def _public(self) -> TableState:
        return self._state.table_state

    def at_this_moment(self) -> SeatView:
        """Return the table as it is now: what happens there later does not show in it."""
        return _AtOneMoment(self._own, self.game, self._state)

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
        if awaited.machine.phase is not Phase.ACTING or self.seat not in awaited.ledger.missing:
            return ()
        return tuple(self.game.legal_actions(view))

    def others_awaited(self) -> frozenset[Seat]:
        """Return the other seats without which nothing goes on, however long they were silent."""
        return others_awaited(self._own, self._state)

    def open_claims(self) -> tuple[Claim, ...]:
        """Return what others say after a restart to have and have not shown; none once we play."""
        state = self._state
        if state.status is not SessionStatus.RETURNING:
            return ()
        return state.gossip.open_claims(state.table_state, self.seat)

    def lacking_end(self) -> tuple[Seat, ...]:
        """Return the seats that may still lack the end of the last hand: whoever leaves before they
        are known to have it may leave them waiting. None if the table has stopped."""
        state = self._state
        if state.status in (SessionStatus.HALTED, SessionStatus.UNFINISHED):
            return ()
        return state.gossip.lacking_end(state.table_state, self.seat)

    def agreed_end(self) -> tuple[Agreement, ...]:
        """Return what all who are present signed to end the newest hand, for its transcript."""
        state = self._state
        hand = state.table_state.hand
        if hand is None or state.status is not SessionStatus.UNFINISHED:
            return ()
        return agreement_of_all(hand, state.agreements)

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
        return blamed(self.charter, self._state.referee_talk)

    def said_to_referees(self) -> tuple[bytes, ...]:
        """Return the challenges of the match in play, what they said, and all rulings, as they were
        signed: for who may lack them."""
        if not self.charter.referees:
            return ()
        return self._state.referee_talk.envelopes(match_number(self._public))

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
        ours = self._state.votes.of(self.seat)
        current = ours is not None and ours.hands == hands_begun(self._public)
        return ours if current else None

    def asked_to_go_on(self) -> tuple[Continuation, ...]:
        """Return to what others ask us to agree, who would go on at another table with us."""
        votes, ours = self._state.votes, self.continuation()
        begun = hands_begun(self._public)
        asked: list[Continuation] = []
        for seat, (_, content, _) in sorted(votes.said.items()):
            current = seat != self.seat and content.agreed and content.hands == begun
            said = ours is not None and ours.agreed and ours.same_as(content)
            with_us = self.seat in seats_of(content)
            new = not any(each.same_as(content) for each in asked)
            if new and current and with_us and not said and not votes.refusing(content):
                asked.append(content)
        return tuple(asked)

    def gone_on_without_us(self) -> Continuation | None:
        """Return at which table the others go on that ended the newest hand without us."""
        present = tuple(each.seat for each in self.agreed_end())
        if not present or self.seat in present:
            return None
        said = (each.content for each in self._state.votes.said.values())
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
        ours, votes = self.continuation(), self._state.votes
        if ours is None:
            return {}
        said = ((seat, votes.of(seat)) for seat in seats_of(ours))
        return {seat: content.nonce for seat, content in said if content is not None}

    def yet_to_go_on(self) -> tuple[Seat, ...]:
        """Return who has not agreed to go on at another table as we have."""
        ours = self.continuation()
        if ours is None or not ours.agreed:
            return ()
        there = self._state.votes.agreeing(ours)
        return tuple(seat for seat in seats_of(ours) if seat not in there)

    def going_on(self) -> tuple[Continuation, MatchStanding] | None:
        """Return to what all agree who go on at another table, and from where, once they do."""
        ours, votes = self.continuation(), self._state.votes
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

    def agreed_to_end_with(self) -> tuple[Seat, ...]:
        """Return who is present, ourselves among them, in what we agreed to end the hand with,
        while we wait for the others."""
        return present_in(ours, self.charter) if (ours := self._agreed_end_of_ours()) else ()

    def yet_to_agree(self) -> tuple[Seat, ...]:
        """Return who has not signed what we agreed to, while we wait for that."""
        ours, known = self._agreed_end_of_ours(), self._state.agreements
        there = {each.seat for each in known if each.content == ours}
        return tuple(seat for seat in self.agreed_to_end_with() if seat not in there)

    def _agreed_end_of_ours(self) -> UnfinishedAgreement | None:
        """Return what we agreed to last, while we wait for others to do so."""
        known = self._state.agreements if self.status is SessionStatus.AGREEING else ()
        return next((each.content for each in reversed(known) if each.seat == self.seat), None)


class _AtOneMoment(SeatView):
    """A table as it was once, while the seat's own goes on."""

    def __init__(self, own: OwnSeat, game: AnyGame, state: State) -> None:
        super().__init__(own, game)
        self._then = state

    @property
    def _state(self) -> State:
        return self._then
