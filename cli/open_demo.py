"""A demo with open cards: bots play in one process, and every action is printed."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console

from cli.front.story import score_words
from cli.front.writing import Writer
from cli.printer import Printer
from cli.wording import shows_signs
from p2p304.bots.players import steady_for
from p2p304.game import LUCK_BYTES
from p2p304.games import agreement, create_game, telling_of
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.sentences import won_line
from p2p304.simulator import OpenTable, play_hand
from p2p304.view import View


def play_open(
    hands: int | None, seed: int, name: str, profile: str | None, house: tuple[str, ...]
) -> None:
    """Play `hands` hands that count, or a whole match if `hands` is None, and print them.

    The same seed gives the same hands. `house` are house rules on top of `profile`.
    """
    game = create_game(name, agreement(name, profile, house))
    telling = telling_of(game)
    console = Printer(highlight=False)
    console.print(f"{telling.title}, seed {seed}.")
    console.print(
        "Bots play on this machine with open cards: nothing is hidden, nothing is proved."
    )
    # A pipe or an old terminal may not show signs of suits.
    writer = Writer(game.seats, ascii_only=not shows_signs(sys.stdout))
    chance = SeededRandomness(seed)
    # A seed for each player, from the one seed: players of one level else decide alike.
    players = [steady_for(game, chance.randbelow(1 << 63)) for _ in range(game.seats)]
    # The match's luck, which at a table all seats draw together.
    match = game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))
    counted = number = 0
    # `hands` None never equals a count: then the match alone ends it.
    while counted != hands and match.winner is None:
        number += 1
        deck = list(game.pack)
        chance.shuffle(deck)
        told = OpenStory(console, writer, number, match.scores)
        hand = play_hand(game, match.dealer, players, deck, chance, scores=match.scores, watch=told)
        match = game.after_hand(match, hand.outcome)
        # True counts as 1: a deal that was refused is no hand that counts.
        counted += hand.outcome.played
        console.print(hand.outcome.summary, style="bold")
        console.print(f"The score now: {score_words(game, match.scores, writer)}.")
    if match.winner is not None:
        won = writer.sentence(won_line(telling.winners(match.winner, match.scores)))
        console.print(won, style="bold")


class OpenStory:
    """The printer of one hand's story: each action, and all four hands whenever cards are dealt."""

    def __init__(
        self, console: Console, writer: Writer, number: int, scores: tuple[int, ...]
    ) -> None:
        self._console = console
        self._writer = writer
        self._number = number
        self._scores = scores
        self._before: Any = None
        self._most = 0
        """So many cards the hands had when they were last shown."""

    def __call__(self, table: OpenTable, seat: Seat, action: Any) -> None:
        """Print the sentence of the `action` that `seat` took; `table` is the table after it."""
        telling, after, writer = telling_of(table.game), table.state, self._writer
        before = self._before
        if before is None:
            # The state before the first action is not told: it is made again, by the rules.
            before = table.game.start(after.dealer, self._scores).state
            self._console.rule(f"Hand {self._number}: {writer.seat(after.dealer)} deals")
            self._hands(table, before)  # where nobody cuts, cards are dealt before anybody acts
        self._before = after
        faces = table.open_view().faces
        for line in telling.retell(before, seat, action, after, faces):
            self._console.print(writer.sentence(line))
        self._hands(table, after)

    def _hands(self, table: OpenTable, state: Any) -> None:
        """Print all hands if they have more cards than when they were last printed."""
        view, writer = table.open_view(), self._writer
        shown_view = View(view.seat, state, view.faces)
        hands = telling_of(table.game).scene(shown_view, self._scores).places
        # Only when hands have grown: two deals of four show the cards twice.
        if len(hands[0].cards) > self._most:
            self._most = len(hands[0].cards)
            width = max(len(writer.seat(place)) for place in range(len(hands)))
            for place, each in enumerate(hands):
                shown = f"{writer.seat(place):>{width}}  {writer.cards(each.cards)}"
                self._console.print(shown, style="cyan")
