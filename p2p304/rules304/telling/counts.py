"""How many cards, seats and points there are under a profile, in words."""

from __future__ import annotations

import re
from typing import Final

from p2p304.rules304.profile import Profile

_CARDS: Final = re.compile(r"\b(?:[Ff]our|[Ee]ight)(?=-card| cards)")
_BIDS: Final = re.compile(r"\b(?:200|249|250)\b")
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


def own_cards(text: str, profile: Profile) -> str:
    """Return a text that is worded for four seats with the profile's own four and eight cards."""

    def own(found: re.Match[str]) -> str:
        word = first_cards(profile) if found[0].lower() == "four" else all_cards(profile)
        return word.capitalize() if found[0][0].isupper() else word

    return _CARDS.sub(own, text).replace("four passes", f"{all_seats(profile)} passes")


def own_numbers(text: str, profile: Profile) -> str:
    """Return such a text with the profile's own 200 and 250, where it tells bids and prices."""
    top = profile.bracket_top
    bids = {"200": profile.bracket_middle, "249": top - 1, "250": top}
    return _BIDS.sub(lambda found: str(bids[found[0]]), own_cards(text, profile))
