"""The record of a tournament: a set of signed pieces, which anybody may carry, add to and unite.

Nothing in it has an order, and nothing rests on who wrote it down. What follows from it another
module says (`protocol.tournament.judge`). Specified in specs/tournament.md, 10.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from p2p304.errors import TournamentError
from p2p304.tournament.entries import FEWEST, Entry, check_entries
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.tournament.draws import CaptainsDraw, by_tag, draw_of, open_drawn
from protocol.tournament.pieces import (
    PIECES,
    DrawEnd,
    DrawRestart,
    EntryList,
    LineupChange,
    MatchResult,
    Piece,
    TeamEntry,
    TeamWithdrawal,
    TournamentCharter,
    TournamentEnd,
    TournamentRuling,
    open_charter,
    open_piece,
)
from protocol.wire.envelope import MAX_ENVELOPE_BYTES, Purpose
from protocol.wire.identity import PublicKey
from protocol.wire.messages import SignedMessage

MAGIC: Final = "p2p304 tournament"
FORMAT: Final = 3
MAX_RECORD_BYTES: Final = 8_000_000
MOST_PIECES: Final = 16_384
MOST_ENTRIES: Final = 1_024
"""Signatures of entries: 32 teams of four need 128, and each key takes long to check."""
MOST_DRAWS: Final = 1_024
OF_PLAYERS: Final = (MatchResult, TeamWithdrawal, LineupChange)
"""What a player of an entry signs, and nobody else."""

_MOST_FRAMING: Final = 3
"""Bytes before each piece in a file, at most."""
_PURPOSE: Final = 1
"""Where an envelope says what it was signed for."""


class DrawMessage(NamedTuple):
    """A message of a draw, and which draw it belongs to."""

    draw: CaptainsDraw
    signed: SignedMessage


class TournamentRecord:
    """The pieces of one tournament that are known here. Immutable; equal sets are equal records."""

    def __init__(
        self,
        charter: TournamentCharter,
        pieces: Mapping[bytes, Piece],
        said: Mapping[bytes, DrawMessage],
    ) -> None:
        """Take pieces that were opened, and messages of draws, by their names: `start` and
        `from_bytes` do so."""
        self.charter = charter
        self.pieces = MappingProxyType(pieces)
        self.said = MappingProxyType(said)

    @classmethod
    def start(cls, raw: bytes) -> TournamentRecord:
        """Return the record of a charter alone; raises MalformedMessage for another piece."""
        piece = open_charter(raw)
        assert isinstance(piece.content, TournamentCharter)
        return cls(piece.content, {piece.name: piece}, {})

    @classmethod
    def from_bytes(cls, data: bytes) -> TournamentRecord:
        """Return the record in a file, which has one form.

        Raises MalformedMessage `record.*`, `piece.*` and all that refuses a piece.
        """
        match decode(data, max_bytes=MAX_RECORD_BYTES):
            case (str(magic), int(version), *_) if (magic, version) != (MAGIC, FORMAT):
                if magic == MAGIC and 0 < version < FORMAT:
                    raise MalformedMessage("record.version", "of rules that are read no more")
                raise MalformedMessage("record.format", "no record of a tournament that we read")
            case (str(), int(), tuple(rows)) if rows:
                pass
            case _:
                raise MalformedMessage("record.format", "this is no record of a tournament")
        if len(rows) > MOST_PIECES:
            raise MalformedMessage("record.size", f"{len(rows)} pieces")
        raws = [each for each in rows if type(each) is bytes]
        if len(raws) != len(rows):
            raise MalformedMessage("record.format", "a piece is bytes")
        record = cls.start(raws[0]).with_pieces(raws[1:])
        if record.raws != tuple(raws):
            raise MalformedMessage("record.order", "pieces stand in their one order, once each")
        return record

    def to_bytes(self) -> bytes:
        """Return the file of this record."""
        return encode((MAGIC, FORMAT, self.raws), max_bytes=MAX_RECORD_BYTES)

    def with_piece(self, raw: bytes) -> TournamentRecord:
        """Return the record with one more piece, itself if it has that one.

        Raises MalformedMessage for what was not signed in this tournament, and for what rests on a
        piece that is not here yet (`piece.draw`, `piece.stranger`): it may come again later.
        """
        return self.with_pieces((raw,))

    def with_pieces(self, raws: Iterable[bytes]) -> TournamentRecord:
        """Return the record with these pieces, whatever their order; raises as `with_piece`."""
        held = set(self.raws)
        new = [raw for raw in raws if raw not in held]  # what is here was verified when it came
        if not new:
            return self
        pieces, said = dict(self.pieces), dict(self.said)
        drawn: list[bytes] = []
        results: list[Piece] = []
        entered = sum(isinstance(each.content, TeamEntry) for each in pieces.values())
        for raw in new:
            if len(raw) > MAX_ENVELOPE_BYTES or len(raw) <= _PURPOSE:
                raise MalformedMessage("envelope.size", f"{len(raw)} bytes")
            if raw[_PURPOSE] == Purpose.LEDGER:
                drawn.append(raw)
                continue
            piece = open_piece(raw, self.charter)
            if isinstance(piece.content, OF_PLAYERS):
                results.append(piece)
                continue
            before = len(pieces)
            _keep(pieces, piece)
            if isinstance(piece.content, TeamEntry):
                entered += len(pieces) - before
                if entered > MOST_ENTRIES:
                    raise MalformedMessage("record.size", f"more than {MOST_ENTRIES} entries")
        players = _players(pieces.values()) if results else frozenset()
        for piece in results:
            if piece.key not in players:
                raise MalformedMessage("piece.stranger", "signed by nobody who entered")
            _keep(pieces, piece)
        grown = TournamentRecord(self.charter, pieces, said)
        if pieces.keys() - self.pieces.keys() <= {piece.name for piece in results}:
            grown.draws = self.draws  # they follow from entries, lists and restarts alone
        draws = by_tag(grown.draws) if drawn else {}
        for raw in drawn:
            draw, signed = open_drawn(raw, draws)
            name = signed.id
            if name not in said or raw < said[name].signed.raw:
                said[name] = DrawMessage(draw, signed)
        size = sum(len(each.raw) for each in pieces.values())
        size += sum(len(each.signed.raw) for each in said.values())
        count = len(pieces) + len(said)
        if count > MOST_PIECES or size + count * _MOST_FRAMING > MAX_RECORD_BYTES:
            raise MalformedMessage("record.size", "more pieces than a record holds")
        return grown

    def merged(self, other: TournamentRecord) -> TournamentRecord:
        """Return the union of two records of one tournament; raises `piece.tournament`."""
        if other.charter != self.charter:
            raise MalformedMessage("piece.tournament", "the records have different charters")
        return self.with_pieces(other.raws[1:])

    def only(self, names: Iterable[bytes]) -> TournamentRecord:
        """Return the record of the pieces with these names, and of its charter, without what rests
        on others: results of who has not entered, messages of draws that nothing leads to."""
        wanted = set(names)
        kept = {
            name: each
            for name, each in self.pieces.items()
            if name in wanted or isinstance(each.content, TournamentCharter)
        }
        players = _players(kept.values())
        pieces = {
            name: each
            for name, each in kept.items()
            if not isinstance(each.content, OF_PLAYERS) or each.key in players
        }
        draws = {each.follows: each for each in TournamentRecord(self.charter, pieces, {}).draws}
        said = {
            name: DrawMessage(draws[each.draw.follows], each.signed)
            for name, each in self.said.items()
            if name in wanted and each.draw.follows in draws
        }
        return TournamentRecord(self.charter, pieces, said)

    # --- what is there ----------------------------------------------------------------------------

    @cached_property
    def raws(self) -> tuple[bytes, ...]:
        """The raw pieces in their one order: by kind, then by name; a draw's messages come last."""
        pieces = sorted(self.pieces.values(), key=lambda each: (_kind(each), each.name))
        said = (each.signed.raw for _, each in sorted(self.said.items()))
        return (*(each.raw for each in pieces), *said)

    @property
    def names(self) -> frozenset[bytes]:
        """The names of all pieces, 32 bytes each."""
        return frozenset((*self.pieces, *self.said))

    def raw_of(self, name: bytes) -> bytes:
        """Return the raw piece of that name; raises KeyError."""
        found = self.pieces.get(name)
        return found.raw if found is not None else self.said[name].signed.raw

    @cached_property
    def entries(self) -> Mapping[bytes, TeamEntry]:
        """The entries that every player of theirs has signed, and the reserve, by id."""
        signed: dict[bytes, set[int]] = {}
        contents: dict[bytes, TeamEntry] = {}
        for piece in self.pieces.values():
            if isinstance(piece.content, TeamEntry):
                contents[piece.id] = piece.content
                signed.setdefault(piece.id, set()).add(piece.seat)
        return MappingProxyType(
            {
                name: content
                for name, content in sorted(contents.items())
                if len(signed[name]) == len(content.signers)
            }
        )

    @property
    def standing_entries(self) -> Mapping[bytes, TeamEntry]:
        """Those of them that no later one of the same captain replaces, and that it has not
        withdrawn before the list, by id."""
        contents = (each.content for each in self.pieces.values())
        withdrawn = {
            each.key
            for each in contents
            if isinstance(each, TeamWithdrawal) and each.draw == self.charter.digest
        }
        latest: dict[PublicKey, int] = {}
        for each in self.entries.values():
            captain = each.players[0].key
            latest[captain] = max(latest.get(captain, 0), each.serial)
        return {
            name: each
            for name, each in self.entries.items()
            if each.serial == latest[each.players[0].key] and each.players[0].key not in withdrawn
        }

    @property
    def lists(self) -> Mapping[bytes, EntryList]:
        """The organiser's lists of entries, by id: there is to be one."""
        return {
            each.id: each.content
            for each in sorted(self.pieces.values(), key=lambda one: one.id)
            if isinstance(each.content, EntryList)
        }

    @cached_property
    def draws(self) -> tuple[CaptainsDraw, ...]:
        """Every draw that a list and restarts lead to, with all of its entries here."""
        return tuple(self._all_draws())

    def listed(self, content: EntryList) -> tuple[TeamEntry, ...]:
        """Return the entries of a list in its order.

        Raises MalformedMessage `list.*` if one of them is not here, signed by all of its players,
        and for entries that cannot meet: one key, name or nickname in two places.
        """
        known = self.entries
        here = sum(each in known for each in content.entries)
        if here < len(content.entries):
            told = f"{here} of {len(content.entries)} entries are here"
            raise MalformedMessage("list.missing", told)
        entries = tuple(known[each] for each in content.entries)
        check_listed(entries, self.charter)
        return entries

    def _all_draws(self) -> Iterator[CaptainsDraw]:
        restarts: dict[bytes, list[tuple[bytes, DrawRestart]]] = {}
        for piece in sorted(self.pieces.values(), key=lambda each: each.id):
            if isinstance(piece.content, DrawRestart):
                found = restarts.setdefault(piece.content.before, [])
                if all(piece.id != other for other, _ in found):  # two referees may rule alike
                    found.append((piece.id, piece.content))
        waiting: list[CaptainsDraw] = []
        for follows, content in self.lists.items():
            if len(waiting) == MOST_DRAWS:
                break
            try:
                waiting.append(draw_of(self.charter, follows, self.listed(content)))
            except MalformedMessage:
                continue
        made = 0
        while waiting:
            draw = waiting.pop(0)
            made += 1
            yield draw
            for follows, restart in restarts.get(draw.follows, ()):
                if made + len(waiting) == MOST_DRAWS:
                    break
                entries = without(draw.entries, restart.absent)
                if entries is not None:
                    before = (*draw.before, draw.follows)
                    waiting.append(draw_of(self.charter, follows, entries, before))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TournamentRecord) and other.raws == self.raws

    def __hash__(self) -> int:
        return hash(self.raws)

    def __repr__(self) -> str:
        return f"TournamentRecord({self.charter.name!r}, {len(self.names)} pieces)"


def check_listed(entries: tuple[TeamEntry, ...], charter: TournamentCharter) -> None:
    """Return if these teams can meet in this tournament.

    Raises MalformedMessage `list.*`: too few or many, teams of another size, a name, a nickname or
    a key in two places, or a key that is the organiser's.
    """
    if len(entries) < FEWEST:
        raise MalformedMessage("list.entries", "a tournament has two teams or more")
    players = [player for entry in entries for player in entry.signers]
    keys = [each.key for each in players]
    if len(set(keys)) != len(keys):
        raise MalformedMessage("list.key", "one key plays in two places")
    if charter.organiser in keys:
        raise MalformedMessage("list.organiser", "the organiser's key plays")
    if len({each.nickname for each in players}) != len(players):
        raise MalformedMessage("list.nickname", "two players have one nickname")
    try:
        check_entries([rules_entry(each) for each in entries], charter.seats)
    except TournamentError as error:
        raise MalformedMessage("list.entries", str(error)) from None


def rules_entry(entry: TeamEntry) -> Entry:
    """Return the entry as the rules of tournaments see it: players are told apart by their keys."""
    return Entry(entry.team, tuple(each.key.to_bytes().hex() for each in entry.players))


def without(
    entries: tuple[TeamEntry, ...], absent: tuple[int, ...]
) -> tuple[TeamEntry, ...] | None:
    """Return the entries that go on after a restart, None for one that cannot be: nobody is absent,
    somebody who is not there, or too few are left."""
    gone = set(absent)
    if not gone or len(gone) != len(absent) or max(gone) >= len(entries):
        return None
    left = tuple(each for place, each in enumerate(entries) if place not in gone)
    return left if len(left) >= FEWEST else None


def slot_of(piece: Piece | DrawMessage) -> tuple[Hashable, int]:
    """Return of what a signer signs few things, and of how many of them a record keeps."""
    if isinstance(piece, DrawMessage):
        place = piece.signed.place
        return ("draw", piece.draw.charter.table, place.round, place.seat), 2
    match piece.content:
        case TournamentCharter():
            return ("charter",), 1
        case TeamEntry():
            return ("entry", piece.key), 8
        case EntryList():
            return ("list",), 2
        case DrawEnd():
            return ("drawn",), 32
        case TournamentEnd():
            return ("end",), 9
        case TeamWithdrawal():
            return ("withdrawal", piece.key), 2
        case LineupChange():
            return ("lineup", piece.key), 8
        case DrawRestart():
            return ("restart", piece.seat), 32
        case MatchResult():
            return ("result", piece.key), 64
        case TournamentRuling():
            return ("ruling", piece.seat), 1_024


def _players(pieces: Iterable[Piece]) -> frozenset[PublicKey]:
    """Return the keys of all players of entries among these pieces."""
    entries = (each.content for each in pieces if isinstance(each.content, TeamEntry))
    return frozenset(player.key for entry in entries for player in entry.signers)


def _keep(pieces: dict[bytes, Piece], piece: Piece) -> None:
    """Keep a piece; of two signatures of one signer under one body, the lower bytes."""
    known = pieces.get(piece.name)
    if known is None or piece.raw < known.raw:
        pieces[piece.name] = piece


def _kind(piece: Piece) -> int:
    return PIECES.row_of(piece.content).code
