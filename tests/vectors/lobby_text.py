"""The lobby's messages for the specification: a worked example of each."""

from __future__ import annotations

from protocol.encoding import decode
from protocol.wire.lobby import ROWS
from tests.vectors.message_text import shown
from tests.vectors.wire_vectors import examples, token


def lobby_sections() -> str:
    """Every message of the lobby: its fields, and as bytes and as a value."""
    lines: list[str] = []
    for row in ROWS:
        lines += [f"### {row.name} ({row.code})", "", row.doc, "", *row.describe_fields(), ""]
    lines += [f"Examples, in which the token of seat 1 is `{token().hex()}`:", ""]
    for name, payload in examples().items():
        value = decode(payload[1:])
        lines += [f"{name}:", "", "```"]
        lines += [f"payload   {payload.hex()}", f"value     {shown(value)}", "```", ""]
    return "\n".join(lines)
