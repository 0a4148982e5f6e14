"""The charter: what a table agreed on before the first card, and the root of all its ledgers."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from p2p304.names import FORBIDDEN, SPACES
from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import MAX_GAME, MAX_NAME, MAX_PROFILE, MAX_SEATS, MIN_SEATS
from protocol.encoding import Value, decode, digest, encode
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION, other_version
from protocol.wire.identity import PublicKey, Purpose
from protocol.wire.terms import (
    CONTINUES,
    REFEREE,
    TOURNAMENT,
    Continues,
    Term,
    TournamentMatch,
    read_terms,
)

# Drawn at random: with 128 bits no two tables meet.
TABLE_BYTES: Final = 16
# Of each seat, for this table alone: too long to be drawn twice (specs 3.2).
NONCE_BYTES: Final = 32
TABLE_TAG_BYTES: Final = 8  #: Of a charter's digest in each message.


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """A seat's entry in a charter: the player's key and nickname, and a nonce, 32 bytes, fresh
    for this table.
    """

    key: PublicKey
    nickname: str
    nonce: bytes


# Without slots: `cached_property` keeps its values in the object's own dictionary.
@dataclass(frozen=True)
class Charter:
    """Everything the seats of one table agreed on. Equal charters have equal bytes.

    `table` is the table's id, 16 bytes, `game` the game's name in the registry. `profile` is the
    game's own text with every parameter, so that nothing is left to a default that could differ
    between versions; `terms` are agreements that most tables do without. The constructor checks all
    fields and raises MalformedMessage `charter.*`.
    """

    table: bytes
    game: str
    profile: str
    seats: tuple[SeatEntry, ...]
    terms: tuple[Term, ...] = ()
    #: The seats' keys, in seat order.
    keys: tuple[PublicKey, ...] = field(init=False, repr=False, compare=False)
    #: The term by which this table goes on with another table's match; None without it.
    continues: Continues | None = field(init=False, repr=False, compare=False)
    #: The referees' keys in the order of their numbers, from 0; () for a table without a referee.
    referees: tuple[PublicKey, ...] = field(init=False, repr=False, compare=False)
    #: The terms that a further table of the same people repeats: all but `continues`.
    kept_terms: tuple[Term, ...] = field(init=False, repr=False, compare=False)
    #: Who signs for each purpose: the seats, and rulings the referees, by number.
    signers: Mapping[Purpose, tuple[PublicKey, ...]] = field(init=False, repr=False, compare=False)
    #: The match of a tournament that is played here; None without one.
    tournament: TournamentMatch | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check all fields, and read the terms; raises MalformedMessage `charter.*`."""
        if len(self.table) != TABLE_BYTES:
            raise MalformedMessage("charter.table")
        if not MIN_SEATS <= len(self.seats) <= MAX_SEATS:
            raise MalformedMessage("charter.seats", f"{len(self.seats)} seats")
        printable = all(" " <= letter <= "~" for letter in self.game)
        if not 0 < len(self.game) <= MAX_GAME or not printable:
            raise MalformedMessage("charter.game")
        if len(self.profile) > MAX_PROFILE:
            raise MalformedMessage("charter.profile")
        read = read_terms(self.terms, len(self.seats))
        # Frozen: what follows from the fields is read once, here.
        object.__setattr__(self, "keys", tuple(entry.key for entry in self.seats))
        object.__setattr__(self, "continues", read.get(CONTINUES))
        object.__setattr__(self, "referees", read.get(REFEREE, ()))
        signers = {
            Purpose.LEDGER: self.keys,
            Purpose.NOTICE: self.keys,
            Purpose.RULING: self.referees,
        }
        object.__setattr__(self, "signers", signers)
        # `continues` names the table before this one; a further table names this one, or begins
        # anew.
        kept = tuple(term for term in self.terms if term.name != CONTINUES)
        object.__setattr__(self, "kept_terms", kept)
        object.__setattr__(self, "tournament", read.get(TOURNAMENT))
        for entry in self.seats:
            check_nickname(entry.nickname)
            if len(entry.nonce) != NONCE_BYTES:
                raise MalformedMessage("charter.nonce")
        if len({*self.keys}) != len(self.seats):
            raise MalformedMessage("charter.duplicate_key", "one key in two seats")
        # Nobody is judge in its own cause (attacks.md, GO19).
        if not {*self.keys}.isdisjoint(self.referees):
            raise MalformedMessage("charter.duplicate_key", "a referee sits at the table")
        if len({entry.nickname for entry in self.seats}) != len(self.seats):
            raise MalformedMessage("charter.duplicate_nickname", "one name in two seats")
        # Each seat draws its own, by which it knows a charter as today's (attacks.md, ID6).
        if len({entry.nonce for entry in self.seats}) != len(self.seats):
            raise MalformedMessage("charter.duplicate_nonce", "one nonce in two seats")

    def to_bytes(self) -> bytes:
        """Return the charter's canonical encoding."""
        seats: tuple[Value, ...] = tuple(
            (entry.key.to_bytes(), entry.nickname, entry.nonce) for entry in self.seats
        )
        terms: tuple[Value, ...] = tuple((each.name, each.value) for each in self.terms)
        return encode((PROTOCOL_VERSION, self.table, self.game, self.profile, seats, terms))

    @staticmethod
    def from_bytes(data: bytes) -> Charter:
        """Return the charter that `data` encodes.

        Raises MalformedMessage `encoding.*`, `key.*` or `charter.*`.
        """
        match decode(data):
            # Before the shape, which another version may have changed.
            case (int(version), *fields):
                if version != PROTOCOL_VERSION:
                    raise other_version(version, check="charter.version")
            case _:
                raise MalformedMessage("charter.shape")
        match fields:
            case (bytes(table), str(game), str(profile), tuple(rows), tuple(listed)):
                pass
            case _:
                raise MalformedMessage("charter.shape")
        terms, seats = list[Term](), list[SeatEntry]()
        for row in listed:
            match row:
                case (str(name), value):
                    terms.append(Term(name, value))
                case _:
                    raise MalformedMessage("charter.shape", "a term is a name and a value")
        for row in rows:
            match row:
                case (bytes(key), str(nickname), bytes(nonce)):
                    seats.append(SeatEntry(PublicKey(key), nickname, nonce))
                case _:
                    raise MalformedMessage("charter.shape")
        return Charter(table, game, profile, tuple(seats), tuple(terms))

    @cached_property  # every signature and every root takes it
    def digest(self) -> bytes:
        """The charter's digest, 32 bytes, which every signature at the table covers."""
        return digest(labels.CHARTER, self.to_bytes())

    @cached_property
    def tag(self) -> bytes:
        """The beginning of the digest, by which messages name their table."""
        # A hint to readers, not a proof: the signature covers all 32 bytes of the digest.
        return self.digest[:TABLE_TAG_BYTES]

    @property
    def fingerprint(self) -> str:
        """The digest in short for people to compare aloud: 16 letters and digits in fours.

        80 bits keep anyone from finding a second charter for a given fingerprint. Agreement itself
        never rests on it: every seat signs the whole digest.
        """
        # Base32 has no digits that are read as letters: 0 and 1 are left out.
        text = b32encode(self.digest[:10]).decode("ascii")
        return "-".join(text[start : start + 4] for start in range(0, 16, 4))

    def key_of(self, seat: Seat) -> PublicKey | None:
        """Return the key in `seat`; None where there is no such seat."""
        return self.keys[seat] if 0 <= seat < len(self.keys) else None


def check_nickname(name: str) -> None:
    """Raise MalformedMessage `charter.nickname` unless `name` has 1 to 32 characters, no white
    space at its ends, and none that acts on a screen, such as a control character.
    """
    if not 0 < len(name) <= MAX_NAME or not SPACES.isdisjoint((name[0], name[-1])):
        raise MalformedMessage("charter.nickname", "1 to 32 characters, no outer spaces")
    found = FORBIDDEN.search(name)
    if found is not None:
        raise MalformedMessage("charter.nickname", f"U+{ord(found[0]):04X} is not allowed")
