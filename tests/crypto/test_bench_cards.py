"""The benchmark of cards measures what it says, at any size."""

from __future__ import annotations

import json

import pytest

from cli.bench import cards as bench_cards
from cli.bench.cards import ShuffleFigures, measure, measure_shuffle


def test_a_measurement_holds_what_is_promised() -> None:
    result = json.loads(json.dumps(measure((2, 3), rounds=1)))
    promised = {"remask_ms", "prove_ms", "verify_ms", "proof_bytes"}
    promised |= {"prove_over_ops", "verify_over_ops"}
    for cards in (2, 3):
        row = result[f"n{cards}"]
        assert promised <= row.keys()
        assert row["cards"] == cards
        assert row["proof_bytes"] == 98 * cards + 228
        assert all(row[key] > 0 for key in promised)
    assert result["deal"]["bytes"] == 41_096
    assert result["statements"]["hand-over"]["bytes"] == 227


def test_the_floor_of_operations_is_below_the_whole() -> None:
    figures = measure_shuffle(8, rounds=3)
    assert isinstance(figures, ShuffleFigures)
    assert figures.prove_multiplications == 2 * 8 + 5 * 8 + 3
    assert figures.verify_multiplications == 9 * 8 + 12
    assert 0 < figures.prove_ops_ms < 2 * (figures.remask_ms + figures.prove_ms)
    assert 0 < figures.verify_ops_ms < 2 * figures.verify_ms


def test_the_table_has_a_line_for_every_size(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_cards, "SIZES", (2,))
    small = measure((2,), rounds=1)
    monkeypatch.setattr(bench_cards, "measure", lambda: small)
    bench_cards.run(json=True)
    assert json.loads(capsys.readouterr().out)["n2"]["proof_bytes"] == 424
    bench_cards.run(json=False)
    table = capsys.readouterr().out
    assert "424" in table
    assert "A deal of 32 cards to 4 seats" in table
