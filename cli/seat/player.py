"""The player in a seat, as the driver sees it, and what a seat signs that goes on elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from cli.front.narrator import Seen
from cli.front.player_commands import AnswerGoingOn, CarryOut, GoOn, Substitute
from cli.net.transport import LinkStatus
from p2p304.seats import Seat
from protocol.entropy import Entropy
from protocol.errors import LocalError
from protocol.seat.view import SeatView
from protocol.table.events import Event
from protocol.topics.substitute import NO_NONCE
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES, Charter
from protocol.wire.contents import Continuation
from protocol.wire.identity import PublicKey


class SeatPlayer(Protocol):
    """The player in a seat: a person at a screen, or a bot.

    A `session` that it is given is what its seat may know of the session; it cannot be changed
    through it.
    """

    def bind(self, carry_out: CarryOut) -> None:
        """Set, before any other call, the function that carries out the player's commands."""
        ...

    @property
    def feels_delay(self) -> bool:
        """Whether the player notices delays, so that the next deck is better prepared in pauses."""
        ...

    async def lobby(self, names: dict[int, str], seats: int) -> None:
        """Show the nicknames of the seats claimed so far, and the number of all `seats`; with no
        names and 0, show that the founder does not answer.
        """
        ...

    # `/`: a player that ignores one of them may call it otherwise.
    async def confirm(self, charter: Charter, unnamed: tuple[PublicKey, ...] = (), /) -> bool:
        """Return whether the player agrees to the charter, and to rulings of its `unnamed`
        referees.

        Raises UserError if there are unnamed referees and nobody can be asked about them.
        """
        ...

    async def begin(self, look: Callable[[], SeatView]) -> None:
        """Show the table before the first event, at its start or resumed; `look` returns its
        state at any time.
        """
        ...

    async def tell(self, event: Event, session: SeatView) -> None:
        """Show an event."""
        ...

    async def shown(self) -> None:
        """Return when the player has seen all events.

        Proofs that others wait for are made after that, because they take longer than a frame of
        the screen.
        """
        ...

    async def link(self, status: LinkStatus) -> None:
        """Show the state of the connection."""
        ...

    async def presence(self, seat: Seat, seen: Seen) -> None:
        """Show whether another seat is there: hearsay, which decides nothing (specs 7.10)."""
        ...

    async def decide(self, session: SeatView) -> Any:
        """Return the player's choice; the call is cancelled when the seat is no longer awaited."""
        ...

    async def made(self) -> None:
        """Return when the message of a choice, which is made and on the disk, may be sent."""
        ...

    async def refused(self, reason: str) -> None:
        """Show why the last choice was refused; `decide` is called again."""
        ...

    def considers(self) -> bool:
        """Return whether the player may still want another match after the last."""
        ...

    async def leaving(self) -> None:
        """Return when the player wants to leave the table; it may come back later."""
        ...


def word_of(session: SeatView, wanted: GoOn | AnswerGoingOn, entropy: Entropy) -> Continuation:
    """Return the Continuation that our seat signs for a proposal or an answer (specs 7.11), without
    a charter.

    Raises LocalError if the proposal to answer no longer stands, unless we take back our own yes;
    or if one of the seats to leave out is not waited for, or, to be given back, not a bot's.
    """
    if isinstance(wanted, AnswerGoingOn):
        content, ours = wanted.content, session.continuation()
        # Taking back our own yes needs no standing proposal of others.
        takes_back = not wanted.agrees and ours is not None and ours.same_as(content)
        if not takes_back and not any(map(content.same_as, session.open_proposals())):
            raise LocalError("what was proposed does not stand any more")
        # A refusal carries no nonce: it opens no table (specs 7.11).
        nonce = entropy(NONCE_BYTES) if wanted.agrees else NO_NONCE
        # A number on the wire (specs 7.11).
        agreed = 1 if wanted.agrees else 0
        # The founder alone adds the charter, later.
        return replace(content, agreed=agreed, nonce=nonce, charter=b"")
    back = wanted.by is Substitute.BACK
    gone = {*session.substituted_seats()} if back else session.awaited_others()
    # Only seats that are gone now can be left out, whatever the screen showed.
    if not wanted.without or not gone.issuperset(wanted.without):
        raise LocalError(
            "no bot sits here for who left" if back else "they are not waited for any more"
        )
    present = [seat for seat in range(len(session.charter.seats)) if seat not in wanted.without]
    founder = session.seat
    seats_bot = wanted.by is Substitute.BOT
    return Continuation(
        hands=session.table_state.hands_begun,
        # A name of the caller's own, or a new one at random.
        table=wanted.table or entropy(TABLE_BYTES),
        founder=founder,
        # One bit for each seat (specs 7.11).
        present=sum(1 << seat for seat in present),
        # By seat, as the term of the next charter has them: one set, one encoding (specs 6.5).
        bots=tuple((seat, founder) for seat in sorted(wanted.without)) if seats_bot else (),
        agreed=1,
        nonce=entropy(NONCE_BYTES),
    )
