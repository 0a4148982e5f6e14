"""Bots answer after a moment that tells nothing of their cards; they think in a process apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.commands.opponents import SEATED, THINK, Opponents
from cli.net.address import BrokerAddress
from cli.seat.bot_processes import Bot
from cli.seat.bots import BotSeat
from cli.seat.pace import Moment
from cli.seat.sitting import new_table
from cli.thinker import Decision, Thinker, answered
from p2p304.bots.advice import Advice
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.players import PLAYERS
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View
from tests.client.highest_card.rules import Highest

PROOF = 0.006
"""Seconds that the proof of a card face down takes."""


class Clock:
    """Time that passes when somebody thinks or sleeps, and not otherwise."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


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
    bot = BotSeat(1, thinker=thinker, moment=Moment(THINK, clock=clock, sleep=clock.sleep))
    choices, moments = [], []
    for _ in range(3):
        deck = list(game.pack)
        chance.shuffle(deck)
        table = OpenTable(game, deck, chance, checks=False)
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
    choices, moments = await played(THINK / 40)
    assert len(moments) > 60
    assert len({*choices}) > 3, "the thought itself took a time for each of them"
    assert {*moments} == {THINK}


async def test_a_bot_that_was_too_slow_answers_at_the_next_multiple() -> None:
    clock = Clock()

    moment = Moment(0.4, clock=clock, sleep=clock.sleep)
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
    at_once = Moment(0, clock=clock, sleep=clock.sleep)
    at_once.asked()
    began = clock.now
    for each in (moment, at_once):
        await each.near()
        await each.come()
    assert clock.now == began


def test_thought_ends_when_the_clock_says_so() -> None:
    class Ticking(Clock):
        def __call__(self) -> float:
            self.now += 0.01
            return self.now

    brief, long = Ticking(), Ticking()
    few = answered(question(seconds=0.1), brief)
    many = answered(question(seconds=10.0), long)
    assert few.choices
    assert sum(each.visits for each in few.choices) < sum(each.visits for each in many.choices)
    assert brief.now < long.now


class Late(Clock):
    """Time that stands still until it was asked for so often, and then is over."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after, self.asked = after, 0

    def __call__(self) -> float:
        self.asked += 1
        return self.now if self.asked <= self.after else self.now + 1_000


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
        deck = list(game.pack)
        SeededRandomness(seed).shuffle(deck)
        table = OpenTable(game, deck, SeededRandomness(seed), dealer=Seat(seed % 4), checks=False)
        while table.state.awaiting and not table.state.tricks:
            seat = table.state.awaiting[0]
            clock = Late(most)
            advice = answered(Decision(game, table.view(seat), seed, "master", 0.4), clock)
            assert clock.asked <= most + 3, table.state.phase
            if clock.asked > most:
                ended.add(table.state.phase.name)
            table.act(seat, advice.action)
    assert ended >= phases


def question(*, seconds: float, game: Any = None, level: str = "beginner") -> Decision:
    game = game or create_game("41")
    deck = list(game.pack)
    SeededRandomness(2).shuffle(deck)
    table = OpenTable(game, deck, SeededRandomness(1), checks=False)
    seat = game.contributors(table.state)[0]
    legal = game.legal_actions(table.view(seat))
    while game.name != "highest" and (len(legal) == 1 or type(legal[0]).__name__ == "Cut"):
        table.act(seat, legal[0])
        seat = game.contributors(table.state)[0]
        legal = game.legal_actions(table.view(seat))
    return Decision(game, table.view(seat), 7, level, seconds)


@pytest.mark.parametrize("name", [("304", "pagat"), ("304", "doso_viso"), ("400", "")])
def test_a_process_apart_thinks_as_this_one_does(name: tuple[str, str]) -> None:
    asked = question(seconds=0, game=create_game(*name))
    with Thinker() as thinker:
        assert thinker.ask(asked) == thinker.ask(asked) == answered(asked)
        process = thinker._process
        assert process is not None, "nobody thought here"
        assert process.poll() is None
        with pytest.raises(ValueError, match="no legal action"):
            thinker.ask(
                asked._replace(
                    view=OpenTable(asked.game, asked.game.pack, SeededRandomness(1)).view(None)
                )
            )
    assert process.poll() is not None


def test_what_no_other_process_can_import_is_thought_about_here() -> None:
    asked = question(seconds=0, game=Highest())
    with Thinker() as thinker:
        assert thinker.ask(asked).action in asked.game.legal_actions(asked.view)


def test_a_process_that_was_killed_is_not_missed() -> None:
    asked = question(seconds=0)
    with Thinker() as thinker:
        first = thinker.ask(asked)
        assert thinker._process is not None
        thinker._process.kill()
        thinker._process.wait()
        assert thinker.ask(asked) == first
        assert thinker.ask(asked) == first


def test_bots_are_seated_with_their_levels(tmp_path: Path) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    opponents = Opponents(("club", "steady", "master"), 0.4)
    bots = [
        Bot(invite, tmp_path, name=name)
        for invite, name in zip(table.invites, ("Amara", "Banu", "Chandra 2", "Asha"), strict=True)
    ]
    assert [each.arguments[1:5] for each in opponents.seated(bots)[:2]] == [
        ("--name", "Amara", "--level", "club"),
        ("--name", "Banu", "--level", "steady"),
    ]


def test_levels_are_given_in_the_order_of_the_bots_seats() -> None:
    assert {*SEATED} <= {*PLAYERS}
    mixed = Opponents(("master", "beginner"), 0.4)
    assert [mixed.options(place)[1] for place in range(3)] == ["master", "beginner", "master"]
    assert mixed.options(0)[2:] == ("--think", "0.4")
