"""Vectors as they lie in files: read, and filled in from the one that each differs from."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cli.errors import UserError
from cli.specification import SPECS
from p2p304.plain_json import Json

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
    input: Json = field(repr=False)
    output: Json | None = None
    steps: list[list[Any]] = field(default_factory=list, repr=False)
    expect: str | None = None
    blamed: int | None = None
    judges: bool = False
    """Whether `blamed` is compared: a file was judged."""
    strange: bool = False


def vectors_in(directory: Path, categories: tuple[str, ...] = ()) -> Iterator[Vector]:
    """Yield all vectors of a directory, or those of some categories.

    Raises UserError for a file that cannot be read, and if there are none.
    """
    known: list[str] = []
    found = False
    # Sorted: a run is the same on every machine, whatever the folder's order is.
    for path in sorted(directory.glob("*.json")):
        try:
            document = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{path} cannot be read: {error}") from error
        # Other files of the folder, such as saved hands, are no vectors.
        if "category" in document and "vectors" in document:
            known.append(document["category"])
            if not categories or known[-1] in categories:
                found = True
                yield from _read(directory, document)
    # Found and not read: a category that is misspelled must not pass as tried.
    if not found:
        listed = f"; there are {', '.join(known)}" if known else ""
        raise UserError(f"There are no such vectors in {directory}{listed}.")


def _read(directory: Path, document: Json) -> Iterator[Vector]:
    """Yield the vectors of a parsed file.

    A row with a `base` takes the operation of that row, and its input where it gives or patches
    none of its own; a name of a file in `directory` is replaced by the bytes of that file.
    """
    bases: dict[str, Json] = {}
    for row in document["vectors"]:
        # A mutation names the accepted vector that it changes; most of its input is that one's.
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
            judges="blamed" in row,
            **{name: row[name] for name in _OF_A_ROW if name in row},
        )


def patched_member(base: Any, patch: Patch) -> Any:
    """Return a base's member of an input with a patch: hexadecimal with the patch carried out,
    or a reference to a file that names the patch.
    """
    if isinstance(base, dict):
        # The bytes are read when the vector is asked.
        return {**base, "patch": patch}
    # In hexadecimal, as everything of a vector is.
    return apply_patch(bytes.fromhex(base), patch).hex()


def _whole(directory: Path, value: Any) -> Any:
    """Return a member as it is asked: files are read, patched and put into base64."""
    if isinstance(value, dict) and "file" in value and set(value) <= {"file", "patch"}:
        data = (directory / value["file"]).read_bytes()
        return b64encode(apply_patch(data, value.get("patch", []))).decode("ascii")
    return value


def apply_patch(data: bytes, patch: Patch) -> bytes:
    """Return the bytes after the patch. Each entry is a place, a number of bytes to take out
    there, and bytes in hexadecimal to put in; places are those of the original bytes.
    """
    # From the last to the first, so that places before it stay where they are.
    for at, remove, insert in reversed(patch):
        data = data[:at] + bytes.fromhex(insert) + data[at + remove :]
    return data
