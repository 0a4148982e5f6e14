"""What typed characters may become: a card, a number, a word, or the order of claimed cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cli.front.choosing import MOST_DIGITS, card_typed
from cli.front.writing import rank_text
from cli.screen.desk import Answer, Desk, Mode
from cli.screen.model import Table
from cli.screen.questions import said_now, still_asked, subject
from p2p304.cards import Slot
from p2p304.telling import Choice


def begin_order(desk: Desk, table: Table, chosen: Choice) -> Desk:
    """Return the desk at which the cards of a choice are put in an order."""
    first = chosen.order[0]
    about = subject(Mode.ORDER, table)
    desk = replace(desk, mode=Mode.ORDER, pending=chosen, picked=(), cursor=first, typed="")
    return replace(desk, notice="", about=about)


def order_pressed(desk: Desk, table: Table, key: str) -> Answer:
    """Return the desk after a key: cards are picked one after another, then confirmed."""
    left = _left(desk)
    if key != "escape" and not still_open(desk, table):
        return too_late(desk, table), None
    match key:
        case "escape":
            after = replace(desk, mode=Mode.TABLE, pending=None, picked=(), typed="", notice="")
            return replace(after, cursor=None, about=None), None
        case "backspace":
            if desk.typed:
                return replace(desk, typed=desk.typed[:-1]), None
            return replace(desk, picked=desk.picked[:-1]), None
        case "left" | "right" if left:
            return replace(desk, cursor=moved(desk.cursor, left, key)), None
        case "enter":
            slot = next((each for each in left if each == desk.cursor), None)
            if slot is not None:
                return pick(desk, table, slot), None
            return replace(desk, notice="Choose the next card of the order."), None
    if len(key) != 1:
        return desk, None
    typed = (desk.typed + key).lower()
    card = card_typed(typed)
    if card is None:
        if begins_card(table, typed):
            return replace(desk, typed=typed, notice=""), None
        return replace(desk, typed="", notice=f'No card begins with "{typed}".'), None
    slot = next((each for each in left if table.faces[each] == card), None)
    if slot is None:
        return replace(desk, typed="", notice="That card is not in your hand, or chosen."), None
    return pick(replace(desk, typed=""), table, slot), None


def pick(desk: Desk, table: Table, slot: Slot) -> Desk:
    """Return the desk with one more card in the order; the last one is picked by itself."""
    if slot not in _left(desk):
        return desk
    desk = replace(desk, picked=(*desk.picked, slot))
    left = _left(desk)
    if len(left) == 1:
        desk, left = replace(desk, picked=(*desk.picked, left[0])), []
    desk = replace(desk, cursor=left[0] if left else None, notice="")
    return desk if left else _whole(desk, table)


def _left(desk: Desk) -> list[Slot]:
    order = () if desk.pending is None else desk.pending.order
    return [slot for slot in order if slot not in desk.picked]


def _whole(desk: Desk, table: Table) -> Desk:
    """Return the desk with the question whether the choice is made with the order that was
    picked."""
    chosen, view = desk.pending, table.view()
    assert chosen is not None
    assert view is not None
    action = table.telling.ordered(chosen, desk.picked, view)
    cards = table.writer.cards(table.faces[slot] for slot in desk.picked)
    return ask(desk, table, chosen._replace(action=action), f" with {cards}")


def ask(desk: Desk, table: Table, chosen: Choice, more: str = "") -> Desk:
    """Return the desk with the question that goes before `chosen`."""
    question = f"{table.writer.sentence(chosen.label)}{more}? It cannot be undone. (y/n)"
    return asked(desk, table, chosen, question)


def asked(desk: Desk, table: Table, chosen: Choice, question: str) -> Desk:
    """Return the desk with a question that goes before `chosen`."""
    return said_now(replace(desk, mode=Mode.CONFIRM, pending=chosen, typed=""), table, question)


def moved(cursor: Slot | Choice | None, places: Sequence[Slot | Choice], key: str) -> Slot | Choice:
    """Return where the cursor is after an arrow."""
    step = -1 if key in ("left", "up") else 1
    if cursor not in places:
        return places[0 if step > 0 else -1]
    return places[(places.index(cursor) + step) % len(places)]


def still_open(desk: Desk, table: Table) -> bool:
    """Tell whether the choice that was asked about can still be made, perhaps with an order."""
    chosen = desk.pending
    if chosen is None or not still_asked(desk, table):
        return False
    if not chosen.order:
        return chosen in table.choices
    return any(each.order and each.label == chosen.label for each in table.choices)


def too_late(desk: Desk, table: Table) -> Desk:
    """Return the desk without a choice that cannot be made any more."""
    gone = replace(desk, mode=Mode.TABLE, cursor=None, picked=(), typed="", pending=None)
    late = "" if desk.pending is None else f"Too late to {table.writer.line(desk.pending.label)}."
    return said_now(gone, table, late)


MOST_TYPED: Final = 12
"""Characters of one choice."""


def begins_card(table: Table, text: str) -> bool:
    """Tell whether a card of the pack may be typed so."""
    pack = table.game.pack
    names = (name for card in pack for name in (str(card), rank_text(card) + card.suit.letter))
    return any(name.lower().startswith(text) for name in names)


def begins_anything(table: Table, text: str) -> bool:
    """Tell whether something that may be chosen now is typed so."""
    for choice in table.choices:
        words = (*choice.typed, table.writer.line(choice.label))
        if any(word.startswith(text) for word in words if len(word) <= MOST_TYPED):
            return True
    if wants_number(table) and text.isdecimal() and len(text) < MOST_DIGITS:
        return True
    return wants_card(table) and begins_card(table, text)


def wants_number(table: Table) -> bool:
    """Tell whether a number may be typed: a bid, or a cut."""
    return table.my_turn and any(each.numbers or not each.slot for each in table.choices)


def wants_card(table: Table) -> bool:
    """Tell whether a card may be chosen, of the hand or by its name."""
    return any(
        each.slot is not None or any(card_typed(word) is not None for word in each.typed)
        for each in table.choices
    )
