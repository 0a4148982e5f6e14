"""The looks of every style: names of the sixteen colours, so that every terminal has them."""

from __future__ import annotations

from typing import Final

from cli.screen.canvas import Style

STYLES: Final = {
    Style.PLAIN: "",
    Style.FAINT: "fg:ansibrightblack",
    Style.STRONG: "bold",
    Style.TITLE: "bold fg:ansicyan",
    Style.RED: "bold fg:ansired",
    Style.BACK: "fg:ansiblue",
    Style.TURN: "bold fg:ansigreen",
    Style.CHOSEN: "bold reverse",
    Style.CHOSEN_RED: "bold reverse fg:ansired",
    Style.KEY: "underline",
    Style.WARNING: "bold fg:ansiyellow",
    Style.GOOD: "fg:ansigreen",
    Style.TRUST: "fg:ansibrightblack",
}
"""In prompt_toolkit's words."""
