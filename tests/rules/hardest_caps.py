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

from p2p304.cards import Slot, Suit
from p2p304.rules304.caps.information import InformationSet, PlayRules
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.caps.search import OutOfNodesError
from p2p304.rules304.pack import STRENGTH, Pack
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Play
from p2p304.seats import Seat
from p2p304.statements import NoneOfSuit, Statement

GONE, FACE_DOWN = -1, -2
"""Where a card of an earlier trick lies: seen by the seat, or not."""
SLOTS = tuple(Slot(100 + place) for place in range(40))


@dataclass(frozen=True)
class Genes:
    """What a position is made from. Cards are places in the pack."""

    deck: Pack
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
    void: tuple[int, ...]
    """For each seat suits that it is known not to have, where that is true."""
    not_of: tuple[int, ...]
    """The same for each card that lies face down."""
    armed: bool
    rules: PlayRules

    @property
    def seats(self) -> range:
        """Return every seat."""
        return range(len(self.void))

    @property
    def cards(self) -> range:
        """Return every card, as its place in the pack."""
        return range(len(self.deck.cards))


def first(chance: Random, profile: Profile, size: int) -> Genes:
    """Return a position in which the seat is strong."""
    pack, seats = profile.deck.cards, profile.seats
    cards = sorted(
        range(len(pack)),
        key=lambda card: (
            STRENGTH[pack[card].rank] * chance.choice((1, 1, 2))
            + chance.randrange(6)
            + 4 * (pack[card].suit < 2)
        ),
    )
    seat = chance.randrange(seats)
    lies = [GONE] * len(pack)
    for _ in range(size):
        lies[cards.pop()] = seat
    chance.shuffle(cards)
    for other in range(seats):
        for _ in range(size * (other != seat)):
            lies[cards.pop()] = other
    known = frozenset(chance.sample(range(len(pack)), chance.randrange(12)))
    return Genes(
        profile.deck, seat, chance.randrange(seats), chance.randrange(seats), chance.randrange(4),
        chance.random() < 0.5, chance.randrange(8), _played(chance, seats),
        tuple(lies), known,
        tuple(chance.choice((0, 0, chance.randrange(16))) for _ in range(seats)),
        (0,) * len(pack), chance.random() < 0.2, rules(chance, profile.deal_batches.cards),
    )  # fmt: skip


def _played(chance: Random, seats: int) -> int:
    """Return how many cards of the trick in progress have been played: none as often as any."""
    return chance.choice((*[0] * (seats - 1), *range(1, seats)))


def rules(chance: Random, cards: int) -> PlayRules:
    """Return parameters of some profile, those that bind more often than not."""
    return PlayRules(cards, chance.random() < 0.8, chance.random() < 0.2, chance.random() < 0.2,
                     chance.random() < 0.8)  # fmt: skip


def changed(chance: Random, genes: Genes) -> Genes:
    """The same with a few changes."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        card, other = chance.sample(genes.cards, 2)
        lies, not_of, void = list(genes.lies), list(genes.not_of), list(genes.void)
        match chance.randrange(12):
            case 0 | 1 | 2 | 3 | 4:
                lies[card], lies[other] = lies[other], lies[card]
                genes = replace(genes, lies=tuple(lies))
            case 5:
                genes = replace(genes, maker=chance.choice(genes.seats))
            case 6:
                played = _played(chance, len(genes.seats))
                genes = replace(genes, leader=chance.choice(genes.seats), played=played)
            case 7:
                hidden, indicator = chance.random() < 0.5, chance.randrange(8)
                genes = replace(genes, trump=chance.randrange(4), hidden=hidden)
                genes = replace(genes, indicator=indicator)
            case 8:
                void[chance.choice(genes.seats)] ^= 1 << chance.randrange(4)
                genes = replace(genes, void=tuple(void))
            case 9:
                genes = replace(genes, known=genes.known ^ {card})
            case 10 if lies[card] < 0:
                lies[card], not_of[card] = GONE + FACE_DOWN - lies[card], chance.randrange(16)
                genes = replace(genes, lies=tuple(lies), not_of=tuple(not_of))
            case _:
                armed = chance.random() < 0.3
                genes = replace(genes, rules=rules(chance, genes.rules.cards), armed=armed)
    return genes


@dataclass
class _Table:
    """The position as it is being laid out."""

    genes: Genes
    hands: list[list[int]]
    indicator: int | None
    unknown: set[int]
    plays: list[Play] = field(default_factory=list)


def position(genes: Genes) -> InformationSet | None:
    """The position that these genes make, or None if they make none."""
    pack = genes.deck.cards
    hands = [[card for card in genes.cards if genes.lies[card] == seat] for seat in genes.seats]
    maker = hands[genes.maker]
    indicator = maker[genes.indicator % len(maker)] if genes.hidden else None
    others = (card for seat in genes.seats if seat != genes.seat for card in hands[seat])
    table = _Table(genes, hands, indicator, {card for card in others if card not in genes.known})
    if indicator is not None:
        maker.remove(indicator)
        if genes.maker != genes.seat:
            table.unknown.add(indicator)
    if not _play(table):
        return None
    face_down = [card for card in genes.cards if genes.lies[card] == FACE_DOWN]
    table.unknown.update(face_down)
    trump = Suit(genes.trump) if indicator is None else pack[indicator].suit
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
            faces={SLOTS[card]: pack[card] for card in genes.cards if card not in unknown},
            unseen=frozenset(pack[card] for card in unknown),
            facts=tuple(_facts(table, face_down)),
            unfollowed=frozenset({trump} if genes.armed else ()),
        )
    except ValueError:
        return None


def _play(table: _Table) -> bool:
    """Play the cards of the trick in progress; a seat that follows is made to."""
    genes, pack = table.genes, table.genes.deck.cards
    led: Suit | None = None
    for at in range(genes.played):
        seat = (genes.leader + at) % len(genes.seats)
        hand = table.hands[seat]
        following = [card for card in hand if led is None or pack[card].suit == led] or hand
        if not following:
            return False
        card = following[(genes.indicator + at) % len(following)]
        led = pack[card].suit if led is None else led
        hand.remove(card)
        down = genes.hidden and pack[card].suit != led
        table.unknown.discard(card)
        if down and seat != genes.seat:
            table.unknown.add(card)
        table.plays.append(Play(Seat(seat), SLOTS[card], down))
    return True


def _facts(table: _Table, face_down: list[int]) -> Iterator[Statement]:
    genes, pack = table.genes, table.genes.deck.cards
    for seat, hand in enumerate(table.hands):
        unseen = [card for card in hand if card in table.unknown]
        for suit in Suit:
            true = all(pack[card].suit is not suit for card in unseen)
            if genes.void[seat] >> suit & 1 and unseen and true:
                yield NoneOfSuit(tuple(SLOTS[card] for card in unseen), suit)
    for card in face_down:
        for suit in Suit:
            if genes.not_of[card] >> suit & 1 and pack[card].suit is not suit:
                yield NoneOfSuit((SLOTS[card],), suit)


def cost(genes: Genes, limit: int | None = None) -> int:
    """Return how many nodes it takes to say whether any order is sure, at most `limit`.

    -1 if there is no such position.
    """
    information = position(genes)
    if information is None:
        return -1
    try:
        return find_order(information, limit).nodes
    except OutOfNodesError:
        assert limit is not None
        return limit
    except ValueError:
        return -1


def climb(
    chance: Random,
    profile: Profile,
    size: int,
    steps: int,
    starts: int = 40,
    limit: int | None = None,
) -> tuple[Genes, int]:
    """Return the costliest position that is found in so many steps, and what it costs.

    It ends early at one that costs `limit`.
    """
    costs = {
        genes: cost(genes, limit) for genes in (first(chance, profile, size) for _ in range(starts))
    }
    best = max(costs, key=costs.__getitem__)
    most = costs[best]
    for _ in range(steps):
        if most == limit:
            break
        genes = changed(chance, best)
        nodes = cost(genes, limit)
        if nodes >= most:
            best, most = genes, nodes
    return best, most
