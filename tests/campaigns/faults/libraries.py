"""Libraries that raise for no reason: no call of one, wherever it fails, accuses a seat.

Messages of every kind are judged again and again; each time another call of the curve or of the
decoder raises, as an exhausted machine or a broken build would. What comes of it is an error of
ours, never a verdict and never an acceptance.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgpack
import pytest

from protocol import encoding
from protocol.errors import InternalFault, ProtocolError
from protocol.group import point as group
from protocol.table.table import TableState, receive
from protocol.wire.contents import Action
from protocol.wire.messages import Notice, open_ledger_message, open_message
from tests.campaigns.faults.results import Result, allowed
from tests.remembered import PLAIN
from tests.table.walks import walked

HAND: Final = ("pagat", 42, "closed")  #: A hand in which every kind of message and proof occurs.
#: So many are there, with every action by its first word, its proofs and its remixes.
KINDS: Final = 20


@dataclass(frozen=True)
class Heard:
    """A message of a hand, and the table as it was before it."""

    kind: str
    raw: bytes
    before: TableState

    def judge(self) -> None:
        """What a seat does with it."""
        receive(self.before, open_ledger_message(self.raw, self.before.charter))


@lru_cache(maxsize=1)
def one_of_each_kind() -> tuple[Heard, ...]:
    """One message of every kind, and an action with each kind of proof, of one hand."""
    table = walked(*HAND)
    public = TableState.begin(table.charter, table.game)
    found: dict[str, Heard] = {}
    for raw in table.chairs[0].journal:
        signed = open_message(raw, table.charter)
        assert not isinstance(signed, Notice)
        content = signed.content
        kind = type(content).__name__
        if isinstance(content, Action):
            kind = f"{content.text.split()[0]} {bool(content.proofs)} {bool(content.remixes)}"
        found.setdefault(kind, Heard(kind, raw, public))
        public = receive(public, signed).table_state
    return tuple(found.values())


class PlantedError(ValueError):
    """What a library raises for no reason that a peer has given."""


class Calls:
    """The calls of libraries so far; the call numbered `failing` raises."""

    def __init__(self, failing: int | None = None) -> None:
        self.failing = failing
        self.sites: list[tuple[Any, ...]] = []

    def note(self, name: str) -> None:
        frame, site = sys._getframe(2), [name]
        while frame is not None and len(site) < 5:
            if "/protocol/" in frame.f_code.co_filename:
                site.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
            frame = frame.f_back  # type: ignore[assignment]
        self.sites.append(tuple(site))
        if len(self.sites) - 1 == self.failing:
            raise PlantedError(f"planted in {name}")


@contextmanager
def watched(calls: Calls) -> Iterator[Calls]:
    """Every call of a library that verifies or decodes goes through `calls`."""

    def noted(name: str, call: Any) -> Any:
        def called(*args: Any, **more: Any) -> Any:
            calls.note(name)
            return call(*args, **more)

        return called

    curve = group.PublicKey
    with pytest.MonkeyPatch.context() as patch:
        for name in ("__init__", "format", "multiply"):
            patch.setattr(curve, name, noted(name, PLAIN[name]))
        for name in ("from_valid_secret", "combine_keys"):
            patch.setattr(curve, name, staticmethod(noted(name, PLAIN[name])))
        for name in ("packb", "unpackb"):
            patch.setattr(encoding.msgpack, name, noted(name, getattr(msgpack, name)))
        yield calls


def failures(heard: Heard, *, every: bool) -> Iterator[int]:
    """The numbers of the calls that are made to raise: each, or one of each place in the code."""
    with watched(Calls()) as calls:
        heard.judge()
    sites = calls.sites
    last = {site: number for number, site in enumerate(sites)}
    yield from range(len(sites)) if every else sorted(last.values())


def blames(heard: Heard, *, every: bool = False) -> tuple[int, list[str]]:
    """How many calls were made to raise, and what was said of a peer then."""
    tried, wrong = 0, []
    for failing in failures(heard, every=every):
        if not allowed():
            break
        tried += 1
        with watched(Calls(failing)) as calls:
            try:
                heard.judge()
            except (PlantedError, InternalFault):
                continue
            except ProtocolError as verdict:
                wrong.append(f"{heard.kind}, call {failing} {calls.sites[failing]}: {verdict!r}")
            else:
                wrong.append(f"{heard.kind}, call {failing} {calls.sites[failing]}: accepted")
    return tried, wrong


def judged(_place: Path, seed: int, number: int) -> Result:
    """One kind of message, with each call that judges it made to raise."""
    heard = one_of_each_kind()[number]
    tried, wrong = blames(heard, every=True)
    faults = [f"seed {seed}: {each}" for each in wrong]
    return Result(tried, tried - len(wrong), faults, Counter({heard.kind.split()[0]: tried}))
