"""From keys, typed words and clicks to the game's action: pure, and from legal actions alone.

`press` takes what the player's desk looks like, the table and one key, and gives the desk after it
and, when the player has decided something, the deed that the seat is to carry out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cli.ui.choices import KEYS, Choice, Intent, Key, choices, default_choice
from cli.ui.desk import Act, Answer, Desk, EndHand, Mode, Say, Wish
from cli.ui.model import Table, last_trick, my_cards, round_table
from cli.ui.refusals import allowed, not_now, why_not_bid, why_not_card, why_not_key
from cli.ui.talk import LONGEST, why_no_talk
from cli.ui.words import places
from p2p304.cards import Card, parse_card
from p2p304.errors import NotationError
from p2p304.rules304.actions import (
    CallCaps,
    CallSpoilt,
    Cut,
    PlaceBid,
)
from p2p304.rules304.bids import Contract
from p2p304.slots import Slot

MOST_TYPED: Final = 12
_RANKS: Final = "789jqkat1"
_CLOSING: Final = frozenset({"escape", "enter", " "})


def press(desk: Desk, table: Table, key: str) -> Answer:
    """The desk after a key, and the deed that it decided. Keys: "left", "enter", "p", "9", ..."""
    if key == "c-c":
        return desk, Wish.LEAVE
    match desk.mode:
        case Mode.CHARTER:
            return _charter(desk, key)
        case Mode.LEAVE:
            deed = Wish.LEAVE if key in ("y", "enter") else None
            return replace(desk, mode=Mode.TABLE, notice=""), deed
        case Mode.END:
            return _ended(replace(desk, mode=Mode.TABLE, notice=""), table, key)
        case Mode.CONFIRM:
            return _confirm(desk, table, key)
        case Mode.CAPS:
            return _caps(desk, table, key)
        case Mode.TALK:
            return _talk(desk, key)
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
        return _pick(desk, table, slot), None
    if desk.mode is Mode.TABLE:
        return _card(replace(desk, notice="", typed=""), table, slot)
    return desk, None


def settled(desk: Desk, table: Table) -> Desk:
    """The desk after the table has changed: what no longer fits is put away."""
    options = choices(table)
    if desk.cursor is not None and all(_cursor_of(each) != desk.cursor for each in options):
        desk = replace(desk, cursor=None)
    if desk.mode is Mode.CAPS and not _may_call_caps(table):
        desk = replace(desk, mode=Mode.TABLE, picked=(), notice="Caps cannot be called any more.")
    if desk.mode is Mode.CONFIRM and all(each != desk.pending for each in options):
        stands = desk.pending is not None and isinstance(desk.pending.action, CallCaps)
        if not (stands and _may_call_caps(table)):
            desk = replace(desk, mode=Mode.TABLE, pending=None, notice="")
    if desk.mode is Mode.TALK and not table.may_talk:
        desk = replace(desk, mode=Mode.TABLE, typed="", notice="The hand has begun: no talk.")
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
    return replace(desk, mode=Mode.TABLE, page=0), None


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


def _caps(desk: Desk, table: Table, key: str) -> Answer:
    """The order of a call: cards are picked one after another, then confirmed."""
    left = [each for each in my_cards(table) if each.slot not in desk.picked]
    match key:
        case "escape":
            return replace(desk, mode=Mode.TABLE, picked=(), typed="", notice=""), None
        case "backspace":
            if desk.typed:
                return replace(desk, typed=desk.typed[:-1]), None
            return replace(desk, picked=desk.picked[:-1]), None
        case "left" | "right" if left:
            places = [each.slot for each in left]
            return replace(desk, cursor=_moved(desk.cursor, places, key)), None
        case "enter":
            if not left:
                return _ask(desk, table, _caps_choice(desk, table)), None
            if any(each.slot == desk.cursor for each in left):
                assert not isinstance(desk.cursor, str)
                assert desk.cursor is not None
                return _pick(desk, table, desk.cursor), None
            return replace(desk, notice="Choose the next card of the order."), None
    if len(key) != 1:
        return desk, None
    typed = (desk.typed + key).lower()
    card = _card_typed(typed)
    if card is None:
        return replace(desk, typed=typed if _begins_card(typed) else ""), None
    slot = next((each.slot for each in left if each.card == card), None)
    if slot is None:
        return replace(desk, typed="", notice="That card is not in your hand, or chosen."), None
    return _pick(replace(desk, typed=""), table, slot), None


def _pick(desk: Desk, table: Table, slot: Slot) -> Desk:
    if slot in desk.picked or all(each.slot != slot for each in my_cards(table)):
        return desk
    picked = (*desk.picked, slot)
    left = [each.slot for each in my_cards(table) if each.slot not in picked]
    if len(left) == 1:
        picked, left = (*picked, left[0]), []
    desk = replace(desk, picked=picked, cursor=left[0] if left else None, notice="")
    return desk if left else _ask(desk, table, _caps_choice(desk, table))


def _caps_choice(desk: Desk, table: Table) -> Choice:
    call = next(each for each in choices(table) if isinstance(each.action, CallCaps))
    if not desk.picked:
        return call
    order = tuple((slot, table.faces[slot]) for slot in desk.picked)
    return call._replace(action=CallCaps(order))


def _at_table(desk: Desk, table: Table, key: str) -> Answer:
    match key:
        case "left" | "right" | "up" | "down" | "tab":
            places = [_cursor_of(each) for each in choices(table)]
            if not places:
                return replace(desk, notice=not_now(table)), None
            return replace(desk, typed="", cursor=_moved(desk.cursor, places, key)), None
        case "enter":
            return _enter(desk, table)
        case "backspace":
            return replace(desk, typed=desk.typed[:-1]), None
        case "escape":
            if desk.typed or desk.cursor is not None:
                return replace(desk, typed="", cursor=None), None
            return _leave(desk), None
    meant = None if desk.typed else _key_meant(table, key)
    if meant is not None:
        return _keyed(desk, table, meant)
    if len(key) == 1 and key.isprintable() and len(desk.typed) < MOST_TYPED:
        return _typed(replace(desk, cursor=None), table, (desk.typed + key).lower())
    return desk, None


def _key_meant(table: Table, key: str) -> Key | None:
    """The key's row of the table; "a" is a rank too where cards are to be played."""
    found = next((each for each in KEYS if each.key == key), None)
    if found is None or isinstance(found.means, Intent):
        return found
    legal = any(each.key == key for each in choices(table))
    begins = key in _RANKS and any(each.slot is not None for each in choices(table))
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
                return replace(desk, notice=why), None
            return replace(desk, mode=Mode.TALK, typed="", notice=""), None
        case Intent.ASK_ONCE:
            asks = not desk.ask_once
            words = "You are asked once more before" if asks else "You are no longer asked before"
            return replace(desk, ask_once=asks, notice=f"{words} what cannot be undone."), None
        case Intent.ALL_CARDS:
            return replace(desk, notice="All cards are shown in replays alone."), None
        case Intent.END:
            return _end(desk, table), None
        case Intent.LEAVE:
            return _leave(desk), None


def _end(desk: Desk, table: Table) -> Desk:
    gone = tuple(seat for seat in round_table(table) if seat not in table.could_end)
    if not table.could_end or not gone:
        return replace(desk, notice="Nobody is missing: the hand can go on.")
    asks = f"End the hand for good, without {places(gone)} and a result, if all agree? (y/n)"
    return replace(desk, mode=Mode.END, notice=asks, ending=table.could_end)


def _ended(desk: Desk, table: Table, key: str) -> Answer:
    """The answer to the question; a peer may have proposed something else since it was asked."""
    if key != "y":
        return desk, None
    if table.could_end != desk.ending:
        return replace(desk, notice="Who could end the hand has changed: e asks again."), None
    return desk, EndHand(desk.ending)


def _leave(desk: Desk) -> Desk:
    return replace(desk, mode=Mode.LEAVE, notice="Leave the table? It can be gone on with. (y/n)")


def _enter(desk: Desk, table: Table) -> Answer:
    options = choices(table)
    if desk.typed:
        return _typed(desk, table, desk.typed, entered=True)
    chosen = next((each for each in options if _cursor_of(each) == desk.cursor), None)
    chosen = chosen or default_choice(options)
    if chosen is not None:
        return _take(desk, table, chosen)
    if not options:
        return replace(desk, notice=not_now(table)), None
    return replace(desk, notice=f"Choose first: {allowed(table)}."), None


def _typed(desk: Desk, table: Table, text: str, *, entered: bool = False) -> Answer:
    """What was typed: a card acts when it is complete, a number when Enter follows."""
    card = _card_typed(text)
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
        return _ask(desk, table, chosen), None
    alone = isinstance(chosen.action, PlaceBid) and isinstance(chosen.action.bid, Contract)
    if alone or isinstance(chosen.action, CallSpoilt) or (desk.ask_once and chosen.irreversible):
        return _ask(desk, table, chosen), None
    return replace(desk, cursor=None, typed="", notice=""), Act(chosen.action)


def _ask(desk: Desk, table: Table, chosen: Choice) -> Desk:
    words = chosen.words
    if isinstance(chosen.action, CallCaps) and chosen.action.order:
        words += " with " + " ".join(table.voice.card(card) for _, card in chosen.action.order)
    question = f"{words[0].upper()}{words[1:]}? It cannot be undone. (y/n)"
    return replace(desk, mode=Mode.CONFIRM, pending=chosen, typed="", notice=question)


# --- small things -----------------------------------------------------------------------------


def _cursor_of(choice: Choice) -> Slot | str:
    return choice.words if choice.slot is None else choice.slot


def _moved(
    cursor: Slot | str | None, places: list[Slot] | list[Slot | str], key: str
) -> Slot | str:
    step = -1 if key in ("left", "up") else 1
    if cursor not in places:
        return places[0 if step > 0 else -1]
    return places[(places.index(cursor) + step) % len(places)]  # type: ignore[arg-type]


def _may_call_caps(table: Table) -> bool:
    return any(isinstance(each, CallCaps) for each in table.legal)


def _begins_card(text: str) -> bool:
    return text in ("1", "10") or (len(text) == 1 and text in _RANKS)


def _card_typed(text: str) -> Card | None:
    """The card, once it is complete: a rank and a suit."""
    if len(text) < 2 or not text[-1:].isalpha():
        return None
    try:
        return parse_card(text)
    except NotationError:
        return None
