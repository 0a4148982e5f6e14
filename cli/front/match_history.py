"""The history of a match: scores hand by hand, the winner, and the hand that decided it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from cli.front.story import score_words
from cli.front.writing import Writer
from cli.wording import capital, hand_label, short_label
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import count_words, won_line
from protocol.table.rulings import MatchHand
from protocol.table.standing import PenaltyOutcome

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
    """Yield the rows of `score_rows`, each with the result of its hand."""
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
    # 0.0: a hand that gained nothing decides nothing.
    found, most = None, 0.0
    for hand in history.hands:
        # The lead and no score: what the others lose decides as well.
        lead, after = (_lead(scores, ours) for scores in (hand.before, hand.scores))
        # `>=`: of equals the latest.
        if after - lead >= most and after > lead:
            found, most = hand, after - lead
    return found


def _lead(scores: tuple[int, ...], ours: Sequence[bool]) -> float:
    """Return how far the mean score of one side (`ours`) is above that of the others."""
    # Sides of several seats may have a score for each: the mean compares them.
    sides = (
        [score for score, own in zip(scores, ours, strict=True) if own is mine]
        for mine in (True, False)
    )
    # A side without scores has no mean: 0 stands for it.
    mine, theirs = (sum(side) / len(side) if side else 0.0 for side in sides)
    return mine - theirs


def decided_rows(game: AnyGame, history: MatchHistory, writer: Writer) -> Iterator[str]:
    """Yield lines on the deciding hand, and on the bids and claims of each side and their
    success.
    """
    hand = deciding_hand(game, history)
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
    for what, tally in _undertaken(game, history).items():
        told = [
            f"{writer.sentence(side)} made {done} of {tried}"
            for side, (done, tried) in zip(telling_of(game).sides(), tally, strict=True)
            # Sides that tried nothing are left out.
            if tried
        ]
        yield f"{capital(what)}: {', '.join(told)}."


def _undertaken(game: AnyGame, history: MatchHistory) -> dict[str, list[tuple[int, int]]]:
    """Return for each kind of bid or claim, and for each side in order, how many it made and how
    many it tried.
    """
    telling = telling_of(game)
    owners = telling.owners()
    found: dict[str, list[tuple[int, int]]] = {}
    for deed in (
        deed for hand in _dealt_hands(history) for deed in telling.undertakings(hand.outcome)
    ):
        tally = found.setdefault(deed.what, [(0, 0)] * len(owners))
        # The first seat is who said it. `done` counts as 1 if it is true.
        place = _owner(owners, deed.seats[0])
        tally[place] = (tally[place][0] + deed.done, tally[place][1] + 1)
    return found


def _dealt_hands(history: MatchHistory) -> tuple[MatchHand, ...]:
    """Return the hands with a result of play, without those that a referee ruled."""
    return tuple(each for each in history.hands if not isinstance(each.outcome, PenaltyOutcome))


def _owner(owners: Sequence[Sequence[Seat]], seat: Seat) -> int:
    """Return the place in the scores of the side to which a seat belongs; `owners` are the seats
    of each score.
    """
    return next(place for place, seats in enumerate(owners) if seat in seats)


def match_rows(game: AnyGame, history: MatchHistory, writer: Writer) -> Iterator[str]:
    """Yield the whole history: winner, deciding hand, and scores hand by hand."""
    yield headline(game, history, writer)
    yield from decided_rows(game, history, writer)
    if history.hands:
        yield ""
        yield from hand_rows(game, history.hands, writer)
