"""`p2p304 simulate --calibration`: what bots of 304 bid and make, believe, and do oddly."""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

import click

from cli.commands.simulate_match import Wishes
from cli.errors import CheckFailed, ExitCode, UserError
from cli.printer import Printer, figures_table
from cli.progress import progress
from cli.worker_pool import WorkerPool
from p2p304.bots.compare.calibration import WORLDS, Calibration, calibrated
from p2p304.bots.compare.duels import kind_called
from p2p304.bots.levels import LEVELS
from p2p304.bots.play304.oddities import ODDITIES
from p2p304.errors import GameError
from p2p304.games import GAMES, agreement, create_game

_GAME = "304"


class _Hand(NamedTuple):
    """A hand that is to be played: everything that decides how it goes."""

    agreed: str
    level: str
    seed: int
    number: int


def measure(wishes: Wishes) -> ExitCode:
    """Play hands with one kind of bot on every seat, and say what was counted; what there is so
    far, if Ctrl-C ends it."""
    level = wishes.calibration
    assert level is not None
    if wishes.game != _GAME:
        raise UserError(f"--calibration looks at bids and trumps of {_GAME} and of no other game.")
    agreed = agreement(wishes.game, wishes.profile, wishes.house)
    kind_called(level, create_game(_GAME, agreed))
    counted, given, interrupted = Calibration(), 0, False
    with progress("Playing hands", wishes.hands, quiet=wishes.as_json) as advance:
        try:
            with WorkerPool(_played, min(wishes.jobs, wishes.hands)) as pool:
                while counted.hands < wishes.hands:
                    while pool.idle and given < wishes.hands:
                        pool.give(_Hand(agreed, level, wishes.seed, given))
                        given += 1
                    counted.add(pool.done())
                    advance()
        except KeyboardInterrupt:
            interrupted = True
    if wishes.as_json:
        click.echo(json.dumps({"level": level, **counted.as_object()}))
    else:
        _print(level, counted)
    return ExitCode.INTERRUPTED if interrupted else ExitCode.DONE


def _played(hand: _Hand) -> Calibration:
    game = _game(_GAME, hand.agreed)
    prior = GAMES[_GAME].prior if hand.level in LEVELS else None
    try:
        return calibrated(
            game,
            kind_called(hand.level, game),
            hand.seed,
            hand.number,
            None if prior is None else prior(game),
        )
    except GameError as error:
        raise CheckFailed(f"In {hand}: {error}.") from None


_game = cache(create_game)


def _print(level: str, counted: Calibration) -> None:
    console = Printer(highlight=False)
    bids = figures_table(f"{level} bids", "Played", "Made")
    for bid, count in sorted(counted.bids.items()):
        bids.add_row(bid, f"{count:,}", f"{counted.made[bid] / count:.0%}")
    belief = figures_table("trump hidden", "Asked", "Held true", "Guessed")
    for trick, count in sorted(counted.beliefs.items()):
        held = counted.believed[trick] / count / WORLDS
        guessed = counted.guessed[trick] / count
        belief.add_row(f"trick {trick}", f"{count:,}", f"{held:.0%}", f"{guessed:.0%}")
    odd = figures_table("oddities", "Times", "Of decisions")
    for name, (kind, _) in ODDITIES.items():
        of, times = counted.decisions[kind], counted.oddities[name]
        odd.add_row(name, f"{times:,}", f"{times / of:.2%} of {of:,} {kind.value}" if of else "")
    for table in (bids, belief, odd):
        if table.row_count:
            console.print(table)
    console.print(f"{counted.hands:,} hands.")
