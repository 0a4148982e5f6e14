"""What the journal of a table holds besides its setup, read one record after the other."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from cli.progress import progress
from cli.seat.charter_text import game_of
from cli.seat.setup import Kept, Setup
from cli.store.journal import Journal
from cli.store.paths import StoreError
from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import MalformedMessage
from protocol.seat.session import Session
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey

FEW: Final = 500
"""Messages that are read in about a second: a match of five hands has as many."""


def charter_in(journal: Journal) -> tuple[bytes | None, bool]:
    """Return the charter of a journal, if there is one yet, and whether the player confirmed it."""
    charter, confirmed = None, False
    for record in journal.records():
        if record.kind == Kept.CHARTER and charter is None:
            charter = record.payload
        confirmed = confirmed or record.kind == Kept.CONFIRMED
    return charter, confirmed


def kept_charter(payload: bytes) -> Charter:
    """Return the charter in a record.

    Raises StoreError for one of another version, MalformedMessage for anything else.
    """
    try:
        return Charter.from_bytes(payload)
    except MalformedMessage as error:
        if error.check == "charter.version":
            raise StoreError(f"This table is {error.detail}.") from None
        raise


def messages_in(journal: Journal) -> Iterator[bytes]:
    """Yield the messages in their order; there may be too many to hold them all."""
    return (each.payload for each in journal.records() if each.kind == Kept.MESSAGE)


def session_in(journal: Journal, *, quiet: bool, **arguments: Any) -> Session:
    """Return the session that wrote the messages, made with these arguments.

    All messages are verified again, with a bar on a terminal if they are many, unless `quiet`.
    """
    count = sum(1 for _ in messages_in(journal))
    with progress("Reading the journal", count, quiet=quiet or count <= FEW) as advance:

        def read() -> Iterator[bytes]:
            for record in messages_in(journal):
                yield record
                advance()

        return Session.resume(read(), entropy=secrets.token_bytes, **arguments)


async def session_of(
    charter: Charter,
    setup: Setup,
    key: SigningKey,
    *,
    journal: Journal | None,
    patience: float,
    quiet: bool,
    vouched: frozenset[Seat],
) -> Session:
    """Return our session at the table of a charter.

    It is read from the `journal`, without a record too, for that may be an older copy; a new one
    begins where there is none to come back to.
    """
    arguments: dict[str, Any] = {
        "charter": charter,
        "game": game_of(charter),
        "seat": setup.seat,
        "key": key,
        "secrets": Secrets(setup.seed),
        "patience": patience,
    }
    if journal is None:
        return Session(**arguments)
    read = partial(session_in, journal, quiet=quiet, vouched=vouched, **arguments)
    return await asyncio.to_thread(read)
