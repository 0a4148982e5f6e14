"""Hands that bots play with open cards, as the tables that one player sees before its choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from cli.front.story import ToldAction
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import Table, after_action, after_notice, after_view
from cli.screen.overlays import at_the_end
from p2p304.bots.players import steady_for
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from protocol.table.events import HandEnded
from tests.client.moments import Moment
from tests.client.open_hands import shuffled, table_of_game


@cache
def hand_of_bots(
    name: str, agreed: str, seed: int, *, seat: Seat, dealer: Seat, scores: tuple[int, ...]
) -> tuple[Table, ...]:
    """The table of one seat whenever something was done, and at the end."""
    game = create_game(name, agreed)
    table = table_of_game(game, seat, scores=scores, rounds=41, proofs=128)
    here = shuffled(game, SeededRandomness(seed), dealer=dealer, scores=scores)
    players = [steady_for(game, each) for each in range(game.seats)]
    found: list[Table] = []
    while awaited := game.contributors(here.state):
        actor, before = awaited[0], here.state
        view = here.view(seat)
        table = after_view(table, 0, view, table.telling.choices(view, game.legal_actions(view)))
        found.append(table)
        action = players[actor].choose(here.view(actor))
        here.act(actor, action)
        table = after_action(
            after_view(table, 0, here.view(seat)), ToldAction(before, actor, action, here.state)
        )
    outcome: Any = game.settle(here.state)
    after = tuple(old + new for old, new in zip(scores, outcome.scores, strict=True))
    ended = HandEnded(0, outcome, after)
    return (*found, after_notice(table, ended, transcript="7f5b6c79/1"))


def first(tables: tuple[Table, ...], wanted: Callable[[Table], bool]) -> Table:
    """The first that is wanted, of those at which the player has a choice."""
    return next(table for table in tables if table.choices and wanted(table))


def _six(seed: int = 1) -> tuple[Table, ...]:
    return hand_of_bots("304", "six24", seed, seat=Seat(0), dealer=Seat(5), scores=(9, 13))


def _called(seed: int = 7) -> tuple[Table, ...]:
    return hand_of_bots(
        "304", "maharashtra", seed, seat=Seat(0), dealer=Seat(3), scores=(4, -1, 7, 2)
    )


def _bids(table: Table) -> bool:
    auction = table.state.auction
    return auction.top is not None and any(choice.numbers for choice in table.choices)


def _faces_down(table: Table) -> bool:
    state = table.state
    return state.phase is Phase.TRICK and any(play.down for play in state.plays)


def _shown(table: Table, columns: int = 80, rows: int = 24) -> Moment:
    desk, _ = press(Desk(hints=True), table, "right")
    return Moment(table, desk, columns, rows)


def _auction_of_six() -> Moment:
    return Moment(first(_six(), _bids), Desk(hints=True, typed="22"))


def _down_among_six(columns: int = 80, rows: int = 24) -> Moment:
    return _shown(first(_six(), _faces_down), columns, rows)


def _called_card_falls(columns: int = 80, rows: int = 24) -> Moment:
    def fallen(table: Table) -> bool:
        return table.state.phase is Phase.TRICK and not table.state.partner_secret

    return _shown(first(_called(), fallen), columns, rows)


def _end(tables: tuple[Table, ...]) -> Moment:
    return Moment(tables[-1], at_the_end(Desk(), tables[-1]))._replace(desk=Desk(mode=Mode.SUMMARY))


MOMENTS_OF_SEATS: Final[Mapping[str, Callable[[], Moment]]] = {
    "21-auction-of-six": _auction_of_six,
    "22-face-down-among-six": _down_among_six,
    "23-face-down-among-six-large": lambda: _down_among_six(120, 36),
    "24-result-of-six": lambda: _end(_six()),
    "25-auction-with-a-called-partner": lambda: Moment(
        first(_called(), _bids), Desk(hints=True, typed="2")
    ),
    "26-face-down-with-a-secret-partner": lambda: _shown(first(_called(), _faces_down)),
    "27-called-card-falls": _called_card_falls,
    "28-called-card-falls-large": lambda: _called_card_falls(120, 36),
    "29-result-with-a-called-partner": lambda: _end(_called()),
}
"""Every moment by the name of its capture in specs/screens."""
