"""Climbs to positions of caps that cost the judge most: what forged hands could use.

A position is changed step by step (two cards swapped, a known card, a suit that a hand is known not
to have, the maker, the leader, a rule of the profile, ...), and a change that costs as much or more
is kept. Each fact is true of the cards as they lie; whether legal play leads to the position is not
asked: more is tried than files can hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from p2p304.cards import Suit
from p2p304.rules304.caps.information import InformationSet, PlayedSlot, PlayRules
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.pack import PACK, STRENGTH
from p2p304.seats import Seat
from p2p304.slots import Slot
from p2p304.statements import NoneOfSuit, Statement

GONE, FACE_DOWN = 4, 5
"""Where a card of an earlier trick lies: seen by the seat, or not."""
SLOTS = tuple(Slot(100 + place) for place in range(len(PACK)))
CARDS = range(len(PACK))
SEATS = range(4)


@dataclass(frozen=True)
class Genes:
    """What a position is made from. Cards are places in the pack."""

    seat: int
    maker: int
    leader: int
    trump: int
    hidden: bool
    indicator: int
    """Which card of the maker lies on the table, by number, if trump is hidden."""
    played: int
    """How many cards of the trick in progress have been played."""
    lies: tuple[int, ...]
    """For each card the seat that holds it, GONE or FACE_DOWN."""
    known: frozenset[int]
    """Cards of other hands that the seat knows where they are."""
    void: tuple[int, int, int, int]
    """For each seat suits that it is known not to have, where that is true."""
    not_of: tuple[int, ...]
    """The same for each card that lies face down."""
    armed: bool
    rules: PlayRules


def first(chance: Random, size: int) -> Genes:
    """A position in which the seat is strong."""
    cards = sorted(
        CARDS,
        key=lambda card: (
            STRENGTH[PACK[card].rank] * chance.choice((1, 1, 2))
            + chance.randrange(6)
            + 4 * (PACK[card].suit < 2)
        ),
    )
    seat = chance.randrange(4)
    lies = [GONE] * len(PACK)
    for _ in range(size):
        lies[cards.pop()] = seat
    chance.shuffle(cards)
    for other in SEATS:
        for _ in range(size * (other != seat)):
            lies[cards.pop()] = other
    known = frozenset(chance.sample(CARDS, chance.randrange(12)))
    return Genes(
        seat, chance.randrange(4), chance.randrange(4), chance.randrange(4),
        chance.random() < 0.5, chance.randrange(8), chance.choice((0, 0, 0, 1, 2, 3)),
        tuple(lies), known, tuple(chance.choice((0, 0, chance.randrange(16))) for _ in SEATS),  # type: ignore[arg-type]  # four
        (0,) * len(PACK), chance.random() < 0.2, rules(chance),
    )  # fmt: skip


def rules(chance: Random) -> PlayRules:
    """Parameters of some profile, those that bind more often than not."""
    return PlayRules(8, chance.random() < 0.8, chance.random() < 0.2, chance.random() < 0.2,
                     chance.random() < 0.8)  # fmt: skip


def changed(chance: Random, genes: Genes) -> Genes:
    """The same with a few changes."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        card, other = chance.sample(CARDS, 2)
        lies, not_of, void = list(genes.lies), list(genes.not_of), list(genes.void)
        match chance.randrange(12):
            case 0 | 1 | 2 | 3 | 4:
                lies[card], lies[other] = lies[other], lies[card]
                genes = replace(genes, lies=tuple(lies))
            case 5:
                genes = replace(genes, maker=chance.randrange(4))
            case 6:
                played = chance.choice((0, 0, 1, 2, 3))
                genes = replace(genes, leader=chance.randrange(4), played=played)
            case 7:
                hidden, indicator = chance.random() < 0.5, chance.randrange(8)
                genes = replace(genes, trump=chance.randrange(4), hidden=hidden)
                genes = replace(genes, indicator=indicator)
            case 8:
                void[chance.randrange(4)] ^= 1 << chance.randrange(4)
                genes = replace(genes, void=tuple(void))
            case 9:
                genes = replace(genes, known=genes.known ^ {card})
            case 10 if lies[card] >= GONE:
                lies[card], not_of[card] = GONE + FACE_DOWN - lies[card], chance.randrange(16)
                genes = replace(genes, lies=tuple(lies), not_of=tuple(not_of))
            case _:
                armed = chance.random() < 0.3
                genes = replace(genes, rules=rules(chance), armed=armed)
    return genes


@dataclass
class _Table:
    """The position as it is being laid out."""

    genes: Genes
    hands: list[list[int]]
    indicator: int | None
    unknown: set[int]
    plays: list[PlayedSlot] = field(default_factory=list)


def position(genes: Genes) -> InformationSet | None:
    """The position that these genes make, or None if they make none."""
    hands = [[card for card in CARDS if genes.lies[card] == seat] for seat in SEATS]
    maker = hands[genes.maker]
    indicator = maker[genes.indicator % len(maker)] if genes.hidden else None
    others = (card for seat in SEATS if seat != genes.seat for card in hands[seat])
    table = _Table(genes, hands, indicator, {card for card in others if card not in genes.known})
    if indicator is not None:
        maker.remove(indicator)
        if genes.maker != genes.seat:
            table.unknown.add(indicator)
    if not _play(table):
        return None
    face_down = [card for card in CARDS if genes.lies[card] == FACE_DOWN]
    table.unknown.update(face_down)
    trump = Suit(genes.trump) if indicator is None else PACK[indicator].suit
    unknown = table.unknown
    try:
        return InformationSet(
            seat=Seat(genes.seat),
            maker=Seat(genes.maker),
            rules=genes.rules,
            leader=Seat(genes.leader),
            plays=tuple(table.plays),
            hands=tuple(tuple(SLOTS[card] for card in hand) for hand in hands),
            indicator=None if indicator is None else SLOTS[indicator],
            trump=None if genes.hidden and genes.maker != genes.seat else trump,
            hidden=tuple(SLOTS[card] for card in face_down),
            faces={SLOTS[card]: PACK[card] for card in CARDS if card not in unknown},
            unseen=frozenset(PACK[card] for card in unknown),
            facts=tuple(_facts(table, face_down)),
            unfollowed=frozenset({trump} if genes.armed else ()),
        )
    except ValueError:
        return None


def _play(table: _Table) -> bool:
    """Play the cards of the trick in progress; a seat that follows is made to."""
    genes = table.genes
    led: Suit | None = None
    for at in range(genes.played):
        seat = (genes.leader + at) % 4
        hand = table.hands[seat]
        following = [card for card in hand if led is None or PACK[card].suit == led] or hand
        if not following:
            return False
        card = following[(genes.indicator + at) % len(following)]
        led = PACK[card].suit if led is None else led
        hand.remove(card)
        down = genes.hidden and PACK[card].suit != led
        table.unknown.discard(card)
        if down and seat != genes.seat:
            table.unknown.add(card)
        table.plays.append(PlayedSlot(Seat(seat), SLOTS[card], down))
    return True


def _facts(table: _Table, face_down: list[int]) -> Iterator[Statement]:
    genes = table.genes
    for seat, hand in enumerate(table.hands):
        unseen = [card for card in hand if card in table.unknown]
        for suit in Suit:
            true = all(PACK[card].suit is not suit for card in unseen)
            if genes.void[seat] >> suit & 1 and unseen and true:
                yield NoneOfSuit(tuple(SLOTS[card] for card in unseen), suit)
    for card in face_down:
        for suit in Suit:
            if genes.not_of[card] >> suit & 1 and PACK[card].suit is not suit:
                yield NoneOfSuit((SLOTS[card],), suit)


def cost(genes: Genes) -> int:
    """How many nodes it takes to say whether any order is sure; -1 if there is no such position."""
    information = position(genes)
    if information is None:
        return -1
    try:
        return find_order(information).nodes
    except ValueError:
        return -1


def climb(chance: Random, size: int, steps: int, starts: int = 40) -> tuple[Genes, int]:
    """The costliest position that is found in so many steps, and what it costs."""
    costs = {genes: cost(genes) for genes in (first(chance, size) for _ in range(starts))}
    best = max(costs, key=costs.__getitem__)
    most = costs[best]
    for _ in range(steps):
        genes = changed(chance, best)
        nodes = cost(genes)
        if nodes >= most:
            best, most = genes, nodes
    return best, most
