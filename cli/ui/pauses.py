"""Short pauses: the collector of cyclic garbage must never hold up a key or a frame."""

from __future__ import annotations

import gc


def settle_memory() -> None:
    """Collect what is young, and leave out of later collections all that is here.

    A whole collection looks at every object of the program, proceedings of past hands included,
    and holds the interpreter's lock for a tenth of a second and more. Values at a table are
    immutable and hardly ever cyclic: what is put aside here is still freed by its last reference.
    """
    gc.collect(1)
    gc.freeze()
