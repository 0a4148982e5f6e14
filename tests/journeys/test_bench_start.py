"""The start of the program is measured on what a terminal shows, and ends with nothing left."""

from __future__ import annotations

import sys

import psutil
import pytest

from cli.errors import UserError
from tests.bench.start import STAGES, start_once

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


def test_play_is_watched_from_the_shell_to_the_first_four_cards() -> None:
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    found = start_once()
    seconds = [found[title] for title, *_ in STAGES]
    assert 0 < seconds[0] <= seconds[1] <= seconds[2] <= seconds[3]
    assert {each.pid for each in psutil.Process().children(recursive=True)} == before


def test_a_program_that_ends_before_there_are_cards_is_told() -> None:
    with pytest.raises(UserError, match="not yet: the bots are told where to sit"):
        start_once((sys.executable, "-c", "print('304')"))
