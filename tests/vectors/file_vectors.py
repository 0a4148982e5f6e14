"""Vectors of whole files: transcripts, evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from cli.conformance.transcript_edits import Draft, Record, body_of, signed
from cli.seat.charter_text import game_of
from p2p304.seats import Seat
from protocol.encoding import Value, decode, encode
from protocol.places import Lane, LedgerName
from protocol.table.evidence import Conflict, Evidence, Fault, Fork, Prefix, TwoRulings
from protocol.table.judge_again import check_evidence
from protocol.table.ledger import Origin
from protocol.transcript.file import MAGIC
from protocol.wire.charter import Charter
from protocol.wire.contents import LuckOpening
from protocol.wire.envelope import Purpose
from protocol.wire.messages import table_tag
from tests.vectors.collect import Collector, File
from tests.vectors.continuation_vectors import fork_faults, forks
from tests.vectors.hands import SAVED_HANDS, TABLES
from tests.vectors.patches import patch_between
from tests.vectors.referee_vectors import begun, naming, ruling_faults, said_in, two_rulings
from tests.vectors.rehearsal import Rehearsal
from tests.vectors.saved_hands import HANDS

EVIDENCE = HANDS.parent / "evidence"


# --- transcripts ----------------------------------------------------------------------------------


def transcript() -> Collector:
    """Whole hands, judged."""
    found = Collector("transcript", "audits of saved hands (6.1 to 6.3)")
    bases: dict[str, str] = {}
    of_304 = [
        each
        for each in SAVED_HANDS.values()
        if each.game == "304" and not each.continues and each.ruled_after is None
    ]
    for saved in of_304:
        if saved.name in TABLES:
            continue
        data = saved.transcript()
        name = f"hands/{saved.name}.p304"
        strange = saved.name in ("redeal", "unfinished")
        bases[saved.name] = found.accept(
            "transcript.audit", saved.about, transcript=File(name, data), strange=strange
        )
    table = SAVED_HANDS["passed-out"].rehearsed()
    whole = SAVED_HANDS["passed-out"].transcript()
    name = "hands/passed-out.p304"
    for about, data in _unusual(table, whole):
        found.accept("transcript.audit", about, strange=True, transcript=File(name, whole, data))
        # What differs from a file of ours is stored whole: small, and nobody's base.
        found.rows[-1]["input"]["transcript"] = {
            "file": name,
            "patch": _patch(whole, data),
        }
    for about, expect, data in _faults(table, whole):
        found.reject(bases["passed-out"], about, expect, transcript=File(name, whole, data))
    about = "ended, although only a signature of its result is missing"
    given = File("hands/passed-out.p304", whole, _signature_missing(table, whole))
    found.reject(bases["passed-out"], about, "agreement.hand", transcript=given)
    closed = SAVED_HANDS["closed"]
    for about, expect, data in _hand_faults(closed.rehearsed(), closed.transcript()):
        given = File("hands/closed.p304", closed.transcript(), data)
        found.reject(bases["closed"], about, expect, transcript=given)
    two = SAVED_HANDS["two-hands"]
    draft = Draft.of(two.transcript())
    origins, ends = draft.places(b"L"), draft.places(b"E")
    for about, first in (
        ("two decks and the second hand alone", ends[1] + 1),
        ("the second hand without the first and its deck", origins[1]),
    ):
        data = draft.without(first, ends[2] + 1).to_bytes()
        name = "hands/two-hands.p304"
        given = File(name, two.transcript(), data)
        found.accept("transcript.audit", about, strange=True, transcript=given)
        patch = _patch(two.transcript(), data)
        found.rows[-1]["input"]["transcript"] = {"file": name, "patch": patch}
    for about, expect, data in _match_faults(two.rehearsed().charter, two.transcript()):
        given = File("hands/two-hands.p304", two.transcript(), data)
        found.reject(bases["two-hands"], about, expect, transcript=given)
    left = SAVED_HANDS["unfinished"]
    for about, present in (("one of each side", (0, 3)), ("all four", (0, 1, 2, 3))):
        seats = tuple(map(Seat, present))
        table = left.table_of().end_unfinished(left.ended_after or 0, seats)
        data, name = table.transcript(), "hands/unfinished.p304"
        given = File(name, left.transcript(), data)
        about = f"the same hand, ended by {about}"
        found.accept("transcript.audit", about, strange=True, transcript=given)
        patch = _patch(left.transcript(), data)
        found.rows[-1]["input"]["transcript"] = {"file": name, "patch": patch}
    for about, expect, data in _agreement_faults(left.rehearsed(), left.transcript()):
        given = File("hands/unfinished.p304", left.transcript(), data)
        found.reject(bases["unfinished"], about, expect, transcript=given)
    for about, profile in _short_profiles(table.charter.profile):
        agreed = replace(table.charter, profile=profile).to_bytes()
        given = File(
            "hands/passed-out.p304", whole, Draft.of(whole).with_record(0, agreed).to_bytes()
        )
        found.reject(bases["passed-out"], about, "charter.profile", transcript=given)
    return found


def _short_profiles(full: str) -> Iterator[tuple[str, str]]:
    first, *rows = full.split("\n")
    yield "a profile by its name alone", first
    yield "no profile at all", ""
    yield "an agreement that is not canonical", f"{first};   bid_max=250 ; +bank_scoring"
    yield "a full agreement without its last parameter", "\n".join((first, *rows[:-1]))
    yield "a full agreement with a line break at its end", f"{full}\n"


def _agreement_faults(table: Rehearsal, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    draft = Draft.of(whole)
    places, messages = draft.places(b"U"), draft.places(b"M")
    raws = [draft.records[place].payload for place in places]
    content = decode(raws[0][67:])
    assert isinstance(content, tuple)
    hand = content[-1]
    assert isinstance(hand, tuple)

    def said(seat: int, *fields: Value, by: int | None = None) -> bytes:
        assert isinstance(content, tuple)
        body = (content[0], seat, *content[2:-1], fields)
        return signed(table, body, seat, by=by, purpose=Purpose.NOTICE)

    def everybody(*fields: Value) -> bytes:
        changed = draft
        for seat, place in enumerate(places):
            changed = changed.with_record(place, said(seat, *fields))
        return changed.to_bytes()

    number, closed, digest, present = hand
    assert isinstance(closed, int)
    without = draft.without(places[0], places[-1] + 1)
    yield "no agreement", "ledger.settled", without.to_bytes()
    yield "an agreement left out", "agreement.seats", draft.without(places[1]).to_bytes()
    swapped = draft.swapped(places[0], places[1])
    yield "agreements in another order", "agreement.seats", swapped.to_bytes()
    twice = draft.inserted(places[0], draft.records[places[0]])
    yield "an agreement twice", "agreement.seats", twice.to_bytes()
    fourth = draft.inserted(places[-1] + 1, Record(b"U", said(3, *hand)))
    yield "of a seat that is not named", "agreement.seats", fourth.to_bytes()
    more = everybody(number, closed, digest, 0b1111)
    yield "a seat more is named", "agreement.seats", more
    beyond = everybody(number, closed, digest, 0b10111)
    yield "a seat that the table has not", "agreement.hand", beyond
    yield "another hand", "agreement.hand", everybody(1, closed, digest, present)
    yield "a round less", "agreement.hand", everybody(number, closed - 1, digest, present)
    yield "another head", "agreement.hand", everybody(number, closed, bytes(32), present)
    other = draft.with_record(places[1], said(1, number, closed, digest, 0b1011))
    yield "one agrees with others", "agreement.hand", other.to_bytes()
    forged = draft.with_record(places[2], said(2, *hand, by=0))
    yield "signed by another seat", "signature", forged.to_bytes()
    ledger = draft.with_record(places[0], draft.records[messages[-1]].payload)
    yield "a message of the ledger as an agreement", "envelope.purpose", ledger.to_bytes()
    notice = draft.with_record(messages[-1], raws[0])
    yield "an agreement as a message of the ledger", "envelope.purpose", notice.to_bytes()
    late = draft.inserted(places[-1] + 1, draft.records[messages[-1]])
    yield "a message after the agreements", "transcript.order", late.to_bytes()
    early = draft.swapped(messages[-1], places[0])
    yield "an agreement before the round it tells of", "agreement.hand", early.to_bytes()
    hand_at = draft.places(b"L")[-1]
    _, share, *_ = (place for place in messages if place > hand_at)
    cut = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.digest_after(1)
    amid = draft.without(share + 1, messages[-1] + 1)
    for about, seats in (("before the agreements", (0, 1, 2)), ("and an agreement less", (0, 1))):
        ended = [Record(b"U", said(seat, number, 1, cut, present)) for seat in seats]
        start = amid.places(b"U")[0]
        closing = (*ended, Record(b"E", cut))
        data = amid.without(start, start + 4).inserted(start, *closing).to_bytes()
        yield f"a message of the open round {about}", "agreement.hand", data
    ends = draft.places(b"E")
    elsewhere = draft.inserted(ends[1], draft.records[places[0]])
    yield "an agreement in a deck", "agreement.hand", elsewhere.to_bytes()
    next_ledger = draft.inserted(len(draft.records), draft.records[draft.places(b"L")[1]])
    yield "a ledger after it", "transcript.order", next_ledger.to_bytes()
    for partners in ((0, 2), (1, 3)):
        bits = sum(1 << seat for seat in partners)
        alone = without.inserted(
            places[0],
            *(Record(b"U", said(seat, number, closed, digest, bits)) for seat in partners),
        )
        about = f"ended by one side alone, seats {partners[0]} and {partners[1]}"
        yield about, "agreement.sides", alone.to_bytes()
    # One who is named signed the message that closes the round which is open where it ends.
    author = raws_of(draft)[messages[-1]][2]
    earlier = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.digest_after(closed - 1)
    named = (author, (author + 1) % 4)
    point = (number, closed - 1, earlier, sum(1 << seat for seat in named))
    records = [Record(b"U", said(seat, *point)) for seat in sorted(named)]
    after = without.inserted(places[0], *records)
    yield "ended before a message of one who is named", "agreement.hand", after.to_bytes()
    before = without.inserted(messages[-1], *records)
    yield "a message of one who is named, after the end", "transcript.order", before.to_bytes()


def raws_of(draft: Draft) -> list[bytes]:
    """What stands in each record."""
    return [record.payload for record in draft.records]


def _signature_missing(table: Rehearsal, whole: bytes) -> bytes:
    """A hand that three seats end although nothing but a signature of its result is missing."""
    draft = Draft.of(whole)
    ledger = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger
    end = draft.places(b"E")[-1]
    head = ledger.rounds[-2].digest
    place = draft.places(b"M")[-1]
    missing = draft.records[place].payload[2]
    present = [seat for seat in range(4) if seat != missing]
    fields = (0, len(ledger.rounds) - 1, head, 0b1111 ^ 1 << missing)
    bodies = [(table_tag(table.charter.digest), seat, 0, 2, fields) for seat in present]
    records = [
        Record(b"U", signed(table, body, body[1], purpose=Purpose.NOTICE)) for body in bodies
    ]
    return draft.with_record(end, head).without(place).inserted(place, *records).to_bytes()


def _patch(before: bytes, after: bytes) -> list[list[Any]]:
    return patch_between(before, after, tail=32)


def _unusual(table: Rehearsal, whole: bytes) -> Iterator[tuple[str, bytes]]:
    draft = Draft.of(whole)
    messages = draft.places(b"M")
    for missing in (1, 2, 3, 4):
        last = messages[-missing:]
        # The head of the ledger is then the one before its last round.
        head = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.rounds[-2].digest
        short = draft.without(last[0], last[-1] + 1)
        end = short.places(b"E")[-1]
        yield f"{missing} have not signed the result", short.with_record(end, head).to_bytes()


def _body(raw: bytes) -> list[Value]:
    return list(body_of(raw))


def _faults(table: Rehearsal, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    draft = Draft.of(whole)
    messages, origins, ends = draft.places(b"M"), draft.places(b"L"), draft.places(b"E")
    first = draft.records[messages[0]].payload

    yield "another format", "transcript.format", b"p2p304 transcript 2\n" + whole[len(MAGIC) :]
    yield "an empty file", "transcript.incomplete", b""
    yield "the format line alone", "transcript.incomplete", MAGIC
    yield "cut in the last record", "transcript.incomplete", whole[:-1]
    yield "without its last record", "transcript.incomplete", whole[:-37]
    yield "cut in the middle", "transcript.incomplete", whole[: len(whole) // 2]
    yield "a record after the end", "transcript.after-end", whole + whole[-37:]
    yield "a byte after the end", "transcript.after-end", whole + b"\0"
    yield "another digest", "transcript.digest", whole[:-1] + bytes((whole[-1] ^ 1,))
    long = Record(b"M", bytes(65_537)).to_bytes()
    yield "a record too long", "transcript.size", whole[:-37] + long[:4096]
    nothing = b"X" + (65_537).to_bytes(4, "big")
    yield "a record too long, of an unknown kind, of which nothing is there", "transcript.size", (
        whole[:-37] + nothing)  # fmt: skip
    yield "a record too long after the end", "transcript.after-end", whole + nothing
    odd = draft.inserted(1, Record(b"X", b""))
    yield "an unknown record", "transcript.record", odd.to_bytes()
    large = draft.with_record(origins[0], encode((0, 0, (), 0, (0,) * 16_000), max_bytes=1 << 16))
    yield "a ledger's start of 16,010 bytes", "encoding.size", large.to_bytes()
    short = draft.with_record(ends[0], draft.records[ends[0]].payload[:-1])
    yield "a head of 31 bytes", "transcript.record", short.to_bytes()
    yield "no charter", "transcript.order", draft.without(0).to_bytes()
    yield "two charters", "transcript.order", draft.inserted(1, draft.records[0]).to_bytes()
    yield "a ledger in a ledger", "transcript.order", draft.inserted(
        messages[0], draft.records[origins[0]]).to_bytes()  # fmt: skip
    yield "a ledger without an end", "transcript.order", draft.without(ends[0]).to_bytes()
    yield "a message outside a ledger", "transcript.order", draft.inserted(
        1, draft.records[messages[0]]).to_bytes()  # fmt: skip
    yield "the end within a ledger", "transcript.order", Draft(
        draft.records[: messages[3]]).to_bytes()  # fmt: skip
    yield "no deck", "transcript.missing", draft.without(origins[1], ends[1] + 1).to_bytes()
    yield "no opening", "transcript.missing", draft.without(origins[0], ends[0] + 1).to_bytes()
    missing = draft.without(messages[0])
    yield "a message left out", "ledger.place", missing.to_bytes()
    yield "a message twice", "ledger.place", draft.inserted(
        messages[0], draft.records[messages[0]]).to_bytes()  # fmt: skip
    yield "two rounds exchanged", "ledger.place", draft.swapped(
        messages[0], messages[4]).to_bytes()  # fmt: skip
    yield "an unfinished opening", "ledger.head", draft.without(messages[7]).to_bytes()
    yield "another head", "ledger.head", draft.with_record(ends[0], bytes(32)).to_bytes()
    for about, ledger, place, item, expect in (
        ("lane 3", 0, 0, 3, "transcript.origin"),
        ("a link of 31 bytes", 1, 2, (bytes(31),), "transcript.origin"),
        ("three links", 2, 2, (bytes(32),) * 3, "transcript.origin"),
        ("scores that are bytes", 2, 4, (b"1", b"2"), "transcript.origin"),
        ("leading seat 64", 0, 3, 64, "transcript.origin"),
        ("leading seat 4 of four", 1, 3, 4, "match.dealer"),
        ("an opening led by seat 1", 0, 3, 1, "match.dealer"),
        ("an opening after something", 0, 2, (bytes(32),), "ledger.after"),
        ("another last shuffler", 1, 3, None, "match.dealer"),
        ("a deck after another opening", 1, 2, (bytes(32),), "ledger.after"),
        ("a deck with scores", 1, 4, (1, 2), "match.scores"),
        ("another dealer", 2, 3, None, "match.dealer"),
        ("other scores before the hand", 2, 4, (10, 12), "match.scores"),
        ("a hand after another opening", 2, 2, "first", "ledger.after"),
        ("a hand with another deck", 2, 2, "second", "ledger.after"),
        ("a hand that continues one ledger", 2, 2, "one", "ledger.after"),
        ("the number of another hand", 2, 1, 1, "transcript.missing"),
    ):
        row = decode(draft.records[origins[ledger]].payload)
        assert isinstance(row, tuple)
        changed: list[Value] = list(row)
        links = changed[2]
        assert isinstance(links, tuple)
        assert isinstance(changed[3], int)
        new: Value
        match item:
            case None:
                new = (changed[3] + 1) % 4
            case "first":
                new = (bytes(32), links[1])
            case "second":
                new = (links[0], bytes(32))
            case "one":
                new = links[:1]
            case _:
                new = item  # type: ignore[assignment]
        changed[place] = new
        data = draft.with_record(origins[ledger], encode(tuple(changed)))
        yield about, expect, data.to_bytes()
    value = decode(draft.records[0].payload)
    assert isinstance(value, tuple)
    two = encode((*value[:4], value[4][:2], *value[5:]))  # type: ignore[index]
    yield "a charter of two seats", "charter.seats", draft.with_record(0, two).to_bytes()
    other = encode((*value[:1], bytes(16), *value[2:]))
    yield "the charter of another table", "signature", draft.with_record(0, other).to_bytes()
    yield from _message_faults(table, draft, messages, first)


def _message_faults(
    table: Rehearsal, draft: Draft, messages: list[int], first: bytes
) -> Iterator[tuple[str, str, bytes]]:
    def put(place: int, raw: bytes) -> bytes:
        return draft.with_record(messages[place], raw).to_bytes()

    def said(place: int, at: int, item: Value, by: int | None = None) -> bytes:
        raw = draft.records[messages[place]].payload
        body = _body(raw)
        body[at] = item
        return put(place, signed(table, tuple(body), raw[2], by=by))

    def content(place: int, *fields: Value) -> bytes:
        return said(place, 7, fields)

    yield "a bit of a signature", "signature", put(0, first[:10] + bytes((first[10] ^ 1,))
                                                   + first[11:])  # fmt: skip
    opening = table.table_state.replicas[LedgerName(Lane.TABLE, 0)].ledger
    behind = _body(draft.records[messages[7]].payload)
    for about, number, head, expect in (
        ("a message for the round after the ledger's last", 2, opening.head, "turn.seat"),
        ("the same, of another history", 2, bytes(32), "ledger.digest"),
        ("a message two rounds after the ledger's last", 3, opening.head, "ledger.place"),
    ):
        behind[3:7] = [number, 0, behind[5], head]
        extra = Record(b"M", signed(table, tuple(behind), 0))
        yield about, expect, draft.inserted(messages[7] + 1, extra).to_bytes()
    yield "signed by another seat", "signature", said(0, 1, 0, by=(first[2] + 1) % 4)
    yield "an envelope of another version", "envelope.version", put(0, b"\2" + first[1:])
    yield "a message of another table", "envelope.other_table", said(0, 0, bytes(8))
    yield "a message of another ledger", "ledger.place", said(0, 2, 1)
    yield "a message of a later round", "ledger.place", said(0, 3, 1)
    yield "another previous digest", "ledger.digest", said(0, 6, bytes(32))
    yield "a message of another kind", "schema.lane", said(0, 5, 8)
    yield "a body of nil", "encoding.type", put(0, signed(table, b"\xc0", first[2]))
    longer = signed(table, first[67:] + b"\0", first[2])
    yield "a body with a byte behind", "encoding.trailing", put(0, longer)
    yield "luck that was not committed to", "luck.opening", content(4, bytes(32))
    luck = signed(table, (*_body(first)[:5], 2, _body(first)[6], (bytes(32),)), first[2])
    yield "luck in place of a confirmation", "turn.kind", put(0, luck)
    seats = signed(table, (*_body(first)[:5], 10, _body(first)[6], (1,)), first[2])
    yield "other seats before any match", "turn.kind", put(0, seats)
    keys = _body(draft.records[messages[8]].payload)[7]
    assert isinstance(keys, tuple)
    public, proof = keys
    assert isinstance(public, bytes)
    assert isinstance(proof, bytes)
    yield "keys without proof", "key.proof", content(8, public, bytes(96))
    yield "keys exchanged", "key.proof", content(8, public[33:] + public[:33], proof)
    yield "a key with prefix 05", "point.prefix", content(8, b"\5" + public[1:], proof)
    yield "a proof of 95 bytes", "schema.size", content(8, public, proof[:-1])
    step = _body(draft.records[messages[12]].payload)[7]
    assert isinstance(step, tuple)
    (data,) = step
    assert isinstance(data, bytes)
    exchanged = data[99:198] + data[:99] + data[198:]
    yield "two cards of a shuffle exchanged", "shuffle.equation", content(12, exchanged)
    yield "a shuffle that is too short", "shuffle-proof.length", content(12, data[:-1])
    yield "a shuffle again by the same seat", "turn.seat", _again(table, draft, messages)
    cut = messages[16]
    seat = draft.records[cut].payload[2]
    yield "a cut of 32", "action.rule", content(16, "cut 32", (), (), (), ())
    yield "a cut that is not canonical", "action.notation", content(16, "cut 07", (), (), (), ())
    yield "a dance", "action.notation", content(16, "dance", (), (), (), ())
    yield "a cut with a proof", "statement.count", content(16, "cut 7", (b"",), (), (), ())
    yield "a cut with a commitment", "action.commitments", content(
        16, "cut 7", (), (bytes(32),), (), ())  # fmt: skip
    yield "a cut with a remix", "remix.count", content(16, "cut 7", (), (), (b"x",), ())
    yield "a cut with a salt", "commitment.count", content(16, "cut 7", (), (), (), (bytes(32),))
    other = (seat + 1) % 4
    body = [*_body(draft.records[cut].payload)]
    body[4] = other
    yield "a cut by another seat", "turn.seat", put(16, signed(table, tuple(body), other))
    batch = _body(draft.records[messages[17]].payload)[7]
    assert isinstance(batch, tuple)
    shares = batch[0]
    assert isinstance(shares, bytes)
    yield "shares of two cards exchanged", "shares.proof", content(
        17, shares[66:132] + shares[:66] + shares[132:], ())  # fmt: skip
    yield "a share too few", "shares.length", content(17, shares[66:], ())
    yield "shares with a salt", "commitment.count", content(17, shares, (bytes(32),))
    last = len(messages) - 4
    yield "a better result", "result.scores", content(last, (1, -1), ())
    yield "a result of four sides", "result.scores", content(last, (0, 0, 0, 0), ())
    yield "a result with a salt", "commitment.count", content(last, (0, 0), (bytes(32),))


def _again(table: Rehearsal, draft: Draft, messages: list[int]) -> bytes:
    first, second = (draft.records[messages[place]].payload for place in (12, 13))
    body = _body(second)
    body[4] = first[2]
    return draft.with_record(messages[13], signed(table, tuple(body), first[2])).to_bytes()


def _hand_faults(table: Rehearsal, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    draft = Draft.of(whole)
    messages = draft.places(b"M")

    def first(word: str, *, proofs: int | None = None) -> int:
        for place in messages:
            content = _body(draft.records[place].payload)[7]
            assert isinstance(content, tuple)
            head = content[0]
            fits = proofs is None or (len(content) > 1 and len(content[1]) == proofs)  # type: ignore[arg-type]
            if isinstance(head, str) and head.startswith(word) and fits:
                return place
        raise AssertionError(word)

    def kind(code: int) -> int:
        return next(place for place in messages if _body(draft.records[place].payload)[5] == code)

    def put(place: int, *content: Value) -> bytes:
        raw = draft.records[place].payload
        body = _body(raw)
        body[7] = content
        return draft.with_record(place, signed(table, tuple(body), raw[2])).to_bytes()

    def parts(place: int) -> list[Any]:
        content = _body(draft.records[place].payload)[7]
        assert isinstance(content, tuple)
        return list(content)

    sort = first("sort")
    text, proofs, commitments, remixes, salts = parts(sort)
    remix = remixes[0]
    mixed = remix[99:198] + remix[:99] + remix[198:]
    yield "a sorted hand that is not the hand", "shuffle.equation", put(
        sort, text, proofs, commitments, (mixed,), salts)  # fmt: skip
    yield "a hand that is not sorted", "remix.count", put(sort, text, proofs, commitments, (),
                                                          salts)  # fmt: skip
    yield "a sorted hand too short", "shuffle-proof.length", put(
        sort, text, proofs, commitments, (remix[:-1],), salts)  # fmt: skip
    laid = first("indicator")
    text, proofs, commitments, remixes, salts = parts(laid)
    yield "an indicator without a commitment", "action.commitments", put(
        laid, text, proofs, (), remixes, salts)  # fmt: skip
    yield "an indicator out of another hand", "action.rule", put(
        laid, "indicator 31", proofs, commitments, remixes, salts)  # fmt: skip
    play = first("play", proofs=1)
    text, proofs, commitments, remixes, salts = parts(play)
    other = "7S" if not text.endswith("7S") else "8S"
    yield "a card that is not in the slot", "opening.proof", put(
        play, text[:-2] + other, proofs, commitments, remixes, salts)  # fmt: skip
    yield "a card without its proof", "statement.count", put(play, text, (), commitments, remixes,
                                                             salts)  # fmt: skip
    yield "an opening a byte too long", "opening.length", put(
        play, text, (proofs[0] + b"\0",), commitments, remixes, salts)  # fmt: skip
    down = first("down", proofs=1)
    text, proofs, commitments, remixes, salts = parts(down)
    broken = proofs[0][:-1] + bytes((proofs[0][-1] ^ 1,))
    yield "not following suit, the proof broken", "distinction.proof", put(
        down, text, (broken,), commitments, remixes, salts)  # fmt: skip
    yield "not following suit, no proof", "statement.count", put(down, text, (), commitments,
                                                                 remixes, salts)  # fmt: skip
    yield "a card down without a commitment", "action.commitments", put(down, text, proofs, (),
                                                                        remixes, salts)  # fmt: skip
    handed = kind(6)
    handovers, salts = parts(handed)
    yield "a hand-over too few", "hand-over.count", put(handed, (), salts)
    bad = handovers[0][:-1] + bytes((handovers[0][-1] ^ 1,))
    yield "a hand-over that is wrong", "hand-over.proof", put(handed, (bad,), salts)
    count = first("count")
    text, proofs, commitments, remixes, salts = parts(count)
    yield "a salt that opens nothing", "commitment.opening", put(
        count, text, proofs, commitments, remixes, (bytes(32), *salts[1:]))  # fmt: skip
    yield "a salt too few", "commitment.count", put(count, text, proofs, commitments, remixes,
                                                    salts[1:])  # fmt: skip
    none = first("none")
    text, proofs, commitments, remixes, salts = parts(none)
    yield "a cut trick called uncut, or the reverse", "action.rule", put(
        none, "trump", (), commitments, remixes, salts)  # fmt: skip


def _match_faults(charter: Charter, whole: bytes) -> Iterator[tuple[str, str, bytes]]:
    draft = Draft.of(whole)
    origins, ends = draft.places(b"L"), draft.places(b"E")
    swapped = [*draft.records[: origins[1]], *draft.records[origins[3] : ends[4] + 1],
               *draft.records[origins[1] : ends[2] + 1]]  # fmt: skip
    yield "the second hand before the first", "transcript.order", Draft(tuple(swapped)).to_bytes()
    again = draft.inserted(len(draft.records), *draft.records[origins[1] : ends[1] + 1])
    yield "the first deck again", "transcript.order", again.to_bytes()
    last = draft.without(origins[1], ends[2] + 1)
    opening = Origin(LedgerName(Lane.TABLE, 1), (draft.records[ends[-1]].payload,), Seat(0))
    about = "another match after the second hand alone, which ends none"
    yield about, "transcript.order", begun(last, charter, opening).to_bytes()


# --- evidence -------------------------------------------------------------------------------------


def _cases() -> Iterator[tuple[str, Evidence]]:
    table = SAVED_HANDS["passed-out"].rehearsed()
    replicas = table.table_state.replicas
    names = (LedgerName(Lane.TABLE, 0), LedgerName(Lane.DECK, 0), LedgerName(Lane.HAND, 0))
    opening, deck, hand = (replicas[name] for name in names)
    raws = [each.raw for replica in (opening, deck, hand) for closed in replica.ledger.rounds
            for each in closed.messages]  # fmt: skip
    confirmation, cut, result = raws[0], raws[16], raws[-1]

    def other(raw: bytes, content: tuple[Value, ...]) -> bytes:
        body = _body(raw)
        body[7] = content
        return signed(table, tuple(body), raw[2])

    lie = other(confirmation, (bytes(32),))
    yield "two confirmations of one seat", Conflict(table.charter, confirmation, lie)
    keys = _body(raws[8])
    later = [*keys]
    later[2] = 1
    second = signed(table, tuple(later), raws[8][2])
    yield "keys of one deck in another", Conflict(table.charter, raws[8], second)
    yield (
        "a body of nil",
        Fault(table.charter, "encoding.type", (), signed(table, b"\xc0", confirmation[2])),
    )
    basis = (deck.prefix(),)
    start = replace(hand.prefix(), messages=())
    wrong = other(cut, ("cut 32", (), (), (), ()))
    yield "a cut of 32", Fault(table.charter, "action.rule", (*basis, start), wrong)
    end = replace(hand.prefix(), messages=hand.prefix().messages[:-4])
    better = other(result, ((1, -1), ()))
    yield "a better result", Fault(table.charter, "result.scores", (*basis, end), better)
    shuffled = raws[12]
    data = _body(shuffled)[7]
    assert isinstance(data, tuple)
    step = data[0]
    assert isinstance(step, bytes)
    moved = other(shuffled, (step[99:198] + step[:99] + step[198:],))
    before = replace(deck.prefix(), messages=deck.prefix().messages[:4])
    yield "a shuffle of another deck", Fault(table.charter, "shuffle.equation", (before,), moved)
    turned = _body(raws[13])
    turned[4] = shuffled[2]
    early = replace(deck.prefix(), messages=deck.prefix().messages[:5])
    yield (
        "a shuffle out of turn",
        Fault(table.charter, "turn.seat", (early,), signed(table, tuple(turned), shuffled[2])),
    )
    again = Origin(LedgerName(Lane.TABLE, 1), (bytes(hand.ledger.head),), Seat(0))
    differs, same = (naming(table, 1, *seatings) for seatings in ((1, 0, 0, 0), (0, 0, 0, 0)))
    for about, check, rounds in (
        ("seats that there are not", "rematch.seating", [naming(table, 1, 3, 0, 0, 0)]),
        (
            "luck after different seats were named",
            "turn.kind",
            [differs, (LuckOpening(bytes(32)),)],
        ),
        ("a confirmation after sixteen rounds", "turn.seat", [*[differs] * 16, same[:1]]),
    ):
        *before, last = (said_in(table, again, rounds[:n])[0] for n in range(1, len(rounds) + 1))
        told = tuple(before[-1]) if before else ()
        yield about, Fault(table.charter, check, (Prefix(again, told),), last[len(told)])
    yield from forks()
    yield from two_rulings()


def evidence_files() -> dict[Path, bytes]:
    """The evidence that vectors start from."""
    return {
        EVIDENCE / f"{about.replace(' ', '-')}.p304e": each.to_bytes() for about, each in _cases()
    }


def evidence() -> Collector:
    """Portable evidence."""
    found = Collector("evidence", "evidence that convicts, and evidence that does not (6.4)")
    bases = {}
    for about, each in _cases():
        name = f"evidence/{about.replace(' ', '-')}.p304e"
        check_evidence(each, game_of(each.charter))
        bases[about] = (_given(found, about, name, each.to_bytes()), name, each)
    for about, (base, name, each) in bases.items():
        whole = each.to_bytes()
        for what, expect, data in _evidence_faults(each):
            member = File(name, whole, data)
            found.reject(base, f"{about}: {what}", expect, evidence=member)
    return found


def _given(found: Collector, about: str, name: str, data: bytes) -> str:
    return found.accept("evidence.check", about, evidence=File(name, data))


def _evidence_faults(each: Evidence) -> Iterator[tuple[str, str, bytes]]:
    whole = each.to_bytes()
    value = decode(whole, max_bytes=1 << 22)
    assert isinstance(value, tuple)

    def with_item(place: int, item: Value) -> bytes:
        return encode((*value[:place], item, *value[place + 1 :]), max_bytes=1 << 22)

    yield "another format", "evidence.format", with_item(0, "p2p304 evidenc")
    yield "another version", "evidence.format", with_item(1, 2)
    yield "another kind", "evidence.shape", with_item(2, 5)
    yield "a field too few", "evidence.shape", encode(value[:-1], max_bytes=1 << 22)
    yield "a byte behind it", "encoding.trailing", whole + b"\0"
    yield "cut short", "encoding.truncated", whole[:-1]
    if isinstance(each, Fork):
        yield from fork_faults(each)
        return
    if isinstance(each, TwoRulings):
        yield from ruling_faults(each)
        return
    table = SAVED_HANDS["passed-out"].rehearsed()
    chat = (table_tag(table.charter.digest), 0, 0, 3, ("hi",))
    notice = signed(table, chat, 0, purpose=Purpose.NOTICE)
    if isinstance(each, Conflict):
        noticed = replace(each, second=notice).to_bytes()
        yield "a notice as a message", "envelope.purpose", noticed
        same = replace(each, second=each.first).to_bytes()
        yield "one message twice", "evidence.conflict", same
        flipped = each.second[:-1] + bytes((each.second[-1] ^ 1,))
        yield "a message that was not signed", "signature", replace(
            each, second=flipped).to_bytes()  # fmt: skip
        return
    flipped = each.message[:-1] + bytes((each.message[-1] ^ 1,))
    yield "a message that was not signed", "signature", replace(each, message=flipped).to_bytes()
    noticed = replace(each, message=notice).to_bytes()
    yield "a notice as its message", "envelope.purpose", noticed
    yield "another check", "evidence.check", replace(each, check="shares.proof").to_bytes()
    if not each.prefix:
        return
    yield "no prefix", "evidence.fault", replace(each, prefix=()).to_bytes()
    *rest, last = each.prefix
    leading = Seat((last.origin.leading + 1) % 4)
    other = replace(last, origin=replace(last.origin, leading=leading))
    expect = "evidence.prefix" if last.messages else "evidence.fault"
    yield "another leading seat", expect, replace(each, prefix=(*rest, other)).to_bytes()
    if len(last.messages) > 1:
        cut = replace(last, messages=last.messages[:-1])
        expect = "evidence.fault"
        yield "a prefix too short", expect, replace(each, prefix=(*rest, cut)).to_bytes()
        turned = replace(last, messages=last.messages[::-1])
        if each.check == "result.scores":
            yield "a prefix in another order", "evidence.prefix", replace(
                each, prefix=(*rest, turned)).to_bytes()  # fmt: skip
        again = replace(last, messages=(*last.messages, last.messages[-1]))
        yield "a message twice in its prefix", "evidence.prefix", replace(
            each, prefix=(*rest, again)).to_bytes()  # fmt: skip
    after = last.origin.after
    for about, links, named in (
        ("a ledger after one of 31 bytes", (bytes(31),), "evidence.ledger"),
        ("a ledger after three", (bytes(32),) * 3, "evidence.ledger"),
        ("a ledger after one less", after[:-1], "evidence.prefix"),
        ("a ledger after one more", (*after, bytes(32)), "evidence.prefix"),
    ):
        if len(links) > 2:
            named = "evidence.ledger"
        elif named == "evidence.prefix" and not rest and not last.messages:
            named = "evidence.fault"
        origin = replace(last.origin, after=links)
        yield about, named, replace(
            each, prefix=(*rest, replace(last, origin=origin))).to_bytes()  # fmt: skip
    if rest:
        yield "a hand without its deck", "evidence.prefix", replace(
            each, prefix=(last,)).to_bytes()  # fmt: skip


CATEGORIES = (transcript, evidence)
