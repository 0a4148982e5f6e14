"""Worked examples for the specification: from inputs to the challenge, value by value."""

from __future__ import annotations

import json
from typing import Any, Final

from protocol import labels
from protocol.encoding import encode, frame
from protocol.places import Lane, LedgerName
from protocol.transcript.file import MAGIC
from protocol.wire.envelope import Envelope
from tests.vectors.all_vectors import VECTORS
from tests.vectors.hands import SAVED_HANDS
from tests.vectors.message_text import examples

WIDEST: Final = 64
"""Bytes of a value that are shown."""

SUITE: Final = (
    ("group/3", "A point (2.1)"),
    ("digests/5", "A frame and its hash (2.2, 2.3)"),
    ("hash-to-group/1", "Hashing to the curve (2.4)"),
    ("sponge/2", "A session of the sponge (2.5)"),
)
CARDS: Final = (
    ("keys/1", "Possession of keys (4.3)"),
    ("shares/2", "Shares: a batch of equal secrets (4.5, 4.6)"),
    ("hand-over/1", "A hand-over (4.7)"),
    ("opening/1", "An opening: IsCard (4.9)"),
    ("suit-opening/1", "AllOfSuit (4.9)"),
    ("not-card/2", "NotCard (4.10)"),
    ("none-of-suit/2", "NoneOfSuit (4.10)"),
    ("suits-differ/2", "SuitsDiffer (4.10)"),
    ("any-of/1", "AnyOf: a disjunction of two lists (4.10)"),
    ("points-below/2", "PointsBelow (4.11)"),
    ("shuffle/1", "A shuffle (4.4)"),
    ("commitment/9", "A card laid down (4.8)"),
)
WIRE: Final = (
    ("sealing/4", "A frame (7.1)"),
    ("invite/1", "An invite (7.3)"),
    ("code/1", "A code (7.9)"),
)
"""The accepted vectors that are shown at the end of each page, and what they are."""


def worked_examples() -> dict[str, str]:
    """The last section of each page of the protocol, by the name of its part."""
    found = {
        "examples-values": [*_charter(), *_signature()],
        "examples-ledgers": _ledger(),
        "examples-files": _file(),
    }
    for part, vectors in (("suite", SUITE), ("cards", CARDS), ("wire", WIRE)):
        found[f"examples-{part}"] = [
            line for name, title in vectors for line in _vector(name, title)
        ]
    return {name: "\n".join(lines) for name, lines in found.items()}


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) <= 2 * WIDEST:
        return text
    return f"{text[: 2 * WIDEST]}... ({len(text) // 2} bytes)"


def _table(rows: list[tuple[str, Any]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    return ["```", *(f"{name:{width}}  {_cut(value)}" for name, value in rows), "```", ""]


def _charter() -> list[str]:
    charter = SAVED_HANDS["closed"].rehearsed().charter
    data = charter.to_bytes()
    rows = [
        ("bytes", data.hex()),
        ("C", charter.digest.hex()),
        ("table tag", charter.digest[:8].hex()),
        ("fingerprint", charter.fingerprint),
    ]
    about = "The charter of [vectors/hands/closed.p304](vectors/hands)."
    return ["### Charter (3.2)", "", about, "", *_table(rows)]


def _signature() -> list[str]:
    saved = SAVED_HANDS["closed"].rehearsed()
    envelope = Envelope.from_bytes(examples()["Chat"])
    head = examples()["Chat"][:3]
    key = saved.charter.seats[head[2]].key.to_bytes()
    signed = frame(labels.SIGNATURE, head, saved.charter.digest, envelope.body)
    rows = [
        ("label", labels.SIGNATURE.decode()),
        ("01 || purpose || seat", head.hex()),
        ("C", saved.charter.digest.hex()),
        ("body", envelope.body.hex()),
        ("what is signed", signed.hex()),
        ("... its end", signed.hex()[-2 * WIDEST :]),
        ("key", key.hex()),
        ("signature", envelope.signature.hex()),
        ("id", envelope.message_id.hex()),
    ]
    return ["### Signature and id (3.3)", "", "The Chat of 3.5.13.", "", *_table(rows)]


def _file() -> list[str]:
    data = SAVED_HANDS["closed"].kept()
    at = len(MAGIC)
    rows: list[tuple[str, Any]] = [("beginning", data[:at].hex())]
    while at < len(data):
        size = int.from_bytes(data[at + 1 : at + 5], "big")
        rows.append(
            (f"{data[at : at + 1].decode()}, {size:,} bytes", data[at + 5 : at + 5 + size].hex())
        )
        at += 5 + size
    about = "The first and the last records of [vectors/hands/closed.p304](vectors/hands)."
    return ["### A transcript (6.1)", "", about, "", *_table([*rows[:5], *rows[-2:]])]


def _ledger() -> list[str]:
    saved = SAVED_HANDS["closed"].rehearsed()
    replica = saved.table_state.replicas[LedgerName(Lane.TABLE, 0)]
    first = replica.ledger.rounds[0]
    rows = [
        ("C", saved.charter.digest.hex()),
        ("lane || leading", "0000"),
        ("number", "00000000"),
        ("E([scores, after])", encode(((), ())).hex()),
        ("root", replica.ledger.digest_after(0).hex()),
        *((f"seat {each.place.seat} || id", f"{each.place.seat:02x}{each.id.hex()}")
          for each in first.messages),
        ("head after round 0", first.digest.hex()),
    ]  # fmt: skip
    return ["### Root and round digest (5.1)", "", "TABLE 0 of the same hand.", "", *_table(rows)]


def _vector(name: str, title: str) -> list[str]:
    category = name.split("/")[0]
    document = json.loads((VECTORS / f"{category}.json").read_text("utf-8"))
    row = next(each for each in document["vectors"] if each["id"] == name)
    rows: list[tuple[str, Any]] = []
    for member, value in row["input"].items():
        if isinstance(value, dict):
            rows += [(f"{member}.{inner}", each) for inner, each in value.items()]
        elif isinstance(value, list) and value and len(json.dumps(value)) > 2 * WIDEST:
            rows += [(f"{member}[{place}]", each) for place, each in enumerate(value)][:4]
        else:
            rows.append((member, value))
    rows += [(f"-> {step}", value) for step, value in row.get("steps", [])]
    rows += [(f"=> {result}", value) for result, value in row["output"].items()]
    where = f"Vector `{name}` of [{category}.json](vectors/{category}.json): {row['about']}."
    return [f"### {title}", "", where, "", *_table(rows)]
