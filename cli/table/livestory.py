"""A table told as it happens, to one who sits at it or watches: with the faces it may know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from cli.story import Teller, card_text
from cli.table.situation import place
from cli.table.transcripts import transcript_path
from p2p304.cards import Card
from p2p304.game import AnyGame
from p2p304.rules41 import actions as actions41
from p2p304.rules41.hand import Game41
from p2p304.rules304.actions import PlayCard, PlayDown
from p2p304.rules304.hand import Game304
from p2p304.rules304.teams import TEAM_NAMES
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.slots import Slot
from p2p304.view import View
from protocol.events import ActionTaken, Event, HandEnded, HandStarted, MatchEnded
from protocol.proceedings import Proceedings


class Seen(Protocol):
    """A session, or a spectator: the public state, and a view of the newest hand."""

    @property
    def game(self) -> AnyGame:
        """The game."""
        ...

    @property
    def proceedings(self) -> Proceedings:
        """All that is public."""
        ...

    def view(self) -> View[Any] | None:
        """What may be known of the newest hand."""
        ...


class LiveStory:
    """Tells events in their order, from where the table stood at the beginning."""

    def __init__(self, seen: Seen, *, ascii_only: bool = False) -> None:
        self._ascii = ascii_only
        hand = seen.proceedings.hand
        self._state: Any = None if hand is None else hand.course.state

    def tell(self, event: Event, seen: Seen) -> Iterator[str]:
        """The lines that an event is worth; `seen` stands after it."""
        match event:
            case HandStarted(number, dealer):
                hand = seen.proceedings.hand
                scores = () if hand is None else hand.origin.scores
                self._state = seen.game.start(dealer, scores).state
                yield ""
                yield f"Hand {number + 1}: {place(dealer, seen.game.seats)} deals."
            case ActionTaken(seat, action) if self._state is not None:
                before = self._state
                self._state = seen.game.apply(before, seat, action).state
                view = seen.view()
                faces = {} if view is None else view.faces
                yield from self._action(seen.game, before, seat, action, faces)
            case HandEnded(_, outcome, scores):
                yield outcome.summary
                yield f"The score now: {scores_text(scores, seen.game.seats)}."
            case MatchEnded(winner):
                yield f"{match_winner(winner, seen.game.seats)} the match."
            case _:
                pass

    def transcript(self, directory: Path, seen: Seen, number: int) -> Path:
        """Where the transcript of a hand that ended is."""
        return transcript_path(directory, seen.proceedings, number)

    def _action(
        self, game: AnyGame, before: Any, seat: Seat, action: Any, faces: Mapping[Slot, Card]
    ) -> Iterator[str]:
        if isinstance(game, Game304):
            teller = Teller(faces.get, ascii_only=self._ascii)
            yield from self._played(place(seat, game.seats), action)
            yield from teller.told(before, seat, action, self._state)
            return
        yield from self._played(place(seat, game.seats), action)
        if isinstance(game, Game41) and len(self._state.tricks) > len(before.tricks):
            winner = place(self._state.tricks[-1].winner)
            yield f"Trick {len(self._state.tricks)} goes to {winner}."

    def _played(self, who: str, action: object) -> Iterator[str]:
        """Cards as they are played, and all actions of 41; the rest is the teller's."""
        match action:
            case PlayCard(_, card) | actions41.PlayCard(_, card):
                yield f"{who} plays {card_text(card, ascii_only=self._ascii)}."
            case PlayDown():
                yield f"{who} plays a card face down."
            case actions41.PlaceBid(tricks):
                yield f"{who} bids {tricks}."
            case actions41.Cut(offset):
                yield f"{who} cuts the pack at {offset}." if offset else f"{who} does not cut."
            case _:
                pass


def scores_text(scores: tuple[int, ...], seats: int) -> str:
    """What every team, or every seat, has."""
    if len(scores) == seats:
        return ", ".join(f"{place(seat, seats)} {score}" for seat, score in enumerate(scores))
    names = TEAM_NAMES if len(scores) == len(TEAM_NAMES) else _sides(len(scores))
    return ", ".join(f"{name} {score}" for name, score in zip(names, scores, strict=True))


def match_winner(winner: int, seats: int) -> str:
    """Who wins a match: one of the two teams of four seats, or a side that is one seat."""
    if seats == len(FOUR_SEAT_NAMES) and winner < len(TEAM_NAMES):
        return f"{TEAM_NAMES[winner]} win"
    return f"{place(winner, seats).capitalize()} wins"


def _sides(count: int) -> tuple[str, ...]:
    return tuple(f"side {side}" for side in range(count))
