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

# 256 bits: taken modulo any number of seats or cards, what is left of bias cannot be measured.
LUCK_BYTES: Final = 32  #: The least luck from which a match begins.
StateT = TypeVar("StateT")
ActionT = TypeVar("ActionT")


class Step(NamedTuple, Generic[StateT]):
    """The result of an action: the next state, what must be proved, and what is then disclosed."""

    state: StateT  #: The state that follows, as everybody then has it.
    #: What must be true of the cards as they lay before the action, or it does not stand.
    statements: tuple[Statement, ...] = ()
    #: What is shown to whom, and what moves, one after the other.
    disclosures: tuple[Disclosure, ...] = ()


class Outcome(Protocol):
    """How a hand ended, as far as every game has to say it."""

    @property
    def scores(self) -> tuple[int, ...]:
        """The change of each side's score, in the game's units (304: tokens, by team)."""
        ...

    @property
    def summary(self) -> str:
        """The outcome in one sentence, made of public facts alone."""
        ...

    @property
    def played(self) -> bool:
        """Whether cards were played: False where the deal was refused, or nobody bid. Only
        these count where somebody wants to play a number of hands.
        """
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
        """Return the points that a card of the pack counts: 0 or more."""
        ...

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[StateT]:
        """Return the step that begins a hand: its first state, and the cards dealt before any
        action. The freshly shuffled deck lies in the slots 0 to len(pack)-1.

        Args:
            dealer: from 0 to seats-1; every state of the hand names it as `dealer`.
            scores: the match's when the hand begins, one of each side; empty for a hand outside a
                match. Some rules depend on them (41: the sum that the bids must reach).
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

        Raises RulesError, naming the rule, where the public record shows that the action is
        forbidden. Conditions on hidden faces are returned as statements to be proved.

        Args:
            state: of this hand; it may be used again.
            seat: who acts. It need not be awaited where the rules allow a claim out of turn.
            action: with the faces that it makes public, which the statements then vouch for.
        """
        ...

    def legal_actions(self, view: View[StateT]) -> Sequence[ActionT]:
        """Return every action that is legal for the view's seat and true of the cards that it
        knows.

        Empty when the seat is not awaited, and for a spectator.
        """
        ...

    def sides(self, state: StateT) -> tuple[Sides, ...]:
        """Return every division of the seats into sides that the public record allows.

        One division if everybody knows who wins together. While partners are hidden every possible
        one: before there is a maker every division into pairs and nobody alone; then the maker with
        each other seat, and the maker alone.
        """
        ...

    def action_frame(self, round_: int) -> int:
        """Return the size in bytes of the frame that carries every action of a round: 1,024, 2,048,
        4,096 or 16,384. One size for all, so that it tells nothing of the cards.

        `round_` counts the rounds of the hand's ledger from 0: in a game with a cut the first call
        is in round 2, after the deal and the cut. Source: specs/07-wire.md, 7.1.
        """
        ...

    def is_over(self, state: StateT) -> bool:
        """Tell whether the hand has ended: `contributors` then returns no seats."""
        ...

    def settle(self, state: StateT) -> Outcome:
        """Return how a hand ended, from its last state alone; raises RulesError while it is not
        over.
        """
        ...

    def format_action(self, action: ActionT) -> str:
        """Return the canonical text of an action: at most 400 ASCII characters, the longest that a
        message holds (specs 3.5.8), with slots as numbers.
        """
        ...

    def parse_action(self, text: str) -> ActionT:
        """Return the action that `format_action` writes as `text`; raises NotationError for any
        other text.
        """
        ...

    def new_match(self, luck: bytes) -> MatchState:
        """Return a match before its first hand, all chance in it (the first dealer) taken from
        `luck`.

        `luck` is at least 32 uniformly random bytes that no seat chose alone; equal bytes give
        equal matches. Raises ValueError for fewer.
        """
        ...

    # Any: each game has a match and an outcome of its own, of which its callers know no more than
    # MatchState and Outcome say.
    def after_hand(self, match: Any, outcome: Any) -> MatchState:
        """Return the match as it stands after one more hand, which ended with `outcome`, a value of
        `settle`: new scores, next dealer, winner.

        Raises RulesError for a match that was won before.
        """
        ...

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> MatchState:
        """Return a match that stands at `scores` and is not over, whose next hand `dealer` deals.

        Raises ValueError for another number of scores than a match has, and for scores at which a
        match is over.

        Args:
            dealer: a seat of the game.
            scores: one of each side, any integers.
        """
        ...


# For isinstance: most games know no fines, so whoever rules on one asks first.
@runtime_checkable
class PenaltyGame(Protocol):
    """A game in which a referee may fine a side in a match."""

    def after_penalty(self, match: Any, side: int, *, in_hand: bool) -> MatchState:
        """Return `match` after the side numbered `side` paid a referee's penalty.

        With `in_hand` a hand was in play: it is void, and the deal passes as after a hand. Raises
        ValueError for a side that the match does not have, for a match that is over, and where the
        parameters leave no side that could pay (304 with a called partner).
        """
        ...


class MatchState(Protocol):
    """Where a match stands, as far as every game has to say it. An immutable value."""

    @property
    def dealer(self) -> Seat:
        """The seat that deals the next hand."""
        ...

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each side, in the order of `Outcome.scores`."""
        ...

    @property
    def winner(self) -> int | None:
        """The number, one of the game's own, of who has won the match; None while it goes on.

        Where several may win together it is the first of them; `Telling.winners` names all.
        """
        ...


AnyGame = Game[Any, Any]
