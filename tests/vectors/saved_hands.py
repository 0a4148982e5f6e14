"""Writes the saved hands of `specs/vectors/hands/`.

python -m tests.vectors.saved_hands
"""

from __future__ import annotations

from pathlib import Path

from cli.conformance.hands import SAVED_HANDS

HANDS = Path(__file__).parents[2] / "specs/vectors/hands"


def render() -> dict[Path, bytes]:
    """Each file with its bytes."""
    return {HANDS / f"{each.name}.p304": each.transcript() for each in SAVED_HANDS.values()}


if __name__ == "__main__":
    HANDS.mkdir(parents=True, exist_ok=True)
    for path, data in render().items():
        path.write_bytes(data)
