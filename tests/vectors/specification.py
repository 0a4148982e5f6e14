"""Writes the generated parts of `specs/*.md`: what stands between two markers is written by code.

    python -m tests.vectors.specification

Tables come from the code's own tables, examples from a saved hand, so that text and code cannot
drift apart.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, get_args

from ruff.__main__ import find_ruff_bin

from cli.conformance.trials import DEFAULT, Vector, vectors_in
from p2p304.cards import Suit, parse_card
from p2p304.rules304.actions import format_action
from p2p304.rules304.agreement import (
    PARAMETERS,
    ProfileParameter,
    format_full_agreement,
    value_text,
)
from p2p304.rules304.machine import TRANSITIONS
from p2p304.rules304.profile import (
    FORBIDDEN,
    FOUR_SEATS,
    PAGAT,
    PROFILES,
    TOGGLES,
    Price,
    Profile,
    ranges,
)
from protocol import encoding, labels
from protocol.encoding import decode, encode, frame
from protocol.group.constants import (
    card_point,
    chain_base,
    constants_digest,
    score_unit,
    shuffle_generators,
    suit_point,
)
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.table import evidence, ledger
from protocol.table.ledger import AWAITED
from protocol.table.ledger import NEXT as PHASES
from protocol.tournament.pieces import NO_REFEREE, PIECES, POWERS, AboutMatch, PieceContent
from protocol.tournament.record import MEANINGS
from protocol.transcript import file as transcript
from protocol.transcript.checks import VERIFICATIONS
from protocol.transcript.file import MAGIC
from protocol.wire import charter, contents, identity, messages
from protocol.wire.code_messages import MESSAGES as CODE_MESSAGES
from protocol.wire.contents import KINDS, Kind
from protocol.wire.identity import Envelope, Purpose, sign
from protocol.wire.lobby import MESSAGES
from protocol.wire.messages import Notice, open_message, sign_ruling
from protocol.wire.schema import (
    Binary,
    FieldType,
    Integer,
    Items,
    Made,
    MessageRow,
    MessageTable,
    Record,
    Sequence,
    Text,
)
from protocol.wire.terms import KNOWN_TERMS
from tests.vectors.action_examples import EXAMPLES, OTHERS
from tests.vectors.all_vectors import VECTORS
from tests.vectors.breakages import BREAKAGES, VALID
from tests.vectors.rehearsal import SAVED_HANDS

_PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def names(text: str) -> list[str]:
    """The generated parts of a document, in order."""
    return [match[2] for match in _PART.finditer(text)]


def _rows(head: str, rows: Iterable[str]) -> str:
    """A table of Markdown: the names of its columns, and the cells of each row, between bars."""
    bars = head.count(" | ") + 1
    return "\n".join(f"| {each} |" for each in (head, " | ".join(["---"] * bars), *rows))


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The document with its generated parts; raises KeyError for a part that nobody writes."""
    return _PART.sub(lambda match: f"{match[1]}{parts[match[2]].rstrip()}\n{match[4]}", text)


# --- lobby text -----------------------------------------------------------------------------------

# The messages of the lobby and of codes for the specification: a worked example of each.


def _fields(messages: MessageTable[Any]) -> Iterator[str]:
    for row in messages.rows:
        yield from (f"### {row.name} ({row.code})", "", doc_of(row), "", *field_lines(row), "")


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


# --- message text ---------------------------------------------------------------------------------

# Messages for the specification: their CDDL, their tables, a worked example of each.

SHOWN = 40  #: Bytes of a long field that an example shows at its beginning.


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
        content = message.content
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
    tag = saved.charter.tag
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
        lines += [f"### 3.5.{number} {kind.name} ({where}, code {kind.code})", "", doc_of(kind), ""]
        lines += field_lines(kind)
        raw = found[kind.name]
        envelope = Envelope.from_bytes(raw)
        lines += ["", "```"]
        lines += [
            f"envelope  {raw[:3].hex()} {envelope.signature.hex()} and {len(envelope.body)} bytes:"
        ]
        lines += [f"body      {_shortened(envelope.body)}"]
        lines += [f"value     {shown(encoding.decode(envelope.body))}"]
        lines += [f"id        {envelope.message_id.hex()}", "```", ""]
    return "\n".join(lines)


def _shortened(data: bytes) -> str:
    return data.hex() if len(data) <= 120 else f"{data[:100].hex()}... ({len(data)} bytes)"


# --- limits ---------------------------------------------------------------------------------------


def limits() -> str:
    """What is bounded, and by how much."""
    found = (
        ("a body, a charter", f"{encoding.MAX_BYTES:,} bytes"),
        ("arrays within arrays", f"{encoding.MAX_DEPTH}"),
        ("a proof or a step in a message", f"{contents.MAX_PROOF:,} bytes"),
        ("rounds of a ledger", f"{contents.MAX_ROUND + 1:,}"),
        ("seats", f"{charter.MIN_SEATS} to {charter.MAX_SEATS}"),
        ("cards in one list of a message", f"{contents.MAX_SLOTS}"),
        ("proofs of an action", "64"),
        ("rounds, the open one included, for which messages are held", f"{ledger.ROUND_WINDOW}"),
        ("a frame", " or ".join(f"{size:,}" for size in identity.FRAME_SIZES) + " bytes"),
        ("a payload", f"{identity.MAX_PAYLOAD_BYTES:,} bytes"),
        ("a record of a transcript", f"{transcript.MAX_RECORD:,} bytes"),
        ("evidence", f"{evidence.MAX_EVIDENCE_BYTES:,} bytes"),
    )
    return _rows("what | at most", (f"{what} | {most}" for what, most in found))


# --- example text ---------------------------------------------------------------------------------

# Worked examples for the specification: from inputs to the challenge, value by value.

WIDEST: Final = 64  #: Bytes of a value that are shown.

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
#: The accepted vectors that are shown at the end of each page, and what they are.
WIRE: Final = (
    ("sealing/4", "A frame (7.1)"),
    ("invite/1", "An invite (7.3)"),
    ("code/1", "A code (7.9)"),
)


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
        ("root", replica.ledger.digests[0].hex()),
        *((f"seat {each.place.seat} || id", f"{each.place.seat:02x}{each.id.hex()}")
          for each in first),
        ("head after round 0", replica.ledger.digests[1].hex()),
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


# --- messages and their fields in words -----------------------------------------------------------


def doc_of(row: MessageRow) -> str:
    """The docstring of a message's class, without indentation."""
    # Python 3.13 takes the indentation off by itself, earlier ones leave it.
    lines = (row.record.make.__doc__ or "").strip().split("\n")
    return "\n".join(line.strip() for line in lines)


def field_lines(row: MessageRow) -> list[str]:
    """The lines of a Markdown table of a message's fields."""
    return [
        "| field | type | meaning |",
        "| --- | --- | --- |",
        *(
            f"| `{each.name}` | {type_words(each.type)} | {each.doc} |"
            for each in row.record.fields
        ),
    ]


def type_words(kind: FieldType) -> str:
    """A type in words: "integer, 0 to 63", "32 bytes", "printable
    ASCII, at most 400", "array of at most 64: 32 bytes", "[lane (integer, 0 to 2); ...]".
    """
    match kind:
        case Integer(least, most):
            return f"integer, {least} to {most}"
        case Binary(least, most):
            return f"{least} bytes" if least == most else f"bytes, {least} to {most}"
        case Text(most, ascii_only):
            return f"{'printable ASCII' if ascii_only else 'text'}, at most {most}"
        case Sequence(item, most):
            return f"array of at most {most}: {type_words(item)}"
        case Items(items):
            return f"[{'; '.join(map(type_words, items))}]"
        case Made():
            return type_words(kind.type)
        case Record():
            named = (f"{field.name} ({type_words(field.type)})" for field in kind.fields)
            return f"[{'; '.join(named)}]"


# --- the page about tournaments: what is signed, and what convicts --------------------------------


def piece_sections() -> str:
    """Every piece: its code and fields, without those that are told once, of all or of matches."""
    lines = ["| piece, field | type | meaning |", "| --- | --- | --- |"]
    for row in PIECES.rows:
        lines.append(f"| **{row.name}** | code {row.code} | {doc_of(row).removesuffix('.')} |")
        _, _, *described = field_lines(row)
        common = tuple(f"| `{each.name}` |" for each in fields(AboutMatch))
        about = issubclass(get_args(PieceContent)[row.code - 1], AboutMatch)
        lines += [each for each in described if not each.startswith(common[: 3 if about else 1])]
    return "\n".join(lines)


def conviction_rows() -> str:
    """What two pieces convict of, by name."""
    rows = ["| name | two pieces show that |", "| --- | --- |"]
    rows += [f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items()]
    return "\n".join(rows)


def power_items() -> str:
    """What a tournament lets whom do, as each player is told before it signs an entry."""
    return "\n".join(f"- {each}" for each in (*POWERS, NO_REFEREE))


# --- the page about writing a game: the example's own files and tests -----------------------------


CLIENT: Final = Path(__file__).parents[1] / "client"
GAME_RULES: Final = "black_lady/rules.py"
GAME_TELLING: Final = "black_lady/telling.py"
GAME_TESTS: Final = "test_black_lady.py"
#: Columns of a line of code, so that `p2p304 help` shows it, indented, within 80.
WIDTH: Final = 75

#: Each part of the page: the file, and which definitions of it.
GAME_PARTS: Final = {
    "game-actions": (GAME_RULES, ("Give", "Mix", "Deny", "Play")),
    "game-state": (GAME_RULES, ("Laid", "State")),
    "game-start": (GAME_RULES, ("BlackLady.start", "BlackLady.contributors")),
    "game-apply": (GAME_RULES, ("BlackLady.apply",)),
    "game-give": (GAME_RULES, ("BlackLady._give", "BlackLady._mix")),
    "game-play": (GAME_RULES, ("BlackLady._play",)),
    "game-legal": (GAME_RULES, ("BlackLady.legal_actions", "BlackLady.action_frame")),
    "game-settle": (
        GAME_RULES,
        ("BlackLady.settle", "BlackLady.new_match", "BlackLady.after_hand", "BlackLady.match_at"),
    ),
    "game-text": (GAME_RULES, ("BlackLady.format_action", "BlackLady.parse_action")),
    "game-simulate": (GAME_TESTS, ("test_a_thousand_hands_hold_with_open_cards",)),
    "game-denied": (
        GAME_TESTS,
        ("test_who_has_the_first_card_leads_it_and_nobody_else",),
    ),
    "game-telling": (GAME_TELLING, ("_choice", "TellingBlackLady.tell", "TellingBlackLady.scene")),
    "game-entry": ("black_lady/__init__.py", ("_create", "ENTRY")),
    "game-sessions": (GAME_TESTS, ("test_real_sessions_play_it_and_anybody_audits_it",)),
    "game-screen": (
        GAME_TESTS,
        ("test_it_is_played_on_the_full_screen_and_its_file_tells_the_hand",),
    ),
}


def game_parts() -> dict[str, str]:
    """Every part as a block of code, with the name of its file above it."""
    return {
        name: f"`tests/client/{file}`\n\n```python\n{narrow(source(file, wanted))}\n```"
        for name, (file, wanted) in GAME_PARTS.items()
    }


def narrow(code: str) -> str:
    """Return the code with lines of at most `WIDTH` columns."""
    command = [find_ruff_bin(), "format", f"--line-length={WIDTH}", "--stdin-filename=game.py", "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


def source(file: str, wanted: tuple[str, ...]) -> str:
    """Return the text of definitions, those of a class by `Class.name` and below its name.

    Raises KeyError for one that is not there.
    """
    text = (CLIENT / file).read_text("utf-8")
    lines = text.splitlines()
    found: dict[str, str] = {}

    def look(nodes: list[ast.stmt], prefix: str) -> None:
        for node in nodes:
            match node:
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    name = prefix + node.name
                    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                    if isinstance(node, ast.ClassDef):
                        look(node.body, f"{name}.")
                case ast.Assign(targets=[ast.Name(id=target)]):
                    name, first = prefix + target, node.lineno
                case _:
                    continue
            found[name] = "\n".join(lines[first - 1 : node.end_lineno])

    look(ast.parse(text).body, "")
    blocks: list[str] = []
    inside = ""
    for name in wanted:
        group = name.rpartition(".")[0]
        if group and group == inside:
            blocks[-1] += f"\n\n{found[name]}"
        else:
            blocks.append(f"class {group}:\n{found[name]}" if group else found[name])
        inside = group
    return "\n\n\n".join(blocks)


# --- the pages ------------------------------------------------------------------------------------

SPECS = Path(__file__).parents[2] / "specs"
PAGES = (
    *sorted(SPECS.glob("0*.md")),
    *(SPECS / f"{name}.md" for name in ("rules", "conformance", "tournament", "guide/game-maker")),
)
GENERATORS = (4, 8, 32, 52)


def _labels() -> str:
    found = ((name, each) for name, each in vars(labels).items() if name.isupper())
    return _rows(
        "name | label",
        (
            f"{name.lower().replace('_', ' ')} | `{each.decode()}`"
            for name, each in found
            if isinstance(each, bytes)
        ),
    )


def _constants() -> str:
    digests = (f"{count} | `{constants_digest(count).hex()}`" for count in GENERATORS)
    head = _rows("N | digest of all constants with N generators", digests)
    some = [
        ("CARD_9C", card_point(parse_card("9C"))),
        ("CARD_JS", card_point(parse_card("JS"))),
        *((f"SUIT_{suit.letter}", suit_point(suit)) for suit in Suit),
        ("V", score_unit()),
        ("K", chain_base()),
        *((f"h_{place}", point) for place, point in enumerate(shuffle_generators(2))),
    ]
    points = (f"{name} | `{point.to_bytes().hex()}`" for name, point in some)
    return f"{head}\n\nSome of them:\n\n{_rows('constant | point', points)}"


def _phases() -> str:
    rows = []
    for phase, kinds in AWAITED.items():
        awaited = " or ".join(kind.__name__ for kind in kinds)
        following = ", ".join(sorted(each.value for each in PHASES[phase]))
        if awaited:
            rows.append(f"{phase.value} | {awaited} | {following}")
    return _rows("phase | awaits | may be followed by", rows)


def _transitions() -> str:
    rows = []
    for (phase, action), row in TRANSITIONS.items():
        following = ", ".join(each.name for each in sorted(row.leads_to))
        rows.append(f"{phase.name} | {action.__name__} | {following}")
    return _rows("phase | action | leads to", rows)


def _checks() -> str:
    head = "check | kind | stands for | in no audit, because"
    return _rows(
        head, (f"`{e.name}` | {e.category} | {e.meaning} | {e.elsewhere}" for e in VERIFICATIONS)
    )


# How a value is written, and where it is specified; the rest is the program's own list.
TERMS = {
    "continues": (
        "[charter, [hand, closed, head], present, dealer, scores, bots]",
        "[6.5](06-files.md)",
    ),
    "referee": ("[key, ...]", "[5.8](05-hand.md)"),
    "tournament": ("[tournament, match]", "[tournament 10](tournament.md)"),
}


def _terms() -> str:
    rows = []
    for name, term in KNOWN_TERMS.items():
        value, see = TERMS[name]
        asked = "yes" if term.rules else "no"
        rows.append(f"`{name}` | `{value}` | {term.means} | {term.lets} | {asked} | {see}")
    return _rows("name | value | means | what it lets whom do | asked about | see", rows)


def _profiles() -> str:
    names = list(FOUR_SEATS)
    rows = [f"| parameter | {' | '.join(names)} | meaning |", "| --- " * (len(names) + 2) + "|"]
    for each in PARAMETERS:
        values = " | ".join(_shown(each, profile) for profile in FOUR_SEATS.values())
        rows.append(f"| `{each.name}` | {values} | {each.explanation} |")
    others = [profile for profile in PROFILES.values() if profile.name not in FOUR_SEATS]
    for about, more in (
        ("For six and eight seats.", [each for each in others if each.seats != PAGAT.seats]),
        ("More for four seats.", [each for each in others if each.seats == PAGAT.seats]),
    ):
        rows += ["", f"{about} Where no row says otherwise, each is as {PAGAT.name}:", ""]
        rows += [f"| parameter | {' | '.join(each.name for each in more)} |"]
        rows += ["| --- " * (len(more) + 1) + "|"]
        for each in PARAMETERS:
            texts = [_shown(each, profile) for profile in more]
            if any(text != _shown(each, PAGAT) for text in texts):
                rows.append(f"| `{each.name}` | {' | '.join(texts)} |")
    unsaid = ", ".join(f"`{each.name} = {each.unsaid}`" for each in PARAMETERS if each.unsaid)
    rows += ["", f"Lines of a full agreement that go without saying, and are left out: {unsaid}."]
    rows += ["", "What can be set, and to what:", "", "| parameter | to | arises with |"]
    rows += ["| --- | --- | --- |"]
    settable = {each.name: each for each in PARAMETERS if each.fixed is None}
    for field in fields(Profile):
        if field.name in settable:
            needs = settable[field.name].needs
            rows.append(
                f"| `{field.name}` | {_domain(field.name)} | {needs.text if needs else ''} |"
            )
    rows += ["", "What cannot be set, and need not arise:", "", "| parameter | arises with |"]
    rows += ["| --- | --- |"]
    rows += [f"| `{p.name}` | {p.needs.text} |" for p in PARAMETERS if p.fixed and p.needs]
    rows += ["", "House rules, and what each sets:", "", "| house rule | sets | meaning |"]
    rows += ["| --- | --- | --- |"]
    for name, toggle in TOGGLES.items():
        sets = ", ".join(f"`{key} = {value_text(value)}`" for key, value in toggle.changes.items())
        rows.append(f"| `{name}` | {sets} | {toggle.explanation} |")
    for name, forbidden in FORBIDDEN.items():
        rows += ["", f"`{name}` forbids what these set: {', '.join(forbidden)}."]
    rows += ["", "The full agreement `pagat`:", "", "```"]
    rows += [format_full_agreement(PROFILES["pagat"]), "```"]
    return "\n".join(rows)


def _shown(parameter: ProfileParameter, profile: Profile) -> str:
    """A profile's value, also where it cannot arise: a house rule may make it arise."""
    if parameter.applies_to(profile):
        return parameter.text(profile)
    return f"{parameter.value(profile)} (n/a)"


def _domain(name: str) -> str:
    """The values that a parameter can be set to, as they are written."""
    bounds = ranges(PAGAT.deck, PAGAT.deal_batches).get(name)
    if bounds is not None:
        return "{} to {}".format(*bounds)
    match getattr(PROFILES["pagat"], name):
        case bool():
            return "yes, no"
        case Price():
            return "`made / failed`"
        case tuple():
            return "none, or pairs such as `60=160` with a space between"
        case value:
            return "; ".join(str(choice.value) for choice in type(value))


def _actions() -> str:
    actions = (*EXAMPLES, *OTHERS)
    rows = (f"{type(each).__name__} | `{format_action(each)}`" for each in actions)
    return _rows("action | example", rows)


def _breakages() -> str:
    rows = []
    for name, each in BREAKAGES.items():
        category = f"`{each.category}`" if each.category else "-"
        check = f"`{each.check}`" if each.check else "-"
        if each.check == VALID:
            check = "a sound file is refused"
        rows.append(f"{name} | {category} | {check} | {each.sitting or '-'}")
    return _rows("what is broken | vectors, category | auditor, check | seat, sitting", rows)


def _hand() -> str:
    return f"```\n{(SPECS / 'examples' / 'hand.txt').read_text('utf-8').rstrip()}\n```"


def parts() -> dict[str, str]:
    """Every generated part by its name."""
    return {
        "labels": _labels(),
        "constants": _constants(),
        "cddl": cddl(),
        "messages": message_sections(),
        "limits": limits(),
        "lobby": lobby_sections(),
        "pieces": piece_sections(),
        "tournament-convictions": conviction_rows(),
        "tournament-powers": power_items(),
        "codes": code_sections(),
        **worked_examples(),
        "breakages": _breakages(),
        "phases": _phases(),
        "checks": _checks(),
        "terms": _terms(),
        "transitions": _transitions(),
        "hand": _hand(),
        "profiles": _profiles(),
        "actions": _actions(),
        **game_parts(),
    }


def render() -> dict[Path, str]:
    """Each page with its generated parts."""
    written = parts()
    return {page: filled(page.read_text("utf-8"), written) for page in PAGES}


if __name__ == "__main__":
    for page, text in render().items():
        page.write_text(text, "utf-8")
