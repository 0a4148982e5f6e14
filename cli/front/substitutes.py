"""Going on without who has left for good, in a player's words: who proposes it, who has agreed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from cli.front.writing import Writer
from cli.wording import capital
from p2p304.seats import Seat
from protocol.ledger.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    Event,
)
from protocol.seat.continuing import seats_of
from protocol.seat.seat_view import SeatView
from protocol.wire.contents import Continuation

NOBODY_MISSING: Final = "Nobody is waited for: the hand can go on."
BACK: Final = (
    "When who left is back: substitute back; the others are asked, and the hand is dealt again."
)
HOW: Final = "substitute bot, or substitute friend; the others are asked."


def manners_here(manners: Mapping[Seat, str], session: SeatView) -> dict[Seat, str]:
    """Return how our bots call that sit at this table, of what is known by seat: where its match
    goes on from another one, of who stayed and of the bots that we seated."""
    term = session.charter.continues
    if term is None:
        return dict(manners)
    ours = (*term.present, *(seat for seat, by in term.bots if by == session.seat))
    return {seat: manner for seat, manner in manners.items() if manner and seat in ours}


def asks(writer: Writer, event: ContinuationProposed) -> str:
    """Return what another player proposes."""
    content = event.content
    founder = writer.seat(Seat(content.founder))
    whom = f"a bot of {founder}'s" if content.bots else f"a friend of {founder}'s"
    return (
        f"{capital(writer.seat(event.seat))} wants to go on without {_gone(writer, content)}:"
        f" {whom} sits down, the hand is dealt again at a new table, the scores stay."
    )


def question(writer: Writer, waiting: Iterable[Seat]) -> str:
    """Return what the player is asked who wants to go on."""
    gone = writer.seats_named(tuple(waiting))
    return f"Go on without {gone}, if all agree? b seats a bot, f invites a friend, n goes back."


def question_back(writer: Writer, bots: Iterable[Seat]) -> str:
    """Return what the player is asked who wants to give the seats of bots to friends."""
    named = writer.seats_named(tuple(bots))
    return f"A friend for the bot in {named}, if all agree? This hand is dealt again then. (f/n)"


def news_of(writer: Writer, event: Event) -> str:
    """Return what an event says of going on elsewhere; nothing for another event."""
    match event:
        case ContinuationProposed():
            return asks(writer, event)
        case ContinuationRefused(seat, content) if seat not in seats_of(content):
            who = capital(writer.seat(seat))
            return f"{who} is there, so that nobody goes on without {writer.seat(seat)}."
        case ContinuationRefused(seat):
            return f"{capital(writer.seat(seat))} does not want to go on at another table."
        case ContinuationAgreed(content):
            if content.bots:
                return "All agree: the match goes on at a new table once the bot sits there."
            founder = capital(writer.seat(Seat(content.founder)))
            return f"All agree: {founder} invites a friend, and the match goes on at a new table."
        case ContinuationReady():
            return "Here is the charter of the new table."
        case _:
            return ""


def missing(writer: Writer, seats: tuple[Seat, ...]) -> str:
    """Return who has not agreed yet, after we have."""
    return f"You agree to go on; {writer.seats_named(seats)} must, too." if seats else ""


def _gone(writer: Writer, content: Continuation) -> str:
    there = seats_of(content)
    return writer.seats_named(
        tuple(Seat(seat) for seat in range(writer.seats) if seat not in there)
    )
