"""`p2p304 identity`: who we are, whom we know, and what we call them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from cli.main import main
from cli.store.identity import KnownPeers, fingerprint
from protocol.wire.identity import PublicKey, SigningKey


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def key(name: str) -> PublicKey:
    return SigningKey(sha256(name.encode()).digest()).public


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["identity", "--json", *arguments]) == 0
    value: dict[str, object] = json.loads(capsys.readouterr().out)
    return value


def test_the_key_stays_and_the_nickname_is_kept(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = shown(capsys)
    assert first["nickname"] is None
    assert first["known"] == []
    second = shown(capsys, "--nickname", "Amara")
    assert second["key"] == first["key"]
    assert shown(capsys)["nickname"] == "Amara"
    assert main(["identity"]) == 0
    told = capsys.readouterr().out
    assert f"Your fingerprint: {first['fingerprint']}" in told
    assert "Your nickname:    Amara" in told


@pytest.mark.parametrize("name", ["", " x", "x" * 33, "a\x1b[2Jb", "a\u202eb"])
def test_a_nickname_that_no_charter_takes_is_refused(
    root: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["identity", "--nickname", name]) == 2
    assert "A nickname has 1 to 32 visible characters" in capsys.readouterr().err


def test_people_are_called_and_forgotten_by_name_or_fingerprint(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peers = KnownPeers(root)
    for name in ("Banu", "Chandra"):
        peers.remember(key(name), name)
    peers.remember(key("another"), "Banu")
    short = fingerprint(key("Chandra"))[:9].lower()
    known = shown(capsys, "--call", short, "Auntie")["known"]
    assert isinstance(known, list)
    assert [each["petname"] for each in known] == [None, "Auntie", None]
    assert main(["identity", "--forget", "Banu"]) == 2
    assert "Several players are called 'Banu'" in capsys.readouterr().err
    assert main(["identity", "--forget", "Nobody"]) == 2
    assert "Nobody you know is called 'Nobody'" in capsys.readouterr().err
    assert main(["identity", "--forget", "Auntie"]) == 0
    assert "Chandra" not in capsys.readouterr().out
    assert [peer.key for peer in peers.all()] == [key("Banu"), key("another")]


def test_hostile_names_of_others_are_shown_safely(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    KnownPeers(root).remember(key("x"), "Z\u0301\u0301\u0301\u0301\u0301", "p\x1b[2J")
    assert main(["identity"]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\u0301\u0301\u0301" not in told
