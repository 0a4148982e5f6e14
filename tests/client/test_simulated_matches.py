"""`p2p304 simulate --match`: one kind of bot against another, from the command line."""

from __future__ import annotations

import json

import pytest

from cli.errors import CheckFailed, ExitCode
from cli.main import main
from cli.simulation import Pairing, play_duel
from cli.worker_pool import WorkerPool
from p2p304.bots.compare.duels import Duel
from tests.client.test_program import run

WEAK = ("--match", "steady", "random", "--profile", "card304-alpha")


@pytest.mark.long
def test_a_match_is_one_object_whatever_the_number_of_processes() -> None:
    arguments = ("simulate", *WEAK, "--duplicate", "--hands", "30", "--seed", "5", "--json")
    one, two = run(*arguments, "--jobs", "1"), run(*arguments, "--jobs", "2")
    assert one.returncode == ExitCode.DONE, one.stderr
    assert one.stdout == two.stdout
    told = json.loads(one.stdout)
    assert told["hands"] == 30
    assert told["low"] < told["tokens_per_hand"] < told["high"]
    assert told["tokens_per_hand"] > 0
    assert {"matches", "match_win_rate", "match_low", "match_high"} <= told.keys()


def test_a_match_is_told_in_words_and_stops_once_it_is_clear() -> None:
    weak = ("--match", "counting", "random", "--game", "41")
    done = run("simulate", *weak, "--hands", "2000", "--stop", "hands")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert "counting against random" in done.stdout
    assert "score ahead, a hand" in done.stdout
    assert "at all moments together" in done.stdout
    assert "2,000 hands" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--duplicate",), "--duplicate needs --match"),
        (("--match", "counting", "random"), "41 and 400"),
        (("--match", "steady", "random", "--width", "0.1"), "--width says when to stop"),
        (("--match", "steady", "champion"), "'champion' is not one of"),
    ],
    ids=["alone", "other game", "width", "unknown"],
)
def test_what_cannot_be_measured_is_refused(arguments: tuple[str, ...], why: str) -> None:
    done = run("simulate", *arguments)
    assert done.returncode == ExitCode.UNUSABLE
    assert why in done.stderr
    assert done.stdout == ""


def test_what_was_played_before_an_interruption_is_there() -> None:
    duel, heard = Duel(1_000), []

    def advance(steps: int = 1) -> None:
        heard.append(steps)
        if sum(heard) >= 6:
            raise KeyboardInterrupt

    pairing = Pairing("41", "", ("counting", "random"), 3, True)
    with pytest.raises(KeyboardInterrupt):
        play_duel(pairing, duel, lambda _: False, processes=2, advance=advance)
    assert duel.done == sum(heard) >= 6
    assert duel.gained is not None


def judged(number: int) -> int:
    if number == 3:
        raise CheckFailed("three is wrong")
    if number == 4:
        raise SystemExit
    return number * number


def test_a_crew_gives_what_is_done_and_says_what_went_wrong() -> None:
    with WorkerPool(judged, 2) as pool:
        pool.give(5)
        pool.give(6)
        assert not pool.idle
        assert {pool.done(), pool.done()} == {25, 36}
        pool.give(3)
        with pytest.raises(CheckFailed, match="three is wrong"):
            pool.done()
        pool.give(4)
        with pytest.raises(CheckFailed, match="ended before its time"):
            pool.done()


def simulated(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a simulation in this process says."""
    assert main(["simulate", *arguments, "--jobs", "1"]) == ExitCode.DONE
    return capsys.readouterr().out


def test_a_calibration_counts_bids_beliefs_and_oddities_for_people_and_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    random = ("--calibration", "random", "--hands", "3")
    told = json.loads(simulated(capsys, *random, "--json"))
    assert (told["level"], told["hands"]) == ("random", 3)
    shown = simulated(capsys, *random)
    assert shown.endswith("3 hands.\n")
    rows = [line.split()[:2] for line in shown.splitlines()]
    assert all([bid, str(counted["bids"])] in rows for bid, counted in told["bids"].items())
    assert "trump hidden" in shown
    assert "leads an ace or ten with jack and" in shown


def test_a_match_of_few_hands_says_so_and_programs_are_told_every_bound(
    capsys: pytest.CaptureFixture[str],
) -> None:
    match = ("--match", "random", "random", "--hands", "2")
    shown = simulated(capsys, *match, "--duplicate", "--profile", "wikipedia")
    assert "too few" in shown
    assert "1 deal each played both ways; no matches ended." in shown
    told = json.loads(simulated(capsys, *match, "--json"))
    assert told["hands"] == 2
    assert told["interrupted"] is False
    assert told["low"] <= told["tokens_per_hand"] <= told["high"]
