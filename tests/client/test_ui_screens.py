"""Screens of decisive moments, compared with the captures that were accepted.

When a screen changes on purpose, look at it and accept it:

    P2P304_ACCEPT_SCREENS=1 pytest tests/client/test_ui_screens.py
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from cli.screen.export import picture
from cli.screen.preferences import Colouring, Colours
from tests.client.moments import MOMENTS
from tests.client.moments_41 import MOMENTS_41
from tests.client.moments_of_bots import MOMENTS_OF_SEATS

SCREENS = Path(__file__).resolve().parents[2] / "specs" / "screens"
EVERY = {**MOMENTS, **MOMENTS_41, **MOMENTS_OF_SEATS}
SHOWN = "06-inspection"
"""What the first page shows."""

ACCEPTING = os.environ.get("P2P304_ACCEPT_SCREENS") == "1"


@pytest.mark.parametrize("name", EVERY)
def test_a_decisive_moment_looks_as_it_was_accepted(name: str) -> None:
    text = "\n".join(line.rstrip() for line in EVERY[name]().frame().text()) + "\n"
    path = SCREENS / f"{name}.txt"
    if ACCEPTING:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    accepted = path.read_text("utf-8") if path.exists() else ""
    assert text == accepted, f"look at it:\n{text}\nthen accept it as the head of this file says"


def test_the_picture_of_the_first_page_is_the_screen() -> None:
    moment = EVERY[SHOWN]()
    shown = moment._replace(desk=replace(moment.desk, filled=True))
    colouring = Colouring(colours=Colours.TRUE)
    title = "A hand of 304 in a terminal"
    drawn = picture(shown.frame(), 80, title=title, colouring=colouring)
    path = SCREENS / f"{SHOWN}.svg"
    if ACCEPTING:
        path.write_text(drawn, "utf-8")
    assert path.read_text("utf-8") == drawn, "look at the screen, and accept it"
    page = (SCREENS.parents[1] / "README.md").read_text("utf-8")
    assert f'<img src="specs/screens/{SHOWN}.svg"' in page


def test_no_capture_is_left_over() -> None:
    assert {path.stem for path in SCREENS.glob("*.txt")} == set(EVERY)
