"""Events of a table in the game's own sentences: as they happen, at the end of a hand, or as the
history of a match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, NamedTuple

from cli.front.narrator import GONE, Seen
from cli.front.writing import Writer
from cli.wording import capital, hand_label, short_label
from p2p304.cards import Card, Slot
from p2p304.disclosures import Disclosure, Opened
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import count_words, won_line
from p2p304.telling import AnyTelling, Ended
from protocol.places import Lane, LedgerName
from protocol.seat.view import SeatView
from protocol.table.events import (
    ActionTaken,
    Disclosed,
    Event,
    HandEnded,
    HandStarted,
    HandUnfinished,
    MatchEnded,
)
from protocol.table.rulings import MatchHand
from protocol.table.standing import PenaltyOutcome
from protocol.wire.contents import Action

# "Perhaps": no message says that a seat has stopped.
MAY_HAVE_STOPPED: Final = (
    "A hand has just ended: perhaps a player wanted no more hands today, and left. The table goes"
    " on when all are back. You may leave, too: 'p2p304 resume' goes on."
)


class ToldAction(NamedTuple):
    """An action with the state of the hand before and after it."""

    # Any: each game has states and actions of its own types.
    before: Any
    seat: Seat
    action: Any
    after: Any


def summary_rows(
    telling: AnyTelling, ended: Ended, writer: Writer, *, scores: bool = True
) -> Iterator[str]:
    """Yield the result of a hand in the game's own rows; with `scores` those of the match too."""
    for row in telling.summary(ended):
        # Scores of the match are told in a line of their own during play.
        if scores or row.label != telling.score_unit:
            # Nine cells and a blank, as in `situation`.
            yield f"{row.label:<9} {writer.line(row.line)}"


class Story:
    """A teller of events in their order, from a given state of the hand on."""

    def __init__(
        self, game: AnyGame, writer: Writer, state: Any = None, *, by_tricks: bool = False
    ) -> None:
        """Set up a story, without a hand or in one.

        Raises ProfileError for a game that is not in the registry.

        Args:
            game: whose telling writes the sentences.
            writer: writes them as text.
            state: of the hand in play; without it actions are told from the next hand's start on.
            by_tricks: whether whole tricks are told instead of single cards, for spectators.
        """
        self._game = game
        self._telling = telling_of(game)
        self._writer = writer
        #: Of the hand that is told, also after its end; None before one was heard to start.
        self.state = state
        self._by_tricks = by_tricks
        #: Who has acted in the newest hand; None in a first one, and once a stop was told.
        self._acted: set[Seat] | None = None
        # As it happens, or from afar as at the end of a hand: the game has both tellings.
        self._lines = self._telling.retell if by_tricks else self._telling.tell

    def tell(self, event: Event, faces: Mapping[Slot, Card]) -> Iterator[str]:
        """Yield the lines for an event: an empty line and a heading at the start of a hand, then
        its actions, its end and the end of the match; none for other events.

        Args:
            event: the next one, in the order of the session or watcher.
            faces: the cards that the reader knows after it, by slots.
        """
        writer = self._writer
        match event:
            case HandStarted(number, dealer, _):
                self.start(event)
                # An empty line between hands.
                yield ""
                yield _deal_words(number, dealer, writer)
            # A story may begin in the middle of a table, before any hand was heard to start.
            case ActionTaken() if self.state is not None:
                told, _ = self.carry_out(event)
                for line in self._lines(*told, faces):
                    yield writer.sentence(line)
            case HandEnded(_, outcome, scores):
                yield outcome.summary
                # Not for spectators: without these rows all tricks and the result fit one screen.
                if self.state is not None and not self._by_tricks:
                    ended = Ended(self.state, outcome, scores, faces)
                    yield from summary_rows(self._telling, ended, writer, scores=False)
                yield f"The score now: {score_words(self._game, scores, writer)}."
            case MatchEnded(winner, scores):
                yield writer.sentence(won_line(self._telling.winners(winner, scores)))

    def start(self, event: HandStarted) -> Any:
        """Begin a hand, and return its state."""
        self.state = self._game.start(event.dealer, event.scores).state
        # Hand 0 is the first: there was no hand before it to stop after.
        self._acted = set() if event.number else None
        return self.state

    def carry_out(self, event: ActionTaken) -> tuple[ToldAction, tuple[Disclosure, ...]]:
        """Apply an action; return it with the states around it, and its disclosures."""
        before = self.state
        # The session gives the step that it has made; events of a file come without, and the rules
        # make it.
        step = event.step or self._game.apply(before, event.seat, event.action)
        self.state = step.state
        if self._acted is not None:
            self._acted.add(event.seat)
        return ToldAction(before, event.seat, event.action, step.state), step.disclosures

    def stop_notice(self, awaited: Sequence[Seat], presence: Mapping[Seat, Seen]) -> str:
        """Return, once a hand, the sentence that a seat may have stopped playing, if none of the
        `awaited` seats has acted in this hand; else "". No message says so.

        Return "" too if all awaited seats said goodbye, and in a table's first hand.
        """
        # Who said goodbye is known to have left: nothing needs to be guessed.
        gone = {seat for seat, seen in presence.items() if seen.where in GONE}
        if self._acted is None or self._acted & {*awaited} or gone >= {*awaited}:
            return ""
        # Told once a hand.
        self._acted = None
        return MAY_HAVE_STOPPED


def so_far(known: SeatView, writer: Writer) -> list[str]:
    """Return lines that tell the newest hand to a seat that comes back.

    Tricks before the present one are not told; empty before the first hand.
    """
    hand, view = known.hand(), known.view()
    if hand is None or view is None:
        return []
    game, telling = known.game, telling_of(known.game)
    told = [_deal_words(hand.number, hand.dealer, writer)]
    # Played again from the start: the ledger holds words, not states.
    state = game.start(hand.dealer, view.scores).state
    # Rounds count from 1 here; `closed` is how many there are.
    for number in range(1, hand.closed + 1):
        for seat, said in known.contents_of_round(LedgerName(Lane.HAND, hand.number), number):
            if isinstance(said, Action):
                before, action = state, game.parse_action(said.text)
                state = game.apply(before, seat, action).state
                lines = telling.tell(before, seat, action, state, view.faces)
                # With the lead of a trick earlier ones are forgotten, as at the table.
                if telling.led(before, state):
                    told.clear()
                told += map(writer.sentence, lines)
    return told


def _deal_words(number: int, dealer: Seat, writer: Writer) -> str:
    """Return the sentence with which a hand begins."""
    return f"Hand {hand_label(number)}: {writer.seat(dealer)} deals."


def score_words(game: AnyGame, scores: tuple[int, ...], writer: Writer) -> str:
    """Return the scores in words, each with its side or seat."""
    named = zip(telling_of(game).sides(), scores, strict=True)
    return ", ".join(f"{writer.sentence(side)} {score}" for side, score in named)


class HandStory(Story):
    """A teller of whole hands at their end, with all cards that are public then."""

    def __init__(self, game: AnyGame, writer: Writer) -> None:
        """Begin before any hand."""
        super().__init__(game, writer)
        self._faces: dict[Slot, Card] = {}
        self._told: list[ToldAction] = []

    def hear(self, event: Event) -> Iterator[str]:
        """Yield the lines for an event: a heading at the start of a hand; at its end all that
        was played, and the result unless the hand is unfinished; else none.
        """
        match event:
            case HandStarted(number, dealer, _):
                self._faces, self._told = {}, []
                self.start(event)
                yield f"Hand {hand_label(number)}, dealt by {self._writer.seat(dealer)}"
            # Kept until the end, as a line may name a card that is opened later.
            case Disclosed(Opened(slot, card)):
                self._faces[slot] = card
            case ActionTaken() if self.state is not None:
                told, disclosures = self.carry_out(event)
                self._told.append(told)
                # Some openings are part of an action's step and no event of their own.
                opened = (each for each in disclosures if isinstance(each, Opened))
                self._faces |= {each.slot: each.card for each in opened}
            # No result: what was played is told.
            case HandUnfinished():
                yield from self._retold()
            case HandEnded(_, outcome, scores):
                yield from self._retold()
                yield outcome.summary
                # A hand whose start was not heard has no state to sum up.
                if self.state is not None:
                    ended = Ended(self.state, outcome, scores, self._faces)
                    yield from summary_rows(self._telling, ended, self._writer)

    def _retold(self) -> Iterator[str]:
        """Yield the lines of all actions heard of the hand, and forget these, so that they are
        told once.
        """
        for told in self._told:
            for line in self._telling.retell(*told, self._faces):
                yield self._writer.sentence(line)
        # Told once, though an end may be told twice (unfinished, then ruled).
        self._told = []


NO_SCORE: Final = "No hand of this match has ended yet."


class MatchHistory(NamedTuple):
    """A match that is over: its hands in order, the winner and the scores."""

    hands: tuple[MatchHand, ...]
    winner: int
    scores: tuple[int, ...]


def headline(game: AnyGame, history: MatchHistory, writer: Writer) -> str:
    """Return a sentence: who won, after how many hands, those that were ruled left out, and with
    which scores.
    """
    line = won_line(telling_of(game).winners(history.winner, history.scores))
    # Without its full stop, as the sentence goes on; a walk-over may end a match before any hand.
    won = writer.sentence(line).removesuffix(".")
    after = f" after {count_words(len(_dealt_hands(history)), 'hand')}" if history.hands else ""
    return f"{won}{after}: {score_words(game, history.scores, writer)}."


def score_rows(game: AnyGame, hands: Sequence[MatchHand], writer: Writer) -> Iterator[str]:
    """Yield a heading, then a row for each hand: its number and the scores after it."""
    telling = telling_of(game)
    owners = telling.owners()
    # A letter for a seat, to keep the column narrow; a side has its name.
    names = [
        seat_letters(game.seats)[seats[0]] if len(seats) == 1 else writer.sentence(side)
        for seats, side in zip(owners, telling.sides(), strict=True)
    ]
    texts = [[f"{score}" for score in hand.scores] for hand in hands]
    # Names of sides and letters of seats are ASCII: characters are cells.
    widths = [
        max([len(name), *(len(text[place]) for text in texts)]) for place, name in enumerate(names)
    ]
    yield _row("Hand", names, widths)
    for hand, text in zip(hands, texts, strict=True):
        yield _row(short_label(hand.number), text, widths)


def hand_rows(game: AnyGame, hands: Sequence[MatchHand], writer: Writer) -> Iterator[str]:
    """Yield the rows of `score_rows`, each with the result of its hand; none without hands."""
    if not hands:
        return
    heading, *rows = score_rows(game, hands, writer)
    yield heading
    for row, hand in zip(rows, hands, strict=True):
        yield f"{row}  {hand.outcome.summary}"


def folded_rows(
    game: AnyGame, hands: Sequence[MatchHand], writer: Writer, cells: int
) -> Iterator[str]:
    """Yield the rows of `hand_rows`, broken between words to at most `cells` cells; results keep
    20 cells at least.
    """
    begins = None
    for row in hand_rows(game, hands, writer):
        # The first row is the heading: two blanks behind its end the results begin.
        begins = len(row) + 2 if begins is None else begins
        # 20 at least: on a narrow terminal the line is longer rather than a column of syllables.
        # `or`: nothing to wrap is no line, and `first` needs one.
        first, *rest = wrap(row[begins:], max(cells - begins, 20), break_on_hyphens=False) or [""]
        yield (row[:begins] + first).rstrip()
        yield from (" " * begins + each for each in rest)


# Aligned to the right, as numbers are compared by their ends.
def _row(first: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one row of the score: `first`, then each cell right-aligned in a column of its
    width.
    """
    columns = zip(cells, widths, strict=True)
    return "  ".join((f"{first:>4}", *(f"{cell:>{width}}" for cell, width in columns)))


def deciding_hand(game: AnyGame, history: MatchHistory) -> MatchHand | None:
    """Return the hand that raised the winners' lead over the others most, the latest of equals.

    None if no hand of the match is known, or none raised it.
    """
    telling = telling_of(game)
    won = {*telling.winning_seats(history.winner, history.scores)}
    ours = [bool(won & {*seats}) for seats in telling.owners()]

    def gain(hand: MatchHand) -> float:
        """Return how much a hand raised the lead: what the others lose decides as well."""
        return _lead(hand.scores, ours) - _lead(hand.before, ours)

    # Backwards: of equals the latest.
    found = max(reversed(history.hands), key=gain, default=None)
    return found if found is not None and gain(found) > 0 else None


def _lead(scores: tuple[int, ...], ours: Sequence[bool]) -> float:
    """Return how far the mean score of one side (`ours`) is above that of the others."""
    # Sides of several seats may have a score for each: the mean compares them.
    mine = [score for score, own in zip(scores, ours, strict=True) if own]
    theirs = [score for score, own in zip(scores, ours, strict=True) if not own]
    # A side without scores has no mean: 0 stands for it.
    return sum(mine) / max(1, len(mine)) - sum(theirs) / max(1, len(theirs))


def decided_rows(game: AnyGame, history: MatchHistory, writer: Writer) -> Iterator[str]:
    """Yield lines on the deciding hand, and on the bids and claims of each side and their
    success.
    """
    telling, hand = telling_of(game), deciding_hand(game, history)
    owners = telling.owners()
    if hand is not None:
        # A match of one hand has no last one: it is named by its number.
        last = hand.number == history.hands[-1].number and len(history.hands) > 1
        which = "The last hand" if last else f"Hand {hand_label(hand.number)}"
        # A ruling has no play that could be told.
        if isinstance(hand.outcome, PenaltyOutcome):
            which = f"What the referee ruled of hand {hand_label(hand.number)}"
            yield f"{which} decided it."
        else:
            yield f"{which} decided it: {hand.outcome.summary}"
    # By kind of bid or claim, and by the place of the side in the scores.
    done, tried = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for deed in (
        each for hand in _dealt_hands(history) for each in telling.undertakings(hand.outcome)
    ):
        # The first seat is who said it.
        place = next(place for place, seats in enumerate(owners) if deed.seats[0] in seats)
        done[deed.what, place] += deed.done
        tried[deed.what, place] += 1
    for what in dict.fromkeys(what for what, _ in tried):
        told = [
            f"{writer.sentence(side)} made {done[what, place]} of {tried[what, place]}"
            for place, side in enumerate(telling.sides())
            # Sides that tried nothing are left out.
            if tried[what, place]
        ]
        yield f"{capital(what)}: {', '.join(told)}."


def _dealt_hands(history: MatchHistory) -> tuple[MatchHand, ...]:
    """Return the hands with a result of play, without those that a referee ruled."""
    return tuple(each for each in history.hands if not isinstance(each.outcome, PenaltyOutcome))


def match_rows(game: AnyGame, history: MatchHistory, writer: Writer) -> Iterator[str]:
    """Yield the whole history: winner, deciding hand, and scores hand by hand."""
    yield headline(game, history, writer)
    yield from decided_rows(game, history, writer)
    if history.hands:
        yield ""
        yield from hand_rows(game, history.hands, writer)
