"""What an audit of several files tells of a match that went on at another table."""

from __future__ import annotations

from pathlib import Path

from cli.auditing import check_evidence_file
from cli.local.continuing import terms_of
from cli.table_changes import told_changes
from protocol.table.evidence import evidence_from_bytes
from protocol.wire.contents import Continuation
from tests.table.going_on import GAME, PRESENT, gone_on, left_after, played, report_of, standing_of
from tests.table.refereed import refereed_charter


def test_a_change_is_told_with_who_stayed_and_who_seats_a_bot() -> None:
    before = left_after(2)
    files = [report_of(before, 0), report_of(gone_on(before), 0)]
    (told,) = told_changes(files)
    assert not told.wrong
    assert told.sentence.endswith(
        "as it stood there; South (Amal), East (Bimal), North (Chitra) stayed; West (Devi) is a bot"
        " of South (Amal)"
    )
    (alone,) = told_changes(files[1:])
    assert "whose hand 1 is not among these files" in alone.sentence
    assert not alone.wrong
    assert list(told_changes(files[:1])) == []


def test_a_change_to_other_scores_is_told_by_its_check() -> None:
    before = left_after(2)
    one, *rest = standing_of(before).scores
    term = standing_of(before).going_on(PRESENT)._replace(scores=(one + 1, *rest))
    after = gone_on(before, term=term)
    (told,) = told_changes([report_of(after, 0), report_of(before, 0)])
    assert told.wrong
    assert "continuation.scores fails" in told.sentence
    assert told.as_json()["check"] == "continuation.scores"


def test_a_founder_keeps_the_terms_of_the_table_before() -> None:
    standing = standing_of(left_after(2))._replace(kept=refereed_charter().terms)
    word = Continuation(1, bytes(16), 0, 0b0111, ((3, 0),), 1, bytes(32))
    first, *others = terms_of(word, standing)
    assert first.name == "continues"
    assert tuple(others) == refereed_charter().terms


def test_who_played_at_two_tables_is_told_and_the_evidence_is_kept(tmp_path: Path) -> None:
    left = left_after(2)
    files = [report_of(played(0, hands=1), 0), report_of(gone_on(left), 0)]
    place = tmp_path / "proof.p304e"
    wrong, *convicted = told_changes(files, save=str(place))
    assert "continuation.point" in wrong.sentence
    assert len(convicted) == len(PRESENT)
    for number, each in enumerate(convicted, 1):
        assert each.convicts
        kept = tmp_path / f"proof-fork-{number}.p304e"
        assert kept.name in each.sentence
        assert evidence_from_bytes(kept.read_bytes()).charter.game == GAME.name
    again = list(told_changes(files, save=str(place)))
    assert "was not saved" in again[1].sentence  # nothing is written over


def test_evidence_of_two_tables_is_judged_by_its_file() -> None:
    for name in ("played-on-where-others-went-on", "two-tables-that-go-on-with-one"):
        found = check_evidence_file(f"specs/vectors/evidence/{name}.p304e")
        assert found.check.startswith("continuation.")
        assert found.seat == 0
