"""A broker in memory, in virtual time, that may treat every frame as badly as a test wants.

It carries frames from each seat to all others after a short while; a weather loses, repeats and
delays them, and a censor decides for each frame and reader. Everything that was ever published is
kept, to be judged.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cli.net.transport import (
    Inbox,
    LinkState,
    LinkStatus,
    Transport,
    TransportClosedError,
    checked_frame,
)
from protocol.places import Place
from protocol.wire.identity import Envelope, Purpose, Seal
from protocol.wire.lobby import PREFIX
from protocol.wire.messages import Message, decode_body
from tests.campaigns.faults.machine import Act, Killed, Machine, Step

_CONNECTED: Final = LinkStatus(LinkState.CONNECTED, "Connected in memory.")


class Frame(NamedTuple):
    """One frame on its way: who sent it from which home, when, its bytes, and what is in it."""

    sender: int
    home: str
    at: float
    sealed: bytes
    payload: bytes


#: Seconds more that a frame takes to a reader; None loses it.
Censor = Callable[[Frame, int], float | None]


def lets_through(_frame: Frame, _reader: int) -> float | None:
    """A broker that is honest."""
    return 0.0


@dataclass
class Weather:
    """Chances of loss and repetition, and how long a frame may take."""

    loss: float = 0.0
    repeat: float = 0.0
    fastest: float = 0.001
    slowest: float = 0.01
    again: float = 0.0  #: Seconds at most until a repeated frame comes for the second time.
    censor: Censor = lets_through


@dataclass
class Hub:
    """The broker. `published` are all frames in their order, whoever heard them."""

    seal: Seal
    chance: random.Random
    weather: Weather = field(default_factory=Weather)
    published: list[Frame] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)  #: Frames that should never have been published.
    #: All envelopes that were ever signed for a place.
    bodies: dict[Place, set[bytes]] = field(default_factory=dict)
    _known: dict[bytes, Place | None] = field(default_factory=dict)
    _ends: list[SeatTransport] = field(default_factory=list)

    def transport(self, machine: Machine, seat: int) -> SeatTransport:
        """A new connection of a seat, not open yet."""
        return SeatTransport(self, machine, seat)

    def attach(self, end: SeatTransport) -> None:
        """Let it receive."""
        self._ends.append(end)

    def detach(self, end: SeatTransport) -> None:
        """Let it receive nothing more."""
        if end in self._ends:
            self._ends.remove(end)

    def carry(self, frame: Frame, sender: SeatTransport) -> None:
        """To all but the sender, each after a while of its own, or not at all."""
        self.published.append(frame)
        loop = asyncio.get_running_loop()
        for end in self._ends:
            if end is sender or self.chance.random() < self.weather.loss:
                continue
            delay = self.weather.censor(frame, end.seat)
            if delay is None:
                continue
            takes = self.chance.uniform(self.weather.fastest, self.weather.slowest)
            loop.call_later(delay + takes, end.take, frame.sealed)
            if self.chance.random() < self.weather.repeat:
                later = takes + self.chance.uniform(0.0, self.weather.again)
                loop.call_later(delay + later, end.take, frame.sealed)

    def note(self, raw: bytes) -> Place | None:
        """The place of a ledger's message, which is kept; None for anything else."""
        if raw not in self._known:
            envelope = Envelope.from_bytes(raw)
            place = None
            if envelope.purpose is Purpose.LEDGER:
                body = decode_body(envelope)
                assert isinstance(body, Message)
                place = body.place
                self.bodies.setdefault(place, set()).add(raw)
            self._known[raw] = place
        return self._known[raw]

    @property
    def signed_twice(self) -> list[Place]:
        """Places for which somebody signed two different messages."""
        return [place for place, bodies in self.bodies.items() if len(bodies) > 1]


class SeatTransport(Transport):
    """One connection of a seat's process; it dies with it."""

    def __init__(self, hub: Hub, machine: Machine, seat: int) -> None:
        super().__init__()
        self._inbox = Inbox(4_096)
        self.seat = seat
        self._hub = hub
        self._machine = machine
        self._closed = False
        self._sent: dict[bytes, int] = {}

    async def open(self, *, deadline: float = 15.0) -> None:
        """See Transport.open."""
        self._hub.attach(self)
        self._say(_CONNECTED)

    async def send(self, frame: bytes) -> None:
        """See Transport.send. What is published without being on the disk is noted."""
        if self._machine.dead:
            raise Killed
        if self._closed:
            raise TransportClosedError("The transport is closed.")
        payload = self._hub.seal.open(checked_frame(frame)).payload
        step = Step(Act.SEND, "lobby", self._machine.records)
        if payload[:1] != PREFIX:
            place = self._hub.note(payload)
            step = Step(Act.SEND, "notice", self._machine.records)
            if place is not None and place.seat == self.seat:
                step = Step(Act.SEND, "message", _rank(place))
                self._check(payload, place)
        with self._machine.step(step):
            loop = asyncio.get_running_loop()
            self._hub.carry(
                Frame(self.seat, self._machine.home.name, loop.time(), frame, payload), self
            )

    def _check(self, payload: bytes, place: Place) -> None:
        if not self._machine.has(payload):
            self._hub.wrong.append(f"{place} was published before it was on the disk")

    async def close(self, *, deadline: float = 5.0) -> None:
        """See Transport.close."""
        self.drop()
        self._say(LinkStatus(LinkState.CLOSED, "Closed."))

    def drop(self) -> None:
        """The connection is gone, as it is with a dead process."""
        self._closed = True
        self._hub.detach(self)
        self._inbox.close()
        self._statuses.close()

    def take(self, frame: bytes) -> None:
        """Receive a frame."""
        self._inbox.put(frame)


def _rank(place: Place) -> int:
    """A number of a seat's message that is the same in every life of the seat."""
    return place.ledger.lane * 10_000_000 + place.ledger.number * 10_000 + place.round
