"""From an empty clone: what `make` and `.ci/run` do on a machine that lacks something."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BARE = ("bash", "dirname", "echo", "env", "getconf", "id", "make", "rm", "sed", "sh", "touch")

OLD_PYTHON = "exit 1"
PYTHON_WITHOUT_VENV = f'case "$*" in *ensurepip*) exit 1;; esac; exec {sys.executable} "$@"'


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with nothing but what installs it."""
    clone = tmp_path / "a clone"
    (clone / ".ci").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", ".ci/run"):
        shutil.copy2(ROOT / name, clone / name)
    return clone


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for PATH with the tools that every system has, and nothing else."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in BARE:
        found = shutil.which(name)
        assert found is not None, f"{name} is missing here"
        (tools / name).symlink_to(found)
    return tools


def stub(tools: Path, name: str, script: str) -> None:
    """A command in `tools` that does as `script` says."""
    (tools / name).unlink(missing_ok=True)
    (tools / name).write_text(f"#!{shutil.which('sh')}\n{script}\n")
    (tools / name).chmod(0o755)


def run(clone: Path, tools: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """`command` in the clone, where nothing but `tools` can be found."""
    return subprocess.run(
        command,
        cwd=clone,
        env={"PATH": str(tools), "HOME": os.environ.get("HOME", "/"), "CI": "true"},
        capture_output=True,
        text=True,
        timeout=180,
    )


@pytest.mark.parametrize("script", [None, OLD_PYTHON], ids=["no python", "an old python"])
def test_make_names_the_pythons_that_fit_when_it_finds_none(
    clone: Path, tools: Path, script: str | None
) -> None:
    if script is not None:
        stub(tools, "python3", script)
    done = run(clone, tools, "make", "demo")
    assert done.returncode != 0
    assert "Python 3.11, 3.12, 3.13 or 3.14 is needed and none was found" in done.stderr
    assert not (clone / ".venv").exists()


def test_make_names_the_package_when_python_cannot_make_environments(
    clone: Path, tools: Path
) -> None:
    stub(tools, "python3", PYTHON_WITHOUT_VENV)
    done = run(clone, tools, "make", "demo")
    assert done.returncode != 0
    assert "'apt install python3-venv' mends that" in done.stderr


def test_make_installs_nothing_where_the_stamp_is_newer_than_the_project(
    clone: Path, tools: Path
) -> None:
    (clone / ".venv").mkdir()
    for stamp in ("runnable.stamp", "installed.stamp"):
        (clone / ".venv" / stamp).touch()
    done = run(clone, tools, "make", "venv")
    assert done.returncode == 0
    assert "installing" not in done.stdout
    os.utime(clone / "pyproject.toml")
    for stamp in ("runnable.stamp", "installed.stamp"):
        os.utime(clone / ".venv" / stamp, (0, 0))
    assert run(clone, tools, "make", "venv").returncode != 0


@pytest.mark.parametrize(
    ("target", "installed"),
    [("demo", ["."]), ("play", ["."]), ("test", [".", ".[dev]"]), ("check", [".", ".[dev]"])],
)
def test_what_plays_needs_the_program_alone_and_what_checks_the_tools_too(
    clone: Path, tools: Path, target: str, installed: list[str]
) -> None:
    done = run(clone, tools, "make", "--dry-run", target)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"pip install .* -e '?([^'\s]+)", done.stdout) == installed


@pytest.mark.parametrize(("apt", "said"), [("exit 0", ""), ("exit 100", "going on without")])
def test_ci_goes_on_to_make_test_whether_apt_works_or_not(
    clone: Path, tools: Path, apt: str, said: str
) -> None:
    stub(tools, "python3", f'exec {sys.executable} "$@"')
    stub(tools, "sudo", 'shift; exec "$@"')
    stub(tools, "apt-get", f'echo "$@" >> apt.log; {apt}')
    stub(tools, "make", 'echo "make $@"')
    done = run(clone, tools, str(clone / ".ci" / "run"))
    assert done.returncode == 0, done.stderr
    assert said in done.stderr
    assert done.stdout.splitlines()[-1] == "make test"
    updates = (clone / "apt.log").read_text().count("update")
    assert updates == 1


def test_ci_asks_apt_for_nothing_when_all_tools_are_there(clone: Path, tools: Path) -> None:
    stub(tools, "python3", f'exec {sys.executable} "$@"')
    for tool in ("tmux", "mosquitto"):
        stub(tools, tool, "exit 0")
    stub(tools, "apt-get", "echo called > apt.log")
    stub(tools, "make", "exit 7")
    done = run(clone, tools, str(clone / ".ci" / "run"))
    assert done.returncode == 7, "the verdict of make is the verdict of CI"
    assert not (clone / "apt.log").exists()
