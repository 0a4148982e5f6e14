"""Every message, in one table: encoder, decoder and documentation all come from it.

A ledger message says where it belongs (table, ledger, round, seat, kind), names the digest of the
last closed round, and carries its content. A notice is said beside the ledgers, a ruling by a
referee. Proofs and points travel as bytes; the rooms that know them decode them, strictly, before
they look at anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.encoding import Value
from protocol.errors import MalformedMessage
from protocol.places import Lane
from protocol.wire.charter import MAX_SEATS, TABLE_BYTES
from protocol.wire.contents import (
    ANY_SEATING,
    MAX_HEADS,
    MAX_NUMBER,
    MAX_PROOF,
    MAX_REFEREES,
    MAX_ROUND,
    MAX_SLOTS,
    MOST_CHALLENGES,
    SEALED_BYTES,
    SENTENCE_BYTES,
    Action,
    Challenge,
    ChallengeOpening,
    Chat,
    Confirmation,
    Content,
    Continuation,
    DealShares,
    HandKeys,
    HandOverShares,
    Head,
    Heads,
    LuckOpening,
    NoticeContent,
    Rematch,
    Reseating,
    ResultSignature,
    Ruling,
    RulingVerdict,
    ShuffleStep,
    SortedHands,
    UnfinishedAgreement,
)
from protocol.wire.envelope import Purpose
from protocol.wire.fields import HASH, SEAT, SEATS
from protocol.wire.schema import Binary, Field, Integer, Items, Record, Row, Sequence, Text, exactly


@dataclass(frozen=True, slots=True)
class Kind(Row):
    """A row of the table of signed messages: what is signed, and the lane where it may appear."""

    purpose: Purpose
    lane: Lane | None


_SALTS: Final = Field(
    "salts",
    Sequence(HASH, MAX_SLOTS),
    "of my commitments whose cards were opened, in order of opening",
)
_REMIXES: Final = Field(
    "remixes",
    Sequence(Binary(1, MAX_PROOF), 4),
    "for each mixing of my cards: masked cards in their new order, shuffle argument",
)
_QUESTION: Final = Binary(0, 16)
_HEAD: Final = Record(
    Head,
    (
        Field("lane", Integer(0, len(Lane) - 1), "lane of the ledger"),
        Field("number", Integer(0, MAX_NUMBER), "number of the ledger"),
        Field("closed", Integer(0, MAX_ROUND + 1), "closed rounds"),
        Field("digest", HASH, "digest of the last closed round, or the root"),
        Field("present", SEATS, "bit i: the message of seat i in the open round"),
    ),
)


def _in_ledger(code: int, make: type[Content], lane: Lane, *fields: Field) -> Kind:
    """Return the row of a ledger message."""
    return Kind(code, Record(make, fields), Purpose.LEDGER, lane)


def _notice(code: int, make: type[NoticeContent], *fields: Field) -> Kind:
    """Return the row of a notice."""
    return Kind(code, Record(make, fields), Purpose.NOTICE, None)


KINDS: Final[tuple[Kind, ...]] = (
    _in_ledger(
        1,
        Confirmation,
        Lane.TABLE,
        Field("luck_commitment", HASH, "hash commitment to my luck"),
    ),
    _in_ledger(2, LuckOpening, Lane.TABLE, Field("luck", HASH, "32 random bytes")),
    _in_ledger(
        3,
        HandKeys,
        Lane.DECK,
        # Two points of 33 bytes, then three scalars of 32.
        Field("keys", exactly(66), "public keys of the card half and of the suit half"),
        Field("proof", exactly(96), "proof of possession of both"),
    ),
    _in_ledger(
        4,
        ShuffleStep,
        Lane.DECK,
        Field("step", Binary(1, MAX_PROOF), "masked cards in their new order, shuffle argument"),
    ),
    _in_ledger(
        5,
        DealShares,
        Lane.HAND,
        Field("batch", Binary(1, MAX_PROOF), "shares by ascending slot, one proof for all"),
        _SALTS,
    ),
    _in_ledger(
        6,
        HandOverShares,
        Lane.HAND,
        Field(
            "handovers",
            Sequence(Binary(1, 1_024), MAX_SLOTS),
            "for each card: readable share and its proof",
        ),
        _SALTS,
    ),
    _in_ledger(7, SortedHands, Lane.HAND, _REMIXES, _SALTS),
    _in_ledger(
        8,
        Action,
        Lane.HAND,
        # 400 characters are what games promise of an action's text, 64 claims more than any action
        # has.
        Field("text", Text(400, ascii_only=True), "the action as the game writes it"),
        Field("proofs", Sequence(Binary(0, MAX_PROOF), 64), "one for each claim"),
        Field("commitments", Sequence(HASH, MAX_SLOTS), "one for each card laid down"),
        _REMIXES,
        _SALTS,
    ),
    _in_ledger(
        9,
        ResultSignature,
        Lane.HAND,
        Field(
            "scores",
            Sequence(Integer(-(1 << 31), 1 << 31), MAX_SEATS),
            "change of score of each side",
        ),
        _SALTS,
    ),
    _in_ledger(
        10,
        Reseating,
        Lane.TABLE,
        Field("seating", Integer(1, MAX_SEATS - 2), "how many places the others move on (5.7)"),
    ),
    _notice(
        1,
        Heads,
        Field("question", _QUESTION, "random; empty if no answer is asked for"),
        Field("answer", _QUESTION, "the question that this answers; else empty"),
        Field("heads", Sequence(_HEAD, MAX_HEADS), "one for each ledger that is not settled"),
    ),
    _notice(
        2,
        UnfinishedAgreement,
        Field("hand", Integer(0, MAX_NUMBER), "number of the hand"),
        Field("closed", Integer(0, MAX_ROUND + 1), "closed rounds of it"),
        Field("digest", HASH, "digest of the last closed round"),
        Field("present", SEATS, "bit i: seat i is to agree"),
    ),
    _notice(3, Chat, Field("text", Text(500), "what is said")),
    _notice(
        4,
        Rematch,
        Field("after", HASH, "head of the opening of another match, after its closed rounds"),
        Field("seating", Integer(0, ANY_SEATING), "0 as now, 64 as the others want (5.7)"),
    ),
    _notice(
        5,
        Continuation,
        Field("hands", Integer(0, MAX_NUMBER), "how many hands have begun"),
        Field("table", exactly(TABLE_BYTES), "the id of the other table"),
        Field("founder", SEAT, "who makes its charter"),
        Field("present", SEATS, "bit i: seat i goes on and is to agree"),
        Field(
            "bots",
            Sequence(Items((SEAT, SEAT)), MAX_SEATS),
            "seats that bots take, each with who seats it",
        ),
        Field("agreed", Integer(0, 1), "0 or 1"),
        Field("nonce", HASH, "mine for the charter"),
        Field("charter", Binary(0, MAX_PROOF), "the founder's, once it is made; else empty"),
    ),
    _notice(
        6,
        Challenge,
        Field("match", Integer(0, MAX_NUMBER), "number of the opening of the match"),
        Field("count", Integer(0, MOST_CHALLENGES - 1), "my challenges in it before this one"),
        Field("hand", Integer(0, MAX_NUMBER), "number of the hand"),
        Field("closed", Integer(0, MAX_ROUND + 1), "closed rounds of it"),
        Field("digest", HASH, "digest of the last closed round, or the root"),
        Field("commitment", HASH, "to the sentence"),
        Field(
            "sealed",
            Sequence(exactly(SEALED_BYTES), MAX_REFEREES),
            "the sentence for each referee of the charter",
        ),
    ),
    _notice(
        7,
        ChallengeOpening,
        Field("match", Integer(0, MAX_NUMBER), "that of the challenge"),
        Field("count", Integer(0, MOST_CHALLENGES - 1), "that of the challenge"),
        Field("salt", HASH, "of its commitment"),
        Field("text", Text(SENTENCE_BYTES), "the sentence, at most 254 bytes of UTF-8"),
    ),
    Kind(
        1,
        Record(
            Ruling,
            (
                Field("hand", Integer(0, MAX_NUMBER), "number of the hand"),
                Field("closed", Integer(0, MAX_ROUND + 1), "closed rounds of it"),
                Field("digest", HASH, "digest of the last closed round, or the root"),
                Field("verdict", Integer(0, max(RulingVerdict)), "what is ruled (5.8)"),
                Field("against", SEATS, "bit i: it is against side i of the scores"),
                Field("text", Text(200), "why, for people"),
            ),
        ),
        Purpose.RULING,
        None,
    ),
)

_BY_TYPE: Final = {kind.record.make: kind for kind in KINDS}
_BY_CODE: Final = {(kind.purpose, kind.code): kind for kind in KINDS}


def kind_of(content: Content | NoticeContent | Ruling) -> Kind:
    """Return the row of the table of messages that describes `content`."""
    return _BY_TYPE[type(content)]


def kind_at(purpose: Purpose, code: Value) -> Kind:
    """Return the row with this purpose and code; raises MalformedMessage `schema.kind` for none."""
    kind = _BY_CODE.get((purpose, code)) if type(code) is int else None
    if kind is None:
        raise MalformedMessage("schema.kind")
    return kind
