"""Vectors of statements about hidden cards: what an action proves, seven kinds of it."""

from __future__ import annotations

from typing import Any

from p2p304.plain_json import Json, statement_of
from p2p304.rules304.pack import PACK
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


def _kind(
    category: str,
    about: str,
    faces: str,
    *rows: tuple[str, str] | tuple[str, str, bool],
    name: str,
    small: tuple[str, str] | None = None,
) -> Collector:
    """The vectors of one kind of statement: what is true of a hand, whether it looks wrong, and of
    a card under keys of small secrets; then the faults."""
    found, hand = Collector(category, about), OwnHand(name, faces)
    for told, text, *strange in rows:
        found.accept(OP, told, strange=bool(strange), **question(hand, text))
    if small is not None:
        card, text = small
        hand = OwnHand(f"{name}, small", card, secret=small_secret(2, 3))
        found.accept(OP, "secrets 2 and 3", strange=True, **question(hand, text))
    found.faults()
    return found


def opening() -> Collector:
    """Faces shown to everybody."""
    return _kind(
        "opening",
        "openings: slots hold these cards (4.9)",
        "9C JS 7D TH",
        ("one card", "is 0 9C"),
        ("two cards, one proof", "is 1 JS; is 3 TH"),
        ("every card", "is 0 9C; is 1 JS; is 2 7D; is 3 TH"),
        ("every card, from the last", "is 3 TH; is 2 7D; is 1 JS; is 0 9C", True),
        ("a card twice", "is 0 9C; is 0 9C", True),
        ("nothing at all", "", True),
        ("an opening and a statement: two proofs, openings first", "none 1 H; is 0 9C"),
        name="opening vectors",
        small=("JC", "is 0 JC"),
    )


def suit_opening() -> Collector:
    """Cards shown to be of one suit."""
    return _kind(
        "suit-opening",
        "all of suit: slots hold cards of this suit (4.9)",
        "9C JC 7C TH",
        ("two clubs", "all 0 1 C"),
        ("three clubs", "all 0 1 2 C"),
        ("one heart", "all 3 H"),
        ("no cards need no proof", "all S", True),
        ("a slot twice", "all 0 0 C", True),
        name="suit vectors",
    )


def not_card() -> Collector:
    """A card that a hand does not hold."""
    return _kind(
        "not-card",
        "not this card (4.9, 4.10)",
        "9C JS 7D TC",
        ("no jack of clubs among three cards", "not 0 1 2 JC"),
        ("no JC in 0", "not 0 JC"),
        ("no 9C in 1 2 3", "not 1 2 3 9C"),
        ("no AH in 0 1 2 3", "not 0 1 2 3 AH"),
        ("no 7H in 2", "not 2 7H"),
        (
            "an opening, a card and a suit: three proofs, openings first",
            "not 1 2 TC; none 1 H; is 0 9C",
        ),
        ("no cards need no proof", "not 9C", True),
        ("a slot twice", "not 0 0 JC", True),
        ("a card of no pack of 304", "not 0 2C", True),
        name="not card vectors",
        small=("JC", "not 0 9C"),
    )


def none_of_suit() -> Collector:
    """Not following suit."""
    return _kind(
        "none-of-suit",
        "none of suit (4.9, 4.10)",
        "9C JS 7D TC",
        ("no hearts in three cards", "none 0 1 2 H"),
        ("no H in 0", "none 0 H"),
        ("no C in 1 2", "none 1 2 C"),
        ("no H in 0 1 2 3", "none 0 1 2 3 H"),
        ("no S in 2", "none 2 S"),
        ("no cards need no proof", "none H", True),
        ("a slot twice", "none 0 0 H", True),
        name="none vectors",
        small=("JC", "none 0 H"),
    )


def suits_differ() -> Collector:
    """Cards of other suits than the indicator."""
    return _kind(
        "suits-differ",
        "suits differ (4.9, 4.10)",
        "9C JS 7D TC",
        ("two cards are not of the indicator's suit", "differ 1 2 0"),
        ("one card", "differ 1 3"),
        ("three cards", "differ 0 2 3 1"),
        ("no cards need no proof", "differ 0", True),
        ("a slot twice", "differ 1 1 0", True),
        name="differ vectors",
    )


def any_of() -> Collector:
    """One of several lists, without saying which."""
    return _kind(
        "any-of",
        "any of several lists (4.9, 4.10)",
        "9C JS 7D TC",
        ("both are true", "any none 0 H | none 1 2 H"),
        ("the first is true", "any none 0 H | none 1 2 D"),
        ("the second is true", "any none 0 C | none 1 2 H"),
        ("three, one true", "any none 0 C | none 1 S | none 2 H"),
        ("comparisons of both kinds", "any none 0 C | differ 1 2 3"),
        ("one alternative alone", "any none 0 H", True),
        ("the same alternative twice", "any none 0 H | none 0 H", True),
        ("an empty alternative is true", "any none H | none 0 C", True),
        name="any vectors",
    )


def points_below() -> Collector:
    """Few points, without showing a card."""
    found = Collector("points-below", "points below a limit (4.11)")
    whole = "four cards of a whole pack, as in a redeal"
    for about, faces, text, *strange in (
        ("three cards of a pack of eight, 2 points below 15", "7S 8S QS", "below 0 1 2 15"),
        ("one card, 0 below 1", "7S", "below 0 1"),
        ("one card, 0 below 400", "8S", "below 0 400", True),
        ("just below: 5 below 6", "KS QS", "below 0 1 6", True),
        ("no cards count fewer than 1", "7S", "below 1", True),
        (whole, "7S 8D QH KC", "below 0 1 2 3 15"),
    ):
        pack = PACK if about is whole else SMALL_PACK
        hand = OwnHand(f"points vectors {faces}", str(faces), pack=pack)
        found.accept(OP, str(about), strange=bool(strange), **question(hand, str(text)))
    found.faults()
    return found


CATEGORIES = (opening, suit_opening, not_card, none_of_suit, suits_differ, any_of, points_below)
