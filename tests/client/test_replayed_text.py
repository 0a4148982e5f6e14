"""Hands as text at the command line: printed by `audit` and `replay`, judged by `replay`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.commands.audit import command as audit
from cli.commands.replay import command as replay
from cli.errors import CheckFailed, UserError
from p2p304.bots.random_player import RandomPlayer
from p2p304.games import create_game, registered
from p2p304.hand_text import LONGEST, format_hand
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import play_hand
from tests.client.highest_card import ENTRY, NAME
from tests.vectors.hands import SAVED_HANDS


@pytest.fixture(params=["closed", "spoilt", "two-hands", "unfinished"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "hand.p304"
    path.write_bytes(SAVED_HANDS[request.param].kept())
    return path


def replayed(file: Path, *more: str) -> Result:
    return CliRunner().invoke(replay, [str(file), *more], standalone_mode=False)


def test_a_saved_hand_is_printed_as_text_and_the_rules_give_the_same(saved: Path) -> None:
    done = CliRunner().invoke(audit, [str(saved), "--text"], standalone_mode=False)
    assert done.exception is None
    assert done.stdout == replayed(saved, "--text").stdout
    assert f"{saved}: valid" in done.stderr
    text = saved.with_suffix(".txt")
    text.write_text(done.stdout)
    told = replayed(text).stdout.splitlines()
    assert told[-1] == f"{done.stdout.count('result ')} hand: by the rules it is so.".replace(
        "2 hand:", "2 hands:"
    )
    explained = CliRunner().invoke(audit, [str(saved), "--explain"], standalone_mode=False).stdout
    story = [line for line in told[:-1] if line not in explained.splitlines()]
    assert not story, "the text tells what the transcript does"


def test_a_result_that_the_rules_do_not_give_is_a_failed_check(tmp_path: Path) -> None:
    path = tmp_path / "hand.p304"
    path.write_bytes(SAVED_HANDS["closed"].kept())
    text = tmp_path / "hand.txt"
    text.write_text(replayed(path, "--text").stdout.replace("result 1 -1", "result 2 -2"))
    failed = replayed(text).exception
    assert isinstance(failed, CheckFailed)
    assert str(failed).endswith("by the rules this is 'result 1 -1', not 'result 2 -2'.")
    assert f"{text}, line 14: " in str(failed)


def test_a_game_of_three_seats_is_told_by_the_numbers_of_its_seats(tmp_path: Path) -> None:
    with registered(NAME, ENTRY):
        game = create_game(NAME)
        players = [RandomPlayer(game, seat) for seat in range(3)]
        hand = play_hand(game, Seat(2), players, game.pack, SeededRandomness(1))
        text = tmp_path / "hand.txt"
        text.write_text(format_hand(game, "", hand.dealer, (), hand.actions))
        assert "dealer 3\n" in text.read_text()
        told = replayed(text).stdout
    assert hand.outcome.summary in told
    assert told.endswith("1 hand: by the rules it is so.\n")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"304 pagat\xc3\xa4", "more than ASCII"),
        (b"304 pagat\n" + b" " * LONGEST, "too long for hands as text"),
    ],
)
def test_what_is_no_text_is_told_in_a_sentence(tmp_path: Path, held: bytes, said: str) -> None:
    text = tmp_path / "hand.txt"
    text.write_bytes(held)
    error = replayed(text).exception
    assert isinstance(error, UserError)
    assert said in str(error)


def test_text_goes_alone(tmp_path: Path) -> None:
    path = tmp_path / "hand.p304"
    path.write_bytes(SAVED_HANDS["passed-out"].kept())
    for other in ("--json", "--explain"):
        done = CliRunner().invoke(audit, [str(path), "--text", other], standalone_mode=False)
        assert isinstance(done.exception, UserError)
    text = tmp_path / "hand.txt"
    text.write_text(replayed(path, "--text").stdout)
    assert isinstance(replayed(text, "--text").exception, UserError)
