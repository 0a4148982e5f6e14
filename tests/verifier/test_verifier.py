"""The verifier in JavaScript, tried as a stranger's program is."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from collections import Counter
from hashlib import sha512
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from spake2 import ed25519_basic as curve

from cli.conformance.mutations import base_of
from cli.conformance.program import ProgramUnderTest
from cli.conformance.trials import (
    DEFAULT,
    Mark,
    Trial,
    try_honest,
    try_mutations,
    try_vectors,
    vectors_in,
)
from p2p304.rules304.caps.search import find_order
from p2p304.rules304.pack import Pack
from protocol.tournament.pieces import RulingKind
from tests.campaigns.standings.run_standings import Question, difference, questions
from tests.long import examples, long
from tests.rules.caps_positions import random_position
from tests.table.bus import TORSION, encoded, times
from tests.table.championship import Championship
from tests.table.test_rulings import ruled_too_late
from tests.vectors.information import information_json
from tests.vectors.rehearsal import SAVED_HANDS
from tests.vectors.run_breakages import QUICK
from tests.verifier.pages import of_module
from tests.verifier.rules_fuzz import TABLES, differences

TOP = Path(__file__).parents[2]
VERIFIER = TOP / "verifier"
SPECS = DEFAULT.parent
#: Packs with the seats that they are for.
DECKS = (
    (Pack.SEVEN_UP, 4),
    (Pack.NINE_UP, 6),
    (Pack.SEVEN_UP, 4),
    (Pack.SIX_UP, 6),
    (Pack.SEVEN_UP, 8),
    (Pack.THREES_TOP, 6),
    (Pack.TWOS_TOP, 8),
)

pytestmark = pytest.mark.xdist_group("verifier")


@pytest.fixture(scope="session")
def verifier(node: str) -> list[str]:
    """The command of the verifier."""
    return [node, str(VERIFIER / "node.mjs")]


def wrong(trials: list[Trial]) -> list[Trial]:
    """The trials that did not pass, unsupported ones among them."""
    return [each for each in trials if each.mark is not Mark.PASSED]


@pytest.mark.parametrize("most", [250, *long(5_000)])
def test_it_judges_caps_as_the_program_does_in_positions_of_chance(
    verifier: list[str], most: int
) -> None:
    sure = 0
    with ProgramUnderTest(verifier) as tried:
        for seed in range(1_200, 1_200 + most):
            deck, seats = DECKS[seed % len(DECKS)]
            information = random_position(seed, deck=deck, seats=seats)
            found = bool(find_order(information).order)
            given = {"information": information_json(information), "order": None}
            verdict = tried.ask("caps.judge", given)["output"]["verdict"]
            assert verdict == ("sure" if found else "not sure"), seed
            sure += found
    assert 0 < sure < most


@pytest.mark.parametrize("every", [97, *long(1)])
def test_it_answers_the_vectors(verifier: list[str], every: int) -> None:
    chosen = [each for at, each in enumerate(vectors_in(DEFAULT)) if at % every == 0]
    with ProgramUnderTest(verifier) as tried:
        trials = list(try_vectors(tried, chosen))
    assert wrong(trials) == []
    assert len(trials) == len(chosen) > 2_000 // every


@pytest.mark.long  # some are, in `test_it_says_which_check_a_changed_file_fails`
def test_it_finds_saved_hands_valid(verifier: list[str]) -> None:
    with ProgramUnderTest(verifier) as tried:
        trials = list(try_honest(tried))
    assert wrong(trials) == []
    assert len(trials) == len(SAVED_HANDS)


def test_it_refuses_a_ruling_beyond_the_thousandth_as_we_do(verifier: list[str]) -> None:
    given = {"transcript": b64encode(ruled_too_late()).decode()}
    with ProgramUnderTest(verifier) as tried:
        assert tried.ask("transcript.audit", given)["reject"] == "ruling.verdict"


@pytest.mark.parametrize("most", [24, *long(1_000)])
def test_it_judges_mutations_as_we_do(verifier: list[str], most: int) -> None:
    """Of saved hands, and of hands that are played on; in a sample those that are quickly made."""
    numbers = [each for each in range(1_000) if most == 1_000 or base_of(304, each) in QUICK][:most]
    with ProgramUnderTest(verifier) as tried:
        trials = list(try_mutations(tried, 304, numbers))
    assert wrong(trials) == []
    assert len(trials) == most


@pytest.mark.parametrize("hands", [range(len(TABLES)), *long(range(300))])
def test_it_follows_hands_of_all_tables_and_refuses_what_we_refuse(
    verifier: list[str], hands: range
) -> None:
    with ProgramUnderTest(verifier) as tried:
        found = list(differences(tried, 304, hands))
    assert [wrong for _, wrong in found if wrong is not None] == []
    ends = Counter(end for end, _ in found)
    assert min(ends["accepted"], ends["action.rule"]) >= len(hands)


def test_its_tables_of_agreements_are_those_of_the_page(node: str) -> None:
    command = [node, str(VERIFIER / "node.mjs"), "tables", str(SPECS / "rules.md")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == (VERIFIER / "rules" / "tables.mjs").read_text("utf-8")


def test_it_says_which_check_a_changed_file_fails(verifier: list[str], tmp_path: Path) -> None:
    """Of a hand of 304, and of one of 41."""
    hands = SPECS / "vectors" / "hands"
    sound = [hands / "passed-out.p304", hands / "deal-of-41.p304"]
    broken = [tmp_path / "a\nfile.p304", tmp_path / "broken.p304"]
    changed = [bytearray(each.read_bytes()) for each in sound]
    changed[0][20_000] ^= 1
    changed[1][changed[1].rindex(b"play ") + 5] ^= 1
    for path, data in zip(broken, changed, strict=True):
        path.write_bytes(data)
    files = map(str, [*sound, *broken])
    done = subprocess.run([*verifier, "check", *files], capture_output=True, text=True, check=False)
    told = [line.rpartition(": ")[2] for line in done.stdout.splitlines()]
    assert told == ["valid", "valid", "signature fails", "signature fails"]
    assert done.returncode == 1


def test_a_file_that_is_not_there_is_told_in_a_line(verifier: list[str], tmp_path: Path) -> None:
    whole = SPECS / "vectors" / "hands" / "passed-out.p304"
    command = [*verifier, "check", str(tmp_path / "none"), str(whole)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot be read: ENOENT" in done.stderr
    assert "valid" in done.stdout


def test_its_packages_are_vendored_as_they_were_published() -> None:
    pinned = json.loads((VERIFIER / "package.json").read_text("utf-8"))["vendored"]
    vendor = VERIFIER / "vendor" / "node_modules"
    for name, version in pinned.items():
        told = json.loads((vendor / name / "package.json").read_text("utf-8"))
        assert told["version"] == version
        assert "MIT" in (vendor / name / "LICENSE").read_text("utf-8")
    assert {f"@noble/{path.name}" for path in (vendor / "@noble").iterdir()} == set(pinned)


_SUMS = """
const [multiples, curve] = await Promise.all(process.argv.slice(1).map((each) => import(each)));
const { Point } = curve.secp256k1;
const { ORDER } = Point.Fn;
let drawn = 17n;
const chance = (most) => {
  for (let i = 0; i < 5; i++) {
    drawn = (drawn * 6364136223846793005n + 1442695040888963407n) % 2n ** 320n;
  }
  return (drawn >> 32n) % most;
};
const known = Array.from({ length: 10 }, () => Point.BASE.multiplyUnsafe(1n + chance(ORDER - 1n)));
const wrong = [];
for (const size of [1, 2, 5, 11, 12, 13, 40, 160]) {
  const points = Array.from({ length: size }, () => {
    const point = known[Number(chance(10n))];
    return [point, point, point.negate(), point.double()][Number(chance(4n))];
  });
  const scalars = points.map(() => {
    const few = 1n + chance(4n);
    return [few, ORDER - few, 1n + chance(ORDER - 1n)][Number(chance(3n))];
  });
  const right = points
    .map((point, i) => point.multiplyUnsafe(scalars[i]))
    .reduce((sum, each) => sum.add(each));
  for (let again = 0; again < 8; again++) {
    if (!multiples.sumOfMultiples(points, scalars).equals(right)) wrong.push([size, again]);
  }
  const both = [...points, ...points.map((point) => point.negate())];
  if (!multiples.sumOfMultiples(both, [...scalars, ...scalars]).is0()) wrong.push(size);
}
console.log(JSON.stringify(wrong));
"""


def test_sums_of_multiples_are_those_of_the_vendored_curve(node: str) -> None:
    """Points that come again, twice, and with their opposites; few and many; from tables, too."""
    curve = VERIFIER / "vendor" / "node_modules" / "@noble" / "curves" / "secp256k1.js"
    script = (node, "--input-type=module", "-e", _SUMS)
    modules = (str(VERIFIER / "suite" / "multiples.mjs"), str(curve))
    done = subprocess.run((*script, *modules), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


HOLDS = """asked.map((each) => m.signatureHolds(
  ...each.map((text) => Uint8Array.from(Buffer.from(text, 'hex')))))"""


def test_a_signature_off_the_group_of_prime_order_holds_for_no_verifier(node: str) -> None:
    """RFC 8032 lets a verifier multiply by the cofactor, and accept more than one that does not."""
    secret, nonce, message = 1_234_567, 7_654_321, b"what is said"
    key, drawn = encoded(times(secret)), times(nonce)
    asked = []
    for point in (drawn, curve.add_elements(drawn, TORSION)):
        first = encoded(point)
        challenge = int.from_bytes(sha512(first + key + message).digest(), "little")
        second = (nonce + challenge * secret) % curve.L
        asked.append((first + second.to_bytes(32, "little"), message, key))
    ours = [holds(*each) for each in asked]
    told = [[part.hex() for part in each] for each in asked]
    theirs = of_module(node, VERIFIER / "messages/envelope.mjs", HOLDS, told)
    assert theirs == ours == [True, False]


def holds(signature: bytes, message: bytes, key: bytes) -> bool:
    """Whether the library of the program takes a signature."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


# --- standings ------------------------------------------------------------------------------------


SCRIPT = Path(__file__).parents[2] / "verifier" / "node.mjs"


def test_random_tournaments_and_records_are_judged_alike(node: str) -> None:
    with ProgramUnderTest([node, str(SCRIPT)]) as program:
        found = (difference(program, each) for each in questions(304, 30, examples(8)))
        assert [each for each in found if each is not None] == []


def test_contrary_results_of_a_match_before_which_a_team_has_left_are_no_dispute(node: str) -> None:
    cup = Championship(4).drawn()
    cup.ruled(1, RulingKind.WITHDRAWN, cup.match(1).teams[0])
    cup.play(2)
    third = cup.match(3)
    cup.add(*cup.result(third, (1, 0)), *cup.result(third, (0, 1)))
    given = {"record": cup.record.to_bytes().hex(), "shown": []}
    with ProgramUnderTest([node, str(SCRIPT)]) as program:
        assert not difference(program, Question("a match", "tournament.record", given))
    assert not cup.judged.disputed_results
