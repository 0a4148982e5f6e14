"""A process that does nothing, and says for how long the machine kept it from doing that.

It asks to sleep for two milliseconds, again and again, until it is ended. What it oversleeps is the
machine's part in whatever waited at the same moment: the clock is the same in all processes.
"""

from __future__ import annotations

import sys
import time
from typing import Final

NAP: Final = 0.002
WORTH_TELLING: Final = 0.0005
TOGETHER: Final = 64
"""Lines that are written at a time, so that writing is not what it does."""


def main() -> None:
    """Write a line, when it woke and how much too late, for every nap that was too long."""
    lines: list[str] = []
    before = time.monotonic()
    while True:
        time.sleep(NAP)  # what is measured is how late it ends
        now = time.monotonic()
        late = now - before - NAP
        if late > WORTH_TELLING:
            lines.append(f"{now:.6f} {late:.6f}\n")
        if len(lines) == TOGETHER:
            sys.stdout.write("".join(lines))
            sys.stdout.flush()
            lines.clear()
        before = time.monotonic()


if __name__ == "__main__":
    main()
