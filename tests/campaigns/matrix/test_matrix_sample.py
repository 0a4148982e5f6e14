"""A sample of `make matrix`: without asserts, and with msgpack in Python, all is the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.matrix import digests
from tests.campaigns.matrix.run_matrix import Variant, differences, is_in_force, others
from tests.long import long

SAMPLE = ("refusals", "specifications")
VARIANTS = ("PYTHONOPTIMIZE", "MSGPACK_PUREPYTHON")


@pytest.fixture(scope="session")
def known() -> dict[str, Any]:
    return digests.told(SAMPLE)


@pytest.mark.parametrize("names", [VARIANTS, *long(*((name,) for name in VARIANTS))], ids="+".join)
def test_a_variant_says_the_same(names: tuple[str, ...], known: dict[str, Any]) -> None:
    """Both in one process: what either changes is seen, and `--long` tells which it was."""
    variant = Variant("+".join(names), sys.executable, dict.fromkeys(names, "1"))
    found = json.loads(variant.run("tests.campaigns.matrix.digests", *SAMPLE).stdout)
    assert is_in_force(variant, found) == []
    assert differences(known, found) == []
    assert set(found["digests"]) == set(SAMPLE)


def test_a_difference_is_told(known: dict[str, Any]) -> None:
    changed = {"digests": {**known["digests"], "refusals": "0"}, "wrong": ["hand 3"]}
    assert differences(known, changed) == ["refusals: another digest", "hand 3"]
    assert differences(known, {"digests": {}, "wrong": []}) == [
        f"{name}: another digest" for name in sorted(SAMPLE)
    ]
    plain = Variant("-O", sys.executable, {"PYTHONOPTIMIZE": "1"})
    assert is_in_force(plain, {**known, "asserts": True}) == ["asserts are executed"]


def test_a_python_that_is_not_there_is_told_and_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "python2"
    old.write_text("#!/bin/sh\necho 2.7.18\n", "utf-8")
    old.chmod(0o755)
    assert others(["python3.99", str(old), sys.executable])[0][0] == sys.executable
    said = capsys.readouterr().out
    assert "skipped: there is no python3.99 here" in said
    assert f"skipped: {old} is Python 2.7.18" in said


def test_a_broken_rule_changes_a_digest(
    known: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {"digests": {"refusals": known["digests"]["refusals"]}}
    row = digests.READERS["text"]
    monkeypatch.setitem(digests.READERS, "text", (lambda data: ascii(data), row[1]))
    assert differences(before, digests.told(("refusals",))) == ["refusals: another digest"]
