"""The folder of the specification on this machine: pages, vectors and examples are installed
too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

# In a wheel the pages lie inside the package.
_INSTALLED: Final = Path(__file__).parent / "specs"
_CLONE: Final = Path(__file__).parents[1] / "specs"

#: Beside this module in an installed program, beside the packages in a clone.
SPECS: Final = _INSTALLED if _INSTALLED.is_dir() else _CLONE
