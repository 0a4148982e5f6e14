"""Public brokers: the user's list of them, and which answers fastest.

They are other people's free services. They carry a table only if the user chose so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.bounds import LARGEST_BROKER_LIST, MEASURED_FOR, MOST_PUBLIC
from cli.errors import UserError
from cli.input_files import read_bounded
from cli.net.address import AddressError, BrokerAddress
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.probe import probe
from cli.net.transport import TransportError

FILE_NAME: Final = "brokers.txt"
# The median of three bears one slow echo.
_ECHOES: Final = 3

# Port 8886 of mosquitto.org has a certificate of a known authority; its 8883 has one of its own.
DEFAULT: Final = """\
# Public MQTT brokers, one address a line, for 'p2p304 host --public' and the codes of friends.
# They are other people's free services: no promise that they last, and nobody to ask. They see
# from where you come, when and how much is said, and no card, name or word.
# Change the list as you like; host and friends need one broker in common.
mqtts://test.mosquitto.org:8886
mqtts://broker.hivemq.com:8883
mqtts://broker.emqx.io:8883
"""


class ListError(UserError):
    """The list of public brokers cannot be used; one sentence says why."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A public broker with its round-trip time in seconds, or the reason why it does not serve."""

    broker: BrokerAddress
    seconds: float | None  #: None if it does not serve; then `why` says why.
    why: str = ""


def public_brokers(root: Path) -> tuple[BrokerAddress, ...]:
    """Return the addresses in the user's list, each once; our own list if there is none.

    Raises ListError if the list cannot be read, has a line that is no address, or names none or
    more than `MOST_PUBLIC`.
    """
    path = root / FILE_NAME
    try:
        text = read_bounded(path, LARGEST_BROKER_LIST).decode("utf-8")
    except FileNotFoundError:
        text = DEFAULT
    except (OSError, UnicodeDecodeError) as error:
        # The reason of a file that is too large, or none, is our own.
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ListError(f"The list of public brokers {path} cannot be read: {why}.") from error
    found: list[BrokerAddress] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            found.append(BrokerAddress.parse(line))
        except AddressError as error:
            raise ListError(f"Line {number} of {path}: {error}") from error
    # Lines are counted here, also those that name one address twice.
    if not 1 <= len(found) <= MOST_PUBLIC:
        raise ListError(f"{path} names {len(found)} brokers: a list has 1 to {MOST_PUBLIC}.")
    # The same address twice is measured once.
    return tuple(dict.fromkeys(found))


def broker_list_file(root: Path) -> Path:
    """Return the path of the user's list, written with our own addresses if there is none yet.

    Raises ListError if it cannot be written.
    """
    path = root / FILE_NAME
    try:
        # "x": a list that the user wrote is never overwritten.
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
            file.write(DEFAULT)
    except OSError as error:
        raise ListError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


async def measure(
    brokers: Sequence[BrokerAddress],
    *,
    largest: int,
    credentials: Credentials = NO_CREDENTIALS,
) -> tuple[Measured, ...]:
    """Try all brokers at once, with frames of up to `largest` bytes; return them, the fastest
    first, and last those that do not serve.
    """
    tried = await asyncio.gather(*(_measure(each, largest, credentials) for each in brokers))
    # Those that do not serve last; None cannot be compared with numbers.
    return tuple(sorted(tried, key=lambda each: (each.seconds is None, each.seconds or 0.0)))


async def _measure(broker: BrokerAddress, largest: int, credentials: Credentials) -> Measured:
    """Try one broker, and return its round-trip time or why it does not serve; `largest` is the
    size in bytes of the largest frame that is tried.
    """
    try:
        async with (
            asyncio.timeout(MEASURED_FOR),
            aclosing(probe(broker, credentials, largest=largest, count=_ECHOES)) as findings,
        ):
            async for each in findings:
                if each.good is False:
                    why = f"{broker.format()} does not pass on what a table says."
                    return Measured(broker, None, why)
                if each.seconds is not None:
                    return Measured(broker, each.seconds)
    except TransportError as error:
        return Measured(broker, None, str(error))
    except TimeoutError:
        pass
    return Measured(broker, None, f"{broker.format()} is too slow.")
