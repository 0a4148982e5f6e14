"""A demonstration: a hand on one screen, and last lines that can be typed as they stand."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli.commands.shell import Paragraphs, program_name

ENVIRONMENT = Path(sys.prefix)


def shell(line: str, tmp_path: Path, path: str = "/usr/bin:/bin") -> str:
    """What a line says that is typed in the folder of the environment."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=ENVIRONMENT,
        env={"PATH": path, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_hand_fits_a_screen_and_what_to_type_next_works_as_it_stands(tmp_path: Path) -> None:
    told = shell("umask 0; bin/p2p304 demo --seed 7", tmp_path).splitlines()
    assert len(told) <= 24
    assert max(map(len, told[:-3])) <= 80
    assert sum(line.startswith("Trick ") for line in told) == 8
    audit, play = (line.strip() for line in told[-2:])
    assert shlex.split(play) == ["bin/p2p304", "play"]
    assert "Trick 8" in shell(audit, tmp_path)
    (kept,) = (path.parent for path in tmp_path.rglob("hand-1.p304"))
    assert not [each for each in (kept, *kept.rglob("*")) if each.stat().st_mode & 0o077]


@pytest.mark.parametrize(
    ("began", "path", "said"),
    [
        (".venv/bin/p2p304", "", ".venv/bin/p2p304"),
        ("{folder}/p2p304", "{folder}", "p2p304"),
        ("{folder}/p2p304", "/nowhere", "{folder}/p2p304"),
        ("a house/bin/p2p304", "", "'a house/bin/p2p304'"),
        ("/lib/cli/main.py", "", "p2p304"),
    ],
)
def test_the_program_is_called_as_the_shell_finds_it(
    began: str, path: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p2p304").write_text("")
    (tmp_path / "p2p304").chmod(0o755)
    monkeypatch.setenv("PATH", path.format(folder=tmp_path))
    monkeypatch.setattr(sys, "argv", [began.format(folder=tmp_path), "demo"])
    assert program_name() == said.format(folder=tmp_path)


def test_sentences_share_lines_and_tricks_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Paragraphs(30)
    for text in ("East bids 160.", "West passes.", "North passes.", "Trick 1: East plays a card."):
        screen.sentence(text)
    screen.line("p2p304 audit the-file-of-this-hand.p304")
    assert capsys.readouterr().out.splitlines() == [
        "East bids 160. West passes.", "North passes.", "Trick 1: East plays a card.",
        "p2p304 audit the-file-of-this-hand.p304",
    ]  # fmt: skip
