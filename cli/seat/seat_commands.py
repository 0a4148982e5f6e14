"""What a player may do at any time, its turn or not, at the session of its seat."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace

from cli.front.player_commands import Substitute
from p2p304.seats import Seat
from protocol.entropy import Entropy
from protocol.errors import LocalError
from protocol.seat.commands import (
    CallReferee,
    EndUnfinished,
    GoElsewhere,
    GoOn,
    Say,
    WantRematch,
)
from protocol.seat.continuing import NO_NONCE
from protocol.seat.seat_view import SeatView
from protocol.seat.session import Session
from protocol.seat.status import SessionStatus
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES, Charter
from protocol.wire.contents import Continuation

Command = Say | CallReferee | EndUnfinished | GoOn | GoElsewhere | WantRematch


class SeatCommands:
    """The doors of one seat, over its session."""

    def __init__(
        self,
        *,
        session: Callable[[], Session | None],
        carry_out: Callable[[Command, Session], Awaitable[None]],
        refused: Callable[[str], Awaitable[None]],
    ) -> None:
        """`session` is None before there is a table; `carry_out` does a command with all that
        comes of it; `refused` gets why one cannot be."""
        self._session = session
        self._carry_out = carry_out
        self._refused = refused

    async def say(self, text: str) -> None:
        """Say the player's words to the table. Nothing happens before there is one."""
        session = self._session()
        if session is not None and session.status is SessionStatus.PLAYING:
            await self._carry_out(Say(text), session)

    async def challenge(self, text: str) -> None:
        """Call the referee, with the player's sentence."""
        await self._try(CallReferee(text), self._there())

    async def rematch(self, seating: int) -> None:
        """Say that our player wants another match in that seating, once one is over."""
        await self._try(WantRematch(seating), self._there())

    async def end(self, present: tuple[Seat, ...]) -> None:
        """Agree to end the hand with those present; with nobody, play on although we agreed."""
        await self._try(EndUnfinished(present) if present else GoOn(), self._there())

    async def substitute(self, how: Substitute) -> None:
        """Say what our player wants of going on without those who are waited for."""
        session = self._there()
        try:
            content = word_of(session.seen, how, secrets.token_bytes)
        except LocalError as error:
            await self._refused(str(error))
        else:
            await self._try(GoElsewhere(content), session)

    async def tell_charter(self, charter: Charter) -> None:
        """Tell those who go on with us the charter that we made, as its founder."""
        session = self._there()
        found = session.going_on()
        assert found is not None
        told = replace(found[0], charter=charter.to_bytes())
        await self._carry_out(GoElsewhere(told), session)

    def _there(self) -> Session:
        session = self._session()
        assert session is not None
        return session

    async def _try(self, command: Command, session: Session) -> None:
        try:
            await self._carry_out(command, session)
        except LocalError as error:
            await self._refused(str(error))


def word_of(session: SeatView, how: Substitute, entropy: Entropy) -> Continuation:
    """Return what our seat says; raises LocalError where there is nothing to say it of."""
    asked, ours = session.asked_to_go_on(), session.continuation()
    if how is Substitute.AGREE and asked is not None:
        return replace(asked, nonce=entropy(NONCE_BYTES), charter=b"")
    if how is Substitute.REFUSE and (asked or ours) is not None:
        said = asked or ours
        assert said is not None
        return replace(said, agreed=0, nonce=NO_NONCE, charter=b"")
    if how in (Substitute.AGREE, Substitute.REFUSE):
        raise LocalError("nobody asks to go on at another table")
    back = how is Substitute.BACK
    gone = sorted(session.substituted() if back else session.others_awaited())
    if not gone:
        raise LocalError("no bot sits here for who left" if back else "nobody is waited for")
    present = [seat for seat in range(len(session.charter.seats)) if seat not in gone]
    own = int(session.seat)
    bots = tuple((int(seat), own) for seat in gone) if how is Substitute.BOT else ()
    return Continuation(
        hands=session.hands_begun,
        table=entropy(TABLE_BYTES),
        founder=own,
        present=sum(1 << seat for seat in present),
        bots=bots,
        agreed=1,
        nonce=entropy(NONCE_BYTES),
    )
