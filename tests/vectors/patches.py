"""Patches of vectors: how one differs from another, so that one fault is one patch."""

from __future__ import annotations

from itertools import product
from typing import Final

from cli.conformance.vectors import Patch

NEAR: Final = 8
"""Differences that lie closer together are one."""


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


SURE: Final = 16
"""Equal bytes that are no coincidence."""
_BLOCK: Final = 256
"""Bytes that are compared at once."""
_SMALL: Final = 5
"""Bytes by which the form of a length may grow or shrink."""


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
