"""What the journal of a table holds besides its setup, read one record after the other."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any, Final

from cli.progress import progress
from cli.seat.setup import Kept
from cli.store.journal import Journal
from cli.store.paths import StoreError
from protocol.errors import MalformedMessage
from protocol.seat.session import Session
from protocol.wire.charter import Charter

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
