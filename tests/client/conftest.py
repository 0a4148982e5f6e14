"""What tests of the client share: a home of their own, and a game of three seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.main import main
from p2p304.games import register
from tests.client.highest_card import ENTRY, NAME
from tests.client.text_person import Person, sitting


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a player who has nothing yet."""
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """Somebody in South's seat, at a line terminal."""
    made = sitting(tmp_path)
    yield made
    made.end()


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command, see that it ends with a code, and return what it said."""

    def run(*words: str, code: int = 0) -> str:
        assert main(words) == code
        shown = capsys.readouterr()
        return shown.out + shown.err

    return run


@pytest.fixture(scope="module")
def highest_card() -> Iterator[None]:
    """The program knows the game of `highest_card`."""
    with register(NAME, ENTRY):
        yield
