"""Hands of any game as text, as PGN is for chess: written from what is public, read by the rules.

    41 floor_12
    dealer W 31 12 5 8
    N cut 30
    S bid 12
    result -24 -16 -20 2

The first line names the game and what was agreed, the second who deals and the scores of the match
before the hand. All actions follow, each by its seat: a letter of SENW at a table of four, else a
number from 1. The last line says how the scores of the sides change, or "result unfinished". A game
may have a notation in cards for hands that end with all of them open: `cards` of its entry. Between
hands there is an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from p2p304.errors import NotationError, ProfileError, RulesError
from p2p304.game import LUCK_BYTES, AnyGame, Outcome
from p2p304.games import GAMES, create_game
from p2p304.seats import FOUR_SEAT_LETTERS, Seat

# Texts come from strangers; replaying one takes time in proportion.
LONGEST: Final = 1_000_000  #: How many characters a text may have.
# At most eight scores of six digits, so that no number is long enough to be slow. A seat is one
# character; two more are read, so that a wrong one is told as no seat.
_DEALER: Final = re.compile(r"dealer (\w{1,3})((?: -?\d{1,6}){0,8})", re.ASCII)
_RESULT: Final = "result"


class ToldHand(NamedTuple):
    """A hand that was read from a text and carried out by the rules; `outcome` is None if it is
    not over.
    """

    game: AnyGame
    dealer: Seat
    scores: tuple[int, ...]  #: The match's before the hand, as far as the text says.
    actions: tuple[tuple[Seat, Any], ...]
    outcome: Outcome | None


def format_hand(
    game: AnyGame,
    agreed: str,
    dealer: Seat,
    scores: tuple[int, ...],
    actions: tuple[tuple[Seat, Any], ...],
) -> str:
    """Return a hand as text, with a line break at the end; a hand that is not over as far as it
    went.

    A hand that is over is written in cards where the game has a notation of cards and all cards are
    open, else action by action. Raises RulesError for actions that the rules forbid, and KeyError
    for a game that is not in the registry.

    Args:
        game: under the parameters of `agreed`.
        agreed: the charter's text of parameters, whose first line is written.
        dealer: of the hand, 0 to seats-1.
        scores: the match's before the hand; empty leaves them out.
        actions: each seat and its action, from the beginning of the hand.
    """
    state = game.start(dealer, scores).state
    for seat, action in actions:
        state = game.apply(state, seat, action).state
    outcome = game.settle(state) if game.is_over(state) else None
    cards = GAMES[game.name].cards()
    # In cards only once the hand is over: before, most cards are closed.
    text = None if cards is None or outcome is None else cards.write(state)
    if text is None:
        # A charter's other lines follow from its first (specs/rules.md 14).
        first, *_ = agreed.split("\n", 1)
        # Nothing was agreed in the usual game of 41: then no space stands behind the name.
        head = f"{game.name} {first}".rstrip()
        lines = [head, " ".join(("dealer", _letter(game, dealer), *map(str, scores)))]
        lines += [f"{_letter(game, seat)} {game.format_action(each)}" for seat, each in actions]
        text = "\n".join(lines) + "\n"
    return f"{text}{_result(outcome)}\n"


def read_hands(text: str) -> Iterator[ToldHand]:
    """Yield the hands of a text, each after the rules have carried it out; none for a blank text.

    Blank lines part the hands; a result line may be missing. Statements about cards that stay
    closed are believed: only a transcript proves them. Raises NotationError, with the place in
    `text`, for what is no hand, for an action that the rules forbid, for another result than
    theirs, and for more than 1,000,000 characters.
    """
    if len(text) > LONGEST:
        # At the first character too many.
        raise NotationError(f"a text has at most {LONGEST} characters", LONGEST)
    start = end = 0
    # The empty line at the end closes the last hand.
    for line in [*text.splitlines(keepends=True), ""]:
        if line.strip():
            end += len(line)
            continue
        if start < end:
            yield _read(text[start:end], start)
        start = end = end + len(line)


def _read(text: str, at: int) -> ToldHand:
    """Return the hand of `text`, carried out by the rules; raises NotationError, with the place in
    the whole text, for anything that is no hand.

    `at` is the place in the whole text at which `text` begins.
    """
    lines = list(_lines(text, at))
    # Optional: a hand without a result line is replayed all the same.
    said = lines.pop() if len(lines) > 1 and lines[-1][0].split(" ")[0] == _RESULT else None
    name, _, agreed = lines[0][0].partition(" ")
    entry = GAMES.get(name)
    if entry is None:
        raise NotationError(f"a hand begins with the name of a game: {', '.join(GAMES)}", at)
    dealt = _DEALER.fullmatch(lines[1][0]) if len(lines) > 1 else None
    cards = entry.cards()
    try:
        game = create_game(name, agreed.strip())
    except ProfileError as error:
        # Behind the game's name and the space after it.
        raise NotationError(str(error), at + len(name) + 1) from error
    scores: tuple[int, ...] = ()
    # No "dealer" line: the hand is in the game's own notation of cards.
    if dealt is None and cards is not None:
        # Up to the result's line, whose place counts in the whole text.
        body = text if said is None else text[: said[1] - at]
        dealer, actions = cards.read(body, at)
        # Carried out once when they were read, so that none of them is refused below.
        moves = [(seat, action, at) for seat, action in actions]
    elif dealt is not None:
        dealer = _seat(game, dealt[1], lines[1][1])
        scores = tuple(map(int, dealt[2].split()))
        # Any match of the game tells how many scores there are.
        if scores and len(scores) != len(game.new_match(bytes(LUCK_BYTES)).scores):
            raise NotationError(f"a match has no {len(scores)} scores here", lines[1][1])
        moves = [_action(game, *line) for line in lines[2:]]
    else:
        place = lines[1][1] if len(lines) > 1 else at + len(text)
        raise NotationError('"dealer", a seat and the scores before the hand are expected', place)
    state = game.start(dealer, scores).state
    for seat, action, place in moves:
        try:
            state = game.apply(state, seat, action).state
        # The rules' own reason, at the place of the move in the text.
        except RulesError as error:
            raise NotationError(f"the rules forbid this: {error}", place) from error
    outcome = game.settle(state) if game.is_over(state) else None
    # A text that states another result than its moves is wrong somewhere: better refused than
    # believed.
    if said is not None and said[0] != (meant := _result(outcome)):
        # Cut short and escaped, here and below: texts come from strangers, and a terminal shows
        # them.
        raise NotationError(f"by the rules this is {meant!a}, not {said[0][:60]!a}", said[1])
    return ToldHand(
        game, dealer, scores, tuple((seat, action) for seat, action, _ in moves), outcome
    )


def _lines(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield each line without the space around it, and the place of its first character."""
    for line in text.splitlines(keepends=True):
        yield line.strip(), at + len(line) - len(line.lstrip())
        at += len(line)


def _action(game: AnyGame, line: str, at: int) -> tuple[Seat, Any, int]:
    """Return the seat and the action of a line such as "S bid 12", and `at` unchanged; raises
    NotationError at `at` for another line.
    """
    letter, _, said = line.partition(" ")
    try:
        return _seat(game, letter, at), game.parse_action(said), at
    # A place within the action: whoever reads the whole text needs that of the line.
    except NotationError as error:
        raise NotationError(error.args[0], at) from error


def _letter(game: AnyGame, seat: Seat) -> str:
    """Return a seat as text: a letter of SENW at a table of four, else its number from 1."""
    return FOUR_SEAT_LETTERS[seat] if game.seats == len(FOUR_SEAT_LETTERS) else str(seat + 1)


def _seat(game: AnyGame, said: str, at: int) -> Seat:
    """Return the seat whose letter or number, as `_letter` writes it, is `said`; raises
    NotationError at place `at` for another text.
    """
    letters = [_letter(game, Seat(seat)) for seat in range(game.seats)]
    if said not in letters:
        raise NotationError(f"{said[:12]!a} is no seat; write one of {', '.join(letters)}", at)
    return Seat(letters.index(said))


def _result(outcome: Outcome | None) -> str:
    """Return the last line of a hand: "result -24 -16 -20 2" with the changes of scores, or
    "result unfinished" for None.
    """
    if outcome is None:
        return f"{_RESULT} unfinished"
    return " ".join((_RESULT, *map(str, outcome.scores)))
