"""Hands that were recorded once: whose turn it was, what was chosen, and what became of it.

All that a seat draws comes from a seed, so that a hand which is played again through the doors of
sessions must give the same bytes.

    python -m tests.table.recorded_hands            plays all again, and compares
    python -m tests.table.recorded_hands 4 7        plays the tables with these seeds again
    python -m tests.table.recorded_hands --write    records other hands

Hands are recorded anew for a change of protocol alone, and it says so.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import click

from p2p304.bots.players import random_player_for, steady_for
from p2p304.game import AnyGame
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.audit.transcript import hand_transcript
from protocol.cards.secrets import SEED_BYTES, Secrets
from protocol.memory_table import MemoryTable
from protocol.seat.commands import Confirm
from protocol.seat.session import Session
from tests.remembered import remember_points, remember_signatures
from tests.table.seating import charter, seeded, signing_key

FILE: Final = Path(__file__).with_name("recorded_hands.json")
CONFIRM: Final = "confirm"
TABLES: Final = 84
"""Tables of one hand, but for each fifth, which plays two: a hundred hands."""

KINDS: Final = (
    ("304", "pagat"),
    ("304", "card304"),
    ("304", "card304-alpha"),
    ("304", "wikipedia"),
    ("304", "championship"),
    ("304", "pagat; +caps_hidden_call; +pre_show; +redeal_private"),
    ("41", ""),
    ("400", ""),
    ("41", "floor_12"),
)


@dataclass(frozen=True)
class Recorded:
    """One table: its seed, what is played, who chose what, and what every seat then had."""

    seed: int
    game: str
    agreement: str
    hands: int
    actions: tuple[str, ...]
    """Seat and choice, in their order."""
    transcripts: tuple[str, ...]
    """Of each hand, SHA-256 of the transcript as the seats write it, all four alike."""
    published: str
    """SHA-256 of all that each seat published, sorted by bytes, one seat after the other."""


class RecordingTable(MemoryTable):
    """Sessions that hear each other at once, and whose choices are written down."""

    def __init__(self, seed: int, game: str, agreement: str) -> None:
        full = full_agreement(game, agreement)
        self.game: AnyGame = agreed_game(game, full)
        agreed = charter(self.game.seats, table=f"recorded {seed}", game=game, profile=full)
        super().__init__(
            [
                Session(
                    charter=agreed,
                    game=self.game,
                    seat=Seat(seat),
                    key=signing_key(seat, f"recorded {seed}"),
                    secrets=Secrets(seeded(f"recorded {seed} {seat}")(SEED_BYTES)),
                )
                for seat in range(self.game.seats)
            ]
        )
        self.actions: list[str] = []

    def choose(self, seat: int, choice: str) -> None:
        """Let a seat choose, then deliver what comes of it."""
        self.actions.append(f"{seat} {choice}")
        self.act(seat, Confirm() if choice == CONFIRM else self.game.parse_action(choice))
        self.deliver_all()

    def counted(self) -> int:
        """Hands that every seat has counted."""
        return min(session.table_state.counted for session in self.sessions)

    def transcripts(self, hands: int) -> tuple[str, ...]:
        """The digest of each hand's transcript, which must be that of every seat."""
        found = []
        for hand in range(hands):
            (one,) = {
                sha256(hand_transcript(session.table_state, hand)).hexdigest()
                for session in self.sessions
            }
            found.append(one)
        return tuple(found)

    def published(self) -> str:
        """The digest of all that was published."""
        hasher = sha256()
        for _, raw in sorted(self.sent):
            hasher.update(raw)
        return hasher.hexdigest()


def record(seed: int, game: str, agreement: str, hands: int) -> Recorded:
    """Play hands that nobody has played before, half of them with the best bots."""
    table = RecordingTable(seed, game, agreement)
    make = steady_for if seed % 2 else random_player_for
    players: list[Any] = [make(table.game, 4 * seed + seat) for seat in range(table.game.seats)]
    chance = random.Random(seed)
    for seat in range(table.game.seats):
        table.choose(seat, CONFIRM)
    while table.counted() < hands:
        ready = [seat for seat, each in enumerate(table.sessions) if each.legal_actions()]
        seat = chance.choice(ready)
        chosen = players[seat].choose(table.sessions[seat].view())
        table.choose(seat, table.game.format_action(chosen))
    return _recorded(table, seed, game, agreement, hands)


def play_again(recorded: Recorded) -> Recorded:
    """Play a recorded table again, by its seed and its actions; what comes of it is recorded."""
    seed, game, agreement, hands = (
        recorded.seed,
        recorded.game,
        recorded.agreement,
        recorded.hands,
    )
    table = RecordingTable(seed, game, agreement)
    for action in recorded.actions:
        seat, choice = action.split(" ", 1)
        table.choose(int(seat), choice)
    return _recorded(table, seed, game, agreement, hands)


def _recorded(table: RecordingTable, seed: int, game: str, agreement: str, hands: int) -> Recorded:
    return Recorded(
        seed,
        game,
        agreement,
        hands,
        tuple(table.actions),
        table.transcripts(hands),
        table.published(),
    )


def recorded_hands() -> tuple[Recorded, ...]:
    """All recorded tables, in their order."""
    rows = json.loads(FILE.read_text())
    return tuple(
        Recorded(
            row["seed"],
            row["game"],
            row["agreement"],
            row["hands"],
            tuple(row["actions"]),
            tuple(row["transcripts"]),
            row["published"],
        )
        for row in rows
    )


def _all_anew() -> Iterator[Recorded]:
    for seed in range(TABLES):
        game, agreement = KINDS[seed % len(KINDS)]
        yield record(seed, game, agreement, 2 if seed % 5 == 4 else 1)


def main() -> int:
    """Play tables again, and tell which give other bytes; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="*", type=int, help="of the tables; all if none is named")
    parser.add_argument("--write", action="store_true", help="record other hands")
    chosen = parser.parse_args()
    if chosen.write:
        rows = [json.dumps(asdict(each)) for each in _all_anew()]
        FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n")
        return 0
    remember_points()
    remember_signatures()
    tables = [each for each in recorded_hands() if each.seed in (chosen.seeds or range(TABLES))]
    differ = 0
    for each in tables:
        same = play_again(each) == each
        differ += not same
        told = f"{each.seed} {each.game} {each.agreement}".strip()
        click.echo(f"{told}: {'the same' if same else 'OTHER'} bytes")
    click.echo(
        f"{len(tables)} tables, {sum(each.hands for each in tables)} hands,"
        f" {sum(len(each.actions) for each in tables)} choices: {differ} give other bytes"
        f" ({time.process_time():.0f} s of the processor)"
    )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
