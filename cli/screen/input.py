"""Keys, typed words and clicks turned into commands: pure, and among legal actions alone.

`press` takes the player's desk, the table and one key. It returns the new desk and, if the player
has decided something, the command for the seat to carry out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from cli.bounds import CLAIM_WINDOW, ENTER_CONFIRMS_FOR, LONGEST_MESSAGE, MOST_DIGITS, MOST_TYPED
from cli.front.narrator import ASKED, NOBODY_MISSING, Where, asks, question, question_back
from cli.front.player_commands import (
    AnswerGoingOn,
    GoOn,
    Substitute,
    offers,
    why_no_end,
    why_no_talk,
)
from cli.front.writing import (
    NO_HINTS,
    allowed_words,
    find_choice,
    goes_by_itself,
    next_pace,
    pace_words,
    read_card,
    read_number,
    refusal,
    slot_of,
)
from cli.screen.canvas import Theme
from cli.screen.desk import (
    INTENT_OF,
    NEVER,
    PASTED,
    Act,
    Answer,
    Desk,
    Intent,
    Mode,
    PlainDeed,
    is_asked,
    where,
)
from cli.screen.footer import waiting_words
from cli.screen.model import Table, absent
from cli.screen.preferences import Asking
from p2p304.cards import Slot
from p2p304.seats import Seat
from p2p304.telling import Choice, Tried
from protocol.topics.commands import CallReferee, EndUnfinished, PlayOn, Say, WantRematch
from protocol.wire.contents import Continuation

_CLOSING: Final = frozenset({"escape", "enter", " "})
_READ_AFTER: Final = {
    Intent.RULES: Mode.RULES,
    Intent.HELP: Mode.HELP,
    Intent.LAST_TRICK: Mode.LAST_TRICK,
    Intent.SCORES: Mode.SCORES,
    Intent.STORY: Mode.STORY,
    Intent.INVITES: Mode.INVITES,
}
#: The key that opened what lies over the table closes it as well; any other keeps its meaning.
_OPENING: Final = {mode: intent.value.key for intent, mode in _READ_AFTER.items()}


# A hint is asked for at a window that may pass: only it holds the window.
#: Keys that hold no window: what they open keeps it for as long as it is read.
_READS: Final = frozenset(INTENT_OF) - {Intent.HINT.value.key}
#: What the rules are read over, and come back to: at the table they are a key of it.
_TAUGHT: Final = frozenset({Mode.CHARTER, Mode.SUMMARY, Mode.FINISH, Mode.MATCH, Mode.INVITES})


def press(desk: Desk, table: Table, key: str, *, now: float = 0.0) -> Answer:
    """Return the desk after a key, and the command that it gives, if any, by the desk's mode.

    Keys are "left", "enter", "p", "9", ..., or `PASTED` followed by a text. An Enter within a
    second after a card was typed does nothing, as the card has acted. `now` is in monotonic
    seconds.
    """
    # Before the modes: the card has acted, and Enter would answer what stands there now.
    if key == "enter" and now - desk.named_at < ENTER_CONFIRMS_FOR:
        return replace(desk, named_at=NEVER), None
    # Judged on the desk before the key: the complete name empties `typed`.
    typing = desk.mode in (Mode.TABLE, Mode.ORDER) and read_card(f"{desk.typed}{key}") is not None
    desk = replace(desk, named_at=now if typing else NEVER)
    if key == "c-c":
        # Asked only while a hand is in play, where others wait for the seat.
        over = table.stopped or table.match is not None or table.summary is not None
        plays = table.seat is not None and table.state is not None and not over
        # A second Ctrl-C, at the question, leaves unasked; so does the first in a lesson, where
        # nobody waits.
        asks = plays and desk.mode not in (Mode.LEAVE, Mode.LESSON)
        return (ask_to_leave(desk), None) if asks else (desk, PlainDeed.LEAVE)
    if key.startswith(PASTED):
        return _paste(desk, table, key.removeprefix(PASTED)), None
    # Rules are read over a charter or a result, and closed back to it.
    if desk.mode in _TAUGHT and key == Intent.RULES.value.key:
        return replace(desk, mode=Mode.RULES, under=desk.mode, page=0), None
    match desk.mode:
        case Mode.CHARTER:
            return _charter(desk, key)
        case Mode.LEAVE | Mode.END:
            return answer_key(desk, table, key) or _no_answer(desk, table, key)
        # A key that is no answer only withdraws the question: a stray "b" must not bet or bid.
        case Mode.SUBSTITUTE:
            return answer_key(desk, table, key) or (_no_answer(desk, table, key)[0], None)
        # Letters of a sentence nobody may send are swallowed: as commands they would play cards.
        case Mode.UNHEARD:
            over = key in ("enter", "escape")
            back = replace(desk, mode=desk.under, under=Mode.TABLE, notice="", about=None)
            return (back if over else desk), None
        case Mode.CONFIRM:
            return _confirm(desk, table, key)
        case Mode.ORDER:
            return press_in_order(desk, table, key)
        case Mode.TALK | Mode.CHALLENGE:
            return _edit_line(desk, table, key)
        case Mode.RULING:
            if key not in _CLOSING:
                # A ruling may be long, so other keys scroll, and only closing keys count it as
                # read.
                return _scroll(desk, key), None
            return settle(replace(_back(desk, table), page=0), table), None
        case Mode.FINISH:
            mode = Mode.SUMMARY if key in _CLOSING else Mode.FINISH
            return replace(desk, mode=mode), None
        case Mode.LESSON:
            return _scroll(desk, key), PlainDeed.CLOSE if key in _CLOSING else None
        case Mode.MATCH:
            return _after_match(desk, table, key)
        case Mode.TABLE:
            return _at_table(replace(desk, notice="", about=None), table, key)
        case _:  # the summary, and what is read at a key
            return _reading(desk, table, key)


def click(desk: Desk, table: Table, target: str) -> Answer:
    """Return the desk after a click on a target, and the command that it gives, if any. Targets
    are "card SLOT", "number N" and "key KEY"; a key's is handled like the key, a number takes
    the choice that has it. A card counts at the table and while cards are put in order;
    elsewhere it changes nothing, nor does a number that is no choice.
    """
    kind, _, name = target.partition(" ")
    if kind == "key":
        # A click is meant for what it is on: it is no Enter typed behind a card's name.
        return press(replace(desk, named_at=NEVER), table, name)
    if kind == "number":
        # A number in a list of choices, such as the sizes of bids, is clicked as it is typed.
        meant = next((each for each in table.choices if int(name) in each.numbers), None)
        clear = replace(desk, notice="", about=None)
        return (desk, None) if meant is None else take(clear, table, meant)
    slot = Slot(int(name))
    if desk.mode is Mode.ORDER:
        return pick(desk, table, slot), None
    if desk.mode is Mode.TABLE:
        clear = replace(desk, notice="", about=None, typed="")
        return take(clear, table, None, Tried(slot=slot))
    return desk, None


def settle(desk: Desk, table: Table) -> Desk:
    """Return the desk after a change of the table, without what no longer applies: the cursor, a
    notice, a choice to be confirmed or put in order, the end of a hand or of a match. A question
    about ending the hand or going on elsewhere is asked again if its subject has changed.
    """
    options = table.choices
    # Putting cards in order has a cursor of its own, among the cards.
    if desk.cursor is not None and desk.mode is not Mode.ORDER:
        desk = desk if desk.cursor in map(where, options) else replace(desk, cursor=None)
    # Asked about, and meanwhile overtaken: the answer would be for another question.
    if desk.mode in (Mode.ORDER, Mode.CONFIRM) and not still_open(desk, table):
        desk = too_late(desk, table)
    if not still_asked(desk, table):
        # A sentence of the turn before is wrong now; a question is asked again in new words.
        if desk.mode is Mode.TABLE:
            desk = replace(desk, notice="", about=None)
        elif desk.mode in (Mode.END, Mode.SUBSTITUTE):
            desk = ask_again(desk, table)
    written = desk.mode in (Mode.TALK, Mode.CHALLENGE)
    kept = desk.under in (Mode.TABLE, Mode.RULING)
    just_ended = table.summary is not None and table.summary.number == table.number
    # Words that are written over a hand's end go back to it only while that hand is the newest; a
    # ruling stays until it was read.
    if written and not kept and not just_ended:
        desk = replace(desk, under=Mode.TABLE)
    if desk.mode is Mode.SUMMARY and table.summary is None and table.unfinished is None:
        desk = replace(desk, mode=Mode.TABLE, page=0)  # the hand had ended, and goes on
    if desk.mode is Mode.MATCH and table.match is None:
        desk = replace(desk, mode=Mode.TABLE, page=0)  # another one has begun
    return desk


def ask_anew(desk: Desk) -> Desk:
    """Return the desk at the start of the player's turn: no window is held, no notice is left at
    the table.
    """
    desk = replace(desk, held=False)
    return replace(desk, notice="", about=None) if desk.mode is Mode.TABLE else desk


# --- the modes --------------------------------------------------------------------------------


def _charter(desk: Desk, key: str) -> Answer:
    """Handle a key while the charter is read: y agrees, as does Enter if no referee is asked
    about; n or Escape refuses; others scroll or do nothing.
    """
    if key == "y" or (key == "enter" and not desk.asks):  # a power is given by a key of its own
        return replace(desk, mode=Mode.TABLE, page=0), PlainDeed.AGREE
    if key in ("n", "escape"):
        return desk, PlainDeed.REFUSE
    return _scroll(desk, key), None


def _confirm(desk: Desk, table: Table, key: str) -> Answer:
    """Handle a key at the question before a choice: y or Enter makes it, n or Escape withdraws it,
    others do nothing.

    A choice that is no longer possible is withdrawn at any key.
    """
    after = replace(desk, mode=Mode.TABLE, pending=None, picked=(), notice="", about=None)
    if key in ("n", "escape"):
        # Said, so that nobody wonders whether the key arrived.
        return say(after, table, "Nothing was done."), None
    # The window may have closed, or the hand ended, while the question stood there.
    if not still_open(desk, table):
        return too_late(desk, table), None
    if key in ("y", "enter") and desk.pending is not None:
        return replace(after, cursor=None), Act(desk.pending.action)
    return desk, None


def _reading(desk: Desk, table: Table, key: str) -> Answer:
    """Handle a key while an overlay is read: scroll it, close it, or close it and do what the key
    does at the table.

    Over a summary other keys than those of scrolling, closing and talk do nothing; closing it gives
    `PlainDeed.CLOSE`, or opens the match's end. Rules read over another part close back to that
    part.
    """
    scrolled = _scroll(desk, key)
    # An arrow that has scrolled does nothing else, such as moving the cursor.
    if scrolled != desk:
        return scrolled, None
    if desk.mode is Mode.SUMMARY:
        # The summary of the last hand leads on to the match's end; an unfinished hand has ended
        # none.
        if key in _CLOSING and table.match is not None and table.unfinished is None:
            return replace(desk, mode=Mode.MATCH, page=0), None
        if key in _CLOSING:
            return replace(desk, mode=Mode.TABLE, page=0), PlainDeed.CLOSE
        if key == Intent.TALK.value.key:
            return _intent(replace(desk, page=0), table, Intent.TALK)
        return desk, None
    closed = replace(_back(desk, table), page=0)
    if key in _CLOSING or key == _OPENING.get(desk.mode):
        return closed, None
    # Over another part a key of the table has no meaning.
    if desk.mode is Mode.RULES and desk.under is not Mode.TABLE:
        return desk, None
    if closed.mode is Mode.MATCH:
        return _after_match(closed, table, key)
    # Any other key closes what is read and acts: nobody has to close first.
    return _at_table(replace(closed, notice=""), table, key)


def _back(desk: Desk, table: Table) -> Desk:
    """Return the desk in the mode that lies under what is read or written."""
    # TABLE stands for whatever lies there then, also the end of a match.
    home = Mode.TABLE if table.match is None else Mode.MATCH
    return replace(desk, mode=home if desk.under is Mode.TABLE else desk.under, under=Mode.TABLE)


def _after_match(desk: Desk, table: Table, key: str) -> Answer:
    """Handle a key at the end of a match: scroll, talk, read invites or help, want another
    match, or close it (`PlainDeed.CLOSE`). Escape always closes; Enter and the space bar do so
    unless the player waits for another match.
    """
    scrolled = _scroll(replace(desk, notice=""), key)
    # By the page alone: the notice was taken away before.
    if scrolled.page != desk.page:
        return scrolled, None
    # Who wants a rematch waits for the others: a key closes nothing by accident.
    waits = table.seat in table.wanted and not table.stopped
    if key == "escape" or (key in _CLOSING and not waits):
        return replace(desk, mode=Mode.TABLE, page=0, notice=""), PlainDeed.CLOSE
    if key in (Intent.TALK.value.key, _OPENING[Mode.INVITES], _OPENING[Mode.HELP]):
        return _intent(replace(desk, page=0, notice=""), table, INTENT_OF[key])
    if table.seat is not None and not table.stopped and desk.again:
        for offered, seating, _ in offers(table.game, table.names):
            if key == offered:
                return replace(desk, notice=""), WantRematch(seating)
    return desk, None


def _paste(desk: Desk, table: Table, text: str) -> Desk:
    """Return the desk after pasted text: it goes into the line that is being written; figures
    are typed at the table if a choice begins so. Other text is refused with a notice, or ignored
    where something is open. Nothing pasted decides anything.
    """
    if desk.mode in (Mode.TALK, Mode.CHALLENGE):
        # A pasted newline would send, control characters would reach the others' terminals.
        words = "".join(char for char in text if char.isprintable())
        return replace(desk, typed=(desk.typed + words)[:LONGEST_MESSAGE])
    # What is pasted may be long and of anything: no letter of it is a command.
    if desk.mode not in (Mode.TABLE, Mode.ORDER):
        return desk
    figures = (desk.typed + text.strip()).lower()
    fits = desk.mode is Mode.TABLE and begins_anything(table, figures)
    if text.strip().isdecimal() and fits:
        return replace(desk, typed=figures, cursor=None, notice="")
    return replace(desk, notice="Pasted text is not taken for keys: type it.")


def _scroll(desk: Desk, key: str) -> Desk:
    """Return the desk scrolled by an arrow or Page key, not above the first line but perhaps
    past the last; unchanged for other keys.
    """
    # Ten lines: what an overlay shows on the smallest screen.
    step = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}.get(key, 0)
    # Scrolling back stops following the newest line, or the text would run away.
    follows = desk.follows and step >= 0
    return replace(desk, page=max(0, desk.page + step), follows=follows) if step else desk


def _edit_line(desk: Desk, table: Table, key: str) -> Answer:
    """Handle a key while a line of chat, or to the referee, is written: edit, send or withdraw it.

    Chat entered while a hand is in play is kept for the next pause. A line to the referee is sent
    at a second Enter if another hand has begun.
    """
    after = replace(_back(desk, table), typed="", notice="", about=None)
    match key:
        case "escape":
            return after, None
        case "backspace":
            return replace(desk, typed=desk.typed[:-1]), None
        case "enter":
            text = desk.typed.strip()
            if text and desk.mode is Mode.CHALLENGE:
                # The referee would be called about another hand than the player meant.
                if not still_asked(desk, table):
                    return say(desk, table, _OTHER_HAND), None
                return after, CallReferee(text)
            # Words of a hand in play are kept, since partners may not talk during it (RULES 16).
            if text and not table.may_talk:  # nobody may, during a hand
                return replace(after, kept=text, notice=_KEPT), None
            return after, Say(text) if text else None
        case _ if len(key) == 1 and key.isprintable() and len(desk.typed) < LONGEST_MESSAGE:
            return replace(desk, typed=desk.typed + key), None
    return desk, None


_OTHER_HAND: Final = "Another hand has begun: Enter once more calls the referee in that one."
_GO_ON: Final = {
    True: f"Windows close by themselves after {CLAIM_WINDOW:g} s; the space bar holds one.",
    False: "Windows wait for your Enter.",
}
_KEPT: Final = "Your words wait for the end of the hand: / brings them back then."


def _at_table(desk: Desk, table: Table, key: str) -> Answer:
    """Handle a key at the table: move the cursor, type, choose, or open something."""
    match key:
        case "left" | "right" | "up" | "down" | "tab":
            places = [where(each) for each in table.choices]
            if not places:
                return say(desk, table, not_now(table)), None
            return replace(desk, typed="", cursor=move_cursor(desk.cursor, places, key)), None
        case "enter":
            return enter(desk, table)
        case "pageup":
            return _intent(desk, table, Intent.STORY)
        case "backspace":
            return replace(desk, typed=desk.typed[:-1]), None
        case "escape":
            # Escape clears first, and asks to leave only where nothing is left to clear.
            if desk.typed or desk.cursor is not None:
                return replace(desk, typed="", cursor=None), None
            return ask_to_leave(desk), None
    window = any(each.window for each in table.choices)
    # Any key at a window says that the player wants time.
    if window and key not in _READS:
        desk = replace(desk, held=True)
    if key == " " and (window or not desk.typed):
        return desk, None  # it was meant for a window, which may have closed just before
    text = (desk.typed + key).lower()
    intent = INTENT_OF.get(key)
    # A key of ours goes first, unless it continues what was begun, as in "10h".
    if intent is not None and not (desk.typed and begins_anything(table, text)):
        return _intent(replace(desk, typed=""), table, intent)
    chosen_by = any(each.key == key for each in table.choices)
    of_the_game = any(each.key == key for each in table.telling.keys)
    # Where a card is to be played, "a" begins one.
    card = not chosen_by and wants_card(table) and begins_card(table, key)
    # A key that the game uses, though not now, explains itself instead of beginning a word.
    if not desk.typed and (chosen_by or (of_the_game and not card)):
        return _take_key(desk, table, key)
    if len(key) != 1 or not key.isprintable():
        return desk, None
    if not begins_anything(table, text):
        may = allowed_words(table.choices, table.faces, table.writer)
        why = f'Nothing to choose now begins with "{text}". Allowed: {may}.'
        why = why if table.choices else not_now(table)
        return say(replace(desk, typed=""), table, why), None
    return take_typed(replace(desk, cursor=None), table, text)


def _take_key(desk: Desk, table: Table, key: str) -> Answer:
    """Make the choice that a key of the game names; if several have this key, move the cursor to
    the next of them; if none has it now, show why.
    """
    meant = [each for each in table.choices if each.key == key]
    if len(meant) < 2:
        return take(desk, table, meant[0] if meant else None, Tried(word=key))
    # Several choices on one key: each press goes to the next, Enter takes it.
    cursor = move_cursor(desk.cursor, [where(each) for each in meant], "right")
    return replace(desk, cursor=cursor), None


def _intent(desk: Desk, table: Table, intent: Intent) -> Answer:
    """Return the desk and command after a key of the program for `intent`, such as rules, hint or
    talk.

    A key that can do nothing now leaves a notice that says why.
    """
    match intent:
        case Intent.RULES | Intent.SCORES | Intent.INVITES:
            return replace(desk, mode=_READ_AFTER[intent], page=0), None
        case Intent.HELP:
            return replace(desk, mode=Mode.HELP, help=desk.keys, page=0), None
        case Intent.STORY:
            return replace(desk, mode=Mode.STORY, page=0, follows=True), None
        case Intent.LAST_TRICK:
            view = table.view()
            if view is None or not table.telling.last_trick(view):
                # At a first trick there is none: the rules show one completed trick alone (RULES
                # 10.3).
                return replace(desk, notice="No trick has been completed in this hand."), None
            return replace(desk, mode=Mode.LAST_TRICK), None
        case Intent.HINT:
            if not desk.settings.hints:
                return replace(desk, notice=NO_HINTS), None
            # A hint without a question would be about somebody else's turn.
            if not table.choices:
                return say(desk, table, not_now(table)), None
            return say(desk, table, "Thinking about a hint ..."), PlainDeed.HINT
        case Intent.TALK:
            why = why_no_talk(table.telling, table.state, mute=not desk.talk)
            if why is not None:  # whoever has begun to write goes on for a while
                notice = f"{why} What you type is not read: Enter goes back."
                return replace(desk, mode=Mode.UNHEARD, under=desk.mode, notice=notice), None
            # TABLE stands for whatever lies there then, also the end of a match (see `_home`).
            under = Mode.SUMMARY if desk.mode is Mode.SUMMARY else Mode.TABLE
            writing = replace(desk, mode=Mode.TALK, under=under, typed=desk.kept, kept="")
            return replace(writing, notice=""), None
        case Intent.REFEREE:
            if not table.referees:
                return replace(desk, notice="This table has no referee."), None
            about = subject(Mode.CHALLENGE, table)
            return replace(desk, mode=Mode.CHALLENGE, typed="", notice="", about=about), None
        case Intent.ASK_ONCE:
            every = tuple(Asking)
            asking = every[(every.index(desk.settings.asking) + 1) % len(every)]
            words = f"You are asked once more before {asking.value}."
            return _set(desk, words, asking=asking), None
        case Intent.SLOWER | Intent.FASTER:
            pace = next_pace(desk.settings.pace, 1 if intent is Intent.SLOWER else -1)
            return _set(desk, pace_words(pace), pace=pace), None
        case Intent.GO_ON:
            now = desk.settings.go_on
            goes = goes_by_itself(table.choices, now) is not None
            # None closes some windows (`PlaySettings`): at a window the key is about this one.
            window = any(each.window for each in table.choices)
            # At a window the key changes what it does now; elsewhere the setting.
            go_on = not (goes if window else now in (None, True))
            return _set(replace(desk, held=False), _GO_ON[go_on], go_on=go_on), None
        case Intent.THEME:
            if not desk.settings.filled:
                return say(desk, table, "A felt takes a terminal with true colour."), None
            # None is the theme of the terminal's background, mostly the dark one: so light is next.
            theme = Theme.DARK if desk.settings.theme is Theme.LIGHT else Theme.LIGHT
            return _set(desk, f"The table is {theme.value}.", theme=theme), None
        case Intent.SUITS:
            four = not desk.settings.four_colours
            words = f"The suits have {'four' if four else 'two'} colours."
            return _set(desk, words, four_colours=four), None
        case Intent.END:
            return ask_to_end(desk, table), None
        case Intent.SUBSTITUTE:
            return ask_to_go_on(desk, table), None
        case Intent.LEAVE:
            return ask_to_leave(desk), None


def _set(desk: Desk, notice: str, **settings: Any) -> Desk:
    """Return the desk with these settings changed, and a notice of that."""
    return replace(desk, settings=replace(desk.settings, **settings), notice=notice)


def _no_answer(desk: Desk, table: Table, key: str) -> Answer:
    """Withdraw the open question, and handle a key that does not answer it as at the table."""
    return _at_table(replace(desk, mode=Mode.TABLE, notice="", about=None), table, key)


def enter(desk: Desk, table: Table) -> Answer:
    """Handle Enter: take the typed text, else the choice under the cursor, else the default
    choice; without any do nothing.
    """
    if desk.typed:
        return take_typed(desk, table, desk.typed, entered=True)
    at_cursor = (each for each in table.choices if where(each) == desk.cursor)
    meant = next(at_cursor, None) or table.default
    if meant is not None:
        return take(desk, table, meant)
    return desk, None  # the prompt says whose turn it is, and what can be chosen


def take_typed(desk: Desk, table: Table, text: str, *, entered: bool = False) -> Answer:
    """Return the desk and command after typed text: a complete card acts at once, numbers and words
    if they were `entered`; else they stay typed.

    A card that cannot be played, or entered text that is no choice, is cleared with a notice of
    why.
    """
    # Cards act without Enter, as no card's name begins another's; numbers may go on.
    card, view = read_card(text), table.view()
    after = replace(desk, typed="")
    slot = None if card is None or view is None else slot_of(card, view, table.telling)
    if slot is not None:
        return take(after, table, None, Tried(slot=slot))
    # Without Enter nothing but a whole card acts: "1" may begin "16".
    if card is None and not entered:
        return replace(desk, typed=text), None
    # A game may ask for a card by its name, as a partner's card, that is in no hand of ours.
    meant, number = find_choice(text, table.choices, table.writer), read_number(text)
    if meant is not None or number is not None:
        return take(after, table, meant, Tried(number=number))
    if card is not None:
        return say(after, table, f"{table.writer.card(card)} is not in your hand."), None
    may = allowed_words(table.choices, table.faces, table.writer)
    return say(after, table, f"Nothing is called that. Allowed: {may}."), None


def take(desk: Desk, table: Table, meant: Choice | None, tried: Tried | None = None) -> Answer:
    """Make the choice `meant`, else that of the card that was `tried`; or first ask for the order
    of its cards, whether to skip an urgent claim, or, by the player's setting, whether to make it.
    Without a choice show why the card, number or word that was tried is none.
    """
    tried = tried or Tried()
    if meant is None and tried.slot is not None:
        # The first: games offer to play a card before they offer to show it.
        meant = next((each for each in table.choices if each.slot == tried.slot), None)
    if meant is None:
        view = table.view()
        if view is None or not table.choices:
            return say(desk, table, not_now(table)), None
        why = refusal(table.telling, view, table.choices, tried, table.writer)
        return say(desk, table, why), None
    if meant.order:
        about = subject(Mode.ORDER, table)
        desk = replace(desk, mode=Mode.ORDER, pending=meant, picked=(), cursor=meant.order[0])
        return replace(desk, typed="", notice="", about=about), None
    # Going on would skip a choice that is certain to gain: said before it is lost.
    if meant.window and table.urgent is not None:
        question = f"{table.writer.sentence(table.urgent.skipped)}. Do so? (y/n)"
        return ask(desk, table, meant, question), None
    if is_asked(meant, desk.settings.asking):
        return ask(desk, table, meant, _really(table, meant)), None
    # The cursor is taken back, or the next Enter would choose what it pointed at.
    return replace(desk, cursor=None, typed="", notice="", about=None), Act(meant.action)


def not_now(table: Table) -> str:
    """Return why the player can do nothing now."""
    if table.seat is None:
        return "You are looking on: nothing is yours to do."
    if table.open_proposals is not None:
        return ASKED
    if table.summary is not None:
        return "The hand is over."
    return f"It is not your turn. {waiting_words(table)}"


def press_in_order(desk: Desk, table: Table, key: str) -> Answer:
    """Handle a key while cards are put in order: Enter picks the card at the cursor, a typed
    name its card; Backspace takes one back, Escape gives up. Once all are picked the player is
    asked.
    """
    left = _slots_left(desk)
    # Escape works always; another key would build on an order that is no longer asked.
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
        # Arrows go among cards not yet picked.
        case "left" | "right" if left:
            return replace(desk, cursor=move_cursor(desk.cursor, left, key)), None
        case "enter":
            # `next` and not `in`: so the type checker knows that what the cursor is on is a slot.
            slot = next((each for each in left if each == desk.cursor), None)
            if slot is not None:
                return pick(desk, table, slot), None
            return replace(desk, notice="Choose the next card of the order."), None
    if len(key) != 1:
        return desk, None
    typed = (desk.typed + key).lower()
    card = read_card(typed)
    if card is None:
        if begins_card(table, typed):
            return replace(desk, typed=typed, notice=""), None
        return replace(desk, typed="", notice=f'No card begins with "{typed}".'), None
    # By face and only among those left: the same card cannot be picked twice.
    slot = next((each for each in left if table.faces[each] == card), None)
    if slot is None:
        return replace(desk, typed="", notice="That card is not in your hand, or chosen."), None
    return pick(replace(desk, typed=""), table, slot), None


def pick(desk: Desk, table: Table, slot: Slot) -> Desk:
    """Return the desk with one more card in the order; unchanged if the card has no place left in
    it.

    The last card is added by itself, and the player is asked whether to make the choice.
    """
    chosen, view, left = desk.pending, table.view(), _slots_left(desk)
    # Cards are put in order for a pending choice alone, and by a player, who has a view.
    if chosen is None or view is None or slot not in left:
        return desk
    picked = (*desk.picked, slot)
    left.remove(slot)
    # One card left has one place.
    if len(left) == 1:
        picked, left = (*picked, *left), []
    if left:
        return replace(desk, picked=picked, cursor=left[0], notice="")
    action = table.telling.order_action(chosen, picked, view)
    cards = table.writer.cards(table.faces[each] for each in picked)
    question = _really(table, chosen, f" with {cards}")
    whole = replace(desk, picked=picked, cursor=None)
    return ask(whole, table, chosen._replace(action=action), question)


def _slots_left(desk: Desk) -> list[Slot]:
    """Return the slots of the pending choice's cards that are not yet put in order; none without
    a pending choice.
    """
    order = () if desk.pending is None else desk.pending.order
    return [slot for slot in order if slot not in desk.picked]


def _really(table: Table, chosen: Choice, more: str = "") -> str:
    """Return the question "CHOICE MORE? It cannot be undone. (y/n)"."""
    return f"{table.writer.sentence(chosen.label)}{more}? It cannot be undone. (y/n)"


def ask(desk: Desk, table: Table, chosen: Choice, question: str) -> Desk:
    """Return the desk with a question that must be answered with yes before the choice is made."""
    return say(replace(desk, mode=Mode.CONFIRM, pending=chosen, typed=""), table, question)


def move_cursor(
    cursor: Slot | Choice | None, places: Sequence[Slot | Choice], key: str
) -> Slot | Choice:
    """Return the place after the cursor, or before it for "left" and "up"; both ends are joined.

    Without a cursor at one of the places it is the first, or the last.
    """
    step = -1 if key in ("left", "up") else 1
    # The first arrow enters at the near end.
    if cursor not in places:
        return places[0 if step > 0 else -1]
    return places[(places.index(cursor) + step) % len(places)]


def still_open(desk: Desk, table: Table) -> bool:
    """Return whether the pending choice of the desk is still among the table's choices, in the
    same hand; False without a pending choice.
    """
    chosen = desk.pending
    if chosen is None or not still_asked(desk, table):
        return False
    # A choice with an order gets a new action with each order, so it is known by its label.
    if not chosen.order:
        return chosen in table.choices
    return any(each.order and each.label == chosen.label for each in table.choices)


def too_late(desk: Desk, table: Table) -> Desk:
    """Return the desk without a choice that is no longer possible, with a notice of that."""
    gone = replace(desk, mode=Mode.TABLE, cursor=None, picked=(), typed="", pending=None)
    late = "" if desk.pending is None else f"Too late to {table.writer.line(desk.pending.label)}."
    return say(gone, table, late)


def begins_card(table: Table, text: str) -> bool:
    """Return whether the name of a card of the pack begins with `text`, in small letters."""
    names = [str(card).lower() for card in table.game.pack]
    # A ten is typed as "t" or as "10".
    return any(name.startswith(text) or name.replace("t", "10").startswith(text) for name in names)


def begins_anything(table: Table, text: str) -> bool:
    """Return whether something that may be chosen now is typed with these first letters. Where
    numbers are typed, any number of up to three digits counts, possible or not.
    """
    for choice in table.choices:
        words = (*choice.typed, table.writer.line(choice.label))
        if any(word.startswith(text) for word in words if len(word) <= MOST_TYPED):
            return True
    # Choices without a card and a key are typed as numbers.
    numbers = any(each.numbers or each.slot is None for each in table.choices)  # a bid, or a cut
    # Three digits, as bids end at 900: here a fourth begins nothing. `read_number` takes four, so
    # that lines are told why such a number is refused.
    if numbers and text.isdecimal() and len(text) < MOST_DIGITS:
        return True
    return wants_card(table) and begins_card(table, text)


def wants_card(table: Table) -> bool:
    """Return whether a card may be chosen now, of the hand or by its name."""
    return any(
        each.slot is not None or any(read_card(word) is not None for word in each.typed)
        for each in table.choices
    )


CHANGED: Final = "That has changed meanwhile."  #: Goes before a question that is asked again.


def subject(mode: Mode, table: Table) -> Any:
    """Return the part of the table's state that a notice of this mode depends on; None for a
    mode whose notices depend on none.
    """
    match mode:
        case Mode.END:
            return table.agreed, table.could_end
        case Mode.SUBSTITUTE:
            # Once a missing seat is heard again, a substitute may not be wanted any more.
            return _to_go_on(table), _here_again(table)
        case Mode.CONFIRM | Mode.ORDER | Mode.CHALLENGE:
            return table.number
        case Mode.TABLE:
            # The turn, or the wait, and who may be replaced: when one changes, so does the
            # sentence.
            return table.number, table.choices or table.awaited_seats, _to_go_on(table)
        case _:
            return None


def _to_go_on(table: Table) -> Continuation | GoOn | None:
    """Return the proposal to go on elsewhere that the player is asked about, or the one that the
    player may make; None for none. The first comes without nonce and charter, so that proposals of
    the same compare equal.

    For missing seats the player may propose a substitute (`Substitute.BOT`, where a friend may come
    as well); for bots that sit in for players, that friends take their seats (`Substitute.BACK`).
    """
    if table.open_proposals is not None:
        # Two players may ask the same: nonce and charter differ, the question does not.
        return replace(table.open_proposals, nonce=b"", charter=b"")  # whoever says it
    if gone := absent(table, table.present()):
        return GoOn(gone, Substitute.BOT)
    return GoOn(table.bots, Substitute.BACK) if table.bots else None


def _here_again(table: Table) -> set[Seat]:
    """Return the awaited seats whose program is heard again."""
    here = {seat for seat, seen in table.presence.items() if seen.where is Where.HERE}
    return here.intersection(absent(table, table.present()))


def still_asked(desk: Desk, table: Table) -> bool:
    """Return whether the subject of the desk's notice is unchanged; True for a notice without a
    subject.
    """
    # Nothing to compare with: the notice stays until a key.
    return desk.about is None or desk.about == subject(desk.mode, table)


def say(desk: Desk, table: Table, words: str) -> Desk:
    """Return the desk with a notice, shown until its subject changes, such as the turn (see
    `subject`).
    """
    return replace(desk, notice=words, about=subject(desk.mode, table))


def ask_again(desk: Desk, table: Table) -> Desk:
    """Return the desk with its question in new words, or with the reason why it is no longer
    asked, after "That has changed meanwhile."
    """
    ask = ask_to_end if desk.mode is Mode.END else ask_to_go_on
    asked = ask(replace(desk, mode=Mode.TABLE, about=None), table)
    return replace(asked, notice=f"{CHANGED} {asked.notice}")


def ask_to_leave(desk: Desk) -> Desk:
    """Return the desk with the question whether to leave the table."""
    # Left by mistake, a game is resumed: the question says so.
    words = "Leave? 'p2p304 resume' brings you back. (y/n)"
    clear = replace(desk, under=Mode.TABLE, typed="", pending=None, picked=(), page=0)
    return replace(clear, mode=Mode.LEAVE, notice=words, about=None)


def ask_to_end(desk: Desk, table: Table) -> Desk:
    """Return the desk with the question whether to end the hand, or whether to play on if the
    player has agreed to end it; with a notice if the hand cannot be ended.
    """
    named = table.writer.join_seats
    if table.agreed:
        # Agreed already: the same key takes it back.
        others = named(tuple(seat for seat in table.agreed if seat != table.seat))
        asks = f"You agreed to end the hand, if {others} do. Play on all the same? (y/n)"
        return say(replace(desk, mode=Mode.END), table, asks)
    gone = absent(table, table.could_end)
    if not table.could_end or not gone:
        # Why it cannot end is told only where somebody is waited for, or another has proposed it.
        asked = table.waiting or table.proposed
        why = why_no_end(table.game, table.state, table.present()) if asked else ""
        return say(desk, table, why or "Nobody is missing: the hand can go on.")
    asks = f"End the hand for good, without {named(gone)} and a result, if all agree? (y/n)"
    return say(replace(desk, mode=Mode.END), table, asks)


def ask_to_go_on(desk: Desk, table: Table) -> Desk:
    """Return the desk with a question about going on at another table: whether to agree to
    another player's proposal, who is to replace the missing seats, or whether friends take the
    seats of bots; with a notice if there is nothing to ask.
    """
    match _to_go_on(table):
        case Continuation() as content:
            words = f"{asks(table.writer, content, table.bots)} Agree? (y/n)"
        case GoOn(gone, Substitute.BACK):
            words = question_back(table.writer, gone)
        case GoOn(gone):
            words = question(table.writer, gone)
        case None:
            return say(desk, table, NOBODY_MISSING)
    return say(replace(desk, mode=Mode.SUBSTITUTE), table, words)


def answer_key(desk: Desk, table: Table, key: str) -> Answer | None:
    """Return the desk and the command, if any, after a key that answers the open question; Escape,
    n and Enter withdraw it where they are no other answer. None if the key does not answer it.

    If the question's subject has changed, it is asked again at any key but Escape.
    """
    after = replace(desk, mode=Mode.TABLE, notice="", about=None)
    if key == "escape":
        return after, None
    # The answer would be to another question than the one read: it is asked again.
    if not still_asked(desk, table):
        return ask_again(desk, table), None
    # `about` is what `subject` returned when the question was asked.
    match desk.mode, desk.about, key:
        # Leaving can be undone by `resume`, so Enter suffices; an end of the hand needs "y".
        case Mode.LEAVE, _, "y" | "enter":
            return after, PlainDeed.LEAVE
        case Mode.END, (agreed, present), "y":
            return after, PlayOn() if agreed else EndUnfinished(present)
        # Without nonce and charter, see `_to_go_on`: whoever signs finds the proposal all the same.
        case Mode.SUBSTITUTE, (Continuation() as content, _), "y" | "n":
            return after, AnswerGoingOn(content, agrees=key == "y")
        case Mode.SUBSTITUTE, (GoOn(_, Substitute.BACK) as back, _), "f":
            return after, back
        case Mode.SUBSTITUTE, (GoOn(gone, Substitute.BOT), _), "b" | "f":
            return after, GoOn(gone, Substitute.BOT if key == "b" else Substitute.FRIEND)
        case _:
            return (after, None) if key in ("n", "enter") else None
