"""The vectors are what the code makes, have the form that is documented, and are enough."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cli.conformance.trials import vectors_in
from protocol.wire.contents import KINDS
from tests.long import long
from tests.vectors import all_vectors
from tests.vectors.answers import operations
from tests.vectors.rehearsal import TABLES

VECTORS = all_vectors.VECTORS
FILES = sorted(path for path in VECTORS.glob("*.json") if path.name != "schema.json")
CATEGORIES = [path for path in FILES if path.name != "sigma-secp256k1.json"]


@pytest.mark.parametrize("whole", [False, *long(True)])
def test_generating_all_vectors_again_gives_the_same_bytes(whole: bool) -> None:
    written = all_vectors.render(whole=whole)
    for path, data in written.items():
        assert path.exists(), f"{path.name}: run `make vectors`"
        assert path.read_bytes() == data, f"{path.name}: run `make vectors`"
    there = {*CATEGORIES, *VECTORS.glob("hands/*"), *VECTORS.glob("evidence/*")}
    if not whole:
        there -= {VECTORS / "hands" / f"{name}.p304" for name in TABLES}
    assert there <= set(written), f"nobody writes {there - set(written)}"


def test_there_are_enough_of_every_sort() -> None:
    vectors = list(vectors_in(VECTORS))
    every = Counter(each.category for each in vectors)
    refused = Counter(each.category for each in vectors if each.expect is not None)
    strange = Counter(each.category for each in vectors if each.strange)
    assert len(every) >= 16
    assert every.total() >= 800
    assert refused.total() >= 300
    assert strange.total() >= 300
    # A second program finds its faults at the edges, and none of them is left to ordinary cases.
    assert not [name for name in every if refused[name] + strange[name] < 0.05 * every[name]]
    assert refused.total() + strange.total() >= 0.5 * every.total()
    size = sum(path.stat().st_size for path in VECTORS.rglob("*") if path.is_file())
    assert size < 7_000_000


def matches(value: Any, schema: dict[str, Any]) -> bool:
    """As much of JSON Schema as `schema.json` uses."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
    named = schema.get("type")
    types = [named] if isinstance(named, str) else (named or [])
    if types and not any(isinstance(value, kinds[each]) for each in types):
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return False
        return len(value) >= schema.get("minLength", 0)
    if isinstance(value, int) and not schema.get("minimum", value) <= value:
        return False
    if isinstance(value, list):
        lengths = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        heads = all(
            matches(*pair) for pair in zip(value, schema.get("prefixItems", []), strict=False)
        )
        return lengths and heads and all(matches(each, schema.get("items", {})) for each in value)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if not set(schema.get("required", [])) <= set(value):
            return False
        if schema.get("additionalProperties") is False and not set(value) <= set(known):
            return False
        if not all(matches(each, known[name]) for name, each in value.items() if name in known):
            return False
    if "oneOf" in schema and sum(matches(value, each) for each in schema["oneOf"]) != 1:
        return False
    if "anyOf" in schema and not any(matches(value, each) for each in schema["anyOf"]):
        return False
    return not ("not" in schema and matches(value, schema["not"]))


@pytest.mark.parametrize("path", CATEGORIES, ids=lambda path: path.stem)
def test_a_file_has_the_form_of_the_schema(path: Path) -> None:
    schema = json.loads((VECTORS / "schema.json").read_text("utf-8"))
    document = json.loads(path.read_text("utf-8"))
    for row in document["vectors"]:
        assert matches(row, schema["properties"]["vectors"]["items"]), row["id"]
    assert matches(document, schema)
    assert document["category"] == path.stem
    names = [row["id"] for row in document["vectors"]]
    assert len(set(names)) == len(names)


def test_a_refused_vector_names_an_accepted_one_before_it_and_differs_in_one_member() -> None:
    for path in CATEGORIES:
        accepted: dict[str, Any] = {}
        for row in json.loads(path.read_text("utf-8"))["vectors"]:
            if "expect" in row:
                assert row["base"] in accepted, row["id"]
                assert len(row["input"]) == 1, row["id"]
                assert row["input"] != accepted[row["base"]]["input"], row["id"]
            else:
                accepted[row["id"]] = row


def test_every_kind_of_message_is_read_signed_and_refused() -> None:
    """But for the shuffle, of thousands of bytes, whose step has vectors of its own."""
    vectors = list(vectors_in(VECTORS, ("messages", "envelope")))
    taken = {(each.category, each.about) for each in vectors if each.expect is None}
    refused = {each.about.partition(":")[0] for each in vectors if each.expect is not None}
    for kind in {each.name for each in KINDS} - {"ShuffleStep"}:
        assert {("messages", f"a {kind}"), ("envelope", f"a {kind}")} <= taken, kind
        assert kind in refused, kind


def test_every_operation_is_used() -> None:
    used = Counter(each.op for each in vectors_in(VECTORS))
    assert set(operations()) - set(used) <= {"transcript.records"}


def test_intermediate_values_end_where_the_proof_begins() -> None:
    """The restated relations lead to the very challenge that the proof holds."""
    seen = 0
    for each in vectors_in(VECTORS, ("keys", "shares", "hand-over", "none-of-suit", "sigma")):
        for name, value in each.steps:
            if name == "challenge":
                assert any(value in text for text in _texts(each.input)), each.id
                seen += 1
    assert seen >= 15


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []
