"""A call of caps at the desk: its order, card by card, and the question before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cli.ui.choices import Choice, choices
from cli.ui.desk import Answer, Desk, Mode
from cli.ui.model import Table, my_cards
from cli.ui.typed import begins_card, card_typed
from p2p304.rules304.actions import CallCaps
from p2p304.slots import Slot


def order_pressed(desk: Desk, table: Table, key: str) -> Answer:
    """The order of a call: cards are picked one after another, then confirmed."""
    left = [each for each in my_cards(table) if each.slot not in desk.picked]
    match key:
        case "escape":
            after = replace(desk, mode=Mode.TABLE, picked=(), typed="", notice="")
            return replace(after, cursor=None), None
        case "backspace":
            if desk.typed:
                return replace(desk, typed=desk.typed[:-1]), None
            return replace(desk, picked=desk.picked[:-1]), None
        case "left" | "right" if left:
            places = [each.slot for each in left]
            return replace(desk, cursor=moved(desk.cursor, places, key)), None
        case "enter":
            if not left:
                return ask(desk, table, _caps_choice(desk, table)), None
            if any(each.slot == desk.cursor for each in left):
                assert not isinstance(desk.cursor, str)
                assert desk.cursor is not None
                return pick(desk, table, desk.cursor), None
            return replace(desk, notice="Choose the next card of the order."), None
    if len(key) != 1:
        return desk, None
    typed = (desk.typed + key).lower()
    card = card_typed(typed)
    if card is None:
        if begins_card(typed):
            return replace(desk, typed=typed, notice=""), None
        return replace(desk, typed="", notice=f'No card begins with "{typed}".'), None
    slot = next((each.slot for each in left if each.card == card), None)
    if slot is None:
        return replace(desk, typed="", notice="That card is not in your hand, or chosen."), None
    return pick(replace(desk, typed=""), table, slot), None


def pick(desk: Desk, table: Table, slot: Slot) -> Desk:
    """The desk with one more card in the order; the last one is picked by itself."""
    if slot in desk.picked or all(each.slot != slot for each in my_cards(table)):
        return desk
    picked = (*desk.picked, slot)
    left = [each.slot for each in my_cards(table) if each.slot not in picked]
    if len(left) == 1:
        picked, left = (*picked, left[0]), []
    desk = replace(desk, picked=picked, cursor=left[0] if left else None, notice="")
    return desk if left else ask(desk, table, _caps_choice(desk, table))


def _caps_choice(desk: Desk, table: Table) -> Choice:
    call = next(each for each in choices(table) if isinstance(each.action, CallCaps))
    if not desk.picked:
        return call
    order = tuple((slot, table.faces[slot]) for slot in desk.picked)
    return call._replace(action=CallCaps(order))


def ask(desk: Desk, table: Table, chosen: Choice) -> Desk:
    """The desk with the question that goes before `chosen`."""
    words = chosen.words
    if isinstance(chosen.action, CallCaps) and chosen.action.order:
        words += " with " + " ".join(table.voice.card(card) for _, card in chosen.action.order)
    question = f"{words[0].upper()}{words[1:]}? It cannot be undone. (y/n)"
    return replace(desk, mode=Mode.CONFIRM, pending=chosen, typed="", notice=question)


def moved(cursor: Slot | str | None, places: Sequence[Slot | str], key: str) -> Slot | str:
    """Where the cursor is after an arrow."""
    step = -1 if key in ("left", "up") else 1
    if cursor not in places:
        return places[0 if step > 0 else -1]
    return places[(places.index(cursor) + step) % len(places)]


def may_call_caps(table: Table) -> bool:
    """Whether caps can be called now."""
    return any(isinstance(each, CallCaps) for each in table.legal)
