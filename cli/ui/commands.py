"""From keys, typed words and clicks to the game's action: pure, and from legal actions alone.

`press` takes what the player's desk looks like, the table and one key, and gives the desk after it
and, when the player has decided something, the deed that the seat is to carry out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cli.ui.choices import (
    KEY_OF,
    KEYS,
    Asking,
    Choice,
    Intent,
    Key,
    choices,
    default_choice,
    is_asked,
)
from cli.ui.desk import PASTED, Act, Answer, Desk, EndHand, Mode, Say, Wish
from cli.ui.ending import why_no_end
from cli.ui.model import Table, last_trick, my_cards, round_table
from cli.ui.ordering import ask, may_call_caps, moved, order_pressed, pick
from cli.ui.refusals import allowed, not_now, why_not_bid, why_not_card, why_not_key
from cli.ui.talk import LONGEST, why_no_talk
from cli.ui.typed import RANKS, begins_anything, card_typed, wants_card
from cli.ui.words import places
from p2p304.rules304.actions import (
    CallCaps,
    Cut,
    PlaceBid,
)
from p2p304.slots import Slot

_CLOSING: Final = frozenset({"escape", "enter", " "})
_OPENING: Final = {
    mode: KEY_OF[intent]
    for mode, intent in (
        (Mode.RULES, Intent.RULES),
        (Mode.HELP, Intent.HELP),
        (Mode.LAST_TRICK, Intent.LAST_TRICK),
    )
}
"""The key that opened what lies over the table closes it as well; any other keeps its meaning."""


def press(desk: Desk, table: Table, key: str) -> Answer:
    """The desk after a key, and the deed that it decided. Keys: "left", "enter", "p", "9",
    ..., or `PASTED` and a text."""
    if key == "c-c":
        return desk, Wish.LEAVE
    if key.startswith(PASTED):
        return _pasted(desk, table, key.removeprefix(PASTED)), None
    match desk.mode:
        case Mode.CHARTER:
            return _charter(desk, key)
        case Mode.LEAVE | Mode.END:
            return _questioned(desk, table, key)
        case Mode.UNHEARD:
            over = key in ("enter", "escape")
            back = replace(desk, mode=desk.under, under=Mode.TABLE, notice="")
            return (back if over else desk), None
        case Mode.CONFIRM:
            return _confirm(desk, table, key)
        case Mode.CAPS:
            return order_pressed(desk, table, key)
        case Mode.TALK:
            return _talk(desk, key)
        case Mode.FINISH:
            mode = Mode.SUMMARY if key in _CLOSING else Mode.FINISH
            return replace(desk, mode=mode), None
        case Mode.RULES | Mode.HELP | Mode.LAST_TRICK | Mode.SUMMARY:
            return _reading(desk, table, key)
        case Mode.TABLE:
            return _at_table(replace(desk, notice=""), table, key)


def click(desk: Desk, table: Table, target: str) -> Answer:
    """The desk after a click: on a card (its slot's number after "card "), or on a key's words."""
    kind, _, name = target.partition(" ")
    if kind == "key":
        return press(desk, table, name)
    if kind != "card":
        chosen = next((each for each in choices(table) if each.words == target), None)
        return (desk, None) if chosen is None else _take(replace(desk, notice=""), table, chosen)
    slot = Slot(int(name))
    if desk.mode is Mode.CAPS:
        return pick(desk, table, slot), None
    if desk.mode is Mode.TABLE:
        return _card(replace(desk, notice="", typed=""), table, slot)
    return desk, None


def settled(desk: Desk, table: Table) -> Desk:
    """The desk after the table has changed: what no longer fits is put away."""
    options = choices(table)
    chosen = desk.cursor is not None and desk.mode is not Mode.CAPS
    if chosen and all(each.place != desk.cursor for each in options):
        desk = replace(desk, cursor=None)
    if desk.mode is Mode.CAPS and not may_call_caps(table):
        why = "Caps cannot be called any more."
        desk = replace(desk, mode=Mode.TABLE, cursor=None, picked=(), typed="", notice=why)
    if desk.mode is Mode.CONFIRM and all(each != desk.pending for each in options):
        stands = desk.pending is not None and isinstance(desk.pending.action, CallCaps)
        if not (stands and may_call_caps(table)):
            desk = replace(desk, mode=Mode.TABLE, pending=None, notice="")
    if desk.mode is Mode.TALK and not table.may_talk:
        desk = _unheard(replace(desk, mode=Mode.TABLE, typed=""), "The hand has begun: no talk.")
    if desk.mode is Mode.SUMMARY and table.summary is None and table.unfinished is None:
        desk = replace(desk, mode=Mode.TABLE)  # the hand had ended, and goes on
    return desk


def asked_anew(desk: Desk) -> Desk:
    """The desk when the player's turn comes: what was said before is no answer any more."""
    return replace(desk, notice="") if desk.mode is Mode.TABLE else desk


# --- the modes --------------------------------------------------------------------------------


def _charter(desk: Desk, key: str) -> Answer:
    if key in ("y", "enter"):
        return replace(desk, mode=Mode.TABLE, page=0), Wish.AGREE
    if key in ("n", "escape"):
        return desk, Wish.REFUSE
    return _scrolled(desk, key), None


def _confirm(desk: Desk, table: Table, key: str) -> Answer:
    after = replace(desk, mode=Mode.TABLE, pending=None, picked=(), notice="")
    if key in ("y", "enter") and desk.pending is not None and table.legal:
        return replace(after, cursor=None), Act(desk.pending.action)
    if key in ("n", "escape"):
        return replace(after, notice="Nothing was done."), None
    return desk, None


def _reading(desk: Desk, table: Table, key: str) -> Answer:
    scrolled = _scrolled(desk, key)
    if scrolled != desk:
        return scrolled, None
    if desk.mode is Mode.SUMMARY:
        if key in _CLOSING:
            return replace(desk, mode=Mode.TABLE, page=0), Wish.CLOSE
        if key == "/":
            return _intent(replace(desk, page=0), table, Intent.TALK)
        return desk, None
    closed = replace(desk, mode=Mode.TABLE, page=0)
    if key in _CLOSING or key == _OPENING.get(desk.mode):
        return closed, None
    return _at_table(replace(closed, notice=""), table, key)


def _pasted(desk: Desk, table: Table, text: str) -> Desk:
    """Pasted words are said, pasted figures typed; nothing that is pasted decides anything."""
    if desk.mode is Mode.TALK:
        words = "".join(char for char in text if char.isprintable())
        return replace(desk, typed=(desk.typed + words)[:LONGEST])
    if desk.mode not in (Mode.TABLE, Mode.CAPS):
        return desk
    figures = (desk.typed + text.strip()).lower()
    fits = desk.mode is Mode.TABLE and begins_anything(table, figures)
    if text.strip().isdecimal() and fits:
        return replace(desk, typed=figures, cursor=None, notice="")
    return replace(desk, notice="Pasted text is not taken for keys: type it.")


def _scrolled(desk: Desk, key: str) -> Desk:
    step = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}.get(key, 0)
    return replace(desk, page=max(0, desk.page + step)) if step else desk


def _talk(desk: Desk, key: str) -> Answer:
    match key:
        case "escape":
            return replace(desk, mode=Mode.TABLE, typed="", notice=""), None
        case "backspace":
            return replace(desk, typed=desk.typed[:-1]), None
        case "enter":
            text = desk.typed.strip()
            return replace(desk, mode=Mode.TABLE, typed=""), Say(text) if text else None
        case _ if len(key) == 1 and key.isprintable() and len(desk.typed) < LONGEST:
            return replace(desk, typed=desk.typed + key), None
    return desk, None


def _at_table(desk: Desk, table: Table, key: str) -> Answer:
    match key:
        case "left" | "right" | "up" | "down" | "tab":
            places = [each.place for each in choices(table)]
            if not places:
                return replace(desk, notice=not_now(table)), None
            return replace(desk, typed="", cursor=moved(desk.cursor, places, key)), None
        case "enter":
            return _enter(desk, table)
        case "backspace":
            return replace(desk, typed=desk.typed[:-1]), None
        case "escape":
            if desk.typed or desk.cursor is not None:
                return replace(desk, typed="", cursor=None), None
            return _leave(desk), None
    text = (desk.typed + key).lower()
    meant = _key_meant(table, key) if not desk.typed else _intent_of(table, key, text)
    if meant is not None:
        return _keyed(replace(desk, typed=""), table, meant)
    if len(key) != 1 or not key.isprintable():
        return desk, None
    if not begins_anything(table, text):
        why = f'Nothing to choose now begins with "{text}". Allowed: {allowed(table)}.'
        return replace(desk, typed="", notice=why if table.legal else not_now(table)), None
    return _typed(replace(desk, cursor=None), table, text)


def _intent_of(table: Table, key: str, text: str) -> Key | None:
    """A key that makes no move goes before what was typed, unless that goes on with it."""
    found = next((each for each in KEYS if each.key == key), None)
    intent = found is not None and isinstance(found.means, Intent)
    return found if intent and not begins_anything(table, text) else None


def _key_meant(table: Table, key: str) -> Key | None:
    """The key's row of the table; "a" is a rank too where cards are to be played."""
    found = next((each for each in KEYS if each.key == key), None)
    if found is None or isinstance(found.means, Intent):
        return found
    legal = any(each.key == key for each in choices(table))
    begins = key in RANKS and wants_card(table)
    return found if legal or not begins else None


def _keyed(desk: Desk, table: Table, key: Key) -> Answer:
    if isinstance(key.means, Intent):
        return _intent(desk, table, key.means)
    for each in choices(table):
        if each.key == key.key:
            return _take(desk, table, each)
    return replace(desk, notice=why_not_key(table, key)), None


def _intent(desk: Desk, table: Table, intent: Intent) -> Answer:
    match intent:
        case Intent.RULES:
            return replace(desk, mode=Mode.RULES), None
        case Intent.HELP:
            return replace(desk, mode=Mode.HELP), None
        case Intent.LAST_TRICK:
            if last_trick(table) is None:
                return replace(desk, notice="No trick has been completed in this hand."), None
            return replace(desk, mode=Mode.LAST_TRICK), None
        case Intent.HINT:
            if not desk.hints:
                return replace(desk, notice="No hints here: other people play."), None
            if not table.my_turn:
                return replace(desk, notice=not_now(table)), None
            return replace(desk, notice="Thinking about a hint ..."), Wish.HINT
        case Intent.TALK:
            why = why_no_talk(table.game, table.state, mute=not desk.talk)
            if why is not None:
                return _unheard(desk, why), None
            return replace(desk, mode=Mode.TALK, typed="", notice=""), None
        case Intent.ASK_ONCE:
            every = tuple(Asking)
            asking = every[(every.index(desk.asking) + 1) % len(every)]
            words = f"You are asked once more before {asking.value}."
            return replace(desk, asking=asking, notice=words), None
        case Intent.ALL_CARDS:
            return replace(desk, notice="All cards are shown in replays alone."), None
        case Intent.END:
            return _end(desk, table), None
        case Intent.LEAVE:
            return _leave(desk), None


def _end(desk: Desk, table: Table) -> Desk:
    if table.agreed:
        others = places(tuple(seat for seat in table.agreed if seat != table.seat))
        asks = f"You agreed to end the hand, if {others} do. Play on all the same? (y/n)"
        return replace(desk, mode=Mode.END, notice=asks, ending=())
    gone = tuple(seat for seat in round_table(table) if seat not in table.could_end)
    if not table.could_end or not gone:
        asked = table.waiting or table.proposed
        why = why_no_end(table.game, table.state, table.present()) if asked else ""
        return replace(desk, notice=why or "Nobody is missing: the hand can go on.")
    asks = f"End the hand for good, without {places(gone)} and a result, if all agree? (y/n)"
    return replace(desk, mode=Mode.END, notice=asks, ending=table.could_end)


def _unheard(desk: Desk, why: str) -> Desk:
    """The desk after talk was refused: whoever has begun to write goes on for a while."""
    notice = f"{why} What you type is not read: Enter goes back."
    return replace(desk, mode=Mode.UNHEARD, under=desk.mode, notice=notice)


def _questioned(desk: Desk, table: Table, key: str) -> Answer:
    """The answer to "leave?" or "end?"; a key that is none withdraws it and keeps its meaning."""
    after = replace(desk, mode=Mode.TABLE, notice="")
    if key in ("n", "escape"):
        return after, None
    if desk.mode is Mode.LEAVE and key in ("y", "enter"):
        return after, Wish.LEAVE
    if desk.mode is Mode.END and key == "enter":
        return after, None
    return _ended(after, table) if key == "y" else _at_table(after, table, key)


def _ended(desk: Desk, table: Table) -> Answer:
    """A yes to the question; a peer may have proposed something else since it was asked."""
    if not desk.ending:
        return desk, EndHand(()) if table.agreed else None
    if table.could_end != desk.ending:
        return replace(desk, notice="Who could end the hand has changed: e asks again."), None
    return desk, EndHand(desk.ending)


def _leave(desk: Desk) -> Desk:
    return replace(desk, mode=Mode.LEAVE, notice="Leave? 'p2p304 resume' brings you back. (y/n)")


def _enter(desk: Desk, table: Table) -> Answer:
    options = choices(table)
    if desk.typed:
        return _typed(desk, table, desk.typed, entered=True)
    chosen = next((each for each in options if each.place == desk.cursor), None)
    chosen = chosen or default_choice(options)
    if chosen is not None:
        return _take(desk, table, chosen)
    if not options:
        return replace(desk, notice=not_now(table)), None
    return replace(desk, notice=f"Choose first: {allowed(table)}."), None


def _typed(desk: Desk, table: Table, text: str, *, entered: bool = False) -> Answer:
    """What was typed: a card acts when it is complete, a number when Enter follows."""
    card = card_typed(text)
    if card is not None:
        slot = next((each.slot for each in my_cards(table) if each.card == card), None)
        after = replace(desk, typed="")
        if slot is None:
            named = table.voice.card(card)
            return replace(after, notice=f"{named} is not in your hand."), None
        return _card(after, table, slot)
    if not entered:
        return replace(desk, typed=text), None
    after = replace(desk, typed="")
    for each in choices(table):
        if each.key == text or each.words == text:
            return _take(after, table, each)
    if text.isdecimal() and len(text) <= 4:
        return _number(after, table, int(text))
    return replace(after, notice=f"Nothing is called that. Allowed: {allowed(table)}."), None


def _number(desk: Desk, table: Table, number: int) -> Answer:
    meant = table.game.profile.number_meant(number)
    for each in choices(table):
        if each.action in (PlaceBid(meant), Cut(number)):
            return _take(desk, table, each)
    return replace(desk, notice=why_not_bid(table, meant)), None


def _card(desk: Desk, table: Table, slot: Slot) -> Answer:
    fitting = [each for each in choices(table) if each.slot == slot]
    if fitting:
        return _take(desk, table, fitting[0])
    return replace(desk, notice=why_not_card(table, slot)), None


def _take(desk: Desk, table: Table, chosen: Choice) -> Answer:
    """Do it; or ask about it first, or for the order of a call of caps."""
    if isinstance(chosen.action, CallCaps):
        if len(chosen.action.order) > 1 and table.game.profile.caps_order_stated:
            first = my_cards(table)[0].slot
            return replace(desk, mode=Mode.CAPS, picked=(), cursor=first, typed=""), None
        return ask(desk, table, chosen), None
    if is_asked(chosen.action, table.legal, desk.asking):
        return ask(desk, table, chosen), None
    return replace(desk, cursor=None, typed="", notice=""), Act(chosen.action)
