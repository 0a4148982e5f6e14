"""A table that is gone on with is read from its journal, and a long one says how far that is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.local import transcripts as journaled
from cli.local.transcripts import JournalOnDisk
from cli.progress import Advance
from cli.seat.setup import Kept
from cli.store.journal import Journal
from protocol.seat.session import Session
from protocol.topics.step import SessionStatus
from tests.table.bus import Table
from tests.table.tiny_game import TinyGame


@pytest.mark.parametrize("shown", [False, True])
async def test_every_message_of_a_journal_is_read_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, shown: bool
) -> None:
    table = Table(TinyGame(3, target=100), 1)
    table.confirm()
    table.run(table.all_played(1))
    chair = table.chairs[0]
    told: list[int | bool] = []

    @contextmanager
    def counting(_what: str, steps: int, *, quiet: bool = False) -> Iterator[Advance]:
        told.extend((steps, quiet))

        def advance(steps: int = 1) -> None:
            told.append(steps)

        yield advance

    monkeypatch.setattr(journaled, "progress", counting)
    monkeypatch.setattr(journaled, "FEW", 10)
    with Journal.create(tmp_path, table.charter.table) as journal:
        journal.append_all(Kept.MESSAGE, chair.journal)
        records = await JournalOnDisk(journal).records(shown=shown)
        messages = (payload for _, payload in records)
        session = Session.resume(messages, entropy=bytes, **table.arguments(0))
    assert session.table_state == chair.session.table_state
    assert session.status is SessionStatus.RETURNING
    assert len(chair.journal) > journaled.FEW
    assert told == ([len(chair.journal), False, *[1] * len(chair.journal)] if shown else [])
