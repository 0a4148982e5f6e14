"""The joiner's side of a code: finds the host, guesses once, chooses a seat, gets an invite
(specs 7.9).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Final, NamedTuple, NoReturn

from cli.code import CodeError
from cli.invite import Invite
from cli.local.code_topic import ANSWERED_AFTER, transport_to
from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.mqtt import MqttVersion
from cli.net.transport import Transport, TransportClosedError, TransportError
from cli.tasks import first, happens
from p2p304.seats import Seat
from protocol.wire.code import Code
from protocol.wire.code_exchange import JoinerCode, JoinerStage
from protocol.wire.code_messages import Here, Refusal, Welcome, Why
from protocol.wire.invite import InviteFields

# Frames may be lost; the host answers a repeated one alike (specs 7.9). A choice: an answer leaves
# after `ANSWERED_AFTER`, so half a second is left for both ways.
ASKED_AGAIN: Final = 0.7
# This wait and those below are choices: a person looks at the screen meanwhile.
FOUND_WITHIN: Final = 4.0  #: Seconds for a broker to let us in, and for a host there to answer.

OTHERS_WITHIN: Final = 0.7  #: Seconds more for hosts at other brokers, once one has answered.

LET_IN_WITHIN: Final = 20.0  #: Seconds for our guess, which may have to wait for those of others.

# Seconds; the host only has to look whether the seat is free.
SEATED_WITHIN: Final = 10.0

Choose = Callable[[Welcome], Awaitable[Seat]]


class NotLetIn(CodeError):
    """The host with this number did not let us in; another table may have the number too."""


class WrongCode(NotLetIn):
    """A host has the number, and the words are wrong."""


class CodeDead(NotLetIn):
    """The code is dead."""


class NobodyThere(CodeError):
    """No host answers for the code's number."""


class _Door(NamedTuple):
    """A connection to a broker at which a host has the code's number."""

    transport: Transport
    joiner: JoinerCode


async def invite_by(
    code: Code,
    places: Sequence[tuple[BrokerAddress, ...]],
    choose: Choose,
    *,
    credentials: Credentials,
    version: MqttVersion,
) -> Invite:
    """Return the invite behind a code, from the first host that accepts the guess; hosts are tried
    in the order in which they answered.

    A place is a broker's nodes; `choose` lets the player choose a free seat. Raises TransportError
    if no broker can be reached, NobodyThere, NotLetIn if every host refuses the code or falls
    silent, or CodeError from a host that accepted it.
    """
    async with AsyncExitStack() as stack:
        doors, failed = await _find(code, places, credentials, version, stack)
        if not doors:
            # A broker that answered, without a host, is not among the failed.
            if len(failed) == len(places):
                # Every broker failed: the first reason is as good as any.
                raise failed[0]
            # Somebody was reached and nobody answered: the code may be wrong, or the host is gone.
            raise NobodyThere(f"No table answers to the number {code.number}.")
        wrong: NotLetIn | None = None
        for door in doors:
            try:
                # In the order of their answers: the fastest host is probably the right one.
                return await _through(door, choose)
            except NotLetIn as error:  # a stranger who answers first must not keep us here
                wrong = wrong or error
        # There was a door, and each that does not return leaves its error.
        assert wrong is not None
        raise wrong


async def _find(
    code: Code,
    places: Sequence[tuple[BrokerAddress, ...]],
    credentials: Credentials,
    version: MqttVersion,
    stack: AsyncExitStack,
) -> tuple[list[_Door], list[TransportError]]:
    """Return connections to brokers at which a host answers, the fastest first, and the errors of
    brokers that could not be reached. A broker without a host is in neither.

    The `stack` closes the connections.
    """
    doors: list[_Door] = []
    failed: list[TransportError] = []
    came = asyncio.Event()

    async def look(nodes: tuple[BrokerAddress, ...]) -> None:
        """Connect to a place; note a door if a host answers there, or the error if the broker
        cannot be reached.
        """
        transport = transport_to(nodes, code.number, credentials, version)
        try:
            await transport.open(deadline=FOUND_WITHIN)
        except TransportError as error:
            # One of several brokers: the others may have the host.
            failed.append(error)
            return
        # Registered at once: every connection is closed, whether a host answers or not.
        # A second each: nothing more is expected.
        stack.push_async_callback(transport.close, deadline=1.0)
        door = _Door(transport, JoinerCode(code, entropy=secrets.token_bytes))
        # No door: no host answers here, or the broker has gone.
        with suppress(TimeoutError, TransportClosedError):
            await _until(door, lambda heard: isinstance(heard, Here), within=FOUND_WITHIN)
            doors.append(door)
            came.set()

    async def look_everywhere() -> None:
        """Look at all places at the same time: a broker that hangs costs nothing."""
        async with asyncio.TaskGroup() as group:
            for nodes in places:
                group.create_task(look(nodes))

    async def enough() -> None:
        """Wait for the first host, and a little longer for others if there are several places."""
        await came.wait()
        if len(places) > 1:
            # The same number may live at several brokers, and only one host knows the words.
            await asyncio.sleep(OTHERS_WITHIN)

    await first(look_everywhere(), enough())
    return doors, failed


async def _through(door: _Door, choose: Choose) -> Invite:
    """Guess, let the player choose a seat, and return its invite.

    Raises NotLetIn if the host refuses the guess or falls silent before, CodeError if it falls
    silent later or has no free seat.
    """
    try:
        heard = await _until(door, _is_verdict, within=LET_IN_WITHIN)
        # Again with each new Welcome: somebody else took the seat that was chosen.
        while True:
            match heard:
                case Refusal():
                    raise _why_not(heard)
                case InviteFields():
                    return Invite.of(heard)
                # Nothing free: a wish would be refused for ever.
                case Welcome(free=()):
                    raise CodeError("Every seat of this table is taken: ask the host.")
                case Welcome():
                    # The player chooses while the code lives; then the host answers within seconds.
                    door.joiner.wish(await choose(heard))
                    heard = await _until(door, _is_verdict, within=SEATED_WITHIN)
                case _:
                    # `_is_verdict` lets nothing else through.
                    raise AssertionError(heard)
    except (TimeoutError, TransportClosedError):
        stage = door.joiner.stage
        # After letting us in, the host is the right one: no other is tried.
        kind = CodeError if stage is JoinerStage.LET_IN else NotLetIn
        raise kind(_SILENCES[stage]) from None


def _is_verdict(heard: object) -> bool:
    """Return whether a message decides on our guess or our wish for a seat: a Welcome, an
    invite, or a refusal that does not just say "busy".
    """
    # Somebody else's guess is being answered: ours waits its turn.
    busy = isinstance(heard, Refusal) and heard.why is Why.BUSY
    return isinstance(heard, Welcome | InviteFields | Refusal) and not busy


async def _until(door: _Door, wanted: Callable[[object], bool], *, within: float) -> object:
    """Send the message that is due, again and again, until one is heard for which `wanted` returns
    True; return that one.

    Raises TimeoutError after `within` seconds, and TransportClosedError when the connection is
    closed.
    """

    news, loop = asyncio.Event(), asyncio.get_running_loop()

    async def listen() -> object:
        """Return the first message that is wanted; raises TransportClosedError when the
        connection ends.
        """
        async for frame in door.transport.frames():
            before, at = door.joiner.stage, loop.time() + ANSWERED_AFTER
            # In a thread: a guess takes arithmetic of milliseconds.
            heard = await asyncio.to_thread(door.joiner.hear, frame)
            if wanted(heard):
                return heard
            if door.joiner.stage is not before:
                # Our answer goes out at a fixed time, too, so that computing tells nothing.
                await asyncio.sleep(max(0.0, at - loop.time()))
                news.set()
        raise TransportClosedError("The connection to the broker was closed.")

    async def ask() -> NoReturn:
        """Send the message that is due, again and again."""
        while True:
            news.clear()
            # Asked anew each time: the stage says which message is due.
            frame = door.joiner.asking_frame()
            if frame is not None:
                # `listen` hears of the close, too, and ends the wait.
                with suppress(TransportClosedError):
                    await door.transport.send(frame)
            await happens(news, within=ASKED_AGAIN)

    async with asyncio.timeout(within):
        return await first(listen(), ask())


def _why_not(refusal: Refusal) -> CodeError:
    """Return the error for a host's refusal: a dead code or a wrong one."""
    # Guessed out or too old: for the friend it is the same.
    if refusal.why is Why.DEAD or not refusal.left:
        return CodeDead(
            "This code is dead, after ten minutes or five wrong guesses: ask the host for a new"
            " one."
        )
    more = "one more wrong one" if refusal.left == 1 else f"{refusal.left} more wrong ones"
    return WrongCode(f"This code is not right; {more}, and the host must make a new one.")


_SILENCES: Final = {
    JoinerStage.KNOCKING: (
        "Somebody else keeps trying this code: try again, or ask the host for a new one."
    ),
    JoinerStage.GUESSING: "The host fell silent: type the code once more, or ask for a new one.",
    JoinerStage.LET_IN: "The host fell silent, or the code is dead by now: ask for a new one.",
}
