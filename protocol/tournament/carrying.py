"""Carrying a record: two who have different pieces tell each other what they have, and the rest.

Payloads travel sealed under the tournament's key, on the topic that follows from it. Nothing in
them has authority but the pieces' own signatures.
"""

from __future__ import annotations

from typing import Final

from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.tournament.judge import pruned
from protocol.tournament.record import TournamentRecord

PREFIX: Final = b"T"
PIECE: Final = 1
NAMES: Final = 2
SHORT_NAME: Final = 8
MOST_NAMES: Final = 1_400
"""Short names that one payload holds, of which each takes ten bytes."""
MOST_SENT: Final = 64
"""Pieces that one answer sends at most; whoever lacks more asks again."""


class Carrier:
    """Brings one record together with those of others, payload by payload."""

    def __init__(self, record: TournamentRecord) -> None:
        self.record = record
        self._asked: set[bytes] = set()
        """Pieces of others that we have asked for."""

    def hello(self) -> bytes:
        """Return the payload that says what we have: whoever has more sends it."""
        names = sorted(name[:SHORT_NAME] for name in self.record.names)[:MOST_NAMES]
        return PREFIX + encode((NAMES, tuple(names)))

    def add(self, *raws: bytes) -> tuple[bytes, ...]:
        """Add our own pieces, and return the payloads that tell the others; raises
        MalformedMessage for what is no piece of this tournament."""
        for raw in raws:
            self.record = self.record.with_piece(raw)
        return tuple(_piece(raw) for raw in raws)

    def receive(self, payload: bytes) -> tuple[bytes, ...]:
        """Take a payload from anybody, and return those that answer it.

        What is malformed, of another tournament, or rests on what is not here yet is dropped: it
        comes again when somebody hears what we have.
        """
        if payload[:1] != PREFIX:
            return ()
        try:
            match decode(payload[1:]):
                case (int(kind), bytes(raw)) if kind == PIECE:
                    self.record = pruned(self.record.with_piece(raw))
                    return ()
                case (int(kind), tuple(names)) if kind == NAMES:
                    return (*self._lacking(names), *self._asking(names))
                case _:
                    return ()
        except MalformedMessage:
            return ()

    def _asking(self, names: tuple[object, ...]) -> tuple[bytes, ...]:
        """Return what we have, if somebody has what we have not and may leave soon.

        Once for each piece: some can be taken by one of us alone, and nobody is to ask for ever.
        """
        mine = {name[:SHORT_NAME] for name in self.record.names}
        strange = {each for each in names if type(each) is bytes and each not in mine}
        if strange <= self._asked:
            return ()
        self._asked = strange if len(self._asked) > MOST_NAMES else self._asked | strange
        return (self.hello(),)

    def _lacking(self, names: tuple[object, ...]) -> tuple[bytes, ...]:
        theirs = {each for each in names if type(each) is bytes}
        if len(names) >= MOST_NAMES:  # they have more than they can say
            return ()
        record = self.record
        mine = {name[:SHORT_NAME]: name for name in record.names}
        raws = {record.raw_of(name) for short, name in mine.items() if short not in theirs}
        return tuple(_piece(raw) for raw in record.raws if raw in raws)[:MOST_SENT]


def _piece(raw: bytes) -> bytes:
    return PREFIX + encode((PIECE, raw), max_bytes=20_000)
