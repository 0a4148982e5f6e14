"""What a hand costs among four sessions in one process: time a seat, messages, bytes, audits."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, Final

from cli.auditing import audit_file
from cli.children import isolated_workers
from p2p304.bots.players import player_for
from p2p304.games import create_game, full_agreement
from p2p304.seats import Seat
from protocol.audit.transcript import hand_transcript
from protocol.cards.secrets import SEED_BYTES, Secrets
from protocol.ledger.events import Event, HandEnded
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.testing import Door, MemoryTable
from protocol.wire.authenticate import open_message
from protocol.wire.charter import NONCE_BYTES, Charter, SeatEntry
from protocol.wire.identity import Seal, SigningKey
from protocol.wire.messages import Notice

NAMES: Final = ("Amara", "Banu", "Chandra", "Dilini")
ARCHIVE: Final = 12
"""Copies of the transcripts that the archive's rate is measured with, for each hand."""


class Quartet(MemoryTable):
    """Four sessions that hear each other at once, with the processor's time of each seat."""

    def __init__(self, profile: str) -> None:
        """Set up a table under the rules of a profile, with the best bots."""
        self._keys = [SigningKey(secrets.token_bytes(32)) for _ in NAMES]
        self.game = create_game("304", profile)
        self.charter = Charter(
            table=secrets.token_bytes(16),
            game="304",
            profile=full_agreement("304", profile),
            seats=tuple(
                SeatEntry(key.public, name, secrets.token_bytes(NONCE_BYTES))
                for key, name in zip(self._keys, NAMES, strict=True)
            ),
        )
        sessions = [
            Session(
                charter=self.charter,
                game=self.game,
                seat=Seat(seat),
                key=key,
                secrets=Secrets(secrets.token_bytes(SEED_BYTES)),
            )
            for seat, key in enumerate(self._keys)
        ]
        super().__init__(sessions)
        self.spent = [0.0] * len(NAMES)
        self.ended: list[HandEnded] = []
        self._bots = [player_for(self.game, seat) for seat in range(len(NAMES))]

    def chosen(self, seat: int) -> Any:
        """See MemoryTable.chosen."""
        session = self.sessions[seat]
        view = session.view()
        return self._bots[seat].choose(view) if session.legal_actions() and view else None

    def call(self, seat: int, door: Door) -> None:
        """See MemoryTable.call. The seat's time is that of its session, not of what comes of it."""
        begun = time.thread_time()
        events = door(self.sessions[seat])
        self.spent[seat] += time.thread_time() - begun
        self.handle(seat, events)

    def handle(self, seat: int, events: list[Event]) -> None:
        """See MemoryTable.handle."""
        super().handle(seat, events)
        if seat == 0:
            self.ended += [each for each in events if isinstance(each, HandEnded)]


def measure(*, hands: int, profile: str) -> dict[str, Any]:
    """Measure so many hands under a profile, and return the figures as the command prints them."""
    quartet = Quartet(profile)
    quartet.play(hands)
    kinds: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    seal = Seal(secrets.token_bytes(32), quartet.charter.table)
    padded = 0
    for _, raw in quartet.sent:
        message = open_message(raw, quartet.charter)
        content = message.content if isinstance(message, Notice) else message.message.content
        name = type(content).__name__
        kinds[name] += 1
        sizes[name] += len(raw)
        padded += len(seal.seal(raw, seat=0, entropy=secrets.token_bytes))
    table_state = quartet.sessions[0].table_state
    kept = [
        number
        for number in range(hands)
        if all(name in table_state.replicas for name in _ledgers(number))
    ]
    files = [hand_transcript(table_state, number) for number in kept]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.p304" for number in kept]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        times = [_audit_ms(str(path)) for path in paths]
        rate = _archive_rate([str(path) for path in paths] * ARCHIVE)
    return {
        "hands": hands,
        "profile": profile,
        "cpu_s_per_seat": round(sum(quartet.spent) / len(NAMES) / hands, 4),
        "messages": round(len(quartet.sent) / hands, 1),
        "bytes": round(sum(sizes.values()) / hands),
        "sealed_bytes": round(padded / hands),
        "transcript_bytes": round(median(len(each) for each in files)),
        "kinds": {
            name: {"messages": round(kinds[name] / hands, 1), "bytes": round(size / hands)}
            for name, size in sizes.most_common()
        },
        "audit_ms": round(median(times), 1),
        "audit_worst_ms": round(max(times), 1),
        "archive_hands_per_s": round(rate, 2),
        "archive_cores": os.cpu_count(),
    }


def _ledgers(number: int) -> tuple[LedgerName, ...]:
    return LedgerName(Lane.DECK, number), LedgerName(Lane.HAND, number)


def _audit_ms(path: str) -> float:
    begun = time.process_time()
    if not audit_file(path).valid:
        raise RuntimeError("an honest hand is audited as invalid")
    return 1_000 * (time.process_time() - begun)


def _archive_rate(paths: list[str]) -> float:
    """Return the hands a second when all cores audit."""
    with isolated_workers(), ProcessPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_audit_ms, paths[:2]))  # the workers' start is not the audit's cost
        begun = time.perf_counter()
        list(pool.map(_audit_ms, paths, chunksize=2))
        return len(paths) / (time.perf_counter() - begun)
