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
    """The answer of a search: whether any order is sure, such an order, and the nodes it took."""

    sure: bool
    order: tuple[Card, ...] = ()
    nodes: int = 0  #: What the answer cost.


def judge_order(
    information: InformationSet,
    order: Sequence[Card],
    limit: int | None = None,
    more: Callable[[], bool] | None = None,
) -> bool:
    """Tell whether `order`, all of the seat's remaining cards, is sure to win every trick (RULES
    13.2).

    False once the seat's team has lost a trick; True for a seat without cards. Raises ValueError if
    `order` is anything else than these cards, or if the facts leave no layout.

    Args:
        limit: the number of search nodes after which OutOfNodesError is raised; None is no limit.
        more: asked at every 64th node, as a clock costs more than a node; OutOfNodesError is raised
            once it returns False.
    """
    # As sorted lists: a set would take a card that is named twice.
    if sorted(order) != sorted(information.own_cards()):
        raise ValueError("an order consists of all remaining cards of the seat, each once")
    if not information.unbeaten:
        return False
    cards = tuple(BIT[card] for card in order)
    # Also for no cards: it raises where no layout agrees.
    searches = _searches(information, Effort(limit, more))
    return not cards or not any(search.refutes(cards) for search in searches)


def find_order(
    information: InformationSet,
    limit: int | None = None,
    more: Callable[[], bool] | None = None,
) -> Prospect:
    """Search for an order of the seat's remaining cards that is sure; return the first one found,
    or a Prospect that is not `sure` and has no order.

    Not sure once the seat's team has lost a trick, and for a seat without cards. Raises ValueError
    if the facts leave no layout.

    Args:
        limit: the number of search nodes after which OutOfNodesError is raised; None is no limit.
        more: asked at every 64th node, as a clock costs more than a node; OutOfNodesError is raised
            once it returns False.
    """
    # Without cards there is nothing left to call caps with, though no order of them could lose.
    if not information.unbeaten or not information.own_cards():
        return Prospect(sure=False)
    effort = Effort(limit, more)
    searches = _searches(information, effort)
    order = next(_sure_orders(searches, (), set()), None)
    if order is None:
        return Prospect(False, (), effort.nodes)
    return Prospect(True, tuple(CARD[card] for card in order), effort.nodes)


def _searches(information: InformationSet, effort: Effort) -> tuple[Refutation, ...]:
    """Return a search for a refutation under each hypothesis, all counting nodes in `effort`;
    raises ValueError where no layout fits the facts.
    """
    possible = hypotheses(information)
    if not possible:
        raise ValueError("no layout agrees with what the seat knows")
    return tuple(Refutation(information, hypothesis, effort) for hypothesis in possible)


def _sure_orders(
    searches: Sequence[Refutation], prefix: tuple[int, ...], failed: set[tuple[object, ...]]
) -> Iterator[tuple[int, ...]]:
    """Yield sure orders that begin with `prefix`, cards that no line of play refutes so far; each
    order is a tuple of bits. At least one where there is any, but not all: cards that are worth the
    same, and sets of cards that were tried in another order, are tried once.

    `searches` look for a refutation, one under each hypothesis. `failed` collects the sets of cards
    that were tried.
    """
    # Any search does: which own cards are worth the same depends on cards that all of them share.
    choices = searches[0].choices(prefix)
    if not choices:
        # All own cards are in it: the whole order is sure.
        yield prefix
    for card in choices:
        longer = (*prefix, card)
        # A prefix that breaks under one hypothesis breaks every order that begins so.
        if any(search.refutes(longer) for search in searches):
            continue
        # Once a partner may lead, the order of the cards before it matters: sets must not be
        # remembered.
        if any(search.partner_leads for search in searches):
            yield from _sure_orders(searches, longer, failed)
            continue
        apart = tuple(search.tells_apart(longer) for search in searches)
        if apart not in failed:
            yield from _sure_orders(searches, longer, failed)
            # Reached only where nothing sure was found: the caller stops at the first order.
            failed.add(apart)
