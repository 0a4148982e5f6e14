"""The lines below the table: the prompt and its keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cli.front.choosing import goes_by_itself
from cli.front.narrator import ASKED, Where
from cli.front.player_commands import GoOn, Substitute, offers
from cli.sanitize import cells_of
from cli.screen.canvas import Style, wrap
from cli.screen.desk import Desk, Mode
from cli.screen.model import Table
from p2p304.sentences import count_words
from p2p304.telling import Choice
from protocol.wire.contents import Continuation

Prompt = tuple[Style, tuple[str, ...]]
_HOW: Final = "Arrows and Enter, or type it, such as 9c, or click on it."
_GOES_ON: Final = "The hand goes on by itself; the space bar waits, Enter goes on at once."
_AGAIN: Final = "again"
_OTHERS: Final = "partners"
#: What is read until Enter.
_READ: Final = frozenset(
    {
        Mode.SUMMARY,
        Mode.RULES,
        Mode.HELP,
        Mode.LAST_TRICK,
        Mode.SCORES,
        Mode.STORY,
        Mode.UNHEARD,
        Mode.INVITES,
        Mode.LESSON,
        Mode.RULING,
    }
)
# More would fill the line of keys.
_MOST_NUMBERS: Final = 3  #: Numbers that can be clicked.


def prompt_lines(table: Table, desk: Desk, cells: int) -> Prompt:
    """Return the style and lines of the prompt: the line that is being written, else the notice,
    else what the open part asks, else why the table stopped, what is asked of the player, or
    whom the table waits for.
    """
    if desk.mode is Mode.TALK:
        how = "Enter sends it, Escape does not."
        if not table.may_talk:
            now = "It is your turn" if table.choices else "The hand has begun"
            how = f"{now}: Enter keeps it for the next pause."
        # The end of a long line: there the player writes. Counted in characters, so that of wide
        # ones, which have two cells, the screen's edge cuts some.
        return Style.TURN, (f"Say: {desk.typed}_"[-cells:], how)
    if desk.mode is Mode.CHALLENGE:
        how = "Enter sends: the referee reads it now, all after the hand."
        # The end of a long line, as above; a notice asks for a second Enter.
        return Style.TURN, (f"To the referee: {desk.typed}_"[-cells:], desk.notice or how)
    if desk.notice:
        said = wrap(desk.notice, cells)
        # A notice over an overlay is a question or a refusal; at the table the question stands
        # below.
        if desk.mode is not Mode.TABLE:
            return Style.WARNING, said
        return Style.STRONG, (*said, *_short_prompt(table, desk, cells)) if len(said) == 1 else said
    match desk.mode:
        case Mode.CHARTER:
            asks = desk.asks or "Do you agree to play under this charter? (y/n)"
            return Style.TURN, wrap(asks, cells)
        case Mode.SUMMARY:
            # One row for the reason, one for the key.
            why = (wrap(table.stopped, cells)[0],) if table.stopped else ()
            return Style.TURN, (*why, "Enter goes on.")
        case Mode.MATCH if table.stopped:
            return Style.TURN, (wrap(table.stopped, cells)[0], "Enter leaves the table.")
        # Our wish is told: the others decide.
        case Mode.MATCH if table.seat in table.wanted:
            return Style.TURN, ("Waiting until all want the same match.", "Escape leaves.")
        case Mode.MATCH if not desk.again:
            return Style.TURN, ("The match is over. Enter leaves the table.",)
        case Mode.MATCH:
            again = "Another match, with the same people? Enter leaves the table."
            return Style.TURN, wrap(again, cells)
        case Mode.INVITES:
            return Style.PLAIN, ("Enter goes back to the table.",)
        case Mode.FINISH:
            return Style.TURN, ("This trick ended the hand. Enter shows the result.",)
        case Mode.LESSON | Mode.RULING:
            return Style.TURN, ("Enter goes on.",)
        case Mode.LAST_TRICK:
            return Style.PLAIN, ("This was the last trick. Enter goes back to the table.",)
        case Mode.RULES | Mode.HELP | Mode.SCORES | Mode.STORY:
            back = "Enter goes back to the table; other keys mean what they do there."
            return Style.PLAIN, wrap(back, cells)
        case Mode.ORDER:
            return Style.TURN, ("Which card comes next in your order?",)
        # The modes of the table itself come below.
        case _:
            pass
    # A stopped table asks nothing more.
    if table.stopped:
        return Style.WARNING, wrap(table.stopped, cells)
    view = table.view()
    # Not our turn: what others ask goes before whom the table waits for.
    if view is None or not table.choices:
        if table.open_proposals:
            return Style.TURN, wrap(ASKED, cells)
        return Style.PLAIN, wrap(waiting_words(table), cells)
    # What must not be missed replaces the usual prompt.
    if table.urgent is not None:
        brief = f"{table.writer.sentence(table.urgent.brief)} ? says why."
        return Style.WARNING, wrap(brief, cells)
    goes_on = goes_by_itself(table.choices, desk.go_on)
    # An idle window passes unseen; a held one waits.
    if goes_on is not None and not goes_on.idle and not desk.held:
        return Style.TURN, wrap(_GOES_ON, cells)
    lines = wrap(table.writer.sentence(table.telling.prompt(view, table.choices)), cells)
    if len(lines) == 1 and any(each.slot is not None for each in table.choices):
        # How to choose is told where one row is enough for the rest.
        lines = (*lines, _HOW)
    return Style.TURN, lines


def _short_prompt(table: Table, desk: Desk, cells: int) -> tuple[str, ...]:
    """Return the prompt below a notice: whole if it fills one line, else its first sentence;
    empty if the notice contains these words, or they are longer than `cells`.
    """
    # Without its notice the prompt does not come here again.
    _, asked = prompt_lines(table, replace(desk, notice=""), cells)
    words = asked[0] if len(asked) == 1 else f"{' '.join(asked).partition('. ')[0]}."
    # The notice would say it twice.
    return () if words in desk.notice or cells_of(words) > cells else (words,)


def title_of(table: Table) -> str:
    """Return the window's title: that it is our turn, that the hand is over, or what the table
    waits for; then the game's name.
    """
    game = table.game.name
    if table.choices:
        return f"Your turn - {game}"
    # Only the newest hand: the title tells of the present.
    if table.summary is not None and table.summary.number == table.number:
        return f"The hand is over - {game}"
    return f"{waiting_words(table).rstrip('.')} - {game}"


def waiting_words(table: Table) -> str:
    """Return the sentence on what the table waits for: agreement, the deck, or the awaited seats
    without ours.
    """
    if table.agreeing:
        return "Waiting until everybody has agreed to the charter."
    if table.state is None:
        return "The seats are shuffling the cards; nobody will know any."
    # We ourselves are told by the prompt.
    others = tuple(seat for seat in table.awaited_seats if seat != table.seat)
    return table.writer.sentence(table.telling.waiting_line(table.state, others))


def default_choice(table: Table) -> Choice | None:
    """Return the choice that Enter alone makes; None for none."""
    return next((each for each in table.choices if each.default), None)


def keys_line(table: Table, desk: Desk) -> tuple[tuple[str, str], ...]:
    """Return the keys of the moment, each as its text and the target of a click on it."""
    typing = ((f"> {desk.typed}_", "key enter"),) if desk.typed else ()  # Enter ends it
    match desk.mode:
        case Mode.CHARTER:
            return ("[y] yes", "key y"), ("[n] no", "key n"), ("[?] rules", "key ?")
        case Mode.CONFIRM | Mode.END | Mode.LEAVE:
            return ("[y] yes", "key y"), ("[n] no", "key n")
        # `about` is what the question was asked about: the keys are those of that question.
        case Mode.SUBSTITUTE if isinstance(desk.about[0], Continuation):
            return ("[y] yes", "key y"), ("[n] no", "key n"), ("[Esc] later", "key escape")
        case Mode.SUBSTITUTE if desk.about[0] == GoOn(table.bots, Substitute.BACK):
            return ("[f] a friend", "key f"), ("[n] no", "key n")
        case Mode.SUBSTITUTE:
            return ("[b] a bot", "key b"), ("[f] a friend", "key f"), ("[n] no", "key n")
        case Mode.FINISH:
            return (("[Enter] the result", "key enter"),)
        case Mode.MATCH:
            # r is the same partners again; a digit, other partners (`offers`).
            keys = [
                (f"[{key}] {_AGAIN if key == 'r' else _OTHERS}", f"key {key}")
                for key, _, _ in offers(table.game, table.names)
                if table.seat is not None and not table.stopped and desk.again
            ]
            talk = [("[/] talk", "key /")] if desk.talk and table.may_talk else []
            return (*keys, ("[Esc] leave", "key escape"), *talk, ("[i] invites", "key i"))
        case Mode.SUMMARY if desk.talk and table.may_talk and not table.stopped:
            return ("[Enter] go on", "key enter"), ("[/] talk", "key /")
        case mode if mode in _READ:
            return (("[Enter] go on", "key enter"),)
        case Mode.ORDER:
            return (
                *typing,
                ("[Backspace] take back", "key backspace"),
                ("[Esc] go back", "key escape"),
            )
        case Mode.TALK:
            return ("[Enter] say it", "key enter"), ("[Esc] no", "key escape")
        case Mode.CHALLENGE:
            return ("[Enter] send it", "key enter"), ("[Esc] no", "key escape")
        case _:
            return (*typing, *_choosing_prompt(table, desk), *_question_prompt(table, desk))


def _choosing_prompt(table: Table, desk: Desk) -> list[tuple[str, str]]:
    """Return the keys that make a choice now, each with its click target: Enter with what it
    does, up to three numbers unless there is a default choice, and the game's keys.
    """
    shown = []
    # The cursor is on a card or on a choice without one. No cursor, None, equals the slot of a
    # choice without a card: that is sorted out below.
    chosen = next((each for each in table.choices if desk.cursor in (each.slot, each)), None)
    default = default_choice(table)
    if chosen is not None and desk.cursor is not None:
        shown.append((f"[Enter] {table.writer.line(chosen.label)}", "key enter"))
    elif default is not None:
        does = default.brief or table.writer.line(default.label)
        shown.append((f"[Enter] {does}", "key enter"))
    # Choices with a key or made by Enter are shown by that.
    numbers = [each for each in table.choices if each.numbers and not each.key and not each.default]
    shown += [
        (f"[{each.numbers[0]}]", f"number {each.numbers[0]}")
        for each in (numbers[:_MOST_NUMBERS] if default is None else ())
    ]
    # Reversed twice: of several choices on a key the first counts, in the order of the choices.
    keyed = {each.key: each for each in reversed(table.choices) if each.key}
    shown += [
        (f"[{key}] {each.brief or table.writer.line(each.label)}", f"key {key}")
        for key, each in reversed(keyed.items())
    ]
    return shown


def _question_prompt(table: Table, desk: Desk) -> list[tuple[str, str]]:
    """Return the keys that are no choices, such as rules and hints, each with its click target."""
    shown = []
    seen = [table.presence.get(seat) for seat in table.waiting]
    # Shown only where somebody may have to be replaced: None is a seat that was never heard.
    missed = any(each is None or each.where is not Where.HERE for each in seen)
    if table.seat is not None and (missed or table.open_proposals or table.bots):
        shown.append(("[+] answer" if table.open_proposals else "[+] substitute", "key +"))
    view = table.view()
    if view is not None and table.telling.last_trick(view):
        shown.append(("[l] last trick", "key l"))
    shown.append(("[?] rules", "key ?"))
    if desk.hints and table.choices:
        shown.append(("[h] hint", "key h"))
    if desk.talk and table.may_talk:
        shown.append(("[/] your words" if desk.kept else "[/] talk", "key /"))
    elif table.unread:
        # Their number alone: partners may not communicate during a hand (RULES 16).
        shown.append((f"[/] {count_words(table.unread, 'message')} after the hand", "key /"))
    if table.referees and table.seat is not None:
        shown.append(("[@] referee", "key @"))
    # Not once we have agreed to end with the same seats.
    if table.proposed and table.agreed != table.proposed:
        shown.append(("[e] end", "key e"))
    shown += [("[F1] keys", "key f1"), ("[Esc] leave", "key escape")]
    scores = [("[#] score", "key #")] if table.match_hands else []
    return [*shown, *scores, ('["] story', 'key "')]
