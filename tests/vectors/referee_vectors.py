"""Vectors of tables that go on, and of tables under referees: charters, changes, rulings, forks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from cli.conformance.tables import Draft, DraftRecord, body_of, seeded_entropy, sign_body
from p2p304.seats import Seat
from protocol.encoding import encode
from protocol.places import EPOCH, Digest, Lane, LedgerName, Place
from protocol.proofs.context import MessageContext
from protocol.table.evidence import Fork, TwoRulings
from protocol.table.ledger import Origin, round_digest
from protocol.table.setups import luck_commitment
from protocol.wire.charter import Charter
from protocol.wire.contents import (
    Confirmation,
    Content,
    LuckOpening,
    Reseating,
    Ruling,
    RulingVerdict,
)
from protocol.wire.messages import (
    Message,
    open_ruling,
    sign_ruling,
)
from protocol.wire.terms import Term
from tests.vectors.answers import AUDIT
from tests.vectors.collect import Audits, Collector, File, Written, patch_between
from tests.vectors.rehearsal import PRESENT, SAVED_HANDS, Rehearsal

# --- continuation vectors -------------------------------------------------------------------------

# Vectors of tables that go on with another table's match: charters, changes, forks.

OLD, NEW = "unfinished", "continued"
HAND = LedgerName(Lane.HAND, 0)


def continuation() -> Collector:
    """A match that goes on at another table."""
    found = Collector.answered("continuation", until=AUDIT)
    charter = SAVED_HANDS[NEW].table_of().charter
    old, new = SAVED_HANDS[OLD].transcript(), SAVED_HANDS[NEW].transcript()
    before = File(f"hands/{OLD}.p304", old)
    found.accept(AUDIT, "the hand", transcript=File(f"hands/{NEW}.p304", new))
    found.faults()
    found.accept(
        "charter.continues", "as it stands", before=before, charter=charter.to_bytes().hex()
    )
    for about, other in _goes_on_too(charter):
        found.accept("charter.continues", about, strange=True, before=before,
                     charter=other.to_bytes().hex())  # fmt: skip
    found.faults()
    for name in ("closed", "deal-of-41"):
        _match_after(found, name, f"after {SAVED_HANDS[name].about}")
    _match_after(found, "ruled", "under the same referee")
    return found


def _match_after(found: Collector, name: str, about: str) -> None:
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


def _goes_on_too(charter: Charter) -> Iterator[tuple[str, Charter]]:
    """What goes on with the match, too."""
    yield "a friend in the fourth seat", with_fields(charter, bots=())
    yield "one of those who ended the hand goes as well", with_fields(charter, present=0b0011)


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
    return next(each.raw for closed in rounds for each in closed
                if each.place.seat == seat)  # fmt: skip


def carried(table: Rehearsal, raw: bytes) -> bytes:
    """The same message as its seat says it at another table."""
    return sign_body(table, (table.charter.tag, *body_of(raw)[1:]), raw[2])


def at_round(table: Rehearsal, raw: bytes, number: int) -> bytes:
    """A message as its seat says it in another round of the hand."""
    body = body_of(raw)
    return sign_body(table, (*body[:3], number, *body[4:]), raw[2])


CONTINUATION_CATEGORIES = (continuation,)


# --- referee vectors ------------------------------------------------------------------------------

# Vectors of tables under referees: charters, hands that a ruling stopped, rulings that convict.

RULED = "ruled"


def referee() -> Collector:
    """Tables under referees."""
    found = Collector.answered("referee", until=AUDIT)
    table = SAVED_HANDS[RULED].rehearsed()
    _files(found, table)
    return found


def _files(found: Collector, table: Rehearsal) -> None:
    whole = SAVED_HANDS[RULED].transcript()
    audits = Audits(found, RULED, whole)
    for about, data in (*_also(table, whole), *_again(table, whole)):
        audits.accept(about, data)
        stored = found.rows[-1]["input"]["transcript"]
        stored["patch"] = patch_between(whole, data.to_bytes())
    found.faults()


def _first_hand(whole: bytes) -> Draft:
    """The file up to the end of the hand that was stopped."""
    draft = Draft.of(whole)
    return draft.without(draft.places(b"R")[0] + 2, len(draft.records))


def _also(table: Rehearsal, whole: bytes) -> Iterator[tuple[str, Written]]:
    first = _first_hand(whole)
    at = first.places(b"R")[0]
    yield "the hand that was stopped alone", first
    for verdict, against in (
        (RulingVerdict.REDEAL, 0),
        (RulingVerdict.PENALTY, 2),
        (RulingVerdict.END, 0),
        (RulingVerdict.DISQUALIFIED, 2),
        (RulingVerdict.WALK_OVER, 1),
        (RulingVerdict.WALK_OVER, 3),
    ):
        raw = table.ruled(0, SAVED_HANDS[RULED].ruled_after or 0, verdict, against)
        about = f"{verdict.name.lower().replace('_', ' ')} against {against}"
        yield about, first.with_record(at, raw)
    text = ruling_of(table)
    said = sign_ruling(table.charter, replace(text, text="why"), table.referee).raw
    yield "with a word of the referee", first.with_record(at, said)


def ruling_of(table: Rehearsal, hand: int = 0) -> Ruling:
    """What was ruled of a hand."""
    replica = table.table_state.hand(hand)
    return replica.ruling.content


# --- another match --------------------------------------------------------------------------------

_LUCK: Final = seeded_entropy("another match")(32)


def said_in(
    table: Rehearsal, origin: Origin, rounds: Iterable[Sequence[Content]]
) -> tuple[list[bytes], Digest]:
    """What all seats say in the rounds of a ledger, judged by nobody, and the head after them."""
    charter, raws = table.charter.digest, list[bytes]()
    head = origin.root(charter)
    for number, contents in enumerate(rounds):
        said = []
        for seat, content in enumerate(contents):
            place = Place(origin.ledger, number, Seat(seat))
            message = Message(table.charter.tag, place, head, content)
            said.append(message.signed(table.keys[seat], charter=charter))
        raws += [each.raw for each in said]
        head = round_digest(head, number, said)
    return raws, head


def naming(table: Rehearsal, number: int, *seatings: int) -> tuple[Content, ...]:
    """Confirmations of an opening that name these seatings, seat by seat."""
    charter, name = Digest(table.charter.digest), LedgerName(Lane.TABLE, number)
    places = (MessageContext(charter, Place(name, 0, Seat(each)), charter) for each in range(4))
    return tuple(
        Reseating(seating) if seating else Confirmation(luck_commitment(context, _LUCK))
        for context, seating in zip(places, seatings, strict=False)
    )


def _again(table: Rehearsal, whole: bytes) -> Iterator[tuple[str, Written]]:
    """Another match after one that a seat has lost by a ruling."""
    stopped, first = table.table_state.hand(0), _first_hand(whole)
    raw = table.ruled(0, SAVED_HANDS[RULED].ruled_after or 0, RulingVerdict.DISQUALIFIED, 1)
    ruled = stopped._replace(ruling=open_ruling(raw, table.charter))
    lost = first.with_record(first.places(b"R")[0], raw)
    origin = Origin(LedgerName(Lane.TABLE, EPOCH), (bytes(ruled.head),), Seat(0))
    begins = DraftRecord(b"L", encode(origin.to_value()))
    same, other = (naming(table, EPOCH, *seatings) for seatings in ((0, 0, 0, 0), (1, 0, 1, 1)))
    luck = (LuckOpening(_LUCK),) * 4
    for about, rounds in (
        ("another match", (same, luck)),
        ("another match, of which different seats were named first", (other, same, luck)),
        ("the same after fifteen such rounds", (*(other,) * 15, same, luck)),
    ):
        raws, head = said_in(table, origin, rounds)
        said = [DraftRecord(b"M", each) for each in raws]
        yield about, Draft((*lost.records, begins, *said, DraftRecord(b"E", bytes(head))))


# --- evidence -------------------------------------------------------------------------------------


def two_rulings() -> Iterator[tuple[str, TwoRulings]]:
    """Pairs of rulings of one referee that contradict each other."""
    table = SAVED_HANDS[RULED].rehearsed()
    content = ruling_of(table)

    def pair(**changed: Any) -> TwoRulings:
        other = sign_ruling(table.charter, replace(content, **changed), table.referee)
        first = sign_ruling(table.charter, content, table.referee)
        return TwoRulings(table.charter, first.raw, other.raw)

    yield "two rulings about a point", pair(verdict=0, against=0)
    yield "two rulings that stop a hand", pair(closed=1, verdict=1, against=0)


CATEGORIES = (referee,)
