"""Four clients in four terminals, and a spectator in a fifth, on one broker, to a match's end."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.journeys.table_players import Reader
from tests.journeys.terminals import Terminal, needs_tmux

pytestmark = [pytest.mark.long, pytest.mark.timeout(400), needs_tmux]
INVITE = re.compile(r"P2P304-[0-9A-Z]{60,}")
NAMES = ("Asha", "Banu", "Chandra", "Dilini")


def test_four_clients_and_a_spectator_see_a_match_to_its_end(tmp_path: Path) -> None:
    command = f"host --watch --invites --name {NAMES[0]} --set 'tokens_start = 1' --pace 0"
    terminals = [Terminal(tmp_path / "0", command, columns=100, rows=50)]
    try:
        text = terminals[0].until_shows("Waiting for ")
        assert text
        invites = INVITE.findall(terminals[0].joined())
        assert len(invites) == 4
        for number, invite in enumerate(invites, start=1):
            name = f"join --name {NAMES[number]} --pace 0" if number < 4 else "watch"
            terminal = Terminal(tmp_path / f"{number}", name, columns=100, rows=30)
            terminals.append(terminal)
            terminal.until_shows("the invite:")
            terminal.type(invite)
            terminal.press("Enter")
        for terminal in terminals[:4]:
            charter = terminal.until_shows("Do you agree")
            assert "tokens_start is 1, not 11" in charter
        fingerprints = {_fingerprint(each.text()) for each in terminals[:4]}
        assert len(fingerprints) == 1
        for terminal in terminals[:4]:
            terminal.press("y")
        readers = [Reader(terminal, call_caps=False) for terminal in terminals[:4]]
        with ThreadPoolExecutor(max_workers=4) as pool:
            results = list(pool.map(lambda reader: reader.play_match(), readers))
        winners = {_line_with(result, "win the match") for result in results}
        assert len(winners) == 1
        watched = terminals[4].until_shows("win the match")
        assert winners == {_line_with(watched, "win the match")}
        assert _fingerprint(watched)[:9] in {each[:9] for each in fingerprints}
        for terminal in terminals[:4]:
            terminal.press("Enter")
            terminal.until_ended()
    finally:
        for terminal in terminals:
            terminal.close()


def _fingerprint(text: str) -> str:
    found = re.search(r"[A-Z2-7]{4}-[A-Z2-7]{4}(-[A-Z2-7]{4}-[A-Z2-7]{4})?", text)
    assert found is not None
    return found.group()


def _line_with(text: str, words: str) -> str:
    return next(line for line in text.split("\n") if words in line).strip()
