"""Elements as plain data: a saved page has their markup, a live one is sent them as they are.

A text is a string, an element `(name, attributes, *inside)`. Texts are escaped by `markup` alone.
"""

from __future__ import annotations

from html import escape
from typing import Any

Node = str | tuple[Any, ...]


def element(name: str, *inside: Node, **attributes: str) -> Node:
    """Return an element; an underscore at the end of an attribute's name is none of it."""
    return (name, {key.rstrip("_"): value for key, value in attributes.items()}, *inside)


def markup(node: Node) -> str:
    """Return what a browser reads as this node."""
    if isinstance(node, str):
        return escape(node)
    name, attributes, *inside = node
    told = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{told}>{''.join(map(markup, inside))}</{name}>"
