"""Bots and hints think in a process apart; a bot answers after a moment that tells nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import closing
from functools import partial
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any

import psutil
import pytest

from cli.bounds import BOT_THINKS
from cli.commands.opponents import SEATED, Opponents
from cli.decision import Decision, think
from cli.errors import UserError
from cli.front.assistant import hint
from cli.front.writing import Writer
from cli.local.bot_processes import Bot
from cli.local.sitting import new_setup, new_table
from cli.local.transcripts import compute
from cli.net.address import BrokerAddress
from cli.seat.bots import AnswerMoment, BotSeat
from cli.tasks import Errands, first, never, together
from cli.workers import Thinker, Worker, WorkerEnded, Workers
from p2p304.bots.advice import Advice
from p2p304.bots.players import PLAYERS, RandomPlayer304
from p2p304.errors import RulesError
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import PlaceBid, PlayCard, PlayDown
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.client.moments import Clock, shuffled
from tests.long import long

GAME = create_game("41")


def question(*, seconds: float = 0, game: Any = GAME, level: str = "beginner") -> Decision:
    """What the first seat is to do that has a choice which is no cut."""
    table = shuffled(game, SeededRandomness(2), checks=False)
    while True:
        (seat, *_) = game.contributors(table.state)
        legal = game.legal_actions(table.view(seat))
        if len(legal) > 1 and type(legal[0]).__name__ != "Cut":
            return Decision(game, table.view(seat), 7, level, seconds)
        table.act(seat, legal[0])


def of_another(asked: Decision) -> Decision:
    """What a seat is to do whose turn it is not."""
    game = asked.game
    return asked._replace(view=OpenTable(game, game.pack, SeededRandomness(1)).view(None))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were begun to think in."""
    found: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            found.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return found


# --- its process ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [("304", "pagat"), ("304", "doso_viso"), ("400", "")])
def test_a_process_apart_thinks_as_this_one_does(
    name: tuple[str, str], begun: list[subprocess.Popen[bytes]]
) -> None:
    asked = question(game=create_game(*name))
    with Thinker() as thinker:
        thinker.begin()
        assert thinker.ask(asked) == thinker.ask(asked) == think(asked)
        with pytest.raises(ValueError, match="no legal action"):
            thinker.ask(of_another(asked))
        thinker.begin()
        (process,) = begun
        assert process.poll() is None
    assert process.poll() is not None


def test_a_process_that_was_killed_is_not_missed(begun: list[subprocess.Popen[bytes]]) -> None:
    asked = question()
    with Thinker() as thinker:
        first = thinker.ask(asked)
        begun[0].kill()
        begun[0].wait()
        assert thinker.ask(asked) == thinker.ask(asked) == first
    assert len(begun) == 2, "another one thinks instead"


def test_what_is_asked_after_the_end_is_not_thought_of(
    begun: list[subprocess.Popen[bytes]],
) -> None:
    with Thinker() as thinker:
        thinker.ask(question())
    with pytest.raises(WorkerEnded):
        thinker.ask(question())
    assert len(begun) == 1


# --- its clock ------------------------------------------------------------------------------------


class Late:
    """Time that stands still until it was asked for so often, and then is over."""

    def __init__(self, after: int) -> None:
        self.after, self.asked = after, 0

    def __call__(self) -> float:
        self.asked += 1
        return 0.0 if self.asked <= self.after else 1_000.0


@pytest.mark.parametrize(
    ("profile", "phases"),
    [
        ("pagat", {"AUCTION8", "TRICK"}),
        ("six24", {"AUCTION4", "TRICK"}),
        ("maharashtra", {"TRICK"}),
    ],
)
def test_no_decision_of_a_master_goes_on_once_the_time_is_over(
    profile: str, phases: set[str]
) -> None:
    game, most = create_game("304", profile), 6
    ended = set()
    for seed in range(4):
        table = shuffled(game, SeededRandomness(seed), dealer=Seat(seed % 4), checks=False)
        while table.state.awaiting and not table.state.tricks:
            seat = table.state.awaiting[0]
            clock = Late(most)
            advice = think(Decision(game, table.view(seat), seed, "master", 0.4), clock)
            assert clock.asked <= most + 3, table.state.phase
            if clock.asked > most:
                ended.add(table.state.phase.name)
            table.act(seat, advice.action)
    assert ended >= phases


# --- when a bot answers ---------------------------------------------------------------------------


PROOF = 0.006  #: Seconds that the proof of a card face down takes.


class Slow(Thinker):
    """Thinks the longer, the more there is to choose from."""

    def __init__(self, clock: Clock, each: float) -> None:
        super().__init__()
        self.clock, self.each = clock, each
        self.choices: list[int] = []
        self.player = RandomPlayer304(5)

    def ask(self, question: Decision) -> Advice:
        legal = question.game.legal_actions(question.view)
        self.choices.append(len(legal))
        self.clock.now += self.each * len(legal)
        return Advice(self.player.choose(question.view), "One is as good as another.")


class OpenSeat:
    """A seat at a table of open cards, as far as a bot asks it."""

    def __init__(self, table: OpenTable, seat: Seat) -> None:
        self.table, self.seat, self.game = table, seat, table.game

    def hand(self) -> None:
        """No hand is known by its number."""

    def view(self) -> View[Any]:
        return self.table.view(self.seat)

    def legal_actions(self) -> Any:
        return self.game.legal_actions(self.view())


async def played(each: float) -> tuple[list[int], list[float]]:
    """Hands of slow bots: for each card the number of choices, and the seconds until it left."""
    game, clock, chance = create_game("304", "pagat"), Clock(), SeededRandomness(4)
    thinker = Slow(clock, each)
    bot = BotSeat(
        1, thinker=thinker, moment=AnswerMoment(BOT_THINKS, clock=clock, sleep=clock.sleep)
    )
    choices, moments = [], []
    for _ in range(3):
        table = shuffled(game, chance, checks=False)
        while table.state.awaiting:
            seat: Any = OpenSeat(table, table.state.awaiting[0])
            began = clock.now
            action = await bot.decide(seat)
            clock.now += PROOF if isinstance(action, PlayDown) else PROOF / 20
            await bot.made()
            if isinstance(action, PlayCard | PlayDown):
                choices.append(thinker.choices[-1])
                moments.append(round(clock.now - began, 6))
            table.act(seat.seat, action)
    return choices, moments


async def test_a_card_leaves_after_the_same_moment_whatever_there_was_to_choose() -> None:
    choices, moments = await played(BOT_THINKS / 40)
    assert len(moments) > 60
    assert len({*choices}) > 3, "the thought itself took a time for each of them"
    assert {*moments} == {BOT_THINKS}


async def test_a_bot_that_was_too_slow_answers_at_the_next_multiple() -> None:
    clock = Clock()

    moment = AnswerMoment(0.4, clock=clock, sleep=clock.sleep)
    left = []
    for seconds in (0.0, 0.1, 0.39, 0.4, 0.41, 0.79, 1.1):
        began = clock.now
        moment.asked()
        await clock.sleep(seconds)
        await moment.near()
        await clock.sleep(PROOF)
        await moment.come()
        left.append(round(clock.now - began, 6))
    assert left == [0.4, 0.4, 0.4, 0.8, 0.8, 0.8, 1.2]
    moment.asked(told=True)
    at_once = AnswerMoment(0, clock=clock, sleep=clock.sleep)
    at_once.asked()
    began = clock.now
    for each in (moment, at_once):
        await each.near()
        await each.come()
    assert clock.now == began


# --- what a hint names ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [("304", "pagat"), ("41", ""), *long(("304", "six24"))], ids=str)
def test_a_hint_fits_into_two_lines_of_the_smallest_screen(name: tuple[str, str]) -> None:
    game = create_game(*name)
    writer, said = Writer(game.seats), list[str]()
    table = shuffled(game, SeededRandomness(2), checks=False)
    while awaited := game.contributors(table.state):
        view = table.view(awaited[0])
        advice = think(Decision(game, view, 3, "beginner", 0))
        if len(game.legal_actions(view)) > 1:
            said.append(hint(game, view, writer, partial(_known, advice)))
        table.act(awaited[0], advice.action)
    assert len(said) > 15
    assert all(len(wrap(each, 80)) <= 2 for each in said), max(said, key=len)


def _known(advice: Advice, _: Decision) -> Advice:
    return advice


def test_a_hint_says_which_bid_is_made_and_whose_it_is() -> None:
    game = create_game("304", "pagat")
    table = shuffled(game, SeededRandomness(2), checks=False)
    bid = PlaceBid(game.profile.bid_min)
    while table.state.phase is not Phase.TRICK:
        seat = game.contributors(table.state)[0]
        legal = game.legal_actions(table.view(seat))
        table.act(seat, bid if bid in legal else legal[0])
    view = table.view(game.contributors(table.state)[0])
    advice = Advice(game.legal_actions(view)[0], "It did best.", 0.4, 0.7)
    said = hint(game, view, Writer(game.seats), partial(_known, advice))
    whose = Writer(game.seats).seat(table.state.maker)
    assert said.endswith(f"Expected: +0.40 tokens, 160 by {whose} is made in 70%.")


def test_bots_are_seated_with_the_levels_in_the_order_of_their_seats(tmp_path: Path) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    bots = [
        Bot(new_setup(invite, name), tmp_path, (name,))
        for invite, name in zip(table.invites, ("Amara", "Banu", "Chandra"), strict=False)
    ]
    assert [
        each.arguments[1:] for each in Opponents(("master", "club"), 0.4).with_options(bots)
    ] == [
        ("Amara", "--level", "master", "--think", "0.4"),
        ("Banu", "--level", "club", "--think", "0.4"),
        ("Chandra", "--level", "master", "--think", "0.4"),
    ]
    assert {*SEATED} <= {*PLAYERS}


# --- workers --------------------------------------------------------------------------------------

# Functions that processes of our own call: in turn, to their end, and no longer than wanted.


def doubled(number: int) -> int:
    if number < 0:
        raise ValueError("below nothing")
    return 2 * number


def forbidden(_: int) -> int:
    raise RulesError("9.2", "follow suit")


def own_id(_: int) -> int:
    return os.getpid()


def faces(given: MappingProxyType[int, str]) -> MappingProxyType[int, str]:
    return MappingProxyType({**given, 2: "TS"})


def ended_by(number: int) -> int:
    os.kill(os.getpid(), number)
    return number


def begun_for_ever(place: str) -> int:
    Path(place).touch()
    while True:
        time.sleep(60)


def code_of(_: int | str, code: int) -> int:
    return code


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        yield worker


def test_calls_are_answered_one_after_the_other_by_one_process(worker: Worker) -> None:
    assert [worker.call(doubled, each) for each in (1, 2, 3)] == [2, 4, 6]
    assert worker.call(own_id, 0) == worker.call(own_id, 0) != os.getpid()
    with pytest.raises(ValueError, match="below nothing"):
        worker.call(doubled, -1)
    assert worker.call(doubled, 4) == 8


def test_an_error_that_cannot_be_read_back_is_told_and_not_taken_for_another(
    worker: Worker,
) -> None:
    with pytest.raises(RuntimeError, match="follow suit"):
        worker.call(forbidden, 0)
    assert worker.call(doubled, 4) == 8


def test_read_only_mappings_are_sent_and_come_back(worker: Worker) -> None:
    assert worker.call(faces, MappingProxyType({1: "JS"})) == {1: "JS", 2: "TS"}


def test_what_nobody_can_import_there_is_told_and_the_next_call_is_answered(worker: Worker) -> None:
    with pytest.raises((AttributeError, TypeError)):
        worker.call(lambda: None)
    with pytest.raises(TypeError, match="cannot pickle"):
        worker.call(threading.Lock().acquire)  # type: ignore[arg-type]
    assert worker.call(doubled, 4) == 8


def test_the_end_of_whoever_asked_ends_the_process(worker: Worker) -> None:
    process = psutil.Process(worker.call(own_id, 0))
    worker.end()
    process.wait(timeout=300)
    with pytest.raises(WorkerEnded):
        worker.call(doubled, 1)


def test_a_process_that_ends_costs_its_one_call() -> None:
    numbers = [1, 2, signal.SIGKILL, signal.SIGTERM, 3]
    with closing(Workers(2)) as workers:
        found = [
            workers.submit(ended_by if number > 3 else doubled, number, lost=code_of)
            for number in numbers
        ]
        assert [each.result() for each in found] == [2, 4, -signal.SIGKILL, -signal.SIGTERM, 6]


def test_what_is_not_wanted_any_more_is_ended_whatever_it_computes(tmp_path: Path) -> None:
    place = tmp_path / "begun"
    with closing(Workers(1)) as workers:
        process = psutil.Process(workers.submit(own_id, 0, lost=code_of).result())
        endless, later = (
            workers.submit(begun_for_ever, str(each), lost=code_of)
            for each in (place, tmp_path / "later")
        )
        while not place.exists():
            time.sleep(0.01)  # another process is at work
    process.wait(timeout=300)
    for each in (endless, later):
        with pytest.raises(CancelledError):
            each.result()
    assert not (tmp_path / "later").exists()


def test_a_worker_that_was_ended_says_so(worker: Worker) -> None:
    with pytest.raises(WorkerEnded, match=f"exit code -{signal.SIGKILL:d}"):
        worker.call(ended_by, signal.SIGKILL)


# --- tasks ----------------------------------------------------------------------------------------

# Waiting for whichever comes first: what is told, and that nothing goes on afterwards.


async def said(word: str) -> str:
    return word


async def broken_later() -> None:
    await asyncio.sleep(0)
    raise LookupError("later")


class Deaf:
    """Work that loses its first cancellation, as a wait of the library may."""

    def __init__(self) -> None:
        self.lost = 0
        self.ended = False

    async def work(self) -> str:
        try:
            await never()
        except asyncio.CancelledError:
            self.lost += 1
        try:
            await never()
        finally:
            self.ended = True


async def test_the_first_to_end_is_what_is_told_and_the_others_have_ended_by_then() -> None:
    deaf = Deaf()
    assert await first(deaf.work(), said("one"), never()) == "one"
    assert (deaf.lost, deaf.ended) == (1, True)
    assert len(asyncio.all_tasks()) == 1


async def test_what_is_cancelled_from_outside_takes_all_of_its_work_along() -> None:
    deaf = Deaf()
    waiting = asyncio.create_task(first(deaf.work(), never()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert deaf.ended
    assert len(asyncio.all_tasks()) == 1


async def test_what_goes_on_under_the_lock_is_not_cancelled_in_the_middle() -> None:
    lock, begun, done = asyncio.Lock(), asyncio.Event(), []

    async def writing() -> None:
        async with lock:
            begun.set()
            for _ in range(5):
                await asyncio.sleep(0)
            done.append("written")
        await asyncio.sleep(0)
        done.append("too late")

    await first(writing(), begun.wait(), lock=lock)
    assert done == ["written"]


async def test_an_errand_that_fails_ends_the_run_and_every_other_errand() -> None:
    errands = Errands()
    other = errands.start(never())
    errands.start(broken_later())
    with pytest.raises(LookupError, match="later"):
        await errands.run()
    assert other.cancelled()


async def test_together_raises_what_the_first_to_fail_raises_once_the_others_have_ended() -> None:
    left: list[str] = []

    async def waiting() -> None:
        try:
            await never()
        finally:
            left.append("cancelled")

    async def failing() -> None:
        raise UserError("The first one.")

    with pytest.raises(UserError, match="The first one"):
        await together(waiting(), failing())
    assert left == ["cancelled"]


async def test_of_two_that_end_at_once_the_earlier_counts() -> None:
    assert await first(said("one"), said("two"), broken("three")) == "one"


async def broken(word: str) -> str:
    raise LookupError(word)


async def test_what_seats_of_one_process_compute_is_computed_one_after_the_other() -> None:
    meeting = threading.Barrier(2)
    with pytest.raises(threading.BrokenBarrierError):
        await asyncio.gather(*(compute(meeting.wait, timeout=0.2) for _ in range(2)))
