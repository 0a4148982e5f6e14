"""What a seat can say under its own good signature, at every moment of a hand."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import NamedTuple

from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.group import plain_curve, point, scalar
from protocol.proofs import relation, sigma, sponge
from protocol.seat.session import Session
from protocol.table.events import SeatBlamed, SeatSuspected, SessionStopped
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.wire import edwards
from protocol.wire.identity import Envelope, Purpose, sign
from tests.campaigns.fuzz.target import Target, demand
from tests.table.bus import signing_key
from tests.table.test_same_cards import SteadyTable

VICTIM = 0
SEED = 11


class Moment(NamedTuple):
    """The victim before a message, the message, and the time."""

    session: Session
    raw: bytes
    now: float


class Watched(SteadyTable):
    """A table that remembers every moment at which the victim heard something."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []
        super().__init__(Game304(named_profile("pagat", ())), SEED)

    def choose(self, seat: int) -> bool:
        """The first bid that anybody can make is made: a hand that all pass teaches little."""
        session = self.sessions[seat]
        bids = [each for each in session.legal_actions() if type(each).__name__ == "PlaceBid"]
        if bids and not any(b"bid" in raw for _, raw in self.sent):
            self.act(seat, bids[0])
            return True
        return super().choose(seat)

    def deliver(self) -> bool:
        """See Table.deliver."""
        if self.flying and self.flying[0][1] == VICTIM:
            session = copy(self.sessions[VICTIM])
            self.moments.append(Moment(session, self.flying[0][2], self.now))
        return super().deliver()


@cache
def _played() -> Watched:
    """A hand, with every moment at which the victim heard something."""
    return Watched().played()


_convicted: set[str] = set()


def check_session(data: bytes) -> None:
    """Whatever a seat signs, events come of it, and nobody but that seat is blamed.

    The first two bytes choose the moment, the rest what becomes of the message that came then.
    """
    if len(data) < 4:
        return
    table = _played()
    moment = table.moments[int.from_bytes(data[:2], "big") % len(table.moments)]
    envelope = Envelope.from_bytes(moment.raw)
    purpose = Purpose(1 + data[2] % 2) if data[2] > 200 else envelope.purpose
    try:
        body = _changed(envelope.body, data[2], data[3:])
        forged = sign(
            signing_key(envelope.seat), body, purpose=purpose, seat=envelope.seat,
            charter=table.charter.digest
        ).to_bytes()  # fmt: skip
    except LocalError:
        return
    session = copy(moment.session)
    events = session.receive(forged, now=moment.now)
    events += session.tick(now=moment.now + 10)
    for event in events:
        demand(not isinstance(event, SeatSuspected | SessionStopped), f"{type(event).__name__}")
        if isinstance(event, SeatBlamed):
            demand(event.seat == envelope.seat, "nobody but the signer is blamed")
            demand(forged != moment.raw, "an honest message is not blamed")
            if event.check not in _convicted:  # it is slow, so once for each check
                _convicted.add(event.check)
                conviction = check_evidence(evidence_from_bytes(event.evidence), table.game)
                demand(conviction == (event.seat, event.check), "a stranger convicts the same")


def _changed(body: bytes, how: int, what: bytes) -> bytes:
    """The body with bytes replaced, or with another value in one place of its structure."""
    if how % 4 == 0:
        at = what[0] * len(body) // 256
        return body[:at] + what[2:] + body[at + what[1 % len(what)] % 8 :]
    try:
        return encode(_revalued(decode(body), list(what)))
    except MalformedMessage:
        return body


def _revalued(value: Value, what: list[int]) -> Value:
    """The value with a change that these bytes spell: down into arrays, then something else."""
    first = what.pop(0) if what else 0
    if type(value) is tuple and value and first % 8:
        at = first % len(value)
        return (*value[:at], _revalued(value[at], what), *value[at + 1 :])
    rest = bytes(what)
    match (first // 8) % 8:
        case 0 if type(value) is int:
            return value + (first % 3 - 1 or 1)
        case 0 | 1 if type(value) is bytes and value:
            at = (what[0] if what else 0) * len(value) // 256
            return value[:at] + bytes((value[at] ^ 1,)) + value[at + 1 :]
        case 2 if type(value) is tuple:
            return (*value, *value[:1]) if first % 2 else value[:-1]
        case 3:
            return rest.decode("latin-1")
        case 4:
            return int.from_bytes(rest[:8], "big")
        case 5:
            return rest
        case 6:
            return ()
        case _:
            return value


def _seeds() -> list[bytes]:
    return [
        bytes((number, 17 * number % 256, how, 7, 1, 0, 9))
        for number in range(0, 250, 12)
        for how in (0, 1)
    ]


PROVEN = (plain_curve, point, scalar, sponge, relation, sigma, edwards)
TARGETS = (
    Target("session", check_session, _seeds, 96, 200, tuple(each.__name__ for each in PROVEN)),
)
