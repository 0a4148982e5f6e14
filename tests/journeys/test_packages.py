"""What is published: an sdist of tracked files alone, and a wheel that brings the specification."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
GIT = shutil.which("git")
BUILD = "from hatchling import build; print(getattr(build, 'build_' + {target!r})({into!r}))"
needs_git = pytest.mark.skipif(
    GIT is None or not (ROOT / ".git").exists(), reason="git and a clone are needed"
)


def build(target: str, tree: Path, into: Path) -> subprocess.CompletedProcess[str]:
    into.mkdir(exist_ok=True)
    code = BUILD.format(target=target, into=str(into))
    return subprocess.run(
        (sys.executable, "-P", "-c", code), cwd=tree, capture_output=True, text=True, check=False
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The tracked files as they are now, in a repository of their own."""
    tree = tmp_path / "clone"
    listed = subprocess.run((GIT, "ls-files", "-z"), cwd=ROOT, capture_output=True, check=True)
    names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    for name in names:
        if (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run((GIT, *words), cwd=tree, check=True, capture_output=True)
    return tree


@needs_git
def test_a_wheel_brings_what_a_second_program_needs_and_an_sdist_nothing_untracked(
    clone: Path, tmp_path: Path
) -> None:
    (clone / "protocol" / "id_ed25519").write_text("a key")
    refused = build("sdist", clone, tmp_path / "no")
    assert refused.returncode != 0
    assert "git does not know protocol/id_ed25519" in refused.stderr
    assert list((tmp_path / "no").iterdir()) == []
    (clone / "protocol" / "id_ed25519").unlink()
    done = build("sdist", clone, tmp_path / "dist")
    assert done.returncode == 0, done.stderr
    (source,) = (tmp_path / "dist").iterdir()
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (tree,) = (tmp_path / "source").iterdir()
    done = build("wheel", tree, tmp_path / "wheels")
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "wheels").iterdir()
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        packed.extractall(installed)
    assert {f"{each}/py.typed" for each in ("cli", "p2p304", "protocol")} <= names
    assert {f"cli/{path.relative_to(ROOT)}" for path in ROOT.glob("specs/**/*.p304*")} <= names
    assert "cli/specs/words.txt" in names
    assert not [name for name in names if name.startswith(("tests/", "specs/", "deploy/"))]
    program = (sys.executable, "-P", "-m", "cli.main")
    elsewhere = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(installed)}}
    # The answers are the clone's, which asks what is installed: that stands first on the path.
    answering = f"import sys; sys.path.append({str(ROOT)!r}); import runpy; "
    answering += "runpy.run_module('tests.vectors.own_program', run_name='__main__')"
    ours = shlex.join((sys.executable, "-P", "-c", answering))
    for words in (
        ("specs",),
        ("help", "player"),
        ("conformance", "vectors", ours, "--every", "300"),
    ):
        ran = subprocess.run((*program, *words), **elsewhere, capture_output=True, text=True)  # type: ignore[call-overload]
        assert ran.returncode == 0, ran.stdout + ran.stderr
        if words[0] == "specs":
            assert Path(ran.stdout.strip()) == installed / "cli" / "specs"
        if words[0] == "help":
            assert "p2p304 resume" in ran.stdout


def test_every_requirement_has_a_version_that_was_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split(";")[0].strip().split("==") for line in lines if "==" in line)
    named = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pinned.items()}
    extras = project["optional-dependencies"]
    for text in (*project["dependencies"], *extras["dev"]):
        wanted = Requirement(text)
        if wanted.name == project["name"]:  # another extra
            continue
        version = named[re.sub(r"[-_.]+", "-", wanted.name).lower()]
        assert wanted.specifier.contains(version), text
