"""What a game brings to the registry: its rules, how it tells itself, and its texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.telling import AnyTelling

# Read-only, since all entries without tables share it.
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Lesson(NamedTuple):
    """A lesson of a first hand: pages shown before the learner's choice, and a text for any
    other choice.
    """

    title: str
    pages: tuple[str, ...]  #: Each short enough for the smallest screen, with cards as "9H".
    instead: str = ""  #: What is said of every other choice.


class TaughtMove(NamedTuple):
    """One move of a first hand, as it is typed; with a lesson where the learner makes it."""

    seat: Seat
    typed: str
    lesson: Lesson | None = None
    order: str = ""  #: The cards of a choice that states an order.


class FirstHand(NamedTuple):
    """A hand with prepared cards and known moves, to teach a game; moves that decide nothing are
    left out and made by the program.
    """

    parameters: str
    dealer: Seat
    learner: Seat
    deck: str  #: The cards in the order in which they are dealt, as "JH 9H ...".
    moves: tuple[TaughtMove, ...]
    end: Lesson


class CardNotation(NamedTuple):
    """How a game writes its hands in cards."""

    #: From the state at a hand's end, to lines; None where cards stayed closed.
    write: Callable[[Any], str | None]
    #: From such lines, and where they stand in a text, to the dealer and the actions.
    #:
    #: Raises NotationError, with the place, for what the rules forbid and for anything else.
    read: Callable[[str, int], tuple[Seat, Iterable[tuple[Seat, Any]]]]


class GameEntry(NamedTuple):
    """A game in the registry: what it is in a few words, and how it comes to be."""

    title: str
    #: From what a person names, which may leave out whatever has a default.
    #:
    #: Raises ProfileError for what is no agreement of the game.
    create: Callable[[str], AnyGame]
    #: From a game that this entry made, to the one text that says everything, which a charter
    #: holds. Its first line is one that `create` reads, and the others follow from it.
    full: Callable[[Any], str]
    #: From a game that this entry made, to how it tells itself.
    telling: Callable[[Any], AnyTelling]
    #: The names of its profiles, the usual one first, and what each is in half a line; empty where
    #: house rules are all there is.
    profiles: Mapping[str, str] = _NOTHING
    house_rules: Mapping[str, str] = _NOTHING  #: The names of its house rules, and what each means.
    # Functions, here and below: the modules behind them are imported only when they are asked for.
    #: Its notation in cards, if it has one.
    cards: Callable[[], CardNotation | None] = lambda: None
    #: A prepared hand for who has never played it, if it has one.
    first_hand: Callable[[], FirstHand | None] = lambda: None
    #: From a game that this entry made, to what is known of playing it well; see
    #: `p2p304.bots.search.interface.Prior`. With None the search draws choices by chance.
    prior: Callable[[Any], Any] | None = None
    #: From the same, to what plays its hands out faster than its rules do; see `Playout` there.
    #: With None the rules do.
    playout: Callable[[Any], Any] | None = None
