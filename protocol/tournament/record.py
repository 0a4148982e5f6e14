"""The record of a tournament, a set of signed pieces (specs/tournament.md, 10), with the captains'
draws in it (11), the tables of its matches (12.1), and which two pieces convict (13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar, get_args

from p2p304.seats import Seat
from p2p304.tournament.tournament import FEWEST, Entry, Match, check_entries
from protocol import labels
from protocol.bounds import MAX_RECORD_BYTES, MOST_DRAWS, MOST_ENTRIES, MOST_PIECES
from protocol.cards.secrets import Secrets
from protocol.encoding import decode, digest, encode
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.places import Lane, LedgerName, Place
from protocol.table.ledger import Fits, Origin
from protocol.table.replica import LedgerReplica
from protocol.table.setups import MatchSetup
from protocol.tournament import pieces
from protocol.tournament.pieces import Piece, TeamEntry, TournamentCharter
from protocol.wire.charter import TABLE_BYTES, Charter, SeatEntry
from protocol.wire.contents import Confirmation, LuckOpening
from protocol.wire.identity import Envelope, PublicKey, Purpose, SigningKey, derive_key
from protocol.wire.messages import Message, SignedMessage, open_ledger_message
from protocol.wire.terms import REFEREE, TOURNAMENT, Term, TournamentMatch, referees_to_value

GAME: Final = "tournament-draw"  #: No game has this name, so that nobody plays there (11.1).
# The setup of a match, which continues nothing: no digest, and seat 0 stands for nobody (11.1).
ORIGIN: Final = Origin(LedgerName(Lane.TABLE, 0), (), Seat(0))
KINDS: Final = (Confirmation, LuckOpening)  #: What is said in each round.


@dataclass(frozen=True, slots=True)
class CaptainsDraw:
    """One draw of the tournament `cup` among `entries`."""

    cup: TournamentCharter
    follows: bytes  #: The id of the list, or of the last restart.
    entries: tuple[TeamEntry, ...]
    before: tuple[bytes, ...]  #: The ids of the list and the restarts before that.
    charter: Charter  #: Of the table at which nothing but the draw is made (11.1).

    @property
    def organiser(self) -> Seat:
        """The organiser's seat, behind the captains'."""
        return Seat(len(self.entries))

    @property
    def list_id(self) -> bytes:
        """The id of the list of entries behind it, which comes before all restarts."""
        return (*self.before, self.follows)[0]

    @property
    def teams(self) -> dict[PublicKey, str]:
        """The team of each player and reserve."""
        return {player.key: each.team for each in self.entries for player in each.signers}


class DrawMessage(NamedTuple):
    """A ledger message of a draw, as the content of a record's piece, and its draw."""

    draw: CaptainsDraw
    signed: SignedMessage

    @property
    def history(self) -> tuple[Place, bytes]:
        """The message's place and the head that it continues."""
        # A captain may open its one share behind two histories, if somebody else confirmed twice.
        return self.signed.place, self.signed.previous


@dataclass(frozen=True, slots=True)
class DrawState:
    """The state of a draw: `rounds` have closed, of confirmations, then of shares; it is settled,
    with `luck`, once the organiser has named its `messages`."""

    draw: CaptainsDraw
    replica: LedgerReplica[MatchSetup]
    messages: tuple[bytes, ...]
    head: bytes
    missing: tuple[Seat, ...]
    rounds: int
    luck: bytes | None
    lineups: tuple[pieces.LineupChange, ...] = ()  #: Signed by both since, by match and id.


def draw_of(
    charter: TournamentCharter, follows: bytes, entries: tuple[TeamEntry, ...], *before: bytes
) -> CaptainsDraw:
    """Return the draw of these entries that follows a list or restart, behind those `before`."""
    table = digest(labels.TOURNAMENT_DRAW, charter.digest, follows)[:TABLE_BYTES]
    people = {f"captain {number}": each.players[0].key for number, each in enumerate(entries, 1)}
    # Numbered nicknames (11.1): a team's name may be longer than a nickname is.
    seats = tuple(
        SeatEntry(key, name, digest(labels.TOURNAMENT_NONCE, table, key.to_bytes()))
        for name, key in {**people, "organiser": charter.organiser}.items()
    )
    # No parameters: the profile names the tournament instead (11.1).
    made = Charter(table, GAME, charter.digest.hex(), seats)
    return CaptainsDraw(charter, follows, entries, before, made)


def state_of(
    draw: CaptainsDraw, said: Iterable[DrawMessage], named: tuple[bytes, ...] | None = None
) -> DrawState:
    """Return the state of a draw after those of these messages that fit, in any order; with
    `named`, ids, after those alone, and settled if just these complete it."""
    # Of several messages for one place and history the one with the lower id.
    lowest: dict[object, SignedMessage] = {}
    for each in sorted(said, key=lambda one: one.signed.id):
        if named is None or each.signed.id in named:
            lowest.setdefault(each.history, each.signed)
    replica = LedgerReplica.open(draw.charter, ORIGIN, MatchSetup(len(draw.charter.seats)))
    for _ in KINDS:  # the second round opens when the first has closed
        for signed in lowest.values():
            if isinstance(replica.ledger.offer(signed), Fits):
                # Who opens another share than it fixed has not opened its share.
                with suppress(PeerFault):
                    replica = replica.accept(signed)
        if replica.complete:
            # Without its events: nobody at this table is shown anything.
            replica = replica.close()[0]
    ledger = replica.ledger
    taken = (*(each for one in ledger.rounds for each in one), *ledger.accepted)
    messages = tuple(sorted(each.id for each in taken))
    settled = len(ledger.rounds) == len(KINDS) and messages == named
    luck, head = replica.machine.luck if settled else None, bytes(ledger.head)
    return DrawState(draw, replica, messages, head, ledger.missing, len(ledger.rounds), luck)


def contribution(state: DrawState, key: SigningKey) -> bytes | None:
    """Return the message, signed, that a draw awaits of the owner of `key`, if any."""
    draw, charter = state.draw, state.draw.charter.digest
    seat = seat_at(draw.charter, key.public.to_bytes())
    if seat is None or seat not in state.missing:
        return None
    # Last in both rounds, so that captains who stop have learned nothing (11.3).
    if seat == draw.organiser and state.missing != (seat,):
        return None
    # Only the owner of the key can make this signature, which nobody is shown.
    signed = key.sign(labels.TOURNAMENT_SEED, charter, draw.follows)
    context = state.replica.context(seat)
    secrets = Secrets(digest(labels.TOURNAMENT_SHARE, signed))
    content = state.replica.machine.contribute(context, secrets)
    message = Message(draw.charter.tag, context.place, context.previous, content)
    return message.signed(key, charter=charter).raw


def open_draw_piece(raw: bytes, draws: Mapping[bytes, CaptainsDraw]) -> Piece[DrawMessage]:
    """Return the piece in any bytes, a message of one of these draws; raises MalformedMessage."""
    body, draw = Envelope.from_bytes(raw, (Purpose.LEDGER,)).body, None
    # By the tag of its table: hundreds of draws are possible, and a signature takes long to check.
    with suppress(MalformedMessage):
        match decode(body):
            case (bytes(tag), *_):
                draw = draws.get(tag)
    if draw is None:
        raise MalformedMessage("piece.draw", "a message of no draw that is known here")
    try:
        signed = open_ledger_message(raw, draw.charter)
    except PeerFault as fault:
        raise MalformedMessage(fault.check, "a captain signed what is no message") from None
    place, content = signed.place, signed.content
    # A slice: for another round it is empty, and nothing is an instance of it.
    kinds = KINDS[place.round : place.round + 1]
    if place.ledger != ORIGIN.ledger or not isinstance(content, kinds):
        raise MalformedMessage("piece.draw", "a draw has confirmations, then shares, and no more")
    key = draw.charter.seats[place.seat].key
    # The id is the name, too: a message names its seat, so that it has one signer.
    return Piece(DrawMessage(draw, signed), key, place.seat, signed.id, signed.id, raw)


def match_charters(state: DrawState, match: Match) -> tuple[Charter, ...]:
    """Return the charters of a known match by all line-ups, the present ones first (12.1)."""
    # Two bytes, since there are up to 496 matches.
    charter, number = state.draw.cup, match.number.to_bytes(2, "big")
    # With the head of the draw: a match of a drawn-again tournament has another table.
    table = digest(labels.TOURNAMENT_TABLE, charter.digest, state.head, number)[:TABLE_BYTES]
    entries = {each.team: each for each in state.draw.entries}
    # Nobody rules at a table at which its own team plays (12.1).
    own = {each.key for team in match.teams for each in entries[team].signers}
    referees = tuple(key for key in charter.rulers if key not in own)
    tables = []
    for sides in product(*(_lineups(state, entries[team], match) for team in match.teams)):
        seats = tuple(
            SeatEntry(
                player.key,
                player.nickname,
                digest(labels.TOURNAMENT_NONCE, table, player.key.to_bytes(), player.nonce),
            )
            # One of each team in turn, so that partners sit opposite: seat 2k + s (12.1).
            for pair in zip(*sides, strict=True)
            for player in pair
        )
        # A charter with a referees' term that names nobody is refused (3.2).
        terms = (Term(REFEREE, referees_to_value(referees)),) if referees else ()
        here = Term(TOURNAMENT, TournamentMatch(charter.digest, match.number).to_value())
        profile = charter.profile(match.race)
        tables.append(Charter(table, charter.game, profile, seats, (*terms, here)))
    return tuple(tables)


def _lineups(
    state: DrawState, entry: TeamEntry, match: Match
) -> list[tuple[pieces.TeamPlayer, ...]]:
    """Return every line-up of a team, first that which holds in this match."""
    own, found = entry.players, [entry.players]
    for each in entry.reserves:
        found += [(*own[:at], each, *own[at + 1 :]) for at in range(len(own))]
    # The last change that applies: they are in the order of matches, then ids (12.1). The line-up
    # with the reserve in a place stands behind the entry's own one.
    mine = [e for e in state.lineups if e.captain == entry.captain and e.match <= match.number]
    return [found.pop(1 + mine[-1].place if mine else 0), *found]


def seat_at(charter: Charter, key: bytes) -> Seat | None:
    """Return the seat of this public key at a table, None if it has none."""
    found = (Seat(seat) for seat, each in enumerate(charter.seats) if each.key.to_bytes() == key)
    return next(found, None)


def match_key(tournament_key: bytes, table: bytes) -> bytes:
    """Return the key under which the table of a match is sealed; `table` is the table's id."""
    return derive_key(tournament_key, labels.TOURNAMENT_KEY, table)


MAGIC: Final = "p2p304 tournament"
FORMAT: Final = 4  # 1 to 3 were of earlier rules (10.8)
# What a player of an entry signs, and nobody else.
_OF_PLAYERS: Final = (pieces.MatchResult, pieces.TeamWithdrawal, pieces.LineupChange)
# From which alone follows which draws there are.
_OF_DRAWS: Final = (TeamEntry, pieces.EntryList, pieces.DrawRestart)
# An envelope's second byte is its purpose: it tells draws from pieces unopened.
_LEDGER: Final = bytes((Purpose.LEDGER,))
_KINDS: Final = (*get_args(pieces.PieceContent), DrawMessage)  #: In the order of a file.

Content = TypeVar("Content")


class TournamentRecord:
    """The pieces of one tournament that are known here. Immutable; equal sets are equal records."""

    def __init__(self, charter: TournamentCharter, found: Iterable[Piece[Any]]) -> None:
        """Keep these pieces by name; of several with one name the one with the lowest bytes."""
        kept: dict[bytes, Piece[Any]] = {}
        for each in found:
            # One body can be signed in many ways: equal sets must be equal files (10.2).
            if each.name not in kept or each.raw < kept[each.name].raw:
                kept[each.name] = each
        self.charter = charter
        self.pieces: Mapping[bytes, Piece[Any]] = MappingProxyType(kept)
        self._by_kind: dict[type, list[Piece[Any]]] = {}
        for _, each in sorted(kept.items()):
            self._by_kind.setdefault(type(each.content), []).append(each)

    @classmethod
    def start(cls, raw: bytes) -> TournamentRecord:
        """Return the record of a charter alone; raises MalformedMessage for another piece."""
        piece = pieces.open_piece(raw, None)
        assert isinstance(piece.content, TournamentCharter)  # `open_piece` saw to it
        return cls(piece.content, [piece])

    @classmethod
    def from_bytes(cls, data: bytes) -> TournamentRecord:
        """Return the record in a file; raises MalformedMessage for what is not of its one form."""
        match decode(data, max_bytes=MAX_RECORD_BYTES):
            case (str(magic), int(version), *_) if magic == MAGIC and 0 < version < FORMAT:
                raise MalformedMessage("record.version", "of rules that are read no more")
            case (magic, version, tuple(rows)) if rows and (magic, version) == (MAGIC, FORMAT):
                raws = tuple(each for each in rows if type(each) is bytes)
            case _:
                raise MalformedMessage("record.format", "no record of a tournament that we read")
        if len(rows) > MOST_PIECES:
            raise MalformedMessage("record.size", f"{len(rows)} pieces")
        if len(raws) != len(rows):
            raise MalformedMessage("record.format", "a piece is bytes")
        record = cls.start(raws[0]).with_pieces(*raws[1:])
        if record.raws != raws:
            raise MalformedMessage("record.order", "pieces stand in their one order, once each")
        return record

    def to_bytes(self) -> bytes:
        """Return the file of this record."""
        return encode((MAGIC, FORMAT, self.raws), max_bytes=MAX_RECORD_BYTES)

    def with_pieces(self, *raws: bytes) -> TournamentRecord:
        """Return the record with these pieces, itself if it has them all; raises MalformedMessage,
        `piece.draw` or `piece.stranger` for what rests on a piece that is not here."""
        held = set(self.raws)
        new = [raw for raw in raws if raw not in held]  # what is here was verified when it came
        if not new:
            return self
        opened: list[Piece[Any]] = []
        entered = {each.name for each in self.of(TeamEntry)}
        said = [raw for raw in new if raw[1:2] == _LEDGER]
        for raw in (each for each in new if each[1:2] != _LEDGER):
            opened.append(pieces.open_piece(raw, self.charter))
            if isinstance(opened[-1].content, TeamEntry):
                entered.add(opened[-1].name)
            # Inside the loop: each entry has keys that take long to check.
            if len(entered) > MOST_ENTRIES:
                raise MalformedMessage("record.size", f"more than {MOST_ENTRIES} entries")
        grown = self._grown(opened)
        # After all were added: the entry may stand behind the result in the same file.
        if any(isinstance(e.content, _OF_PLAYERS) and e.key not in grown._players for e in opened):
            raise MalformedMessage("piece.stranger", "signed by nobody who entered")
        if said:  # messages of draws last: which draws there are follows from all other pieces
            draws = {each.charter.tag: each for each in grown.draws}
            grown = grown._grown([open_draw_piece(each, draws) for each in said])
        with suppress(LocalError):
            grown.to_bytes()  # it raises for more than MAX_RECORD_BYTES (10.8)
            if len(grown.pieces) <= MOST_PIECES:
                return grown
        raise MalformedMessage("record.size", "more pieces than a record holds")

    def _grown(self, opened: list[Piece[Any]]) -> TournamentRecord:
        """Return the record with these opened pieces."""
        grown = TournamentRecord(self.charter, (*self.pieces.values(), *opened))
        if not any(isinstance(each.content, _OF_DRAWS) for each in opened):
            # The same, since none of these is new, and costly to compute: set in its cache.
            grown.draws = self.draws
        return grown

    def only(self, names: Iterable[bytes]) -> TournamentRecord:
        """Return the record of the pieces with these names, without what rests on others alone."""
        kept = TournamentRecord(self.charter, [self.pieces[name] for name in names])
        follows = {each.follows for each in kept.draws}
        left = (
            each
            for each in kept.pieces.values()
            if not isinstance(each.content, _OF_PLAYERS) or each.key in kept._players
            if not isinstance(each.content, DrawMessage) or each.content.draw.follows in follows
        )
        return TournamentRecord(self.charter, left)

    @cached_property
    def ordered_pieces(self) -> tuple[Piece[Any], ...]:
        """The pieces in their one order: by kind, then by name."""
        return tuple(each for kind in _KINDS for each in self.of(kind))

    @cached_property
    def raws(self) -> tuple[bytes, ...]:
        """The raw pieces in that order."""
        return tuple(each.raw for each in self.ordered_pieces)

    def of(self, kind: type[Content]) -> list[Piece[Content]]:
        """Return the pieces whose content is of this class, sorted by name."""
        return self._by_kind.get(kind, [])

    @cached_property
    def _players(self) -> frozenset[object]:
        """The keys of all players and reserves of entries, complete or not."""
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
        """The complete entries, by id, neither withdrawn nor replaced by a higher serial."""
        before = (each.content for each in self.of(pieces.TeamWithdrawal))
        # Before the list a withdrawal names the tournament's digest in place of a head (10.5).
        withdrawn = {each.key for each in before if each.draw == self.charter.digest}
        ascending = sorted(self.entries.values(), key=lambda each: each.serial)
        # Ascending, so that the highest serial of each captain stays.
        latest = {each.captain: each.serial for each in ascending}
        return {
            name: each
            for name, each in self.entries.items()
            if each.serial == latest[each.captain] and each.captain not in withdrawn
        }

    @property
    def lists(self) -> Mapping[bytes, pieces.EntryList]:
        """The organiser's lists of entries, by id; more than one convicts it."""
        return {each.id: each.content for each in self.of(pieces.EntryList)}

    @cached_property
    def draws(self) -> tuple[CaptainsDraw, ...]:
        """Every draw that a list and restarts lead to, with all of its entries here."""
        restarts: dict[bytes, dict[bytes, pieces.DrawRestart]] = {}
        for each in sorted(self.of(pieces.DrawRestart), key=lambda one: one.id):
            restarts.setdefault(each.content.before, {})[each.id] = each.content
        found: list[CaptainsDraw] = []
        for follows, content in self.lists.items():
            # A list whose entries are not all here, or cannot meet, leads to no draw (10.6).
            with suppress(MalformedMessage):
                if len(found) < MOST_DRAWS:
                    found.append(draw_of(self.charter, follows, self.listed_entries(content)))
        # Breadth first: the bound is met in one order by every reader (11.5).
        for draw in found:  # it grows while it is walked
            for follows, restart in restarts.get(draw.follows, {}).items():
                entries = without(draw.entries, restart.absent)
                if entries and len(found) < MOST_DRAWS:
                    before = (*draw.before, draw.follows)
                    found.append(draw_of(self.charter, follows, entries, *before))
        return tuple(found)

    def listed_entries(self, content: pieces.EntryList) -> tuple[TeamEntry, ...]:
        """Return the entries of a list in order; raises MalformedMessage `list.*` for no such."""
        # Withdrawn or replaced ones too: a list that is signed stands.
        entries = tuple(self.entries[each] for each in content.entries if each in self.entries)
        if len(entries) < len(content.entries):
            told = f"{len(entries)} of {len(content.entries)} entries are here"
            raise MalformedMessage("list.missing", told)
        check_listed(entries, self.charter)
        return entries

    def __eq__(self, other: object) -> bool:
        """Tell whether `other` is a record of the same raw pieces."""
        return isinstance(other, TournamentRecord) and other.raws == self.raws

    def __hash__(self) -> int:
        """Return a hash of the raw pieces."""
        return hash(self.raws)


def check_listed(entries: tuple[TeamEntry, ...], charter: TournamentCharter) -> None:
    """Raise MalformedMessage `list.*` unless these teams can meet in this tournament (10.6)."""
    players = [player for entry in entries for player in entry.signers]
    keys = {each.key for each in players}
    if len(keys) != len(players):  # a draw and a match are tables, at which each key has one seat
        raise MalformedMessage("list.key", "one key plays in two places")
    if charter.organiser in keys:  # it has a seat of its own in the draw (11.1)
        raise MalformedMessage("list.organiser", "the organiser's key plays")
    # `check_entries` looks at names, which are keys here: people are told apart by nicknames.
    if len({each.nickname for each in players}) != len(players):
        raise MalformedMessage("list.nickname", "two players have one nickname")
    named = [rules_entry(each) for each in entries]
    pieces.by_rules("list.entries", check_entries, named, charter.seats)


def rules_entry(entry: TeamEntry) -> Entry:
    """Return the entry for the rules; a player is named there by its key in hexadecimal."""
    return Entry(entry.team, tuple(each.key.to_bytes().hex() for each in entry.players))


def without(entries: tuple[TeamEntry, ...], absent: tuple[int, ...]) -> tuple[TeamEntry, ...]:
    """Return the entries without those at these places; none if that is no draw (11.5)."""
    left = tuple(each for place, each in enumerate(entries) if place not in absent)
    # Not right: nobody is absent, a place is named twice, or is none.
    right = absent and len(left) + len(absent) == len(entries)
    return left if right and len(left) >= FEWEST else ()


BEHIND: Final = "result.behind"  # it needs the bracket of a draw, which `judge` knows
MEANINGS: Final[Mapping[str, str]] = {
    "list.twice": "the organiser signed two lists of entries",
    "restart.twice": "a referee restarted one draw in two ways",
    "draw.equivocation": (
        "a captain, or the organiser, signed two messages for one place of a draw, behind the same"
        " head"
    ),
    "draw.abandoned": "the organiser opened its share in two draws of one list",
    "draw.twice": "the organiser ended one draw in two ways",
    "result.twice": "a player signed two results of one match between two teams",
    BEHIND: "a player signed that its team lost a match, and a result of one behind it",
    "ruling.twice": "a referee ruled two things about one point",
    "end.twice": "the organiser ended one tournament in two ways",
}


@dataclass(frozen=True, slots=True)
class TournamentConviction:
    """Two raw pieces by which a key convicts itself, and the check, a name in MEANINGS."""

    check: str
    key: PublicKey
    first: bytes
    second: bytes

    @classmethod
    def by(cls, check: str, first: Piece[Any], second: Piece[Any]) -> TournamentConviction:
        """Return the conviction of `check` by two pieces of one signer."""
        return cls(check, first.key, first.raw, second.raw)


def convictions_in(record: TournamentRecord) -> tuple[TournamentConviction, ...]:
    """Return what two pieces convict of without the bracket of a draw, once for each point."""
    said: dict[tuple[str, object], dict[bytes, Piece[Any]]] = {}
    for _, piece in sorted(record.pieces.items()):
        for check, about, what in _points(piece):
            said.setdefault((check, about), {}).setdefault(what, piece)
    return tuple(
        TournamentConviction.by(check, *[*each.values()][:2])
        for (check, _), each in said.items()
        if len(each) > 1
    )


def _points(piece: Piece[Any]) -> Iterator[tuple[str, object, bytes]]:
    """Yield the checks of a piece, each with what may be said once, and what the piece says."""
    match piece.content:
        case pieces.EntryList():
            yield "list.twice", (), piece.id
        case pieces.DrawRestart(before=before):
            yield "restart.twice", (piece.key, before), piece.id
        case pieces.DrawEnd(follows=follows):
            yield "draw.twice", follows, piece.id
        case DrawMessage(draw, signed) as message:
            yield "draw.equivocation", (draw.follows, message.history), piece.id
            # Its share: what it confirms changes nothing (11.6).
            if signed.place.seat == draw.organiser and signed.place.round:
                yield "draw.abandoned", draw.list_id, draw.follows
        # With the teams: after a late result the match may be played anew by another pair (12.4).
        case pieces.MatchResult(draw=draw, match=match, teams=teams):
            yield "result.twice", (piece.key, draw, match, teams), piece.id
        case pieces.TournamentRuling(draw=draw, match=match, kind=kind, teams=teams, sides=sides):
            # A team leaves once; a walk-over is of one match between two teams.
            about = (match, *sides) if kind is pieces.RulingKind.WALK_OVER else ("leaves", *teams)
            yield "ruling.twice", (piece.key, draw, *about), piece.id
