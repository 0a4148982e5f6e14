"""The record of a tournament: a set of signed pieces, which anybody may carry, add to and unite
(specs/tournament.md, 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args

from p2p304.errors import TournamentError
from p2p304.tournament.entries import FEWEST, Entry, check_entries
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.tournament.draws import CaptainsDraw, DrawMessage, draw_of, open_drawn
from protocol.tournament.pieces import (
    DrawRestart,
    EntryList,
    LineupChange,
    MatchResult,
    Piece,
    PieceContent,
    TeamEntry,
    TeamWithdrawal,
    TournamentCharter,
    open_piece,
)
from protocol.wire.envelope import Purpose
from protocol.wire.messages import table_tag

MAGIC: Final = "p2p304 tournament"
# Formats 1 to 3 were of earlier rules (10.8).
FORMAT: Final = 4
# Far above what 32 teams sign: it bounds what a stranger can make us read (10.8).
MAX_RECORD_BYTES: Final = 8_000_000
MOST_PIECES: Final = 16_384
MOST_ENTRIES: Final = 1_024
"""Signatures of entries: 32 teams of four need 128, and each key takes long to check."""
# Each restart could lead to more: 11.5 names the bound and the order.
MOST_DRAWS: Final = 1_024
OF_PLAYERS: Final = (MatchResult, TeamWithdrawal, LineupChange)
"""What a player of an entry signs, and nobody else."""

_MOST_FRAMING: Final = 3
"""Bytes before each piece in a file, at most."""
# An envelope's second byte is its purpose: it tells draws from pieces unopened.
_LEDGER: Final = bytes((Purpose.LEDGER,))
_KINDS: Final = (*get_args(PieceContent), DrawMessage)
"""All kinds of pieces in the order of a file."""

Content = TypeVar("Content")


class TournamentRecord:
    """The pieces of one tournament that are known here. Immutable; equal sets are equal records."""

    def __init__(self, charter: TournamentCharter, pieces: Iterable[Piece[Any]]) -> None:
        """Build a record of opened pieces; of several signatures with one name the lowest bytes
        are kept.
        """
        kept: dict[bytes, Piece[Any]] = {}
        for each in pieces:
            # A signer can sign one body in many ways: the lowest bytes, so that equal sets are
            # equal files (10.2).
            if each.name not in kept or each.raw < kept[each.name].raw:
                kept[each.name] = each
        self.charter = charter
        self.pieces: Mapping[bytes, Piece[Any]] = MappingProxyType(kept)

    @classmethod
    def start(cls, raw: bytes) -> TournamentRecord:
        """Return the record of a charter alone; raises MalformedMessage for another piece."""
        piece = open_piece(raw, None)
        # `open_piece` opens nothing else without a charter.
        assert isinstance(piece.content, TournamentCharter)
        return cls(piece.content, [piece])

    @classmethod
    def from_bytes(cls, data: bytes) -> TournamentRecord:
        """Return the record in a file, which has one form.

        Raises MalformedMessage `record.*`, `piece.*` and all that refuses a piece.
        """
        match decode(data, max_bytes=MAX_RECORD_BYTES):
            # Named apart from other files: its owner is told to make the tournament anew.
            case (str(magic), int(version), *_) if magic == MAGIC and 0 < version < FORMAT:
                raise MalformedMessage("record.version", "of rules that are read no more")
            case (str(magic), int(version), tuple(rows)) if rows and (magic, version) == (
                MAGIC,
                FORMAT,
            ):
                raws = [each for each in rows if type(each) is bytes]
            case _:
                raise MalformedMessage("record.format", "no record of a tournament that we read")
        # Before any signature is checked.
        if len(rows) > MOST_PIECES:
            raise MalformedMessage("record.size", f"{len(rows)} pieces")
        if len(raws) != len(rows):
            raise MalformedMessage("record.format", "a piece is bytes")
        # The charter is the first piece: without it no other can be opened.
        record = cls.start(raws[0]).with_pieces(raws[1:])
        # One form, so that equal records are equal files (10.8).
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
        # By bytes: what is here has been verified.
        held = set(self.raws)
        new = [raw for raw in raws if raw not in held]  # what is here was verified when it came
        if not new:
            return self
        opened: list[Piece[Any]] = []
        entered = {each.name for each in self.of(TeamEntry)}
        for raw in new:
            if raw[1:2] != _LEDGER:
                opened.append(open_piece(raw, self.charter))
                if isinstance(opened[-1].content, TeamEntry):
                    entered.add(opened[-1].name)
                # Inside the loop: each entry has keys that take long to check.
                if len(entered) > MOST_ENTRIES:
                    raise MalformedMessage("record.size", f"more than {MOST_ENTRIES} entries")
        grown = TournamentRecord(self.charter, (*self.pieces.values(), *opened))
        for each in opened:
            # After all were added: the entry may stand behind the result in the same file.
            if isinstance(each.content, OF_PLAYERS) and each.key not in grown._players:
                raise MalformedMessage("piece.stranger", "signed by nobody who entered")
        if not any(isinstance(e.content, TeamEntry | EntryList | DrawRestart) for e in opened):
            grown.draws = self.draws  # they follow from these alone
        # Messages of draws last: which draws there are follows from all other pieces.
        if len(opened) < len(new):
            draws = {table_tag(each.charter.digest): each for each in grown.draws}
            drawn = [open_drawn(raw, draws) for raw in new if raw[1:2] == _LEDGER]
            before = grown
            grown = TournamentRecord(self.charter, (*before.pieces.values(), *drawn))
            # They do not depend on messages, and are costly to compute.
            grown.draws = before.draws
        size = sum(len(each.raw) + _MOST_FRAMING for each in grown.pieces.values())
        # The same bounds as for a file: what is held must fit into one (10.8).
        if len(grown.pieces) > MOST_PIECES or size > MAX_RECORD_BYTES:
            raise MalformedMessage("record.size", "more pieces than a record holds")
        return grown

    def merge(self, other: TournamentRecord) -> TournamentRecord:
        """Return the union of two records of one tournament; raises `piece.tournament`."""
        if other.charter != self.charter:
            raise MalformedMessage("piece.tournament", "the records have different charters")
        # All but the charter, which both have.
        return self.with_pieces(other.raws[1:])

    def only(self, names: Iterable[bytes]) -> TournamentRecord:
        """Return the record of the pieces with these names, without those whose basis is gone.

        A result needs the entry of its signer, a draw's message the list or restart of its draw.
        """
        kept = TournamentRecord(self.charter, [self.pieces[name] for name in names])
        follows = {each.follows for each in kept.draws}
        return TournamentRecord(
            self.charter,
            [
                each
                for each in kept.pieces.values()
                # What rests on an entry, or on a draw, goes with it: a file that held it would be
                # refused (10.8).
                if not isinstance(each.content, OF_PLAYERS) or each.key in kept._players
                if not isinstance(each.content, DrawMessage) or each.content.draw.follows in follows
            ],
        )

    # --- what is there ----------------------------------------------------------------------------

    @cached_property
    def ordered(self) -> tuple[Piece[Any], ...]:
        """The pieces in their one order: by kind, then by name; a draw's messages come last."""
        return tuple(each for kind in _KINDS for each in self.of(kind))

    @cached_property
    def raws(self) -> tuple[bytes, ...]:
        """The raw pieces in that order."""
        return tuple(each.raw for each in self.ordered)

    @property
    def names(self) -> frozenset[bytes]:
        """The names of all pieces, 32 bytes each."""
        return frozenset(self.pieces)

    def of(self, kind: type[Content]) -> list[Piece[Content]]:
        """Return the pieces of a kind by name."""
        return self._by_kind.get(kind, [])

    @cached_property
    def _by_kind(self) -> dict[type, list[Piece[Any]]]:
        """The pieces of each kind, by name."""
        found: dict[type, list[Piece[Any]]] = {}
        for _, piece in sorted(self.pieces.items()):
            found.setdefault(type(piece.content), []).append(piece)
        return found

    @cached_property
    def _players(self) -> frozenset[object]:
        """The keys of all who sign an entry."""
        return frozenset(each.key for one in self.of(TeamEntry) for each in one.content.signers)

    @cached_property
    def entries(self) -> Mapping[bytes, TeamEntry]:
        """The entries that every player of theirs has signed, and the reserve, by id."""
        signed = Counter(each.id for each in self.of(TeamEntry))
        every = {each.id: each.content for each in self.of(TeamEntry)}
        # One signature missing, and it does not count: nobody is entered by others (10.5).
        whole = (name for name in sorted(every) if signed[name] == len(every[name].signers))
        return MappingProxyType({name: every[name] for name in whole})

    @property
    def standing_entries(self) -> Mapping[bytes, TeamEntry]:
        """The complete entries by id, without those that their captain replaced, or withdrew
        before the list.
        """
        before = (each.content for each in self.of(TeamWithdrawal))
        # A withdrawal before the list names the tournament in place of a draw.
        withdrawn = {each.key for each in before if each.draw == self.charter.digest}
        latest = Counter[object]()
        for each in self.entries.values():
            latest[each.captain] = max(latest[each.captain], each.serial)
        return {
            name: each
            for name, each in self.entries.items()
            if each.serial == latest[each.captain] and each.captain not in withdrawn
        }

    @property
    def lists(self) -> Mapping[bytes, EntryList]:
        """The organiser's lists of entries, by id; more than one convicts it."""
        return {each.id: each.content for each in self.of(EntryList)}

    @cached_property
    def draws(self) -> tuple[CaptainsDraw, ...]:
        """Every draw that a list and restarts lead to, with all of its entries here."""
        restarts: dict[bytes, dict[bytes, DrawRestart]] = {}
        for each in sorted(self.of(DrawRestart), key=lambda one: one.id):
            restarts.setdefault(each.content.before, {})[each.id] = each.content
        found: list[CaptainsDraw] = []
        for follows, content in self.lists.items():
            # A list whose entries are not all here, or cannot meet, leads to no draw (10.6).
            with suppress(MalformedMessage):
                if len(found) < MOST_DRAWS:
                    found.append(draw_of(self.charter, follows, self.listed(content)))
        for draw in found:  # it grows while it is walked
            for follows, restart in restarts.get(draw.follows, {}).items():
                entries = without(draw.entries, restart.absent)
                if entries and len(found) < MOST_DRAWS:
                    before = (*draw.before, draw.follows)
                    found.append(draw_of(self.charter, follows, entries, before))
        return tuple(found)

    def listed(self, content: EntryList) -> tuple[TeamEntry, ...]:
        """Return the entries of a list in its order.

        Raises MalformedMessage `list.*` if one is not here with all its signatures, or if they
        cannot meet.
        """
        # Withdrawn or replaced ones too: a list that is signed stands.
        entries = tuple(self.entries[each] for each in content.entries if each in self.entries)
        if len(entries) < len(content.entries):
            told = f"{len(entries)} of {len(content.entries)} entries are here"
            raise MalformedMessage("list.missing", told)
        check_listed(entries, self.charter)
        return entries

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TournamentRecord) and other.raws == self.raws

    def __hash__(self) -> int:
        return hash(self.raws)

    def __repr__(self) -> str:
        return f"TournamentRecord({self.charter.name!r}, {len(self.names)} pieces)"


def check_listed(entries: tuple[TeamEntry, ...], charter: TournamentCharter) -> None:
    """Return if these teams can meet in this tournament; else raise MalformedMessage `list.*`."""
    players = [player for entry in entries for player in entry.signers]
    keys = {each.key for each in players}
    if len(entries) < FEWEST:
        raise MalformedMessage("list.entries", "a tournament has two teams or more")
    if len(keys) != len(players):
        raise MalformedMessage("list.key", "one key plays in two places")
    if charter.organiser in keys:
        raise MalformedMessage("list.organiser", "the organiser's key plays")
    # Two of one name would sit at one table some day.
    if len({each.nickname for each in players}) != len(players):
        raise MalformedMessage("list.nickname", "two players have one nickname")
    try:
        check_entries([rules_entry(each) for each in entries], charter.seats)
    # The rules' own error: in a record it names a check.
    except TournamentError as error:
        raise MalformedMessage("list.entries", str(error)) from None


def rules_entry(entry: TeamEntry) -> Entry:
    """Return the entry for the rules of tournaments, in which a player's name is its key."""
    # The rules only need names that differ, and keys do.
    return Entry(entry.team, tuple(each.key.to_bytes().hex() for each in entry.players))


def without(entries: tuple[TeamEntry, ...], absent: tuple[int, ...]) -> tuple[TeamEntry, ...]:
    """Return the entries that go on after a restart without the places `absent`.

    Empty for a restart that cannot be: nobody is absent, a place is wrong or named twice, or too
    few are left.
    """
    gone = set(absent)
    left = tuple(each for place, each in enumerate(entries) if place not in gone)
    # Sets and lengths: a place named twice, or beyond the teams, leads to no draw (11.5).
    right = gone and len(gone) == len(absent) and max(gone) < len(entries)
    return left if right and len(left) >= FEWEST else ()
