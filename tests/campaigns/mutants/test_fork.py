"""Runs of tests that are forked: what passes, what fails, and what does not end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from tests.campaigns.mutants import fork

fork.MOST = 1.0
fork.import_what_is_not_ours()
for each in sys.argv[2:]:
    print(repr(fork.failing(each, Path(sys.argv[1]))))
"""
TREE = {
    "ours.py": "WHOLE = 'that of the copy'",
    "test_sound.py": "import ours\ndef test_the_copy_is_meant():\n    assert ours.WHOLE",
    "test_broken.py": "def test_one(): pass\ndef test_two(): assert False",
    "test_endless.py": "def test_without_end():\n    while True: pass",
    "test_unread.py": "import nothing_of_that_name",
    "test_none.py": "",
}


@pytest.mark.long
def test_a_run_names_the_first_test_that_fails_or_does_not_end(tmp_path: Path) -> None:
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path, *(each for each in TREE if each != "ours.py")],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert run.stdout.splitlines() == [
        "None",
        "'test_broken.py::test_two'",
        "'test_endless.py::test_without_end'",
        "'test_unread.py'",
        "None",
    ]
