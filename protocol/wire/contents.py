"""What messages carry, each field declared with its type on the wire, and the table of their kinds.

A ledger message says where it belongs (table, ledger, round, seat, kind), names the digest of the
last closed round, and carries its content. A notice is said beside the ledgers, a ruling by a
referee. Proofs and points travel as bytes; the rooms that know them decode them, strictly, before
they look at anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Final

from protocol.bounds import (
    MAX_HEADS,
    MAX_NUMBER,
    MAX_PROOF,
    MAX_REFEREES,
    MAX_ROUND,
    MAX_SEATS,
    MAX_SLOTS,
    MOST_CHALLENGES,
)
from protocol.encoding import Value
from protocol.errors import MalformedMessage
from protocol.places import Lane, LedgerName
from protocol.wire.charter import TABLE_BYTES
from protocol.wire.fields import HASH, SEAT, SEATS
from protocol.wire.identity import Purpose
from protocol.wire.schema import Binary, Integer, Items, MessageRow, Record, Sequence, Text, exactly

#: The seating of who agrees to whatever the others want: no table has so many others.
ANY_SEATING: Final = 64


# In the sender's next message, whatever it is: the salt of an opened card is owed (specs 5.3).
Salts = Annotated[
    tuple[bytes, ...],
    Sequence(HASH, MAX_SLOTS),
    "of the sender's commitments whose cards were opened, in order of opening",
]
Remixes = Annotated[
    tuple[bytes, ...],
    # No game asks more than one mixing of an action; their exact number is judged by its rules.
    Sequence(Binary(1, MAX_PROOF), 4),
    "for each mixing of the sender's cards: masked cards in their new order, shuffle argument",
]

# A number of rounds: numbered from 0, there are MAX_ROUND + 1.
_CLOSED: Final = Integer(0, MAX_ROUND + 1)

# --- what ledger messages carry, named after the thing published --------------------------------


class Content:
    """The base of all contents of ledger messages."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Confirmation(Content):
    """A seat confirms the charter under its signature, or another match at this table, and
    commits to its share of luck.
    """

    luck_commitment: Annotated[bytes, HASH, "hash commitment to the sender's luck"]


@dataclass(frozen=True, slots=True)
class LuckOpening(Content):
    """A seat's share of the luck that chooses the first dealer, which it had committed to."""

    luck: Annotated[bytes, HASH, "32 random bytes"]


@dataclass(frozen=True, slots=True)
class HandKeys(Content):
    """A seat's two public keys for this deck, and the proof that it knows their secrets."""

    # Two points of 33 bytes, then three scalars of 32.
    keys: Annotated[bytes, exactly(66), "public keys of the card half and of the suit half"]
    proof: Annotated[bytes, exactly(96), "proof of possession of both"]


@dataclass(frozen=True, slots=True)
class ShuffleStep(Content):
    """The deck after a seat's shuffle, remasked and permuted, and the proof that it holds the
    same cards.
    """

    step: Annotated[
        bytes, Binary(1, MAX_PROOF), "masked cards in their new order, shuffle argument"
    ]


@dataclass(frozen=True, slots=True)
class DealShares(Content):
    """A seat's decryption shares of the cards that are being dealt to others."""

    batch: Annotated[bytes, Binary(1, MAX_PROOF), "shares by ascending slot, one proof for all"]
    salts: Salts = ()


@dataclass(frozen=True, slots=True)
class HandOverShares(Content):
    """A seat's shares of face-down cards of its own, each readable by the one seat that it is
    for.
    """

    handovers: Annotated[
        tuple[bytes, ...],
        # A hand-over has 227 bytes; its exact length is judged when it is decoded.
        Sequence(Binary(1, 1_024), MAX_SLOTS),
        "for each card: readable share and its proof",
    ]
    salts: Salts = ()


@dataclass(frozen=True, slots=True)
class SortedHands(Content):
    """A seat's cards remasked and permuted under its own keys, because another seat's action
    asks for it.
    """

    remixes: Remixes
    salts: Salts = ()


@dataclass(frozen=True, slots=True)
class Action(Content):
    """A seat's action, as the game writes it, with its proofs.

    One proof for each claim of the action's statements, one commitment for each card it lays down,
    one remix for each mixing of the seat's own cards, and the salts of the seat's commitments whose
    cards were opened since its last message, then of those that this action opens.
    """

    # 400 characters are what games promise of an action's text, 64 claims more than any has.
    text: Annotated[str, Text(400, ascii_only=True), "the action as the game writes it"]
    proofs: Annotated[
        tuple[bytes, ...], Sequence(Binary(0, MAX_PROOF), 64), "one for each claim"
    ] = ()
    commitments: Annotated[
        tuple[bytes, ...], Sequence(HASH, MAX_SLOTS), "one for each card laid down"
    ] = ()
    remixes: Remixes = ()
    salts: Salts = ()


@dataclass(frozen=True, slots=True)
class ResultSignature(Content):
    """A seat signs the result of the hand: the change of each side's score."""

    scores: Annotated[
        tuple[int, ...],
        # One bound for gains and losses, which no game comes near.
        Sequence(Integer(-(1 << 31), 1 << 31), MAX_SEATS),
        "change of score of each side",
    ]
    salts: Salts = ()


@dataclass(frozen=True, slots=True)
class Reseating(Content):
    """A seat confirms another match of the same people at another table, where they sit otherwise
    (5.7).

    `seating` is 1 to n-2. For a match in the present seats a seat sends a Confirmation.
    """

    # At the largest table n-2: moved on by n-1 places all would sit as now.
    seating: Annotated[int, Integer(1, MAX_SEATS - 2), "how many places the others move on (5.7)"]


# --- what notices carry ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """How far a seat has come in one ledger.

    `closed` rounds are closed and lead to `digest` (the root if none is); `present` has a bit for
    each seat whose message of the open round has arrived.
    """

    lane: Annotated[int, Integer(0, len(Lane) - 1), "lane of the ledger"]
    number: Annotated[int, Integer(0, MAX_NUMBER), "number of the ledger"]
    closed: Annotated[int, _CLOSED, "closed rounds"]
    digest: Annotated[bytes, HASH, "digest of the last closed round, or the root"]
    present: Annotated[int, SEATS, "bit i: the message of seat i in the open round"]

    @property
    def ledger(self) -> LedgerName:
        """The name of the ledger that this head is of."""
        return LedgerName(Lane(self.lane), self.number)


@dataclass(frozen=True, slots=True)
class Heads:
    """How far a seat has come in its newest ledgers. A `question` asks for heads that name it as
    their `answer`.
    """

    # 16: too many to guess (`sync.QUESTION_BYTES`).
    question: Annotated[bytes, Binary(0, 16), "random; empty if no answer is asked for"]
    answer: Annotated[bytes, Binary(0, 16), "the question that this answers; else empty"]
    heads: Annotated[
        tuple[Head, ...],
        Sequence(Record.declare(Head), MAX_HEADS),
        "one for each ledger that is not settled",
    ]


@dataclass(frozen=True, slots=True)
class UnfinishedAgreement:
    """A seat agrees to end this hand at this point as unfinished, once all seats in `present` have
    agreed, unless they go on with it (5.6).

    `present` has a bit for each seat that is to agree, one of every side at least.
    """

    hand: Annotated[int, Integer(0, MAX_NUMBER), "number of the hand"]
    closed: Annotated[int, _CLOSED, "closed rounds of it"]
    digest: Annotated[bytes, HASH, "digest of the last closed round"]
    present: Annotated[int, SEATS, "bit i: seat i is to agree"]


@dataclass(frozen=True, slots=True)
class Chat:
    """A line of chat: shown to the players, never judged, never in a transcript."""

    # 500: a line in ASCII fits the smallest frame, one in any script the third of four.
    text: Annotated[str, Text(500), "what is said"]


@dataclass(frozen=True, slots=True)
class Rematch:
    """A seat wants another match of the same people; `after` is the present head of that match's
    setup.

    `seating` says where they sit in it: 0 as now, `ANY_SEATING` as the others want (5.7).
    """

    after: Annotated[bytes, HASH, "head of the opening of another match, after its closed rounds"]
    seating: Annotated[int, Integer(0, ANY_SEATING), "0 as now, 64 as the others want (5.7)"]


@dataclass(frozen=True, slots=True)
class Continuation:
    """A seat agrees (`agreed` 1) or refuses (0) to go on with the match at another table without
    those who have left.

    `hands` is how many hands have begun, `table` the other table's id, `founder` the seat that
    makes its charter. `present` has a bit for each seat that goes on; all of them are to agree to
    the same. `bots` names the seats that bots take, each with the seat that seats the bot. `nonce`
    is the sender's for the charter, and `charter` is the founder's, once it is made. A seat that is
    left out and still there refuses.
    """

    hands: Annotated[int, Integer(0, MAX_NUMBER), "how many hands have begun"]
    table: Annotated[bytes, exactly(TABLE_BYTES), "the id of the other table"]
    founder: Annotated[int, SEAT, "who makes its charter"]
    present: Annotated[int, SEATS, "bit i: seat i goes on and is to agree"]
    bots: Annotated[
        tuple[tuple[int, int], ...],
        Sequence(Items((SEAT, SEAT)), MAX_SEATS),
        "seats that bots take, each with who seats it",
    ]
    # An int, as all numbers of contents are.
    agreed: Annotated[int, Integer(0, 1), "0 or 1"]
    nonce: Annotated[bytes, HASH, "the sender's for the charter"]
    charter: Annotated[
        # No proof, but the same bound: what a body has room for.
        bytes, Binary(0, MAX_PROOF), "the founder's, once it is made; else empty"
    ] = b""

    def same_as(self, other: Continuation) -> bool:
        """Tell whether two proposals have the same table, hands, founder, present seats and
        bots; agreement, nonce and charter may differ.
        """
        mine = (self.hands, self.table, self.founder, self.present, self.bots)
        return mine == (other.hands, other.table, other.founder, other.present, other.bots)


SENTENCE_BYTES: Final = 254  #: The longest sentence of a challenge, in UTF-8.
# A key (32) and a tag (16) around a payload of salt (32), length (2) and sentence (254).
SEALED_BYTES: Final = 336  #: A sentence sealed to one referee: of one size, whatever it says.


@dataclass(frozen=True, slots=True)
class Challenge:
    """A seat calls the referees to this point of a hand; its sentence is for them alone.

    `match` is the number of the match's setup, `count` how often the seat had challenged in it
    before. `commitment` is to the sentence, `sealed` the sentence for each referee of the charter.
    """

    match: Annotated[int, Integer(0, MAX_NUMBER), "number of the opening of the match"]
    count: Annotated[
        int, Integer(0, MOST_CHALLENGES - 1), "the sender's challenges in it before this one"
    ]
    hand: Annotated[int, Integer(0, MAX_NUMBER), "number of the hand"]
    closed: Annotated[int, _CLOSED, "closed rounds of it"]
    digest: Annotated[bytes, HASH, "digest of the last closed round, or the root"]
    commitment: Annotated[bytes, HASH, "to the sentence"]
    sealed: Annotated[
        tuple[bytes, ...],
        Sequence(exactly(SEALED_BYTES), MAX_REFEREES),
        "the sentence for each referee of the charter",
    ]


@dataclass(frozen=True, slots=True)
class ChallengeOpening:
    """The sentence of a challenge, told to all by its author once the hand has ended."""

    match: Annotated[int, Integer(0, MAX_NUMBER), "that of the challenge"]
    count: Annotated[int, Integer(0, MOST_CHALLENGES - 1), "that of the challenge"]
    salt: Annotated[bytes, HASH, "of its commitment"]
    # `Text` counts characters, of which there are no more than bytes; `opens` counts these.
    text: Annotated[str, Text(SENTENCE_BYTES), "the sentence, at most 254 bytes of UTF-8"]


NoticeContent = (
    Heads | UnfinishedAgreement | Chat | Rematch | Continuation | Challenge | ChallengeOpening
)


# --- what a referee rules -------------------------------------------------------------------------


class RulingVerdict(IntEnum):
    """What becomes of a hand by a ruling (specs 5.8)."""

    # The numbers are those of the wire.
    NO_ACTION = 0  #: It goes on.

    REDEAL = 1  #: It is void, its result too, and the same dealer deals again.

    #: A side pays (in 304 three tokens). The hand counts if its result was there; else it is void,
    #: and the next dealer deals.
    PENALTY = 2

    END = 3  #: Nothing more is played at the table. The hand counts if its result was there.

    DISQUALIFIED = 4  #: A side has lost the match.

    #: A side, or several, did not come or did not come back, and have lost the match.
    WALK_OVER = 5


@dataclass(frozen=True, slots=True)
class Ruling:
    """A referee rules on this point of a hand. All behind the point is void, unless the hand goes
    on.

    `against` has a bit for each side that the ruling is against, by its place in the scores.
    """

    hand: Annotated[int, Integer(0, MAX_NUMBER), "number of the hand"]
    closed: Annotated[int, _CLOSED, "closed rounds of it"]
    digest: Annotated[bytes, HASH, "digest of the last closed round, or the root"]
    # An int, as all numbers of contents are: `consequence` makes a RulingVerdict of it.
    verdict: Annotated[int, Integer(0, max(RulingVerdict)), "what is ruled (5.8)"]
    # No game has more sides than seats.
    against: Annotated[int, SEATS, "bit i: it is against side i of the scores"]
    # 200: a sentence, which fits the smallest frame in any script.
    text: Annotated[str, Text(200), "why, for people"]


# --- every kind of message in one table: encoder, decoder and documentation all come from it ------


@dataclass(frozen=True, slots=True)
class Kind(MessageRow):
    """A row of the table of signed messages: what is signed, and for a ledger message its lane."""

    purpose: Purpose
    lane: Lane | None  #: None for a notice and a ruling, which belong to no ledger.


def _kind(code: int, made: type, purpose: Purpose, lane: Lane | None = None) -> Kind:
    """Return the row of the table of kinds for the messages that carry a `made`, with the fields
    that this class declares.
    """
    return Kind(code, Record.declare(made), purpose, lane)


# The codes on the wire, counted anew for each purpose, which the envelope names.
KINDS: Final = (
    _kind(1, Confirmation, Purpose.LEDGER, Lane.TABLE),
    _kind(2, LuckOpening, Purpose.LEDGER, Lane.TABLE),
    _kind(3, HandKeys, Purpose.LEDGER, Lane.DECK),
    _kind(4, ShuffleStep, Purpose.LEDGER, Lane.DECK),
    _kind(5, DealShares, Purpose.LEDGER, Lane.HAND),
    _kind(6, HandOverShares, Purpose.LEDGER, Lane.HAND),
    _kind(7, SortedHands, Purpose.LEDGER, Lane.HAND),
    _kind(8, Action, Purpose.LEDGER, Lane.HAND),
    _kind(9, ResultSignature, Purpose.LEDGER, Lane.HAND),
    _kind(10, Reseating, Purpose.LEDGER, Lane.TABLE),
    _kind(1, Heads, Purpose.NOTICE),
    _kind(2, UnfinishedAgreement, Purpose.NOTICE),
    _kind(3, Chat, Purpose.NOTICE),
    _kind(4, Rematch, Purpose.NOTICE),
    _kind(5, Continuation, Purpose.NOTICE),
    _kind(6, Challenge, Purpose.NOTICE),
    _kind(7, ChallengeOpening, Purpose.NOTICE),
    _kind(1, Ruling, Purpose.RULING),
)

#: The row of each class of contents.
KIND_OF: Final[Mapping[object, Kind]] = {kind.record.make: kind for kind in KINDS}
_BY_CODE: Final = {(kind.purpose, kind.code): kind for kind in KINDS}


def kind_at(purpose: Purpose, code: Value) -> Kind:
    """Return the row with this purpose and code; raises MalformedMessage `schema.kind` for none."""
    # `type`: True would find the code 1.
    kind = _BY_CODE.get((purpose, code)) if type(code) is int else None
    if kind is None:
        raise MalformedMessage("schema.kind")
    return kind
