"""The example in specs/examples: valid, and told as the text beside it tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.audit import command

EXAMPLES = Path(__file__).parents[2] / "specs" / "examples"


def test_the_example_is_explained_as_its_text_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parents[1])
    done = CliRunner().invoke(command, ["specs/examples/hand.p304", "--explain", "--jobs", "1"])
    assert done.output == (EXAMPLES / "hand.txt").read_text(encoding="utf-8")
    assert done.output.rstrip().endswith("hand.p304: valid")
