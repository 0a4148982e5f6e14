"""Moves: choices of a hand told in cards, one word each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from p2p304.cards import Card, parse_card
from p2p304.errors import NotationError
from p2p304.rules304.bids import Bid, Contract
from p2p304.rules304.profile import Profile
from p2p304.seats import Seat, seat_letters

CARD: Final = r"[2-9TJQKA][SHDC]"


class Verb(Enum):
    """What a move does; the value is how it is written after the seat's letter."""

    BID = ""
    PASS = "-"  # noqa: S105 - a pass, not a password
    ASK = "?"
    REDEAL = "redeal"
    INDICATOR = "*"
    OPEN = "open"
    CLOSED = "closed"
    UP = "up"
    UP_ALL_TRUMPS = "up+"
    DOWN = "~"
    SHOW = "show"
    SHOW_IN_TURN = "show!"
    CAPS = "caps"
    CAPS_AT_ONCE = "caps!"
    NAME = "with"
    DOUBLE = "double"
    MARRIAGE = "marriage"
    ACCEPT = "accept"
    CONTEST = "contest"
    SPOILT = "spoilt"
    SPOILT_AT_ONCE = "spoilt!"
    TRUMP = "trump"


_PLAYS: Final = frozenset({Verb.UP, Verb.UP_ALL_TRUMPS, Verb.DOWN})
_ALONE: Final = {
    verb.value: verb
    for verb in (
        Verb.PASS,
        Verb.ASK,
        Verb.REDEAL,
        Verb.OPEN,
        Verb.CLOSED,
        Verb.CAPS,
        Verb.CAPS_AT_ONCE,
        Verb.ACCEPT,
        Verb.CONTEST,
        Verb.SPOILT,
        Verb.SPOILT_AT_ONCE,
        Verb.DOUBLE,
    )
}
_WITH_CARD: Final = {
    "*": Verb.INDICATOR,
    "~": Verb.DOWN,
    "show": Verb.SHOW,
    "show!": Verb.SHOW_IN_TURN,
    "trump": Verb.TRUMP,
    "with": Verb.NAME,
}
_CONTRACTS: Final = {
    "pcc": Contract.PARTNER_CLOSE_CAPS,
    "half": Contract.HALF_COURT,
    "full": Contract.FULL_COURT,
}


@dataclass(frozen=True, slots=True)
class Move:
    """One choice: who, what, and the bid or the cards it names."""

    seat: Seat
    verb: Verb
    bid: Bid | None = None
    cards: tuple[Card, ...] = ()
    mate: Seat | None = None
    """Who is asked, where a seat has several partners."""

    @property
    def is_play(self) -> bool:
        """Whether a card goes into a trick."""
        return self.verb in _PLAYS

    @property
    def ends_row(self) -> bool:
        """Whether a line of text ends here."""
        return self.verb in {Verb.INDICATOR, Verb.NAME, Verb.OPEN, Verb.CLOSED}

    @property
    def in_window(self) -> bool:
        """Whether the move is a claim in a window between cards."""
        return self.verb in {Verb.SHOW, Verb.CAPS, Verb.SPOILT, Verb.DOUBLE, Verb.MARRIAGE}


def format_move(move: Move, seats: int) -> str:
    """Return the move as one word, such as "E160", "N-", "W~9C" or "Scaps:9HKC8H7H"."""
    letters = seat_letters(seats)
    letter = letters[move.seat]
    cards = "".join(map(str, move.cards))
    match move.verb:
        case Verb.BID:
            names = {contract: name for name, contract in _CONTRACTS.items()}
            return letter + (names[move.bid] if isinstance(move.bid, Contract) else str(move.bid))
        case Verb.UP:
            return letter + cards
        case Verb.UP_ALL_TRUMPS:
            return f"{letter}{cards}+"
        case Verb.ASK if move.mate is not None:
            return f"{letter}?{letters[move.mate]}"
        case Verb.MARRIAGE | Verb.CAPS | Verb.CAPS_AT_ONCE if cards:
            return f"{letter}{move.verb.value}:{cards}"
        case _:
            return f"{letter}{move.verb.value}{cards}"


def parse_move(word: str, position: int = 0, *, profile: Profile) -> Move:
    """Return the move that a word tells; with `profile` its shorthand of bids is understood too.

    Raises NotationError.
    """
    letters = seat_letters(profile.seats)
    said = re.match("[SENW]*", word)
    assert said is not None
    letter, rest = said[0], word[said.end() :]
    if letter not in letters or not rest:
        known = f"{', '.join(letters[:-1])} or {letters[-1]}"
        raise NotationError(f"{word[:20]!a} is no move; it begins with {known}", position)
    seat = Seat(letters.index(letter))
    if rest in _ALONE:
        return Move(seat, _ALONE[rest])
    if rest in _CONTRACTS:
        return Move(seat, Verb.BID, _CONTRACTS[rest])
    if re.fullmatch(r"[1-9][0-9]{1,2}", rest):
        number = int(rest)
        return Move(seat, Verb.BID, profile.number_meant(number))
    if rest[0] == Verb.ASK.value and rest[1:] in letters:
        return Move(seat, Verb.ASK, mate=Seat(letters.index(rest[1:])))
    caps = re.fullmatch(rf"(caps!?|marriage):((?:{CARD})+)", rest)
    if caps:
        names = caps[2]
        cards = tuple(parse_card(names[i : i + 2], position) for i in range(0, len(names), 2))
        return Move(seat, Verb(caps[1]), cards=cards)
    named = re.fullmatch(rf"(\*|~|show!?|trump|with)?({CARD})(\+)?", rest)
    if not named or (named[1] and named[3]):
        raise NotationError(f"{word[:20]!a} is no move of 304", position)
    verb = _WITH_CARD.get(named[1] or "", Verb.UP_ALL_TRUMPS if named[3] else Verb.UP)
    return Move(seat, verb, cards=(parse_card(named[2], position),))
