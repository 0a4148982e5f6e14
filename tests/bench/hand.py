"""What a hand of any game costs among sessions in one process: time a seat, bytes, audit.

python -m tests.bench.hand 304 pagat
"""

from __future__ import annotations

import gc
import json
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import click

from cli.auditing import audit_file
from cli.seat.bot_processes import name_of
from p2p304.bots.players import steady_for
from p2p304.games import GAMES, create_game, full_agreement
from p2p304.seats import Seat
from protocol.cards.secrets import SEED_BYTES, Secrets, expand
from protocol.errors import InternalFault
from protocol.memory_table import Door, MemoryTable
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.events import Event, HandEnded
from protocol.transcript.file import hand_transcript
from protocol.wire.authenticate import open_message
from protocol.wire.charter import NONCE_BYTES, Charter, SeatEntry
from protocol.wire.identity import Seal, SigningKey
from protocol.wire.messages import Notice
from tests.bench.counting import OperationCounter
from tests.bench.figures import Figure, Part, Tell
from tests.bench.floors import OperationCosts, SignatureCosts

GAME: Final = "304"
PROFILE: Final = "pagat"
WITH_SIGNATURES: Final = "counted group operations and signatures at their cost here"
CPU_GOAL: Final = 1.38
"""Times the counted operations: 0.12 s where these take 0.087 s."""
BYTES_GOAL_KB: Final = 60.0
MOST_DEALS: Final = 20
"""For each hand that is to be played: others may be passed out, or refused."""


class TimedTable(MemoryTable):
    """Sessions that hear each other at once, with the processor's time of each seat."""

    def __init__(
        self, game: str = GAME, parameters: str = PROFILE, seed: bytes | None = None
    ) -> None:
        """Set up a table of a game under its rules, with the best bots.

        All that is drawn comes from the `seed` of 32 bytes, or is random: tables with the same
        seed send the same bytes.
        """
        draw = expand(seed or secrets.token_bytes(SEED_BYTES), b"bench")
        self.game = create_game(game, parameters)
        seats = range(self.game.seats)
        keys = [SigningKey(draw(32)) for _ in seats]
        self.charter = Charter(
            table=draw(16),
            game=game,
            profile=full_agreement(game, parameters),
            seats=tuple(
                SeatEntry(key.public, name_of(seat), draw(NONCE_BYTES))
                for seat, key in enumerate(keys)
            ),
        )
        super().__init__(
            [
                Session(
                    charter=self.charter,
                    game=self.game,
                    seat=Seat(seat),
                    key=key,
                    secrets=Secrets(draw(SEED_BYTES)),
                )
                for seat, key in enumerate(keys)
            ]
        )
        self.spent = [0.0 for _ in seats]
        self.ended: list[HandEnded] = []
        self._bots = [steady_for(self.game, seat) for seat in seats]

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

    def transcript(self, number: int) -> bytes | None:
        """Return the transcript of a hand that was dealt; None if there is none, or no longer."""
        table_state = self.sessions[0].table_state
        lanes = (LedgerName(lane, number) for lane in (Lane.DECK, Lane.HAND))
        kept = all(each in table_state.replicas for each in lanes)
        return hand_transcript(table_state, number) if kept else None


class Deal(NamedTuple):
    """What one deal cost."""

    played: bool
    """whether a card was played: a deal may be passed out or refused"""
    cpu: float
    """seconds of the processor, a seat"""
    floor: float
    """seconds that the counted operations and signatures take, a seat"""
    messages: int
    octets: int
    transcript: bytes | None


def deals(table: TimedTable, counted: TimedTable) -> Iterator[Deal]:
    """Play deal after deal at a table, which is timed, and at another of the same seed, in which
    operations are counted: counting takes time itself."""
    seats = len(table.sessions)
    number = 0
    while True:
        played = table.sessions[0].table_state.played
        cpu, sent = sum(table.spent), len(table.sent)
        table.play(number + 1)
        with OperationCounter() as count:
            counted.play(number + 1)
        if counted.sent != table.sent:
            raise InternalFault("bench", "two tables of one seed sent different messages")
        operations, signatures = OperationCosts.measured(), SignatureCosts.measured()
        new = [raw for _, raw in table.sent[sent:]]
        signed_ms = len(new) * (signatures.sign + (seats - 1) * signatures.check) / 1_000
        yield Deal(
            table.sessions[0].table_state.played > played,
            (sum(table.spent) - cpu) / seats,
            (operations.of(count) + signed_ms) / 1_000 / seats,
            len(new),
            sum(map(len, new)),
            table.transcript(number),
        )
        number += 1


class Audit(NamedTuple):
    """What one audit cost, in milliseconds."""

    cpu: float
    floor: float


def audit_of(path: Path) -> Audit:
    """Measure one audit, and what is counted in it. Raises RuntimeError if it finds a fault."""
    times = [audit_ms(str(path)) for _ in range(2)]
    operations, signatures = OperationCosts.measured(), SignatureCosts.measured()
    with OperationCounter() as count:
        audit = audit_file(str(path))
    assert audit.report is not None
    checks = audit.report.passed["signature"]
    return Audit(min(times), operations.of(count) + checks * signatures.check / 1_000)


def audit_ms(path: str) -> float:
    """Return the milliseconds of processor time of one audit. Raises RuntimeError if it finds a
    fault."""
    begun = time.process_time()
    if not audit_file(path).valid:
        raise RuntimeError("an honest hand is audited as invalid")
    return 1_000 * (time.process_time() - begun)


class Row(NamedTuple):
    """The hands of one game under one profile, each figure a median of those that were played."""

    game: str
    profile: str
    seats: int
    deals: tuple[Deal, ...]
    """all of them, the ones without play, too"""
    audits: tuple[Audit, ...]
    kinds: dict[str, tuple[int, int]]
    """how many messages of each kind, and their bytes, in all deals"""
    sealed: int
    """bytes of all deals, sealed and padded, for one receiver"""

    @property
    def played(self) -> tuple[Deal, ...]:
        """The deals in which cards were played; all of them, if none were."""
        return tuple(each for each in self.deals if each.played) or self.deals

    @property
    def title(self) -> str:
        """What is played, in a few words."""
        return f"{self.game}{f' {self.profile}' if self.profile else ''}"

    def as_json(self) -> dict[str, Any]:
        """Return rounded medians."""
        hands, audits = self.played, self.audits
        cpu, floor = median(each.cpu for each in hands), median(each.floor for each in hands)
        audit, audit_floor = (median(each[at] for each in audits) for at in (0, 1))
        return {
            "game": self.game,
            "profile": self.profile,
            "seats": self.seats,
            "deals": len(self.deals),
            "hands": sum(each.played for each in self.deals),
            "cpu_s_per_seat": round(cpu, 4),
            "cpu_over_ops": round(cpu / floor, 2),
            "messages": round(median(each.messages for each in hands)),
            "bytes": round(median(each.octets for each in hands)),
            "sealed_bytes": round(self.sealed / len(self.deals)),
            "transcript_bytes": round(median(len(each.transcript or b"") for each in hands)),
            "audit_ms": round(audit, 1),
            "audit_over_ops": round(audit / audit_floor, 2),
            "kinds": {
                name: {
                    "messages": round(number / len(self.deals), 1),
                    "bytes": round(size / len(self.deals)),
                }
                for name, (number, size) in sorted(self.kinds.items(), key=lambda each: -each[1][1])
            },
        }


def agreements() -> list[tuple[str, str]]:
    """Return every registered game with each of its profiles; "" where it has none."""
    return [(name, each) for name, entry in GAMES.items() for each in entry.profiles or ("",)]


def measure(game: str, profile: str, *, hands: int) -> Row:
    """Play so many hands, or what there is of them after many deals without play."""
    seed = secrets.token_bytes(SEED_BYTES)
    table, counted = (TimedTable(game, profile, seed) for _ in range(2))
    found: list[Deal] = []
    gc.collect()
    gc.freeze()  # as a client does before its first hand: the program is never garbage
    for deal in deals(table, counted):
        found.append(deal)
        if sum(each.played for each in found) == hands or len(found) == hands * MOST_DEALS:
            break
    gc.unfreeze()
    kinds: Counter[str] = Counter()
    octets: Counter[str] = Counter()
    sealed = 0
    seal = Seal(secrets.token_bytes(32), table.charter.table)
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        content = message.content if isinstance(message, Notice) else message.message.content
        kinds[type(content).__name__] += 1
        octets[type(content).__name__] += len(raw)
        sealed += len(seal.seal(raw, seat=0, entropy=secrets.token_bytes))
    audits = []
    with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as folder:
        path = Path(folder) / "hand.p304"
        for deal in found:
            if deal.played and deal.transcript is not None:
                path.write_bytes(deal.transcript)
                audits.append(audit_of(path))
    sizes = {name: (number, octets[name]) for name, number in kinds.items()}
    return Row(game, profile, table.game.seats, tuple(found), tuple(audits), sizes, sealed)


def hand_part(*, quick: bool, tell: Tell) -> Part:
    """Measure hands of 304 one by one, and a few of every other game and profile."""
    tell(f"hands of {GAME} {PROFILE}")
    row = measure(GAME, PROFILE, hands=5 if quick else 12)
    number = len(row.deals)
    figures = [
        *_figures("", row),
        Figure.of(
            "processor time a seat / its counted work", "", [e.cpu / e.floor for e in row.played],
            goal=CPU_GOAL,
        ),
        Figure.of("messages", "", [each.messages for each in row.played]),
        Figure.of(
            "bytes", "kB", [each.octets / 1_000 for each in row.played], goal=BYTES_GOAL_KB
        ),
        Figure.single(
            "bytes, mean of all deals", "kB",
            sum(each.octets for each in row.deals) / number / 1_000, goal=BYTES_GOAL_KB,
        ),
        Figure.single("sealed and padded, mean of all deals", "kB", row.sealed / number / 1_000),
    ]  # fmt: skip
    told = row.as_json()["kinds"]
    for kind, each in told.items():
        figures.append(Figure.single(f"{kind}, mean of all deals", "kB", each["bytes"] / 1_000))
    for game, profile in () if quick else agreements():
        if (game, profile) != (GAME, PROFILE):
            tell(f"hands of {game} {profile}".strip())
            other = measure(game, profile, hands=1)
            figures += _figures(f"{other.title}, {other.seats} seats: ", other)
    notes = (
        f"{number} deals of {GAME} under {PROFILE} by bots, {len(row.played)} of them played: the"
        " others were passed out or refused; what bots think is not in the times",
        "messages, mean of all deals: "
        + ", ".join(f"{kind} {each['messages']:.1f}" for kind, each in told.items()),
    )
    title = "A hand that is played, its sessions in one process"
    return Part("hand", title, tuple(figures), notes=notes)


def _figures(what: str, row: Row) -> list[Figure]:
    hands = row.played
    return [
        Figure.of(
            f"{what}processor time a seat", "s", [each.cpu for each in hands],
            floor=median(each.floor for each in hands), floor_is=WITH_SIGNATURES,
        ),
        Figure.of(
            f"{what}audit", "ms", [each.cpu for each in row.audits],
            floor=median(each.floor for each in row.audits), floor_is=WITH_SIGNATURES,
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    click.echo(json.dumps(measure(*sys.argv[1:], hands=1).as_json()))
