"""Players for tests who know nothing but what they read on the screen of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.journeys.terminals import Terminal

OVER = "win the match"
FRAMED = re.compile(r"[│║┊]\s?(?:10|[7-9JQKA])[♠♥♦♣]")
CARD = re.compile(r"(?:10|[7-9JQKA])[♠♥♦♣]")


@dataclass
class Reader:
    """Plays by what the prompt says; `moments` keeps each kind of screen it met."""

    terminal: Terminal
    mouse: bool = False
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
        """Do what the prompt of this screen asks for."""
        prompt = prompt_of(text)
        if "Enter goes on." in prompt:
            self.moments.setdefault("summary", text)
            self._called = False
            self._key(text, "[Enter]", "Enter")
        elif "leaves the pack as it is" in prompt:
            self._key(text, "[Enter]", "Enter")
        elif "Your turn to bid" in prompt:
            self._bid(text)
        elif "choose the card to lay" in prompt:
            self.moments.setdefault("indicator", text)
            self._card(text)
        elif "You are the maker. k" in prompt:
            self.moments.setdefault("declare", text)
            self._key(text, "[k]", "k")
        elif "You alone look" in prompt:
            self.moments.setdefault("inspection", text)
            self._key(text, "[Enter]", "Enter")
        elif "claims every trick" in prompt:
            self.moments["caps answer"] = text
            self._key(text, "[v]", "v")
        elif "Which card comes next" in prompt:
            self.moments.setdefault("caps order", text)
            if self.mouse:
                self._card(text)
            else:
                self.terminal.press("Enter")
        elif "It cannot be undone" in prompt:
            self.moments.setdefault("caps question", text)
            self._key(text, "[y]", "y")
        elif "Press Enter to go on" in prompt or "Enter goes on at once" in prompt:
            self._window(text)
        elif "Your turn" in prompt:
            if "▒" in _middle(text):
                self.moments.setdefault("face down", text)
            if "one face down" in prompt:
                self.moments.setdefault("own face down", text)
            self._play(text, prompt)
        else:
            self._key(text, "[Enter]", "Enter")

    def _bid(self, text: str) -> None:
        self.moments.setdefault("auction", text)
        if "[160]" in text and not self.mouse:
            self.terminal.type("160")
            self.terminal.press("Enter")
        elif "[160]" in text:
            self.click_words(text, "[160]")
        else:
            self._key(text, "[p]", "p")

    def _window(self, text: str) -> None:
        self.moments.setdefault("window", text)
        wanted = self.call_caps and not self._called and "inspection" in self.moments
        if wanted and "[c] caps" in text:
            self._called = True
            self._key(text, "[c]", "c")
        else:
            self._key(text, "[Enter]", "Enter")

    def _play(self, text: str, prompt: str) -> None:
        self.moments.setdefault("trick", text)
        legal = CARD.findall(prompt)
        if self.mouse:
            self._click_card(text, legal[0])
        else:
            self.terminal.press("Right", "Enter")

    def _card(self, text: str) -> None:
        """The first card of the hand that was not chosen yet."""
        if self.mouse:
            row = _hand_row(text)
            free = [each.group() for each in re.finditer(CARD, text.split("\n")[row])]
            under = text.split("\n")[row + 2]
            line = text.split("\n")[row]
            open_cards = [each for each in free if "." not in under[line.index(each) - 2 :][:5]]
            self._click_card(text, open_cards[0])
        else:
            self.terminal.press("Right", "Enter")

    def _key(self, text: str, words: str, key: str) -> None:
        if self.mouse:
            self.click_words(text, words)
        else:
            self.terminal.press(key)

    def click_words(self, text: str, words: str) -> None:
        """Click on words in the lower part of the screen."""
        for row, line in enumerate(text.split("\n")):
            if words in line and row > 12:
                self.terminal.click(row, line.index(words) + 1)
                return
        pytest.fail(f"nothing to click called {words} on:\n{text}")

    def _click_card(self, text: str, card: str) -> None:
        row = _hand_row(text)
        self.terminal.click(row, text.split("\n")[row].index(card))


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


def _hand_row(text: str) -> int:
    """The row of our cards' faces: the last that has framed cards."""
    rows = [row for row, line in enumerate(text.split("\n")) if FRAMED.search(line)]
    return rows[-1]
