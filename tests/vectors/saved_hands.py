"""Writes the saved hands of `specs/vectors/hands/`.

python -m tests.vectors.saved_hands
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.vectors.rehearsal import SAVED_HANDS

HANDS = Path(__file__).parents[2] / "specs/vectors/hands"


def render(names: Iterable[str] = SAVED_HANDS) -> dict[Path, bytes]:
    """Each file with its bytes, or those that are named."""
    return {HANDS / f"{name}.p304": SAVED_HANDS[name].transcript() for name in names}


if __name__ == "__main__":
    HANDS.mkdir(parents=True, exist_ok=True)
    for path, data in render().items():
        path.write_bytes(data)
