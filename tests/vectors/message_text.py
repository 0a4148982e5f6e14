"""Messages for the specification: their CDDL, their tables, a worked example of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protocol import encoding
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.table import evidence, ledger
from protocol.transcript import file as transcript
from protocol.wire import charter, contents, identity, messages
from protocol.wire.contents import KINDS, Kind
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.messages import Notice, open_message, sign_ruling, table_tag
from protocol.wire.schema import Binary, FieldType, Integer, Items, Record, Sequence, Text
from tests.vectors.hands import SAVED_HANDS

SHOWN = 40
"""Bytes of a long field that an example shows at its beginning."""


# --- CDDL -----------------------------------------------------------------------------------------


def _type(kind: FieldType) -> str:
    match kind:
        case Integer(least, most):
            return f"{least}..{most}"
        case Binary(least, most):
            return f"bytes .size {least if least == most else f'({least}..{most})'}"
        case Text(most, ascii_only):
            return f"{'ascii' if ascii_only else 'text'} .size (0..{most})"
        case Items(items):
            return f"[{', '.join(_type(each) for each in items)}]"
        case Sequence(item, most):
            return f"[0*{most} {_type(item)}]"
        case Record():
            return kind.make.__name__
    raise TypeError(type(kind).__name__)


def _rule(name: str, record: Record) -> Iterator[str]:
    yield f"{name} = ["
    for field in record.fields:
        yield f"  {field.name}: {_type(field.type)}, ; {field.doc}"
    yield "]"


def _inner(record: Record) -> Iterator[Record]:
    for field in record.fields:
        kind = field.type
        while isinstance(kind, Sequence):
            kind = kind.item
        if isinstance(kind, Record):
            yield kind


def cddl() -> str:
    """The bodies of all messages."""
    lines = ["```cddl"]
    ledgers = [kind for kind in KINDS if kind.purpose is Purpose.LEDGER]
    notices = [kind for kind in KINDS if kind.purpose is Purpose.NOTICE]
    lines += ["ledger-body = " + " / ".join(f"body<{_content(kind)}>" for kind in ledgers)]
    lines += ["body<lane, code, content> = ["]
    lines += ["  table: bytes .size 8, lane: lane, number: 0..4294967295, round: 0..4095,"]
    lines += ["  seat: 0..63, kind: code, previous: bytes .size 32, content: content"]
    lines += ["]"]
    lines += [
        "notice-body = " + " / ".join(f"notice<{kind.code}, {kind.name}>" for kind in notices)
    ]
    lines += ["notice<code, content> = ["]
    lines += ["  table: bytes .size 8, seat: 0..63, serial: 0..4294967295, kind: code,"]
    lines += ["  content: content"]
    lines += ["]"]
    rulings = [kind for kind in KINDS if kind.purpose is Purpose.RULING]
    named = " / ".join(f"ruling<{kind.code}, {kind.name}>" for kind in rulings)
    lines += [f"ruling-body = {named}"]
    lines += ["ruling<code, content> = ["]
    lines += ["  table: bytes .size 8, referee: 0..7, kind: code, content: content"]
    lines += ["]", "ascii = text ; U+0020 to U+007E alone", ""]
    for kind in KINDS:
        for record in _inner(kind.record):
            lines += _rule(record.make.__name__, record)
        lines += _rule(kind.name, kind.record)
    lines.append("```")
    return "\n".join(lines)


def _content(kind: Kind) -> str:
    assert kind.lane is not None
    return f"{int(kind.lane)}, {kind.code}, {kind.name}"


# --- examples -------------------------------------------------------------------------------------


def examples() -> dict[str, bytes]:
    """An envelope of every kind, by the kind's name: the longest action, else the first."""
    saved = SAVED_HANDS["closed"].rehearsed()
    found: dict[str, bytes] = {}
    for _, raw in saved.sent:
        message = open_message(raw, saved.charter)
        content = message.content if isinstance(message, Notice) else message.message.content
        name = type(content).__name__
        telling = isinstance(content, contents.Action) and content.text.startswith("down")
        if name not in found or (telling and b"down" not in found[name]):
            found[name] = raw
    samples: tuple[Any, ...] = (
        contents.SortedHands((bytes.fromhex("02") * 40,), ()),
        contents.Heads(b"", bytes(range(16)), (contents.Head(2, 0, 7, bytes(range(32)), 0b1011),)),
        contents.UnfinishedAgreement(0, 7, bytes(range(32)), 0b0111),
        contents.Chat("Well played."),
        contents.Reseating(1),
        contents.Rematch(bytes(range(32)), 1),
        contents.Continuation(3, bytes(range(16)), 0, 0b0111, ((3, 0),), 1, bytes(range(32))),
        contents.Challenge(
            0, 1, 0, 7, bytes(range(32)), bytes(range(32, 64)), (bytes(contents.SEALED_BYTES),)
        ),
        contents.ChallengeOpening(0, 1, bytes(range(32)), "They spoke of their cards."),
        contents.Ruling(0, 7, bytes(range(32)), 2, 1, "They spoke of their cards."),
    )
    for content in samples:
        found.setdefault(type(content).__name__, _signed(saved, content))
    return found


def _signed(saved: Any, content: Any) -> bytes:
    tag = table_tag(saved.charter.digest)
    if isinstance(content, contents.SortedHands | contents.Reseating):
        mixing = isinstance(content, contents.SortedHands)
        ledger = LedgerName(Lane.HAND, 0) if mixing else LedgerName(Lane.TABLE, 1)
        place = Place(ledger, 9 if mixing else 0, saved.sessions[1].seat)
        previous = Digest(bytes(range(32)))
        body = messages.Message(tag, place, previous, content).to_bytes()
        purpose = Purpose.LEDGER
    elif isinstance(content, contents.Ruling):
        refereed = SAVED_HANDS["ruled"].table_of()
        return sign_ruling(refereed.charter, content, refereed.referee).raw
    else:
        body = Notice(tag, saved.sessions[1].seat, 3, content).to_bytes()
        purpose = Purpose.NOTICE
    return sign(
        saved.keys[1],
        body,
        purpose=purpose,
        seat=saved.sessions[1].seat,
        charter=saved.charter.digest,
    ).to_bytes()


def shown(value: Any) -> str:
    """A value in CBOR's diagnostic notation; of long bytes the beginning."""
    if isinstance(value, bytes):
        if len(value) <= SHOWN:
            return f"h'{value.hex()}'"
        return f"h'{value[:SHOWN].hex()}...' ({len(value)} bytes)"
    if isinstance(value, tuple):
        return "[" + ", ".join(shown(each) for each in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def message_sections() -> str:
    """Every message with its fields and an example."""
    found = examples()
    lines: list[str] = []
    for number, kind in enumerate(KINDS, 1):
        said = "ruling" if kind.purpose is Purpose.RULING else "notice"
        where = f"lane {kind.lane.name}" if kind.lane is not None else said
        lines += [f"### 3.5.{number} {kind.name} ({where}, code {kind.code})", "", kind.doc, ""]
        lines += kind.describe_fields()
        raw = found[kind.name]
        envelope = Envelope.from_bytes(raw)
        lines += ["", "```"]
        lines += [
            f"envelope  {raw[:3].hex()} {envelope.signature.hex()} and {len(envelope.body)} bytes:"
        ]
        lines += [f"body      {_cut(envelope.body)}"]
        lines += [f"value     {shown(encoding.decode(envelope.body))}"]
        lines += [f"id        {envelope.message_id.hex()}", "```", ""]
    return "\n".join(lines)


def _cut(data: bytes) -> str:
    return data.hex() if len(data) <= 120 else f"{data[:100].hex()}... ({len(data)} bytes)"


# --- limits ---------------------------------------------------------------------------------------


def limits() -> str:
    """What is bounded, and by how much."""
    rows = (
        ("a body, a charter", f"{encoding.MAX_BYTES:,} bytes"),
        ("arrays within arrays", f"{encoding.MAX_DEPTH}"),
        ("a proof or a step in a message", f"{contents.MAX_PROOF:,} bytes"),
        ("rounds of a ledger", f"{contents.MAX_ROUND + 1:,}"),
        ("seats", f"{charter.MIN_SEATS} to {charter.MAX_SEATS}"),
        ("cards in one list of a message", f"{contents.MAX_SLOTS}"),
        ("proofs of an action", "64"),
        ("rounds, the open one included, for which messages are held", f"{ledger.WINDOW}"),
        ("a frame", " or ".join(f"{size:,}" for size in identity.FRAME_SIZES) + " bytes"),
        ("a payload", f"{identity.MAX_PAYLOAD_BYTES:,} bytes"),
        ("a record of a transcript", f"{transcript.MAX_RECORD:,} bytes"),
        ("evidence", f"{evidence.MAX_EVIDENCE_BYTES:,} bytes"),
    )
    return "\n".join(
        ["| what | at most |", "| --- | --- |", *(f"| {what} | {most} |" for what, most in rows)]
    )
