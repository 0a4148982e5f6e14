"""`p2p304 replay`: a saved hand, step by step, forwards and backwards."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from cli.auditing import pieces
from cli.commands.looks import Screen, look_options
from cli.commands.options import HandFile
from cli.commands.screen import full_screen_possible
from cli.errors import CheckFailed, UserError
from cli.front.texts import HandTexts
from cli.screen.app import ClientApp
from cli.screen.replay import ReplayScreen, replay_of
from cli.seat.charter_text import game_of
from cli.told import hand_text, told
from p2p304.game import AnyGame
from protocol.audit.auditor import Auditor
from protocol.ledger.events import Event
from protocol.wire.charter import Charter


@click.command("replay")
@click.argument("file", type=HandFile(exists=True))
@click.option("--all-cards", is_flag=True, help="Show every card that the end made public.")
@click.option("--text", "as_text", is_flag=True, help="Print the hand as text instead.")
@look_options
def command(file: str, all_cards: bool, as_text: bool, screen: Screen) -> None:
    """Step through a saved hand: what was public at each moment, or with all cards.

    The file is audited while it is read; a replay shows nothing that was not verified.

    FILE may also be a hand as text, such as --text prints: in cards if the end of a hand of 304
    opened all of them, else action by action, in any game. It is told if the rules allow every
    action and give the result it names; what was stated of closed cards, a transcript alone proves.

    \b
    Examples:
      p2p304 replay 88d17ccd/1              hand 1 of a table in 'p2p304 tables'
      p2p304 replay hand.p304               arrows step, Page keys go by tricks
      p2p304 replay 88d17ccd/1 --all-cards  with what was opened at the end
      p2p304 replay 88d17ccd/1 --plain      what happened, as lines
      p2p304 replay 88d17ccd/1 --text > hand.txt
      p2p304 replay hand.txt                do the rules give this hand?
    """
    text = hand_text(file)
    if text is not None:
        if as_text:
            raise UserError(f"{file} is a hand as text already.")
        for line in told(file, text, ascii_only=screen.habits.ascii_only):
            click.echo(line)
        return
    game, charter, events = _read(Path(file))
    if as_text:
        texts = HandTexts(game, charter.profile)
        for event in events:
            for line in texts.hear(event):
                click.echo(line)
        return
    replay = replay_of(game, charter, events, ascii_only=screen.habits.ascii_only)
    if not replay.steps:
        raise UserError(f"{file} holds no hand.")
    shown = ReplayScreen(replay)
    shown.all_cards = all_cards
    if screen.plain or not full_screen_possible():
        for line in replay.lines(all_cards=all_cards):
            click.echo(line)
        return
    asyncio.run(ClientApp(shown, colours=screen.colours).run(shown.closed))


def _read(file: Path) -> tuple[AnyGame, Charter, list[Event]]:
    auditor = Auditor(game_of)
    events: list[Event] = []
    for piece in pieces(str(file)):
        events += auditor.feed(piece)
        if auditor.report.broken is not None:
            break
    report = auditor.finish()
    if report.broken is not None and report.broken.check == "charter.version":
        raise UserError(f"{file} is {report.broken.detail}.")
    if report.charter is None or report.broken is not None:
        what = report.broken.check if report.broken is not None else "no charter"
        raise CheckFailed(f"{file} is not valid ({what}): 'p2p304 audit' says more.")
    return game_of(report.charter), report.charter, events
