"""HTML elements as plain data: a saved page holds their markup, a live page is sent the data.

A text is a string, an element is `(name, attributes, *inside)`. `markup` alone escapes texts.
"""

from __future__ import annotations

from html import escape
from typing import Any

# Tuples, since JSON writes them as they are; `Any`, as an element holds a mapping and nodes again.
Node = str | tuple[Any, ...]


def element(name: str, *inside: Node, **attributes: str) -> Node:
    """Return an element; `class_` and other names with a trailing underscore lose it."""
    # `class` is a word of Python.
    return (name, {key.rstrip("_"): value for key, value in attributes.items()}, *inside)


def markup(node: Node) -> str:
    """Return the HTML of a node, with texts escaped."""
    if isinstance(node, str):
        return escape(node)
    name, attributes, *inside = node
    # Values escaped, quotes included; names of attributes are all ours.
    told = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{told}>{''.join(map(markup, inside))}</{name}>"
