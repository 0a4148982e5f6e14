"""Vectors of tables that go on with another table's match: charters, changes, forks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from cli.conformance.answers import AUDIT
from cli.conformance.tables import Draft, body_of, sign_body
from protocol.places import Lane, LedgerName
from protocol.table.evidence import Fork
from protocol.wire.charter import Charter
from protocol.wire.envelope import Purpose
from protocol.wire.messages import table_tag
from protocol.wire.terms import Term
from tests.vectors.collect import Collector, File
from tests.vectors.hands import PRESENT, SAVED_HANDS
from tests.vectors.rehearsal import Rehearsal

OLD, NEW = "unfinished", "continued"
HAND = LedgerName(Lane.HAND, 0)


def continuation() -> Collector:
    """A match that goes on at another table."""
    found = Collector.answered("continuation", until=AUDIT)
    charter = SAVED_HANDS[NEW].table_of().charter
    old, new = SAVED_HANDS[OLD].transcript(), SAVED_HANDS[NEW].transcript()
    before = File(f"hands/{OLD}.p304", old)
    audited = found.accept(AUDIT, "the hand", transcript=File(f"hands/{NEW}.p304", new))
    for about, expect, other in _wrong_at_once(charter):
        data = Draft.of(new).with_record(0, other.to_bytes()).to_bytes()
        given = File(f"hands/{NEW}.p304", new, data)
        found.reject(audited, about, expect, transcript=given)
    found.accept(
        "charter.continues", "as it stands", before=before, charter=charter.to_bytes().hex()
    )
    for about, other in _also(charter):
        found.accept("charter.continues", about, strange=True, before=before,
                     charter=other.to_bytes().hex())  # fmt: skip
    found.faults()
    for name in ("closed", "deal-of-41"):
        _after(found, name, f"after {SAVED_HANDS[name].about}")
    _after(found, "ruled", "under the same referee")
    return found


def _after(found: Collector, name: str, about: str) -> None:
    """The match after a hand that has its result, or a ruling; all terms of its table are kept."""
    saved = SAVED_HANDS[name]
    table = Rehearsal(f"after {name}", saved.game, saved.agreement,
                      before=saved.rehearsed(), present=PRESENT)  # fmt: skip
    before, text = File(f"hands/{name}.p304", saved.transcript()), table.charter.to_bytes().hex()
    found.accept("charter.continues", about, before=before, charter=text)
    found.faults()


def fields_of(charter: Charter) -> Any:
    """The fields of the term."""
    return charter.terms[0].value


def with_fields(agreed: Charter, **changed: Any) -> Charter:
    """The charter with other fields of its term."""
    old, (hand, closed, digest), present, dealer, scores, bots = fields_of(agreed)
    new = {"charter": old, "hand": hand, "closed": closed, "digest": digest, "present": present,
           "dealer": dealer, "scores": scores, "bots": bots} | changed  # fmt: skip
    point = (new["hand"], new["closed"], new["digest"])
    value = (new["charter"], point, new["present"], new["dealer"], new["scores"], new["bots"])
    return replace(agreed, terms=(Term("continues", value),))


def _also(charter: Charter) -> Iterator[tuple[str, Charter]]:
    """What goes on with the match, too."""
    yield "a friend in the fourth seat", with_fields(charter, bots=())
    yield "one of those who ended the hand goes as well", with_fields(charter, present=0b0011)


def _wrong_at_once(charter: Charter) -> Iterator[tuple[str, str, Charter]]:
    """What no table can go on with, whatever was before it."""
    scores = fields_of(charter)[4]
    yield "one score too few", "continuation.match", with_fields(charter, scores=scores[:1])
    yield "a match that is won", "continuation.match", with_fields(charter, scores=(0, 22))
    below = with_fields(charter, scores=(-1, 23))
    yield "a match that cannot stand so", "continuation.match", below
    partners = with_fields(charter, present=0b0101, bots=())
    yield "partners alone stay", "continuation.sides", partners


@cache
def _twin() -> Rehearsal:
    before = SAVED_HANDS[OLD].rehearsed()
    return Rehearsal("rehearsal twin", agreement="wikipedia", before=before, present=PRESENT)


def forks() -> Iterator[tuple[str, Fork]]:
    """Messages of one key at two tables of one match."""
    old, new, twin = SAVED_HANDS[OLD].rehearsed(), SAVED_HANDS[NEW].rehearsed(), _twin()
    second = of_hand(new, 0)
    late = at_round(old, of_hand(old, 0), ended_after(old) + 1)
    yield "played on where others went on", Fork(old.charter, late, new.charter, second)
    yield "two tables that go on with one", Fork(
        twin.charter, carried(twin, second), new.charter, second)  # fmt: skip


def ended_after(table: Rehearsal) -> int:
    """The closed rounds after which the hand was ended."""
    return table.sessions[0].agreed_end()[0].content.closed


def of_hand(table: Rehearsal, seat: int) -> bytes:
    """The first message of a seat in the first hand of a table."""
    rounds = table.table_state.replicas[HAND].ledger.rounds
    return next(each.raw for closed in rounds for each in closed.messages
                if each.place.seat == seat)  # fmt: skip


def carried(table: Rehearsal, raw: bytes) -> bytes:
    """The same message as its seat says it at another table."""
    return sign_body(table, (table_tag(table.charter.digest), *body_of(raw)[1:]), raw[2])


def at_round(table: Rehearsal, raw: bytes, number: int) -> bytes:
    """A message as its seat says it in another round of the hand."""
    body = body_of(raw)
    return sign_body(table, (*body[:3], number, *body[4:]), raw[2])


def fork_faults(fork: Fork) -> Iterator[tuple[str, str, bytes]]:
    """Forks that convict nobody."""
    old, new, twin = SAVED_HANDS[OLD].rehearsed(), SAVED_HANDS[NEW].rehearsed(), _twin()
    tables = {each.charter.digest: each for each in (old, new, twin)}
    first, second = tables[fork.charter.digest], tables[fork.other.digest]
    flipped = fork.second[:-1] + bytes((fork.second[-1] ^ 1,))
    yield "a message that was not signed", "signature", replace(fork, second=flipped).to_bytes()
    chat = sign_body(first, (table_tag(first.charter.digest), 0, 0, 3, ("hi",)), 0,
                  purpose=Purpose.NOTICE)  # fmt: skip
    yield "a notice as a message", "envelope.purpose", replace(fork, first=chat).to_bytes()
    nothing = sign_body(second, b"\xc0", 0)
    yield "a body of nil", "evidence.fork", replace(fork, second=nothing).to_bytes()
    for lane in (Lane.TABLE, Lane.DECK):
        ledger = second.table_state.replicas[LedgerName(lane, 0)].ledger
        raw = ledger.rounds[0].messages[0].raw
        yield f"a message of a {lane.name.lower()}", "evidence.fork", replace(
            fork, second=raw).to_bytes()  # fmt: skip
    other = of_hand(second, 1)
    yield "two seats", "evidence.fork", replace(fork, second=other).to_bytes()
    turned = Fork(fork.other, fork.second, fork.charter, fork.first)
    if fork.charter.continues is None:
        yield "the tables exchanged", "evidence.fork", turned.to_bytes()
        open_round = at_round(old, of_hand(old, 0), ended_after(old))
        within = replace(fork, first=open_round)
        yield "a message of the round that was open", "evidence.fork", within.to_bytes()
    else:
        same = Fork(fork.other, fork.second, fork.other, fork.second)
        yield "one table twice", "evidence.fork", same.to_bytes()


CATEGORIES = (continuation,)
