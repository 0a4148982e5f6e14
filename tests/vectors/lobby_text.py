"""The messages of the lobby and of codes for the specification: a worked example of each."""

from __future__ import annotations

from protocol.encoding import decode
from protocol.wire.code_messages import MESSAGES as CODE_MESSAGES
from protocol.wire.lobby import MESSAGES
from tests.vectors.code_vectors import spoken
from tests.vectors.message_text import shown
from tests.vectors.wire_vectors import examples, token


def lobby_sections() -> str:
    """Every message of the lobby: its fields, and as bytes and as a value."""
    lines: list[str] = []
    for row in MESSAGES.rows:
        lines += [f"### {row.name} ({row.code})", "", row.doc, "", *row.describe_fields(), ""]
    lines += [f"Examples, in which the token of seat 1 is `{token().hex()}`:", ""]
    for name, payload in examples().items():
        value = decode(payload[1:])
        lines += [f"{name}:", "", "```"]
        lines += [f"payload   {payload.hex()}", f"value     {shown(value)}", "```", ""]
    return "\n".join(lines)


def code_sections() -> str:
    """Every message of a code: its fields, and as a value; at the end a whole exchange."""
    lines: list[str] = []
    for row in CODE_MESSAGES.rows:
        lines += [f"### {row.name} ({row.code})", "", row.doc, "", *row.describe_fields(), ""]
    lines += ["A whole exchange, of the code `7-zebra-lantern`:", ""]
    for name, body in spoken().items():
        lines += [f"{name}:", "", "```", f"{shown(decode(body))}", "```", ""]
    return "\n".join(lines)
