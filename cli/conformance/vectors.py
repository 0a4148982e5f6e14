"""Vectors as they lie in files: read, and filled in from the one that each differs from."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cli.conformance.program import Json
from cli.errors import UserError
from cli.input_files import SPECS

Patch = list[list[Any]]

DEFAULT: Final = SPECS / "vectors"
# What a row tells of itself; everything else is its input.
_OF_A_ROW: Final = ("id", "about", "output", "steps", "expect", "blamed", "strange")


@dataclass(frozen=True, slots=True)
class Vector:
    """One vector with its whole input."""

    id: str
    category: str
    op: str
    about: str
    # Not shown where a vector is printed, as steps below: it may hold a whole file.
    input: Json = field(repr=False)
    output: Json | None = None  #: The results that are right; None if it must be refused.
    #: Pairs of a name and what came out there, in order; none where an operation has no steps.
    steps: list[list[Any]] = field(default_factory=list, repr=False)
    expect: str | None = None  #: The check that must fail; None if the input must be accepted.
    blamed: int | None = None  #: The seat that is convicted; None for nobody.
    judges: bool = False  #: Whether `blamed` is compared: a file was judged.
    strange: bool = False  #: Whether it is legal and looks wrong (specs/conformance.md).


def vectors_in(directory: Path, categories: tuple[str, ...] = ()) -> Iterator[Vector]:
    """Yield the vectors of all files in a directory, sorted by name; only those of `categories`, if
    any are given.

    JSON files of another kind are passed over. Raises UserError for a file that cannot be read as
    JSON or has a row that is no vector, and at the end if there were no such vectors, or none of a
    category that was named.
    """
    known: list[str] = []
    # Sorted: a run is the same on every machine, whatever the folder's order is.
    for path in sorted(directory.glob("*.json")):
        try:
            document = json.loads(path.read_text("utf-8"))
        # RecursionError: arrays within arrays without end.
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"{path} cannot be read: {error}") from error
        # Other files of the folder, such as saved hands, are no vectors.
        if isinstance(document, dict) and "category" in document and "vectors" in document:
            category = str(document["category"])
            known.append(category)
            if not categories or category in categories:
                try:
                    # Read whole: of a file that breaks off in the middle nothing is asked.
                    read = [*_read(directory, document)]
                # A row without its members, or with others than its base.
                except (LookupError, TypeError, ValueError, AttributeError) as error:
                    raise UserError(f"{path} has a row that is no vector: {error!a}") from error
                yield from read
    # A misspelled category must not pass as tried, alone or beside a right one.
    if not known or not set(categories) <= set(known):
        listed = f"; there are {', '.join(known)}" if known else ""
        raise UserError(f"There are no such vectors in {directory}{listed}.")


def _read(directory: Path, document: Json) -> Iterator[Vector]:
    """Yield the vectors of one parsed file.

    A row with a `base` is filled in from the row of that id before it: its operation, and each
    member of the input that the row does not give, or gives as a patch. Members that name a file in
    `directory` become its bytes in base64.
    """
    bases: dict[str, Json] = {}
    for row in document["vectors"]:
        # A mutation names the accepted vector that it changes; most of its input is that one's.
        # No row has the id "": a row without a `base` finds none, and may be one for others.
        base = bases.get(row.get("base", ""))
        if base is None:
            bases[row["id"]] = row
        given = {**(base["input"] if base else {}), **row["input"]}
        if base is not None:
            # A change of a member, in place of a whole one: files would be thousands of bytes.
            for name, value in row["input"].items():
                if isinstance(value, dict) and set(value) == {"patch"}:
                    # A value of its own may be a dictionary, too; only this key makes it a patch.
                    given[name] = patched_member(base["input"][name], value["patch"])
        yield Vector(
            category=document["category"],
            op=(base or row)["op"],
            input={name: _whole(directory, value) for name, value in given.items()},
            # The key and not its value: null says that nobody is convicted.
            judges="blamed" in row,
            **{name: row[name] for name in _OF_A_ROW if name in row},
        )


def patched_member(base: Any, patch: Patch) -> Any:
    """Return the member `base` of an input, changed by a patch.

    Hexadecimal is decoded, patched and encoded again; a reference to a file comes back with the
    patch beside it, to be applied when the file is read.
    """
    if isinstance(base, dict):
        # The bytes are read when the vector is asked.
        return {**base, "patch": patch}
    # In hexadecimal, as everything of a vector is.
    return apply_patch(bytes.fromhex(base), patch).hex()


def _whole(directory: Path, value: Any) -> Any:
    """Return a member of an input as a program is given it: the content of a file in base64,
    with its patch applied, if the member refers to one; anything else as it is.
    """
    # Other members are objects, too, such as a value or a hand's facts (specs/conformance.md, 1).
    if isinstance(value, dict) and "file" in value and set(value) <= {"file", "patch"}:
        data = (directory / value["file"]).read_bytes()
        return b64encode(apply_patch(data, value.get("patch", []))).decode("ascii")
    return value


def apply_patch(data: bytes, patch: Patch) -> bytes:
    """Return the bytes with a patch applied. Each entry is a place in the original bytes, a
    number of bytes to take out there, and hexadecimal to put in; entries are in ascending order
    of place.
    """
    # From the last to the first, so that places before it stay where they are.
    for at, remove, insert in reversed(patch):
        data = data[:at] + bytes.fromhex(insert) + data[at + remove :]
    return data
