"""A sample of `make matrix`: without asserts, and with msgpack in Python, all is the same."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tests.campaigns.matrix import digests
from tests.campaigns.matrix.run_matrix import Variant, differences, is_in_force
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
