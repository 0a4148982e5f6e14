"""The verifier with one check taken out: some test must fail, or the check is untested.

Each mutant changes one line of the product in a copy of the tree and runs the tests that should
notice. `P2P304_CAMPAIGN=1 pytest tests/crypto/test_card_verifier_mutants.py` runs them all; the
ordinary run only holds that every mutant still applies.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CAMPAIGN = os.environ.get("P2P304_CAMPAIGN") == "1"

SHUFFLE = ("test_shuffle.py", "test_shuffle_forgeries.py", "test_card_pins.py")
DECK = ("test_deck.py", "test_card_pins.py")
MASKING = ("test_masking.py", "test_card_pins.py")
PROVING = ("test_proving.py", "test_card_pins.py")
MUTATED = ("test_card_mutations.py", "test_masking.py", "test_deck.py", "test_proving.py")


@dataclass(frozen=True)
class Mutant:
    """`old` becomes `new`, everywhere in one file, and one of `tests` must fail."""

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]


def shuffle(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"shuffle: {name}", "protocol/shuffle.py", old, new, SHUFFLE)


def masking(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"masking: {name}", "protocol/masking.py", old, new, MASKING)


def equality(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"equality: {name}", "protocol/equality.py", old, new, (*DECK, *PROVING))


def handover(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"hand-over: {name}", "protocol/handover.py", old, new, DECK)


def shares(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"shares: {name}", "protocol/shares.py", old, new, DECK)


def distinction(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"distinction: {name}", "protocol/distinction.py", old, new, PROVING)


def score(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"score: {name}", "protocol/score.py", old, new, PROVING)


def deck(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"deck: {name}", "protocol/deck.py", old, new, (*DECK, *PROVING))


def proving(name: str, old: str, new: str) -> Mutant:
    return Mutant(f"proving: {name}", "protocol/proving.py", old, new, PROVING)


def bound(field: str, old: str) -> Mutant:
    return Mutant(f"context: {field}", "protocol/context.py", old, "", PROVING)


MUTANTS = (
    # What the shuffle's challenges absorb.
    shuffle("keys are not absorbed", "            join(self.keys),\n", ""),
    shuffle(
        "cards before are not absorbed",
        '            b"".join([join(card) for card in self.before]),\n',
        "",
    ),
    shuffle(
        "cards after are not absorbed",
        '            b"".join([join(card) for card in self.after]),\n',
        "",
    ),
    shuffle(
        "the label is not absorbed", "            labels.SHUFFLE_ARGUMENT,\n", '            b"",\n'
    ),
    shuffle(
        "the verifier forgets the commitments",
        "statement.to_bytes() + join(proof.commitments)",
        "statement.to_bytes()",
    ),
    shuffle("the verifier forgets the chain", "    sponge.absorb(join(proof.chain))\n", ""),
    shuffle(
        "the verifier forgets the announcements",
        "    sponge.absorb(join(proof.announcements))\n",
        "",
    ),
    shuffle(
        "final weights forget the responses",
        "    sponge.absorb(join((), (*proof.sums, *proof.responses)))\n",
        "",
    ),
    shuffle("the context is not bound", "context.session_identifier(purpose)", "bytes(32)"),
    # What the verifier checks.
    shuffle(
        "no count",
        "if {len(proof.commitments), len(proof.chain), len(proof.responses)} != {count}:",
        "if False:",
    ),
    shuffle("no equation", "    if reached != announced:", "    if False:"),
    shuffle(
        "no matrix equation",
        "    matrix, chain, mask = draw_weights(sponge, _SUMS)",
        "    matrix, chain, mask = 0, *draw_weights(sponge, _SUMS)[1:]",
    ),
    shuffle(
        "no chain equation",
        "    matrix, chain, mask = draw_weights(sponge, _SUMS)",
        "    matrix, chain, mask = draw_weights(sponge, _SUMS)\n    chain = 0",
    ),
    shuffle(
        "no mask equation",
        "    matrix, chain, mask = draw_weights(sponge, _SUMS)",
        "    matrix, chain, mask = draw_weights(sponge, _SUMS)\n    mask = 0",
    ),
    shuffle(
        "halves are added without weights", "[1, *draw_weights(sponge, halves - 1)]", "[1] * halves"
    ),
    shuffle("the chain is not tied to the sum", "return cls(links, total,", "return cls(links, 0,"),
    shuffle(
        "the chain is not tied to the product", "cls(links, total, last,", "cls(links, total, 0,"
    ),
    shuffle("the links are not tied", "return cls(links,", "return cls([0] * count,"),
    shuffle(
        "an identity is a crash",
        '    except IdentityPoint:\n        raise ProofError("shuffle.identity") from None',
        "    except ZeroDivisionError:\n        raise",
    ),
    shuffle("no self-check", "    if self_check:\n", "    if False:\n"),
    Mutant(
        "weights: all are 1",
        "protocol/weights.py",
        "    low = int.from",
        "    return 1\n    low = int.from",
        SHUFFLE,
    ),
    # Lengths and encodings.
    Mutant(
        "layout: any length",
        "protocol/layout.py",
        "if len(data) != expected:",
        "if len(data) < expected:",
        MUTATED,
    ),
    Mutant(
        "layout: any type",
        "protocol/layout.py",
        "if type(data) is not bytes:",
        "if False:",
        MUTATED,
    ),
    # Keys.
    masking("generator", "    if GENERATOR in step.keys:", "    if False:"),
    masking("equal halves", "    if card == suit:", "    if False:"),
    masking("a card key seen before", "card.to_bytes() in used or ", ""),
    masking("a suit key seen before", " or suit.to_bytes() in used", ""),
    masking(
        "no proof of possession",
        "        verify_compact(_key_relation(step.keys), step.proof, session=session)\n",
        "        pass\n",
    ),
    masking(
        "possession of one key",
        "    for key in keys:\n        builder",
        "    for key in keys[:1]:\n        builder",
    ),
    masking(
        "a sum that is the identity",
        '        raise ProofError("key.sum") from None',
        "        raise",
    ),
    masking(
        "a start deck with the identity",
        '        raise ProofError("deck.start") from None',
        "        raise",
    ),
    # Batches.
    equality(
        "weights do not depend on the batch",
        "DuplexSponge(bound)",
        "DuplexSponge(bytes(32))",
    ),
    equality("weights are 1", "(Scalar(weight), difference[0])", "(Scalar(1), difference[0])"),
    equality("keys are not bound", "        join(statement.keys),\n", ""),
    equality("the session is not bound", "        session,\n        join", "        join"),
    equality("images are not bound", "(statement.bases, *statement.images)", "(statement.bases,)"),
    equality("bases are not bound", "(statement.bases, *statement.images)", "statement.images"),
    equality(
        "no check", "        verify_compact(relation, proof, session=bound)\n", "        pass\n"
    ),
    shares("no count", "    if len(batch.shares) != len(cards):", "    if False:"),
    shares(
        "an identity is a crash",
        '        raise ProofError("shares.identity") from None',
        "        raise",
    ),
    # Hand-overs.
    handover("a cover seen before", "    if message.cover.to_bytes() in covers:", "    if False:"),
    handover(
        "no proof",
        "        verify_compact(_relation(card, owner, reader, message), message.proof, "
        "session=session)\n",
        "        pass\n",
    ),
    handover(
        "the cover is not tied",
        "    builder.equation([builder.element(message.cover)], "
        "[(cover_secret, GENERATOR_INDEX)])\n",
        "",
    ),
    handover(
        "the owner's keys are not tied",
        "        builder.equation([builder.element(own)], [(secret, GENERATOR_INDEX)])\n",
        "",
    ),
    # Distinctions.
    distinction(
        "no count", "    if [len(row) for row in proof.witnessed] != ", "    if False and [] != "
    ),
    distinction(
        "Z is not tied to y",
        "        builder.equation([scaled], [(product, GENERATOR_INDEX)])\n",
        "",
    ),
    distinction(
        "Z is not tied to the key",
        "        builder.equation([scaled], [(blind, key_index)])\n",
        "",
    ),
    distinction(
        "no check of one list",
        "            verify_compact(relations[0], proof.proof, session=session)\n",
        "            pass\n",
    ),
    distinction(
        "no check of alternatives",
        "            verify_any(relations, proof.proof, session=session)\n",
        "            pass\n",
    ),
    # Scores.
    score("a row twice", "    if len(set(proof.places)) != len(hidden) or len", "    if len"),
    score("no sum below", "    if not below:", "    if False:"),
    score(
        "a place beyond the table",
        "    if any(place >= size for place in places):",
        "    if False:",
    ),
    score("any length", "    if len(data) != cards_end +", "    if len(data) < cards_end +"),
    score(
        "cards are not their rows",
        "    verify_equality(\n        _same_cards",
        "    (lambda *_, **__: None)(\n        _same_cards",
    ),
    score(
        "rows are not the table",
        "    verify_shuffle(\n",
        "    (lambda *_, **__: None)(\n",
    ),
    score(
        "any sum",
        "        verify_any(\n            _sum",
        "        (lambda *_, **__: None)(\n            _sum",
    ),
    # The deck.
    deck(
        "cards of other seats", "        if self.locks == {seat}:", "        if seat in self.locks:"
    ),
    deck("a slot that is not there", "        if slot not in self.slots:", "        if False:"),
    deck("a slot dealt twice", "            if hidden.owner is not None:", "            if False:"),
    deck(
        "a shuffle after dealing",
        "        if any(hidden.owner is not None for hidden in self.slots.values()):",
        "        if False:",
    ),
    deck("a shuffle of fewer cards", "    if len(before) != len(after):", "    if False:"),
    deck(
        "shares from one who owes none",
        '            raise ProofError("shares.none"',
        '            print("shares.none"',
    ),
    deck("handed over again", "        if hidden.under(reader) is not None:", "        if False:"),
    deck("covers are forgotten", "self.covers | {message.cover.to_bytes()}", "self.covers"),
    deck("a slot twice in a remix", " or len(set(before)) != len(before)", ""),
    deck(
        "slots that are not new",
        "        new = set(after) - set(self.slots)",
        "        new = set(after)",
    ),
    deck("another face", "        if known is not None:", "        if False:"),
    deck("a card open twice", "        if card in self.faces.values():", "        if False:"),
    deck("a face that is no card", "    if found is None:", "    if False:"),
    deck("halves that disagree", "    if suit_point(found.suit) != _unc", "    if None == _unc"),
    # Statements.
    proving("any number of proofs", "    if len(proofs) != len(claims):", "    if False:"),
    proving("one context for all", "context.part(number)", "context"),
    # The context.
    bound("version", '            self.version.to_bytes(_NUMBER_BYTES, "big"),\n'),
    bound("table", "            self.table,\n"),
    bound("ledger", "            self.ledger,\n"),
    bound("attempt", '            self.attempt.to_bytes(_NUMBER_BYTES, "big"),\n'),
    bound("round", '            self.round.to_bytes(_NUMBER_BYTES, "big"),\n'),
    bound("seat", '            self.seat.to_bytes(_NUMBER_BYTES, "big"),\n'),
    bound("kind", '            self.kind.encode("utf-8"),\n'),
    bound("history", "            self.history,\n"),
    bound("purpose", "            purpose,\n"),
    bound("details", "            *details,\n"),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_still_applies(mutant: Mutant) -> None:
    text = (ROOT / mutant.path).read_text(encoding="utf-8")
    assert mutant.old in text
    assert mutant.old != mutant.new
    assert all((ROOT / "tests" / "crypto" / test).exists() for test in mutant.tests)


def run_tests(tree: Path, tests: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    options = ("-x", "-q", "--no-header", "-p", "no:cacheprovider")
    paths = [f"tests/crypto/{test}" for test in tests]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *paths],
        cwd=tree,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product and its tests, in which all of them pass."""
    copy = tmp_path_factory.mktemp("mutants")
    for folder in ("p2p304", "protocol"):
        shutil.copytree(ROOT / folder, copy / folder)
    shutil.copytree(ROOT / "tests" / "crypto", copy / "tests" / "crypto")
    shutil.copy(ROOT / "pyproject.toml", copy)
    everything = {test for mutant in MUTANTS for test in mutant.tests}
    honest = run_tests(copy, tuple(sorted(everything)))
    assert honest.returncode == 0, honest.stdout[-2000:]
    return copy


@pytest.mark.skipif(not CAMPAIGN, reason="P2P304_CAMPAIGN=1 runs it")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_some_test_notices(mutant: Mutant, tree: Path) -> None:
    path = tree / mutant.path
    honest = path.read_text(encoding="utf-8")
    path.write_text(honest.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        run = run_tests(tree, mutant.tests)
    finally:
        path.write_text(honest, encoding="utf-8")
    # 1: a test failed; 2: one failed while it was collected, where proofs are made already.
    assert run.returncode in (1, 2), run.stdout[-2000:]
