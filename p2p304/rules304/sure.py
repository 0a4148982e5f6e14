"""Caps, judged exactly: is this order of cards sure, and is there any sure order (RULES 13.2).

The answers depend on the information set and on a budget of nodes, never on the machine. They serve
the judge after the hand, a bot's decision and a player's hint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from p2p304.cards import Card
from p2p304.rules304.bits import BIT, CARD
from p2p304.rules304.hypotheses import Hypothesis, hypotheses
from p2p304.rules304.information import InformationSet
from p2p304.rules304.prospects import natural_order
from p2p304.rules304.refutation import Budget, OutOfNodesError, Refutation

NODE_BUDGET: Final = 20_000
"""Nodes for one question about one information set; a constant of the rules (ruling 75)."""

GLANCE: Final = 200
"""Nodes for a first look under each trump suit, where several are possible."""


class Verdict(Enum):
    """Whether something is certain."""

    SURE = "sure"
    NOT_SURE = "not sure"
    UNDETERMINED = "undetermined"
    """The budget ran out; neither early nor late may be charged."""


class Prospect(NamedTuple):
    """Whether any order is sure, and one that is."""

    verdict: Verdict
    order: tuple[Card, ...] = ()
    nodes: int = 0
    """What the answer cost."""


def judge_order(
    information: InformationSet, order: Sequence[Card], budget: int = NODE_BUDGET
) -> Verdict:
    """Whether `order`, all of the seat's remaining cards, is sure.

    Raises ValueError if `order` is anything else than these cards, or if the facts leave no layout.
    """
    if sorted(order) != sorted(information.own_cards()):
        raise ValueError("an order consists of all remaining cards of the seat, each once")
    if not information.unbeaten:
        return Verdict.NOT_SURE
    cards = tuple(BIT[card] for card in order)
    nodes = Budget(budget)
    possible = _possible(information)
    try:
        if _glance(information, possible, cards, nodes):
            return Verdict.NOT_SURE
        for hypothesis in possible:
            if Refutation(information, hypothesis, nodes).refutes(cards):
                return Verdict.NOT_SURE
    except OutOfNodesError:
        return Verdict.UNDETERMINED
    return Verdict.SURE


def find_order(information: InformationSet, budget: int = NODE_BUDGET) -> Prospect:
    """Whether any order of the seat's remaining cards is sure, and if so the first one found.

    A seat without cards has none. Raises ValueError if the facts leave no layout.
    """
    if not information.unbeaten or not information.own_cards():
        return Prospect(Verdict.NOT_SURE)
    nodes = Budget(budget)
    possible = _possible(information)
    try:
        if _glance(information, possible, (), nodes):
            return Prospect(Verdict.NOT_SURE, (), budget - nodes.nodes)
        searches = []
        for hypothesis in possible:
            search = Refutation(information, hypothesis, nodes)
            if search.refutes(()):
                return Prospect(Verdict.NOT_SURE, (), budget - nodes.nodes)
            searches.append(search)
        order = next(_sure_orders(searches, ()), None)
    except OutOfNodesError:
        return Prospect(Verdict.UNDETERMINED, (), budget)
    spent = budget - nodes.nodes
    if order is None:
        return Prospect(Verdict.NOT_SURE, (), spent)
    return Prospect(Verdict.SURE, tuple(CARD[card] for card in order), spent)


def _possible(information: InformationSet) -> tuple[Hypothesis, ...]:
    found = hypotheses(information)
    if not found:
        raise ValueError("no layout agrees with what the seat knows")
    return found


def _glance(
    information: InformationSet,
    possible: tuple[Hypothesis, ...],
    prefix: tuple[int, ...],
    nodes: Budget,
) -> bool:
    """Whether a short search under any of several trump suits breaks every order with `prefix`.

    One suit may need a long search where another settles the question at once.
    """
    if len(possible) == 1:
        return False
    for hypothesis in possible:
        few = Budget(min(GLANCE, nodes.nodes))
        started = few.nodes
        try:
            if Refutation(information, hypothesis, few).refutes(prefix):
                return True
        except OutOfNodesError:
            pass
        finally:
            nodes.nodes -= started - few.nodes
    return False


def _sure_orders(
    searches: Sequence[Refutation], prefix: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """The sure orders that begin with a prefix that a free player may still hold on to."""
    position = searches[0].position
    rest = tuple(card for card in natural_order(position) if card not in prefix)
    if not rest:
        yield prefix
    for card in rest:
        longer = (*prefix, card)
        if not any(search.refutes(longer) for search in searches):
            yield from _sure_orders(searches, longer)
