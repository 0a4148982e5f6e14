"""What a tournament's people, its files and its topic may say: records, pieces, payloads."""

from __future__ import annotations

from functools import cache

from p2p304.seats import Seat
from protocol.errors import MalformedMessage
from protocol.tournament.carrying import PREFIX, Carrier
from protocol.tournament.judge import judge, prune
from protocol.tournament.pieces import RulingKind
from protocol.tournament.record import TournamentRecord
from protocol.wire.identity import Purpose, SigningKey, sign
from tests.campaigns.fuzz.target import Target, demand
from tests.table.championship import ORGANISER, REFEREE, Championship, player_key

_BODY = 67
_REFUSALS = (
    "record", "piece", "tournament", "entry", "list", "envelope", "signature", "encoding", "schema",
    "key", "charter",
)  # fmt: skip
SIGNERS: tuple[tuple[SigningKey, int], ...] = (
    (ORGANISER, 0), (REFEREE, 0), (player_key(0, 0), 0), (player_key(0, 1), 1),
    (player_key(1, 0), 0), (player_key(0, 0), 2),
)  # fmt: skip

_SIGNER_OF = (0, 0, 2, 0, 1, 2, 1, 0, 0, 2)  #: Who may sign a piece of each kind, by its code.


@cache
def _cup() -> Championship:
    """Three teams that have drawn, one match played and one ruled."""
    cup = Championship(3).drawn()
    cup.play(1)
    cup.ruled(2, RulingKind.WITHDRAWN, cup.match(2).teams[0])
    return cup


def check_record(data: bytes) -> None:
    """A file is a record, written as it was read, whose standing is a text, or it is refused.

    The first byte chooses: a file; a body that somebody of the tournament signs; a payload.
    """
    how, rest = data[:1], data[1:]
    if how == b"\0":
        record = _read(rest)
        if record is not None:
            demand(record.to_bytes() == rest, "a record is written as it was read")
            _judged(record)
    elif how == b"\1":
        _signed(rest)
    else:
        carrier = Carrier(_cup().record)
        answers = carrier.receive(PREFIX + rest)
        demand(len(answers) <= 65, "an answer is bounded")
        demand(all(len(each) < 16_000 for each in answers), "an answer fits a frame")
        _judged(carrier.record)


def _signed(data: bytes) -> None:
    """Whatever people sign under their keys, all that counted without it is still judged."""
    if len(data) < 3:
        return
    key, seat = SIGNERS[data[0] % len(SIGNERS)]
    purpose = Purpose(1 + data[1] % len(Purpose))
    record = _cup().record
    signed = sign(key, data[2:], purpose=purpose, seat=Seat(seat), charter=record.charter.digest)
    try:
        grown = record.with_pieces(signed.to_bytes())
    except MalformedMessage as error:
        demand(error.check.split(".")[0] in _REFUSALS, f"refused by {error.check}")
        return
    before, after = judge(record), judge(grown)
    demand(after.head == before.head, "one piece undoes no draw")
    _judged(grown)


def _read(data: bytes) -> TournamentRecord | None:
    try:
        return TournamentRecord.from_bytes(data)
    except MalformedMessage as error:
        demand(error.check.split(".")[0] in _REFUSALS, f"refused by {error.check}")
        return None


def _judged(record: TournamentRecord) -> None:
    judged = judge(record)
    kept = prune(record)
    demand(judge(kept).tournament == judged.tournament, "what counts is kept")
    demand(prune(kept) == kept, "what is kept stays")
    demand(TournamentRecord.from_bytes(kept.to_bytes()) == kept, "what is kept reads back")


def _seeds() -> list[bytes]:
    cup = _cup()
    raws = cup.record.raws
    seeds = [b"\0" + cup.record.to_bytes(), b"\2" + Carrier(cup.record).hello()[1:]]
    entered = Championship(2)
    entered.entered()
    seeds.append(b"\0" + entered.record.to_bytes())
    for raw in raws:
        if raw[1] == Purpose.TOURNAMENT:
            seeds.append(b"\1" + bytes((_SIGNER_OF[raw[_BODY + 1]], 2)) + raw[_BODY:])
    seeds += [b"\1" + bytes((at, 2)) + raws[-1][_BODY:] for at in range(2)]
    return seeds


TARGETS = (Target("record", check_record, _seeds, 6_000, sample=150),)
