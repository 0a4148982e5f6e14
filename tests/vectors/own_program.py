"""Our own program as one that `p2p304 conformance` tries."""

from __future__ import annotations

import sys
from typing import Final

OURS: Final = (sys.executable, "-E", "-P", "-m", "cli.main", "conformance", "serve")
"""Its command, in any environment."""
