"""The lowest rows of the screen: chat between hands, news, the prompt and its keys, and the trust
line."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cli.front.narrator import ASKED, Where, awaited_words
from cli.front.player_commands import GoOn, Substitute, offers, owed_words
from cli.front.writing import goes_by_itself
from cli.sanitize import cells_of
from cli.screen.canvas import FINE, ROUGH, Canvas, Style, wrap
from cli.screen.desk import Desk, Mode
from cli.screen.layout import FULL_ROWS, Layout
from cli.screen.model import Table
from cli.wording import capital
from p2p304.seats import seat_letters
from p2p304.sentences import count_words
from protocol.wire.contents import Continuation

_ASKED: Final = 2  #: Rows in which the player is asked or answered, but for long answers.


def draw_foot(
    canvas: Canvas, layout: Layout, table: Table, desk: Desk, *, keys: bool = True
) -> None:
    """Draw everything below the table, and between hands the chat above it; the line of keys
    only with `keys`.
    """
    left, width = layout.left, layout.width
    talk = chat_lines(table, desk, layout)
    # The chat lies over our own cards' rows, which are empty between hands.
    if talk:
        canvas.blank(layout.foot - len(talk), left, len(talk), width)
    for above, line in enumerate(reversed(talk), start=1):
        canvas.put(layout.foot - above, left, line, room=width)
    if not canvas.filled:
        canvas.put(layout.foot, left, canvas.glyphs.across * width, Style.FAINT)
    row = layout.foot
    # Talk opened over the summary still looks back: `under` tells what lies below.
    looks_back = {Mode.SUMMARY, Mode.FINISH} & {desk.mode, desk.under}
    newer = table.summary is not None and table.summary.number < table.number
    news = () if looks_back and newer else table.news  # what is told of the next hand waits
    style, lines = prompt_lines(table, desk, width)
    # More rows for a long answer are taken from the news, never from the keys.
    taken = min(max(0, len(lines) - _ASKED), layout.news_rows)  # a long answer goes before news
    for line in _latest(news, layout.news_rows - taken, width):
        row += 1
        canvas.put(row, left, line, room=width)
    # The prompt stands at the bottom of its rows, next to the keys.
    row = layout.foot + layout.news_rows - taken
    for line in lines[: _ASKED + taken]:
        row += 1
        canvas.put(row, left, line, style, room=width)
    column = left
    for text, target in keys_line(table, desk) if keys else ():
        # What is too long is in the prompt, and what follows it may fit.
        if column + cells_of(text) <= left + width:
            # The last row but one: the trust line has the last.
            end = canvas.put(layout.rows - 2, column, text, Style.KEY, target=target)
            column = end + 2
    style, line = trust_line(table, width)
    canvas.put(layout.rows - 1, left, line, style, room=width)


def _latest(news: tuple[str, ...], rows: int, width: int) -> tuple[str, ...]:
    """Return the lines of the latest news that fit into `rows`, the newest last; of a sentence
    that does not fit, its end after "...".
    """
    lines: tuple[str, ...] = ()
    # The newest has the first claim to the room.
    for each in reversed(news):
        if len(lines) == rows:
            break
        # The newest sentence is shown in full where it fits, else its end.
        words, whole = each.split(" "), wrap(each, width)
        # It ends: without words the dots alone take one row, and there is one.
        while len(whole) > rows - len(lines):
            words = words[1:]
            whole = wrap(f"... {' '.join(words)}", width)
        lines = (*whole, *lines)
    return lines


# A choice: they share four rows.
MESSAGES: Final = 3  #: The latest messages that are shown.
#: Rows above the foot, where our own cards lie in a hand: they are free between two.
_BELOW: Final = 4
#: What is read then needs the whole screen.
_READING: Final = frozenset({Mode.CHARTER, Mode.RULES, Mode.HELP, Mode.ORDER})


def chat_is_shown(table: Table, desk: Desk) -> bool:
    """Return whether there is chat and it is shown: while no hand is in play, unless the
    charter, rules or help are read or cards are put in order, which takes the whole screen.
    """
    return bool(table.chat) and table.may_talk and desk.mode not in _READING


def chat_lines(table: Table, desk: Desk, layout: Layout) -> tuple[str, ...]:
    """Return the rows of chat above the foot, none where it is not shown: the three newest
    messages, of which the older are cut to a line each before the newest is cut.
    """
    if not chat_is_shown(table, desk):
        return ()
    # Over a summary, which gives way, there is one row more (a choice), and half of the rows that a
    # tall terminal has to spare.
    spare = max(0, layout.rows - FULL_ROWS)
    room = _BELOW + (1 + spare // 2 if desk.visible_mode is Mode.SUMMARY else 0)
    said: list[tuple[str, ...]] = []
    for seat, text in table.chat[-MESSAGES:]:
        named = f"{capital(table.writer.seat(seat))} ({table.names[seat]}) says"
        said.append(wrap(f"{'You say' if seat == table.seat else named}: {text}", layout.width))
    for number in range(len(said) - 1):  # the oldest first
        # Older messages give way first.
        if sum(map(len, said)) > room:
            said[number] = _cut_lines(said[number], 1, layout.width)
    others = sum(map(len, said[:-1]))
    # At least two lines are left: the others have one each, unless all of them fit.
    said[-1] = _cut_lines(said[-1], room - others, layout.width)
    return tuple(line for each in said for line in each)


def _cut_lines(lines: tuple[str, ...], most: int, width: int) -> tuple[str, ...]:
    """Return at most `most` lines of `width` cells, the last with an ellipsis if any were cut."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    # Four cells for the blank and the dots.
    while cells_of(last) > width - 4:
        last = last[:-1]
    return (*lines[: most - 1], f"{last.rstrip()} ...")


def trust_line(table: Table, cells: int) -> tuple[Style, str]:
    """Return the style and text of the trust line: awaited seats, charter, agreed rounds, verified
    proofs. While the connection is lost it tells that instead.

    It is shortened to `cells` only while seats are awaited, and is longer if even the shortest
    wording does not fit.
    """
    # Trouble with the connection goes before all else: what follows may be stale.
    if table.link:
        return Style.WARNING, table.link
    parts, waits = [], bool(table.waiting)
    if waits:
        due = owed_words(table.game, table.state)
        what = f" ({due})" if due else ""
        names = table.writer.join_seats(table.waiting)
        where = awaited_words(table.waiting, table.presence)
        names += f", {where}," if where else ""
        parts.append(f"Waiting for {names} since {table.since}{what}")
    if table.fingerprint:
        # The first two groups of four: the whole is shown with the charter.
        parts.append(f"Charter {table.fingerprint[:9]}")
    if table.rounds:
        parts.append(f"{count_words(table.rounds, 'round')} agreed")
        parts.append(f"{count_words(table.proofs, 'proof')} verified")
    # From the fullest wording to the shortest: the first that fits is shown.
    versions = [", ".join(parts)]
    if waits:
        letters = seat_letters(table.game.seats)
        initials = ", ".join(letters[seat] for seat in table.waiting)
        versions += [
            _short(table, table.writer.join_seats(table.waiting)),
            _short(table, initials),
            _short(table, initials, charter=False),
        ]
    # The last is shown even if it is cut: whom we wait for comes first in it.
    line = next((each for each in versions if cells_of(each) <= cells), versions[-1])
    return (Style.WARNING if waits else Style.TRUST), line


def _short(table: Table, names: str, *, charter: bool = True) -> str:
    """Return the trust line in brief, with `names` for the awaited seats; without the charter's
    fingerprint unless `charter`.
    """
    parts = [f"Waiting for {names} since {table.since}"]
    if table.fingerprint and charter:
        # Two of its groups of four, and the hyphen between.
        parts.append(f"charter {table.fingerprint[:9]}")
    if table.rounds:
        parts += [count_words(table.rounds, "round"), count_words(table.proofs, "proof")]
    return f" {(ROUGH if table.writer.ascii_only else FINE).dot} ".join(parts)


# --- the prompt and its keys ----------------------------------------------------------------------

Prompt = tuple[Style, tuple[str, ...]]
_HOW: Final = "Arrows and Enter, or type it, such as 9c, or click on it."
_GOES_ON: Final = "The hand goes on by itself; the space bar waits, Enter goes on at once."
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
    goes_on = goes_by_itself(table.choices, desk.settings.go_on)
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
    if table.state is None:
        # The first round of a table is closed by the last confirmation of its charter.
        if not table.rounds:
            return "Waiting until everybody has agreed to the charter."
        return "The seats are shuffling the cards; nobody will know any."
    # We ourselves are told by the prompt.
    others = tuple(seat for seat in table.awaited_seats if seat != table.seat)
    return table.writer.sentence(table.telling.waiting_line(table.state, others))


def keys_line(table: Table, desk: Desk) -> tuple[tuple[str, str], ...]:
    """Return the keys of the moment, each as its text and the target of a click on it."""
    typing = ((f"> {desk.typed}_", "key enter"),) if desk.typed else ()  # Enter ends it
    yes, no, friend = ("[y] yes", "key y"), ("[n] no", "key n"), ("[f] a friend", "key f")
    match desk.mode:
        case Mode.CHARTER:
            return yes, no, ("[?] rules", "key ?")
        case Mode.CONFIRM | Mode.END | Mode.LEAVE:
            return yes, no
        # `about` is what the question was asked about: the keys are those of that question.
        case Mode.SUBSTITUTE if isinstance(desk.about[0], Continuation):
            return yes, no, ("[Esc] later", "key escape")
        case Mode.SUBSTITUTE if desk.about[0] == GoOn(table.bots, Substitute.BACK):
            return friend, no
        case Mode.SUBSTITUTE:
            return ("[b] a bot", "key b"), friend, no
        case Mode.FINISH:
            return (("[Enter] the result", "key enter"),)
        case Mode.MATCH:
            # r is the same partners again; a digit, other partners (`offers`).
            keys = [
                (f"[{key}] {'again' if key == 'r' else 'partners'}", f"key {key}")
                for key, _, _ in offers(table.game, table.names)
                if table.seat is not None and not table.stopped and desk.again
            ]
            talk = [("[/] talk", "key /")] if desk.talk and table.may_talk else []
            return (*keys, ("[Esc] leave", "key escape"), *talk, ("[i] invites", "key i"))
        case Mode.SUMMARY if desk.talk and table.may_talk and not table.stopped:
            return ("[Enter] go on", "key enter"), ("[/] talk", "key /")
        case Mode.ORDER:
            return (
                *typing,
                ("[Backspace] take back", "key backspace"),
                ("[Esc] go back", "key escape"),
            )
        case Mode.TALK | Mode.CHALLENGE as mode:
            does = "say it" if mode is Mode.TALK else "send it"
            return (f"[Enter] {does}", "key enter"), ("[Esc] no", "key escape")
        case Mode.TABLE:
            return (*typing, *_keys_at_table(table, desk))
        case _:  # what is read until Enter
            return (("[Enter] go on", "key enter"),)


def _keys_at_table(table: Table, desk: Desk) -> list[tuple[str, str]]:
    """Return the keys at the table, each with its click target: Enter with what it does, up to
    three numbers unless there is a default choice, the game's keys, and those that are no choices,
    such as rules and hints.
    """
    shown = []
    # The cursor is on a card or on a choice without one. No cursor, None, equals the slot of a
    # choice without a card: that is sorted out below.
    chosen = next((each for each in table.choices if desk.cursor in (each.slot, each)), None)
    default = table.default
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
    seen = [table.presence.get(seat) for seat in table.waiting]
    # Shown only where somebody may have to be replaced: None is a seat that was never heard.
    missed = any(each is None or each.where is not Where.HERE for each in seen)
    if table.seat is not None and (missed or table.open_proposals or table.bots):
        shown.append(("[+] answer" if table.open_proposals else "[+] substitute", "key +"))
    view = table.view()
    if view is not None and table.telling.last_trick(view):
        shown.append(("[l] last trick", "key l"))
    shown.append(("[?] rules", "key ?"))
    if desk.settings.hints and table.choices:
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
