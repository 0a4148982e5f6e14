"""`p2p304 simulate --match`: how much better one kind of player is than another one."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click
from rich import box
from rich.table import Table

from cli.errors import ExitCode, UserError
from cli.printer import Printer
from cli.progress import progress
from cli.simulation import Pairing, play_duel
from p2p304.bots.compare.duels import Duel, enough_by, kind_called
from p2p304.bots.compare.intervals import LEAST, Interval
from p2p304.games import agreement, create_game
from p2p304.sentences import counted


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of the command say of a duel."""

    game: str
    profile: str | None
    house: tuple[str, ...]
    match: tuple[str, str] | None
    calibration: str | None
    duplicate: bool
    hands: int
    seed: int
    stop: str | None
    width: float | None
    jobs: int
    as_json: bool


def play(wishes: Wishes) -> ExitCode:
    """Play it and say what came of it; what there is so far, if Ctrl-C ends it."""
    assert wishes.match is not None
    if wishes.width is not None and wishes.stop is None:
        raise UserError("--width says when to stop, so it needs --stop hands or --stop matches.")
    agreed = agreement(wishes.game, wishes.profile, wishes.house)
    game = create_game(wishes.game, agreed)
    for name in wishes.match:
        kind_called(name, game)  # what cannot play it is told here, and not by another process
    pairing = Pairing(wishes.game, agreed, wishes.match, wishes.seed, wishes.duplicate)
    duel = Duel(wishes.hands, looked=wishes.stop is not None)
    enough = (lambda _: False) if wishes.stop is None else enough_by(wishes.stop, wishes.width)
    interrupted = False
    with progress("Playing hands", wishes.hands, quiet=wishes.as_json) as advance:
        try:
            play_duel(pairing, duel, enough, processes=wishes.jobs, advance=advance)
        except KeyboardInterrupt:
            interrupted = True
    if wishes.as_json:
        click.echo(json.dumps(_object(wishes, duel, interrupted)))
    else:
        _print(wishes, duel, interrupted)
    return ExitCode.INTERRUPTED if interrupted else ExitCode.DONE


def _object(wishes: Wishes, duel: Duel, interrupted: bool) -> dict[str, object]:
    gain, rate = duel.gain_within, duel.rate_within
    return {
        "game": wishes.game,
        "profile": wishes.profile,
        "house": wishes.house,
        "match": wishes.match,
        "duplicate": wishes.duplicate,
        "seed": wishes.seed,
        "hands": duel.done,
        "tokens_per_hand": duel.gained,
        "low": gain.low if gain else None,
        "high": gain.high if gain else None,
        "matches": duel.matches,
        "match_win_rate": duel.rate,
        "match_low": rate.low if rate else None,
        "match_high": rate.high if rate else None,
        "looked": duel.looked,
        "interrupted": interrupted,
    }


def _print(wishes: Wishes, duel: Duel, interrupted: bool) -> None:
    assert wishes.match is not None
    one, other = wishes.match
    console = Printer(highlight=False)
    if duel.gained is None:
        console.print("No hand was played to its end.")
        return
    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in (f"{one} against {other}", "Estimate", "95 % interval"):
        table.add_column(heading, justify="right" if heading == "Estimate" else "left")
    unit = "tokens a hand" if wishes.game == "304" else "score ahead, a hand"
    table.add_row(unit, f"{duel.gained:+.3f}", _bounds(duel.gain_within, "{:+.3f}", 1))
    if duel.rate is not None:
        rate = f"{100 * duel.rate:.1f} %"
        table.add_row("matches won", rate, _bounds(duel.rate_within, "{:.1f} %", 100))
    console.print(table)
    played = counted(duel.done, "hand")
    if wishes.duplicate:
        played += f", {counted(len(duel.gains), 'deal')} each played both ways"
    ended = "1 match" if duel.matches == 1 else f"{duel.matches or 'no'} matches"
    console.print(f"{played}; {ended} ended.")
    if interrupted:
        console.print("Stopped by Ctrl-C.")
    if duel.looked:
        console.print(
            "The intervals hold at all moments together with 95 %, so that stopping for what they"
            f" showed is allowed for; nothing stops before {LEAST} deals, or matches."
        )


def _bounds(found: Interval | None, shape: str, times: float) -> str:
    if found is None:
        return "too few"
    low, high = (shape.format(times * bound) for bound in found)
    return f"{low} to {high}"
