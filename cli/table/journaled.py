"""What the journal of a table holds besides its setup, read one record after the other."""

from __future__ import annotations

from collections.abc import Iterator

from cli.store.journal import Journal
from cli.table.setup import Kept


def charter_in(journal: Journal) -> tuple[bytes | None, bool]:
    """The charter, if there is one yet, and whether the player confirmed it."""
    charter, confirmed = None, False
    for record in journal.records():
        if record.kind == Kept.CHARTER and charter is None:
            charter = record.payload
        confirmed = confirmed or record.kind == Kept.CONFIRMED
    return charter, confirmed


def messages_in(journal: Journal) -> Iterator[bytes]:
    """The messages in their order; there may be too many to hold them all."""
    return (each.payload for each in journal.records() if each.kind == Kept.MESSAGE)
