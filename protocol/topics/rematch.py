"""Another match: wishes, their agreement, and the confirmation that follows (specs 5.7).

A wish binds nobody. The setup of the next match decides: each confirmation there names a seating.
If the names differ, all wish anew, for each of its rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.table.events import RematchWanted, Send
from protocol.table.ledger import LedgerPhase
from protocol.table.replica import AnyReplica, MatchReplica
from protocol.table.table import TableState
from protocol.topics.commands import WantRematch
from protocol.topics.step import (
    OwnSeat,
    SeatShown,
    SessionState,
    SessionStep,
    Topic,
    send_notice,
)
from protocol.wire.contents import ANY_SEATING, Rematch
from protocol.wire.messages import SignedNotice

Wish = SignedNotice[Rematch]


class KnownWish(NamedTuple):
    """The latest wish of a seat for another match."""

    said: Wish
    told: bool = False  #: Whether our player was told of it.


def _opening(table_state: TableState) -> MatchReplica | None:
    """Return the setup of another match while it awaits confirmations; else None."""
    setup = table_state.match_setup()
    # At TABLE 0 no match is over, so that there is nothing to play again.
    open_now = setup is not None and setup.machine.phase is LedgerPhase.CONFIRMING
    return setup if open_now and table_state.match_over is not None else None


def wanted_seatings(state: SessionState) -> dict[Seat, int]:
    """Return the seating that each seat wants, of the seats that want another match now; empty
    while none can follow.

    ANY_SEATING stands for any. For a seat without a wish in the open round its confirmation there
    counts.
    """
    setup = _opening(state.table_state)
    if setup is None:
        return {}
    said = {
        seat: wish.said.content.seating
        for seat, wish in REMATCH.of(state).items()
        if wish.said.content.after == setup.ledger.head
    }
    # A wish of now comes before what was confirmed (specs 5.7, no. 2).
    return {**setup.machine.named, **said}


def _agreed_seating(state: SessionState) -> int | None:
    """Return the seating that all seats want, where ANY_SEATING agrees to each; None if a seat
    wants no match, if two want different ones, or if all take any.
    """
    wanted = wanted_seatings(state)
    if len(wanted) < len(state.table_state.charter.seats):
        return None
    # At least one names a seating: if all take any, none is named (specs 5.7, no. 3).
    named = {*wanted.values()} - {ANY_SEATING}
    return named.pop() if len(named) == 1 else None


def _said_in(own: OwnSeat, state: SessionState, setup: AnyReplica) -> bool:
    """Return whether our seat's latest wish is about this setup, in its open round or an earlier
    one.
    """
    ours, ledger = REMATCH.of(state).get(own.seat), setup.ledger
    return ours is not None and any(
        ours.said.content.after == ledger.digests[closed]
        # Of an earlier round too: after a round that differed the wish stands, and is sent anew.
        for closed in range(len(ledger.rounds) + 1)
    )


def want(step: SessionStep, seating: int) -> SessionStep:
    """Persist and send our player's wish for another match in this seating, and store it; change
    nothing if it is our wish already.

    Raises LocalError if no match can follow now, or for a seating that the table does not have.
    """
    setup = _opening(step.state.table_state)
    # Seat 0 stays and the others move on by `seating` places: by as many as they are, nobody moves.
    others = len(step.own.charter.seats) - 1
    if setup is None or not (0 <= seating < others or seating == ANY_SEATING):
        raise LocalError("there is no match to play again now, or not in these seats")
    content = Rematch(setup.ledger.head, seating)
    known = REMATCH.of(step.state).get(step.own.seat)
    # The same wish needs no other notice; `repeat` sends it again.
    if known is not None and known.said.content == content:
        return step
    return note_wish(*send_notice(step, content))


def note_wish(step: SessionStep, wish: Wish) -> SessionStep:
    """Store a seat's wish, also one for a round that we have not reached, and emit RematchWanted if
    it is for the open round.

    Change nothing for a wish that is not newer than the known one, for one that names no seating,
    and for a peer's beyond BURST in PERIOD seconds.
    """
    state, seat, seats = step.state, wish.seat, len(step.own.charter.seats)
    known = REMATCH.of(state).get(seat)
    # Of each seat the highest serial counts, in whatever order they arrive.
    if known is not None and known.said.serial >= wish.serial:
        return step
    # No such seating: ignored, since a wish convicts nobody.
    if seats - 1 <= wish.content.seating < ANY_SEATING:
        return step
    if seat != step.own.seat:
        # A seat that changes its wish without end fills neither screen nor memory (CH24).
        proposals = state.proposals.after(seat, wish.raw, step.now)
        if proposals is None:
            return step
        state = state._replace(proposals=proposals)
    wishes = {**REMATCH.of(state), seat: KnownWish(wish)}
    return _tell_wishes(REMATCH.with_state(step._replace(state=state), wishes))


def _tell_wishes(step: SessionStep) -> SessionStep:
    """Emit RematchWanted for each known wish about the open round, once."""
    setup, wishes = _opening(step.state.table_state), REMATCH.of(step.state)
    for seat, (wish, told) in sorted(wishes.items()):
        # One about a round that we have not reached is told when we reach it.
        if setup is not None and not told and wish.content.after == setup.ledger.head:
            wishes = {**wishes, seat: KnownWish(wish, told=True)}
            step = step.with_events(RematchWanted(seat, wish.content.seating))
    return REMATCH.with_state(step, wishes)


class RematchTopic(Topic[Mapping[Seat, KnownWish], Wish]):
    """Wishes for another match; the state is the latest wish of each seat."""

    name = "rematch"
    messages = (Rematch,)
    # Only while PLAYING: a wish leads to a confirmation, which is signed in no other state.
    commands: ClassVar = {WantRematch: ()}

    def hear(self, step: SessionStep, message: Wish) -> SessionStep:
        """Store a peer's wish and emit RematchWanted, as `note_wish` does."""
        return note_wish(step, message)

    def remember(self, step: SessionStep, message: Wish) -> SessionStep:
        """Store our wish from the journal, without an event."""
        # Whatever its serial: a journal holds ours alone, in the order in which they were signed.
        return self.with_state(step, {**self.of(step.state), message.seat: KnownWish(message)})

    def choose(self, step: SessionStep, command: Any) -> SessionStep:
        """Persist, send and store our player's wish; raises LocalError as `want` does."""
        return want(step, command.seating)

    def play_on(self, step: SessionStep) -> SessionStep:
        """Send our wish anew for the open round if our latest is for an earlier one; emit
        RematchWanted for wishes that came early.
        """
        setup = _opening(step.state.table_state)
        if setup is None:
            return step
        ours = REMATCH.of(step.state).get(step.own.seat)
        if ours is not None and _said_in(step.own, step.state, setup):
            step = want(step, ours.said.content.seating)
        return _tell_wishes(step)

    def repeat(self, step: SessionStep) -> SessionStep:
        """Send our wish again if it is about the open round; else change nothing."""
        ours, setup = REMATCH.of(step.state).get(step.own.seat), _opening(step.state.table_state)
        if ours is None or setup is None or ours.said.content.after != setup.ledger.head:
            return step
        return step.with_events(Send(ours.said.raw))

    def confirms(self, step: SessionStep, setup: AnyReplica, seating: int | None) -> int | None:
        """Return the seating that our seat confirms in this setup, None for no confirmation. If
        we have a wish about the setup: the seating on which all seats' wishes agree, None while
        they do not. Without a wish: `seating`, as our player chose.
        """
        return _agreed_seating(step.state) if _said_in(step.own, step.state, setup) else seating


REMATCH: Final = RematchTopic(MappingProxyType({}))


class RematchShown(SeatShown):
    """The view of wishes for our player."""

    def rematch_wishes(self) -> Mapping[Seat, int]:
        """Return the seating that each seat wants, of those that want another match now; empty
        while none can follow.
        """
        return wanted_seatings(self._state)
