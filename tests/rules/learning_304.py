"""How the tables of 304 are learned: from imagined hands, from auctions and from hands of bots.

Each function is a stage that rests on the tables of the stages before it; the same seed gives the
same numbers. `make likelihoods` runs them all and writes the tables down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from p2p304.bots.play304.imagined_table import Imagined
from p2p304.bots.play304.moments import SIGNS, moments, options, sign
from p2p304.bots.play304.playout import play_out
from p2p304.cards import Card, Slot
from p2p304.randomness import SeededRandomness
from p2p304.rules304.bits import BIT, SUIT_BITS, SUIT_OF, SUITS, bits
from p2p304.rules304.pack import PACK, Deck
from p2p304.rules304.state import State

_SEATS: Final = 4
_FOUR: Final = 4
_RANKS: Final = Deck.SEVEN_UP.ranks
_RANK: Final = {BIT[card]: _RANKS.index(card.rank) for card in PACK}
_ROLE: Final = 2 * len(_RANKS) + _FOUR + 1
"""Weights of one role: each rank as trump, each rank beside, each number of trumps."""
_WEIGHTS: Final = 3 * _ROLE + _SEATS
_RIDGE: Final = 20.0
"""What keeps weights small that few deals speak of."""
_WORTH_A_BID: Final = 3
"""The least number of trumps, jack or nine counted twice, of those who are taken for makers."""
_ROUNDS: Final = 30
_MORE: Final = 2.0
_DOUBT: Final = 100
"""Hands that would have to speak of a place before half of what they say is believed."""

Vector = list[float]


class Worths(NamedTuple):
    """What four cards add in each role, and how far the sum is from what is taken."""

    roles: tuple[tuple[Vector, Vector, Vector], ...]
    by_place: Vector
    spread: float


def worths(deals: int, seed: int) -> Worths:
    """Fit what four cards add to the points of the maker's team, over imagined deals."""
    chance, pack = SeededRandomness(seed), [BIT[card] for card in PACK]
    rows: list[tuple[list[int], int]] = []
    while len(rows) < deals:
        chance.shuffle(pack)
        firsts = [pack[_FOUR * seat : _FOUR * (seat + 1)] for seat in range(_SEATS)]
        trump = _rough_trump(firsts[0])
        if trump is None:
            continue
        leader = chance.randbelow(_SEATS)
        rows.append((_features(firsts, trump, leader), _points(pack, firsts, trump, leader)))
    weights = _least_squares(rows)
    left = [points - sum(weights[place] for place in places) for places, points in rows]
    spread = (sum(each * each for each in left) / len(left)) ** 0.5
    return _centred(rows, weights, spread)


def _rough_trump(first: Sequence[int]) -> int | None:
    """Return the suit with which somebody might bid, or None where nobody would."""

    def strength(suit: int) -> int:
        held = [card for card in first if card & SUIT_BITS[suit]]
        return sum(2 if _RANK[card] < 2 else 1 for card in held)

    best = max(SUITS, key=strength)
    return int(best) if strength(best) >= _WORTH_A_BID else None


def _features(firsts: Sequence[Sequence[int]], trump: int, leader: int) -> list[int]:
    """Return which weights the first cards of a deal have; seat 0 is the maker."""
    found = []
    for seat, first in enumerate(firsts):
        base = _ROLE * (0 if seat == 0 else 1 if seat == 2 else 2)
        held = [_RANK[card] + len(_RANKS) * (SUIT_OF[card] != trump) for card in first]
        found += [base + each for each in held]
        found.append(base + 2 * len(_RANKS) + sum(each < len(_RANKS) for each in held))
    return [*found, 3 * _ROLE + leader]


def _points(pack: Sequence[int], firsts: Sequence[Sequence[int]], trump: int, leader: int) -> int:
    hands = [sum(first) for first in firsts]
    rest = _SEATS * _FOUR
    for seat in range(_SEATS):
        hands[seat] += sum(pack[rest + _FOUR * seat : rest + _FOUR * (seat + 1)])
    trumps = sorted(card for card in firsts[0] if SUIT_OF[card] == trump)
    laid = trumps[0] if _RANK[trumps[-1]] == 0 else trumps[-1]
    hands[0] ^= laid
    scene = Imagined(
        tuple(hands), (0, 1, 0, 1), 0, trump, leader, indicator=laid, hidden=True, first=True
    )
    return play_out(scene).points


def _least_squares(rows: Sequence[tuple[list[int], int]]) -> Vector:
    table = [[0.0] * (_WEIGHTS + 1) for _ in range(_WEIGHTS)]
    for places, points in rows:
        for one in places:
            row = table[one]
            for other in places:
                row[other] += 1
            row[_WEIGHTS] += points
    for place in range(_WEIGHTS):
        table[place][place] += _RIDGE
    for place in range(_WEIGHTS):
        pivot = max(range(place, _WEIGHTS), key=lambda each: abs(table[each][place]))
        table[place], table[pivot] = table[pivot], table[place]
        for below in range(place + 1, _WEIGHTS):
            factor = table[below][place] / table[place][place]
            if factor:
                for column in range(place, _WEIGHTS + 1):
                    table[below][column] -= factor * table[place][column]
    found = [0.0] * _WEIGHTS
    for place in reversed(range(_WEIGHTS)):
        known = sum(table[place][each] * found[each] for each in range(place + 1, _WEIGHTS))
        found[place] = (table[place][_WEIGHTS] - known) / table[place][place]
    return found


def _centred(rows: Sequence[tuple[list[int], int]], weights: Vector, spread: float) -> Worths:
    """Let partner and opponents add nothing on average, so that a maker's worth is in points."""
    means = [0.0, 0.0, 0.0, 0.0]
    for places, _ in rows:
        for place in places:
            means[place // _ROLE] += weights[place] / len(rows)
    kinds = len(_RANKS)
    roles = []
    for role in range(3):
        part = weights[_ROLE * role : _ROLE * (role + 1)]
        # Of the opponents there are two.
        shift = means[1] + means[2] + means[3] if role == 0 else -means[role] / role
        length = [each + shift for each in part[2 * kinds :]]
        roles.append((part[:kinds], part[kinds : 2 * kinds], length))
    by_place = [each - means[3] for each in weights[3 * _ROLE :]]
    return Worths(tuple(roles), by_place, spread)


def corrected(hands: Iterable[tuple[int, bool, float]]) -> tuple[Vector, float]:
    """Return what it adds who leads, the maker first, and how far the sum is from what is taken.

    `hands` are the points taken, whether the maker's partner led first, and the points promised.
    """
    found: tuple[list[float], list[float]] = ([], [])
    for points, partner_leads, promised in hands:
        found[partner_leads].append(points - promised)
    others, partner = (sum(each) / (len(each) + _DOUBT) for each in found)
    left = [each - others for each in found[0]] + [each - partner for each in found[1]]
    spread = (sum(each * each for each in left) / max(len(left), 1)) ** 0.5
    return [others, others, partner, others], spread


# ---------------------------------------------------------------------------- what is said


def frequencies(
    seen: Iterable[tuple[str, int, bool]], places: int, weight: float
) -> dict[str, list[float]]:
    """Return for each situation how often something was done in each bucket, never less often in
    a higher one; `seen` are the situation, the bucket, and whether it was."""
    counts: dict[str, list[list[float]]] = {}
    for situation, place, done in seen:
        table = counts.setdefault(situation, [[0.0, 0.0] for _ in range(places)])
        table[min(max(place, 0), places - 1)][0] += done
        table[min(max(place, 0), places - 1)][1] += 1
    return {situation: _rising(table, weight) for situation, table in sorted(counts.items())}


def _rising(table: Sequence[Sequence[float]], weight: float) -> list[float]:
    """Return the rates, pooled where a higher bucket has a lower one (Ayer and others, 1955)."""
    pools: list[tuple[float, float, int]] = []
    for place, (done, of) in enumerate(table):
        # Where little was seen: the higher, the more often.
        here = (done + weight * (place + 0.5) / len(table), of + weight, 1)
        while pools and pools[-1][0] / pools[-1][1] > here[0] / here[1]:
            last = pools.pop()
            here = (last[0] + here[0], last[1] + here[1], last[2] + here[2])
        pools.append(here)
    return [done / of for done, of, times in pools for _ in range(times)]


# ---------------------------------------------------------------------------- what is played


def plays(hands: Iterable[tuple[State, dict[Slot, Card]]]) -> Vector:
    """Return a weight for each sign, by which cards were chosen in these hands (Luce's choice
    axiom; fitted as by Hunter, "MM algorithms for generalized Bradley-Terry models", 2004)."""
    chosen = [0.0] * SIGNS
    events: list[dict[int, int]] = []
    for state, faces in hands:
        for options_of, taken in _choices(state, faces):
            chosen[taken] += 1
            events.append(options_of)
    weights = [1.0] * SIGNS
    for _ in range(_ROUNDS):
        expected = [0.0] * SIGNS
        for event in events:
            total = sum(weights[each] * times for each, times in event.items())
            for each, times in event.items():
                expected[each] += times / total
        # Some of each more, so that what was hardly seen tells little.
        weights = [
            (done + _MORE) / (of + _MORE / weight)
            for done, of, weight in zip(chosen, expected, weights, strict=True)
        ]
    return weights


def _choices(state: State, faces: dict[Slot, Card]) -> Iterable[tuple[dict[int, int], int]]:
    slot = state.trump_slot
    if slot is None:
        return
    trumps, indicator = SUIT_BITS[faces[slot].suit], BIT[faces[slot]]
    held = {
        seat: sum({BIT[faces[each]] for each in (*state.dealt[seat],)}) for seat in state.everybody
    }
    for moment in moments(state):
        hand, card = held[moment.seat], BIT[faces[moment.slot]]
        lies = indicator if not moment.role and not moment.open else 0
        among = options(moment, hand, trumps, lies & hand) | card
        if among != card:
            event: dict[int, int] = {}
            for each in bits(among):
                found = sign(moment, each, among, hand, trumps)
                event[found] = event.get(found, 0) + 1
            yield event, sign(moment, card, among, hand, trumps)
        held[moment.seat] = hand & ~card
