"""The messages of the lobby and of codes for the specification: a worked example of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cli.conformance.vectors import DEFAULT, Vector, vectors_in
from protocol.encoding import decode
from protocol.wire.code_messages import MESSAGES as CODE_MESSAGES
from protocol.wire.lobby import MESSAGES
from protocol.wire.schema import MessageTable
from tests.vectors.message_text import shown


def _fields(messages: MessageTable[Any]) -> Iterator[str]:
    for row in messages.rows:
        yield from (f"### {row.name} ({row.code})", "", row.doc, "", *row.describe_fields(), "")


def _spoken(category: str) -> Iterator[Vector]:
    """The ordinary messages among the vectors of a category; they are called as they are."""
    for each in vectors_in(DEFAULT, (category,)):
        if "message" in (each.output or {}) and not each.strange:
            yield each


def lobby_sections() -> str:
    """Every message of the lobby: its fields, and as bytes and as a value."""
    lines, examples = [*_fields(MESSAGES)], [*_spoken("lobby")]
    token = examples[0].input["token"]
    lines += [f"Examples, in which the token of seat 1 is `{token}`:", ""]
    for each in examples:
        payload = each.input["payload"]
        value = shown(decode(bytes.fromhex(payload)[1:]))
        lines += [f"{each.about}:", "", "```"]
        lines += [f"payload   {payload}", f"value     {value}", "```", ""]
    return "\n".join(lines)


def code_sections() -> str:
    """Every message of a code: its fields, and as a value; at the end a whole exchange."""
    lines = [*_fields(CODE_MESSAGES), "A whole exchange, of the code `7-zebra-lantern`:", ""]
    for each in _spoken("code"):
        payload = bytes.fromhex(each.input.get("payload", ""))[1:]
        frame = bytes.fromhex(each.input.get("frame", ""))
        body = payload or frame[4 : 4 + int.from_bytes(frame[2:4], "big")]
        lines += [f"{each.about}:", "", "```", f"{shown(decode(body))}", "```", ""]
    return "\n".join(lines)
