"""Sentences about whom a table waits for, why a seat stops for good, and how a hand can be ended.

A hand is ended by agreement when a seat left for good (specs 5.6): explained first, then agreed.
All seats present must agree to the same, so a proposal of another player goes before one of ours.
Nothing here decides that a seat is gone: people do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from cli.clock import on_the_wall
from cli.errors import UserError
from cli.front.narrator import Narrator, contradiction_sentences
from cli.front.writing import Writer
from cli.seat.charter_text import seat_name
from cli.wording import join_names
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, seat_names
from protocol.seat.view import SeatView
from protocol.table.events import EndProposed, Event, RefereeBlamed, Waiting
from protocol.table.ledger import LedgerPhase
from protocol.topics.ending import FEWEST
from protocol.topics.step import SessionStatus
from protocol.topics.substitute import seats_of
from protocol.wire.charter import Charter

NOTHING: Final = "No hand is being played, so there is none to end; 'quit' leaves the table."
NOBODY: Final = (
    "Nobody else is waited for: the hand can go on. If a player is gone for good, name the place:"
    " end without west"
)
# Stopped, or ended already. Not AGREEING: if the hand moves, its end is agreed to once more.
_OVER: Final = (SessionStatus.HALTED, SessionStatus.UNFINISHED)
FIRST_SHOWN: Final = "Type 'end' first: it says what would be ended, and with whom."


class EndAnswer(NamedTuple):
    """The answer to a typed command: a sentence, "" for none, and the seats, ours among them,
    with whom to end the hand now; empty to end nothing.
    """

    sentence: str
    present: tuple[Seat, ...] = ()


class EndDialogue:
    """The state of a player's dialogue about ending the hand. `seat` is the player's own."""

    def __init__(self, seat: Seat) -> None:
        """Begin with nothing proposed or shown."""
        self._seat = seat
        self._proposed: tuple[Seat, ...] = ()
        self._shown: tuple[Seat, ...] = ()
        self._at: tuple[object, ...] = ()  #: Where the hand stood when it was shown.

    def proposed(self, event: EndProposed, session: SeatView) -> None:
        """Remember the seats of a peer's proposal to end the hand, if it leaves out a seat but
        not ours, and we have not signed the same.
        """
        absent = _absent(session.charter, event.present)
        # What we signed already needs no second question.
        if absent and self._seat in event.present and event.present not in own_agreements(session):
            self._proposed = event.present

    def answer(self, said: str, session: SeatView) -> EndAnswer:
        """Answer a typed `end`, `end without PLACE ...` or `end now`. The first two tell what
        would be ended and with whom, or why nothing can be. `end now`, once after that and if
        the hand has not moved, returns the seats to end the hand with; else the sentence to type
        `end` first.
        """
        # "end without west, north" and without the comma are the same.
        words = said.lower().replace(",", " ").split()[1:]
        hand, charter = session.hand(), session.charter
        if hand is None or hand.settled or session.status in _OVER:
            return EndAnswer(NOTHING)
        if not words and session.yet_to_agree():
            return EndAnswer(missing_agreements(session))
        # If the hand moves after it was shown, "end now" ends something else.
        at = (hand.number, hand.closed)
        if words == ["now"]:
            # Used once: a second "end now" needs to be shown again.
            present, self._shown = self._shown, ()
            return EndAnswer("", present) if present and at == self._at else EndAnswer(FIRST_SHOWN)
        # We ourselves are no absent seat, even when the table waits for us.
        awaited = tuple(seat for seat in hand.missing if seat != self._seat)
        if words[:1] == ["without"] and len(words) > 1:
            gone = _places(words[1:], len(charter.seats))
            if gone is None or self._seat in gone:
                return EndAnswer("Name the places of those who are gone, such as: end without west")
        elif words:
            return EndAnswer("That is: end, or end without and the places of those who are gone.")
        else:
            # A proposal of another goes first: all must agree to the same seats.
            gone = _absent(charter, self._proposed) if self._proposed else awaited
        if not gone:
            return EndAnswer(NOBODY)
        # All but those who are gone.
        present = _absent(charter, gone)
        # One seat alone could end a hand that it loses.
        if len(present) < FEWEST:
            return EndAnswer(
                "Nobody ends a hand alone: 'quit' leaves, and 'p2p304 resume' goes on."
            )
        if why := why_not(session, present):
            return EndAnswer(why)
        self._shown, self._at = present, at
        others = _seat_names(charter, (seat for seat in present if seat != self._seat))
        return EndAnswer(
            f"This ends the hand for good, without {_seat_names(charter, gone)}: no result, and"
            f" nothing more is played at this table. {others} must agree to the same. A player who"
            " may come back is better waited for, also for days. Type 'end now' to agree."
        )


def why_not(session: SeatView, present: Iterable[Seat]) -> str:
    """Return why the seats `present` cannot end the hand at this point; "" if they can."""
    hand, charter = session.hand(), session.charter
    if hand is None or hand.settled or session.status in _OVER:
        return NOTHING
    # The result stands by the rules; ending the hand would throw it away (specs 5.6).
    if hand.phase is LedgerPhase.SIGNING:
        missing = _seat_names(charter, hand.missing)
        return (
            "The hand has its result, and only a signature is missing: there is nothing to end."
            f" It stands, unconfirmed by {missing}, and the table waits; 'p2p304 resume' goes on."
        )
    # Every side must agree, or the side that loses could end the hand (decisions 032).
    if side := session.sides_missing(present):
        who = " or ".join(seat_name(charter, seat) for seat in side)
        return (
            f"A hand ends only if players of every side agree, {who} too, or a side could take"
            " back what it loses. Without them the table waits; 'p2p304 resume' goes on."
        )
    return ""


def own_agreements(session: SeatView) -> Iterator[tuple[Seat, ...]]:
    """Yield the seats that an agreement names: ours to end the hand that others have yet to
    sign, then the one that ended it, each empty if there is none; then, if we agreed to go on at
    another table, those that stay.
    """
    # Empty ones, too: no proposal that is compared with them is empty.
    yield session.present_at_agreed_end()
    # Agreements of others that we have joined.
    yield tuple(each.seat for each in session.agreed_end())
    elsewhere = session.continuation()
    if elsewhere is not None and elsewhere.agreed:
        yield seats_of(elsewhere)


def missing_agreements(session: SeatView) -> str:
    """Return a sentence naming the seats that must still agree to end the hand; "" unless we
    have agreed to.
    """
    if session.status is not SessionStatus.AGREEING:
        return ""
    missing = _seat_names(session.charter, session.yet_to_agree())
    return f"You agreed. The hand ends when {missing} agree, too; 'play on' takes up play again."


def _absent(charter: Charter, present: Iterable[Seat]) -> tuple[Seat, ...]:
    """Return the seats of the charter that are not in `present`."""
    there = set(present)
    return tuple(Seat(seat) for seat in range(len(charter.seats)) if seat not in there)


def _seat_names(charter: Charter, seats: Iterable[Seat]) -> str:
    """Return the names of seats as a list in words."""
    return join_names(seat_name(charter, seat) for seat in seats)


def _places(words: list[str], seats: int) -> tuple[Seat, ...] | None:
    """Return the seats with these places or numbers; None if a word is neither."""
    # Tables with more than named places have "seat 5": the number alone is typed.
    names = [name.removeprefix("seat ").lower() for name in seat_names(seats)]
    # A typing error must not leave out another seat.
    if any(word not in names for word in words):
        return None
    return tuple(Seat(seat) for seat, name in enumerate(names) if name in words)


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
        " 'p2p304 audit' checks it."
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
    return f"{said} The proof is in {evidence}, and 'p2p304 audit' checks it."


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
    return Narrator(game=game, writer=writer, called=called, seat=seat, how_to_end=how_to_end)


def told_in_line(narrator: Narrator, event: Event, session: SeatView | None = None) -> str:
    """Return the line for an event; "" for an event that lines do not show.

    `session` adds what the awaited seats owe, and the ends of the hand that we agreed to.
    """
    since = on_the_wall(event.since) if isinstance(event, Waiting) else ""
    due = owed_words(session) if session is not None and isinstance(event, Waiting) else ""
    agreed = () if session is None else own_agreements(session)
    notice = narrator.notice(event, since=since, owed=due, agreed=agreed)
    return "" if notice is None else notice.text
