"""Bots answer after a moment that tells nothing of their cards; they think in a process apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli.commands.opponents import SEATED, THINK, Opponents
from cli.net.address import BrokerAddress
from cli.seat.bot_processes import Bot
from cli.seat.bots import BotSeat
from cli.seat.pace import Moment
from cli.seat.sitting import new_table
from cli.thinker import Decision, Thinker
from p2p304.bots.advice import Advice
from p2p304.bots.play304.random304 import RandomPlayer304
from p2p304.bots.players import PLAYERS
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.view import View

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


def test_bots_are_seated_with_the_levels_in_the_order_of_their_seats(tmp_path: Path) -> None:
    table = new_table(BrokerAddress.parse("mqtt://127.0.0.1:1883"), "304", "pagat")
    bots = [
        Bot(invite, tmp_path, name=name)
        for invite, name in zip(table.invites, ("Amara", "Banu", "Chandra"), strict=False)
    ]
    assert [each.arguments[1:] for each in Opponents(("master", "club"), 0.4).seated(bots)] == [
        ("--name", "Amara", "--level", "master", "--think", "0.4"),
        ("--name", "Banu", "--level", "club", "--think", "0.4"),
        ("--name", "Chandra", "--level", "master", "--think", "0.4"),
    ]
    assert {*SEATED} <= {*PLAYERS}
