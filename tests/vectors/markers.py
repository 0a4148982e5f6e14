"""Generated parts of documents: what stands between two markers is written by code."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def names(text: str) -> list[str]:
    """The generated parts of a document, in order."""
    return [match[2] for match in _PART.finditer(text)]


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The document with its generated parts; raises KeyError for a part that nobody writes."""
    return _PART.sub(lambda match: f"{match[1]}{parts[match[2]].rstrip()}\n{match[4]}", text)
