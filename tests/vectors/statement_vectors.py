"""Vectors of statements about hidden cards: what an action proves, seven kinds of it."""

from __future__ import annotations

from typing import Any

from p2p304.plain_json import Json, statement_of
from p2p304.rules304.pack import PACK
from protocol.group.point import Point, negate
from tests.vectors.card_vectors import flipped, lifted
from tests.vectors.collect import Collector
from tests.vectors.own_hand import OwnHand, small_secret

OP = "statement.verify"
SMALL_PACK = PACK[:8]


def said(text: str) -> list[Json]:
    """Statements as the line protocol writes them: "is 0 9C; none 1 2 H" and the like, with slots
    before the card, the suit, the other slot or the limit."""
    return [_said(each) for each in text.split("; ") if each]


def _said(text: str) -> Json:
    word, *middle, last = text.split()
    if word == "any":
        return {"any": [_said(each) for each in text.removeprefix("any ").split(" | ")]}
    slots = [int(each) for each in middle]
    match word:
        case "is":
            return {"is": slots[0], "card": last}
        case "not":
            return {"none": slots, "card": last}
        case "none" | "all":
            return {word: slots, "suit": last}
        case "differ":
            return {"differ": slots, "other": int(last)}
        case _:
            return {"below": slots, "limit": int(last)}


def question(hand: OwnHand, text: str) -> dict[str, Any]:
    """What is asked about these statements on a hand, with their proofs."""
    return hand.question(*map(statement_of, said(text)))


class _Kind:
    """The vectors of one kind of statement; the faults are made from the first that is true."""

    def __init__(self, category: str, about: str, wrong: str, name: str, faces: str) -> None:
        self.found = Collector(category, about)
        self.wrong, self.name, self.hand = wrong, name, OwnHand(name, faces)
        self.given: dict[str, Any] = {}
        self.base = ""

    def true(self, *rows: tuple[str, str] | tuple[str, str, bool]) -> None:
        """Add what is true: what it is about, the statements, whether they look wrong."""
        for about, text, *strange in rows:
            given = question(self.hand, text)
            name = self.found.accept(OP, about, strange=bool(strange), **given)
            self.given, self.base = self.given or given, self.base or name

    def small(self, card: str, text: str) -> None:
        """Add a statement on a card under keys of small secrets."""
        hand = OwnHand(f"{self.name}, small", card, secret=small_secret(2, 3))
        self.found.accept(OP, "secrets 2 and 3", strange=True, **question(hand, text))

    @property
    def proof(self) -> bytes:
        """The proof from which faults are made."""
        return bytes.fromhex(self.given["proofs"][0])

    def fault(self, about: str, expect: str, *proofs: bytes) -> None:
        """Add other proofs in place of the first."""
        told = [each.hex() for each in proofs]
        self.found.reject(self.base, about, expect, proofs=[*told, *self.given["proofs"][1:]])

    def common(self, layout: str, points: int) -> None:
        """Add the faults that every kind of proof has; `points` lie before its scalars."""
        proof, scalars = self.proof, 33 * points
        unreduced = bytes.fromhex(lifted(proof, len(proof) - 32))
        self.fault("a byte more", f"{layout}.length", proof + b"\0")
        self.fault("a byte less", f"{layout}.length", proof[:-1])
        self.fault("nothing", f"{layout}.length", b"")
        self.fault("the first scalar", self.wrong, bytes.fromhex(flipped(proof, scalars + 31)))
        self.fault("the last scalar", self.wrong, bytes.fromhex(flipped(proof, -1)))
        self.fault("a scalar not reduced", "scalar.range", unreduced)
        zeros = proof[:scalars] + bytes(len(proof) - scalars)
        self.fault("all scalars zero", self.wrong, zeros)
        if points:
            opposite = negate(Point.from_bytes(proof[:33])).to_bytes()
            self.fault("the first point negated", self.wrong, opposite + proof[33:])
            self.fault("the first point the identity", "point.prefix", bytes(33) + proof[33:])
        self.fault("no proof", "statement.count")
        self.found.reject(
            self.base, "a proof more", "statement.count", proofs=[*self.given["proofs"], "00"]
        )
        self.found.faults("proofs")

    def halves(self) -> None:
        """Add exchanges of the points of a distinction."""
        proof = self.proof
        pairs = proof[66:132] + proof[:66] + proof[132:]
        self.fault("Z and T of two cards exchanged", self.wrong, pairs)
        self.fault("Z and T exchanged", self.wrong, proof[33:66] + proof[:33] + proof[66:])


def opening() -> Collector:
    """Faces shown to everybody."""
    about = "openings: slots hold these cards (4.9)"
    kind = _Kind("opening", about, "opening.proof", "opening vectors", "9C JS 7D TH")
    kind.true(
        ("one card", "is 0 9C"),
        ("two cards, one proof", "is 1 JS; is 3 TH"),
        ("every card", "is 0 9C; is 1 JS; is 2 7D; is 3 TH"),
        ("every card, from the last", "is 3 TH; is 2 7D; is 1 JS; is 0 9C", True),
        ("a card twice", "is 0 9C; is 0 9C", True),
        ("nothing at all", "", True),
        ("an opening and a statement: two proofs, openings first", "none 1 H; is 0 9C"),
    )
    kind.small("JC", "is 0 JC")
    kind.found.faults("proofs")
    kind.common("opening", 0)
    return kind.found


def suit_opening() -> Collector:
    """Cards shown to be of one suit."""
    about = "all of suit: slots hold cards of this suit (4.9)"
    kind = _Kind("suit-opening", about, "suit-opening.proof", "suit vectors", "9C JC 7C TH")
    kind.true(
        ("two clubs", "all 0 1 C"),
        ("three clubs", "all 0 1 2 C"),
        ("one heart", "all 3 H"),
        ("no cards need no proof", "all S", True),
        ("a slot twice", "all 0 0 C", True),
    )
    kind.found.faults("proofs")
    kind.common("opening", 0)
    return kind.found


def not_card() -> Collector:
    """A card that a hand does not hold."""
    wrong = "card-distinction.proof"
    kind = _Kind("not-card", "not this card (4.9, 4.10)", wrong, "not card vectors", "9C JS 7D TC")
    mixed = "an opening, a card and a suit: three proofs, openings first"
    kind.true(
        ("no jack of clubs among three cards", "not 0 1 2 JC"),
        ("no JC in 0", "not 0 JC"),
        ("no 9C in 1 2 3", "not 1 2 3 9C"),
        ("no AH in 0 1 2 3", "not 0 1 2 3 AH"),
        ("no 7H in 2", "not 2 7H"),
        (mixed, "not 1 2 TC; none 1 H; is 0 9C"),
        ("no cards need no proof", "not 9C", True),
        ("a slot twice", "not 0 0 JC", True),
        ("a card of no pack of 304", "not 0 2C", True),
    )
    kind.small("JC", "not 0 9C")
    kind.found.faults("proofs")
    kind.halves()
    suit = question(kind.hand, "none 0 1 2 H")["proofs"]
    kind.found.reject(kind.base, "the proof of another suit", wrong, proofs=suit)
    kind.found.faults("proofs")
    kind.common("distinction", 6)
    return kind.found


def none_of_suit() -> Collector:
    """Not following suit."""
    about = "none of suit (4.9, 4.10)"
    kind = _Kind("none-of-suit", about, "distinction.proof", "none vectors", "9C JS 7D TC")
    kind.true(
        ("no hearts in three cards", "none 0 1 2 H"),
        ("no H in 0", "none 0 H"),
        ("no C in 1 2", "none 1 2 C"),
        ("no H in 0 1 2 3", "none 0 1 2 3 H"),
        ("no S in 2", "none 2 S"),
        ("no cards need no proof", "none H", True),
        ("a slot twice", "none 0 0 H", True),
    )
    kind.small("JC", "none 0 H")
    kind.found.faults("proofs")
    kind.halves()
    kind.found.faults("proofs")
    kind.common("distinction", 6)
    return kind.found


def suits_differ() -> Collector:
    """Cards of other suits than the indicator."""
    about = "suits differ (4.9, 4.10)"
    kind = _Kind("suits-differ", about, "distinction.proof", "differ vectors", "9C JS 7D TC")
    kind.true(
        ("two cards are not of the indicator's suit", "differ 1 2 0"),
        ("one card", "differ 1 3"),
        ("three cards", "differ 0 2 3 1"),
        ("no cards need no proof", "differ 0", True),
        ("a slot twice", "differ 1 1 0", True),
    )
    kind.found.faults("proofs")
    kind.common("distinction", 4)
    return kind.found


def any_of() -> Collector:
    """One of several lists, without saying which."""
    about = "any of several lists (4.9, 4.10)"
    kind = _Kind("any-of", about, "alternatives.proof", "any vectors", "9C JS 7D TC")
    kind.true(
        ("both are true", "any none 0 H | none 1 2 H"),
        ("the first is true", "any none 0 H | none 1 2 D"),
        ("the second is true", "any none 0 C | none 1 2 H"),
        ("three, one true", "any none 0 C | none 1 S | none 2 H"),
        ("comparisons of both kinds", "any none 0 C | differ 1 2 3"),
        ("one alternative alone", "any none 0 H", True),
        ("the same alternative twice", "any none 0 H | none 0 H", True),
        ("an empty alternative is true", "any none H | none 0 C", True),
    )
    kind.found.faults("proofs")
    proof = kind.proof
    half = proof[: 198 + 96] + proof[198:294]
    about = "the first branch in place of the second's beginning"
    kind.fault(about, kind.wrong, half + proof[len(half) :])
    kind.found.faults("proofs")
    kind.common("distinction", 6)
    return kind.found


def points_below() -> Collector:
    """Few points, without showing a card."""
    about = "points below a limit (4.11)"
    kind = _Kind("points-below", about, "score.length", "", "")

    def true(about: str, faces: str, text: str, *, strange: bool = False, pack: Any = ()) -> None:
        hand = OwnHand(f"points vectors {faces}", faces, pack=pack or SMALL_PACK)
        given = question(hand, text)
        name = kind.found.accept(OP, about, strange=strange, **given)
        kind.given, kind.base = kind.given or given, kind.base or name

    true("three cards of a pack of eight, 2 points below 15", "7S 8S QS", "below 0 1 2 15")
    true("one card, 0 below 1", "7S", "below 0 1")
    true("one card, 0 below 400", "8S", "below 0 400", strange=True)
    true("just below: 5 below 6", "KS QS", "below 0 1 6", strange=True)
    true("no cards count fewer than 1", "7S", "below 1", strange=True)
    whole = "four cards of a whole pack, as in a redeal"
    true(whole, "7S 8D QH KC", "below 0 1 2 3 15", pack=PACK)
    proof, fault = kind.proof, kind.fault
    rows, argument, places = 8 * 99, 98 * 8 + 228, 6
    at = rows + argument
    cards, sums = at + places, at + places + 64

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
    kind.found.faults("proofs")
    return kind.found


CATEGORIES = (opening, suit_opening, not_card, none_of_suit, suits_differ, any_of, points_below)
