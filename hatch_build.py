"""What a build adds and refuses: a wheel holds the specification, an sdist what git tracks alone.

Whatever lies in the folder of an sdist would be published with it: a private key, for example.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHOWN = 5


class Build(BuildHookInterface[Any]):
    """Runs before a wheel or an sdist is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise RuntimeError where an sdist would hold what git does not know."""
        if self.target_name == "sdist":
            _refuse_strangers(Path(self.root))
        elif version == "standard":  # an editable one finds it in the clone
            build_data["force_include"]["specs"] = "cli/specs"


def _refuse_strangers(root: Path) -> None:
    if not (root / ".git").exists():
        return  # it is made from an sdist
    command = ("git", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore")
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True)
    strange = [name.decode("utf-8", "replace") for name in listed.stdout.split(b"\0") if name]
    if strange:
        more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
        raise RuntimeError(
            f"git does not know {', '.join(strange[:SHOWN])}{more}: an sdist would publish that;"
            " add it, list it in .gitignore, or move it away."
        )
