"""Players for tests who know nothing but what they read on the screen of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.journeys.terminals import Terminal

OVER = "win the match"
ASKED = (
    ("leaves the pack as it is", "cut", ("Enter",)),
    ("Your turn to bid", "auction", ("1", "6", "0", "Enter")),
    ("choose the card to lay", "indicator", ("Right", "Enter")),
    ("You are the maker. k", "declare", ("k",)),
    ("You alone look", "inspection", ("Enter",)),
    ("claims every trick", "caps answer", ("v",)),
    ("Which card comes next", "caps order", ("Enter",)),
    ("It cannot be undone", "caps question", ("y",)),
    ("Your turn", "trick", ("Right", "Enter")),
)
"""Words of a prompt, the moment that it is, and the keys that answer it."""


@dataclass
class Reader:
    """Plays by what the prompt says; `moments` keeps each kind of screen it met."""

    terminal: Terminal
    call_caps: bool = True
    moments: dict[str, str] = field(default_factory=dict)
    _called: bool = False

    def play_match(self, *, most_steps: int = 400) -> str:
        """Play on to the end of the match; its last screen."""
        before = ""
        for _ in range(most_steps):
            text = self.terminal.until(partial(asks_anew, before))
            if "Another match" in prompt_of(text):
                return text
            if OVER in text and "This trick ended the hand" not in text:
                self.moments["result"] = text
            self.answer(text)
            before = text
        pytest.fail(f"the match did not end; the screen shows:\n{before}")

    def answer(self, text: str) -> None:
        """Press what the prompt of this screen asks for."""
        self.terminal.press(*self._keys(text))

    def _keys(self, text: str) -> tuple[str, ...]:
        prompt = prompt_of(text)
        if "Enter goes on." in prompt:
            self._called = False
            return ("Enter",)
        if "Press Enter to go on" in prompt or "Enter goes on at once" in prompt:
            return self._window(text)
        if "Your turn" in prompt and "bid" not in prompt and "▒" in _middle(text):
            self.moments.setdefault("face down", text)
        for words, moment, keys in ASKED:
            if words in prompt:
                self.moments.setdefault(moment, text)
                return ("p",) if moment == "auction" and "[160]" not in text else keys
        return ("Enter",)

    def _window(self, text: str) -> tuple[str, ...]:
        wanted = self.call_caps and not self._called and "inspection" in self.moments
        if wanted and "[c] caps" in text:
            self._called = True
            return ("c",)
        return ("Enter",)


def asks_anew(before: str, text: str) -> bool:
    """Whether there is a new question. What goes on by itself is none: the last line counts
    proofs, and marks tell who has answered."""
    return _question(text) != _question(before) and _asks(text)


def _question(text: str) -> list[str]:
    return [line.replace("▶", " ").rstrip() for line in _lines(text)[:-1]]


def _asks(text: str) -> bool:
    """Whether the screen waits for its player."""
    prompt = prompt_of(text)
    choosing = "Which card" not in prompt and re.search(r"\^\d+\^|> \w*_", text)
    if choosing:
        return False  # between two keys of ours
    asking = ("Your turn", "You are the maker", "Enter", "claims every")
    return any(each in prompt for each in (*asking, "Which card", "(y/n)", "You alone look"))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def prompt_of(text: str) -> str:
    """The two lines above the keys."""
    return " ".join(line[:82].strip() for line in _lines(text)[-4:-2])


def _middle(text: str) -> str:
    """The rows where the trick lies, without the seats beside it."""
    return "\n".join(line[24:56] for line in text.split("\n")[5:13] if "┌▒" in line or "│▒" in line)
