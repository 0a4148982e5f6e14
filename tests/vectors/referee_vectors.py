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
from protocol.wire.identity import Envelope, Purpose, sign
from protocol.wire.messages import (
    Message,
    RefereeWord,
    open_ruling,
    sign_ruling,
    table_tag,
)
from protocol.wire.terms import Term
from tests.vectors.answers import AUDIT
from tests.vectors.collect import Audits, Collector, Faults, File, Written, patch_between
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
    audited = found.accept(AUDIT, "the hand", transcript=File(f"hands/{NEW}.p304", new))
    for about, expect, other in _wrong_at_once(charter):
        data = Draft.of(new).with_record(0, other.to_bytes()).to_bytes()
        given = File(f"hands/{NEW}.p304", new, data)
        found.reject(audited, about, expect, transcript=given)
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


def _wrong_at_once(charter: Charter) -> Iterator[tuple[str, str, Charter]]:
    """What no table can go on with, whatever was before it."""
    scores = fields_of(charter)[4]
    yield "one score too few", "continuation.match", with_fields(charter, scores=scores[:1])
    yield "a match that is won", "continuation.match", with_fields(charter, scores=(0, 22))
    below = with_fields(charter, scores=(-1, 23))
    yield "a match that cannot stand so", "continuation.match", below
    yield "partners alone stay", "continuation.sides", with_fields(charter, present=0b0101, bots=())


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


def fork_faults(fork: Fork) -> Faults:
    """Forks that convict nobody."""
    old, new, twin = SAVED_HANDS[OLD].rehearsed(), SAVED_HANDS[NEW].rehearsed(), _twin()
    tables = {each.charter.digest: each for each in (old, new, twin)}
    first, second = tables[fork.charter.digest], tables[fork.other.digest]
    flipped = fork.second[:-1] + bytes((fork.second[-1] ^ 1,))
    yield "a message that was not signed", "signature", replace(fork, second=flipped)
    chat = sign_body(first, (table_tag(first.charter.digest), 0, 0, 3, ("hi",)), 0,
                  purpose=Purpose.NOTICE)  # fmt: skip
    yield "a notice as a message", "envelope.purpose", replace(fork, first=chat)
    nothing = sign_body(second, b"\xc0", 0)
    yield "a body of nil", "evidence.fork", replace(fork, second=nothing)
    for lane in (Lane.TABLE, Lane.DECK):
        ledger = second.table_state.replicas[LedgerName(lane, 0)].ledger
        raw = ledger.rounds[0].messages[0].raw
        yield f"a message of a {lane.name.lower()}", "evidence.fork", replace(fork, second=raw)
    other = of_hand(second, 1)
    yield "two seats", "evidence.fork", replace(fork, second=other)
    turned = Fork(fork.other, fork.second, fork.charter, fork.first)
    if fork.charter.continues is None:
        yield "the tables exchanged", "evidence.fork", turned
        open_round = at_round(old, of_hand(old, 0), ended_after(old))
        within = replace(fork, first=open_round)
        yield "a message of the round that was open", "evidence.fork", within
    else:
        same = Fork(fork.other, fork.second, fork.other, fork.second)
        yield "one table twice", "evidence.fork", same


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
    again = ((about, data) for about, expect, data in _again(table, whole) if not expect)
    for about, data in (*_also(table, whole), *again):
        audits.accept(about, data)
        stored = found.rows[-1]["input"]["transcript"]
        stored["patch"] = patch_between(whole, data.to_bytes())
    audits.reject(_faults(table, whole))
    audits.reject(each for each in _again(table, whole) if each[1])


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
    replica = table.table_state.hand_of(hand)
    return replica.ruling.content


def _faults(table: Rehearsal, whole: bytes) -> Faults:
    draft, first = Draft.of(whole), _first_hand(whole)
    at = first.places(b"R")[0]
    raw = first.records[at].payload
    ruling = ruling_of(table)

    def instead(payload: bytes) -> Draft:
        return first.with_record(at, payload)

    def other(**fields: Any) -> Draft:
        content = replace(ruling, **fields)
        return instead(sign_ruling(table.charter, content, table.referee).raw)

    yield "a ruling of another hand", "ruling.point", other(hand=1)
    yield "a ruling of an earlier point", "ruling.point", other(closed=ruling.closed - 1)
    yield "a ruling of a later point", "ruling.point", other(closed=ruling.closed + 1)
    yield "a ruling of another history", "ruling.point", other(digest=bytes(32))
    yield "no action", "ruling.verdict", other(verdict=0, against=0)
    yield "a penalty against nobody", "ruling.verdict", other(against=0)
    yield "a penalty against both sides", "ruling.verdict", other(against=3)
    yield "a penalty against a third side", "ruling.verdict", other(against=4)
    yield "a redeal against a side", "ruling.verdict", other(verdict=1)
    yield "an end against a side", "ruling.verdict", other(verdict=3)
    yield "nobody disqualified", "ruling.verdict", other(verdict=4, against=0)
    yield "both sides disqualified", "ruling.verdict", other(verdict=4, against=3)
    yield "nobody absent", "ruling.verdict", other(verdict=5, against=0)
    yield "a third side absent", "ruling.verdict", other(verdict=5, against=5)
    another = instead(raw[:2] + b"\1" + raw[3:])
    yield "a referee whom the charter does not name", "envelope.seat", another
    body = Envelope.from_bytes(raw).body
    for about, key in (("a seat's key", table.keys[0]), ("a stranger's key", _stranger(table))):
        forged = sign(key, body, purpose=Purpose.RULING, seat=Seat(0), charter=table.charter.digest)
        yield f"signed with {about}", "signature", instead(forged.to_bytes())
    elsewhere = sign(table.referee, body, purpose=Purpose.RULING, seat=Seat(0), charter=bytes(32))
    yield "signed for another table", "signature", instead(elsewhere.to_bytes())
    tag = table_tag(table.charter.digest)
    for about, expect, bad in (
        ("two numbers of the referee", "envelope.other_seat", RefereeWord(tag, 1, ruling)),
        ("the tag of another table", "envelope.other_table", RefereeWord(bytes(8), 0, ruling)),
    ):
        yield about, expect, instead(_by_referee(table, bad.to_bytes()))
    yield "a body that is nil", "encoding.type", instead(_by_referee(table, b"\xc0"))
    short = _by_referee(table, encode((tag, 0, 1)))
    yield "a body with an item too few", "schema.fields", instead(short)
    chat = sign_body(table, (tag, 0, 0, 3, ("hi",)), 0, purpose=Purpose.NOTICE)
    yield "a notice as a ruling", "envelope.purpose", instead(chat)
    place = first.places(b"M")[-1]
    yield "a ruling as a message", "envelope.purpose", first.with_record(place, raw)
    yield "a ruling as an agreement", "envelope.purpose", first.insert(at, DraftRecord(b"U", raw))
    yield "two rulings", "transcript.order", first.insert(at, DraftRecord(b"R", raw))
    later = first.insert(at + 1, first.records[place])
    yield "a message behind the ruling", "transcript.order", later
    before = first.insert(at, _next_message())
    yield "a message of the open round before the ruling", "ruling.point", before
    table_end = draft.places(b"E")[0]
    yield "a ruling in the setup", "ruling.point", first.insert(table_end, DraftRecord(b"R", raw))
    between = first.insert(table_end + 1, DraftRecord(b"R", raw))
    yield "a ruling between ledgers", "transcript.order", between
    yield "the ruling left out", "ledger.settled", first.without(at)
    yield from _after(table, draft)


def _by_referee(table: Rehearsal, body: bytes) -> bytes:
    purpose, charter = Purpose.RULING, table.charter.digest
    return sign(table.referee, body, purpose=purpose, seat=Seat(0), charter=charter).to_bytes()


def _stranger(table: Rehearsal) -> Any:
    return SAVED_HANDS["passed-out"].rehearsed().keys[0]


def _next_message() -> DraftRecord:
    """The message with which the hand would have gone on."""
    other = SAVED_HANDS[RULED].table_of()
    closed = SAVED_HANDS[RULED].ruled_after or 0
    other.play(1)
    hand = other.table_state.hand_of(0)
    return DraftRecord(b"M", hand.ledger.rounds[closed].messages[0].raw)


def _after(table: Rehearsal, draft: Draft) -> Faults:
    """Ledgers that do not follow a ruling."""
    places = draft.places(b"L")
    deck, hand = places[-2:]
    state = table.table_state
    stopped, played = state.hand_of(0), state.hand_of(EPOCH)
    assert stopped is not None
    assert played is not None

    def origin(place: int, **changed: Any) -> Draft:
        origin = replace((deck_origin if place == deck else played.origin), **changed)
        (lane, number), after = origin.ledger, origin.after
        row = (int(lane), number, after, int(origin.leading), origin.scores)
        return draft.with_record(place, encode(row))

    prepared = state.deck_of(EPOCH)
    deck_origin = prepared.origin
    numbered = deck_origin.ledger._replace(number=1)
    yield "the next number after a ruling", "transcript.order", origin(deck, ledger=numbered)
    plain = bytes(stopped.ledger.head)
    unruled = origin(deck, after=(plain,))
    yield "the deck continues the head without the ruling", "ledger.after", unruled
    another = origin(deck, leading=Seat((deck_origin.leading + 1) % 4))
    yield "another shuffles last after a ruling", "match.dealer", another
    unruled = origin(hand, after=(plain, played.origin.after[1]))
    yield "the hand continues the head without the ruling", "ledger.after", unruled
    scores = tuple(stopped.origin.scores)
    yield "the scores without the penalty", "match.scores", origin(hand, scores=scores)
    dealer = origin(hand, leading=stopped.origin.leading)
    yield "the dealer without the penalty", "match.dealer", dealer
    at = draft.places(b"R")[0]
    closed = SAVED_HANDS[RULED].ruled_after or 0
    for verdict, expect in (
        (RulingVerdict.END, "transcript.order"),
        (RulingVerdict.REDEAL, "ledger.after"),
        (RulingVerdict.DISQUALIFIED, "transcript.order"),
    ):
        against = int(verdict is RulingVerdict.DISQUALIFIED)
        raw = table.ruled(0, closed, verdict, against)
        about = f"goes on as after a penalty, after {verdict.name.lower()}"
        yield about, expect, draft.with_record(at, raw)
    first = _first_hand(draft.to_bytes())
    raw = table.ruled(0, closed, RulingVerdict.DISQUALIFIED, 1)
    ruled = stopped._replace(ruling=open_ruling(raw, table.charter))
    goes_on = replace(deck_origin, after=(bytes(ruled.head),))
    lost = begun(first.with_record(at, raw), table.charter, goes_on)
    yield "a deck of a match that is lost", "transcript.order", lost


def begun(draft: Draft, charter: Charter, origin: Origin) -> Draft:
    """The file with one more ledger, of which there is nothing but where it begins."""
    starts = DraftRecord(b"L", encode(origin.to_value()))
    return draft.insert(
        len(draft.records), starts, DraftRecord(b"E", bytes(origin.root(charter.digest)))
    )


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
            message = Message(table_tag(charter), place, head, content)
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


def _again(table: Rehearsal, whole: bytes) -> Faults:
    """Another match after one that a seat has lost by a ruling, and what is none: its check, ""
    for a file that is right."""
    stopped, first = table.table_state.hand_of(0), _first_hand(whole)
    assert stopped is not None
    raw = table.ruled(0, SAVED_HANDS[RULED].ruled_after or 0, RulingVerdict.DISQUALIFIED, 1)
    ruled = stopped._replace(ruling=open_ruling(raw, table.charter))
    lost = first.with_record(first.places(b"R")[0], raw)
    origin = Origin(LedgerName(Lane.TABLE, EPOCH), (bytes(ruled.head),), Seat(0))
    same, other = (naming(table, EPOCH, *seatings) for seatings in ((0, 0, 0, 0), (1, 0, 1, 1)))
    elsewhere, luck = naming(table, EPOCH, 1, 1, 1, 1), (LuckOpening(_LUCK),) * 4
    nowhere = naming(table, EPOCH, 0, 0, 3, 0)
    for about, expect, rounds in (
        ("another match", "", (same, luck)),
        ("another match, of which different seats were named first", "", (other, same, luck)),
        ("the same after fifteen such rounds", "", (*(other,) * 15, same, luck)),
        ("sixteen rounds that name different seats", "ledger.settled", (other,) * 16),
        ("a confirmation after sixteen of them", "turn.seat", (*(other,) * 16, same)),
        ("different seats are named, and no more", "ledger.settled", (other,)),
        ("luck after different seats were named", "turn.kind", (other, luck)),
        ("a match in other seats, which is played elsewhere", "ledger.settled", (elsewhere,)),
        ("luck of a match that is played elsewhere", "turn.seat", (elsewhere, luck)),
        ("other seats after all have named these", "turn.kind", (same, elsewhere)),
        ("seats that there are not", "rematch.seating", (nowhere, same, luck)),
    ):
        raws, head = said_in(table, origin, rounds)
        starts = begun(lost, table.charter, origin).without(len(lost.records) + 1)
        said = [DraftRecord(b"M", each) for each in raws]
        yield about, expect, Draft((*starts.records, *said, DraftRecord(b"E", bytes(head))))


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


def ruling_faults(rulings: TwoRulings) -> Faults:
    """Pairs that convict nobody."""
    table = SAVED_HANDS[RULED].rehearsed()
    content = ruling_of(table)
    yield "one ruling twice", "evidence.rulings", replace(rulings, second=rulings.first)
    idle = replace(content, verdict=0, against=0, closed=2)
    also = sign_ruling(table.charter, idle, table.referee).raw
    yield "no action elsewhere", "evidence.rulings", replace(rulings, second=also)
    later = replace(content, hand=EPOCH)
    after = sign_ruling(table.charter, later, table.referee).raw
    yield "a ruling about what followed", "evidence.rulings", replace(rulings, second=after)
    flipped = rulings.second[:-1] + bytes((rulings.second[-1] ^ 1,))
    yield "a ruling that was not signed", "signature", replace(rulings, second=flipped)
    tag = table_tag(table.charter.digest)
    chat = sign_body(table, (tag, 0, 0, 3, ("hi",)), 0, purpose=Purpose.NOTICE)
    yield "a notice as a ruling", "envelope.purpose", replace(rulings, first=chat)
    nothing = _by_referee(table, b"\xc0")
    yield "a body of nil", "encoding.type", replace(rulings, second=nothing)


CATEGORIES = (referee,)
