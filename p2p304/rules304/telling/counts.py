"""How many cards, seats and points there are under a profile, in words."""

from __future__ import annotations

import re
from typing import Final

from p2p304.rules304.profile import Profile
from p2p304.seats import FOUR_SEAT_NAMES

# An article is caught, too, since it changes with the number: a four, an eight.
_CARDS: Final = re.compile(r"\b([Aa]n? )?([Ff]our|[Ee]ight)(?=-card| cards)")
_PARTNER: Final = re.compile(r"\b([Tt]he|[Yy]our) partner\b")
_BIDS: Final = re.compile(r"\b(?:200|249|250)\b")
#: Numbers in words. No batch, hand or table of 304 has seven.
NUMBER_WORDS: Final = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 8: "eight"}


def first_cards(profile: Profile) -> str:
    """Return how many cards a seat gets before the indicator is laid, in words: "four"."""
    return NUMBER_WORDS[profile.deal_batches.sizes[0]]


def more_cards(profile: Profile) -> str:
    """Return the cards that a seat gets after the indicator is laid, in words: "four more
    cards".
    """
    count = profile.deal_batches.sizes[1]
    return f"{NUMBER_WORDS[count]} more card{'' if count == 1 else 's'}"


def all_cards(profile: Profile) -> str:
    """Return how many cards a seat gets in all, in words: "eight". There are as many tricks."""
    return NUMBER_WORDS[profile.deal_batches.cards]


def all_seats(profile: Profile) -> str:
    """Return the number of seats in words: "six"."""
    return NUMBER_WORDS[profile.seats]


def second_batch(profile: Profile) -> str:
    """Return the cards that everybody gets after the indicator is laid, in words: "the second
    four cards", or "two more cards" where the batches differ.
    """
    first, second = profile.deal_batches.sizes
    return f"the second {NUMBER_WORDS[second]} cards" if first == second else more_cards(profile)


def partner(profile: Profile) -> str:
    """Return a player's partner in words: "your partner", or "a partner of yours" where it has
    several.
    """
    return "a partner of yours" if profile.seats > len(FOUR_SEAT_NAMES) else "your partner"


def laid_aside_words(profile: Profile) -> str:
    """Return "the partner's cards are laid aside", with "partners'" at a table of more than four
    seats: what Partner Close Caps does with them.
    """
    whose = "partners'" if profile.seats > len(FOUR_SEAT_NAMES) else "partner's"
    return f"the {whose} cards are laid aside"


def defenders(profile: Profile) -> str:
    """Return the number of the maker's opponents in words: "two"."""
    return NUMBER_WORDS[profile.seats // 2]


def own_words(text: str, profile: Profile) -> str:
    """Return `text`, which is worded for four seats and eight cards, reworded for `profile`:
    "with four cards" -> "with three cards", and "your partner" -> "a partner" where there are
    several.
    """

    def own(found: re.Match[str]) -> str:
        """Return the profile's number of cards in place of a match of "four" or "eight"; article
        and capital are kept.
        """
        word = first_cards(profile) if found[2].lower() == "four" else all_cards(profile)
        if found[1]:
            word = f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
        return word.capitalize() if found[0][0].isupper() else word

    def one_of_several(found: re.Match[str]) -> str:
        """Return "a partner" in place of a match of "your partner" or "the partner"; a capital
        is kept.
        """
        return "A partner" if found[0][0].isupper() else "a partner"

    # Passes are the one other number of these texts: as many as there are seats.
    text = _CARDS.sub(own, text).replace("four passes", f"{all_seats(profile)} passes")
    several = profile.seats > len(FOUR_SEAT_NAMES)
    return _PARTNER.sub(one_of_several, text) if several else text


def own_numbers(text: str, profile: Profile) -> str:
    """Return `text`, which is worded for four seats, reworded as by `own_words`, and with the
    profile's brackets in place of the bids 200, 249 and 250.
    """
    top = profile.bracket_top
    bids = {"200": profile.bracket_middle, "249": top - 1, "250": top}
    return _BIDS.sub(lambda found: str(bids[found[0]]), own_words(text, profile))
