"""What whoever uses the rules as a library begins with; nothing but Python is needed.

    game = create_game("304", "pagat")        a game under agreed rules
    table = OpenTable(game, deck, chance)     one hand, whose cards lie open here
    view = table.view(seat)                   what that seat may know, and nothing else
    game.legal_actions(view)                  what it may do
    table.act(seat, action)                   what stands is carried out; the rest raises GameError
    game.settle(table.state)                  how the hand ended
    text = format_hand(...)                   the hand as text, which `read_hands` plays again

The guide `specs/guide/implementer.md` plays such a hand. The modules hold the rest: `game` what
every game offers, `simulator` whole hands between players, `bots.players` who may sit there,
`telling` words for all of it, `tournament` draws and brackets. Seats are numbered from 0 in the
order of play; a card is a `Card`, or a `Slot` while it is closed.
"""

from __future__ import annotations

from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.errors import GameError, NotationError, ProfileError, RulesError
from p2p304.game import AnyGame, Step
from p2p304.games import GAMES, create_game, telling_of
from p2p304.hand_text import ToldHand, format_hand, read_hands
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import FalseStatement, OpenTable, play_hand
from p2p304.view import View

# Re-exported on purpose, the one place where that is done: a caller need not know the modules.
__all__ = [
    "GAMES",
    "AnyGame",
    "Card",
    "FalseStatement",
    "GameError",
    "NotationError",
    "OpenTable",
    "ProfileError",
    "Rank",
    "RulesError",
    "Seat",
    "SeededRandomness",
    "Slot",
    "Step",
    "Suit",
    "ToldHand",
    "View",
    "create_game",
    "format_hand",
    "parse_card",
    "play_hand",
    "read_hands",
    "telling_of",
]
