"""The terminal: draws frames, and reads keys and clicks, through prompt_toolkit."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from zlib import crc32

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, UIContent, UIControl, Window
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style as ToolkitStyle

from cli.bounds import ESCAPE_SECONDS, MOST_ASIDE, MOST_STYLES, SWITCH_SECONDS
from cli.sanitize import cells_of, is_beside, is_uncertain
from cli.screen.canvas import Frame, Ground, Line, Shown, Style, Theme
from cli.screen.desk import PASTED
from cli.screen.preferences import Calls, Colouring, Colours

# A drawn line as pieces for prompt_toolkit, in its place on terminals that differ about widths.
#
# Some terminals give a vowel sign that stands beside its letter (Sinhala and Tamil have many) a
# cell of its own, others none; some draw joined letters in one cell. A canvas reserves the most
# that a word may take, and here the cursor is told where to be: before such a word, and before
# every cell that comes after it in the line.

Fragment = tuple[str, str]  #: A style of prompt_toolkit's, and a text.

#: prompt_toolkit's style of what it writes as it is, before the cell that follows.
RAW: Final = "[ZeroWidthEscape]"

#: What each style on each ground is called where colours are given.
NAMES: Final = {
    (style, ground): style.value if ground is Ground.SHEET else f"{style.value}-{ground.value}"
    for style in Style
    for ground in Ground
}
_CLASSES: Final = {look: f"class:{name}" for look, name in NAMES.items()}
# Zero width non-joiner and joiner: at a word's end they join nothing, and terminals differ.
_JOINERS: Final = "\u200c\u200d"
# Runs of blanks, and words: one of uncertain width is placed as a whole.
_WORDS: Final = re.compile(r" +|[^ ]+")
# A cheap first look: tables of widths are asked only for lines with such a character.
#: Where all uncertain characters lie, and none of what we draw ourselves.
_PERHAPS: Final = re.compile("[\u0900-\u1fff\u200c\u200d\u3000-\U0010ffff]")


def fragments_of(line: Line, *, filled: bool = False) -> list[Fragment]:
    """Return prompt_toolkit's fragments for a line of a frame, with cursor movements where
    terminals may differ about the width of a character.

    Plain blanks at the end of a line without such characters are left out, all but one, unless
    `filled` says that every cell has a background colour.
    """
    pieces: list[Fragment] = [(_CLASSES[style, ground], text) for style, text, ground in line]
    if any(_is_uncertain(text) for _, text in pieces):
        return list(_place(pieces))
    if pieces and not filled and pieces[-1][0] == _CLASSES[Style.PLAIN, Ground.SHEET]:
        # Blanks at the end cost as much as text; one stays for clicks to the right of all.
        style, text = pieces[-1]
        pieces[-1] = (style, text.rstrip(" ") + " " * text.endswith(" "))
    return pieces


def _is_uncertain(text: str) -> bool:
    """Return whether terminals may differ about the width of a character of the text."""
    return _PERHAPS.search(text) is not None and any(map(is_uncertain, text))


def _place(pieces: list[Fragment]) -> Iterator[Fragment]:
    """Yield the pieces of a line, with the cursor set to the right column before each word of
    uncertain width, whose cells are erased first, and before each cell after the first such
    word.
    """
    column, lost = 0, False
    for style, text in pieces:
        for word in _WORDS.findall(text):
            cells = cells_of(word)
            if _is_uncertain(word):
                # prompt_toolkit counts no cell for the signs: blanks before the word stand for
                # theirs. A style that is the word's own makes it be drawn as a whole or not at all;
                # there are only so many, because prompt_toolkit forgets no style.
                whole = f"{style} class:word-{crc32(word.encode()) % MOST_STYLES}"
                # Written as blanks, so that prompt_toolkit's count of columns stays ours.
                yield (whole, " " * sum(map(is_beside, word)))
                # CSI n X (ECH, ECMA-48 8.3.38) erases the cells: what was there shows through a
                # narrow glyph.
                yield (RAW, f"{_to(column)}\x1b[{cells}X")
                yield (whole, word.rstrip(_JOINERS))
                lost = True
            # The terminal's cursor may have drifted in this line: each cell is set by itself from
            # here on.
            elif lost:
                yield from _cell_by_cell(style, word, column)
            else:
                yield (style, word)
            column += cells


def _cell_by_cell(style: str, text: str, column: int) -> Iterator[Fragment]:
    """Yield each character, in this style, after an escape sequence that sets the cursor to its
    column, the first to `column`; a character without a cell of its own, such as an accent, gets
    none.
    """
    for char in text:
        cells = cells_of(char)
        if cells:
            yield (RAW, _to(column))
        yield (style, char)
        column += cells


def _to(column: int) -> str:
    """Return the escape sequence that moves the cursor to a column, from 0 (CHA, ECMA-48 8.3.9)."""
    # The sequence counts columns from 1.
    return f"\x1b[{column + 1}G"


_SAME: Final = "left right up down pageup pagedown escape home end f1 c-c"
#: Our names of keys; of some, prompt_toolkit's name is ours.
_KEYS: Final = {
    **{Keys(name): name for name in _SAME.split()},
    # Enter sends CR, a pasted or piped newline LF: both are Enter.
    Keys.ControlM: "enter",
    Keys.ControlJ: "enter",
    # ^H or DEL, which prompt_toolkit names alike; Delete too, as text is edited at its end.
    Keys.ControlH: "backspace",
    Keys.Delete: "backspace",
    Keys.Tab: "tab",
    # prompt_toolkit's name for the signal, where it hands one on as a key.
    Keys.SIGINT: "c-c",
}
_DEPTHS: Final = {
    Colours.NONE: ColorDepth.DEPTH_1_BIT,
    # Sixteen colours are the four bits of ANSI.
    Colours.SIXTEEN: ColorDepth.DEPTH_4_BIT,
    Colours.MANY: ColorDepth.DEPTH_8_BIT,
    Colours.TRUE: ColorDepth.DEPTH_24_BIT,
}
# A default argument: one object for all, as a colouring is immutable.
#: The player has chosen nothing: colours follow from the terminal.
_BY_TERMINAL: Final = Colouring()


class ClientApp:
    """The full screen of a `Shown`: draws its frames, and passes keys and clicks to it."""

    def __init__(
        self,
        shown: Shown,
        *,
        colouring: Colouring = _BY_TERMINAL,
        source: Input | None = None,
        sink: Output | None = None,
        drawn: Callable[[], None] | None = None,
        calls: Calls | None = None,
    ) -> None:
        """Set up the screen of `shown` in these colours, and set `shown.changed` to ask for a new
        frame.

        `source` and `sink` are the terminal unless a test brings its own. `drawn` is called after
        every frame. `calls` says how the player is called; without it the player is never called,
        and the window's title stays.
        """
        self._shown = shown
        self._caller: _Caller | None = None  #: Calls the player; None where it is never called.
        # On filled ground blanks at a line's end are coloured, and cannot be left out.
        filled = colouring.filled(os.environ)
        self._colouring = colouring
        self._control = _FrameControl(shown, self._chosen, filled=filled)
        self.application: Application[None] = Application(
            # A frame draws its own cursor: "_" behind what is typed, a look for the chosen card.
            layout=Layout(Window(self._control, always_hide_cursor=True)),
            key_bindings=_bindings(shown),
            style=_style_of(colouring),
            # None leaves the depth to prompt_toolkit, which reads the environment.
            color_depth=_DEPTHS.get(colouring.depth(os.environ)),
            full_screen=True,
            mouse_support=True,
            input=source,
            output=sink,
        )
        # `ttimeoutlen` is for bytes of one key, `timeoutlen` for bindings of several keys.
        self.application.ttimeoutlen = ESCAPE_SECONDS
        self.application.timeoutlen = ESCAPE_SECONDS
        if drawn is not None:
            self.application.after_render += lambda _: drawn()
        if calls is not None:
            # For the type checker: in the lambda `self._caller` might be None again.
            caller = self._caller = _Caller(shown, calls, self.application.output)
            self.application.after_render += lambda _: caller.look()
        # `invalidate` may be called from any thread, and draws once however often it was called.
        shown.changed = self.application.invalidate

    def _chosen(self, theme: Theme | None, four_colours: bool) -> None:
        """Use this theme, and two or four colours for the suits, from the next frame on."""
        colouring = replace(self._colouring, theme=theme, four_colours=four_colours)
        self.application.style = _style_of(colouring)
        # The frame that is being drawn has the old style yet: one more is needed.
        self.application.invalidate()

    async def run(self, closes: Callable[[], Awaitable[object]] | None = None) -> None:
        """Show the screen until `closes` returns, then restore the terminal.

        Raises what handling a key or drawing a frame raised, which ends the screen. Other errors of
        the event loop are reported after the screen has gone.
        """
        # Proofs run in threads beside this one: a key or a frame waits for the interpreter's lock
        # no longer than this, instead of five times as long.
        sys.setswitchinterval(SWITCH_SECONDS)
        loop = asyncio.get_running_loop()
        inherited = loop.get_exception_handler()
        aside: deque[dict[str, Any]] = deque(maxlen=MOST_ASIDE)

        def handle(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            """End the screen with an error of a key or a frame; keep any other error, to be
            reported when the screen has gone.
            """
            # What a key or a frame raised ends the screen, and is raised by this call. What else
            # has something to say must not say it across the screen.
            error = context.get("exception")
            # Callbacks of the loop (keys, frames) come with a handle, forgotten tasks without one.
            if "handle" in context and isinstance(error, Exception):
                self.close(error)
            else:
                aside.append(context)

        loop.set_exception_handler(handle)
        if closes is not None:
            self.application.create_background_task(self._close_with(closes))
        try:
            # The handlers of signals and errors are ours: prompt_toolkit's would ask for Enter.
            await self.application.run_async(handle_sigint=False, set_exception_handler=False)
        finally:
            if self._caller is not None:
                self._caller.leave()
            self.application.output.enable_autowrap()  # which a broken frame leaves off
            self.application.output.flush()
            loop.set_exception_handler(inherited)
            # The terminal is itself again: what was kept may be printed now.
            for context in aside:
                loop.call_exception_handler(context)

    async def _close_with(self, closes: Callable[[], Awaitable[object]]) -> None:
        """Make `run` return once `closes` does."""
        await closes()
        self.close()

    def close(self, error: Exception | None = None) -> None:
        """Make `run` return, or raise `error`; do nothing if `run` has ended already."""
        # `exit` raises when called twice, and a player may close what has just ended.
        if self.application.is_running and not self.application.is_done:
            if error is None:
                self.application.exit()
            else:
                self.application.exit(exception=error)


def _style_of(colouring: Colouring) -> ToolkitStyle:
    """Return prompt_toolkit's style sheet for a colouring."""
    styles = {NAMES[look]: words for look, words in colouring.palette(os.environ).items()}
    return ToolkitStyle.from_dict(styles)


# Calling the player: a bell, the window's title, a notification. The kind of notification follows
# from the terminal's names in the environment, because a terminal cannot be asked.

# CSI 22 ; 0 t pushes the titles of icon and window, CSI 23 ; 0 t pops them.
SAVE_TITLE: Final = "\x1b[22;0t"
#: XTerm's stack of titles, which most terminals have and the others ignore.
RESTORE_TITLE: Final = "\x1b[23;0t"


#: The escape sequences by which terminals show a notification: a text alone (iTerm2, kitty, Warp),
#: or a title and a text (WezTerm, Ghostty, foot, rxvt-unicode, VTE with Fedora's patch).
OSC_9: Final = "\x1b]9;{title}: {text}\x07"
OSC_777: Final = "\x1b]777;notify;{title};{text}\x07"
#: By TERM_PROGRAM.
_BY_PROGRAM: Final = {
    "iTerm.app": OSC_9,
    "WarpTerminal": OSC_9,
    "WezTerm": OSC_777,
    "ghostty": OSC_777,
}
# Checked in this order: the first beginning that fits counts.
#: By how TERM begins.
_BY_TERM: Final = (
    ("xterm-kitty", OSC_9),
    ("xterm-ghostty", OSC_777),
    ("foot", OSC_777),
    ("rxvt-unicode", OSC_777),
)
# VTE 0.46: older ones print an unknown OSC as text.
#: From this version on VTE ignores the sequence that it does not know without printing it.
_QUIET_VTE: Final = 4600


def notification_of(environment: Mapping[str, str]) -> str | None:
    """Return the escape sequence that shows a notification in this terminal, by its names in the
    environment, with places for title and text; None if it has none, is unknown, or is inside tmux
    or GNU screen.
    """
    # tmux and GNU screen set TERM and TERM_PROGRAM to their own, or leave those of a terminal that
    # may not be there any more.
    if environment.get("TMUX") or environment.get("STY"):
        return None
    program = environment.get("TERM_PROGRAM", "")
    if program in _BY_PROGRAM:
        return _BY_PROGRAM[program]
    if environment.get("LC_TERMINAL") == "iTerm2":  # the one name that ssh carries over
        return OSC_9
    term = environment.get("TERM", "")
    for begins, found in _BY_TERM:
        if term.startswith(begins):
            return found
    version = environment.get("VTE_VERSION", "")
    # The environment is any text: int() takes other digits, and long ones are slow.
    if version.isascii() and version.isdecimal() and int(version[:9]) >= _QUIET_VTE:
        return OSC_777
    return None


def notification_code(sequence: str, title: str, text: str) -> str:
    """Return an escape sequence (`OSC_9`, `OSC_777`) with this title and text in it."""
    return sequence.format(title=_clean(title), text=_clean(text))


def _clean(text: str) -> str:
    """Return the text without unprintable characters and with "," for ";": they would end or
    split the sequence.
    """
    # BEL and ESC would end the sequence, `;` separates its fields; names come from others.
    return "".join(char for char in text if char.isprintable()).replace(";", ",")


class _Caller:
    """Calls the player by bell, title or notification, and restores the window's title at the
    end.
    """

    def __init__(self, shown: Shown, calls: Calls, output: Output) -> None:
        """Set up the calling of what `shown` asks for, in the ways that `calls` allow, through
        `output`.
        """
        self._shown = shown
        self._calls = calls
        self._output = output
        self._notification = notification_of(os.environ) if calls.notify else None
        self._title = ""

    def look(self) -> None:
        """Write the window's title if it has changed, and call the player by bell and
        notification if `shown.calls` returns words; each only if `calls` allows it.
        """
        # Both are asked each time: asking for the call takes it, so that it is made once.
        title, called = self._shown.title(), self._shown.calls()
        if self._calls.title and title != self._title:
            if not self._title:
                # Once, before our first title: a second save would keep a title of ours.
                self._output.write_raw(SAVE_TITLE)
            self._output.set_title(title)
            self._title = title
        if called and self._calls.bell:
            self._output.bell()
        if called and self._notification is not None:
            self._output.write_raw(notification_code(self._notification, "p2p304", called))
        self._output.flush()

    def leave(self) -> None:
        """Restore the title that the window had before; do nothing if none was written."""
        if self._title:
            # Terminals without a stack of titles get an empty title instead of ours.
            self._output.clear_title()
            self._output.write_raw(RESTORE_TITLE)
            self._title = ""


def _bindings(shown: Shown) -> KeyBindings:
    """Return the key bindings that hand keys, characters and pastes to the screen; Ctrl-Z
    suspends the program, and keys that the screen has no name for do nothing.
    """
    bindings = KeyBindings()

    for key, name in _KEYS.items():
        # Bound by a default, because the lambda would see only the last name of the loop.
        bindings.add(key)(lambda _, name=name: shown.press(name))

    # In raw mode the terminal sends ^Z as a byte instead of a signal.
    @bindings.add(Keys.ControlZ)
    def _(event: KeyPressEvent) -> None:
        """Stop the program as ^Z does; the terminal is as before meanwhile."""
        event.app.suspend_to_background()

    @bindings.add(Keys.Any)
    def _(event: KeyPressEvent) -> None:
        """Hand a printable character without a binding of its own to `shown`; ignore other keys,
        such as F2.
        """
        # A key without a binding, such as F2, comes as its escape sequence: it is no letter.
        text = event.key_sequence[0].data
        if len(text) == 1 and text.isprintable():
            shown.press(text)

    @bindings.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        """Hand a pasted text to `shown` as one key: `PASTED` and the text."""
        # A paste is told as one, so that its letters are no commands.
        shown.press(PASTED + event.data)

    return bindings


class _FrameControl(UIControl):
    """A control of prompt_toolkit that draws frames and turns clicks into targets."""

    def __init__(
        self,
        shown: Shown,
        chosen: Callable[[Theme | None, bool], None],
        *,
        filled: bool,
    ) -> None:
        """Set up the control, which draws what `shown` returns; `chosen` is called when the
        player chooses colours. `filled` says that every cell has a ground.
        """
        self._shown = shown
        self._chosen = chosen
        self._filled = filled
        self._frame = Frame(())

    def create_content(self, width: int, height: int) -> UIContent:
        """Draw the frame at this size, and call `chosen` if its theme or suit colours differ
        from the last frame's (prompt_toolkit calls this for each rendering).
        """
        before, self._frame = self._frame, self._shown.frame(width, height)
        colours = (self._frame.theme, self._frame.four_colours)
        # Only on a change: a new style makes prompt_toolkit forget what it has drawn.
        if colours != (before.theme, before.four_colours):
            self._chosen(*colours)
        lines = self._frame.lines

        def line(number: int) -> StyleAndTextTuples:
            """Return the fragments of one line of the frame."""
            return [*fragments_of(lines[number], filled=self._filled)]

        return UIContent(get_line=line, line_count=len(lines))

    def is_focusable(self) -> bool:
        """Return True: a control without the focus gets no keys."""
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        """Click on the target under the mouse when its left button, or an unknown one, is
        released; ignore other mouse events.
        """
        # Terminals report the press and the release: one of them is the click.
        if mouse_event.event_type is not MouseEventType.MOUSE_UP:
            return
        # Old mouse protocols do not tell which button was released.
        if mouse_event.button not in (MouseButton.LEFT, MouseButton.UNKNOWN):
            return
        place = mouse_event.position
        target = self._frame.target_at(place.y, place.x)
        if target is not None:
            self._shown.click(target)


ENTER: Final = "\r"  #: What a terminal sends for the key Enter.


#: Words that are listed at once: with " and 1289 more" they fit 80 cells, as none has more than ten
#: letters.
MOST_WORDS: Final = 6


async def ask_line(
    question: str,
    completed: Callable[[str], tuple[str, Sequence[str]]],
    *,
    source: Input | None = None,
    sink: Output | None = None,
) -> str:
    """Ask for a line and return it; Tab completes it.

    `completed` gets the text before the cursor, and returns letters to insert there and words to
    list. Raises EOFError at the end of the input, KeyboardInterrupt for Ctrl-C. `source` and `sink`
    are the terminal unless a test brings its own.
    """
    bindings = KeyBindings()

    # Uses `session`, which is made below: Tab can be pressed only once that asks.
    @bindings.add("tab")
    def _(event: KeyPressEvent) -> None:
        """Insert the letters that `completed` returns, and list the first `MOST_WORDS` of its
        words below the line, with the number of the others.
        """
        # At once: the library's own completion goes on beside the keys, and Enter would be first.
        buffer = event.current_buffer
        added, words = completed(buffer.document.text_before_cursor)
        buffer.insert_text(added)
        more = f" and {len(words) - MOST_WORDS} more" if len(words) > MOST_WORDS else ""
        # `or None`: an empty toolbar would take a row.
        session.bottom_toolbar = " ".join(words[:MOST_WORDS]) + more or None

    session: PromptSession[str] = PromptSession(key_bindings=bindings, input=source, output=sink)
    return await session.prompt_async(f"{question} ")
