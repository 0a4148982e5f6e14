"""One line typed at a terminal, whose words the Tab key completes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output

MOST_WORDS: Final = 6
"""Words that are listed at once."""


async def ask_completed(
    question: str,
    completed: Callable[[str], tuple[str, Sequence[str]]],
    *,
    source: Input | None = None,
    sink: Output | None = None,
) -> str:
    """Return the line that is typed; Tab adds what `completed` says, and lists what is possible.

    Raises EOFError at the end of the input, KeyboardInterrupt for Ctrl-C. `source` and `sink` are
    the terminal unless a test brings its own.
    """
    bindings = KeyBindings()

    @bindings.add("tab")
    def _(event: KeyPressEvent) -> None:
        # At once: the library's own completion goes on beside the keys, and Enter would be first.
        buffer = event.current_buffer
        added, words = completed(buffer.document.text_before_cursor)
        buffer.insert_text(added)
        more = f" and {len(words) - MOST_WORDS} more" if len(words) > MOST_WORDS else ""
        session.bottom_toolbar = " ".join(words[:MOST_WORDS]) + more or None

    session: PromptSession[str] = PromptSession(key_bindings=bindings, input=source, output=sink)
    return await session.prompt_async(f"{question} ")
