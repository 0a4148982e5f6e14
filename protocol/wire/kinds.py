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
from protocol.wire.contents import (
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
    Heads,
    LuckOpening,
    NoticeContent,
    Rematch,
    Reseating,
    ResultSignature,
    Ruling,
    ShuffleStep,
    SortedHands,
    UnfinishedAgreement,
)
from protocol.wire.envelope import Purpose
from protocol.wire.schema import Record, Row


@dataclass(frozen=True, slots=True)
class Kind(Row):
    """A row of the table of signed messages: what is signed, and the lane where it may appear."""

    purpose: Purpose
    lane: Lane | None


def _kind(code: int, made: type, purpose: Purpose, lane: Lane | None = None) -> Kind:
    """Return the row of the table of kinds for the messages that `made` carries: its fields are
    those that the class declares.
    """
    return Kind(code, Record.declared(made), purpose, lane)


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
