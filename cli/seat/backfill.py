"""Messages of hands that a table has forgotten, from the transcripts in its directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cli.store.paths import transcript_name
from p2p304.game import AnyGame
from protocol.audit.backfill import hands_wanted, lacked_in
from protocol.errors import MalformedMessage
from protocol.wire.contents import Head


def older_messages(
    directory: Path, table: bytes, heads: tuple[Head, ...], game: AnyGame
) -> tuple[tuple[bytes, int], ...]:
    """Return the envelopes that a peer with these heads lacks, each with the room of its frame.

    There are none where no file has them. Somebody else at the table may still have the file; a
    damaged one is no reason to stop playing.
    """

    def kept() -> Iterator[bytes]:
        for number in hands_wanted(heads):
            path = directory / transcript_name(table, number)
            if path.is_file():
                yield path.read_bytes()

    try:
        return lacked_in(kept(), heads, game)
    except (OSError, MalformedMessage):
        return ()
