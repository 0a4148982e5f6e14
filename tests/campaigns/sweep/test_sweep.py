"""A sample of `make sweep`: hands at debug level leave no secret behind, and a leak is noticed."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from random import Random
from typing import Any

import pytest

from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from tests.campaigns.sweep.forms import Haystacks
from tests.campaigns.sweep.processes import Onlooker
from tests.campaigns.sweep.tables import POINTS, Fault, Swept, search_files, sweep_hand
from tests.long import long

SECRET = Random("a secret").randbytes(32)


@pytest.mark.parametrize("point", ["write", *long("shuffle")])
def test_a_hand_with_an_error_in_it_leaves_no_secret_behind(tmp_path: Path, point: str) -> None:
    assert point in POINTS
    found = sweep_hand(tmp_path, 1, Fault(point, 1, 3))
    assert found.counts["errors"] == 1
    assert found.clean, (found.leaks[:3], found.faults, [e for e in found.locals if e.ours][:3])
    assert found.counts["kept"] == 8
    assert found.counts["secrets"] > 500
    assert found.counts["logs"] > 100_000


def test_evidence_against_a_cheat_holds_no_secret(tmp_path: Path) -> None:
    found = sweep_hand(tmp_path, 5, Fault("cheat", 2, 10))
    assert found.counts["errors"] >= 3
    assert found.clean, (found.leaks[:3], found.faults)
    assert len(list(tmp_path.rglob("evidence-seat-2.p304e"))) == 3


def forms_in_text(secret: bytes) -> list[str]:
    texts = [secret.hex(), secret.hex().upper(), repr(secret), repr(list(secret)), secret.hex(" ")]
    texts += [repr(b"'" + secret), repr(bytearray(b'"' + secret))]
    for before in (b"", b"x", b"xy"):
        for after in (b"", b"z", b"zz"):
            whole = before + secret + after
            texts += [b64encode(whole).decode(), urlsafe_b64encode(whole).decode().rstrip("=")]
    number = int.from_bytes(secret, "big")
    return [*texts, str(number), hex(number), f"Scalar({number:#x})", f"{secret[:16].hex()}…"]


@pytest.mark.parametrize("place", range(30))
def test_a_secret_is_found_in_every_form(place: int) -> None:
    secret = Random(f"secret {place}").randbytes(32)
    haystacks = Haystacks()
    haystacks.hide("me", "seed", secret)
    for text in forms_in_text(secret):
        hits = haystacks.search(f"a line with {text} in it".encode())
        assert hits, text
        assert hits[0].secret == "seed"
    assert haystacks.search(b"\0\1" + secret + b"\xff")
    assert haystacks.search(secret[::-1])
    assert haystacks.search(secret[16:] + b"the second half")
    assert not haystacks.search(b"a line with nothing in it" * 100 + bytes(100))


def test_a_seed_in_a_log_and_a_key_in_the_locals_of_a_traceback_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = Secrets.__init__

    def telling(self: Secrets, seed: bytes) -> None:
        begin(self, seed)
        logging.getLogger("protocol").debug("a seed: %s", b64encode(b"x" + seed).decode())

    def shown(secret: HandSecret) -> str:
        return f"HandSecret({secret.card.value}, {secret.suit.value})"

    monkeypatch.setattr(Secrets, "__init__", telling)
    monkeypatch.setattr(HandSecret, "__repr__", shown)
    found = sweep_hand(tmp_path, 3, Fault("share", 1, 30))
    leaks = {(where, hit.owner, hit.secret, hit.form) for where, hit in found.leaks}
    assert {("log", f"seat {seat}", "seed", "base64") for seat in range(4)} <= leaks
    ours = {(each.kind, each.hit.secret, each.hit.form) for each in found.locals if each.ours}
    assert ("HandSecret", "key of a deal", "integer") in ours
    assert not found.clean


def test_files_that_others_may_read_and_secrets_in_other_files_are_noticed(tmp_path: Path) -> None:
    haystacks, found = Haystacks(), Swept()
    haystacks.hide("me", "seed", SECRET)
    table = tmp_path / "tables" / "a"
    table.mkdir(parents=True)
    (table / "journal").write_bytes(SECRET)
    (table / "journal").chmod(0o644)
    (table / "x.p304").write_bytes(b"a transcript with " + SECRET)
    table.chmod(0o755)
    search_files(tmp_path, haystacks, found)
    assert {"a: directory 755", "journal: 644, not 600"} <= set(found.faults)
    assert {(where, hit.form) for where, hit in found.leaks} == {("file .p304", "raw")}


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("kind", ["cmdline", "environ"])
def test_what_a_process_shows_to_the_machine_is_looked_at(kind: str) -> None:
    haystacks = Haystacks()
    haystacks.hide("me", "seed", SECRET)
    waiting = [sys.executable, "-c", "print(flush=True); input()"]
    given: dict[str, Any] = {"env": {**os.environ, "X": SECRET.hex()}} if kind == "environ" else {}
    if kind == "cmdline":
        waiting.append(SECRET.hex())
    onlooker = Onlooker()
    with subprocess.Popen(
        waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **given
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        onlooker.look()
        process.communicate(b"\n")
    assert {name for name, _ in onlooker.search(haystacks)} == {kind}
