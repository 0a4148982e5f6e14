"""Our own program as one that `p2p304 conformance` tries: its commands; run as a module, itself.

`p2p304 conformance vectors 'python -m tests.vectors.own_program'` shows what a full score is.
"""

from __future__ import annotations

import shlex
import sys
from typing import Final

from tests.forked import command_of
from tests.vectors.answers import serve

_PROGRAM: Final = "tests.vectors.own_program"
OURS: Final = (sys.executable, "-E", "-P", "-m", _PROGRAM)  #: Its command, in any environment.

#: The command of our seat, which is killed with what it holds, and so is never forked.
OUR_SEAT: Final = (sys.executable, "-P", "-m", "cli.main", "conformance", "sit")


def own_program() -> str:
    """Return a command for it that costs little to start, as a shell would split it."""
    return shlex.join(command_of(_PROGRAM))


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
