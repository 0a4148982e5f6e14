"""Sentences about going on at another table without a seat (specs 7.11)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from cli.front.writing import Writer
from cli.wording import capital
from p2p304.seats import Seat
from protocol.seat.view import SeatView, TableView
from protocol.table.events import (
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    Event,
)
from protocol.topics.substitute import seats_of
from protocol.wire.contents import Continuation

NOBODY_MISSING: Final = "Nobody is waited for: the hand can go on."
ASKED: Final = "A player asks you whether to go on without a seat: press + to answer."
BACK: Final = (
    "When that player is back, type substitute back: if all agree, the hand is dealt again."
)
BACK_THERE: Final = "at that table + and f, or 'substitute back' in lines, gives a bot's seat back"
HOW: Final = "type substitute bot, or substitute friend; the others are asked."


def asks(writer: Writer, content: Continuation, bots: Collection[Seat]) -> str:
    """Return the sentence on another player's proposal to go on at a new table: who proposes,
    which seats are left out, and who takes them. `bots` are the seats that bots hold now for
    players who left.
    """
    founder, gone = writer.seat(Seat(content.founder)), _left_seats(writer, content)
    anew = "the hand is dealt again at a new table, the scores stay."
    # Nobody else is left out: the seat that changes hands is a bot's.
    if not content.bots and set(gone) <= {*bots}:
        bot = f"the seat of the bot in {writer.join_seats(gone)}"
        return f"{capital(founder)} wants to give {bot} to a friend: {anew}"
    whom = f"a bot of {founder}'s" if content.bots else f"a friend of {founder}'s"
    without = f"{capital(founder)} wants to go on without {writer.join_seats(gone)}"
    return f"{without}: {whom} sits down, {anew}"


def question(writer: Writer, waiting: Iterable[Seat]) -> str:
    """Return the question to a player who wants to go on without the seats waited for."""
    gone = writer.join_seats(tuple(waiting))
    return f"Go on without {gone}, if all agree? b seats a bot, f invites a friend, n goes back."


def question_back(writer: Writer, bots: Iterable[Seat]) -> str:
    """Return the question to a player who wants to give the seats of bots to friends."""
    named = writer.join_seats(tuple(bots))
    return f"A friend for the bot in {named}, if all agree? This hand is dealt again then. (f/n)"


def news_of(writer: Writer, event: Event, session: TableView) -> str:
    """Return the sentence for an event about going on elsewhere; "" for any other event."""
    match event:
        # A proposal is known by its founder's word; the same from another seat agrees to it.
        case ContinuationProposed(seat, content) if seat != content.founder:
            without = writer.join_seats(_left_seats(writer, content))
            return f"{capital(writer.seat(seat))} agrees to go on without {without}."
        case ContinuationProposed(_, content):
            # A spectator is asked nothing, and its view does not tell which bots hold seats.
            bots = session.substituted_seats() if isinstance(session, SeatView) else ()
            return asks(writer, content, bots)
        # A seat that would be left out says that it is there, and the proposal is void (attacks
        # GO9).
        case ContinuationRefused(seat, content) if seat not in seats_of(content):
            who = capital(writer.seat(seat))
            if isinstance(session, SeatView):
                # We are the seat that was left out.
                if went := session.gone_on_without_us():
                    return left_out_words(writer, went)
                # All had agreed before it came back.
                if session.going_on() is not None:
                    return f"{who} is back, and too late: {BACK_THERE}."
            return f"{who} is back: the hand goes on, and nothing comes of the proposal."
        case ContinuationRefused(seat):
            return f"{capital(writer.seat(seat))} does not want to go on at another table."
        case ContinuationAgreed(content):
            if content.bots:
                # A bot is started at once; a friend has to come.
                return "All agree: the match goes on at a new table once the bot sits there."
            founder = capital(writer.seat(Seat(content.founder)))
            return f"All agree: {founder} invites a friend, and the match goes on at a new table."
        case ContinuationReady():
            return "Here is the charter of the new table."
        case _:
            return ""


def missing_words(writer: Writer, seats: tuple[Seat, ...]) -> str:
    """Return a sentence naming the seats that have yet to agree to go on, after we have; "" for
    none.
    """
    return f"You agree to go on; {writer.join_seats(seats)} must, too." if seats else ""


def left_out_words(writer: Writer, content: Continuation) -> str:
    """Return a sentence for the player without whom the others go on: where they are, and how
    the player gets the seat back.
    """
    founder = writer.seat(Seat(content.founder))
    if content.bots:
        return (
            f"The others go on at a new table, where a bot of {founder}'s has your seat. To have it"
            f" back, ask them for a code: {BACK_THERE}. Then type 'p2p304 join' and the code."
        )
    return (
        f"The others go on at a new table, to which {founder} invites a friend in your place. While"
        f" the seat is free, ask {founder} for the code; then type 'p2p304 join' and the code."
    )


def _left_seats(writer: Writer, content: Continuation) -> tuple[Seat, ...]:
    """Return the seats that a proposal leaves out."""
    # All whom the proposal does not name as staying.
    there = seats_of(content)
    return tuple(Seat(seat) for seat in range(writer.seats) if seat not in there)
