"""Everything that is signed in a tournament beside its draw (specs/tournament.md, 10)."""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, Final, Generic, NamedTuple, TypeVar, get_args

from p2p304.errors import TournamentError
from p2p304.seats import Seat
from p2p304.tournament import tournament as rules
from protocol import labels
from protocol.bounds import LONGEST_TEXT, MAX_NUMBER, MAX_PROFILE
from protocol.encoding import digest
from protocol.errors import LocalError, MalformedMessage
from protocol.version import PROTOCOL_VERSION, other_version
from protocol.wire.charter import NONCE_BYTES
from protocol.wire.fields import HASH, HASH_BYTES, KEY, NICKNAME
from protocol.wire.identity import Envelope, PublicKey, Purpose, SigningKey, sign
from protocol.wire.schema import (
    Binary,
    Integer,
    Items,
    Made,
    MessageTable,
    Sequence,
    Text,
    exactly,
    one_of,
)

# 128 bits: two tournaments do not draw one id. As long as the id of a table.
ID_BYTES: Final = 16
# Of a round robin: every team meets every other.
MOST_MATCHES: Final = rules.MOST * (rules.MOST - 1) // 2
# Of a name in the end of a tournament: 992 whole names would not fit into an envelope.
END_NAME_BYTES: Final = 12
_WORD_BYTES: Final = 10  # 80 bits: too many to try against a proof; 16 letters to type
T = TypeVar("T")


def by_rules(check: str, asked: Callable[..., T], *args: object) -> T:
    """Return what `asked` says of `args`; raise MalformedMessage `check` where it refuses them."""
    try:
        return asked(*args)
    except TournamentError as error:
        # The sentence alone, without the section of the rules that `str` adds.
        raise MalformedMessage(check, str(error.args[0])) from None


class RulingKind(IntEnum):
    """What a referee rules about a match of a tournament."""

    WALK_OVER = 1
    WITHDRAWN = 2
    DISQUALIFIED = 3


class TeamPlayer(NamedTuple):
    """A player of a team: key, nickname, and a nonce fresh for this tournament."""

    key: PublicKey
    nickname: str
    nonce: bytes


# What every piece but the charter begins with: its signature is for one tournament alone.
@dataclass(frozen=True, slots=True)
class _OfTournament:
    tournament: Annotated[bytes, HASH, "the digest of the tournament's charter"]


@dataclass(frozen=True, slots=True)
class AboutMatch(_OfTournament):
    """What names a draw and a match of it."""

    draw: Annotated[bytes, HASH, "the head of the draw's ledger"]
    match: Annotated[int, Integer(1, MOST_MATCHES), "number of the match"]


# Types of fields.
_SYSTEM: Final = Made(
    Text(LONGEST_TEXT),
    lambda line: by_rules("tournament.system", rules.parse_system, line),
    attrgetter("line"),
)
_PLAYER: Final = Made(Items((KEY, NICKNAME, exactly(NONCE_BYTES))), TeamPlayer._make, tuple)
_TEAM: Final = Integer(1, rules.MOST)
_MOST_PLAYERS: Final = max(rules.TEAM_SIZES.values())
_SCORE: Final = Integer(0, 99)  # no race goes further (2.1)
Byte = Annotated[int, Integer(0, 255)]
# Five rounds and the match for third place.
Profiles = Annotated[tuple[str, ...], Sequence(Text(MAX_PROFILE), 6)]
# As many referees as a table may have, which names them (12.1); as many brokers is a choice.
Referees = Annotated[tuple[PublicKey, ...], Sequence(KEY, 8)]
Brokers = Annotated[tuple[str, ...], Sequence(Text(LONGEST_TEXT), 8)]
Players = Annotated[tuple[TeamPlayer, ...], Sequence(_PLAYER, _MOST_PLAYERS)]
# One or none: there is no nil in the encoding (3.1), but an array can be empty.
Reserves = Annotated[tuple[TeamPlayer, ...], Sequence(_PLAYER, 1)]
# Empty where no words were given; TeamEntry refuses the lengths between.
Proof = Annotated[bytes, Binary(0, HASH_BYTES)]
Places = Annotated[tuple[int, ...], Sequence(Integer(0, rules.MOST - 1), rules.MOST)]
TwoTeams = Annotated[tuple[int, int], Items((_TEAM, _TEAM))]
Scores = Annotated[tuple[int, int], Items((_SCORE, _SCORE))]
Teams = Annotated[tuple[int, ...], Sequence(_TEAM, 2)]  # of one match: one of its teams, or both
# Two of each captain, and of the organiser.
Messages = Annotated[tuple[bytes, ...], Sequence(HASH, 2 * (rules.MOST + 1))]
# A result that decides a match needs two signatures.
Deciding = Annotated[tuple[bytes, ...], Sequence(exactly(END_NAME_BYTES), 2 * MOST_MATCHES)]


@dataclass(frozen=True, slots=True)
class TournamentCharter:
    """These are the rules, the referees and the organiser of this tournament."""

    version: Annotated[Byte, "of the protocol, as in a table's charter"]
    id: Annotated[bytes, exactly(ID_BYTES), "drawn for this tournament"]
    name: Annotated[str, Text(rules.LONGEST_NAME), "what it is called"]
    dates: Annotated[str, Text(LONGEST_TEXT), "when it is played, for people"]
    game: Annotated[str, Text(32), "the game's name"]  # so long a game's name may be (1.5)
    seats: Annotated[int, Integer(4, 8), "seats of a table"]
    system: Annotated[rules.System, _SYSTEM, "line of 9.2"]
    profiles: Annotated[Profiles, "one for all matches, or one for each different race, ascending"]
    organiser: Annotated[PublicKey, KEY, "who lists the entries; drawn for this tournament"]
    referees: Annotated[Referees, "whose rulings count; the organiser's, if none is named"]
    brokers: Annotated[Brokers, "where its tables meet, for people and programs"]

    def __post_init__(self) -> None:
        if self.version != PROTOCOL_VERSION:
            raise other_version(self.version, check="tournament.version")
        by_rules("tournament.name", rules.check_name, self.name, "the tournament")
        if rules.GAME.fullmatch(self.game) is None:
            raise MalformedMessage("tournament.game")
        if self.seats not in rules.TEAM_SIZES:
            raise MalformedMessage("tournament.seats", f"{self.seats} at a table")
        # Tokens that are raced for are a parameter of the game: each race may have its own text.
        if len(self.profiles) not in {1, len(self.system.lengths)}:
            raise MalformedMessage("tournament.profiles", "one, or one for each different race")
        # The place of a referee in the charter is its seat in rulings (10.3).
        if len(set(self.referees)) != len(self.referees):
            raise MalformedMessage("tournament.referees", "each key once")
        said = "".join((self.dates, *self.brokers))
        by_rules("tournament.letters", rules.check_letters, said, "the dates, or a broker,")

    @property
    def rulers(self) -> tuple[PublicKey, ...]:
        """The keys whose rulings count: the referees', or the organiser's where none is named."""
        return self.referees or (self.organiser,)

    @property
    def team_size(self) -> int:
        """How many players make a team."""
        return rules.TEAM_SIZES[self.seats]

    def profile(self, race: int) -> str:
        """Return the text of the game's parameters at the table of a match to `race`."""
        if len(self.profiles) == 1:
            return self.profiles[0]
        return self.profiles[self.system.lengths.index(race)]

    @property
    def digest(self) -> bytes:
        """32 bytes that name the tournament, and that every signature of it covers."""
        return _digest(self)

    tournament = digest  # all other pieces hold it in a field of this name


@dataclass(frozen=True, slots=True)
class TeamEntry(_OfTournament):
    """We enter as one team, in this order of seats; the first of us draws for it."""

    team: Annotated[str, Text(rules.LONGEST_NAME), "what the team is called"]
    players: Annotated[Players, "key, nickname and nonce of each player"]
    serial: Annotated[Byte, "a higher one of the same captain replaces this entry"] = 0
    reserves: Annotated[Reserves, "a reserve, or nobody"] = ()
    proof: Annotated[Proof, "of a word of the organiser (10.5), or nothing"] = b""

    def __post_init__(self) -> None:
        by_rules("tournament.name", rules.check_name, self.team, "a team")
        # How many a team has only the charter says: for that `check_listed` looks (10.6).
        if not self.players:
            raise MalformedMessage("entry.players", "nobody plays")
        # The seat of a signature is the place of its key (10.3).
        if len({each.key for each in self.signers}) != len(self.signers):
            raise MalformedMessage("entry.key", "one key in two places of a team")
        if len(self.proof) not in {0, HASH_BYTES}:
            raise MalformedMessage("entry.proof", "32 bytes, or none")

    @property
    def signers(self) -> tuple[TeamPlayer, ...]:
        """Who signs it: the players, then the reserve."""
        return (*self.players, *self.reserves)

    @property
    def captain(self) -> PublicKey:
        """The key of its first player."""
        return self.players[0].key


@dataclass(frozen=True, slots=True)
class EntryList(_OfTournament):
    """These entries take part, in this order, and no others."""

    entries: Annotated[tuple[bytes, ...], Sequence(HASH, rules.MOST), "the ids of the entries"]


@dataclass(frozen=True, slots=True)
class DrawRestart(_OfTournament):
    """These captains did not draw; the others draw again without their teams."""

    before: Annotated[bytes, HASH, "the id of the list, or of the restart before this one"]
    absent: Annotated[Places, "places, from 0, among the teams that were to draw"]


@dataclass(frozen=True, slots=True)
class MatchResult(AboutMatch):
    """Our match ended so: with this hand of this table, before the signatures of its result."""

    teams: Annotated[TwoTeams, "numbers of the entries that met, from 1, in the order of the sides"]
    table: Annotated[bytes, HASH, "the digest of its table's charter"]
    hand: Annotated[int, Integer(0, MAX_NUMBER), "number of the last hand"]
    head: Annotated[bytes, HASH, "of that hand, before the round of signatures"]
    scores: Annotated[Scores, "of each side in the race, in the order of the sides"]
    key: Annotated[PublicKey, KEY, "of the player who signs"]


@dataclass(frozen=True, slots=True)
class TournamentRuling(AboutMatch):
    """I rule this about a match; `teams` are the numbers of the entries that it goes against."""

    kind: Annotated[RulingKind, one_of(RulingKind), "1 walk-over, 2 withdrawn, 3 disqualified"]
    teams: Annotated[Teams, "numbers of entries, from 1"]
    sides: Annotated[
        Teams, "of a walk-over the numbers of both that meet, in the order of the sides"
    ] = ()


@dataclass(frozen=True, slots=True)
class DrawEnd(_OfTournament):
    """All have drawn: with these messages, of which the last one is mine."""

    follows: Annotated[
        bytes, HASH, "the id of the list, or of the restart, that the draw follows from"
    ]
    messages: Annotated[Messages, "ids of all confirmations and openings, ascending"]


@dataclass(frozen=True, slots=True)
class TournamentEnd(_OfTournament):
    """Every match is decided, by these pieces and by none that is shown later."""

    draw: Annotated[bytes, HASH, "the head of the draw's ledger"]
    pieces: Annotated[Deciding, "first bytes of the names of what decides the matches, ascending"]


@dataclass(frozen=True, slots=True)
class TeamWithdrawal(AboutMatch):
    """I withdraw the team whose captain I am; this is the first match that it does not finish."""

    key: Annotated[PublicKey, KEY, "of the captain who signs"]


@dataclass(frozen=True, slots=True)
class LineupChange(AboutMatch):
    """From this match on the reserve of our team sits in the place of this player."""

    place: Annotated[int, Integer(0, _MOST_PLAYERS - 1), "of that player in the entry"]
    captain: Annotated[PublicKey, KEY, "of the team"]
    reserve: Annotated[PublicKey, KEY, "of the reserve that its entry names"]


#: What a tournament lets whom do: each player is told before it signs an entry.
POWERS: Final = (
    "The organiser says which entries take part, may refuse any, and signs when the draw and the"
    " tournament have ended, or never does. It decides no match.",
    "What a player of each of the two teams signs decides their match, and nobody undoes it. Where"
    " they have not, a referee may let a team through, and withdraw or disqualify one; it leaves"
    " out captains who do not draw. Of several referees the one named first counts.",
    "The organiser, with a referee or where it rules, can leave out teams that did draw, as long as"
    " not all have shown their shares: their copies show that they did.",
    "Of contrary results of a match, which both teams signed, the one counts that a transcript"
    " alone bears out, else the one that the organiser's end names; until then the match is in"
    " dispute, and all that follows from it waits.",
    "Both teams of a match that was ruled may sign its result at any time, also after the end:"
    " whoever beat the team that was let through plays once more.",
)
#: Told after POWERS, where it is so.
NO_REFEREE: Final = "No referee is named: the organiser rules."

PieceContent = (
    TournamentCharter
    | TeamEntry
    | EntryList
    | DrawRestart
    | MatchResult
    | TournamentRuling
    | DrawEnd
    | TournamentEnd
    | TeamWithdrawal
    | LineupChange
)


# The code of a piece is its place in this union, from 1: the order is part of the format (10.3).
PIECES: Final = MessageTable[PieceContent](*get_args(PieceContent))


@lru_cache(maxsize=64)
def _digest(charter: TournamentCharter) -> bytes:
    """Return the digest of a charter, remembered between calls."""
    # Kept, because every piece asks for it.
    return digest(labels.TOURNAMENT, PIECES.to_bytes(charter))


Content = TypeVar("Content", covariant=True)


@dataclass(frozen=True, slots=True)
class Piece(Generic[Content]):
    """A piece with a checked signature, its `id` the same for all signers, its `name` of one."""

    content: Content
    key: PublicKey
    seat: Seat
    id: bytes
    name: bytes
    raw: bytes


def sign_piece(content: PieceContent, key: SigningKey, *, charter: TournamentCharter) -> bytes:
    """Return the raw piece, signed; raises LocalError for another's key or tournament."""
    signers = signers_of(content, charter)
    if content.tournament != charter.digest:
        raise LocalError("the piece is of another tournament")
    if key.public not in signers:
        raise LocalError(f"this key signs no such {type(content).__name__}: it is for others")
    seat, body = Seat(signers.index(key.public)), PIECES.to_bytes(content)
    return sign(key, body, purpose=Purpose.TOURNAMENT, seat=seat, charter=charter.digest).to_bytes()


def open_piece(raw: bytes, charter: TournamentCharter | None) -> Piece[PieceContent]:
    """Return the piece in any bytes, of this charter or itself one; raises MalformedMessage."""
    envelope = Envelope.from_bytes(raw, (Purpose.TOURNAMENT,))
    content = PIECES.from_bytes(envelope.body)
    if charter is None:
        if not isinstance(content, TournamentCharter):
            raise MalformedMessage("piece.charter", "a record begins with its charter")
        charter = content
    if content.tournament != charter.digest:
        raise MalformedMessage("piece.tournament", "a piece of another tournament")
    signers, seat = signers_of(content, charter), envelope.seat
    if seat >= len(signers):
        raise MalformedMessage("piece.signer", "nobody of this tournament signs so")
    # After the cheap checks: signatures take the time.
    envelope.verify(signers[seat], charter=charter.digest)
    # One body by several signers has several names (10.2).
    name = bytes((envelope.message_id[0] ^ seat,)) + envelope.message_id[1:]
    return Piece(content, signers[seat], seat, envelope.message_id, name, raw)


def signers_of(content: PieceContent, charter: TournamentCharter) -> tuple[PublicKey, ...]:
    """Return the keys that may sign such a piece, by the seats of its envelopes (10.3)."""
    match content:
        case TournamentCharter() | EntryList() | DrawEnd() | TournamentEnd():
            return (charter.organiser,)
        case TeamEntry():
            return tuple(each.key for each in content.signers)
        case DrawRestart() | TournamentRuling():
            return charter.rulers
        # They name their signer: the charter, which is all that is known here, has no players.
        case MatchResult() | TeamWithdrawal():
            return (content.key,)
        case LineupChange():
            return content.captain, content.reserve


def words_of(charter: TournamentCharter, organiser: SigningKey) -> tuple[str, ...]:
    """Return a word for each team that may enter, alike at each call (10.5)."""
    words = []
    for number in range(1, rules.MOST + 1):
        # A signature, which nobody else can make, so that words need not be kept.
        signed = organiser.sign(labels.TOURNAMENT_WORDS, charter.digest, bytes((number,)))
        words.append(b32encode(digest(labels.TOURNAMENT_WORD, signed)[:_WORD_BYTES]))
    return tuple(word.decode().lower() for word in words)  # small letters, since people type them


def prove(entry: TeamEntry, word: str) -> TeamEntry:
    """Return the entry with a proof that its author knows `word`; raises LocalError for no word."""
    if re.fullmatch("[a-z2-7]{16}", word) is None:  # so long are _WORD_BYTES in base 32
        raise LocalError("a word has 16 of the characters a-z and 2-7")
    return replace(entry, proof=_proof(entry, word))


@lru_cache(maxsize=1_024)  # each look hashes every word with the whole entry
def proved_word(entry: TeamEntry, words: tuple[str, ...]) -> int | None:
    """Return the number, from 1, of the word that an entry's proof fits; None for none."""
    shown = (number for number, word in enumerate(words, 1) if _proof(entry, word) == entry.proof)
    return next(shown, None)


def _proof(entry: TeamEntry, word: str) -> bytes:
    """Return the proof of a word for an entry, 32 bytes (10.5)."""
    # The whole entry is bound in: a proof that is seen serves for no other entry.
    body = PIECES.to_bytes(replace(entry, proof=b""))
    return digest(labels.TOURNAMENT_PROOF, word.encode(), body)
