"""What a page tells of a hand and of a match, in words, tables and plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cli.page.plots import plot
from cli.page.recorded import PageHand
from cli.page.tree import Node, element
from cli.wording import hand_label

Words = Mapping[str, Any]


def match_article(
    hands: Sequence[PageHand], scored: str, sides: Sequence[str], words: Words
) -> Node:
    """Return how a match went: its score after each hand, and what each hand came to."""
    told = [hand for hand in hands if hand.scores]
    parts = [element("h3", words["match"])]
    if told:
        rows = [told[0].before, *(hand.scores for hand in told)]
        parts.append(_figure(words["plot_match"].format(scored), sides, rows))
    results = (
        words["plot_at"].format(_named(hand, words), hand.result or words["no_result"])
        for hand in hands
    )
    parts.append(element("ul", *(element("li", each) for each in results)))
    return element("article", *parts, class_="match")


def hand_article(hand: PageHand, places: Sequence[str], words: Words) -> Node:
    """Return how a hand went; `places` are those of the seats."""
    return element("article", *_hand(hand, places, words))


def _named(hand: PageHand, words: Words) -> str:
    named: str = words["hand"].format(hand_label(hand.number))
    return named


def _hand(hand: PageHand, places: Sequence[str], words: Words) -> Iterator[Node]:
    dealer = words["dealt_by"].format(places[hand.dealer])
    yield element("h3", f"{_named(hand, words)}, {dealer}")
    yield element("p", hand.result or words["no_result"], class_="result")
    if hand.summary:
        yield element("h4", words["result"])
        rows = [(element("dt", label), element("dd", line)) for label, line in hand.summary]
        yield element("dl", *(cell for row in rows for cell in row))
    if hand.counted:
        yield element("div", *_counted(hand, words), class_="plots")
    for auction in hand.auctions:
        longest = max(map(len, auction))
        said = [
            [calls[row] if row < len(calls) else "" for calls in auction] for row in range(longest)
        ]
        yield _grid(words["auction"], places, [("", row) for row in said], words)
    if hand.tricks:
        marked = [
            [f"{card} ({words['wins']})" if wins else card for card, wins in trick]
            for trick in hand.tricks
        ]
        numbered = [(str(number), row) for number, row in enumerate(marked, 1)]
        yield _grid(words["tricks"], places, numbered, words)
    yield element("h4", words["story"])
    yield element("ol", *(element("li", line) for line in hand.story))


def _counted(hand: PageHand, words: Words) -> Iterator[Node]:
    for word, sides, values in hand.counted:
        kind = "plot_tricks" if len(values) == len(hand.tricks) else "plot_tricks_and_end"
        title = words[kind].format(word)
        yield _figure(title, sides, [(0,) * len(sides), *values])


def _figure(title: str, sides: Sequence[str], rows: Sequence[Sequence[int]]) -> Node:
    return element("figure", plot(title, sides, rows), element("figcaption", title))


def _grid(
    title: str,
    places: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    words: Words,
) -> Node:
    numbered = any(name for name, _ in rows)
    heads = [words["trick"], *places] if numbered else places
    head = element("tr", *(element("th", each, scope="col") for each in heads))
    lines = []
    for name, cells in rows:
        first = [element("th", name, scope="row")] if numbered else []
        lines.append(element("tr", *first, *(element("td", each) for each in cells)))
    table = element(
        "table", element("caption", title), element("thead", head), element("tbody", *lines)
    )
    return element("div", table, class_="wide")
