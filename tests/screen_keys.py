"""What hands do at the full screen: the keys of an action, and a terminal that nobody sees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import Input, create_pipe_input
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from cli.front.writing import read_card
from cli.screen.app import ENTER
from cli.screen.desk import is_asked
from cli.screen.model import Table
from cli.screen.preferences import Asking


class Pipe(NamedTuple):
    """A terminal without a person, for measurements: `type` enters text, `source` and `sink` are
    its input and output.
    """

    type: Callable[[str], None]
    source: Input
    sink: Output


@contextmanager
def pipe_terminal() -> Iterator[Pipe]:
    """Yield a terminal of 80 columns and 24 rows whose output is discarded."""
    with create_pipe_input() as source, Path(os.devnull).open("w") as nothing:
        # A fixed terminal: prompt_toolkit would ask the environment for the size and the name.
        sink = Vt100_Output(nothing, lambda: Size(rows=24, columns=80), term="xterm")
        yield Pipe(source.send_text, source, sink)


def keys_for(table: Table, action: Any) -> str | None:
    """Return the keys that a terminal sends for an action, such as "9c" or "p"; None if the action
    is not among the table's choices, has an order of cards, or cannot be typed.

    If the player is asked before the action by default (`Asking.COSTLY`), the keys end with "y".
    """
    chosen = next((each for each in table.choices if each.action == action), None)
    if chosen is None or chosen.order:
        return None
    if chosen.slot is not None:
        keys = str(table.faces[chosen.slot]).lower()
    elif chosen.default:
        keys = ENTER
    elif chosen.key:
        # Several choices on one key take turns: each press goes on to the next, Enter takes it.
        alike = [each for each in table.choices if each.key == chosen.key]
        times = alike.index(chosen) + 1
        keys = chosen.key if len(alike) == 1 else f"{chosen.key * times}{ENTER}"
    elif chosen.numbers:
        keys = f"{chosen.numbers[0]}{ENTER}"
    elif chosen.typed:
        word = chosen.typed[0]
        # A whole card name acts at its last letter; other words need Enter.
        keys = word if read_card(word) is not None else f"{word}{ENTER}"
    else:
        return None
    return f"{keys}y" if is_asked(chosen, Asking.COSTLY) else keys
