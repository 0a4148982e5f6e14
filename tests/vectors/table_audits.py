"""Vectors of saved hands of all other tables: audited, changed, ended unfinished."""

from __future__ import annotations

from typing import Any, Final

from cli.conformance.tables import Draft, DraftRecord, body_of, sign_body
from cli.conformance.trials import AUDIT
from protocol.encoding import decode
from protocol.places import Lane
from protocol.wire.identity import Purpose
from tests.vectors.collect import Audits, Collector, File
from tests.vectors.rehearsal import SAVED_HANDS, TABLES, SavedFile

# --- played hands ---------------------------------------------------------------------------------

# Hands of 304 for vectors, as files hold them.

Said = list[Any]  #: A seat, and the text of its action.


def saved_log(data: bytes) -> tuple[int, list[Said]]:
    """Return the dealer of a saved hand of 304, and what is said in it, from its file alone."""
    draft = Draft.of(data)
    origin: Any = decode(draft.records[draft.places(b"L")[-1]].payload)
    log = []
    for place in draft.places(b"M"):
        body: Any = body_of(draft.records[place].payload)
        if body[1] == Lane.HAND and body[7] and isinstance(body[7][0], str):
            log.append([body[4], body[7][0]])
    return origin[3], log


# --- table audits ---------------------------------------------------------------------------------


#: Who ends the hand of a table before its trump is kept closed.
ENDED: Final = {
    "maharashtra": ("ended by three of four", (0, 1, 2)),
    "six24": ("ended by one of each team", (1, 4)),
}


def ended_before(hand: SavedFile, word: str, present: tuple[int, ...]) -> Draft:
    """Return the file of the hand that these seats ended before an action."""
    _, lane, ledger, closed, _, _, head, _ = hand.body(hand.number_of(word))
    places = zip(hand.messages, map(hand.body, range(len(hand.messages))), strict=True)
    first = next(at for at, body in places if tuple(body[1:4]) == (lane, ledger, closed))
    tag = hand.table.charter.tag
    point = (ledger, closed, head, sum(1 << seat for seat in present))
    bodies = [(tag, seat, 0, 2, point) for seat in present]
    agreed = [sign_body(hand.table, body, body[1], purpose=Purpose.NOTICE) for body in bodies]
    records = [DraftRecord(b"U", each) for each in agreed]
    return Draft((*hand.draft.records[:first], *records, DraftRecord(b"E", head)))


def audits() -> Collector:
    """Collect the public play of the saved hands, their audits, and faults in them."""
    found = Collector(
        "tables", "saved hands of all other tables: play, audits (rules; 5.6, 6.1 to 6.3)"
    )
    for name in TABLES:
        hand = SavedFile.kept(name)
        _play(found, name, hand)
        audits = Audits(found, name, hand.whole)
        found.faults()
        if name in ENDED:
            about, present = ENDED[name]
            audits.accept(f"{name}: {about}", ended_before(hand, "closed", present))
    return found


def _play(found: Collector, name: str, hand: SavedFile) -> None:
    dealer, log = saved_log(hand.whole)
    given: dict[str, Any] = {"agreement": SAVED_HANDS[name].agreement, "dealer": dealer}
    found.accept("rules.play", f"{name}: the whole hand", **given, actions=log)
    places = sorted({1, 3, len(log) // 3, len(log) // 2, 2 * len(log) // 3, len(log) - 1})
    for place in places:
        about = f"{name}: {place} actions"
        found.accept("rules.play", about, **given, actions=log[:place])
    found.faults()


CATEGORIES = (audits,)


# --- vectors 41 -----------------------------------------------------------------------------------

# Vectors of 41 and 400: what the file of the category holds, and audits of saved deals.

GAMES: Final = ("41", "400")


def games() -> Collector:
    """All of it: what needs no keys first."""
    found = Collector.answered("rules-41", until=AUDIT)
    for saved in (each for each in SAVED_HANDS.values() if each.game in GAMES):
        name, data = f"hands/{saved.name}.p304", saved.transcript()
        found.accept(AUDIT, saved.about, transcript=File(name, data))
        found.faults()
    return found


CATEGORIES_41 = (games,)
