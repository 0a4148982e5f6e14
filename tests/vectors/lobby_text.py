"""The lobby's messages for the specification: a worked example of each."""

from __future__ import annotations

from protocol.encoding import decode
from tests.vectors.message_text import shown
from tests.vectors.wire_vectors import examples, token


def lobby_sections() -> str:
    """Every message of the lobby as bytes and as a value."""
    lines = [f"The token of seat 1 is `{token().hex()}`.", ""]
    for name, payload in examples().items():
        value = decode(payload[1:])
        lines += [f"{name}:", "", "```"]
        lines += [f"payload   {payload.hex()}", f"value     {shown(value)}", "```", ""]
    return "\n".join(lines)
