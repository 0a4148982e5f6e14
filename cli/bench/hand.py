"""What a hand costs among four sessions in one process: time a seat, messages, bytes, audits."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections import Counter, deque
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
from protocol.ledger.events import Event, HandEnded, Send
from protocol.places import Lane, LedgerName
from protocol.seat.commands import Confirm
from protocol.seat.session import Session
from protocol.wire.authenticate import open_message
from protocol.wire.charter import NONCE_BYTES, Charter, SeatEntry
from protocol.wire.identity import Seal, SigningKey
from protocol.wire.messages import Notice

NAMES: Final = ("Amara", "Banu", "Chandra", "Dilini")
ARCHIVE: Final = 12
"""Copies of the transcripts that the archive's rate is measured with, for each hand."""


class Quartet:
    """Four sessions that hear each other at once, with the processor's time of each seat."""

    def __init__(self, profile: str, *, keeping: bool = True) -> None:
        """`keeping` says whether all that was sent is kept in `sent`."""
        self._keeping = keeping
        self._begun = False
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
        self.sessions = [
            Session(
                charter=self.charter,
                game=self.game,
                seat=Seat(seat),
                key=key,
                secrets=Secrets(secrets.token_bytes(SEED_BYTES)),
            )
            for seat, key in enumerate(self._keys)
        ]
        self.spent = [0.0] * len(NAMES)
        self.sent: list[bytes] = []
        self.ended: list[HandEnded] = []
        self._flying: deque[tuple[int, bytes]] = deque()
        self._bots = [player_for(self.game, seat) for seat in range(len(NAMES))]

    def play(self, hands: int) -> None:
        """Play until so many hands have ended at every seat, those of earlier calls included."""
        if not self._begun:
            self._begun = True
            for seat in range(len(NAMES)):
                self._do(seat, lambda session: session.act(Confirm(), now=0.0))
        while any(session.table_state.counted < hands for session in self.sessions):
            if self._flying:
                seat, raw = self._flying.popleft()
                self._do(seat, lambda session, raw=raw: session.receive(raw, now=0.0))
            else:
                self._decide()

    def _decide(self) -> None:
        for seat, session in enumerate(self.sessions):
            view = session.view()
            if session.legal_actions() and view is not None:
                action = self._bots[seat].choose(view)
                self._do(seat, lambda each, action=action: each.act(action, now=0.0))
                return
        for seat in range(len(NAMES)):  # another match at this table
            self._do(seat, lambda session: session.act(Confirm(), now=0.0))

    def _do(self, seat: int, call: Any) -> None:
        begun = time.thread_time()
        events: list[Event] = call(self.sessions[seat])
        self.spent[seat] += time.thread_time() - begun
        for event in events:
            if isinstance(event, Send):
                if self._keeping:
                    self.sent.append(event.envelope)
                self._flying += [
                    (other, event.envelope) for other in range(len(NAMES)) if other != seat
                ]
            elif isinstance(event, HandEnded) and seat == 0:
                self.ended.append(event)


def measure(*, hands: int, profile: str) -> dict[str, Any]:
    """The figures of so many hands under a profile, as the command prints them."""
    quartet = Quartet(profile)
    quartet.play(hands)
    kinds: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    seal = Seal(secrets.token_bytes(32), quartet.charter.table)
    padded = 0
    for raw in quartet.sent:
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
    """Hands a second when all cores audit."""
    with isolated_workers(), ProcessPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_audit_ms, paths[:2]))  # the workers' start is not the audit's cost
        begun = time.perf_counter()
        list(pool.map(_audit_ms, paths, chunksize=2))
        return len(paths) / (time.perf_counter() - begun)
