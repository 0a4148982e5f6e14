"""`p2p304 review`: lists the decisions of a hand that cost most, judged by what each seat knew."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import click

from cli.auditing import hand_text, read_saved_hands
from cli.commands.display import letters_alone
from cli.commands.entering import seats_meant
from cli.commands.opponents import SEATED
from cli.commands.options import HandFile, argument, gather_options, json_option, option
from cli.decision import Decision, think
from cli.errors import CheckFailed, UserError
from cli.front.assistant import HINT_SEED, PastHand, choice_of, decisions_in, hands_in, in_words
from cli.front.writing import Writer
from cli.progress import progress
from cli.store.identity import IdentityStore
from cli.store.paths import home
from cli.workers import Workers
from p2p304.bots.review import Asked, Verdict, costliest, verdict
from p2p304.errors import NotationError
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.hand_text import read_hands
from p2p304.seats import Seat, place_name
from p2p304.sentences import count_words

# For a terminal of 80 columns.
WIDTH: Final = 78
# More would be a list and no lesson.
MOST: Final = 3  #: Decisions that are listed.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """The options of `p2p304 review`."""

    file: str = argument(type=HandFile())
    seat: str | None = option(
        "--seat",
        metavar="SEAT",
        help="Whose decisions: South, or S, a number from 1, or 'all'.  [default: yours, or all]",
    )
    hand: int = option(
        "--hand",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Which hand of a file that holds several.",
    )
    level: str = option(
        "--level",
        type=click.Choice(SEATED),
        default="master",
        show_default=True,
        help="The bot that judges.",
    )
    # Without `option`: declared by decorators above the command, see `gather_options`.
    as_json: bool


@click.command("review")
@gather_options("wishes", ReviewOptions)
@json_option
def command(wishes: ReviewOptions) -> None:
    """List the three decisions of a hand that cost most, and what a good bot would have done.

    If you played the hand, these are your decisions, otherwise everybody's; --seat names a seat.

    The bot judges a decision by what the seat knew then, not by the result: a bid that failed may
    have been right, and a lucky bid wrong. The cost of a decision is a difference of two expected
    scores: that of the bot's choice less that of the seat's choice (in 304, in tokens). A bot errs,
    too: a small cost says little.

    The bot needs the seat's cards, and takes them from those that the end of the hand opened to
    everybody. It leaves out decisions on other cards: in 304 bids on the first four cards, which
    are mixed with the next four before anybody else sees them.

    \b
    Examples:
      p2p304 review 88d17ccd/1               yours, of a table in 'p2p304 tables'
      p2p304 review 88d17ccd/1 --seat all    everybody's
      p2p304 review 88d17ccd/1 --seat South  those of South alone
      p2p304 review hand.p304 --seat 3 --json
      p2p304 review hands.txt --hand 2       hands as replay --text prints
    """
    game, hands, own = _hands(wishes.file)
    if wishes.hand > len(hands):
        raise UserError(f"{wishes.file} holds {count_words(len(hands), 'hand')}.")
    seat = own if wishes.seat is None else _seat(wishes.seat, game.seats)
    hand = hands[wishes.hand - 1]
    # None stands for a decision with cards that the file does not show.
    found = [asked for _, who, asked in decisions_in(game, hand) if seat is None or who == seat]
    asked = [each for each in found if each is not None]
    verdicts = list(_verdicts(game, asked, wishes))
    worst = costliest(verdicts, MOST)
    hidden = len(found) - len(asked)
    writer = Writer(game.seats, ascii_only=letters_alone())
    if wishes.as_json:
        told = [_object(game, each, writer, hand.step) for each in worst]
        click.echo(json.dumps({"judged": len(asked), "hidden": hidden, "costliest": told}))
        return
    for line in _lines(game, worst, writer, seat, len(asked), hidden, hand.step):
        click.echo(line)


def _hands(file: str) -> tuple[AnyGame, list[PastHand], Seat | None]:
    """Return the game, the hands of a transcript or a text, and the seat of our key: None if it has
    none, or for a text.

    Raises CheckFailed for a text that the rules refuse, UserError for a transcript that does not
    pass or holds no hand.
    """
    text = hand_text(file)
    if text is not None:
        # A text carries no signatures: the rules alone judge it.
        try:
            told = list(read_hands(text))
        # A text that the rules refuse was examined and found wrong: exit code 1.
        except NotationError as error:
            raise CheckFailed(f"{file} is no hand by the rules: {error.args[0]}.") from None
        # Step 0: a text has no replay before its first action.
        hands = [PastHand(0, each.dealer, each.scores, each.actions) for each in told]
        return told[0].game, hands, None
    game, charter, events = read_saved_hands(Path(file))
    hands = hands_in(events)
    if not hands:
        raise UserError(f"{file} holds no hand.")
    # Our key, if this machine has one: none is drawn for a look at a file.
    own = IdentityStore(home()).public_key
    seats = enumerate(charter.seats)
    return game, hands, next((Seat(number) for number, each in seats if each.key == own), None)


def _seat(given: str, seats: int) -> Seat | None:
    """Return the seat that `seats_meant` finds; None for "all". Raises UserError if it is none or
    several.
    """
    if given.lower() == "all":
        return None
    every = [Seat(seat) for seat in range(seats)]
    found = seats_meant(given, every, seats)
    if len(found) == 1:
        return found[0]
    names = [place_name(seat, seats) for seat in every]
    # Cut and in ASCII, whatever was pasted.
    raise UserError(f"There is no one seat {given[:40]!a} at this table: {', '.join(names)}.")


def _verdicts(game: AnyGame, asked: list[Asked], wishes: ReviewOptions) -> Iterator[Verdict]:
    """Yield a verdict for each decision, in their order; worker processes search all of them.
    Shows the progress, unless the output is JSON.
    """
    with (
        closing(Workers(os.cpu_count() or 1)) as workers,
        progress("Thinking it over", len(asked), quiet=wishes.as_json) as advance,
    ):
        # HINT_SEED and 0 seconds: the same advice as the hint at the table gave.
        questions = (Decision(game, each.view, HINT_SEED, wishes.level, 0) for each in asked)
        # A list: all are handed out before the first is waited for. What no process could answer is
        # thought of here.
        thoughts = [
            workers.submit(think, each, lost=lambda question, _: think(question))
            for each in questions
        ]
        # In the order of decisions, however they end.
        for each, thought in zip(asked, thoughts, strict=True):
            yield verdict(each, thought.result())
            advance(1)


def _lines(
    game: AnyGame,
    worst: list[Verdict],
    writer: Writer,
    seat: Seat | None,
    judged: int,
    hidden: int,
    first: int,
) -> Iterator[str]:
    """Yield the review for people: how many decisions were judged, how many are `hidden` (left out,
    as their cards are not shown), then each of the `worst` with what was better.

    `first` is the replay step at which the hand begins; `seat` None means all seats.
    """
    who = "All seats together" if seat is None else writer.seat(seat)
    yield (
        f"{who} chose {count_words(judged, 'time')} among several, with cards that the file shows."
    )
    if hidden:
        yield f"{count_words(hidden, 'decision')} with cards that it does not show: left out."
    if not worst:
        yield "Nothing that was compared would have been better."
        return
    unit = telling_of(game).score_unit.lower()
    yield f"What cost most, by what the seat could know then ({unit}):"
    for place, each in enumerate(worst, 1):
        told = _object(game, each, writer, first)
        yield ""
        yield f"{place}. {told['seat']}, step {told['step']} of the replay: {told['done']}."
        better = f"Better by {told['cost']:.2f}: {told['better']}. {told['reason']}"
        yield from wrap(better, WIDTH, initial_indent="   ", subsequent_indent="   ")


def _object(game: AnyGame, found: Verdict, writer: Writer, first: int) -> dict[str, Any]:
    """Return one verdict as a JSON object; `first` is the replay step at which its hand begins."""
    asked, advice, chosen = found
    choices = telling_of(game).choices(asked.view, asked.legal)
    # Only a seat decides; a spectator's view has none.
    assert asked.view.seat is not None
    return {
        "seat": writer.seat(asked.view.seat),
        "step": first + asked.number,
        "done": writer.line(choice_of(asked.done, choices).label),
        "better": writer.line(choice_of(advice.action, choices).label),
        "cost": found.cost,
        "expected": advice.expected,
        # None if the search did not try what the seat did.
        "expected_of_done": None if chosen is None else chosen.expected,
        "chance": advice.chance,
        "reason": in_words(advice.reason, writer),
    }
