"""The lines below the table: what I can do now, the keys for it, and what has been proved."""

from __future__ import annotations

from cli.ui.canvas import Style, wrapped
from cli.ui.choices import Choice, choices, default_choice
from cli.ui.desk import Desk, Mode
from cli.ui.model import Table
from cli.ui.words import SUIT_NAMES, place, places
from p2p304.rules304.actions import Cut, OpenTrump, PlaceBid, PlayCard, PlayDown, Ready
from p2p304.rules304.state import End, Phase, State
from p2p304.slots import Slot

Prompt = tuple[Style, tuple[str, ...]]


def prompt_lines(table: Table, desk: Desk, cells: int) -> Prompt:
    """What the player is asked, or for whom the table waits; a notice goes before it."""
    if desk.mode is Mode.TALK:
        return Style.TURN, (f"Say: {desk.typed}_"[-cells:], "Enter sends it, Escape does not.")
    if desk.notice:
        style = Style.WARNING if desk.mode is not Mode.TABLE else Style.STRONG
        return style, wrapped(desk.notice, cells)
    match desk.mode:
        case Mode.CHARTER:
            return Style.TURN, ("Do you agree to play under this charter? (y/n)",)
        case Mode.SUMMARY:
            why = (wrapped(table.stopped, cells)[0],) if table.stopped else ()
            return Style.TURN, (*why, "Enter goes on.")
        case Mode.FINISH:
            return Style.TURN, ("This trick ended the hand. Enter shows the result.",)
        case Mode.LAST_TRICK:
            return Style.PLAIN, ("This was the last trick. Enter goes back to the table.",)
        case Mode.RULES | Mode.HELP:
            return Style.PLAIN, (
                "Enter goes back to the table; other keys mean what they do there.",
            )
        case Mode.CAPS:
            return Style.TURN, ("Which card comes next in your order?",)
        case _:
            pass
    if table.stopped:
        return Style.WARNING, wrapped(table.stopped, cells)
    if not table.my_turn:
        return Style.PLAIN, wrapped(waiting_words(table), cells)
    lines = wrapped(turn_words(table), cells)
    if len(lines) == 1 and any(each.slot is not None for each in choices(table)):
        lines = (*lines, _HOW)
    return Style.TURN, lines


_HOW = "Arrows and Enter, or type it, such as 9c, or click on it."


def waiting_words(table: Table) -> str:
    """For whom the table waits, in a player's words."""
    state = table.state
    if state is None and not table.rounds and table.number < 0:
        return "Waiting until everybody has agreed to the charter."
    if state is None:
        return "The seats are shuffling the cards; nobody will know any."
    others = tuple(seat for seat in table.awaited if seat != table.seat)
    if state.phase in (Phase.COUNT, Phase.OVER):
        uncounted = state.end in (End.PASSED_OUT, End.REDEAL, End.SPOILT, End.VIOLATION)
        return "The hand is over." if uncounted else "The cards are being opened and counted."
    if not others:
        dealing = "The cards are being dealt."
        return dealing if state.phase < Phase.DECLARE else "One moment: all have answered."
    doing = _DOING.get(state.phase, "is awaited")
    verb = doing if len(others) == 1 else _DOING_MANY.get(state.phase, "are awaited")
    return f"{places(others)} {verb}."


_DOING = {
    Phase.CUT: "may cut the pack",
    Phase.AUCTION4: "is to bid",
    Phase.AUCTION8: "is to bid, with eight cards",
    Phase.INDICATOR4: "chooses trump",
    Phase.INDICATOR8: "chooses trump anew",
    Phase.DECLARE: "decides on open or closed trump",
    Phase.WINDOW: "has yet to go on",
    Phase.TRICK: "is to play",
    Phase.INSPECT: "looks at the face-down cards",
    Phase.SHOW_INDICATOR: "shows the indicator",
    Phase.CAPS_RESPONSE: "answers the call of caps",
    Phase.SPOILT_INDICATOR: "shows the indicator",
    Phase.SPOILT_ANSWER: "answers the call of spoilt trumps",
    Phase.SORTING: "sorts the hand",
    Phase.COUNT: "opens cards for the count",
}
_DOING_MANY = {
    Phase.WINDOW: "have yet to go on",
    Phase.CAPS_RESPONSE: "answer the call of caps",
    Phase.SPOILT_ANSWER: "answer the call of spoilt trumps",
    Phase.SORTING: "sort their hands",
    Phase.COUNT: "open cards for the count",
}


def turn_words(table: Table) -> str:
    """Your turn: what you may do now."""
    state = table.state
    assert state is not None
    options = choices(table)
    match state.phase:
        case Phase.CUT:
            return "Your turn: Enter leaves the pack as it is; or a number from 1 to 31 cuts it."
        case Phase.AUCTION4 | Phase.AUCTION8:
            return f"Your turn to bid. {_bids(options)}{_others(options)}."
        case Phase.INDICATOR4 | Phase.INDICATOR8:
            return "You are the maker: choose the card to lay face down; its suit is trump."
        case Phase.DECLARE:
            return _declare_words(options)
        case Phase.WINDOW:
            claims = [each.key for each in options if each.key in ("c", "s")]
            only = f"{' and '.join(claims)} only if you claim something; " if claims else ""
            return f"Press Enter to go on ({only}? explains)."
        case Phase.TRICK:
            return _play_words(table, state, options)
        case Phase.INSPECT:
            return _inspect_words(table, state, options)
        case Phase.CAPS_RESPONSE:
            assert state.caps is not None
            return f"{place(state.caps.seat)} claims every trick{_others(options)}."
        case _:
            default = default_choice(options)
            if default is not None:
                return f"Enter: {default.words}."
            return f"Your turn{_others(options)}."


def _declare_words(options: tuple[Choice, ...]) -> str:
    shown = next((each.action.card for each in options if isinstance(each.action, OpenTrump)), None)
    if shown is None:
        return f"You are the maker{_others(options)}."
    words = next(each.words for each in options if isinstance(each.action, OpenTrump))
    card = words.rpartition(" ")[2]
    return f"You are the maker. k: keep trump hidden. o: show {card} and play with open trump."


def _play_words(table: Table, state: State, options: tuple[Choice, ...]) -> str:
    cards = [each for each in options if isinstance(each.action, PlayCard | PlayDown)]
    slots = tuple(each.slot for each in cards if each.slot is not None)
    shown = table.voice.cards(slots)
    caps = state.caps
    stated = caps is not None and caps.contested is True and caps.seat == table.seat
    if stated and table.game.profile.caps_order_stated and len(slots) == 1:
        return f"Your turn. Caps: your stated order says {shown} now."
    if not state.plays:
        return f"Your turn to lead: {shown}."
    led = SUIT_NAMES[state.faces[state.plays[0].slot].suit]
    if any(isinstance(each.action, PlayDown) for each in cards):
        return f"Your turn: {led} led, you have none; {_down_words(table, state, slots)}."
    follows = any(table.faces[slot].suit == state.faces[state.plays[0].slot].suit for slot in slots)
    how = "follow with" if follows else "you have none; play"
    return f"Your turn: {led} led, {how} {shown}."


def _down_words(table: Table, state: State, slots: tuple[Slot, ...]) -> str:
    """What a card face down does: the maker knows, and the others can only hope."""
    thrown = tuple(slot for slot in slots if slot != state.indicator)
    if state.indicator not in slots:
        what = "discard one face down" if table.seat == state.maker else "play one face down"
        return f"{what}: {table.voice.cards(thrown)}"
    cut = f"cut with your indicator {table.voice.slot(state.indicator)}"
    return f"discard {table.voice.cards(thrown)}, or {cut}" if thrown else cut


def _inspect_words(table: Table, state: State, options: tuple[Choice, ...]) -> str:
    seen = [
        f"{place(play.seat)} {table.voice.slot(play.slot)}"
        for play in state.plays
        if play.down and play.slot in table.faces
    ]
    act = options[0].words if options else "announce"
    if not seen:
        return f"All cards of the trick are face up. Enter: {act}."
    return f"You alone look at the face-down cards: {', '.join(seen)}. Enter: {act}."


def _bids(options: tuple[Choice, ...]) -> str:
    numbers = [
        each.action.bid
        for each in options
        if isinstance(each.action, PlaceBid) and isinstance(each.action.bid, int)
    ]
    if not numbers:
        return "You have no number to bid"
    if len(numbers) == 1:
        return f"You may bid {numbers[0]}"
    return f"You may bid {numbers[0]}, {numbers[1]} ... {numbers[-1]} (type it, Enter)"


def _others(options: tuple[Choice, ...]) -> str:
    named = [f"{each.key}: {each.words}" for each in options if each.key]
    return "; " + ", ".join(named) if named else ""


def keys_line(table: Table, desk: Desk) -> tuple[tuple[str, str], ...]:
    """The keys of the moment and what a click on each stands for."""
    match desk.mode:
        case Mode.CHARTER | Mode.CONFIRM | Mode.END | Mode.LEAVE:
            return ("[y] yes", "key y"), ("[n] no", "key n")
        case Mode.FINISH:
            return (("[Enter] the result", "key enter"),)
        case Mode.SUMMARY if desk.talk and table.may_talk and not table.stopped:
            return ("[Enter] go on", "key enter"), ("[/] talk", "key /")
        case Mode.SUMMARY | Mode.RULES | Mode.HELP | Mode.LAST_TRICK | Mode.UNHEARD:
            return (("[Enter] go on", "key enter"),)
        case Mode.CAPS:
            return (
                *_typing(desk),
                ("[Backspace] take back", "key backspace"),
                ("[Esc] no caps", "key escape"),
            )
        case Mode.TALK:
            return ("[Enter] say it", "key enter"), ("[Esc] no", "key escape")
        case Mode.TABLE:
            pass
    shown = [*_typing(desk)]
    options = choices(table)
    default = default_choice(options)
    chosen = next((each for each in options if desk.cursor == each.place), None)
    if chosen is not None:
        shown.append((f"[Enter] {chosen.words}", "key enter"))
    elif default is not None:
        short = {Ready: "go on", Cut: "no cut"}.get(type(default.action), "do it")
        shown.append((f"[Enter] {short}", "key enter"))
    bids = [each for each in options if isinstance(each.action, PlaceBid) and not each.key]
    shown += [(f"[{each.words.split()[-1]}]", each.words) for each in bids[:3]]
    shown += [(f"[{each.key}] {_brief(each)}", f"key {each.key}") for each in options if each.key]
    if table.state is not None and table.state.tricks:
        shown.append(("[l] last trick", "key l"))
    shown.append(("[?] rules", "key ?"))
    if desk.hints and table.my_turn:
        shown.append(("[h] hint", "key h"))
    if desk.talk and table.may_talk:
        shown.append(("[/] talk", "key /"))
    if table.proposed and table.agreed != table.proposed:
        shown.append(("[e] end", "key e"))
    shown += [("[F1] keys", "key f1"), ("[Esc] leave", "key escape")]
    return tuple(shown)


def _typing(desk: Desk) -> tuple[tuple[str, str], ...]:
    """What is being typed, before the keys; Enter ends it."""
    return ((f"> {desk.typed}_", "key enter"),) if desk.typed else ()


def _brief(choice: Choice) -> str:
    return {"a": "ask partner", "c": "caps", "s": "spoilt", "o": "open", "k": "closed"}.get(
        choice.key, choice.words
    )
