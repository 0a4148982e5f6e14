"""What is said before a referee, kept on the screen until it was read: play goes on beneath it."""

from __future__ import annotations

from dataclasses import replace

from cli.front.rulings import challenge_sentence, ruled_sentence, ruling_sentence
from cli.screen.desk import WRITING, Desk, Mode
from cli.screen.model import Table
from protocol.ledger.course import stops
from protocol.ledger.events import ChallengeMade, Event, HandRuled, RulingHeard


def ruled(desk: Desk, table: Table, event: Event) -> Desk:
    """Return the desk after an event, with the ruling on it if a referee has ruled.

    That play goes on disturbs nobody who chooses.
    """
    match event:
        case HandRuled(ruling, void):
            words = ruling_sentence(table.game, ruling.content, table.writer)
            return _laid(desk, (words, "", ruled_sentence(ruling.content, void)))
        case RulingHeard(ruling) if not stops(ruling.content) and desk.mode is Mode.TABLE:
            return _laid(desk, (ruling_sentence(table.game, ruling.content, table.writer),))
        case _:
            return desk


def challenged(desk: Desk, table: Table, event: ChallengeMade) -> Desk:
    """Return the desk with what a player says to the referee on it."""
    words = challenge_sentence(table.names[event.seat], event.content, event.text)
    return _laid(desk, (words, "", "'p2p304 tournament rule' rules on it."))


def _laid(desk: Desk, lines: tuple[str, ...]) -> Desk:
    """Return the desk with these lines; of what somebody writes nothing is lost."""
    if desk.mode in WRITING:
        return replace(desk, under=Mode.RULING, ruling=lines, page=0)
    plain = replace(desk, cursor=None, picked=(), typed="", pending=None, notice="")
    return replace(plain, mode=Mode.RULING, under=Mode.TABLE, ruling=lines, page=0)
