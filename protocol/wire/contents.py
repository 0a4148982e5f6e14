"""What messages carry."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from protocol.places import Lane, LedgerName

# specs/03-encodings.md, 3.6: bounds that no game comes near, so that strangers cannot fill memory.
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


@dataclass(frozen=True, slots=True)
class Reseating:
    """I confirm another match of those who sit here, at a table where they sit otherwise (5.7).

    `seating` says where: 1 to n-2. Who confirms it as they sit sends a Confirmation.
    """

    seating: int


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
    | Reseating
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
        """The name of the ledger that this head is of."""
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
    """I want another match of those who sit here, whose opening has the head `after` now.

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
        """Tell whether two proposals name the same table, hands, founder, seats and bots."""
        mine = (self.hands, self.table, self.founder, self.present, self.bots)
        return mine == (other.hands, other.table, other.founder, other.present, other.bots)


MOST_CHALLENGES: Final = 3
"""How often a seat may challenge in a match."""
SENTENCE_BYTES: Final = 254
"""The longest sentence of a challenge, in UTF-8."""
SEALED_BYTES: Final = 336
"""A sentence sealed to one referee: of one size, whatever it says."""
MAX_REFEREES: Final = 8


@dataclass(frozen=True, slots=True)
class Challenge:
    """I call the referee to this point of a hand; what I say of it, the referee alone reads.

    `match` is the number of the match's opening, `count` how often I had challenged in it before.
    `commitment` is to the sentence, `sealed` the sentence for each referee of the charter.
    """

    match: int
    count: int
    hand: int
    closed: int
    digest: bytes
    commitment: bytes
    sealed: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ChallengeOpening:
    """That challenge of mine said this. Told to all once its hand has ended."""

    match: int
    count: int
    salt: bytes
    text: str


NoticeContent = (
    Heads | UnfinishedAgreement | Chat | Rematch | Continuation | Challenge | ChallengeOpening
)


# --- what a referee rules -------------------------------------------------------------------------


class RulingVerdict(IntEnum):
    """What becomes of a hand by a ruling."""

    NO_ACTION = 0
    """It goes on."""

    REDEAL = 1
    """It is void, and the same dealer deals again."""

    PENALTY = 2
    """It is void, a side pays three tokens, and the next dealer deals."""

    END = 3
    """It has no result, and nothing more is played at the table."""

    DISQUALIFIED = 4
    """A side has lost the match."""

    WALK_OVER = 5
    """A side, or several, did not come or did not come back, and have lost the match."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """I rule on this point of a hand. What lies behind it is void, unless the hand goes on.

    `against` has a bit for each side whom the ruling is against, by their places in the scores.
    """

    hand: int
    closed: int
    digest: bytes
    verdict: int
    against: int
    text: str
