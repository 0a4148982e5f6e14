"""Collects vectors: what is accepted with its results, and single faults with their checks.

Results come from the implementation; the check of every fault is written down by hand, and
collecting fails where the implementation names another one. Where questions hold nothing that
code would have to make (texts, plays, facts, plain bytes), the file of the category is their only
home: a new vector is a row there without what the implementation says, which `make vectors` fills
in. So it is with all faults of what code makes: each is made again as it differs there.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Final, Protocol

from cli.conformance.mutations import ExpectedVerdicts
from cli.conformance.trials import Patch, apply_patch, vectors_in
from tests.vectors.answers import AUDIT, SPEC, ask
from tests.vectors.plain_json import Json
from tests.vectors.rehearsal import SAVED_HANDS
from tests.vectors.steps import STEPS

# --- patches --------------------------------------------------------------------------------------

# Patches of vectors: how one differs from another, so that one fault is one patch.

NEAR: Final = 8  #: Differences that lie closer together are one.


def patch_between(before: bytes, after: bytes, *, tail: int = 0) -> Patch:
    """Return a patch from one to the other; the last `tail` bytes are compared by themselves."""
    if tail and len(before) > tail and len(after) > tail:
        cut = len(before) - tail
        head = patch_between(before[:cut], after[: len(after) - tail])
        rest = patch_between(before[cut:], after[len(after) - tail :])
        return [*head, *[[at + cut, remove, insert] for at, remove, insert in rest]]
    if len(before) == len(after):
        return [[start, end - start, after[start:end].hex()] for start, end in _runs(before, after)]
    return _spliced(before, after)


def common_prefix(one: bytes, other: bytes) -> int:
    """Return how many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


SURE: Final = 16  #: Equal bytes that are no coincidence.
_BLOCK: Final = 256  #: Bytes that are compared at once.
_SMALL: Final = 5  #: Bytes by which the form of a length may grow or shrink.


def _spliced(before: bytes, after: bytes) -> Patch:
    """Return a patch where bytes went missing or came in: small changes first, then one long
    one."""
    patch: Patch = []
    one = other = 0
    while one < len(before) or other < len(after):
        same = common_prefix(before[one:], after[other:])
        one, other = one + same, other + same
        jump = _small_jump(before[one:], after[other:])
        if jump is None:
            rest, new = before[one:], after[other:]
            tail = common_prefix(rest[::-1], new[::-1])
            patch.append([one, len(rest) - tail, new[: len(new) - tail].hex()])
            break
        patch.append([one, jump[0], after[other : other + jump[1]].hex()])
        one, other = one + jump[0], other + jump[1]
    return patch


def _small_jump(one: bytes, other: bytes) -> tuple[int, int] | None:
    """Return how many bytes of each to skip until both go on alike for long."""
    for skipped, put in sorted(product(range(_SMALL), repeat=2), key=sum):
        ahead = one[skipped : skipped + SURE]
        if skipped + put and len(ahead) == SURE and ahead == other[put : put + SURE]:
            return skipped, put
    return None


def _runs(before: bytes, after: bytes) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    blocks = range(0, len(before), _BLOCK)
    unlike = (at for at in blocks if before[at : at + _BLOCK] != after[at : at + _BLOCK])
    for at in (at for block in unlike for at in range(len(before))[block : block + _BLOCK]):
        if before[at] == after[at]:
            continue
        if runs and at - runs[-1][1] < NEAR:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return runs


# --- collect --------------------------------------------------------------------------------------

VECTORS = Path(__file__).parents[2] / "specs" / "vectors"

#: What a row of a file says before it is answered; besides, whether it is strange.
ASKED = ("id", "op", "base", "about", "input", "expect")

LONG = 128  #: Digits from which a changed member is written as a patch.


#: Operations that take two thirds of the time of all answers, and are asked by a tenth of them.
COSTLY = ("transcript.audit", "charter.continues", "caps.judge")

#: Of so many vectors of one of these, or one of their checks, one is answered where we spare.
ASKED_AGAIN = 4


class Collector:
    """The vectors of one category.

    `sparing` takes most answers of costly operations from the file of the category, where a vector
    asks what it asks there: each check is tried, if not on each input. `make vectors` never is.
    """

    sparing = False

    def __init__(self, category: str, about: str) -> None:
        self.category = category
        self.about = about
        self.rows: list[Json] = []
        self._inputs: dict[str, Json] = {}
        self._met: Counter[tuple[str, str]] = Counter()
        path = VECTORS / f"{category}.json"
        known = json.loads(path.read_text("ascii"))["vectors"] if self.sparing else []
        self._known: dict[str, Json] = {row["id"]: row for row in known}

    @classmethod
    def written(cls, path: Path) -> Collector:
        """Return a category as its file has it."""
        document = json.loads(path.read_text("ascii"))
        found = cls(document["category"], document["about"])
        found.rows = document["vectors"]
        return found

    @classmethod
    def begun(cls, category: str) -> Collector:
        """Return a category without vectors, about what its file says."""
        return cls(category, json.loads((VECTORS / f"{category}.json").read_text("ascii"))["about"])

    @classmethod
    def answered(cls, category: str, *, until: str = "") -> Collector:
        """Return a category with the questions of its file, answered anew, up to an operation."""
        found = cls.begun(category)
        rows = json.loads((VECTORS / f"{category}.json").read_text("ascii"))["vectors"]
        for row, asked in zip(rows, vectors_in(VECTORS, (category,)), strict=True):
            if asked.op == until:
                break
            kept = {name: row[name] for name in ASKED if name in row}
            strange, expect = row.get("strange", False), row.get("expect", "")
            if found._taken(kept, asked.op, expect, strange=strange):
                continue
            answer = in_steps(asked.op, asked.input)
            if expect:
                found._refused(kept, answer)
                assert "rule" not in row or kept["rule"] == row["rule"], f"{row['id']}: {answer}"
            else:
                found._accepted(kept, answer, strange=strange)
        return found

    def _id(self) -> str:
        return f"{self.category}/{len(self.rows) + 1}"

    def accept(self, op: str, about: str, *, strange: bool = False, **given: Any) -> str:
        """A vector that must be accepted; returns its id."""
        row: Json = {"id": self._id(), "op": op, "about": about, "input": _stored(given)}
        self._inputs[row["id"]] = {**given, "op": op}
        if not self._taken(row, op, "", strange=strange):
            self._accepted(row, in_steps(op, _asked(given)), strange=strange)
        return str(row["id"])

    def _accepted(self, row: Json, answer: Json, *, strange: bool) -> None:
        assert "output" in answer, f"{row['id']}: {row['about']}: {answer}"
        row["output"] = answer["output"]
        if answer.get("steps"):
            row["steps"] = answer["steps"]
        if strange:
            row["strange"] = True
        self.rows.append(row)

    def reject(self, base: str, about: str, expect: str, **changed: Any) -> None:
        """A single fault of an accepted vector: the members that change, the check that fails."""
        whole = self._inputs[base]
        given = {**whole, **changed}
        op = given.pop("op")
        row: Json = {"id": self._id(), "base": base, "about": about}
        row["input"] = {name: _changed(whole[name], value) for name, value in changed.items()}
        row["expect"] = expect
        if not self._taken(row, op, expect):
            self._refused(row, _foreseen(op, given) or in_steps(op, _asked(given)))

    def faults(self) -> None:
        """Add the faults that come next in the file, each changed as it is changed there."""
        path = VECTORS / f"{self.category}.json"
        asked: dict[str, Json] = {}
        for row in json.loads(path.read_text("ascii"))["vectors"][len(self.rows) :]:
            if "base" not in row:
                break
            ((name, told),) = row["input"].items()
            new = self._inputs[row["base"]][name]
            if isinstance(new, File):
                changed = File(new.name, new.base, apply_patch(new.base, told["patch"]))
            else:
                asked = asked or {e.id: e.input for e in vectors_in(VECTORS, (self.category,))}
                changed = _as_there(asked[row["base"]][name], asked[row["id"]][name], new)
            self.reject(row["base"], row["about"], row["expect"], **{name: changed})

    def _refused(self, row: Json, answer: Json) -> None:
        expect = row["expect"]
        told = f"{row['id']}: {row['about']}: {answer}, not {expect}"
        assert answer.get("reject") == expect, told
        if "seat" in answer:
            row["blamed"] = answer["seat"]
        if "rule" in answer:
            row["rule"] = answer["rule"]
        self.rows.append(row)

    def _taken(self, row: Json, op: str, expect: str, *, strange: bool = False) -> bool:
        """Take a costly vector from the file if it is there, and enough like it were answered."""
        known = self._known.get(row["id"], {})
        met, self._met[op, expect] = self._met[op, expect], self._met[op, expect] + 1
        same = all(known.get(name) == row[name] for name in row)
        same = same and known.get("strange", False) is strange
        taken = op in COSTLY and met % ASKED_AGAIN > 0 and same
        if taken:
            self.rows.append(known)
        return taken

    def render(self) -> str:
        """The file, a vector a line."""
        head = {"category": self.category, "spec": SPEC, "about": self.about}
        lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in self.rows)
        opening = json.dumps(head, ensure_ascii=True)[:-1]
        return f'{opening}, "vectors": [\n{lines}\n]}}\n'


def in_steps(op: str, given: Json) -> Json:
    """Our answer to a question, with the values on the way to it."""
    answer = ask(op, given)
    if "output" in answer and op in STEPS:
        answer["steps"] = STEPS[op](given).output
    return answer


class Written(Protocol):
    """What becomes a file: the records of a transcript, evidence."""

    def to_bytes(self) -> bytes:
        """Return the file."""


class File:
    """A member of an input that is one of our files, perhaps changed."""

    def __init__(self, name: str, base: bytes, data: bytes | Written | None = None) -> None:
        self.name = name
        self.base = base
        self.data = data if isinstance(data, bytes) else data.to_bytes() if data else base

    def stored(self) -> Json:
        """What a vector says of it: its name, and how it differs."""
        return {"file": self.name, **({} if self.data == self.base else self.patched())}

    def patched(self) -> Json:
        """How it differs from what lies under its name."""
        return {"patch": patch_between(self.base, self.data, tail=32)}


class Audits:
    """The audits of a saved hand, and of files that are made of it."""

    def __init__(self, found: Collector, name: str, whole: bytes, *, strange: bool = False) -> None:
        self._found = found
        self._file = partial(File, f"hands/{name}.p304", whole)
        about = SAVED_HANDS[name].about
        found.accept(AUDIT, about, transcript=self._file(), strange=strange)

    def accept(self, about: str, data: bytes | Written) -> None:
        """Add a file that stands although it looks wrong."""
        self._found.accept(AUDIT, about, strange=True, transcript=self._file(data))


def _foreseen(op: str, given: Json) -> Json | None:
    """Answer of a variant of a saved hand, judged from where it differs; None for other questions.

    `test_conformance` compares such verdicts with those on whole files.
    """
    file = given.get("transcript")
    name = Path(file.name).stem if isinstance(file, File) else ""
    if op != AUDIT or name not in SAVED_HANDS or file.base != SAVED_HANDS[name].kept():
        return None
    check, seat = _judge(name, file.base).verdict(file.data)
    return {"reject": check, "seat": seat}


@lru_cache(maxsize=2)
def _judge(name: str, base: bytes) -> ExpectedVerdicts:
    return ExpectedVerdicts(base)


def _asked(given: Json) -> Json:
    return {
        name: b64encode(value.data).decode() if isinstance(value, File) else value
        for name, value in given.items()
    }


def _as_there(before: Any, after: Any, new: Any) -> Any:
    """What differs from a member as another one differs from it; of one byte alone the bits turn,
    so that a point which is the opposite of another is so of the new one."""
    if isinstance(after, list) and isinstance(before, list):
        known = min(len(before), len(after))
        same = zip(before[:known], after[:known], new[:known], strict=True)
        return [*(_as_there(*each) for each in same), *after[known:]]
    try:
        old, other, made = (bytes.fromhex(each) for each in (before, after, new))
    except (TypeError, ValueError):  # no bytes
        return after
    patch = [
        [
            at,
            size,
            f"{made[at] ^ old[at] ^ int(put, 16):02x}" if (size, len(put)) == (1, 2) else put,
        ]
        for at, size, put in patch_between(old, other)
    ]
    return apply_patch(made, patch).hex()


def _stored(given: Json) -> Json:
    return {
        name: value.stored() if isinstance(value, File) else value for name, value in given.items()
    }


def _changed(before: Any, after: Any) -> Any:
    if isinstance(after, File):
        return after.patched()
    if isinstance(before, str) and isinstance(after, str) and len(before) > LONG:
        try:
            return {"patch": patch_between(bytes.fromhex(before), bytes.fromhex(after))}
        except ValueError:
            return after
    return after
