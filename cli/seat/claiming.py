"""The lobby (specs 7.4): claims our seat until a charter has it; later answers late seats and
spectators.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from cli.errors import UserError
from cli.seat.channel import LATECOMERS, SealedLine
from cli.seat.charter_text import game_of, unreadable
from cli.seat.setup import Executor, Setup, Surroundings
from protocol.errors import MalformedMessage
from protocol.group.constants import constants_digest
from protocol.rates import Allowance
from protocol.seat.session import Session
from protocol.table.sync import far_behind, messages_for
from protocol.table.table import TableState
from protocol.wire import lobby
from protocol.wire.charter import MAX_SEATS, Charter
from protocol.wire.contents import Head
from protocol.wire.identity import SigningKey
from protocol.wire.lobby import Presence
from protocol.wire.registrar import Registrar

# Seconds; claims may be lost, and the founder answers a repeated one alike (specs 7.4).
CLAIM_INTERVAL: Final = 1.0
# A choice: a founder that is there answers each claim.
#: Claims without an answer after which the player is told that nobody is there.
UNANSWERED: Final = 5

# Bounded: strangers may send before there is a charter. A choice: what is dropped is lacked, and
# comes by a question to the seats (specs 7.6).
MOST_EARLY: Final = 64  #: Messages of seats that are further than we are, kept for the session.

# One worker thread makes them while others sit down: nobody waits for them at the first shuffle.
GENERATORS: Final = 32  #: As many as a shuffle of the pack of 304 takes.

TellNames = Callable[[dict[int, str], int], Awaitable[None]]
Keep = Callable[[Charter], Awaitable[None]]


class NameTaken(UserError):
    """Another seat of the table has our nickname."""


class SeatTaken(UserError):
    """Another player claimed our seat first, or our own key sits or rules at the table already."""


CLOSED: Final = "The connection was closed before everybody sat down."


async def register_claims(
    registrar: Registrar, line: SealedLine, *, keep: Keep, tell: TellNames
) -> Charter:
    """As the founder answer the claims at a table and tell the names, until every seat is claimed;
    return the charter, which `keep` has taken before the last answer is sent.

    A claim to which the registrar has no answer changes nothing. Raises UserError once the
    connection is closed.
    """
    # A board has a proof for each seat, claimed or not.
    seats, charter = len(registrar.board().proofs), registrar.charter()
    if charter is not None:  # every seat was given before anybody claimed one
        await keep(charter)
    while charter is None:
        payload = await line.next_payload(within=CLAIM_INTERVAL, closed=CLOSED)
        # `and`: no payload is no claim.
        claim = payload and lobby.from_bytes(payload, seats=seats, table=line.invite.table)
        answer = registrar.take(claim) if isinstance(claim, lobby.Claim) else None
        if answer is None:
            continue
        charter = registrar.charter()
        if charter is not None:
            await keep(charter)  # before anybody hears of it: there is never a second one
        # After `keep`: after a crash the founder must not make a second charter.
        await line.send(lobby.to_bytes(answer))
        board = registrar.board()
        await tell(dict(board.names), seats)
    return charter


class Claiming:
    """The claim of our seat, as the founder or as a claimant; `charter` returns once all sit."""

    def __init__(
        self,
        *,
        setup: Setup,
        key: SigningKey,
        line: SealedLine,
        tell: TellNames,
        keep: Keep,
        work: Executor,
    ) -> None:
        """Set up a claim.

        `tell` is called with the names of the seats claimed so far and the number of all seats;
        with none and 0 if no founder answers. `keep` writes the charter to the disk before it is
        sent or confirmed. `work` prepares the first shuffle meanwhile.
        """
        invite = setup.invite
        # An invite to watch has no token; the caller has refused it.
        assert invite.token is not None
        self._token = invite.token
        self._setup = setup
        self._line = line
        self._tell = tell
        self._keep = keep
        self._work = work
        self._unanswered = 0  #: How many of our claims in a row had no answer of the founder's.
        self._claim = lobby.Claim.make(
            table=invite.table,
            seat=setup.seat,
            token=invite.token,
            key=key,
            nickname=setup.nickname,
            nonce=setup.nonce,
        )
        self._registrar: Registrar | None = None
        if setup.founding is not None:
            self._registrar = Registrar(
                table=invite.table,
                game=setup.founding.game,
                profile=setup.founding.profile,
                tokens=setup.founding.tokens,
            )
            # The founder has the first claim: nobody else can take its seat.
            self._registrar.take(self._claim)
        # At the founder none can come: it makes the charter.
        self.early: list[bytes] = []  #: Messages of the game that came before the charter.

    async def charter(self) -> Charter:
        """Claim the seat until there is a charter, and return it.

        Raises NameTaken if another seat has our nickname, SeatTaken if another player has our seat
        or our key has another place at the table, UserError if the connection is closed or this
        program cannot play by the charter.
        """
        # In the wait for others, since the first shuffle needs the points that this makes and
        # caches; the digest itself is dropped.
        preparing = self._work(constants_digest, GENERATORS)
        registrar = self._registrar
        sitting = (
            self._claim_seat()
            if registrar is None
            else register_claims(registrar, self._line, keep=self._keep, tell=self._tell)
        )
        charter, _ = await asyncio.gather(sitting, preparing)
        return charter

    async def _claim_seat(self) -> Charter:
        """Send our claim every `CLAIM_INTERVAL` seconds until a charter comes, and return the
        charter; once `UNANSWERED` claims in a row had no answer, tell that no founder answers.
        """
        while True:
            await self._line.send(lobby.to_bytes(self._claim))
            charter = await self._listen()
            if charter is not None:
                return charter
            self._unanswered += 1
            if self._unanswered == UNANSWERED:
                await self._tell({}, 0)

    async def _listen(self) -> Charter | None:
        """Handle messages until the next claim is due; return the charter if one comes, else
        None. Raises UserError once the connection is closed, and like `_hear`.
        """
        loop = asyncio.get_running_loop()
        # One deadline for the interval, however many frames come in it.
        ends = loop.time() + CLAIM_INTERVAL
        while (left := ends - loop.time()) > 0:
            payload = await self._line.next_payload(within=left, closed=CLOSED)
            charter = None if payload is None else await self._hear(payload)
            if charter is not None:
                return charter
        return None

    async def _hear(self, payload: bytes) -> Charter | None:
        """Handle one message: read the founder's board, keep a message of the game in `early`,
        MOST_EARLY at most, ignore others. Return the charter if it is in the founder's board, else
        None.

        Raises NameTaken or SeatTaken if the founder refuses our claim, UserError for a charter that
        this program cannot play by.
        """
        # A seat that already has the charter may play before ours has come.
        if payload[:1] != lobby.PREFIX:
            if len(self.early) < MOST_EARLY:
                self.early.append(payload)
            return None
        # Before the charter only the founder knows how many seats there are.
        match lobby.from_bytes(payload, seats=MAX_SEATS, table=self._setup.invite.table):
            case lobby.Board() as board:
                return await self._read(board)
            # Only for the claim that we sent, and only from one who knows our token (specs 7.4).
            case lobby.Taken(_, seat, nonce, clash) as taken if (seat, nonce) == (
                self._claim.seat,
                self._claim.entry.nonce,
            ) and taken.holds(self._token):
                # Two classes: after a taken name `join` asks for another one; the seat stays free.
                raise (NameTaken if clash is lobby.Clash.NAME else SeatTaken)(_CLASHES[clash])
            case _:
                return None

    async def _read(self, board: lobby.Board) -> Charter | None:
        """Tell the names on the founder's Board; if its charter has our claim, write it to the disk
        and return it, else return None. A board that does not prove that it is the founder's is
        ignored.

        Raises UserError for a charter that this program cannot play by.
        """
        # Anybody with the table key can send a board; our token's proof is the founder's alone.
        if not board.holds(self._claim.seat, self._token):
            return None  # not the founder's
        self._unanswered = 0
        await self._tell(dict(board.names), len(board.proofs))
        if not board.charter:
            return None
        try:
            charter = Charter.from_bytes(board.charter)
        except MalformedMessage as error:
            raise unreadable(error) from error
        # A charter with another key or name in our seat is not ours to sign (specs 7.4). A slice:
        # the charter may have fewer seats.
        if charter.seats[self._claim.seat : self._claim.seat + 1] != (self._claim.entry,):
            return None
        game = game_of(charter)  # what this program cannot play is not sat down to
        # Not a check of the charter's own: its decoder knows no games.
        if game.seats != len(charter.seats):
            raise UserError("The host's charter has another number of seats than its game.")
        # On the disk before it is confirmed: what we sign must survive a crash.
        await self._keep(charter)
        return charter


_CLASHES: Final = {
    lobby.Clash.SEAT: "This seat is taken: somebody used the invite before; ask for a new one.",
    lobby.Clash.NAME: "Somebody at this table has your nickname: join with another --nickname.",
    lobby.Clash.KEY: "Your own key sits or rules at this table already, and one key has one place.",
}


# While a table plays: answers to claims that come late, and to spectators, at a bounded rate.


class LobbyResponder:
    """Our seat's answers to lobby messages once it has its charter; presence messages are passed
    on.
    """

    def __init__(
        self,
        setup: Setup,
        charter: Charter,
        line: SealedLine,
        around: Surroundings,
        present: Callable[[Presence], Awaitable[None]] | None = None,
    ) -> None:
        """Set up the answers.

        `around` stores hands that the session has forgotten; `present` is called with the presence
        messages of seats.
        """
        self._present = present
        self._around = around
        self._setup = setup
        self._charter = charter
        self._line = line
        self._left = Allowance(LATECOMERS)
        self._registrar: Registrar | None = None
        if setup.founding is not None:
            # The same answers as before a restart, made from the charter.
            self._registrar = Registrar.of(charter, setup.founding.tokens)

    async def hear(self, payload: bytes, session: Session | None) -> None:
        """Answer a claim, at the founder's seat alone, or an inquiry to our seat, one of each kind
        in a second at most; give a presence message to `present`; ignore any other lobby message.

        An inquirer gets the charter if it lacks it, all challenges and rulings, and the messages
        that it lacks; without a `session` the charter alone.
        """
        seats, table = len(self._charter.seats), self._charter.table
        match lobby.from_bytes(payload, seats=seats, table=table):
            case lobby.Claim() as claim if self._registrar is not None:
                answer = self._registrar.take(claim)
                # Bounded whoever asks: claims and inquiries carry no identity that costs anything.
                if answer is not None and self._may_answer(lobby.Claim):
                    await self._line.send(lobby.to_bytes(answer))
            # A spectator asks one seat at a time, so that not all answer at once.
            case lobby.Inquiry(_, asked, knows_charter, heads) if asked == self._setup.seat:
                if not self._may_answer(lobby.Inquiry):
                    return
                if not knows_charter:
                    await self._line.send(lobby.to_bytes(lobby.Board.of(self._charter)))
                # The referee's words first: they may be why the hand stands still. All of them each
                # time: heads are of ledgers, and these words belong to none.
                if session is not None:
                    said = session.referee_envelopes()
                    for raw in await self._lacked_envelopes(session.table_state, heads, said):
                        await self._line.say(raw, session.game)
            case Presence() as word if self._present is not None:
                await self._present(word)
            case _:
                pass

    async def _lacked_envelopes(
        self, table_state: TableState, heads: tuple[Head, ...], said: tuple[bytes, ...]
    ) -> list[bytes]:
        """Return the envelopes to send to a spectator with these heads: all of `said`, which are
        challenges and rulings, then at most MAX_RESENT messages that it lacks, from our files
        where the session has forgotten them.
        """
        # The session forgets settled hands; their files still have them.
        if far_behind(table_state, heads):
            older = await self._around.hands.older(self._charter.table, heads)
            if older:
                return [*said, *older]
        return [*said, *(each.raw for each in messages_for(table_state, heads))]

    def _may_answer(self, kind: type[lobby.LobbyMessage]) -> bool:
        """Take an answer to this kind of message from the allowance; return False if none is
        left.
        """
        # By kind, and not by sender: who asks has no identity that would cost anything. The kind's
        # name, as the type checker holds a class for no key.
        return self._left.take(kind.__name__, self._around.clock())
