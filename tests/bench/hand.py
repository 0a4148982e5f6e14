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
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import click

from cli.auditing import audit_file
from p2p304.bots.players import steady_for
from p2p304.games import GAMES
from protocol.errors import InternalFault
from protocol.memory_table import Door
from protocol.places import Lane, LedgerName
from protocol.wire.identity import Seal
from protocol.wire.messages import open_message, room_of
from tests.bench.counting import OperationCounter, floor_of
from tests.bench.figures import Figure, Part, Tell, milliseconds
from tests.vectors.rehearsal import Rehearsal

GAME: Final = "304"
PROFILE: Final = "pagat"
WITH_SIGNATURES: Final = "counted group operations and signatures at their cost here"
CPU_GOAL: Final = 1.38  #: Times the counted operations: 0.12 s where these take 0.087 s.
#: Times the counted operations and signatures: 0.1 s where these take 0.0633 s.
AUDIT_GOAL: Final = 1.58
BYTES_GOAL_KB: Final = 60.0
MOST_DEALS: Final = 20  #: For each hand that is to be played: others may be passed out, or refused.


class TimedTable(Rehearsal):
    """Sessions that hear each other at once, with the processor's time of each seat."""

    def __init__(self, game: str = GAME, parameters: str = PROFILE, name: str = "") -> None:
        """Set up a table of a game under its rules, with players by rules of thumb.

        All that is drawn comes from the `name`, or is random: tables of the same name send the
        same bytes.
        """
        super().__init__(name or secrets.token_hex(16), game, parameters)
        self.spent = 0.0
        self._bots = [steady_for(self.game, seat) for seat in range(self.game.seats)]

    def next_action(self, seat: int) -> Any:
        """See MemoryTable.chosen."""
        session = self.sessions[seat]
        view = session.view()
        return self._bots[seat].choose(view) if session.legal_actions() and view else None

    def call(self, seat: int, door: Door) -> None:
        """See MemoryTable.call. The time is that of the session, not of what comes of it."""
        begun = time.thread_time()
        events = door(self.sessions[seat])
        self.spent += time.thread_time() - begun
        self.handle(seat, events)

    def kept(self, number: int) -> bytes | None:
        """Return the transcript of a hand that was dealt; None if there is none, or no longer."""
        lanes = (LedgerName(lane, number) for lane in (Lane.DECK, Lane.HAND))
        there = all(each in self.table_state.replicas for each in lanes)
        return self.transcript(number) if there else None


class Cost(NamedTuple):
    """What one thing took of a processor, and what the operations and signatures counted in it
    take."""

    cpu: float
    floor: float


class Deal(NamedTuple):
    """What one deal cost."""

    played: bool  #: whether a card was played: a deal may be passed out or refused
    cost: Cost  #: in seconds, a seat
    messages: int
    octets: int
    transcript: bytes | None


def deal_at(table: TimedTable, counted: TimedTable, number: int) -> Deal:
    """Play a deal at a table, which is timed, and at another of the same name, in which operations
    are counted: counting takes time itself."""
    seats, played = len(table.sessions), table.table_state.played
    cpu, sent = table.spent, len(table.sent)
    table.play(number + 1)
    with OperationCounter() as count:
        counted.play(number + 1)
    if counted.sent != table.sent:
        raise InternalFault("bench", "two tables of one name sent different messages")
    new = [raw for _, raw in table.sent[sent:]]
    work = floor_of(count, signed=len(new), checked=len(new) * (seats - 1)) / 1_000
    cost = Cost((table.spent - cpu) / seats, work / seats)
    there = table.table_state.played > played
    return Deal(there, cost, len(new), sum(map(len, new)), table.kept(number))


def audit_of(path: Path) -> Cost:
    """Measure one audit, in milliseconds. Raises RuntimeError if it finds a fault."""
    times = [milliseconds(lambda: audit_file(str(path))) for _ in range(2)]
    with OperationCounter() as count:
        audit = audit_file(str(path))
    if not audit.valid or audit.report is None:
        raise RuntimeError("an honest hand is audited as invalid")
    return Cost(min(times), floor_of(count, checked=audit.report.passed["signature"]))


class Row(NamedTuple):
    """The hands of one game under one profile."""

    seats: int
    deals: list[Deal]  #: all of them, the ones without play, too
    audits: list[Cost]
    kinds: dict[str, list[int]]  #: bytes of each message of a kind, in all deals; most bytes first
    sealed: int  #: bytes of all deals, sealed and padded, for one receiver

    @property
    def played(self) -> list[Deal]:
        """The deals in which cards were played; all of them, if none were."""
        return [each for each in self.deals if each.played] or self.deals

    def as_json(self) -> dict[str, Any]:
        """Return medians of the hands that were played."""
        hands = self.played
        return {
            "seats": self.seats,
            "hands": sum(each.played for each in self.deals),
            "cpu_s_per_seat": median(each.cost.cpu for each in hands),
            "messages": median(each.messages for each in hands),
            "transcript_bytes": median(len(each.transcript or b"") for each in hands),
            "audit_ms": median(each.cpu for each in self.audits),
        }


def agreements() -> list[tuple[str, str]]:
    """Return every registered game with each of its profiles; "" where it has none."""
    return [(name, each) for name, entry in GAMES.items() for each in entry.profiles or ("",)]


def measure(game: str, profile: str, *, hands: int) -> Row:
    """Play so many hands, or what there is of them after many deals without play."""
    name = secrets.token_hex(16)
    table, counted = (TimedTable(game, profile, name) for _ in range(2))
    found, audits = list[Deal](), list[Cost]()
    gc.collect()
    gc.freeze()  # as a client does before its first hand: the program is never garbage
    while sum(each.played for each in found) < hands and len(found) < hands * MOST_DEALS:
        found.append(deal_at(table, counted, len(found)))
    gc.unfreeze()
    kinds, sealed = defaultdict[str, list[int]](list), 0
    seal = Seal(secrets.token_bytes(32), table.charter.table)
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        content = message.content
        kinds[type(content).__name__].append(len(raw))
        room = room_of(raw, table.game)
        sealed += len(seal.seal(raw, seat=0, entropy=secrets.token_bytes, room=room))
    with tempfile.TemporaryDirectory(prefix="p2p304-bench-") as folder:
        path = Path(folder) / "hand.p304"
        for deal in found:
            if deal.played and deal.transcript is not None:
                path.write_bytes(deal.transcript)
                audits.append(audit_of(path))
    most = sorted(kinds.items(), key=lambda kind: -sum(kind[1]))
    return Row(table.game.seats, found, audits, dict(most), sealed)


def hand_part(*, quick: bool, tell: Tell) -> Part:
    """Measure hands of 304 one by one, and a few of every other game and profile."""
    tell(f"hands of {GAME} {PROFILE}")
    row = measure(GAME, PROFILE, hands=5 if quick else 12)
    hands, number = row.played, len(row.deals)

    def mean(name: str, octets: float, **more: Any) -> Figure:
        return Figure.of(f"{name}, mean of all deals", "kB", [octets / number / 1_000], **more)

    ratios = [each.cost.cpu / each.cost.floor for each in hands]
    sizes = [each.octets / 1_000 for each in hands]
    audits = [each.cpu / each.floor for each in row.audits]
    figures = [
        *_figures("", row),
        Figure.of("processor time a seat / its counted work", "", ratios, goal=CPU_GOAL),
        Figure.of("audit of a hand / its counted work", "", audits, goal=AUDIT_GOAL),
        Figure.of("messages", "", [each.messages for each in hands]),
        Figure.of("bytes", "kB", sizes, goal=BYTES_GOAL_KB),
        mean("bytes", sum(each.octets for each in row.deals), goal=BYTES_GOAL_KB),
        mean("sealed and padded", row.sealed),
        *(mean(kind, sum(sizes)) for kind, sizes in row.kinds.items()),
    ]
    for game, profile in () if quick else agreements():
        if (game, profile) != (GAME, PROFILE):
            title = f"{game} {profile}".strip()
            tell(f"hands of {title}")
            other = measure(game, profile, hands=1)
            figures += _figures(f"{title}, {other.seats} seats: ", other)
    counts = [f"{kind} {len(sizes) / number:.1f}" for kind, sizes in row.kinds.items()]
    notes = (
        f"{number} deals of {GAME} under {PROFILE} by bots, {len(hands)} of them played: the"
        " others were passed out or refused; what bots think is not in the times",
        f"messages, mean of all deals: {', '.join(counts)}",
    )
    title = "A hand that is played, its sessions in one process"
    return Part("hand", title, tuple(figures), notes=notes)


def _figures(what: str, row: Row) -> Iterator[Figure]:
    hands = [each.cost for each in row.played]
    for name, unit, costs in (("processor time a seat", "s", hands), ("audit", "ms", row.audits)):
        floor, values = median(each.floor for each in costs), [each.cpu for each in costs]
        known = {"floor": floor, "floor_is": WITH_SIGNATURES}
        yield Figure.of(f"{what}{name}", unit, values, **known)


if __name__ == "__main__":
    click.echo(json.dumps(measure(*sys.argv[1:], hands=1).as_json()))
