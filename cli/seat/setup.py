"""A seat's setup, the first record of its journal; and the orders that start a seat's process."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from cli.errors import StoreError, UserError
from cli.invite import Invite, InviteError, InviteVersionError
from p2p304.seats import Seat, place_name
from protocol.cards.secrets import SEED_BYTES
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.wire.charter import NONCE_BYTES, Charter
from protocol.wire.invite import TOKEN_BYTES


class JournalKind(IntEnum):
    """The kinds of records in a table's journal."""

    # The numbers are in files: none ever gets another meaning.
    SETUP = 1
    CHARTER = 2
    MESSAGE = 3
    CONFIRMED = 4  #: The player confirmed the charter; the payload is empty.

    ENDED = 5  #: The player's matches at this table are played; the payload is empty.

    #: Those present have ended the table's last hand unfinished; the payload is empty.
    UNFINISHED = 6


@dataclass(frozen=True, slots=True)
class Founding:
    """The founder's decisions: the game, and the tokens of all seats.

    `broker_here` means that the founder's own process runs the broker of the invites. While the
    table is `in_memory`, nobody outside that process was asked for, and no broker runs.
    """

    game: str
    profile: str
    #: By seat: whoever has a seat's token may claim it.
    tokens: tuple[bytes, ...] = field(repr=False)
    broker_here: bool = False
    in_memory: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """The setup of a seat before there is a charter: invite, nickname, secrets. `repr` shows no
    secret.

    `credentials` is the path of a file with the broker's credentials, or ""; the credentials
    themselves are never stored. `founding` is None except at the founder's seat.
    """

    invite: Invite
    nickname: str
    nonce: bytes  #: Of our entry in the charter, which everybody reads: no secret.
    #: What its secrets at this table are expanded from, the key aside.
    seed: bytes = field(repr=False)
    credentials: str = ""
    founding: Founding | None = None

    def to_bytes(self) -> bytes:
        """Return the setup as a journal's record, which is secret."""
        founding: tuple[bytes | str | int | tuple[bytes, ...], ...] = ()
        if self.founding is not None:
            kept = self.founding
            # One number for both flags: 0, 1 for a broker here, 2 for both. A table in memory has
            # its broker here, once it needs one.
            here = int(kept.broker_here) + int(kept.in_memory)
            founding = (kept.game, kept.profile, kept.tokens, here)
        return encode(
            (self.invite.format(), self.nickname, self.nonce, self.seed, self.credentials, founding)
        )

    @staticmethod
    def from_bytes(data: bytes) -> Setup:
        """Return the setup in a record; raises StoreError for any other bytes."""
        try:
            match decode(data):
                case (str(invite), str(name), bytes(nonce), bytes(seed), str(path), tuple(founded)):
                    # Checked here, once: whoever holds a Setup holds whole secrets.
                    if len(nonce) == NONCE_BYTES and len(seed) == SEED_BYTES:
                        kept = Invite.parse(invite)
                        return Setup(kept, name, nonce, seed, path, _find_founding(founded))
        except InviteVersionError as error:
            # No cause: the detail says all. Damage, below, keeps its cause.
            raise StoreError(f"This table is {error.detail}.") from None
        except (MalformedMessage, InviteError) as error:
            raise _damage_error() from error
        # Canonical bytes, but of another form, or with secrets of another length.
        raise _damage_error()

    @property
    def seat(self) -> Seat:
        """The seat of the invite. Raises InviteError for an invite to watch."""
        if self.invite.seat is None:
            raise InviteError("This invite lets one watch: use 'p2p304 watch'.")
        return self.invite.seat

    @property
    def meeting_place(self) -> str:
        """Where the table meets, as part of a sentence: "at" a broker, or "in this program
        alone".
        """
        if self.founding is not None and self.founding.in_memory:
            return "in this program alone"
        return f"at {self.invite.where}"

    def place(self, charter: Charter | None) -> str:
        """Return the name of our seat's place; its number while neither the charter nor, at the
        founder's seat, the setup tells the number of seats.
        """
        if charter is not None:
            return place_name(self.seat, len(charter.seats))
        return place_name(self.seat, 0 if self.founding is None else len(self.founding.tokens))


def _damage_error() -> StoreError:
    """Return the StoreError for a record that cannot be read. A new one at each call: an error
    that is raised again keeps the frames it went through, whose locals are secrets.
    """
    # Another version: damage was found by the journal's checksums, before a record was decoded.
    return StoreError(
        "The journal of this table is of another version of p2p304: go on with the one that wrote"
        " it."
    )


def _find_founding(value: tuple[object, ...]) -> Founding | None:
    """Return the founding in a decoded record, None for none; raises StoreError for any other
    value.
    """
    match value:
        case ():
            return None
        case (str(game), str(profile), tuple(tokens), int(here)) if here in (0, 1, 2):
            # Tuples of the decoder may hold anything: each token is checked.
            kept = tuple(each for each in tokens if isinstance(each, bytes))
            if len(kept) == len(tokens) and all(len(each) == TOKEN_BYTES for each in kept):
                # `to_bytes` writes one number for both flags: 2 is both.
                return Founding(game, profile, kept, bool(here), in_memory=here == 2)
    raise _damage_error()


def charter_in(records: Iterable[tuple[int, bytes]]) -> tuple[bytes | None, bool]:
    """Return the charter's bytes in a journal, or None, and whether the player confirmed it."""
    charter, confirmed = None, False
    for kind, payload in records:
        # The first charter counts: there is never a second one (specs 7.4).
        if kind == JournalKind.CHARTER and charter is None:
            charter = payload
        confirmed = confirmed or kind == JournalKind.CONFIRMED
    return charter, confirmed


def kept_charter(payload: bytes) -> Charter:
    """Return the charter in a record.

    Raises StoreError for one of another version, MalformedMessage for any other bytes.
    """
    try:
        return Charter.from_bytes(payload)
    except MalformedMessage as error:
        if error.check == "charter.version":
            # An old version is told in words, damaged bytes as such.
            raise StoreError(f"This table is {error.detail}.") from None
        raise


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders to a seat's process, on the second line of its input. They are secret.

    `founding` makes it the founder of the table. `seed`, of `demo` and `play --seed`, replaces
    chance, so that the same cards come again.
    """

    founding: Founding | None = None
    seed: bytes | None = field(default=None, repr=False)

    def format(self) -> str:
        """Return the orders as one line of JSON, without the flags of the founder's broker."""
        # Without the flags of the broker: a process that gets orders runs none. `and` leaves None
        # as it is.
        founding = self.founding and {
            "game": self.founding.game,
            "profile": self.founding.profile,
            "tokens": [each.hex() for each in self.founding.tokens],
        }
        # Hex, because JSON has no bytes.
        return json.dumps({"founding": founding, "seed": self.seed and self.seed.hex()})

    @classmethod
    def parse(cls, text: str) -> Orders:
        """Return the orders in a line; raises UserError for any other text."""
        try:
            value = json.loads(text)
            founding = value["founding"]
            # Of the process that started us: only the form of what it says is looked at.
            if founding is not None:
                tokens = tuple(bytes.fromhex(each) for each in founding["tokens"])
                founding = Founding(founding["game"], founding["profile"], tokens)
            given = value["seed"]
            seed = None if given is None else bytes.fromhex(given)
            # A shorter seed would be guessed.
            if seed is not None and len(seed) != SEED_BYTES:
                raise ValueError("a seed of another length")
            return cls(founding, seed)
        except (ValueError, KeyError, TypeError) as error:
            # JSON of another form fails in one of these ways.
            raise UserError("The second line holds no orders.") from error
