"""Sentences about whom a table waits for, and why a seat stops for good."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from cli.clock import on_the_wall
from cli.errors import UserError
from cli.front.narrator import Narrator
from cli.front.rulings import contradiction_sentences
from cli.front.writing import Writer
from cli.seat.charter_text import seat_name
from cli.seat.ending import own_agreements
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat
from protocol.seat.view import SeatView
from protocol.table.events import Event, RefereeBlamed, Waiting
from protocol.table.ledger import LedgerPhase
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter


class SeatLeft(UserError):
    """The player left the table for now."""


class InputGone(UserError):
    """The input ended before the game did: nobody is there to play."""

    def __init__(self) -> None:
        """Set the sentence for the player."""
        super().__init__("The input ended before the game: 'p2p304 resume' goes on where it was.")


class TableStopped(UserError):
    """The table stopped for good: a seat cheated, rulings contradict each other, or our own key
    signs elsewhere.
    """


def broke_the_protocol(charter: Charter, seat: Seat, check: str, evidence: Path) -> str:
    """Return the sentence that another seat is convicted of a failed `check` by the file
    `evidence`.
    """
    return (
        f"{seat_name(charter, seat)} broke the protocol ({check}); the proof is in {evidence}, and"
        " 'p2p304 audit --evidence' checks it."
    )


def rulings_contradict(
    charter: Charter, game: AnyGame, blame: RefereeBlamed, evidence: Path | None
) -> str:
    """Return the sentence that contradicting rulings stopped a table, how that can be decided,
    and where the proof is, if `evidence` is given.
    """
    said = contradiction_sentences(game, charter, blame, Writer(game.seats))
    # Such as where two referees contradict each other, which convicts neither.
    if evidence is None:
        return said
    return f"{said} The proof is in {evidence}, and 'p2p304 audit --evidence' checks it."


def plays_elsewhere(reason: str) -> str:
    """Return the sentences that this seat signs nothing more, for this `reason`, and what to do:
    its key signed elsewhere.
    """
    return (
        f"This seat signs nothing more: {reason}. Close the copy of it that plays elsewhere, then"
        " 'p2p304 resume'; if you know of none, somebody has your files."
    )


_OWED: Final[Mapping[LedgerPhase, str]] = {
    LedgerPhase.CONFIRMING: "their yes to the charter",
    LedgerPhase.DRAWING: "a share of luck",
    LedgerPhase.KEYING: "keys for the next deck",
    LedgerPhase.SHUFFLING: "a shuffle",
    LedgerPhase.DEALING: "shares of the cards dealt",
    LedgerPhase.HANDING_OVER: "cards played face down, for the maker",
    LedgerPhase.SORTING: "a sorted hand",
    LedgerPhase.ACTING: "a move",
    LedgerPhase.SIGNING: "a signature of the result",
    # Everything of it is signed.
    LedgerPhase.SETTLED: "",
}


def owed_words(session: SeatView) -> str:
    """Return in a few words what the table awaits, such as "a move" or "a shuffle"; "" while our
    seat returns, or if nothing is awaited.
    """
    # Catching up after a restart: the phase that we know may be an old one.
    if session.status is SessionStatus.RETURNING:
        return ""
    phase, hand = session.phase, session.hand()
    acting = hand is not None and phase is LedgerPhase.ACTING
    # `hand` is tested again, as the type checker does not know it from `acting`.
    due = telling_of(session.game).owed_words(hand.state) if acting and hand is not None else ""
    return due or _OWED[phase]


def narrator_for(
    charter: Charter,
    game: AnyGame,
    *,
    seat: Seat | None = None,
    how_to_end: str = "",
    ascii_only: bool = False,
) -> Narrator:
    """Return a narrator for lines, which names seats by place and nickname.

    `seat` is ours, None for a spectator; `how_to_end` says how a hand can be ended.
    """
    writer, called = Writer(game.seats, ascii_only=ascii_only), partial(seat_name, charter)
    return Narrator(game, writer, called, seat=seat, how_to_end=how_to_end)


def told_in_line(narrator: Narrator, event: Event, session: SeatView | None = None) -> str:
    """Return the line for an event; "" for an event that lines do not show.

    `session` adds what the awaited seats owe, and the ends of the hand that we agreed to.
    """
    since = on_the_wall(event.since) if isinstance(event, Waiting) else ""
    due = owed_words(session) if session is not None and isinstance(event, Waiting) else ""
    agreed = () if session is None else own_agreements(session)
    notice = narrator.notice(event, since=since, owed=due, agreed=agreed)
    return "" if notice is None else notice.text
