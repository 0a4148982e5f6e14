"""Vectors of whole files: transcripts, evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cli.conformance.tables import Draft, DraftRecord, body_of, sign_body
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
from protocol.wire.identity import Purpose
from protocol.wire.messages import table_tag
from tests.vectors.collect import Audits, Collector, Faults, File, Written
from tests.vectors.referee_vectors import (
    begun,
    fork_faults,
    forks,
    naming,
    ruling_faults,
    said_in,
    two_rulings,
)
from tests.vectors.rehearsal import SAVED_HANDS, TABLES, SavedFile
from tests.vectors.saved_hands import HANDS

EVIDENCE = HANDS.parent / "evidence"


# --- transcripts ----------------------------------------------------------------------------------


def transcript() -> Collector:
    """Whole hands, judged."""
    found = Collector("transcript", "audits of saved hands (6.1 to 6.3)")
    audits = {
        saved.name: Audits(
            found, saved.name, saved.transcript(), strange=saved.name in ("redeal", "unfinished")
        )
        for saved in SAVED_HANDS.values()
        if saved.game == "304" and not saved.continues and saved.ruled_after is None
        and saved.name not in TABLES
    }  # fmt: skip
    passed = _played("passed-out")
    for about, data in _unusual(passed):
        audits["passed-out"].accept(about, data)
    audits["passed-out"].reject(_faults(passed))
    about = "ended, although only a signature of its result is missing"
    audits["passed-out"].reject([(about, "agreement.hand", _signature_missing(passed))])
    audits["closed"].reject(_hand_faults(_played("closed")))
    two = _played("two-hands")
    origins, ends = two.draft.places(b"L"), two.draft.places(b"E")
    for about, first in (
        ("two decks and the second hand alone", ends[1] + 1),
        ("the second hand without the first and its deck", origins[1]),
    ):
        audits["two-hands"].accept(about, two.draft.without(first, ends[2] + 1))
    audits["two-hands"].reject(_match_faults(two))
    left = SAVED_HANDS["unfinished"]
    for about, present in (("one of each side", (0, 3)), ("all four", (0, 1, 2, 3))):
        seats = tuple(map(Seat, present))
        table = left.table_of().end_unfinished(left.ended_after or 0, seats)
        about = f"the same hand, ended by {about}"
        audits["unfinished"].accept(about, table.transcript())
    audits["unfinished"].reject(_agreement_faults(_played("unfinished")))
    audits["passed-out"].reject(
        (about, "charter.profile", passed.draft.with_record(0, agreed.to_bytes()))
        for about, agreed in _short_profiles(table.charter)
    )
    return found


def _played(name: str) -> SavedFile:
    return SavedFile(SAVED_HANDS[name].rehearsed(), SAVED_HANDS[name].transcript())


def _short_profiles(agreed: Charter) -> Iterator[tuple[str, Charter]]:
    first, *rows = agreed.profile.split("\n")
    for about, profile in (
        ("a profile by its name alone", first),
        ("no profile at all", ""),
        ("an agreement that is not canonical", f"{first};   bid_max=250 ; +bank_scoring"),
        ("a full agreement without its last parameter", "\n".join((first, *rows[:-1]))),
        ("a full agreement with a line break at its end", f"{agreed.profile}\n"),
    ):
        yield about, replace(agreed, profile=profile)


def _agreement_faults(file: SavedFile) -> Faults:
    table, draft, messages = file.table, file.draft, file.messages
    places = draft.places(b"U")
    raws = [draft.records[place].payload for place in places]
    content = decode(raws[0][67:])
    hand = content[-1]

    def said(seat: int, *fields: Value, by: int | None = None) -> bytes:
        body = (content[0], seat, *content[2:-1], fields)
        return sign_body(table, body, seat, by=by, purpose=Purpose.NOTICE)

    def everybody(*fields: Value) -> Draft:
        changed = draft
        for seat, place in enumerate(places):
            changed = changed.with_record(place, said(seat, *fields))
        return changed

    number, closed, digest, present = hand
    without = draft.without(places[0], places[-1] + 1)
    yield "no agreement", "ledger.settled", without
    yield "an agreement left out", "agreement.seats", draft.without(places[1])
    yield "agreements in another order", "agreement.seats", draft.swap(places[0], places[1])
    yield "an agreement twice", "agreement.seats", draft.insert(places[0], draft.records[places[0]])
    fourth = draft.insert(places[-1] + 1, DraftRecord(b"U", said(3, *hand)))
    yield "of a seat that is not named", "agreement.seats", fourth
    yield "a seat more is named", "agreement.seats", everybody(number, closed, digest, 0b1111)
    beyond = everybody(number, closed, digest, 0b10111)
    yield "a seat that the table has not", "agreement.hand", beyond
    yield "another hand", "agreement.hand", everybody(1, closed, digest, present)
    yield "a round less", "agreement.hand", everybody(number, closed - 1, digest, present)
    yield "another head", "agreement.hand", everybody(number, closed, bytes(32), present)
    other = draft.with_record(places[1], said(1, number, closed, digest, 0b1011))
    yield "one agrees with others", "agreement.hand", other
    yield "signed by another seat", "signature", draft.with_record(places[2], said(2, *hand, by=0))
    ledger = draft.with_record(places[0], draft.records[messages[-1]].payload)
    yield "a message of the ledger as an agreement", "envelope.purpose", ledger
    notice = draft.with_record(messages[-1], raws[0])
    yield "an agreement as a message of the ledger", "envelope.purpose", notice
    late = draft.insert(places[-1] + 1, draft.records[messages[-1]])
    yield "a message after the agreements", "transcript.order", late
    early = draft.swap(messages[-1], places[0])
    yield "an agreement before the round it tells of", "agreement.hand", early
    hand_at = draft.places(b"L")[-1]
    _, share, *_ = (place for place in messages if place > hand_at)
    cut = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.digest_after(1)
    amid = draft.without(share + 1, messages[-1] + 1)
    for about, seats in (("before the agreements", (0, 1, 2)), ("and an agreement less", (0, 1))):
        ended = [DraftRecord(b"U", said(seat, number, 1, cut, present)) for seat in seats]
        start = amid.places(b"U")[0]
        closing = (*ended, DraftRecord(b"E", cut))
        open_round = amid.without(start, start + 4).insert(start, *closing)
        yield f"a message of the open round {about}", "agreement.hand", open_round
    ends = draft.places(b"E")
    elsewhere = draft.insert(ends[1], draft.records[places[0]])
    yield "an agreement in a deck", "agreement.hand", elsewhere
    next_ledger = draft.insert(len(draft.records), draft.records[draft.places(b"L")[1]])
    yield "a ledger after it", "transcript.order", next_ledger
    for partners in ((0, 2), (1, 3)):
        bits = sum(1 << seat for seat in partners)
        alone = without.insert(
            places[0],
            *(DraftRecord(b"U", said(seat, number, closed, digest, bits)) for seat in partners),
        )
        about = f"ended by one side alone, seats {partners[0]} and {partners[1]}"
        yield about, "agreement.sides", alone
    # One who is named signed the message that closes the round which is open where it ends.
    author = file.raw(len(messages) - 1)[2]
    earlier = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.digest_after(closed - 1)
    named = (author, (author + 1) % 4)
    point = (number, closed - 1, earlier, sum(1 << seat for seat in named))
    records = [DraftRecord(b"U", said(seat, *point)) for seat in sorted(named)]
    after = without.insert(places[0], *records)
    yield "ended before a message of one who is named", "agreement.hand", after
    before = without.insert(messages[-1], *records)
    yield "a message of one who is named, after the end", "transcript.order", before


def _signature_missing(file: SavedFile) -> Draft:
    """A hand that three seats end although nothing but a signature of its result is missing."""
    table, draft = file.table, file.draft
    ledger = table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger
    end = draft.places(b"E")[-1]
    head = ledger.rounds[-2].digest
    place = draft.places(b"M")[-1]
    missing = draft.records[place].payload[2]
    present = [seat for seat in range(4) if seat != missing]
    fields = (0, len(ledger.rounds) - 1, head, 0b1111 ^ 1 << missing)
    bodies = [(table_tag(table.charter.digest), seat, 0, 2, fields) for seat in present]
    records = [
        DraftRecord(b"U", sign_body(table, body, body[1], purpose=Purpose.NOTICE))
        for body in bodies
    ]
    return draft.with_record(end, head).without(place).insert(place, *records)


def _unusual(file: SavedFile) -> Iterator[tuple[str, Written]]:
    # The head of the ledger is then the one before its last round.
    head = file.table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.rounds[-2].digest
    for missing in (1, 2, 3, 4):
        last = file.messages[-missing:]
        short = file.draft.without(last[0], last[-1] + 1)
        end = short.places(b"E")[-1]
        yield f"{missing} have not signed the result", short.with_record(end, head)


def _faults(file: SavedFile) -> Faults:
    whole, draft, messages = file.whole, file.draft, file.messages
    records = draft.records
    origins, ends = draft.places(b"L"), draft.places(b"E")
    yield "another format", "transcript.format", b"p2p304 transcript 2\n" + whole[len(MAGIC) :]
    yield "an empty file", "transcript.incomplete", b""
    yield "the format line alone", "transcript.incomplete", MAGIC
    yield "cut in the last record", "transcript.incomplete", whole[:-1]
    yield "without its last record", "transcript.incomplete", whole[:-37]
    yield "cut in the middle", "transcript.incomplete", whole[: len(whole) // 2]
    yield "a record after the end", "transcript.after-end", whole + whole[-37:]
    yield "a byte after the end", "transcript.after-end", whole + b"\0"
    yield "another digest", "transcript.digest", whole[:-1] + bytes((whole[-1] ^ 1,))
    long = DraftRecord(b"M", bytes(65_537)).to_bytes()
    yield "a record too long", "transcript.size", whole[:-37] + long[:4096]
    nothing = b"X" + (65_537).to_bytes(4, "big")
    about = "a record too long, of an unknown kind, of which nothing is there"
    yield about, "transcript.size", whole[:-37] + nothing
    yield "a record too long after the end", "transcript.after-end", whole + nothing
    yield "an unknown record", "transcript.record", draft.insert(1, DraftRecord(b"X", b""))
    large = draft.with_record(origins[0], encode((0, 0, (), 0, (0,) * 16_000), max_bytes=1 << 16))
    yield "a ledger's start of 16,010 bytes", "encoding.size", large
    short = draft.with_record(ends[0], draft.records[ends[0]].payload[:-1])
    yield "a head of 31 bytes", "transcript.record", short
    yield "no charter", "transcript.order", draft.without(0)
    yield "two charters", "transcript.order", draft.insert(1, draft.records[0])
    within = draft.insert(messages[0], records[origins[0]])
    yield "a ledger in a ledger", "transcript.order", within
    yield "a ledger without an end", "transcript.order", draft.without(ends[0])
    yield "a message outside a ledger", "transcript.order", draft.insert(1, records[messages[0]])
    yield "the end within a ledger", "transcript.order", Draft(draft.records[: messages[3]])
    yield "no deck", "transcript.missing", draft.without(origins[1], ends[1] + 1)
    yield "no opening", "transcript.missing", draft.without(origins[0], ends[0] + 1)
    yield "a message left out", "ledger.place", draft.without(messages[0])
    yield "a message twice", "ledger.place", draft.insert(messages[0], draft.records[messages[0]])
    yield "two rounds exchanged", "ledger.place", draft.swap(messages[0], messages[4])
    yield "an unfinished opening", "ledger.head", draft.without(messages[7])
    yield "another head", "ledger.head", draft.with_record(ends[0], bytes(32))
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
        changed: list[Value] = list(row)
        links = changed[2]
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
        yield about, expect, draft.with_record(origins[ledger], encode(tuple(changed)))
    value = decode(draft.records[0].payload)
    two = encode((*value[:4], value[4][:2], *value[5:]))  # type: ignore[index]
    yield "a charter of two seats", "charter.seats", draft.with_record(0, two)
    other = encode((*value[:1], bytes(16), *value[2:]))
    yield "the charter of another table", "signature", draft.with_record(0, other)
    yield from _message_faults(file)


def _message_faults(file: SavedFile) -> Faults:
    table, draft, first = file.table, file.draft, file.raw(0)
    flipped = first[:10] + bytes((first[10] ^ 1,)) + first[11:]
    yield "a bit of a signature", "signature", file.put(0, flipped)
    opening = table.table_state.replicas[LedgerName(Lane.TABLE, 0)].ledger
    behind = [*file.body(7)]
    for about, number, head, expect in (
        ("a message for the round after the ledger's last", 2, opening.head, "turn.seat"),
        ("the same, of another history", 2, bytes(32), "ledger.digest"),
        ("a message two rounds after the ledger's last", 3, opening.head, "ledger.place"),
    ):
        behind[3:7] = [number, 0, behind[5], head]
        extra = DraftRecord(b"M", sign_body(table, tuple(behind), 0))
        yield about, expect, draft.insert(file.messages[7] + 1, extra)
    yield "signed by another seat", "signature", file.changed(0, 1, 0, by=(first[2] + 1) % 4)
    yield "an envelope of another version", "envelope.version", file.put(0, b"\2" + first[1:])
    yield "a message of another table", "envelope.other_table", file.changed(0, 0, bytes(8))
    yield "a message of another ledger", "ledger.place", file.changed(0, 2, 1)
    yield "a message of a later round", "ledger.place", file.changed(0, 3, 1)
    yield "another previous digest", "ledger.digest", file.changed(0, 6, bytes(32))
    yield "a message of another kind", "schema.lane", file.changed(0, 5, 8)
    yield "a body of nil", "encoding.type", file.signed(0, b"\xc0")
    yield "a body with a byte behind", "encoding.trailing", file.signed(0, first[67:] + b"\0")
    yield "luck that was not committed to", "luck.opening", file.said(4, bytes(32))
    *place, _, head, _ = file.body(0)
    luck = file.signed(0, (*place, 2, head, (bytes(32),)))
    yield "luck in place of a confirmation", "turn.kind", luck
    yield "other seats before any match", "turn.kind", file.signed(0, (*place, 10, head, (1,)))
    public, proof = file.content(8)
    yield "keys without proof", "key.proof", file.said(8, public, bytes(96))
    yield "keys exchanged", "key.proof", file.said(8, public[33:] + public[:33], proof)
    yield "a key with prefix 05", "point.prefix", file.said(8, b"\5" + public[1:], proof)
    yield "a proof of 95 bytes", "schema.size", file.said(8, public, proof[:-1])
    (data,) = file.content(12)
    exchanged = data[99:198] + data[:99] + data[198:]
    yield "two cards of a shuffle exchanged", "shuffle.equation", file.said(12, exchanged)
    yield "a shuffle that is too short", "shuffle-proof.length", file.said(12, data[:-1])
    yield "a shuffle again by the same seat", "turn.seat", _by_another(file, 13, file.raw(12)[2])
    cut = file.number_of("cut")
    for about, expect, fields in (
        ("a cut of 32", "action.rule", {"text": "cut 32"}),
        ("a cut that is not canonical", "action.notation", {"text": "cut 07"}),
        ("a dance", "action.notation", {"text": "dance"}),
        ("a cut with a proof", "statement.count", {"text": "cut 7", "proofs": (b"",)}),
        ("a cut with a commitment", "action.commitments",
         {"text": "cut 7", "commitments": (bytes(32),)}),
        ("a cut with a remix", "remix.count", {"text": "cut 7", "remixes": (b"x",)}),
        ("a cut with a salt", "commitment.count", {"text": "cut 7", "salts": (bytes(32),)}),
    ):  # fmt: skip
        yield about, expect, file.acted(cut, **fields)
    yield "a cut by another seat", "turn.seat", _by_another(file, cut, (file.raw(cut)[2] + 1) % 4)
    shares, _ = file.content(17)
    turned = shares[66:132] + shares[:66] + shares[132:]
    yield "shares of two cards exchanged", "shares.proof", file.said(17, turned, ())
    yield "a share too few", "shares.length", file.said(17, shares[66:], ())
    yield "shares with a salt", "commitment.count", file.said(17, shares, (bytes(32),))
    last = len(file.messages) - 4
    yield "a better result", "result.scores", file.said(last, (1, -1), ())
    yield "a result of four sides", "result.scores", file.said(last, (0, 0, 0, 0), ())
    yield "a result with a salt", "commitment.count", file.said(last, (0, 0), (bytes(32),))


def _by_another(file: SavedFile, number: int, seat: int) -> bytes:
    """The same message, said by another seat of itself."""
    body = file.body(number)
    return file.put(number, sign_body(file.table, (*body[:4], seat, *body[5:]), seat))


def _bent(proof: bytes) -> bytes:
    return proof[:-1] + bytes((proof[-1] ^ 1,))


def _hand_faults(file: SavedFile) -> Faults:
    sort = file.number_of("sort")
    (remix,) = file.content(sort)[3]
    mixed = remix[99:198] + remix[:99] + remix[198:]
    laid = file.number_of("indicator")
    play = file.number_of("play", proofs=1)
    text, (opening,), *_ = file.content(play)
    other = "7S" if not text.endswith("7S") else "8S"
    down = file.number_of("down", proofs=1)
    (distinction,) = file.content(down)[1]
    handed = file.number_of(code=6)
    handovers, salts = file.content(handed)
    count = file.number_of("count")
    opened = file.content(count)[4]
    none = file.number_of("none")
    for about, expect, number, fields in (
        ("a sorted hand that is not the hand", "shuffle.equation", sort, {"remixes": (mixed,)}),
        ("a hand that is not sorted", "remix.count", sort, {"remixes": ()}),
        ("a sorted hand too short", "shuffle-proof.length", sort, {"remixes": (remix[:-1],)}),
        ("an indicator without a commitment", "action.commitments", laid, {"commitments": ()}),
        ("an indicator out of another hand", "action.rule", laid, {"text": "indicator 31"}),
        ("a card that is not in the slot", "opening.proof", play, {"text": text[:-2] + other}),
        ("a card without its proof", "statement.count", play, {"proofs": ()}),
        ("an opening a byte too long", "opening.length", play, {"proofs": (opening + b"\0",)}),
        ("not following suit, the proof broken", "distinction.proof", down,
         {"proofs": (_bent(distinction),)}),
        ("not following suit, no proof", "statement.count", down, {"proofs": ()}),
        ("a card down without a commitment", "action.commitments", down, {"commitments": ()}),
    ):  # fmt: skip
        yield about, expect, file.acted(number, **fields)
    yield "a hand-over too few", "hand-over.count", file.said(handed, (), salts)
    bad = (_bent(handovers[0]),)
    yield "a hand-over that is wrong", "hand-over.proof", file.said(handed, bad, salts)
    wrong = (bytes(32), *opened[1:])
    yield "a salt that opens nothing", "commitment.opening", file.acted(count, salts=wrong)
    yield "a salt too few", "commitment.count", file.acted(count, salts=opened[1:])
    reverse = file.acted(none, text="trump", proofs=())
    yield "a cut trick called uncut, or the reverse", "action.rule", reverse


def _match_faults(file: SavedFile) -> Faults:
    charter, draft = file.table.charter, file.draft
    origins, ends = draft.places(b"L"), draft.places(b"E")
    swapped = [*draft.records[: origins[1]], *draft.records[origins[3] : ends[4] + 1],
               *draft.records[origins[1] : ends[2] + 1]]  # fmt: skip
    yield "the second hand before the first", "transcript.order", Draft(tuple(swapped))
    again = draft.insert(len(draft.records), *draft.records[origins[1] : ends[1] + 1])
    yield "the first deck again", "transcript.order", again
    last = draft.without(origins[1], ends[2] + 1)
    opening = Origin(LedgerName(Lane.TABLE, 1), (draft.records[ends[-1]].payload,), Seat(0))
    about = "another match after the second hand alone, which ends none"
    yield about, "transcript.order", begun(last, charter, opening)


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
        body = [*body_of(raw)]
        body[7] = content
        return sign_body(table, tuple(body), raw[2])

    lie = other(confirmation, (bytes(32),))
    yield "two confirmations of one seat", Conflict(table.charter, confirmation, lie)
    keys = [*body_of(raws[8])]
    later = [*keys]
    later[2] = 1
    second = sign_body(table, tuple(later), raws[8][2])
    yield "keys of one deck in another", Conflict(table.charter, raws[8], second)
    yield (
        "a body of nil",
        Fault(table.charter, "encoding.type", (), sign_body(table, b"\xc0", confirmation[2])),
    )
    basis = (deck.prefix(),)
    start = replace(hand.prefix(), messages=())
    wrong = other(cut, ("cut 32", (), (), (), ()))
    yield "a cut of 32", Fault(table.charter, "action.rule", (*basis, start), wrong)
    end = replace(hand.prefix(), messages=hand.prefix().messages[:-4])
    better = other(result, ((1, -1), ()))
    yield "a better result", Fault(table.charter, "result.scores", (*basis, end), better)
    shuffled = raws[12]
    data = body_of(shuffled)[7]
    step = data[0]
    moved = other(shuffled, (step[99:198] + step[:99] + step[198:],))
    before = replace(deck.prefix(), messages=deck.prefix().messages[:4])
    yield "a shuffle of another deck", Fault(table.charter, "shuffle.equation", (before,), moved)
    turned = [*body_of(raws[13])]
    turned[4] = shuffled[2]
    early = replace(deck.prefix(), messages=deck.prefix().messages[:5])
    yield (
        "a shuffle out of turn",
        Fault(table.charter, "turn.seat", (early,), sign_body(table, tuple(turned), shuffled[2])),
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
        whole = each.to_bytes()
        base = found.accept("evidence.check", about, evidence=File(name, whole))
        bases[about] = (base, name, each, whole)
    for about, (base, name, each, whole) in bases.items():
        for what, expect, data in _evidence_faults(each):
            found.reject(base, f"{about}: {what}", expect, evidence=File(name, whole, data))
    return found


def _evidence_faults(each: Evidence) -> Faults:
    whole = each.to_bytes()
    value = decode(whole, max_bytes=1 << 22)

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
    notice = sign_body(table, chat, 0, purpose=Purpose.NOTICE)
    if isinstance(each, Conflict):
        yield "a notice as a message", "envelope.purpose", replace(each, second=notice)
        yield "one message twice", "evidence.conflict", replace(each, second=each.first)
        flipped = each.second[:-1] + bytes((each.second[-1] ^ 1,))
        yield "a message that was not signed", "signature", replace(each, second=flipped)
        return
    flipped = each.message[:-1] + bytes((each.message[-1] ^ 1,))
    yield "a message that was not signed", "signature", replace(each, message=flipped)
    yield "a notice as its message", "envelope.purpose", replace(each, message=notice)
    yield "another check", "evidence.check", replace(each, check="shares.proof")
    if not each.prefix:
        return
    yield "no prefix", "evidence.fault", replace(each, prefix=())
    *rest, last = each.prefix
    leading = Seat((last.origin.leading + 1) % 4)
    other = replace(last, origin=replace(last.origin, leading=leading))
    expect = "evidence.prefix" if last.messages else "evidence.fault"
    yield "another leading seat", expect, replace(each, prefix=(*rest, other))
    if len(last.messages) > 1:
        cut = replace(last, messages=last.messages[:-1])
        yield "a prefix too short", "evidence.fault", replace(each, prefix=(*rest, cut))
        turned = replace(last, messages=last.messages[::-1])
        if each.check == "result.scores":
            other = replace(each, prefix=(*rest, turned))
            yield "a prefix in another order", "evidence.prefix", other
        again = replace(last, messages=(*last.messages, last.messages[-1]))
        twice = replace(each, prefix=(*rest, again))
        yield "a message twice in its prefix", "evidence.prefix", twice
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
        yield about, named, replace(each, prefix=(*rest, replace(last, origin=origin)))
    if rest:
        yield "a hand without its deck", "evidence.prefix", replace(each, prefix=(last,))


CATEGORIES = (transcript, evidence)
