"""How many cards, seats and points there are under a profile, in words."""

from __future__ import annotations

from typing import Final

from p2p304.rules304.profile import Profile

_WORDS: Final = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 8: "eight"}


def first_cards(profile: Profile) -> str:
    """Return how many cards a seat has in the first auction: "four"."""
    return _WORDS[profile.deal_batches.sizes[0]]


def more_cards(profile: Profile) -> str:
    """Return how many it gets after the indicator: "four more cards"."""
    count = profile.deal_batches.sizes[1]
    return f"{_WORDS[count]} more card{'s' * (count > 1)}"


def all_cards(profile: Profile) -> str:
    """Return how many it gets in all, which is the number of tricks."""
    return _WORDS[profile.deal_batches.cards]


def all_seats(profile: Profile) -> str:
    """Return how many seats play."""
    return _WORDS[profile.seats]


def second_batch(profile: Profile) -> str:
    """Return what everybody gets after the indicator: "the second four cards"."""
    first, second = profile.deal_batches.sizes
    return f"the second {_WORDS[second]} cards" if first == second else more_cards(profile)
