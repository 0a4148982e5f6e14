"""The results and stories of hands as HTML, in the words of the program that writes the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cli.page.recorded import PageHand
from cli.page.tree import Node, element
from cli.wording import hand_label

Words = Mapping[str, Any]


def hand_article(hand: PageHand, words: Words) -> Node:
    """Return the element that tells one hand: its result, its summary and its story.

    `words` are the sentences of `page_words`.
    """
    return element("article", *_hand(hand, words))


def _hand(hand: PageHand, words: Words) -> Iterator[Node]:
    """Yield the elements inside a hand's article."""
    yield element("h4", words["hand"].format(hand_label(hand.number)))
    # A hand without a result: those present have ended it, or it is still open.
    yield element("p", hand.result or words["no_result"], class_="result")
    if hand.summary:
        rows = [(element("dt", label), element("dd", line)) for label, line in hand.summary]
        yield element("dl", *(cell for row in rows for cell in row))
    yield element("ol", *(element("li", line) for line in hand.story))
