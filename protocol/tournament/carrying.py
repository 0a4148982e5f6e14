"""Carrying a record: two who have different pieces tell each other what they have, and the rest.

Payloads travel sealed under the tournament's key, on the topic that follows from it. Nothing in
them has authority but the pieces' own signatures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from contextlib import suppress
from typing import Final

from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.tournament.judge import pruned
from protocol.tournament.pieces import TeamEntry, proved_by
from protocol.tournament.record import TournamentRecord

PREFIX: Final = b"T"
PIECE: Final = 1
NAMES: Final = 2
ASKS: Final = 3
"""The same by somebody who has just come: it is answered by whoever has no more, too."""
SHORT_NAME: Final = 8
MOST_NAMES: Final = 1_400
"""Short names that one payload holds, of which each takes ten bytes."""
MOST_ENTERED: Final = 512
"""Pieces of entries that are taken from the others before the list: anybody can enter any keys."""
MOST_SENT: Final = 64
"""Pieces that one answer sends at most; whoever lacks more asks again."""
MOST_EARLY: Final = 2 * MOST_SENT
"""Pieces that are kept until what they rest on is here."""
MOST_OF_A_WORD: Final = 8
"""Entries that are taken from the others for one word."""
EARLY: Final = frozenset(("piece.draw", "piece.stranger"))
"""Checks that fail for such pieces."""


class Carrier:
    """Brings one record together with those of others, payload by payload."""

    def __init__(self, record: TournamentRecord, words: tuple[str, ...] = ()) -> None:
        """Bring `record` together with those of others; with `words` of an organiser, entries come
        from others only if they show one of them."""
        self.record = record
        self._words = words
        self._asked: set[bytes] = set()
        """Pieces of others that we have asked for."""
        self._next = 0
        """How many of our names we have said, of more than one payload holds."""
        self._early: dict[bytes, None] = {}
        self._numbers: dict[bytes, int | None] = {}
        """The numbers of the words that the entries of our record show, by id."""

    def hello(self, about: bytes | None = None, *, asks: bool = False) -> bytes:
        """Return a payload that says what we have: whoever has more sends it, and if it `asks`,
        whoever has the same says so.

        It tells of which part of all names it speaks; the next one is about the next part, or about
        that around one name.
        """
        names = sorted(self._names())
        if about is None:
            start = self._next if self._next < len(names) else 0
            self._next = start + MOST_NAMES
        else:
            start = max(0, bisect_left(names, about) - MOST_NAMES // 2)
        said, rest = names[start : start + MOST_NAMES], names[start + MOST_NAMES :]
        first, end = said[0] if start else b"", rest[0] if rest else b""
        return PREFIX + encode((ASKS if asks else NAMES, first, end, tuple(said)))

    def add(self, *raws: bytes) -> tuple[bytes, ...]:
        """Add our own pieces, and return the payloads that tell the others; raises
        MalformedMessage for what is no piece of this tournament."""
        self.record = self.record.with_pieces(raws)
        return tuple(_piece(raw) for raw in raws)

    def receive(self, payload: bytes) -> tuple[bytes, ...]:
        """Take a payload from anybody, and return those that answer it.

        What is malformed or of another tournament is dropped. What rests on what is not here yet
        waits for it: many answer at once, and pieces come in any order.
        """
        if payload[:1] != PREFIX:
            return ()
        try:
            match decode(payload[1:]):
                case (int(kind), bytes(raw)) if kind == PIECE:
                    self._take(raw)
                case (int(kind), bytes(first), bytes(end), tuple(said)) if kind in (NAMES, ASKS):
                    names = {each for each in said if type(each) is bytes}
                    answers = (*self._lacking(first, end, names), *self._asking(names))
                    return answers or ((self.hello(first),) if kind == ASKS else ())
        except MalformedMessage:
            pass
        return ()

    def _take(self, raw: bytes) -> None:
        """Take a piece of somebody else, then those that waited for it; the record stays the same
        one if nothing changes. Raises MalformedMessage for what is none."""
        try:
            grown = self.record.with_piece(raw)
        except MalformedMessage as error:
            if error.check in EARLY:
                self._early[raw] = None
                if len(self._early) > MOST_EARLY:
                    del self._early[next(iter(self._early))]
            raise
        if grown is self.record or not self._shows_word(grown):
            return
        grown = pruned(grown, self.record)
        flooded = not grown.lists and len(grown.of(TeamEntry)) > MOST_ENTERED
        if grown == self.record or (flooded and len(grown.names) > len(self.record.names)):
            return
        self.record = grown
        waiting, self._early = self._early, {}
        for each in waiting:
            with suppress(MalformedMessage):
                self._take(each)

    def _shows_word(self, grown: TournamentRecord) -> bool:
        """Tell whether each new entry of somebody else shows a word of ours, of which not many
        entries are here, or is listed."""
        if not self._words:
            return True
        known = {each.id: each.content for each in self.record.of(TeamEntry)}
        new = {each.id: each.content for each in grown.of(TeamEntry) if each.id not in known}
        if not new:
            return True
        self._numbers = {
            name: self._numbers[name] if name in self._numbers else self._number(entry)
            for name, entry in known.items()
        }
        listed = {each for content in grown.lists.values() for each in content.entries}
        used = Counter(self._numbers.values()).items()
        full = {None, *(number for number, times in used if times >= MOST_OF_A_WORD)}
        return all(name in listed or self._number(new[name]) not in full for name in new)

    def _number(self, entry: TeamEntry) -> int | None:
        return proved_by(entry, self._words)

    def _names(self) -> dict[bytes, bytes]:
        """Return the names of our pieces by their first bytes."""
        return {name[:SHORT_NAME]: name for name in self.record.pieces}

    def _asking(self, names: set[bytes]) -> tuple[bytes, ...]:
        """Return what we have, if somebody has what we have not and may leave soon.

        Once for each piece: some can be taken by one of us alone, and nobody is to ask for ever.
        """
        strange = names - self._names().keys()
        if strange <= self._asked:
            return ()
        about = min(strange - self._asked)
        self._asked = strange if len(self._asked) > MOST_NAMES else self._asked | strange
        return (self.hello(about),)

    def _lacking(self, first: bytes, end: bytes, names: set[bytes]) -> tuple[bytes, ...]:
        """Return what we have of a part of all names, and somebody has not."""
        lacking = {
            name
            for short, name in self._names().items()
            if short not in names and first <= short and (not end or short < end)
        }
        found = (_piece(each.raw) for each in self.record.ordered if each.name in lacking)
        return tuple(found)[:MOST_SENT]


def is_piece(payload: bytes) -> bool:
    """Tell whether a payload of ours carries a piece."""
    return payload.startswith(_OF_PIECES)


def _piece(raw: bytes) -> bytes:
    return PREFIX + encode((PIECE, raw), max_bytes=20_000)


_OF_PIECES: Final = _piece(b"")[:3]
