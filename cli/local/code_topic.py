"""The topic of a code: its own connection, and finding a free number (specs 7.9)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.mqtt import MqttOptions, MqttTransport, MqttVersion
from cli.net.transport import Transport, TransportError, Trouble
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire.code import LARGEST_NUMBER, topic_of
from protocol.wire.code_messages import ID_BYTES, PREFIX, Find, Here, from_frame, to_frame
from protocol.wire.identity import FRAME_SIZES

# Far longer than a step of the exchange takes to compute (specs 7.9).
#: Seconds after which every answer goes out: how long it was computed is nobody's business.
ANSWERED_AFTER: Final = 0.2

# Time for two questions, as one may be lost (specs 7.9).
LISTENED_FOR: Final = 0.8  #: Seconds of silence after which a number is free.

# An answer waits for `ANSWERED_AFTER`, so 0.2 seconds are left for both ways. A joiner, who has
# more time, asks less often.
ASKED_AGAIN: Final = 0.4  #: Seconds between two questions whether a number is taken.

# Twelve taken numbers are no chance: somebody answers for all.
MOST_NUMBERS: Final = 12
_SHORT: Final = 99  #: Numbers of one or two digits are tried first: a code is said aloud.


class NoNumber(UserError):
    """Every number that was tried is in use."""


def transport_to(
    nodes: Sequence[BrokerAddress], number: int, credentials: Credentials, version: MqttVersion
) -> Transport:
    """Return the transport to the topic of a code's number, not open yet."""
    node, *others = nodes
    options = MqttOptions(
        node,
        topic_of(number),
        credentials=credentials,
        version=version,
        largest_frame=max(FRAME_SIZES),
        other_nodes=tuple(others),
    )
    return MqttTransport(options, accept=_may_be_of_a_code)


async def free_number(
    nodes: Sequence[BrokerAddress],
    credentials: Credentials,
    version: MqttVersion,
    *,
    taken: Collection[int] = (),
    below: Callable[[int], int] = secrets.randbelow,
) -> tuple[int, Transport]:
    """Return a number for which no host at the broker answers, and the open transport to its topic.

    It is none of those `taken` by tables in the local network, unless all are. `below(n)` draws a
    number below n. Raises TransportError, and NoNumber if every tried number is in use.
    """
    for tried in range(MOST_NUMBERS):
        # Short numbers first, which are easier to say; long ones in the second half.
        most = _SHORT if 2 * tried < MOST_NUMBERS else LARGEST_NUMBER
        numbers = [each for each in range(1, most + 1) if each not in taken]
        # If every number is taken, draw any: the words keep tables apart.
        number = numbers[below(len(numbers))] if numbers else 1 + below(most)
        transport = transport_to(nodes, number, credentials, version)
        await transport.open()
        try:
            free = await _is_silent(transport, number)
        # Cancelled, too: the caller has no transport to close yet.
        except BaseException:
            await transport.close(deadline=1.0)
            raise
        if free:
            return number, transport
        # A second, here and above: nothing that is queued still matters.
        await transport.close(deadline=1.0)
    raise NoNumber("Every code that was tried is in use already: send the long invites.")


async def _is_silent(transport: Transport, number: int) -> bool:
    """Ask for the number twice; return whether nobody answers for it, nor asks for it,
    meanwhile. Raises TransportError if the connection is closed.
    """
    question = to_frame(Find(number, secrets.token_bytes(ID_BYTES)))
    # A lost question is asked a second time.
    for _ in range(round(LISTENED_FOR / ASKED_AGAIN)):
        await transport.send(question)
        # Silence is what a free number sounds like.
        with suppress(TimeoutError):
            async with asyncio.timeout(ASKED_AGAIN):
                async for frame in transport.frames():
                    # Junk of strangers on the topic speaks of no number.
                    with suppress(MalformedMessage):
                        message = from_frame(frame)
                        # Another Find: somebody draws the same number at this moment.
                        if isinstance(message, Find | Here) and message.number == number:
                            return False
                raise TransportError(Trouble.LOST, "The connection to the broker was closed.")
    return True


def _may_be_of_a_code(frame: bytes) -> bool:
    """Return whether a frame may be one of a code, open or sealed, by its length and first byte."""
    # The first byte tells open messages from sealed frames (specs 7.9).
    return len(frame) in FRAME_SIZES and frame[0] in (PREFIX[0], PROTOCOL_VERSION)


def without_names(credentials: Credentials) -> Credentials:
    """Return the credentials without user, password and client certificate, for a broker that
    the user has not named. A CA stays.
    """
    # `ca` stays: it shows nothing of us.
    return replace(credentials, user=None, password=None, certificate=None, key=None)
