"""What the numbered rules are about, for whoever has no rule book at hand."""

from __future__ import annotations

from typing import Final

_TITLES: Final = {
    "S1": "one's own unplayed cards",
    "0": "what has been proved",
    "1": "the cards",
    "3": "whose turn it is",
    "4": "the cut",
    "5": "the four-card auction",
    "5.2": "bids with four cards",
    "5.3": "asking the partner",
    "5.4": "passing",
    "5.5": "new cards",
    "6": "the indicator",
    "7": "bids with eight cards",
    "8": "open and closed trump, the first lead",
    "9": "playing cards",
    "9.1": "play with open trump",
    "9.2": "following suit",
    "9.3": "the maker with hidden trump",
    "9.4": "the last trick",
    "10": "the end of a trick",
    "11": "high bids and exhausted trumps",
    "11.2": "exhausted trumps",
    "12": "spoilt trumps",
    "13": "caps",
    "14.2": "Partner Close Caps",
    "15": "the count",
    "16": "talk and violations",
    "pre_show": "the house rule of showing cards",
}


def rule_named(rule: str) -> str:
    """The rule with what it is about: "rule 9.2, following suit"."""
    number = rule
    while number and number not in _TITLES:
        number = number.rpartition(".")[0]
    return f"rule {rule}, {_TITLES[number]}" if number else f"rule {rule}"
