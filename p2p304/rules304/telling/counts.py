"""How many cards, seats and points there are under a profile, in words."""

from __future__ import annotations

import re
from typing import Final

from p2p304.rules304.profile import Profile
from p2p304.seats import FOUR_SEAT_NAMES

_CARDS: Final = re.compile(r"\b([Aa]n? )?([Ff]our|[Ee]ight)(?=-card| cards)")
_PARTNER: Final = re.compile(r"\b([Tt]he|[Yy]our) partner\b")
_BIDS: Final = re.compile(r"\b(?:200|249|250)\b")
_WORDS: Final = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 8: "eight"}


def number_word(count: int) -> str:
    """Return a small number in words: "four"."""
    return _WORDS[count]


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


def with_article(word: str) -> str:
    """Return a number in words behind its article: "an eight", "a six"."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def partner(profile: Profile) -> str:
    """Return how a player's partner is spoken of: "your partner", or "a partner of yours"."""
    return "a partner of yours" if profile.seats > len(FOUR_SEAT_NAMES) else "your partner"


def laid_aside(profile: Profile) -> str:
    """Return what Partner Close Caps does: "the partner's cards are laid aside"."""
    whose = "partners'" if profile.seats > len(FOUR_SEAT_NAMES) else "partner's"
    return f"the {whose} cards are laid aside"


def defenders(profile: Profile) -> str:
    """Return how many opponents a maker of a team has: "two"."""
    return _WORDS[profile.seats // 2]


def own_words(text: str, profile: Profile) -> str:
    """Return a text that is worded for four seats with the profile's own cards and partners."""

    def own(found: re.Match[str]) -> str:
        word = first_cards(profile) if found[2].lower() == "four" else all_cards(profile)
        word = with_article(word) if found[1] else word
        return word.capitalize() if found[0][0].isupper() else word

    def one_of_several(found: re.Match[str]) -> str:
        return "A partner" if found[0][0].isupper() else "a partner"

    text = _CARDS.sub(own, text).replace("four passes", f"{all_seats(profile)} passes")
    several = profile.seats > len(FOUR_SEAT_NAMES)
    return _PARTNER.sub(one_of_several, text) if several else text


def own_numbers(text: str, profile: Profile) -> str:
    """Return such a text with the profile's own 200 and 250, where it tells bids and prices."""
    top = profile.bracket_top
    bids = {"200": profile.bracket_middle, "249": top - 1, "250": top}
    return _BIDS.sub(lambda found: str(bids[found[0]]), own_words(text, profile))
