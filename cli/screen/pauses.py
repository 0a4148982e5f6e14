"""Short pauses: the collector of cyclic garbage must never hold up a key or a frame."""

from __future__ import annotations

import gc


def leave_program_out() -> None:
    """Leave out of all collections what is here before the first hand: the program itself.

    A whole collection looks at every object, and holds the interpreter's lock meanwhile: most of
    them are modules, functions and constants, which never become garbage. To be called once: what
    is left out later, garbage among it, would stay for ever.
    """
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()


def tidy() -> None:
    """Collect now, between two hands, rather than in the middle of one.

    Beyond the program there are the few hands that are kept, and what they left behind; values at
    a table are immutable and hardly ever cyclic, but frames and tasks are.
    """
    gc.collect()
