"""Vectors of saved hands of all other tables: audited, changed, ended unfinished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from cli.conformance.transcript_edits import Draft, Record, body_of, signed
from p2p304.rules304.profiles import PROFILES
from protocol.places import Lane
from protocol.wire.envelope import Purpose
from protocol.wire.messages import table_tag
from tests.vectors.collect import Collector, File
from tests.vectors.hands import SAVED_HANDS, TABLES
from tests.vectors.patches import patch_between
from tests.vectors.played_hands import refuse, saved_log
from tests.vectors.rehearsal import Rehearsal

ACTION, RESULT = 8, 9
"""Codes of messages (3.5)."""


class Played:
    """A saved hand that is read from its file, and whose seats can sign again."""

    def __init__(self, name: str) -> None:
        self.file = f"hands/{name}.p304"
        self.whole = SAVED_HANDS[name].kept()
        self.table: Rehearsal = SAVED_HANDS[name].table_of()
        self.draft = Draft.of(self.whole)
        self.messages = [
            place for place in self.draft.places(b"M") if self._body(place)[1] == Lane.HAND
        ]

    def _body(self, place: int) -> Any:
        return body_of(self.draft.records[place].payload)

    def place_of(self, word: str, nth: int = 0) -> int:
        """Return where the n-th action lies that begins with a word."""
        return [
            place
            for place in self.messages
            if self._body(place)[5] == ACTION and self._body(place)[7][0].startswith(word)
        ][nth]

    def instead(self, place: int, change: Callable[[Any], Any]) -> bytes:
        """Return the file with the content of one message changed, and signed by its seat."""
        raw = self.draft.records[place].payload
        *head, content = body_of(raw)
        again = signed(self.table, (*head, change(content)), raw[2])
        return self.draft.with_record(place, again).to_bytes()

    def said(self, word: str, other: str, nth: int = 0) -> bytes:
        """Return the file in which a seat says something else."""
        return self.instead(self.place_of(word, nth), lambda content: (other, *content[1:]))

    def scored(self, scores: tuple[int, ...]) -> bytes:
        """Return the file whose first signature of the result is under other scores."""
        place = next(each for each in self.messages if self._body(each)[5] == RESULT)
        return self.instead(place, lambda content: (scores, *content[1:]))

    def ended_before(self, word: str, present: tuple[int, ...]) -> bytes:
        """Return the file of the hand that these seats ended before an action."""
        at = self.place_of(word)
        _, _, number, closed, _, _, head, _ = self._body(at)
        bits = sum(1 << seat for seat in present)
        first = next(each for each in self.messages if self._body(each)[3] == closed)
        tag = table_tag(self.table.charter.digest)
        bodies = [(tag, seat, 0, 2, (number, closed, head, bits)) for seat in present]
        agreed = [
            Record(b"U", signed(self.table, body, body[1], purpose=Purpose.NOTICE))
            for body in bodies
        ]
        records = (*self.draft.records[:first], *agreed, Record(b"E", head))
        return Draft(records).to_bytes()


def audits() -> Collector:
    """Collect the public play of the saved hands, their audits, and faults in them."""
    found = Collector(
        "tables", "saved hands of all other tables: play, audits (rules; 5.6, 6.1 to 6.3)"
    )
    for name in TABLES:
        hand = Played(name)
        _play(found, name, hand)
        data = File(hand.file, hand.whole)
        base = found.accept("transcript.audit", SAVED_HANDS[name].about, transcript=data)
        for about, expect, changed in FAULTS[name](hand):
            given = File(hand.file, hand.whole, changed)
            found.reject(base, f"{name}: {about}", expect, transcript=given)
        for about, changed in ENDED.get(name, lambda _: ())(hand):
            given = File(hand.file, hand.whole, changed)
            found.accept("transcript.audit", f"{name}: {about}", strange=True, transcript=given)
            patch = patch_between(hand.whole, changed, tail=32)
            found.rows[-1]["input"]["transcript"] = {"file": hand.file, "patch": patch}
    return found


def _play(found: Collector, name: str, hand: Played) -> None:
    dealer, log = saved_log(hand.whole)
    given: dict[str, Any] = {"agreement": SAVED_HANDS[name].agreement, "dealer": dealer}
    base = found.accept("rules.play", f"{name}: the whole hand", **given, actions=log)
    places = sorted({1, 3, len(log) // 3, len(log) // 2, 2 * len(log) // 3, len(log) - 1})
    for place in places:
        about = f"{name}: {place} actions"
        found.accept("rules.play", about, **given, actions=log[:place])
    refuse(found, base, f"{name}: one action more", "3", [*log, log[-1]])
    seats = PROFILES[name].seats
    seat, text = next(each for each in log if each[1].startswith("play"))
    before = log[: log.index([seat, text])]
    about = f"{name}: the first lead by the seat to the right"
    refuse(found, base, about, "3", [*before, [(seat + 1) % seats, text]])
    refuse(found, base, f"{name}: a seat that the table has not", "3", [*before, [seats, text]])


Faults = Iterator[tuple[str, str, bytes]]


def _six24(hand: Played) -> Faults:
    yield "a cut of the whole pack", "action.rule", hand.said("cut", "cut 24")
    yield "the opening bid is a pass", "action.rule", hand.said("bid", "pass")
    yield "a card that another seat holds", "opening.proof", hand.said("play", "play 48=JS")
    yield "a result by seat", "result.scores", hand.scored((2, -2, 2, -2, 2, -2))


def _eight32(hand: Played) -> Faults:
    yield "half court among eight", "action.rule", hand.said("bid", "bid half_court")
    yield "a result of four teams", "result.scores", hand.scored((3, -3, 3, -3))


def _six36(hand: Played) -> Faults:
    yield "an opponent is asked", "action.rule", hand.said("ask-seat", "ask-seat 3")
    yield "nobody is named", "action.rule", hand.said("ask-seat", "ask")
    yield "no seat is named", "action.notation", hand.said("ask-seat", "ask-seat")
    yield "a number for Partner Close Caps", "action.rule", hand.said("bid pcc", "bid 240")


def _tamil504(hand: Played) -> Faults:
    shown = hand._body(hand.place_of("show"))[7][0]
    slot = shown.partition(" ")[2].partition("=")[0]
    yield "another card is said to be shown", "opening.proof", hand.said("show", f"show {slot}=8S")
    yield "a shown card that no pack has", "action.rule", hand.said("show", f"show {slot}=2S")
    yield "a shown card in two ways", "action.notation", hand.said("show", f"{shown} {slot}=8S")
    yield "a card shown twice", "action.rule", hand.said("show", shown, 1)


def _tamil904(hand: Played) -> Faults:
    yield "460 is not reached", "action.rule", hand.said("bid", "bid 450")
    yield "a card of no pack", "action.rule", hand.said("play", "play 163=6D")
    yield "the other side's result", "result.scores", hand.scored((-1, 1))


def _tamil4(hand: Played) -> Faults:
    place = hand.place_of("double")
    others = [each for each in hand.messages if hand._body(each)[3] == hand._body(place)[3]]
    other = next(each for each in others if each != place)
    yield "double by another seat", "action.rule", hand.instead(
        other, lambda content: ("double", *content[1:]))  # fmt: skip
    yield "double with a proof", "statement.count", hand.instead(
        place, lambda content: (content[0], (bytes(64),), *content[2:]))  # fmt: skip
    yield "the double is left out of the result", "result.scores", hand.scored((0, 0))


def _maharashtra(hand: Played) -> Faults:
    place = hand.place_of("name")
    maker = hand._body(place)[4]
    _, log = saved_log(hand.whole)
    own = next(text[-2:] for seat, text in log if seat == maker and text.startswith("play"))
    yield (
        "the maker names a card that it holds",
        "card-distinction.proof",
        hand.said("name", f"name {own}"),
    )
    yield "the maker names no card", "action.notation", hand.said("name", "name")
    yield "a card that the pack has not", "action.rule", hand.said("name", "name 2S")
    yield "the card is named without its proof", "statement.count", hand.instead(
        place, lambda content: (content[0], (), *content[2:]))  # fmt: skip

    def flipped(content: Any) -> Any:
        (proof,) = content[1]
        return (content[0], (proof[:-1] + bytes((proof[-1] ^ 1,)),), *content[2:])

    yield "its proof with another bit", "card-distinction.proof", hand.instead(place, flipped)
    yield "a result of two teams", "result.scores", hand.scored((-2, 2))
    yield "a result that pays the maker's side", "result.scores", hand.scored((2, 2, -2, -2))
    yield "ended by two who may be one side", "agreement.sides", hand.ended_before("name", (1, 2))
    yield "ended by others who may be", "agreement.sides", hand.ended_before("closed", (0, 3))


def _doso_viso(hand: Played) -> Faults:
    yield "Full Court with four cards", "action.rule", hand.said("bid", "bid full_court")
    yield "a number with four cards", "action.rule", hand.said("bid", "bid 160")
    yield "a lone maker counts once", "result.scores", hand.scored((4, 4, 4, -4))
    yield "a lone maker has a partner", "result.scores", hand.scored((4, -4, 4, -4))
    yield "NotCard of fewer cards", "card-distinction.proof", hand.instead(
        hand.place_of("name"), lambda content: ("name 7S", *content[1:]))  # fmt: skip


FAULTS: Final[dict[str, Callable[[Played], Faults]]] = {
    "six24": _six24,
    "eight32": _eight32,
    "six36": _six36,
    "tamil504": _tamil504,
    "tamil904": _tamil904,
    "tamil4": _tamil4,
    "maharashtra": _maharashtra,
    "doso_viso": _doso_viso,
}


def _ended_by_three(hand: Played) -> Iterator[tuple[str, bytes]]:
    yield "ended by three of four", hand.ended_before("closed", (0, 1, 2))


def _ended_by_six(hand: Played) -> Iterator[tuple[str, bytes]]:
    yield "ended by one of each team", hand.ended_before("closed", (1, 4))


ENDED: Final[dict[str, Callable[[Played], Iterator[tuple[str, bytes]]]]] = {
    "maharashtra": _ended_by_three,
    "six24": _ended_by_six,
}

CATEGORIES = (audits,)
