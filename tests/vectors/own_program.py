"""Our own program as one that `p2p304 conformance` tries."""

from __future__ import annotations

import shlex
import sys
from typing import Final

from tests.forked import command_of

OURS: Final = (sys.executable, "-E", "-P", "-m", "cli.main", "conformance", "serve")
"""Its command, in any environment."""

OUR_SEAT: Final = (sys.executable, "-P", "-m", "cli.main", "conformance", "sit")
"""The command of our seat, which is killed with what it holds, and so is never forked."""


def own_program() -> str:
    """Return a command for it that costs little to start, as a shell would split it."""
    return shlex.join(command_of("cli.main", *OURS[-2:]))
