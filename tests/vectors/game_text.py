"""The code on the page about writing a game: the example's own files and tests, part by part."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import Final

from ruff.__main__ import find_ruff_bin

CLIENT: Final = Path(__file__).parents[1] / "client"
RULES: Final = "black_lady/rules.py"
TELLING: Final = "black_lady/telling.py"
TESTS: Final = "test_black_lady.py"
#: Columns of a line of code, so that `p2p304 help` shows it, indented, within 80.
WIDTH: Final = 75

#: Each part of the page: the file, and which definitions of it.
PARTS: Final = {
    "game-actions": (RULES, ("Give", "Mix", "Deny", "Play")),
    "game-state": (RULES, ("Laid", "State")),
    "game-start": (RULES, ("BlackLady.start", "BlackLady.contributors")),
    "game-apply": (RULES, ("BlackLady.apply",)),
    "game-give": (RULES, ("BlackLady._give", "BlackLady._mix")),
    "game-play": (RULES, ("BlackLady._play",)),
    "game-legal": (RULES, ("BlackLady.legal_actions", "BlackLady.action_frame")),
    "game-settle": (
        RULES,
        ("BlackLady.settle", "BlackLady.new_match", "BlackLady.after_hand", "BlackLady.match_at"),
    ),
    "game-text": (RULES, ("BlackLady.format_action", "BlackLady.parse_action")),
    "game-simulate": (TESTS, ("test_a_thousand_hands_hold_with_open_cards",)),
    "game-denied": (
        TESTS,
        ("test_who_has_the_first_card_leads_it_and_nobody_else",),
    ),
    "game-telling": (TELLING, ("_choice", "TellingBlackLady.tell", "TellingBlackLady.scene")),
    "game-entry": ("black_lady/__init__.py", ("_create", "ENTRY")),
    "game-sessions": (TESTS, ("test_real_sessions_play_it_and_anybody_audits_it",)),
    "game-screen": (
        TESTS,
        ("test_it_is_played_on_the_full_screen_and_its_file_tells_the_hand",),
    ),
}


def game_parts() -> dict[str, str]:
    """Every part as a block of code, with the name of its file above it."""
    return {
        name: f"`tests/client/{file}`\n\n```python\n{narrow(source(file, wanted))}\n```"
        for name, (file, wanted) in PARTS.items()
    }


def narrow(code: str) -> str:
    """Return the code with lines of at most `WIDTH` columns."""
    command = [find_ruff_bin(), "format", f"--line-length={WIDTH}", "--stdin-filename=game.py", "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


def source(file: str, wanted: tuple[str, ...]) -> str:
    """Return the text of definitions, those of a class by `Class.name` and below its name.

    Raises KeyError for one that is not there.
    """
    text = (CLIENT / file).read_text("utf-8")
    lines = text.splitlines()
    found: dict[str, str] = {}

    def look(nodes: list[ast.stmt], prefix: str) -> None:
        for node in nodes:
            match node:
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    name = prefix + node.name
                    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                    if isinstance(node, ast.ClassDef):
                        look(node.body, f"{name}.")
                case ast.Assign(targets=[ast.Name(id=target)]):
                    name, first = prefix + target, node.lineno
                case _:
                    continue
            found[name] = "\n".join(lines[first - 1 : node.end_lineno])

    look(ast.parse(text).body, "")
    blocks: list[str] = []
    inside = ""
    for name in wanted:
        group = name.rpartition(".")[0]
        if group and group == inside:
            blocks[-1] += f"\n\n{found[name]}"
        else:
            blocks.append(f"class {group}:\n{found[name]}" if group else found[name])
        inside = group
    return "\n\n\n".join(blocks)
