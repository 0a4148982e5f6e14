"""What every Python that runs this program must agree on, byte for byte, as one JSON object.

    python -m tests.campaigns.matrix.digests

It states nothing by `assert`, so that it tells the same under `python -O`; whoever runs it
compares. Each entry of "digests" is a hash of much; "wrong" names what does not even agree with
the files of the specification.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgpack

from cli.conformance.mutations import mutation
from cli.conformance.trials import DEFAULT, vectors_in
from cli.errors import UserError
from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.sanitize import safe_text
from p2p304.errors import GameError
from p2p304.rules304.actions import parse_action
from p2p304.rules304.agreement import parse_agreement
from p2p304.rules304.notation import parse_hand
from p2p304.seats import Seat
from protocol.encoding import decode
from protocol.errors import ProtocolError
from protocol.table.evidence import evidence_from_bytes
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.identity import Envelope, Purpose
from protocol.wire.lobby import from_bytes
from protocol.wire.messages import decode_body
from tests.campaigns.fuzz.target import Target, mutants, text_of
from tests.campaigns.fuzz.targets import TARGETS
from tests.campaigns.fuzz.wire_targets import AGREED
from tests.campaigns.hands.run_hands import game_for
from tests.table.test_same_cards import SteadyTable
from tests.vectors import all_vectors, specification
from tests.vectors.answers import ask

ROOT = Path(__file__).resolve().parents[3]
HANDS = 6
AUDITS = 150
MUTANTS = 150
SECONDS = 240
HAND = "specs/vectors/hands/closed.p304"
EVIDENCE = "specs/vectors/evidence"
#: Commands whose output and exit code say the same wherever they run.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("rules",),
    ("rules", "pagat", "championship"),
    ("rules", "pagt"),
    ("audit", HAND, "--explain"),
    ("audit", HAND, "specs/vectors/hands/two-hands.p304", "--json"),
    ("audit", "BROKEN"),
    ("audit", "README.md"),
    ("audit", "missing"),
    ("audit", "--evidence", f"{EVIDENCE}/a-cut-of-32.p304e"),
    ("audit", "--evidence", f"{EVIDENCE}/two-confirmations-of-one-seat.p304e"),
    ("audit", "--evidence", HAND),
    ("replay", HAND, "--plain"),
    ("join", "P2P304-0"),
    ("nonsense",),
)


def vectors() -> tuple[Any, list[str]]:
    """Every vector and saved hand made anew; the files that come out otherwise."""
    written = {
        path.relative_to(ROOT).as_posix(): data for path, data in all_vectors.render().items()
    }
    differ = [name for name, data in written.items() if (ROOT / name).read_bytes() != data]
    return {name: sha256(data).hexdigest() for name, data in written.items()}, differ


def answers() -> tuple[Any, list[str]]:
    """Our answers to every vector; those that are not what the vector says."""
    told, wrong = [], []
    for each in vectors_in(DEFAULT):
        answer = ask(each.op, each.input)
        told.append((each.id, answer))
        if (answer.get("output"), answer.get("reject")) != (each.output, each.expect):
            wrong.append(each.id)
    return told, wrong


def hands() -> tuple[Any, list[str]]:
    """Hands of four sessions by seed."""
    tables = [SteadyTable(game_for(seed), seed).played() for seed in range(HANDS)]
    files, wrong = [], []
    for seed, table in enumerate(tables):
        told = {hand_transcript(chair.session.table_state, 0) for chair in table.chairs}
        files.append(sha256(min(told)).hexdigest())
        if len(told) != 1 or not audit_bytes(min(told), lambda _, t=table: t.game).valid:  # type: ignore[misc]
            wrong.append(f"hand {seed}")
    return files, wrong


def audits() -> tuple[Any, list[str]]:
    """The verdicts on files that were changed."""
    made = (mutation(1, number) for number in range(AUDITS))
    given = ({"transcript": b64encode(each.data).decode()} for each in made)
    return [ask("transcript.audit", each) for each in given], []


def refusals() -> tuple[Any, list[str]]:
    """What readers of strangers' bytes make of changed ones: a value, or an error's words."""
    said = []
    for name, (read, target) in READERS.items():
        given = mutants(target.seeds(), 2 * MUTANTS, target.longest, Random(f"refusals {name}"))
        for data in given:
            try:
                said.append((name, str(read(data))))
            except (ProtocolError, GameError, UserError) as error:
                said.append((name, f"{type(error).__name__}: {error}"))
    return said, []


READERS: dict[str, tuple[Callable[[bytes], object], Target]] = {
    "encoding": (decode, TARGETS["encoding"]),
    "body": (
        lambda data: decode_body(Envelope(Purpose(1 + data[0] % 2), Seat(0), bytes(64), data[1:])),
        TARGETS["body"],
    ),
    "evidence": (lambda data: evidence_from_bytes(data).to_bytes(), TARGETS["evidence"]),
    "lobby": (lambda data: from_bytes(data, seats=4, table=AGREED.table), TARGETS["lobby"]),
    "invite": (lambda data: Invite.parse(text_of(data)), TARGETS["invite"]),
    "address": (lambda data: BrokerAddress.parse(text_of(data)), TARGETS["address"]),
    "text": (lambda data: ascii(safe_text(text_of(data))), TARGETS["text"]),
    "hand": (lambda data: parse_hand(text_of(data[1:])), TARGETS["notation"]),
    "action": (lambda data: parse_action(text_of(data[1:])), TARGETS["notation"]),
    "agreement": (lambda data: parse_agreement(text_of(data[1:])), TARGETS["notation"]),
}


def program() -> tuple[Any, list[str]]:
    """The exit codes and the words of the program."""
    place = Path(tempfile.mkdtemp())
    try:
        broken = bytearray((ROOT / HAND).read_bytes())
        broken[30_000] ^= 1
        (place / "broken.p304").write_bytes(broken)
        told = []
        for command in COMMANDS:
            words = [str(place / "broken.p304") if each == "BROKEN" else each for each in command]
            done = _run(words, place)
            said = (done.stdout + done.stderr).replace(str(place).encode(), b"PLACE")
            told.append((command, done.returncode, said.decode("utf-8", "replace")))
        return told, [f"{each[0]} ended with 70" for each in told if each[1] == 70]
    finally:
        shutil.rmtree(place)


def _run(words: list[str], home: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "cli.main", *words],
        cwd=ROOT,
        env={**os.environ, "P2P304_HOME": str(home / "home"), "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=SECONDS,
    )


def specifications() -> tuple[Any, list[str]]:
    """The generated parts of the specification."""
    return specification.parts(), []


PARTS = {
    each.__name__: each
    for each in (vectors, answers, hands, audits, refusals, program, specifications)
}


def told(names: Iterable[str]) -> dict[str, Any]:
    """The object."""
    digests, wrong = {}, []
    for name in names:
        found, mistakes = PARTS[name]()
        text = json.dumps(found, sort_keys=True, default=repr)
        digests[name] = sha256(text.encode()).hexdigest()
        wrong += mistakes
    return {
        "python": sys.version.split()[0],
        "asserts": __debug__,
        "msgpack": msgpack.Packer.__module__,
        "digests": digests,
        "wrong": wrong,
    }


if __name__ == "__main__":
    json.dump(told(sys.argv[1:] or PARTS), sys.stdout, indent=1)
    sys.stdout.write("\n")
