"""A sample of what `make fuzz` does: every target, its seeds, and some hundred changes of them."""

from __future__ import annotations

import time
import traceback
from random import Random
from typing import Any

import pytest

from cli.errors import StoreError
from cli.invite import Invite, InviteError
from cli.sanitize import safe_text
from cli.seat.setup import Setup
from protocol.seat.session import Session
from tests.campaigns.fuzz import file_targets, text_targets, wire_targets
from tests.campaigns.fuzz.target import PromiseBroken, as_text, mutants
from tests.campaigns.fuzz.targets import TARGETS
from tests.long import examples

SECONDS = 2.0  #: Of the processor, for one input: a thousand times what most take.

#: What the fuzzer found once, and what was mended then.
FOUND: list[tuple[str, bytes]] = [
    ("notation", text_targets.in_grammar("action of 41", "play 6")),
    ("notation", text_targets.in_grammar("hand", f"304 {'x' * 1_000}")),
    ("text", bytes((1,)) + as_text("ක්‍රක්‍ර")),
    ("text", bytes((2,)) + as_text("කාකා")),
    ("text", bytes((39,)) + as_text("ර\u0dda\u0dca\u0dca\u200dර")),
    ("address", as_text("h" * 195)),
    ("address", as_text("mqtt://[fe80::1%a,b]")),
    ("lines", as_text('{"founding": null, "seed": ""}')),
]


def check_all(name: str, inputs: Any) -> None:
    for data in inputs:
        # What all need is made with the first one, and garbage is collected at any time.
        fast = any(seconds_of(name, data) < SECONDS for _ in range(2))
        assert fast, f"{name} is slow on {data!r}"


def seconds_of(name: str, data: bytes) -> float:
    began = time.process_time()
    try:
        TARGETS[name].check(data)
    except Exception as error:
        raise AssertionError(f"{name} broke on {data!r}") from error
    return time.process_time() - began


@pytest.mark.parametrize("name", list(TARGETS))
def test_promises_are_kept_for_seeds_and_changes_of_them(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    assert len(seeds) >= 3
    check_all(name, [b"", b"\0", *seeds])
    tried = examples(target.sample // 2)
    check_all(name, mutants(seeds, tried, target.longest, Random(f"fuzz {name}")))


@pytest.mark.parametrize(
    ("name", "data"), FOUND, ids=[f"{n}-{i}" for i, (n, _) in enumerate(FOUND)]
)
def test_what_was_found_once_is_mended(name: str, data: bytes) -> None:
    check_all(name, [data])


def _failing(*_: object, **__: object) -> None:
    raise LookupError("an error that nobody announced")


PLANTED: dict[str, tuple[Any, str, Any]] = {
    "encoding": (wire_targets, "encode", lambda value: b"\xc0"),
    "envelope": (wire_targets, "open_message", _failing),
    "lobby": (wire_targets, "to_bytes", lambda message: b"L"),
    "text": (text_targets, "safe_text", lambda text, **_: text),
    "invite": (Invite, "format", lambda invite: "P2P304-0"),
    "notation": (text_targets.Retelling, "of_record", _failing),
    "transcript": (file_targets, "Charter", type("Other", (), {})),
    "session": (Session, "receive", _failing),
}


@pytest.mark.parametrize("name", list(PLANTED))
def test_a_planted_defect_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = TARGETS[name].seeds()
    place, attribute, broken = PLANTED[name]
    monkeypatch.setattr(place, attribute, broken)
    with pytest.raises((PromiseBroken, LookupError, InviteError)):
        list(map(TARGETS[name].check, seeds))


def test_refusals_leave_nothing_behind() -> None:
    """An error that is raised twice keeps all frames of the first time, secrets and all."""
    kept = []
    for data in (b"a secret of the seat", b"another one"):
        with pytest.raises(StoreError) as refused:
            Setup.from_bytes(data)
        kept.append(refused.value)
    assert kept[0] is not kept[1]
    shown = traceback.TracebackException.from_exception(kept[1], capture_locals=True)
    assert "another one" in "".join(shown.format())  # so that it would show the first as well
    assert "a secret of the seat" not in "".join(shown.format())


def test_text_is_bounded_whatever_its_length() -> None:
    for text in ("a" * 1_000_000, "\u0dca\u200d" * 300_000, "\u0301" * 1_000_000):
        began = time.process_time()
        assert len(safe_text(text, cells=200)) <= 1_000
        assert time.process_time() - began < SECONDS
