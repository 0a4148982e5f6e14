"""What a seat is given: its setup, the first record of its journal; how much it plays; and the
journal, files, clock and executor that it runs on.

These let the seat run in a terminal or a browser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple, ParamSpec, Protocol, TypeVar

from cli.errors import StoreError
from cli.invite import Invite, InviteError, InviteVersionError
from p2p304.seats import Seat, place_name
from protocol.cards.secrets import SEED_BYTES
from protocol.encoding import decode, encode
from protocol.errors import MalformedMessage
from protocol.seat.session import Session
from protocol.seat.view import TableView
from protocol.table.events import (
    Event,
    RefereeBlamed,
    SeatBlamed,
)
from protocol.table.table import TableState
from protocol.wire.charter import NONCE_BYTES, Charter
from protocol.wire.contents import Head
from protocol.wire.identity import PublicKey
from protocol.wire.invite import TOKEN_BYTES
from protocol.wire.messages import Agreement


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

    def invites(self, invite: Invite) -> tuple[Invite, ...]:
        """Return the invites to all seats of the table of this `invite`, in seat order."""
        return tuple(
            replace(invite, seat=Seat(seat), token=token) for seat, token in enumerate(self.tokens)
        )


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

    def __post_init__(self) -> None:
        """Raise InviteError for an invite to watch: it has no seat."""
        if self.invite.seat is None:
            raise InviteError("This invite lets one watch: use 'p2p304 watch'.")

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
        """The seat of the invite."""
        assert self.invite.seat is not None  # as `__post_init__` has seen
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


def charter_in(records: Iterable[tuple[int, bytes]]) -> tuple[Charter | None, bool]:
    """Return the charter in a journal, or None, and whether the player confirmed it. Raises as
    `kept_charter` does.
    """
    kept, confirmed = None, False
    for kind, payload in records:
        # The first charter counts: there is never a second one (specs 7.4).
        if kind == JournalKind.CHARTER and kept is None:
            kept = payload
        confirmed = confirmed or kind == JournalKind.CONFIRMED
    return None if kept is None else kept_charter(kept), confirmed


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


class Goal(NamedTuple):
    """How much is played at a table: hands or matches, whichever comes first; None is no limit.

    A hand counts if cards were played: a deal that was refused or passed out is none.
    """

    hands: int | None = None
    matches: int | None = None
    #: Tells whether a race over hands or matches is won, which ends the match of a tournament.
    race: Callable[[TableView], bool] | None = None

    def reached(self, table: TableView) -> bool:
        """Return whether the wanted hands, or all wanted matches, are over, counted from the
        table's beginning, or the race is won.
        """
        if self.hands is not None and table.table_state.played >= self.hands:
            return True
        return self.matches_over(table)

    def matches_over(self, table: TableView) -> bool:
        """Return whether all wanted matches are over, or the race is won, so that nothing is
        left to resume.
        """
        # A race may be over before its number of matches.
        if self.race is not None and self.race(table):
            return True
        return self.matches is not None and table.matches_over >= self.matches


ONE_MATCH: Final = Goal(matches=1)
ENDLESS: Final = Goal()  #: No limit: as many hands and matches as the seats agree to.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """How much a seat plays at a table, and how long it stays.

    `hands` or `matches`, whichever comes first, end it; None is no limit. Afterwards the seat
    answers others for `linger` seconds.
    """

    hands: int | None = None
    matches: int | None = 1
    # A choice: long enough for others to fetch what they lack of the end, short enough to wait.
    linger: float = 5.0
    vouched: frozenset[Seat] = frozenset()  #: See `Session.resume`.
    race: Callable[[TableView], bool] | None = None  #: See `Goal`.
    #: The keys of referees whose rulings the player accepts, without a question of its own.
    trusted: frozenset[PublicKey] = frozenset()

    @property
    def goal(self) -> Goal:
        """The goal: the hands and matches to play, and the race."""
        return Goal(self.hands, self.matches, self.race)


P = ParamSpec("P")
T = TypeVar("T")


class SeatJournal(Protocol):
    """The journal of a seat: what it drew, signed and learned, in order."""

    @property
    # An older copy could sign again what was signed otherwise (specs 7.5).
    def fresh(self) -> bool:
        """Whether the journal began with this seat, so that it is no older copy."""
        ...

    async def records(self, *, shown: bool = False) -> Iterable[tuple[int, bytes]]:
        """Return all records, each a kind and its bytes; `shown` shows how far reading has come."""
        ...

    async def append(self, kind: int, *payloads: bytes) -> None:
        """Add records of one kind. When this returns, they survive a crash, and may be
        published. Raises StoreError.
        """
        ...


class KeptHands(Protocol):
    """The files of a table: transcripts for audits, and evidence. Every method that writes
    raises StoreError; the disk may be slow, so that an executor calls all but `save_open`.
    """

    @property
    def transcripts(self) -> Sequence[Path]:
        """The transcripts written since this seat started, in order."""
        ...

    def keep(self, event: Event, session: Session) -> None:
        """Write the transcript of a hand that ended or was ruled on, and the open file of one
        that lacks only signatures; remove those of hands that became void or go on. Ignore other
        events.
        """
        ...

    def save(
        self, table_state: TableState, number: int, agreed: tuple[Agreement, ...] = ()
    ) -> None:
        """Write the transcript of a counted hand, or of one that all present seats `agreed` to
        end, in place of the file that `save_open` wrote.
        """
        ...

    def save_open(self, session: Session) -> None:
        """Write the hand in play as far as it goes; nothing if no hand is in play, or the table
        has stopped.
        """
        ...

    def save_missing(self, session: Session) -> bool:
        """Write the transcripts that a crash prevented, and remove those of hands that a ruling
        made void.

        Return whether there are files of later hands than the session's: then the journal is an
        older copy.
        """
        ...

    def older(self, table: bytes, heads: tuple[Head, ...]) -> tuple[bytes, ...]:
        """Return, from transcripts of `table`, the envelopes that a peer with these heads lacks,
        at most MAX_RESENT; empty if no file has them, or one that is needed is damaged.
        """
        ...

    def why_stopped(self, table: TableView, blame: SeatBlamed | RefereeBlamed) -> str:
        """Write the evidence against a seat or a referee, if there is any, and return why the
        table stopped.
        """
        ...


class Executor(Protocol):
    """A function that runs a call without blocking the event loop, such as `asyncio.to_thread`."""

    async def __call__(self, call: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Return the call's result, or raise its error."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The files of hands, the clock and the executor that seats and spectators of one table
    share.
    """

    hands: KeptHands
    clock: Callable[[], float]  #: Gives seconds of the monotonic clock.
    work: Executor
