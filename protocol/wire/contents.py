"""What messages carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.places import Lane, LedgerName

MAX_ROUND: Final = 4_095
MAX_NUMBER: Final = (1 << 32) - 1
MAX_PROOF: Final = 15_000
MAX_SLOTS: Final = 256
MAX_HEADS: Final = 16
HASH_BYTES: Final = 32
MAX_RESENT: Final = 64
"""Envelopes that one answer to heads resends at most."""
ANY_SEATING: Final = 64
"""The seating of who agrees to whatever the others want: no table has so many others."""


# --- what ledger messages carry, named after the thing published --------------------------------


@dataclass(frozen=True, slots=True)
class Confirmation:
    """I confirm the charter that my signature covers, and have fixed my share of luck."""

    luck_commitment: bytes


@dataclass(frozen=True, slots=True)
class LuckOpening:
    """My share of the luck that chooses the first dealer."""

    luck: bytes


@dataclass(frozen=True, slots=True)
class HandKeys:
    """My two public keys for this deck, and that I know their secrets."""

    keys: bytes
    proof: bytes


@dataclass(frozen=True, slots=True)
class ShuffleStep:
    """The deck remasked and permuted, and that it is the same deck."""

    step: bytes


@dataclass(frozen=True, slots=True)
class DealShares:
    """My decryption shares of the cards that are being dealt to others."""

    batch: bytes
    salts: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class HandOverShares:
    """My shares of face-down cards of mine, each readable by its reader alone."""

    handovers: tuple[bytes, ...]
    salts: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class SortedHands:
    """My cards remasked and permuted under my own keys, when another's action asked for it."""

    remixes: tuple[bytes, ...]
    salts: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """What I do, as the game writes it, with all that makes it stand.

    One proof for each claim of the action's statements, one commitment for each card it lays down,
    one remix for each mixing of my own cards, and the salts of my commitments whose cards were
    opened since my last message, then of those that this action opens.
    """

    text: str
    proofs: tuple[bytes, ...] = ()
    commitments: tuple[bytes, ...] = ()
    remixes: tuple[bytes, ...] = ()
    salts: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultSignature:
    """The hand ended with these scores. My signature under it is my part of the receipt."""

    scores: tuple[int, ...]
    salts: tuple[bytes, ...] = ()


Content = (
    Confirmation
    | LuckOpening
    | HandKeys
    | ShuffleStep
    | DealShares
    | HandOverShares
    | SortedHands
    | Action
    | ResultSignature
)


# --- what notices carry ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """How far one has come in one ledger.

    `closed` rounds are closed and lead to `digest` (the root if none is); `present` has a bit for
    each seat whose message of the open round has arrived.
    """

    lane: int
    number: int
    closed: int
    digest: bytes
    present: int

    @property
    def ledger(self) -> LedgerName:
        """The ledger that this head is of."""
        return LedgerName(Lane(self.lane), self.number)


@dataclass(frozen=True, slots=True)
class Heads:
    """How far I have come. `question` asks for an answer that names it as its `answer`."""

    question: bytes
    answer: bytes
    heads: tuple[Head, ...]


@dataclass(frozen=True, slots=True)
class UnfinishedAgreement:
    """I agree to end this hand here as unfinished, with those present, unless they go on with it.

    `present` has a bit for each seat that is to agree, one of every side at least (5.6).
    """

    hand: int
    closed: int
    digest: bytes
    present: int


@dataclass(frozen=True, slots=True)
class Chat:
    """Words among the players. Shown, never judged, never in a transcript."""

    text: str


@dataclass(frozen=True, slots=True)
class Rematch:
    """I want another match of those who sit here, after the one whose last hand has the head
    `after`.

    `seating` says where they sit in it: 0 as now, `ANY_SEATING` as the others want (5.7).
    """

    after: bytes
    seating: int


@dataclass(frozen=True, slots=True)
class Continuation:
    """I agree, or do not, to go on with the match at another table without those who have left.

    `hands` is how many hands have begun, `table` the other table's id, `founder` who makes its
    charter. `present` has a bit for each seat that goes on; all of them are to agree to the same.
    `bots` names seats that bots take, each with who seats it. `nonce` is mine for the charter, and
    `charter` is the founder's, once it is made. A seat that is not to go on and hears of it says
    with `agreed` 0 that it is there.
    """

    hands: int
    table: bytes
    founder: int
    present: int
    bots: tuple[tuple[int, int], ...]
    agreed: int
    nonce: bytes
    charter: bytes = b""

    def same_as(self, other: Continuation) -> bool:
        """Tell whether two seats speak of one table and who goes on there."""
        mine = (self.hands, self.table, self.founder, self.present, self.bots)
        return mine == (other.hands, other.table, other.founder, other.present, other.bots)


NoticeContent = Heads | UnfinishedAgreement | Chat | Rematch | Continuation
