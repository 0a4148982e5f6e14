"""Bots play with open cards in one process, and the game is told as it happens."""

from __future__ import annotations

import sys
from typing import Any, cast

from rich.console import Console

from cli.printer import Printer
from cli.story import Teller
from p2p304.bots.competent import CompetentPlayer
from p2p304.randomness import SeededRandomness
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Phase, State
from p2p304.rules304.teams import TEAM_NAMES
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.simulator import LUCK_BYTES, OpenTable, play_hand


def play_open(hands: int | None, seed: int, profile: str, house: tuple[str, ...]) -> None:
    """Play and tell so many hands that count, or a whole match; a seed gives the same hands."""
    agreed = profile_named(profile, house)
    console = Printer(highlight=False)
    console.print(f"304 by {' + '.join((agreed.name, *agreed.toggles))}, seed {seed}.")
    console.print(
        "Four bots play on this machine with open cards: nothing is hidden, nothing is proved."
    )
    game = Game304(agreed)
    chance = SeededRandomness(seed)
    players = [CompetentPlayer(chance.randbelow(1 << 63)) for _ in range(game.seats)]
    match = game.new_match(bytes(chance.randbelow(256) for _ in range(LUCK_BYTES)))
    counted = 0
    while counted != hands and match.winner is None:
        deck = list(game.pack)
        chance.shuffle(deck)
        told = Telling(console, match.hand, match.attempt)
        hand = play_hand(game, match.dealer, players, deck, chance, watch=told)
        outcome = cast(HandOutcome, hand.outcome)
        match = game.after_hand(match, outcome)
        counted += outcome.void is None
        console.print(outcome.summary, style="bold")
        stocks = zip(TEAM_NAMES, match.stocks, strict=True)
        console.print(f"Tokens: {', '.join(f'{name} {count}' for name, count in stocks)}.")
    if match.winner is not None:
        console.print(f"{TEAM_NAMES[match.winner]} win the match.", style="bold")


class Telling:
    """Prints the story of one hand while it is played."""

    def __init__(self, console: Console, number: int, attempt: int) -> None:
        self._console = console
        self._title = f"Hand {number}" + (f", deal {attempt}" if attempt > 1 else "")
        self._before: State | None = None
        encoding = (sys.stdout.encoding or "ascii").lower()
        self._ascii = not encoding.startswith("utf")

    def __call__(self, table: OpenTable, seat: Seat, action: Any) -> None:
        """Tell what `action` by `seat` did."""
        teller = Teller(table.face, ascii_only=self._ascii)
        after: State = table.state
        before = self._before
        if before is None:
            before = table.game.start(after.dealer).state
            self._console.rule(f"{self._title}: {FOUR_SEAT_NAMES[after.dealer]} deals")
        self._before = after
        for line in teller.told(before, seat, action, after):
            self._console.print(line)
        first_cards = after.phase is Phase.AUCTION4 and before.phase is not Phase.AUCTION4
        if first_cards or (before.phase is Phase.SORTING and after.phase is not Phase.SORTING):
            for line in teller.hands(after):
                self._console.print(line, style="cyan")
        if after.phase is Phase.OVER and after.tricks:
            self._console.print(f"Points taken: {teller.points(after)}.")
