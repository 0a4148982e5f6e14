"""Exchange the pieces of a record between people (specs/tournament.md, 14.3)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from contextlib import suppress
from itertools import islice
from typing import Final

from protocol.bounds import MOST_ENTERED, MOST_NAMES, MOST_OF_A_WORD, MOST_SENT
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.tournament.judge import prune
from protocol.tournament.pieces import TeamEntry, proved_word
from protocol.tournament.record import TournamentRecord

PREFIX: Final = b"T"  # neither 01, an envelope, nor "L", the lobby
PIECE: Final = 1  # the kind of a payload, its first item (14.3)
NAMES: Final = 2
# The same by somebody who has just come: it is answered by whoever has no more, too.
ASKS: Final = 3
SHORT_NAME: Final = 8  # by 14.3: 64 bits rarely meet by chance, and 1,400 names fit one payload
#: Pieces that are kept until what they rest on is here: a choice, those of two answers.
MOST_EARLY: Final = 2 * MOST_SENT
# Checks that fail for pieces that rest on one that is not here yet.
_EARLY: Final = frozenset(("piece.draw", "piece.stranger"))


class Carrier:
    """Unites one record with those of others, payload by payload; `record` is the union so far."""

    def __init__(self, record: TournamentRecord, words: tuple[str, ...] = ()) -> None:
        """Begin with `record`; others' entries are taken with a proof of one of `words`, if any."""
        self.record = record
        self._words = words
        self._asked: set[bytes] = set()  # pieces of others that we have asked for
        self._next = 0  # how many of our names we have said, of more than one payload holds
        # Raw pieces that wait for what they rest on, as an ordered set: the oldest first.
        self._early: dict[bytes, None] = {}

    def hello(self, about: bytes | None = None, *, asks: bool = False) -> bytes:
        """Return a payload with the short names of our pieces, of too many the next part with each
        call or, with `about`, the part around that name."""
        names = sorted(self._names())
        if about is None:
            start = self._next if self._next < len(names) else 0
            self._next = start + MOST_NAMES
        else:
            start = max(0, bisect_left(names, about) - MOST_NAMES // 2)
        said, rest = names[start : start + MOST_NAMES], names[start + MOST_NAMES :]
        # Empty ends mean all below, and all above: a name that neither has must lie in some part.
        first, end = said[0] if start else b"", rest[0] if rest else b""
        return PREFIX + encode((ASKS if asks else NAMES, first, end, tuple(said)))

    def add(self, *raws: bytes) -> tuple[bytes, ...]:
        """Add our own pieces to the record; return the payloads that carry them to the others."""
        self.record = self.record.with_pieces(*raws)
        return tuple(_piece(raw) for raw in raws)

    def receive(self, payload: bytes) -> tuple[bytes, ...]:
        """Take a payload from anybody, and return the payloads that answer it."""
        if payload[:1] != PREFIX:  # an envelope, or the lobby's: others read that
            return ()
        # Anybody may send anything: what does not hold is dropped (14.3).
        with suppress(MalformedMessage):
            match decode(payload[1:]):
                case (int(kind), bytes(raw)) if kind == PIECE:
                    self._take(raw)
                case (int(kind), bytes(first), bytes(end), tuple(said)) if kind in (NAMES, ASKS):
                    # No other value can be a name of ours: it is as if it were not said.
                    names = {each for each in said if type(each) is bytes}
                    answers = (*self._own_unheard(first, end, names), *self._own_lacked(names))
                    # Somebody who has just come learns so that anybody is there.
                    return answers or ((self.hello(first),) if kind == ASKS else ())
        return ()

    def _take(self, raw: bytes) -> None:
        """Add somebody else's piece, if wanted, then those that waited; raises MalformedMessage."""
        try:
            grown = self.record.with_pieces(raw)
        except MalformedMessage as error:
            if error.check in _EARLY:
                self._early[raw] = None
                # The oldest goes: strangers can send such pieces without end.
                if len(self._early) > MOST_EARLY:
                    del self._early[next(iter(self._early))]
            raise
        # Identity, not equality: comparing would encode thousands of pieces.
        if grown is self.record or not self._shows_word(grown):
            return
        grown = prune(grown, self.record)
        # A record that was full before, as from a file, may still change, but not grow.
        flooded = not grown.lists and len(grown.of(TeamEntry)) > MOST_ENTERED
        if grown == self.record or (flooded and len(grown.pieces) > len(self.record.pieces)):
            return
        self.record = grown
        # Taken out first: one that still has to wait puts itself back.
        waiting, self._early = self._early, {}
        for each in waiting:
            # One that is bad, or waits on, does not stop those behind it.
            with suppress(MalformedMessage):
                self._take(each)

    def _shows_word(self, grown: TournamentRecord) -> bool:
        """Tell whether each new entry of `grown` is listed, or proves a word of ours, if any."""
        known = {each.id: each.content for each in self.record.of(TeamEntry)}
        new = [each for each in grown.of(TeamEntry) if each.id not in known]
        if not self._words or not new:
            return True
        listed = {each for content in grown.lists.values() for each in content.entries}
        used = Counter(proved_word(each, self._words) for each in known.values())
        shown = (proved_word(each.content, self._words) for each in new if each.id not in listed)
        # An entry without a word never gets in.
        return all(each is not None and used[each] < MOST_OF_A_WORD for each in shown)

    def _names(self) -> set[bytes]:
        """Return the first SHORT_NAME bytes of the names of our pieces."""
        return {name[:SHORT_NAME] for name in self.record.pieces}

    def _own_lacked(self, names: set[bytes]) -> tuple[bytes, ...]:
        """Return our hello around the lowest of these names that we lack and have not asked for."""
        strange = names - self._names()
        # Once for each: we may refuse some that others keep, and would ask for ever.
        if strange <= self._asked:
            return ()
        about = min(strange - self._asked)
        # Bounded: invented names must not fill memory.
        self._asked = strange if len(self._asked) > MOST_NAMES else self._asked | strange
        return (self.hello(about),)

    def _own_unheard(self, first: bytes, end: bytes, names: set[bytes]) -> tuple[bytes, ...]:
        """Return payloads of our pieces in this part of short names that are not among these."""
        mine = ((each.name[:SHORT_NAME], each.raw) for each in self.record.ordered_pieces)
        found = (
            _piece(raw)
            for short, raw in mine
            # An empty end means all above (`hello`).
            if short not in names and first <= short and (not end or short < end)
        )
        return tuple(islice(found, MOST_SENT))


def is_piece(payload: bytes) -> bool:
    """Tell whether a payload, made by this module, carries a piece and not names."""
    return payload[:3] == _piece(b"")[:3]  # prefix, array of two, and the code 1


def _piece(raw: bytes) -> bytes:
    """Return the payload that carries a piece."""
    # More than MAX_BYTES: an envelope alone may have that.
    return PREFIX + encode((PIECE, raw), max_bytes=20_000)
