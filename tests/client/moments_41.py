"""Decisive moments of a deal of 41, each as the screen that a player then reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from cli.front.story import Told
from cli.front.writing import Writer
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Table, acted, heard, viewed
from cli.screen.overlays import at_the_end
from p2p304.bots.players import player_for
from p2p304.games import create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from protocol.ledger.events import HandEnded
from tests.client.moments import Moment
from tests.client.open_hands import NAMES

SOUTH, WEST = Seat(0), Seat(3)


def _deal() -> Iterator[Table]:
    """South's table before each of its choices in a deal of bots, and at the end."""
    game = create_game("41")
    table = Table(
        game=game,
        telling=telling_of(game),
        writer=Writer(game.seats),
        names=NAMES,
        seat=SOUTH,
        fingerprint="K3QD-77XA-P0QR-51ZZ",
        scores=(12, 7, -3, 20),
        rounds=41,
        proofs=128,
    )
    deck, chance = list(game.pack), SeededRandomness(8)
    chance.shuffle(deck)
    here = OpenTable(game, deck, chance, dealer=WEST, scores=table.scores)
    players = [player_for(game, seat) for seat in range(game.seats)]
    while awaited := game.contributors(here.state):
        actor, before = awaited[0], here.state
        view = here.view(SOUTH)
        choices = table.telling.choices(view, game.legal_actions(view))
        table = viewed(table, 0, view, choices)
        if actor == SOUTH:
            yield table
        action = players[actor].choose(here.view(actor))
        here.act(actor, action)
        table = acted(viewed(table, 0, here.view(SOUTH)), Told(before, actor, action, here.state))
    outcome: Any = game.settle(here.state)
    scores = tuple(old + new for old, new in zip(table.scores, outcome.scores, strict=True))
    yield heard(table, HandEnded(0, outcome, scores), transcript="7f5b6c79/1")


def _first(wanted: Callable[[Table], bool]) -> Table:
    return next(table for table in _deal() if wanted(table))


def _auction() -> Moment:
    table = _first(lambda each: any(choice.numbers and choice.final for choice in each.choices))
    return Moment(table, Desk(hints=True, typed="3"))


def _trick() -> Moment:
    table = _first(lambda each: len(each.state.tricks) >= 4 and len(each.state.trick) == 3)
    desk, _ = press(Desk(hints=True), table, "right")
    return Moment(table, desk)


def _finish() -> Moment:
    *_, table = _deal()
    return Moment(table, at_the_end(Desk(), table))


def _result() -> Moment:
    return _finish()._replace(desk=Desk(mode=Mode.SUMMARY))


MOMENTS_41: Final[Mapping[str, Callable[[], Moment]]] = {
    "17-auction-of-41": _auction,
    "18-trick-of-41": _trick,
    "19-last-trick-of-41": _finish,
    "20-result-of-41": _result,
}
"""Every moment by the name of its capture in specs/screens."""
