"""Caps, judged exactly: is this order of cards sure, and is there any sure order (RULES 13.2).

The answers depend on the information set alone. They serve the judge after the hand, a bot's
decision and a player's hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from p2p304.cards import Card
from p2p304.rules304.bits import BIT, CARD
from p2p304.rules304.caps.hypotheses import hypotheses
from p2p304.rules304.caps.information import InformationSet
from p2p304.rules304.caps.search import Effort, Refutation


class Prospect(NamedTuple):
    """Whether any order is sure, and one that is."""

    sure: bool
    order: tuple[Card, ...] = ()
    nodes: int = 0
    """What the answer cost."""


def judge_order(
    information: InformationSet,
    order: Sequence[Card],
    limit: int | None = None,
    more: Callable[[], bool] | None = None,
) -> bool:
    """Tell whether `order`, all of the seat's remaining cards, is sure.

    Raises ValueError if `order` is anything else than these cards, or if the facts leave no layout;
    OutOfNodesError past `limit` nodes, or when there is no `more` time.
    """
    if sorted(order) != sorted(information.own_cards()):
        raise ValueError("an order consists of all remaining cards of the seat, each once")
    if not information.unbeaten:
        return False
    cards = tuple(BIT[card] for card in order)
    searches = _searches(information, Effort(limit, more))
    return not cards or not any(search.refutes(cards) for search in searches)


def find_order(
    information: InformationSet,
    limit: int | None = None,
    more: Callable[[], bool] | None = None,
) -> Prospect:
    """Search for an order of the seat's remaining cards that is sure; return the first one found.

    A seat without cards has none. Raises ValueError if the facts leave no layout, OutOfNodesError
    past `limit` nodes, or when there is no `more` time.
    """
    if not information.unbeaten or not information.own_cards():
        return Prospect(sure=False)
    effort = Effort(limit, more)
    searches = _searches(information, effort)
    order = next(_sure_orders(searches, (), set()), None)
    if order is None:
        return Prospect(False, (), effort.nodes)
    return Prospect(True, tuple(CARD[card] for card in order), effort.nodes)


def _searches(information: InformationSet, effort: Effort) -> tuple[Refutation, ...]:
    possible = hypotheses(information)
    if not possible:
        raise ValueError("no layout agrees with what the seat knows")
    return tuple(Refutation(information, hypothesis, effort) for hypothesis in possible)


def _sure_orders(
    searches: Sequence[Refutation], prefix: tuple[int, ...], failed: set[tuple[object, ...]]
) -> Iterator[tuple[int, ...]]:
    """Yield the sure orders that begin with a prefix that cannot be broken.

    `failed` are sets of cards after which none was found, where only the cards count.
    """
    choices = searches[0].choices(prefix)
    if not choices:
        yield prefix
    for card in choices:
        longer = (*prefix, card)
        if any(search.refutes(longer) for search in searches):
            continue
        if any(search.partner_leads for search in searches):
            yield from _sure_orders(searches, longer, failed)
            continue
        apart = tuple(search.tells_apart(longer) for search in searches)
        if apart not in failed:
            yield from _sure_orders(searches, longer, failed)
            failed.add(apart)
