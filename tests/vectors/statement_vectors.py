"""Vectors of statements about hidden cards: what an action proves, seven kinds of it."""

from __future__ import annotations

from typing import Any

from cli.conformance.tables import seeded
from p2p304.cards import Card, Slot, parse_card
from p2p304.rules304.pack import PACK
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
)
from protocol.cards.keys import draw_hand_secret
from protocol.group.layout import join
from protocol.group.point import Point, negate
from tests.vectors.card_vectors import contexts, flipped, lifted
from tests.vectors.collect import Collector
from tests.vectors.own_hand import CONTEXT, OwnHand, small_secret

OP = "statement.verify"
SMALL_PACK = PACK[:8]


def _slots(text: str) -> tuple[Slot, ...]:
    return tuple(Slot(int(each)) for each in text.split())


def _suit(letter: str) -> Any:
    return parse_card("9" + letter).suit


def _is(slot: int, card: str) -> IsCard:
    return IsCard(Slot(slot), parse_card(card))


def _none(slots: str, suit: str) -> NoneOfSuit:
    return NoneOfSuit(_slots(slots), _suit(suit))


def _not(slots: str, card: str) -> NotCard:
    return NotCard(_slots(slots), parse_card(card))


def _differ(slots: str, other: int) -> SuitsDiffer:
    return SuitsDiffer(_slots(slots), Slot(other))


def _common(
    found: Collector, base: str, given: dict[str, Any], wrong: str, layout: str, points: int
) -> None:
    """Faults that every kind of proof has; `points` lie before its scalars."""
    proof = bytes.fromhex(given["proofs"][0])
    scalars = 33 * points

    def fault(about: str, expect: str, data: str) -> None:
        found.reject(base, about, expect, proofs=[data, *given["proofs"][1:]])

    fault("a byte more", f"{layout}.length", proof.hex() + "00")
    fault("a byte less", f"{layout}.length", proof[:-1].hex())
    fault("nothing", f"{layout}.length", "")
    fault("the first scalar", wrong, flipped(proof, scalars + 31))
    fault("the last scalar", wrong, flipped(proof, -1))
    fault("a scalar not reduced", "scalar.range", lifted(proof, len(proof) - 32))
    fault("all scalars zero", wrong, (proof[:scalars] + bytes(len(proof) - scalars)).hex())
    if points:
        opposite = negate(Point.from_bytes(proof[:33])).to_bytes()
        fault("the first point negated", wrong, (opposite + proof[33:]).hex())
        fault("the first point the identity", "point.prefix", (bytes(33) + proof[33:]).hex())
    found.reject(base, "no proof", "statement.count", proofs=given["proofs"][1:])
    found.reject(base, "a proof more", "statement.count", proofs=[*given["proofs"], "00"])
    other = draw_hand_secret(seeded("another seat")).keys()
    found.reject(base, "another seat's keys", wrong, keys=join(other).hex())
    contexts(found, base, CONTEXT, wrong)


def _slot_faults(found: Collector, base: str, changed: list[dict[str, Any]]) -> None:
    found.reject(base, "a slot that does not exist", "deck.slot", statements=changed)


def opening() -> Collector:
    """Faces shown to everybody."""
    found = Collector("opening", "openings: slots hold these cards (4.9)")
    hand = OwnHand("opening vectors", "9C JS 7D TH")
    given = hand.question(_is(0, "9C"))
    base = found.accept(OP, "one card", **given)
    found.accept(OP, "two cards, one proof", **hand.question(_is(1, "JS"), _is(3, "TH")))
    every = [_is(place, str(card)) for place, card in enumerate(hand.faces)]
    found.accept(OP, "every card", **hand.question(*every))
    found.accept(OP, "every card, from the last", strange=True, **hand.question(*every[::-1]))
    found.accept(OP, "a card twice", strange=True, **hand.question(_is(0, "9C"), _is(0, "9C")))
    found.accept(OP, "nothing at all", strange=True, **hand.question())
    about = "an opening and a statement: two proofs, openings first"
    found.accept(OP, about, **hand.question(_none("1", "H"), _is(0, "9C")))
    small = OwnHand("opening vectors, small", "JC", secret=small_secret(2, 3))
    found.accept(OP, "secrets 2 and 3", strange=True, **small.question(_is(0, "JC")))
    for card in ("JC", "9D", "7D"):
        found.reject(base, f"it is not {card}", "opening.proof",
                     statements=[{"is": 0, "card": card}])  # fmt: skip
    found.reject(base, "another slot", "opening.proof", statements=[{"is": 1, "card": "9C"}])
    _slot_faults(found, base, [{"is": 4, "card": "9C"}])
    found.reject(base, "another card lies there", "opening.proof",
                 cards=[given["cards"][1], *given["cards"][1:]])  # fmt: skip
    _common(found, base, given, "opening.proof", "opening", 0)
    return found


def suit_opening() -> Collector:
    """Cards shown to be of one suit."""
    found = Collector("suit-opening", "all of suit: slots hold cards of this suit (4.9)")
    hand = OwnHand("suit vectors", "9C JC 7C TH")
    both = AllOfSuit(_slots("0 1"), _suit("C"))
    given = hand.question(both)
    base = found.accept(OP, "two clubs", **given)
    found.accept(OP, "three clubs", **hand.question(AllOfSuit(_slots("0 1 2"), _suit("C"))))
    found.accept(OP, "one heart", **hand.question(AllOfSuit(_slots("3"), _suit("H"))))
    empty = AllOfSuit((), _suit("S"))
    found.accept(OP, "no cards need no proof", strange=True, **hand.question(empty))
    found.accept(OP, "a slot twice", strange=True,
                 **hand.question(AllOfSuit(_slots("0 0"), _suit("C"))))  # fmt: skip
    wrong = "suit-opening.proof"
    for about, changed in (
        ("hearts", {"all": [0, 1], "suit": "H"}),
        ("another slot, a club too", {"all": [0, 2], "suit": "C"}),
        ("a slot of another suit", {"all": [0, 3], "suit": "C"}),
        ("a slot more", {"all": [0, 1, 2], "suit": "C"}),
        ("a slot less", {"all": [0], "suit": "C"}),
        ("in another order", {"all": [1, 0], "suit": "C"}),
    ):
        found.reject(base, about, wrong, statements=[changed])
    _slot_faults(found, base, [{"all": [0, 7], "suit": "C"}])
    _common(found, base, given, wrong, "opening", 0)
    return found


def not_card() -> Collector:
    """A card that a hand does not hold."""
    found = Collector("not-card", "not this card (4.9, 4.10)")
    hand = OwnHand("not card vectors", "9C JS 7D TC")
    given = hand.question(_not("0 1 2", "JC"))
    base = found.accept(OP, "no jack of clubs among three cards", **given)
    for slots, card in (("0", "JC"), ("1 2 3", "9C"), ("0 1 2 3", "AH"), ("2", "7H")):
        found.accept(OP, f"no {card} in {slots}", **hand.question(_not(slots, card)))
    about = "an opening, a card and a suit: three proofs, openings first"
    found.accept(OP, about, **hand.question(_not("1 2", "TC"), _none("1", "H"), _is(0, "9C")))
    found.accept(OP, "no cards need no proof", strange=True, **hand.question(_not("", "9C")))
    found.accept(OP, "a slot twice", strange=True, **hand.question(_not("0 0", "JC")))
    found.accept(OP, "a card of no pack of 304", strange=True, **hand.question(_not("0", "2C")))
    small = OwnHand("not card vectors, small", "JC", secret=small_secret(2, 3))
    found.accept(OP, "secrets 2 and 3", strange=True, **small.question(_not("0", "9C")))
    wrong = "card-distinction.proof"
    for about, changed, expect in (
        ("another card, true too", {"none": [0, 1, 2], "card": "AH"}, wrong),
        ("a card that is there", {"none": [0, 1, 2], "card": "JS"}, wrong),
        ("another slot", {"none": [0, 1, 3], "card": "JC"}, wrong),
        ("in another order", {"none": [1, 0, 2], "card": "JC"}, wrong),
        ("a slot more", {"none": [0, 1, 2, 3], "card": "JC"}, "distinction.length"),
        ("a slot less", {"none": [0, 1], "card": "JC"}, "distinction.length"),
        ("none instead of a proof", {"none": [], "card": "JC"}, "statement.count"),
        ("as none of a suit, true too", {"none": [0, 1, 2], "suit": "H"}, "distinction.proof"),
    ):
        found.reject(base, about, expect, statements=[changed])
    proof = bytes.fromhex(given["proofs"][0])
    pairs = proof[66:132] + proof[:66] + proof[132:]
    found.reject(base, "Z and T of two cards exchanged", wrong, proofs=[pairs.hex()])
    swapped = proof[33:66] + proof[:33] + proof[66:]
    found.reject(base, "Z and T exchanged", wrong, proofs=[swapped.hex()])
    suit = hand.question(_none("0 1 2", "H"))["proofs"]
    found.reject(base, "the proof of another suit", wrong, proofs=suit)
    _slot_faults(found, base, [{"none": [0, 1, 9], "card": "JC"}])
    _common(found, base, given, wrong, "distinction", 6)
    return found


def none_of_suit() -> Collector:
    """Not following suit."""
    found = Collector("none-of-suit", "none of suit (4.9, 4.10)")
    hand = OwnHand("none vectors", "9C JS 7D TC")
    given = hand.question(_none("0 1 2", "H"))
    base = found.accept(OP, "no hearts in three cards", **given)
    for slots, suit in (("0", "H"), ("1 2", "C"), ("0 1 2 3", "H"), ("2", "S")):
        found.accept(OP, f"no {suit} in {slots}", **hand.question(_none(slots, suit)))
    found.accept(OP, "no cards need no proof", strange=True, **hand.question(_none("", "H")))
    found.accept(OP, "a slot twice", strange=True, **hand.question(_none("0 0", "H")))
    small = OwnHand("none vectors, small", "JC", secret=small_secret(2, 3))
    found.accept(OP, "secrets 2 and 3", strange=True, **small.question(_none("0", "H")))
    wrong = "distinction.proof"
    for about, changed, expect in (
        ("another suit, true too", {"none": [0, 1, 2], "suit": "S"}, wrong),
        ("a false suit", {"none": [0, 1, 2], "suit": "C"}, wrong),
        ("another slot", {"none": [0, 1, 3], "suit": "H"}, wrong),
        ("in another order", {"none": [1, 0, 2], "suit": "H"}, wrong),
        ("a slot more", {"none": [0, 1, 2, 3], "suit": "H"}, "distinction.length"),
        ("a slot less", {"none": [0, 1], "suit": "H"}, "distinction.length"),
        ("none instead of a proof", {"none": [], "suit": "H"}, "statement.count"),
    ):
        found.reject(base, about, expect, statements=[changed])
    proof = bytes.fromhex(given["proofs"][0])
    pairs = proof[66:132] + proof[:66] + proof[132:]
    found.reject(base, "Z and T of two cards exchanged", wrong, proofs=[pairs.hex()])
    swapped = proof[33:66] + proof[:33] + proof[66:]
    found.reject(base, "Z and T exchanged", wrong, proofs=[swapped.hex()])
    _slot_faults(found, base, [{"none": [0, 1, 9], "suit": "H"}])
    _common(found, base, given, wrong, "distinction", 6)
    return found


def suits_differ() -> Collector:
    """Cards of other suits than the indicator."""
    found = Collector("suits-differ", "suits differ (4.9, 4.10)")
    hand = OwnHand("differ vectors", "9C JS 7D TC")
    given = hand.question(_differ("1 2", 0))
    base = found.accept(OP, "two cards are not of the indicator's suit", **given)
    found.accept(OP, "one card", **hand.question(_differ("1", 3)))
    found.accept(OP, "three cards", **hand.question(_differ("0 2 3", 1)))
    found.accept(OP, "no cards need no proof", strange=True, **hand.question(_differ("", 0)))
    found.accept(OP, "a slot twice", strange=True, **hand.question(_differ("1 1", 0)))
    wrong = "distinction.proof"
    for about, changed, expect in (
        ("another indicator, true too", {"differ": [1, 2], "other": 3}, wrong),
        ("the indicator among the cards", {"differ": [1, 0], "other": 0}, wrong),
        ("a card of its suit", {"differ": [1, 3], "other": 0}, wrong),
        ("in another order", {"differ": [2, 1], "other": 0}, wrong),
        ("a card more", {"differ": [1, 2, 3], "other": 0}, "distinction.length"),
        ("a card less", {"differ": [1], "other": 0}, "distinction.length"),
        ("as none of suit", {"none": [1, 2], "suit": "C"}, wrong),
    ):
        found.reject(base, about, expect, statements=[changed])
    _slot_faults(found, base, [{"differ": [1, 2], "other": 8}])
    _common(found, base, given, wrong, "distinction", 4)
    return found


def any_of() -> Collector:
    """One of several lists, without saying which."""
    found = Collector("any-of", "any of several lists (4.9, 4.10)")
    hand = OwnHand("any vectors", "9C JS 7D TC")
    either = AnyOf((_none("0", "H"), _none("1 2", "H")))
    given = hand.question(either)
    base = found.accept(OP, "both are true", **given)
    found.accept(OP, "the first is true", **hand.question(AnyOf((_none("0", "H"), _none("1 2",
                 "D")))))  # fmt: skip
    found.accept(OP, "the second is true", **hand.question(AnyOf((_none("0", "C"), _none("1 2",
                 "H")))))  # fmt: skip
    found.accept(OP, "three, one true", **hand.question(AnyOf((_none("0", "C"), _none("1", "S"),
                 _none("2", "H")))))  # fmt: skip
    found.accept(OP, "comparisons of both kinds", **hand.question(AnyOf((_none("0", "C"),
                 _differ("1 2", 3)))))  # fmt: skip
    found.accept(OP, "one alternative alone", strange=True,
                 **hand.question(AnyOf((_none("0", "H"),))))  # fmt: skip
    found.accept(OP, "the same alternative twice", strange=True,
                 **hand.question(AnyOf((_none("0", "H"), _none("0", "H")))))  # fmt: skip
    found.accept(OP, "an empty alternative is true", strange=True,
                 **hand.question(AnyOf((_none("", "H"), _none("0", "C")))))  # fmt: skip
    wrong = "alternatives.proof"
    first, second = {"none": [0], "suit": "H"}, {"none": [1, 2], "suit": "H"}
    for about, changed, expect in (
        ("alternatives exchanged", [second, first], wrong),
        ("another suit in the first", [{"none": [0], "suit": "S"}, second], wrong),
        ("another slot in the second", [first, {"none": [1, 3], "suit": "H"}], wrong),
        ("an alternative more", [first, second, {"none": [3], "suit": "H"}], "distinction.length"),
        ("an alternative less", [second], "distinction.length"),
        ("the slots divided otherwise", [{"none": [0, 1], "suit": "H"}, {"none": [2],
         "suit": "H"}], wrong),
    ):  # fmt: skip
        found.reject(base, about, expect, statements=[{"any": changed}])
    proof = bytes.fromhex(given["proofs"][0])
    found.reject(base, "as a conjunction", "distinction.length",
                 statements=[{"none": [0, 1, 2], "suit": "H"}])  # fmt: skip
    half = proof[: 198 + 96] + proof[198:294]
    found.reject(base, "the first branch in place of the second's beginning", wrong,
                 proofs=[(half + proof[len(half) :]).hex()])  # fmt: skip
    _slot_faults(found, base, [{"any": [first, {"none": [1, 9], "suit": "H"}]}])
    _common(found, base, given, wrong, "distinction", 6)
    return found


def points_below() -> Collector:
    """Few points, without showing a card."""
    found = Collector("points-below", "points below a limit (4.11)")

    def hand(faces: str, pack: tuple[Card, ...] = SMALL_PACK) -> OwnHand:
        return OwnHand(f"points vectors {faces}", faces, pack=pack)

    def below(slots: str, limit: int) -> Statement:
        return PointsBelow(_slots(slots), limit)

    given = hand("7S 8S QS").question(below("0 1 2", 15))
    base = found.accept(OP, "three cards of a pack of eight, 2 points below 15", **given)
    found.accept(OP, "one card, 0 below 1", **hand("7S").question(below("0", 1)))
    found.accept(OP, "one card, 0 below 400", strange=True, **hand("8S").question(below("0", 400)))
    found.accept(OP, "just below: 5 below 6", strange=True,
                 **hand("KS QS").question(below("0 1", 6)))  # fmt: skip
    found.accept(OP, "no cards count fewer than 1", strange=True,
                 **hand("7S").question(below("", 1)))  # fmt: skip
    found.accept(OP, "four cards of a whole pack, as in a redeal",
                 **hand("7S 8D QH KC", PACK).question(below("0 1 2 3", 15)))  # fmt: skip
    proof = bytes.fromhex(given["proofs"][0])
    rows, argument, places = 8 * 99, 98 * 8 + 228, 6
    at = rows + argument
    cards, sums = at + places, at + places + 64

    def fault(about: str, expect: str, data: bytes) -> None:
        found.reject(base, about, expect, proofs=[data.hex()])

    fault("a byte more", "score.length", proof + b"\0")
    fault("a byte less", "score.length", proof[:-1])
    fault("nothing", "score.length", b"")
    fault("two rows exchanged", "shuffle.equation", proof[99:198] + proof[:99] + proof[198:])
    fault("a row the identity", "point.prefix", bytes(33) + proof[33:])
    fault("a row beyond the table", "score.place", proof[:at] + b"\0\x08" + proof[at + 2 :])
    fault("one row for two cards", "score.places",
          proof[:at] + proof[at : at + 2] * 2 + proof[at + 4 :])  # fmt: skip
    fault("rows exchanged", "score.rows",
          proof[:at] + proof[at + 2 : at + 4] + proof[at : at + 2] + proof[at + 4 :])  # fmt: skip
    fault("the argument's last response", "shuffle.equation",
          bytes.fromhex(flipped(proof, at - 1)))  # fmt: skip
    fault("the challenge of the same cards", "score.rows",
          bytes.fromhex(flipped(proof, cards + 31)))  # fmt: skip
    fault("a response of the same cards not reduced", "scalar.range",
          bytes.fromhex(lifted(proof, cards + 32)))  # fmt: skip
    fault("the first challenge of the sums", "score.sum", bytes.fromhex(flipped(proof, sums + 31)))
    fault("the last response of the sums", "score.sum", bytes.fromhex(flipped(proof, -1)))
    for about, changed, expect in (
        ("a lower limit", {"below": [0, 1, 2], "limit": 3}, "score.length"),
        ("a higher limit", {"below": [0, 1, 2], "limit": 40}, "score.length"),
        ("a limit that nobody meets", {"below": [0, 1, 2], "limit": 0}, "score.length"),
        ("slots in another order", {"below": [1, 0, 2], "limit": 15}, "score.rows"),
        ("a slot less", {"below": [0, 1], "limit": 15}, "score.length"),
        ("a slot that does not exist", {"below": [0, 1, 5], "limit": 15}, "deck.slot"),
    ):
        found.reject(base, about, expect, statements=[changed])
    contexts(found, base, CONTEXT, "shuffle.equation")
    return found


CATEGORIES = (opening, suit_opening, not_card, none_of_suit, suits_differ, any_of, points_below)
