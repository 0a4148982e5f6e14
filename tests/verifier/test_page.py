"""Pages: what they hold, what they may run, and that their verifier judges their own bytes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cli.auditing import audit_file, check_evidence_file
from cli.conformance.trials import DEFAULT
from cli.errors import CheckFailed, UserError
from cli.input_files import transcripts_of
from cli.main import main
from cli.page.document import FOLDER, PageTable, hand_data, page
from cli.page.recorded import hands_of
from cli.page.table import table_of
from cli.seat.charter_text import game_of
from cli.wording import hand_label
from p2p304.games import register
from protocol.places import EPOCH
from protocol.table.events import HandEnded
from protocol.transcript.auditor import Auditor, results
from protocol.transcript.checks import AUDITED, BY_NAME
from tests.client.highest_card import ENTRY, NAME
from tests.long import long
from tests.vectors.rehearsal import Rehearsal
from tests.verifier.pages import MARKUP, Parts, hostile, of_module

pytestmark = pytest.mark.xdist_group("verifier")

SAVED_HANDS = DEFAULT / "hands"
HANDS = sorted(path.name for path in SAVED_HANDS.glob("*.p304"))
FEW = ["passed-out.p304", "ruled.p304", "spoilt.p304"]
ASK = """
const fs = require('fs');
const said = [];
globalThis.self = { postMessage: (data) => said.push(data) };
const { worker, files } = JSON.parse(fs.readFileSync(0, 'utf-8'));
(0, eval)(worker);
const verdicts = files.map((file) => {
  said.length = 0;
  self.onmessage({ data: Uint8Array.from(Buffer.from(file, 'base64')).buffer });
  return said.at(-1);
});
console.log(JSON.stringify(verdicts));
"""
SEEN = (
    "asked.steps.map((step) => ({...step, seen: "
    "Array.from({ length: asked.seats }, (_, seat) => m.seenBy(step, seat))}))"
)
SHOWN = (
    "[...asked.told.map((each) => m.shownHands(each, asked.verdict)), asked.scenes.map(m.scenesOf)]"
)


def made(name: str) -> bytes:
    return page(table_of([str(SAVED_HANDS / name)]))


@pytest.fixture(scope="module")
def passed_out() -> PageTable:
    return table_of([str(SAVED_HANDS / "passed-out.p304")])


def judged(node: str, parts: Parts, *more: bytes) -> list[dict[str, Any]]:
    files = [parts.block(f"file{n}") for n in range(len(parts.data["files"]))]
    files += [b64encode(each).decode() for each in more]
    asked = json.dumps({"worker": parts.block("worker"), "files": files})
    done = subprocess.run(
        [node, "-e", ASK], input=asked, capture_output=True, text=True, check=True
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def of_web(node: str, name: str, code: str, asked: Any) -> list[Any]:
    """What code makes of a module of the page's script and what it is asked."""
    return of_module(node, FOLDER / "web" / f"{name}.mjs", code, asked)


def test_a_hand_is_told_alike_where_its_file_holds_no_more_of_its_match() -> None:
    auditor = Auditor(game_of)
    events = [*auditor.feed((SAVED_HANDS / "closed.p304").read_bytes())]
    charter = auditor.finish().charter
    alone = [replace(each, scores=()) if isinstance(each, HandEnded) else each for each in events]
    game = game_of(charter)
    assert alone != events
    assert hands_of(game, charter, alone) == hands_of(game, charter, events)


@pytest.mark.parametrize("name", [*FEW, *long(*(each for each in HANDS if each not in FEW))])
def test_a_page_is_small_and_its_verifier_counts_as_an_audit_does(node: str, name: str) -> None:
    whole = made(name)
    assert len(whole) < 700_000
    parts = Parts(whole)
    report = audit_file(str(SAVED_HANDS / name)).report
    [said] = judged(node, parts)
    verdict = said["verdict"]
    assert verdict["valid"]
    counted = {each["name"]: (each["result"], each["count"]) for each in verdict["checks"]}
    assert counted == {
        check: (result, report.passed[check] if result == "passed" else 0)
        for check, result in results(report).items()
    }
    assert verdict["fingerprint"] == report.charter.fingerprint if report.charter else None
    hands = table_of([str(SAVED_HANDS / name)]).hands
    asked = {"told": [], "verdict": verdict, "scenes": [hand.steps for hand in hands]}
    (scenes,) = of_web(node, "scenes", SHOWN, asked)
    assert [hand["steps"] for hand in verdict["hands"]] == scenes
    assert [hand["deeds"] for hand in verdict["hands"]] == [
        [{"seat": seat, "text": text} for seat, text in hand.deeds] for hand in hands
    ]


@pytest.fixture(scope="module")
def verdicts(node: str, passed_out: PageTable) -> dict[str, dict[str, Any]]:
    """What a page's verifier says of the page's own transcript and of others, by what they are."""
    sound = passed_out.files[0].data
    changed = bytearray(sound)
    changed[20_000] ^= 1
    others = {
        "changed": bytes(changed),
        "cut": sound[:9_000],
        "empty": b"",
        "junk": b"GIF89a" * 1_000,
        "markup": MARKUP.encode(),
    }
    said = judged(node, Parts(page(passed_out)), *others.values())
    assert all("verdict" in each for each in said), said
    return dict(zip(("sound", *others), (each["verdict"] for each in said), strict=True))


def test_nothing_that_a_page_tells_stands_for_what_its_verifier_found(
    node: str, passed_out: PageTable, verdicts: dict[str, dict[str, Any]]
) -> None:
    """Dealer, scores, deeds, calls, cards and places put into the page's data are never shown."""
    found = verdicts["sound"]
    told = Parts(page(passed_out)).data["hands"]
    (hand,) = passed_out.hands
    forged = json.loads(json.dumps(hand_data(hand, 0, scenes=True)))
    forged |= {"dealer": (hand.dealer + 1) % 4, "before": [280, 4], "after": [1, 1], "over": True}
    forged["deeds"][1][1] = "bid 280"
    forged["steps"][2]["now"] |= {"calls 1": ["280"], "cards 1": ["JS"], "contract": ["280"]}
    forged["steps"][3]["all"] |= {"lying": [[0, "JS", False, "wins", True]], "counts": []}
    forged["words"][1][0] = "failed 280: pay 4 tokens"
    asked = {"told": [told, [forged], [], [forged, forged]], "verdict": found, "scenes": []}
    honest, attacked, bare, doubled, _ = of_web(node, "scenes", SHOWN, asked)
    facts = [name for name in honest[0] if name not in ("words", "file")]
    for shown in (attacked, bare, doubled):
        assert [{name: each[name] for name in facts} for each in shown] == [
            {name: each[name] for name in facts} for each in honest
        ]
    assert honest[0]["steps"] == found["hands"][0]["steps"]
    assert honest[0]["judged"]
    assert honest[0]["valid"]
    changed = {**found, "valid": False}
    (spoilt,), _ = of_web(
        node, "scenes", SHOWN, {"told": [[forged]], "verdict": changed, "scenes": []}
    )
    assert not spoilt["valid"]
    assert spoilt["steps"] == found["hands"][0]["steps"]


def test_no_fact_of_a_known_game_is_in_the_data_of_its_page(passed_out: PageTable) -> None:
    data = Parts(page(passed_out)).data
    assert [{*hand} for hand in data["hands"]] == [{"file", "number", "words"}]
    assert data["judged"] is True


def test_a_game_that_the_verifier_does_not_know_is_not_judged_and_never_invalid(
    node: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, place = tmp_path / "highest.p304", tmp_path / "page.html"
    with register(NAME, ENTRY):
        table = Rehearsal("page of another game", NAME, "")
        table.play(1)
        path.write_bytes(table.transcript())
        assert main(["page", str(path), "-o", str(place)]) == 0
        (hand,) = table_of([str(path)]).hands
    assert f"does not know the game {NAME}" in capsys.readouterr().out
    parts = Parts(place.read_bytes())
    assert parts.data["judged"] is False
    [said] = judged(node, parts)
    verdict = said["verdict"]
    assert (verdict["known"], verdict["valid"], verdict["game"]) == (False, False, NAME)
    assert verdict["fingerprint"]
    asked = {"told": [parts.data["hands"]], "verdict": verdict, "scenes": [hand.steps]}
    (shown,), scenes = of_web(node, "scenes", SHOWN, asked)
    assert shown["judged"] is shown["valid"] is False
    assert [shown["steps"]] == scenes


COUNTED = """((hand) => [
  m.countedOf(hand), m.auctionsOf(hand, asked.seats), m.tricksOf(hand),
  hand.steps.map(({ now }) => m.trickOf(now)), m.firstCards(hand), hand.marks,
])(m.shownHand(null, asked.verdict, 0))"""


def test_the_score_is_counted_from_the_scenes_of_the_verifier(node: str) -> None:
    """Points of hidden cards are counted at the end; tokens, which are paid then, are no plot."""
    [said] = judged(node, Parts(made("closed.p304")))
    asked = {"verdict": said["verdict"], "seats": 4}
    counted, auctions, tricks, numbers, first, marks = of_web(node, "scenes", COUNTED, asked)
    plotted = {each["word"]: each["rows"] for each in counted}
    assert plotted.keys() == {"Tricks", "Points"}
    assert plotted["Points"][0] == [0, 0]
    assert plotted["Points"][-1] == [182, 122]
    assert (len(plotted["Tricks"]), len(plotted["Points"])) == (9, 10)
    assert len(auctions) == 2
    assert "180" in auctions[0][2]
    assert [len(trick) for trick in tricks] == [4] * 8
    assert all(sum(lies[4] for lies in trick) == 1 for trick in tricks)
    assert numbers[first] == 0
    assert first == 1
    for trick, mark in enumerate(marks, 1):
        assert numbers[mark] == trick
    played = [n for n, deed in enumerate(said["verdict"]["hands"][0]["deeds"], 1)
              if deed["text"].startswith(("play ", "down "))]  # fmt: skip
    assert [numbers[step] for step in played] == [1 + n // 4 for n in range(32)]


def test_a_hand_that_is_still_played_is_never_shown_as_valid(node: str) -> None:
    states = ("running", "valid", "open", "invalid", "unjudged")
    asked = [[judged, state] for judged in (True, False) for state in states]
    said = of_web(
        node,
        "scenes",
        "asked.map(([judged, state]) => m.standingOf({ judged }, [state])[0])",
        asked,
    )
    assert said == [*states, "running", "waiting", "waiting", "invalid", "unjudged"]


def test_names_in_a_plot_lie_apart_and_inside(node: str) -> None:
    heights = sorted(of_web(node, "plot", "m.apart(asked)", [132, 132, 10, 132]))
    assert all(above + 11 <= below for above, below in pairwise(heights))
    assert heights[0] >= 10
    assert heights[-1] <= 142


def test_through_the_eyes_of_a_seat_its_own_cards_are_seen_and_no_others(node: str) -> None:
    [said] = judged(node, Parts(made("closed.p304")))
    hand = said["verdict"]["hands"][0]
    steps = of_web(node, "scenes", SEEN, {"steps": hand["steps"], "seats": 4})
    own = other = 0
    for step in steps:
        for seat, seen in enumerate(step["seen"]):
            for name, value in seen.items():
                if name in (f"cards {seat}", f"beside {seat}"):
                    assert value == step["all"][name]
                    own += value != step["now"][name]
                elif name == "lying":
                    for lies, was, whole in zip(
                        value, step["now"][name], step["all"][name], strict=True
                    ):
                        assert lies == (whole if lies[0] == seat else was)
                        other += lies != whole
                else:
                    assert value == step["now"][name]
    assert own > 0
    assert other > 0


def test_a_page_calls_a_hand_after_a_ruling_as_the_terminal_does(node: str) -> None:
    numbers = [0, 7, EPOCH - 1, EPOCH, EPOCH + 2, 2 * EPOCH, 3 * EPOCH + 11]
    words = json.loads((FOLDER / "words.json").read_text("utf-8"))
    asked = {"numbers": numbers, "words": words}
    assert of_web(
        node, "labels", "asked.numbers.map((each) => m.called(each, asked.words))", asked
    ) == [hand_label(each) for each in numbers]


def test_the_bundled_verifier_names_the_check_that_fails(
    verdicts: dict[str, dict[str, Any]],
) -> None:
    checks = {name: (each["broken"] or {}).get("check") for name, each in verdicts.items()}
    assert checks == {
        "sound": None,
        "changed": "signature",
        "cut": "transcript.incomplete",
        "empty": "transcript.incomplete",
        "junk": "transcript.format",
        "markup": "transcript.format",
    }
    for verdict in verdicts.values():
        failed = [each["name"] for each in verdict["checks"] if each["result"] == "failed"]
        assert failed == ([verdict["broken"]["check"]] if verdict["broken"] else [])


def test_evidence_is_judged_on_a_page_as_by_an_audit(node: str) -> None:
    files = sorted((DEFAULT / "evidence").glob("*.p304e"))
    spoilt = bytearray(files[0].read_bytes())
    spoilt[-1] ^= 1
    said = judged(node, Parts(page(None)), *(each.read_bytes() for each in files), bytes(spoilt))
    for path, each in zip(files, said[:-1], strict=True):
        verdict, ours = each["verdict"], check_evidence_file(str(path))
        whose = "referee" if ours.referee else "seat"
        assert (verdict["evidence"][whose], verdict["evidence"]["check"]) == (
            ours.seat,
            ours.check,
        )
        assert ours.referee or verdict["seats"][ours.seat]["key"] == ours.key
        assert verdict["fingerprint"] == ours.charter.fingerprint
        assert verdict["evidence"]["meaning"]
        if ours.referee:
            assert verdict["referees"][verdict["evidence"]["referee"]] == ours.key
    assert said[-1]["verdict"]["evidence"]["seat"] is None
    assert not said[-1]["verdict"]["valid"]
    assert len(said) == len(files) + 1 > 4


def test_a_page_runs_its_own_script_alone_and_asks_nobody(passed_out: PageTable) -> None:
    for whole in (page(passed_out), page(None)):
        parts = Parts(whole)
        policy = next(given["content"] for name, given in parts.elements if "http-equiv" in given)
        rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
        script, style = (
            next(held for tag, given, held in parts.raw if tag == name and "type" not in given)
            for name in ("script", "style")
        )
        assert rules == {
            "default-src": "'none'",
            "base-uri": "'none'",
            "form-action": "'none'",
            "worker-src": "blob:",
            "script-src": f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
            "style-src": f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'",
        }
        for name, given in parts.elements:
            assert not any(each.startswith("on") or each in ("src", "style") for each in given), (
                name
            )
            assert not any("://" in (value or "") for value in given.values()), given
        assert not re.search(r"\b(fetch|XMLHttpRequest|innerHTML|localStorage|indexedDB)\b", script)


def test_a_page_reads_as_text_without_its_script(passed_out: PageTable) -> None:
    text = Parts(page(passed_out)).text
    hand = passed_out.hands[0]
    assert hand.story
    for line in (*hand.story, hand.result, *(line for _, line in hand.summary), passed_out.charter):
        assert line in text
    assert "Whose the keys are" in text
    assert "Not judged" in text


def test_the_story_of_a_hand_ends_with_its_play() -> None:
    (hand,) = table_of([str(SAVED_HANDS / "spoilt.p304")]).hands
    assert hand.story
    assert hand.summary
    assert hand.result not in hand.story
    assert not any(row.startswith(label) for row in hand.story for label, _ in hand.summary)


def test_markup_in_every_text_stays_text() -> None:
    table = table_of([str(SAVED_HANDS / "two-hands.p304")])
    sound, attacked = Parts(page(table)), Parts(page(hostile(table)))
    assert attacked.names == sound.names | {"em"}
    counts = [sum(name == "script" for name, _ in each.elements) for each in (sound, attacked)]
    assert counts == [4, 4]
    assert MARKUP in attacked.text
    assert attacked.data["hands"][0]["words"][0][0].startswith(MARKUP)
    assert attacked.block("worker") == sound.block("worker")
    for name, given in attacked.elements:
        assert not any(each.startswith("on") or each == "src" for each in given), name


def test_the_same_files_give_the_same_page_in_every_process(
    passed_out: PageTable, tmp_path: Path
) -> None:
    place = tmp_path / "a page.html"
    source = str(SAVED_HANDS / "passed-out.p304")
    code = "import sys; from cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "page", source, "-o", str(place)],
        env={"PYTHONHASHSEED": "7", "PATH": "", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    whole = page(passed_out)
    assert place.read_bytes() == whole
    assert f"{len(whole):,} bytes, SHA-256 {sha256(whole).hexdigest()}" in done.stdout
    assert b64decode(Parts(whole).block("file0")) == Path(source).read_bytes()


def test_the_readme_states_the_digest_of_the_verifier_alone(tmp_path: Path) -> None:
    place = tmp_path / "verifier.html"
    assert main(["page", "--empty", "-o", str(place)]) == 0
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    stated = re.search(r"SHA-256 of `p2p304 page --empty`: `([0-9a-f]{64})`", readme)
    assert stated[1] == sha256(place.read_bytes()).hexdigest(), "run 'make bundle'"
    assert Parts(place.read_bytes()).data["hands"] == []


def test_the_names_of_checks_are_those_of_the_page_of_the_specification(node: str) -> None:
    top = Path(__file__).parents[2]
    source = str(DEFAULT.parent / "06-files.md")
    command = [node, str(top / "verifier" / "node.mjs"), "checks", source]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == (top / "verifier" / "page" / "checks.mjs").read_text("utf-8")
    rows = [json.loads(line.rstrip(",")) for line in said.splitlines() if line.startswith("  [")]
    assert [name for name, *more in rows if len(more) == 2] == [each.name for each in AUDITED]
    others = {name for name, *more in rows if len(more) == 1}
    assert {*BY_NAME} - {each.name for each in AUDITED} < others
    assert "evidence.check" in others


def test_what_is_no_page_is_refused_in_a_sentence(tmp_path: Path) -> None:
    closed, other = (str(SAVED_HANDS / f"{name}.p304") for name in ("passed-out", "two-hands"))
    broken = tmp_path / "broken.p304"
    changed = bytearray(Path(closed).read_bytes())
    changed[20_000] ^= 1
    broken.write_bytes(changed)
    with pytest.raises(CheckFailed, match=r"is not valid \(signature\)"):
        table_of([str(broken)])
    with pytest.raises(UserError, match="is of another table"):
        table_of([closed, other])
    assert main(["page", str(SAVED_HANDS), "-o", str(tmp_path / "all.html")]) == 2  # many tables
    assert main(["page"]) == main(["page", "--empty", closed]) == 2
    assert main(["page", closed, "-o", str(tmp_path)]) == 2
    kept = tmp_path / "kept.html"
    kept.write_text("mine")
    assert main(["page", closed, "-o", str(kept)]) == 2
    assert kept.read_text() == "mine"


def test_copies_of_a_hand_from_several_seats_are_on_the_page_once(tmp_path: Path) -> None:
    hand = (SAVED_HANDS / "passed-out.p304").read_bytes()
    for seat in ("mine", "bot-1"):
        (tmp_path / seat).mkdir()
        (tmp_path / seat / "hand.p304").write_bytes(hand)
    paths = tuple(transcripts_of([str(tmp_path)]))
    assert len(paths) == 2
    assert table_of(paths) == table_of(paths[:1])


def test_a_page_is_not_written_over_its_own_hand(tmp_path: Path) -> None:
    hand = tmp_path / "hand.p304"
    hand.write_bytes((SAVED_HANDS / "passed-out.p304").read_bytes())
    before = hand.read_bytes()
    assert main(["page", str(hand), "-o", f"{tmp_path}/../{tmp_path.name}/hand.p304"]) == 2
    assert hand.read_bytes() == before
