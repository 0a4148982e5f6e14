"""A sample of `make sweep`: hands at debug level leave no secret behind, and a leak is noticed."""

from __future__ import annotations

import logging
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from random import Random

import pytest

from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from tests.campaigns.sweep.tables import POINTS, Fault, Haystacks, sweep_hand
from tests.long import long


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
