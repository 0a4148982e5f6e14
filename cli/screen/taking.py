"""From what a player names at its turn to its action: a card, a number, a word, or Enter alone."""

from __future__ import annotations

from dataclasses import replace

from cli.front.choosing import allowed, card_typed, chosen, number_typed, refused, slot_of
from cli.front.substitutes import ASKED
from cli.screen.choices import is_asked, where
from cli.screen.desk import Act, Answer, Desk
from cli.screen.model import Table
from cli.screen.ordering import ask, asked, begin_order
from cli.screen.prompts import default_choice, waiting_words
from cli.screen.questions import said_now
from p2p304.cards import Slot
from p2p304.telling import Choice, Tried


def enter(desk: Desk, table: Table) -> Answer:
    """Take what was typed, what the cursor is on, or the choice that needs no other."""
    if desk.typed:
        return typed(desk, table, desk.typed, entered=True)
    at_cursor = (each for each in table.choices if where(each) == desk.cursor)
    meant = next(at_cursor, None) or default_choice(table)
    if meant is not None:
        return take(desk, table, meant)
    return desk, None  # the prompt says whose turn it is, and what can be chosen


def typed(desk: Desk, table: Table, text: str, *, entered: bool = False) -> Answer:
    """Take what was typed: a card acts when it is complete, a number when Enter follows."""
    card, view = card_typed(text), table.view()
    if card is not None and view is not None:
        slot = slot_of(card, view, table.telling)
        after = replace(desk, typed="")
        meant = chosen(text, table.choices, table.writer) if slot is None else None
        if meant is not None:  # a card that is named, and not played
            return take(after, table, meant)
        if slot is None:
            named = table.writer.card(card)
            return said_now(after, table, f"{named} is not in your hand."), None
        return take_card(after, table, slot)
    if not entered:
        return replace(desk, typed=text), None
    after, number = replace(desk, typed=""), number_typed(text)
    meant = chosen(text, table.choices, table.writer)
    if meant is not None:
        return take(after, table, meant)
    if number is not None:
        return said_now(after, table, why_refused(table, Tried(number=number))), None
    return said_now(after, table, f"Nothing is called that. Allowed: {all_allowed(table)}."), None


def take_card(desk: Desk, table: Table, slot: Slot) -> Answer:
    """Take the choice that a card of the hand stands for, or say why there is none."""
    fitting = [each for each in table.choices if each.slot == slot]
    if fitting:
        return take(desk, table, fitting[0])
    return said_now(desk, table, why_refused(table, Tried(slot=slot))), None


def take(desk: Desk, table: Table, meant: Choice) -> Answer:
    """Do it; or ask about it first, or for the order of its cards."""
    if meant.order:
        return begin_order(desk, table, meant), None
    if meant.window and table.urgent is not None:
        question = f"{table.writer.sentence(table.urgent.skipped)}. Do so? (y/n)"
        return asked(desk, table, meant, question), None
    if is_asked(meant, desk.asking):
        return ask(desk, table, meant), None
    return replace(desk, cursor=None, typed="", notice="", about=None), Act(meant.action)


def why_refused(table: Table, tried: Tried) -> str:
    """Return why what was tried cannot be chosen now."""
    view = table.view()
    if view is None or not table.my_turn:
        return not_now(table)
    return refused(table.telling, view, table.choices, tried, table.writer)


def all_allowed(table: Table) -> str:
    """Return what can be chosen now, in words."""
    view = table.view()
    return "" if view is None else allowed(table.choices, view, table.writer)


def not_now(table: Table) -> str:
    """Return why nothing can be done now."""
    if table.seat is None:
        return "You are looking on: nothing is yours to do."
    if table.asked_to_go_on is not None:
        return ASKED
    if table.summary is not None:
        return "The hand is over."
    return f"It is not your turn. {waiting_words(table)}"
