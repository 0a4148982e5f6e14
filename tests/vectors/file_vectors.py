"""Vectors of whole files: transcripts, evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cli.conformance.tables import body_of, sign_body
from cli.seat.charter_text import game_of
from p2p304.seats import Seat
from protocol.encoding import Value
from protocol.places import Lane, LedgerName
from protocol.table.evidence import Conflict, Evidence, Fault, Prefix
from protocol.table.judge_again import check_evidence
from protocol.table.ledger import Origin
from protocol.wire.contents import LuckOpening
from tests.vectors.collect import Audits, Collector, File, Written
from tests.vectors.referee_vectors import (
    forks,
    naming,
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
    for about, data in _unusual(_played("passed-out")):
        audits["passed-out"].accept(about, data)
    found.faults()
    two = _played("two-hands")
    origins, ends = two.draft.places(b"L"), two.draft.places(b"E")
    for about, first in (
        ("two decks and the second hand alone", ends[1] + 1),
        ("the second hand without the first and its deck", origins[1]),
    ):
        audits["two-hands"].accept(about, two.draft.without(first, ends[2] + 1))
    found.faults()
    left = SAVED_HANDS["unfinished"]
    for about, present in (("one of each side", (0, 3)), ("all four", (0, 1, 2, 3))):
        seats = tuple(map(Seat, present))
        table = left.table_of().end_unfinished(left.ended_after or 0, seats)
        about = f"the same hand, ended by {about}"
        audits["unfinished"].accept(about, table.transcript())
    found.faults()
    return found


def _played(name: str) -> SavedFile:
    return SavedFile(SAVED_HANDS[name].rehearsed(), SAVED_HANDS[name].transcript())


def _unusual(file: SavedFile) -> Iterator[tuple[str, Written]]:
    # The head of the ledger is then the one before its last round.
    head = file.table.table_state.replicas[LedgerName(Lane.HAND, 0)].ledger.digests[-2]
    for missing in (1, 2, 3, 4):
        last = file.messages[-missing:]
        short = file.draft.without(last[0], last[-1] + 1)
        end = short.places(b"E")[-1]
        yield f"{missing} have not signed the result", short.with_record(end, head)


# --- evidence -------------------------------------------------------------------------------------


def _cases() -> Iterator[tuple[str, Evidence]]:
    table = SAVED_HANDS["passed-out"].rehearsed()
    replicas = table.table_state.replicas
    names = (LedgerName(Lane.TABLE, 0), LedgerName(Lane.DECK, 0), LedgerName(Lane.HAND, 0))
    opening, deck, hand = (replicas[name] for name in names)
    raws = [each.raw for replica in (opening, deck, hand) for closed in replica.ledger.rounds
            for each in closed]  # fmt: skip
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
    for about, each in _cases():
        name = f"evidence/{about.replace(' ', '-')}.p304e"
        check_evidence(each, game_of(each.charter))
        found.accept("evidence.check", about, evidence=File(name, each.to_bytes()))
    found.faults()
    return found


CATEGORIES = (transcript, evidence)
