"""What a player may do at any time, its turn or not, at the session of its seat."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace

from cli.front.player_commands import AnswerGoingOn, GoOn, PlayerCommand, Substitute
from protocol.entropy import Entropy
from protocol.errors import LocalError
from protocol.seat.session import Session
from protocol.seat.view import SeatView
from protocol.topics.commands import Command, Say, VoteContinuation
from protocol.topics.step import SessionStatus
from protocol.topics.substitute import NO_NONCE
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES, Charter
from protocol.wire.contents import Continuation


class SeatCommands:
    """Carries out what the player of one seat wants, over its session."""

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

    async def do(self, wanted: PlayerCommand) -> None:
        """Do what the player wants. Words go to nobody before there is a table."""
        if isinstance(wanted, Say):
            session = self._session()
            if session is None or session.status is not SessionStatus.PLAYING:
                return
        session = self._there()
        try:
            command: Command
            if isinstance(wanted, GoOn | AnswerGoingOn):
                command = VoteContinuation(word_of(session.seen, wanted, secrets.token_bytes))
            else:
                command = wanted
            await self._carry_out(command, session)
        except LocalError as error:
            await self._refused(str(error))

    async def tell_charter(self, charter: Charter) -> None:
        """Tell those who go on with us the charter that we made, as its founder."""
        session = self._there()
        found = session.going_on()
        assert found is not None
        told = replace(found[0], charter=charter.to_bytes())
        await self._carry_out(VoteContinuation(told), session)

    def _there(self) -> Session:
        session = self._session()
        assert session is not None
        return session


def word_of(session: SeatView, wanted: GoOn | AnswerGoingOn, entropy: Entropy) -> Continuation:
    """Return what our seat says.

    Raises LocalError where that is not what the player was asked any more.
    """
    if isinstance(wanted, AnswerGoingOn):
        content, ours = wanted.content, session.continuation()
        taken_back = not wanted.agrees and ours is not None and ours.same_as(content)
        if not taken_back and not any(map(content.same_as, session.asked_to_go_on())):
            raise LocalError("what was proposed does not stand any more")
        nonce = entropy(NONCE_BYTES) if wanted.agrees else NO_NONCE
        agreed = 1 if wanted.agrees else 0
        return replace(content, agreed=agreed, nonce=nonce, charter=b"")
    back = wanted.by is Substitute.BACK
    gone = {*session.substituted()} if back else session.others_awaited()
    if not wanted.without or not gone.issuperset(wanted.without):
        raise LocalError(
            "no bot sits here for who left" if back else "they are not waited for any more"
        )
    present = [seat for seat in range(len(session.charter.seats)) if seat not in wanted.without]
    founder = int(session.seat)
    seats_bot = wanted.by is Substitute.BOT
    return Continuation(
        hands=session.hands_begun,
        table=entropy(TABLE_BYTES),
        founder=founder,
        present=sum(1 << seat for seat in present),
        bots=tuple((int(seat), founder) for seat in sorted(wanted.without)) if seats_bot else (),
        agreed=1,
        nonce=entropy(NONCE_BYTES),
    )
