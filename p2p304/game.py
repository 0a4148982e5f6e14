"""The game interface: the one seam between rules, proofs and screens.

A game is a pure state machine over slots. Its state is public: every seat holds the same value, and
no hidden face is in it. An action that stands yields the next state, the statements that must hold
and the disclosures that follow. Whoever runs the game, with open cards or with masked ones, checks
the statements and carries out the disclosures in their order before anybody acts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from p2p304.cards import Card
from p2p304.disclosures import Disclosure
from p2p304.seats import Seat, Sides
from p2p304.statements import Statement
from p2p304.view import View

LUCK_BYTES: Final = 32
"""The least luck from which a match begins."""
StateT = TypeVar("StateT")
ActionT = TypeVar("ActionT")


class Step(NamedTuple, Generic[StateT]):
    """What an action leads to."""

    state: StateT
    """The state that follows, as everybody then has it."""
    statements: tuple[Statement, ...] = ()
    """What must be true of the cards as they lay before the action, or it does not stand."""
    disclosures: tuple[Disclosure, ...] = ()
    """What is shown to whom, and what moves, one after the other."""


class Outcome(Protocol):
    """How a hand ended, as far as every game must tell."""

    @property
    def scores(self) -> tuple[int, ...]:
        """The change of score of each side, in the game's units (304: tokens, per team)."""
        ...

    @property
    def summary(self) -> str:
        """The outcome in one sentence, with nothing that was not public."""
        ...

    @property
    def played(self) -> bool:
        """Whether cards were played: not where the deal was refused, or nobody bid."""
        ...


class Game(Protocol[StateT, ActionT]):
    """One game under one set of agreed parameters. Stateless: everything lives in the state."""

    @property
    def name(self) -> str:
        """The registry's name, such as "304"."""
        ...

    @property
    def seats(self) -> int:
        """How many seats play."""
        ...

    @property
    def pack(self) -> tuple[Card, ...]:
        """Every card once, in the public order from which shuffling starts."""
        ...

    def points_of(self, card: Card) -> int:
        """Return what a card of the pack counts: 0 or more."""
        ...

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[StateT]:
        """Return a hand whose freshly shuffled deck lies in the slots 0 to len(pack)-1.

        `scores` are the match's when the hand begins, empty for a hand outside a match; some rules
        depend on them (41: the sum that the bids must reach). Every state of the hand names its
        `dealer`, which front ends tell.

        Args:
            dealer: from 0 to seats-1.
            scores: one of each side, as many as a match of this game has.
        """
        ...

    def contributors(self, state: StateT) -> tuple[Seat, ...]:
        """Return the seats whose action is awaited, in seat order; empty when the hand is over.

        Several seats contribute to one round at once: what one of them may do does not depend on
        what another of them did in the same round, and any order of arrival leads to one state.
        """
        ...

    def apply(self, state: StateT, seat: Seat, action: ActionT) -> Step[StateT]:
        """Return the step that `action` by `seat` leads to; `state` itself never changes.

        Raises RulesError, naming the rule, for what can be seen to be forbidden without a hidden
        face. What depends on hidden faces comes back as statements.

        Args:
            state: of this hand; whoever holds it may go on from it again.
            seat: who acts. It need not be awaited where the rules allow a claim out of turn.
            action: with the faces that it makes public, which the statements then vouch for.
        """
        ...

    def legal_actions(self, view: View[StateT]) -> Sequence[ActionT]:
        """Return all actions that stand for the seat of the view, judged with what it may know.

        Empty when the seat is not awaited. Every statement of each of these actions holds.
        """
        ...

    def sides(self, state: StateT) -> tuple[Sides, ...]:
        """Return every way in which the seats may be on sides, as far as a hand's state tells.

        One, where everybody knows who wins together. While partners are hidden: each that the
        record allows, and always the one in which the maker plays alone, so that what needs a seat
        of every side needs the maker.
        """
        ...

    def action_frame(self, round_: int) -> int:
        """Return the bytes of the frame in which every action of a round travels, so that its size
        tells nothing of the cards: 1,024, 2,048, 4,096 or 16,384.

        Rounds are those of the hand's ledger, from 0: of a game with a cut the first calls are
        round 2, behind the cut and the deal. Source: specs/07-wire.md, 7.1.
        """
        ...

    def is_over(self, state: StateT) -> bool:
        """Tell whether the hand of this state has ended: then `contributors` are none."""
        ...

    def settle(self, state: StateT) -> Outcome:
        """Return how a hand ended, by its state alone; raises RulesError while it is not over."""
        ...

    def format_action(self, action: ActionT) -> str:
        """Return the canonical text of an action: at most 400 ASCII characters, slots as
        numbers."""
        ...

    def parse_action(self, text: str) -> ActionT:
        """Return the action that format_action wrote as `text`.

        Raises NotationError for any other text.
        """
        ...

    def new_match(self, luck: bytes) -> MatchState:
        """Return a match before its first hand.

        `luck` is at least 32 uniformly random bytes that no seat chose alone; whatever the rules
        leave to chance before the first hand (the first dealer) follows from it, at every seat
        alike. Raises ValueError for fewer bytes.
        """
        ...

    def after_hand(self, match: Any, outcome: Any) -> MatchState:
        """Return the match after a hand of it that ended with `outcome`, as `settle` returned it.

        Raises RulesError for a match that is won already.
        """
        ...

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> MatchState:
        """Return a match that goes on at these scores, and whose next hand `dealer` deals.

        Raises ValueError for another number of scores than a match has, and for scores at which it
        is over: they come from the charters of strangers.

        Args:
            dealer: a seat of the game.
            scores: one of each side, any integers.
        """
        ...


@runtime_checkable
class PenaltyGame(Protocol):
    """A game in which a referee may fine a side in a match."""

    def after_penalty(self, match: Any, side: int, *, in_hand: bool) -> MatchState:
        """Return the match once a side has paid a referee's penalty.

        `in_hand` tells that a hand was in play, which is void: the deal passes as after a hand.
        Raises ValueError for a side that the match has not, and for a match that is over.
        """
        ...


class MatchState(Protocol):
    """Where a match stands, as far as every game must tell. An immutable value."""

    @property
    def dealer(self) -> Seat:
        """Who deals the next hand."""
        ...

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each side."""
        ...

    @property
    def winner(self) -> int | None:
        """The side that has won the match, or None while it goes on.

        Where several sides may win together it is the first of them; the telling names all.
        """
        ...


AnyGame = Game[Any, Any]
