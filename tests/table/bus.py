"""Real sessions on a bus in memory that can drop, repeat, reorder and cut, by seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.memory_table import MemoryTable
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.seat.watcher import Watcher
from protocol.table.events import Event, HandEnded, MatchEnded, Persist, SeatBlamed
from protocol.table.replica import LedgerReplica
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter
from protocol.wire.identity import SigningKey
from tests.table.seating import charter, seeded, signing_key

Told = TypeVar("Told", bound=Event)


@dataclass
class Weather:
    """Chances of loss and repetition, and how many messages one may overtake."""

    loss: float = 0.0
    repeat: float = 0.0
    reorder: int = 0
    cut: Callable[[int, int, int], bool] = lambda step, sender, reader: False
    """Whether the way from sender to reader is cut at this step."""


@dataclass
class Chair:
    """One seat: its session, its journal, and all its events so far."""

    session: Session
    journal: list[bytes] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class Table(MemoryTable):
    """Sessions of all seats, the messages on their way, and players who choose by seed."""

    def __init__(
        self,
        game: AnyGame,
        seed: int = 0,
        weather: Weather | None = None,
        *,
        agreed: Charter | None = None,
    ) -> None:
        self.game = game
        self.seed = seed
        self.chance = random.Random(seed)
        self.weather = weather or Weather()
        self.charter: Charter = agreed or charter(game.seats, game=game.name)
        super().__init__()
        self.step = 0
        self.chairs = [Chair(self.new_session(seat)) for seat in range(game.seats)]

    def twin(self) -> Self:
        """Another table that stands where this one does, and goes on by itself: what sessions hold
        is replaced and never changed. A table that many tests begin with is played once."""
        other = copy(self)
        other.chance, other.weather = copy(self.chance), copy(self.weather)
        other.sent, other.flying = list(self.sent), list(self.flying)
        other.chairs = [
            Chair(copy(chair.session), list(chair.journal), list(chair.events))
            for chair in self.chairs
        ]
        return other

    @property
    def sessions(self) -> list[Session]:
        return [chair.session for chair in self.chairs]

    def key(self, seat: int) -> SigningKey:
        return signing_key(seat)

    def arguments(self, seat: int) -> dict[str, Any]:
        return {
            "charter": self.charter,
            "game": self.game,
            "seat": Seat(seat),
            "key": self.key(seat),
            "secrets": Secrets(seeded(f"seed {self.seed} {seat}")(32)),
        }

    def new_session(self, seat: int) -> Session:
        return Session(**self.arguments(seat))

    def restart(self, seat: int, records: int | None = None) -> None:
        """The seat dies and comes back with its journal, or with the first `records` of it."""
        chair = self.chairs[seat]
        kept = chair.journal[:records] if records is not None else list(chair.journal)
        entropy = seeded(f"restart {seat} {self.step}")
        session = Session.resume(kept, entropy=entropy, **self.arguments(seat))
        self.chairs[seat] = Chair(session, kept)
        self.handle(seat, session.tick(now=self.now))

    def handle(self, seat: int, events: list[Event]) -> None:
        chair = self.chairs[seat]
        chair.events += events
        chair.journal += [event.record for event in events if isinstance(event, Persist)]
        super().handle(seat, events)

    def publish(self, seat: int, envelope: bytes) -> None:
        self.sent.append((seat, envelope))
        for reader in range(len(self.chairs)):
            if reader == seat or self.weather.cut(self.step, seat, reader):
                continue
            if self.chance.random() < self.weather.loss:
                continue
            copies = 2 if self.chance.random() < self.weather.repeat else 1
            self.flying += [(seat, reader, envelope)] * copies

    def deliver(self) -> bool:
        """Bring one message to its reader, if one is on its way."""
        if not self.flying:
            return False
        reach = min(len(self.flying), self.weather.reorder + 1)
        self.flying.insert(0, self.flying.pop(self.chance.randrange(reach)))
        return super().deliver()

    def choose(self, seat: int) -> bool:
        """Let the seat's player act at random, if it can."""
        session = self.chairs[seat].session
        if session.status is not SessionStatus.PLAYING:
            return False
        actions = session.legal_actions()
        if not actions:
            return False
        self.act(seat, self.chance.choice(list(actions)))
        return True

    def tick(self, seconds: float = 6.0) -> None:
        """Time passes for everybody."""
        self.now += seconds
        for seat in range(len(self.chairs)):
            self.call(seat, lambda session: session.tick(now=self.now))

    def run(self, until: Callable[[], bool], *, steps: int = 20_000) -> None:
        """Deliver and play until `until`; time passes whenever nothing else can happen."""
        for _ in range(steps):
            if until():
                return
            self.step += 1
            if self.deliver():
                continue
            seats = list(range(len(self.chairs)))
            self.chance.shuffle(seats)
            if not any(self.choose(seat) for seat in seats):
                self.tick()
        raise AssertionError(f"nothing came of {steps} steps; status {self.statuses()}")

    def begun(self) -> Self:
        """This table, whose seats have confirmed its charter."""
        self.confirm()
        return self

    def played(self, hands: int = 1) -> Self:
        """This table once all have confirmed its charter and counted so many hands."""
        self.confirm()
        self.run(self.all_played(hands))
        return self

    def wait(self, seconds: float) -> None:
        """Play on until so much time has passed."""
        until = self.now + seconds
        self.run(lambda: self.now > until)

    def part(self, *seats: int, hearing: bool = False) -> None:
        """Let nothing pass from these seats, nor to them unless they are `hearing`; what was on its
        way is lost."""
        self.weather.cut = lambda step, sender, reader: (
            sender in seats or (reader in seats and not hearing)
        )
        self.flying.clear()

    def heal(self) -> None:
        """Let everything pass again."""
        self.weather.cut = Weather().cut

    def heard(self, seat: int, kind: type[Told]) -> list[Told]:
        """The events of a kind of a seat."""
        return [each for each in self.chairs[seat].events if isinstance(each, kind)]

    def watched(self) -> tuple[Watcher, list[Event]]:
        """Who has heard all that was said here, and what that told."""
        watcher = Watcher(charter=self.charter, game=self.game)
        return watcher, [event for _, raw in self.sent for event in watcher.receive(raw)]

    def hand(self, seat: int = 0) -> LedgerReplica[Any]:
        """The hand in play, or the last one, as a seat has it."""
        hand = self.sessions[seat].table_state.hand
        assert hand is not None
        return hand

    def replica(self, lane: Lane, number: int = 0, seat: int = 0) -> Any:
        """A ledger as a seat has it."""
        return self.sessions[seat].table_state.replicas[LedgerName(lane, number)]

    def statuses(self) -> list[str]:
        return [chair.session.status.name for chair in self.chairs]

    def hands(self, seat: int) -> list[HandEnded]:
        return self.heard(seat, HandEnded)

    def all_played(self, hands: int) -> Callable[[], bool]:
        return lambda: all(chair.session.table_state.counted >= hands for chair in self.chairs)

    def blamed(self) -> list[SeatBlamed]:
        return [each for seat in range(len(self.chairs)) for each in self.heard(seat, SeatBlamed)]

    def matches(self, seat: int) -> list[MatchEnded]:
        return self.heard(seat, MatchEnded)
