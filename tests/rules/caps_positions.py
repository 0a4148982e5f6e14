"""Positions to judge caps in: random, written down, climbed to; and their judge by brute force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from random import Random

from p2p304.cards import Card, Slot, Suit, parse_card
from p2p304.rules304.caps.information import ORDINARY, InformationSet, PlayRules
from p2p304.rules304.caps.search import OutOfNodesError, find_order
from p2p304.rules304.pack import STRENGTH, Pack
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Play
from p2p304.seats import FOUR_SEAT_LETTERS, Seat
from p2p304.statements import AnyOf, NoneOfSuit, Statement, SuitsDiffer, holds
from tests.rules.playouts_304 import cards, seat

# --- caps positions -------------------------------------------------------------------------------

# Positions to judge caps in, random and written down, and their judge by brute force.

# --- caps oracle ----------------------------------------------------------------------------------

# Caps judged by brute force: every layout, every continuation, straight from RULES 9, 11 and 13.
#
# It shares no code with the judge but the values that both read. It is for small positions only.

Faces = dict[Slot, Card]


def layouts(information: InformationSet) -> Iterator[tuple[Suit, Faces]]:
    """Every trump suit and assignment of unseen cards that satisfies all facts, once."""
    slots = information.unknown_slots()
    groups = [*information.hands]
    seen = set()
    for order in permutations(sorted(information.unseen)):
        faces = {**information.faces, **dict(zip(slots, order, strict=True))}
        if information.indicator is not None:
            trump = faces[information.indicator].suit
        else:
            assert information.trump is not None
            trump = information.trump
        if information.trump is not None and trump != information.trump:
            continue
        if not all(holds(fact, faces) for fact in information.facts):
            continue
        key = (
            tuple(tuple(sorted(faces[slot] for slot in group)) for group in groups),
            tuple(faces[slot] for slot in slots if not any(slot in group for group in groups)),
        )
        if key not in seen:
            seen.add(key)
            yield trump, faces


@dataclass
class Table:
    """Open hands of all seats."""

    hands: list[list[Card]]
    maker: int
    trump: Suit
    rules: PlayRules
    indicator: Card | None  #: While it lies on the table.
    hidden: bool
    armed: bool
    trick_number: int
    #: Starts of tricks from which the order holds, so that they are not played out again.
    unbroken: set[object] = field(default_factory=set)

    def start(self, leader: int) -> object:
        """Everything that matters at the start of a trick."""
        hands = tuple(map(frozenset, self.hands))
        return hands, self.indicator, self.hidden, self.armed, self.trick_number, leader

    def legal(self, seat: int, led: Suit | None) -> list[Card]:
        hand = self.hands[seat]
        closed = self.hidden and seat == self.maker
        if closed and not hand:
            assert self.indicator is not None
            return [self.indicator]
        if led is None:
            if closed and self.rules.first_lead_ban and self.trick_number == 1:
                plain = [card for card in hand if card.suit != self.trump]
                return hand if not plain and self.rules.all_trumps_may_lead else plain
            if seat == self.maker and self.armed:
                return [card for card in hand if card.suit == self.trump] or hand
            return hand
        following = [card for card in hand if card.suit == led]
        if following:
            return following
        if closed and led != self.trump:
            plain = [card for card in hand if card.suit != self.trump]
            return plain if self.indicator is None else [*plain, self.indicator]
        return hand


def winner_of(plays: Sequence[tuple[int, Card]], trump: Suit) -> int:
    """The seat that wins a complete trick."""
    trumps = [play for play in plays if play[1].suit == trump]
    in_suit = [play for play in plays if play[1].suit == plays[0][1].suit]
    return max(trumps or in_suit, key=lambda play: STRENGTH[play[1].rank])[0]


def broken(
    table: Table, seat: int, order: Sequence[Card], leader: int, plays: list[tuple[int, Card]]
) -> bool:
    """Whether some continuation makes the next card of `order` illegal or loses a trick."""
    seats = len(table.hands)
    if len(plays) == seats:
        winner = winner_of(plays, table.trump)
        if winner % 2 != seat % 2:
            return True
        if not any(table.hands) and table.indicator is None:
            return False
        led = plays[0][1].suit
        off_suit = [card for _, card in plays[1:] if card.suit != led]
        saved = (table.hidden, table.armed, table.indicator, list(table.hands[table.maker]))
        if leader == table.maker and led == table.trump and len(off_suit) == seats - 1:
            table.armed = table.rules.exhausted or table.armed
        opens = any(card.suit == table.trump for card in off_suit)
        opens = opens or (table.rules.opens_after_first and table.trick_number == 1)
        if table.hidden and opens:
            table.hidden = False
            if table.indicator is not None:
                table.hands[table.maker].append(table.indicator)
                table.indicator = None
        table.trick_number += 1
        start = table.start(winner)
        result = start not in table.unbroken and broken(table, seat, order, winner, [])
        if not result:
            table.unbroken.add(start)
        table.trick_number -= 1
        table.hidden, table.armed, table.indicator, table.hands[table.maker] = saved
        return result
    player = (leader + len(plays)) % seats
    led_suit = plays[0][1].suit if plays else None
    choices = list(table.legal(player, led_suit))
    if player == seat:
        if not order or order[0] not in choices:
            return True
        choices, order = [order[0]], order[1:]
    for card in choices:
        indicator = table.indicator
        at = -1
        if card == indicator:
            table.indicator = None
        else:
            at = table.hands[player].index(card)
            table.hands[player].pop(at)
        result = broken(table, seat, order, leader, [*plays, (player, card)])
        table.indicator = indicator
        if at >= 0:
            table.hands[player].insert(at, card)
        if result:
            return True
    return False


def is_sure(information: InformationSet, order: Sequence[Card]) -> bool:
    """RULES 13.2, by enumeration."""
    if not information.unbeaten:
        return False
    for trump, faces in layouts(information):
        on_table = information.on_table and information.indicator is not None
        table = Table(
            hands=[[faces[slot] for slot in hand] for hand in information.hands],
            maker=information.maker,
            trump=trump,
            rules=information.rules,
            indicator=faces[information.indicator] if on_table and information.indicator else None,
            hidden=information.indicator is not None,
            armed=information.rules.exhausted and trump in information.unfollowed,
            trick_number=information.trick,
        )
        plays = [(int(play.seat), faces[play.slot]) for play in information.plays]
        if broken(table, information.seat, order, information.leader, plays):
            return False
    return True


# --- caps positions -------------------------------------------------------------------------------

# Positions to judge caps in: random ones, and ones written down card by card.

INDICATOR = Slot(31)


def end_position(
    caller: str,
    hand: str,
    *,
    unseen: str,
    counts: dict[str, int],
    leader: str,
    trick: str = "",
    trump: str = "C",
    maker: str = "S",
    voids: dict[str, str] | None = None,
    known: dict[str, str] | None = None,
    unfollowed: str = "",
    rules: PlayRules = ORDINARY,
    hidden: bool = False,
    indicator: str = "",
    facts: tuple[Statement, ...] = (),
) -> InformationSet:
    """A position with no card of the trick face down.

    `counts` tells how many unseen cards each of the others holds, `trick` the cards played to the
    trick in progress, `known` cards that are known to be in the hands of others. With `hidden`
    the slot INDICATOR lies on the table; `indicator` is the card, for the maker.
    """
    own = seat(caller)
    numbers = iter(range(32, 200))
    faces: dict[Slot, Card] = {}

    def lay(laid: list[Card]) -> tuple[Slot, ...]:
        slots = tuple(Slot(next(numbers)) for _ in laid)
        faces.update(zip(slots, laid, strict=True))
        return slots

    hands = []
    if indicator:
        faces[INDICATOR] = parse_card(indicator)
    for letter in FOUR_SEAT_LETTERS:
        if letter == caller:
            hands.append(lay(cards(hand)))
            continue
        closed = tuple(Slot(next(numbers)) for _ in range(counts[letter]))
        hands.append(closed + lay(cards((known or {}).get(letter, ""))))
        void = (voids or {}).get(letter, "")
        facts += tuple(NoneOfSuit(closed, suit_of(each)) for each in void)
    first = seat(leader)
    plays = tuple(
        Play(Seat((first + at) % 4), slot, False) for at, slot in enumerate(lay(cards(trick)))
    )
    return InformationSet(
        seat=own,
        maker=seat(maker),
        rules=rules,
        leader=first,
        plays=plays,
        hands=tuple(hands),
        indicator=INDICATOR if hidden else None,
        trump=suit_of(trump) if trump else None,
        faces=faces,
        unseen=frozenset(cards(unseen)),
        facts=facts,
        unfollowed=frozenset(suit_of(each) for each in unfollowed),
    )


def suit_of(letter: str) -> Suit:
    """The suit of a letter."""
    return next(suit for suit in Suit if suit.letter == letter)


class RandomPosition:
    """A small random position of one real layout, with facts that are true of it."""

    def __init__(
        self, chance: Random, most_unknown: int, sizes: tuple[int, ...], deck: Pack, seats: int
    ) -> None:
        self.chance, self.deck, self.seats = chance, deck, seats
        self.size = chance.choice(sizes)
        self.seat = Seat(chance.randrange(seats))
        self.maker = Seat((self.seat + chance.choice((0, *range(seats)))) % seats)
        self.trump = Suit(chance.randrange(4))
        self.rules = PlayRules(
            cards=chance.choice((self.size, self.size + 1, 8)),
            first_lead_ban=chance.random() < 0.8,
            all_trumps_may_lead=chance.random() < 0.3,
            opens_after_first=chance.random() < 0.3,
            exhausted=chance.random() < 0.7,
        )
        self.faces: dict[Slot, Card] = {}
        self.facts: list[Statement] = []
        self.unfollowed: set[Suit] = set()
        self.plays: list[Play] = []
        self.indicator: Slot | None = None
        self._numbers = iter(range(100, 200))
        self._deal()
        if chance.random() < 0.6:
            self._hide_trump()
        self._voids()
        if self.rules.cards > self.size and chance.random() < 0.3:
            self._unfollowed_lead()
        self.leader = Seat(chance.randrange(seats))
        self.table = Table(
            hands=[[self.faces[slot] for slot in hand] for hand in self.hands],
            maker=self.maker,
            trump=self.trump,
            rules=self.rules,
            indicator=None if self.indicator is None else self.faces[self.indicator],
            hidden=self.indicator is not None,
            armed=self.rules.exhausted and self.trump in self.unfollowed,
            trick_number=self.rules.cards + 1 - self.size,
        )
        for at in range(chance.choice((0, *range(seats)))):
            if not self._play(Seat((self.leader + at) % seats)):
                break
        self._forget(most_unknown)

    def _deal(self) -> None:
        chance = self.chance
        suits = chance.sample(
            tuple(Suit), chance.choice((2, 3, 4) if self.size * self.seats < 16 else (3, 4))
        )
        pack = [card for card in self.deck.cards if card.suit in suits or card.suit == self.trump]
        # The more cards, the stronger they must be for an order to be sure now and then.
        strong, trumps = (4, 3) if self.size < 4 else (60, 40)
        weights = [
            1 + strong * (STRENGTH[card.rank] >= -2) + trumps * (card.suit == self.trump)
            for card in pack
        ]
        own: list[Card] = []
        while len(own) < self.size:
            own += [card for card in chance.choices(pack, weights) if card not in own]
        rest = [card for card in pack if card not in own]
        chance.shuffle(rest)
        self.hands = [
            self._lay(own if place == self.seat else [rest.pop() for _ in range(self.size)])
            for place in range(self.seats)
        ]
        self.sinks = self._lay([rest.pop() for _ in range(chance.choice((0, 0, 1, 2))) if rest])

    def _lay(self, laid: list[Card]) -> list[Slot]:
        slots = [Slot(next(self._numbers)) for _ in laid]
        self.faces.update(zip(slots, laid, strict=True))
        return slots

    def _hide_trump(self) -> None:
        hand = self.hands[self.maker]
        trumps = [slot for slot in hand if self.faces[slot].suit == self.trump]
        self.indicator = self.chance.choice(trumps or hand)
        self.trump = self.faces[self.indicator].suit
        hand.remove(self.indicator)

    def _void(self, slots: list[Slot], suit: Suit) -> bool:
        return all(self.faces[slot].suit != suit for slot in slots)

    def _voids(self) -> None:
        for slot in self.sinks:
            if self.indicator is not None and self.faces[slot].suit != self.trump:
                self.facts.append(SuitsDiffer((slot,), self.indicator))
            suit = self.chance.choice(tuple(Suit))
            if self._void([slot], suit):
                self.facts.append(NoneOfSuit((slot,), suit))
        for hand in self.hands:
            for suit in Suit:
                if self._void(hand, suit) and self.chance.random() < 0.4:
                    self.facts.append(NoneOfSuit(tuple(hand), suit))

    def _unfollowed_lead(self) -> None:
        suit = self.chance.choice(tuple(Suit))
        self.unfollowed.add(suit)
        for place, hand in enumerate(self.hands):
            if place != self.maker and self._void(hand, suit):
                self.facts.append(NoneOfSuit(tuple(hand), suit))
        hand = self.hands[self.maker]
        if self.indicator is not None and (self.trump != suit or self._void(hand, suit)):
            either = (NoneOfSuit((self.indicator,), suit), NoneOfSuit(tuple(hand), suit))
            self.facts.append(AnyOf(either))

    def _play(self, player: Seat) -> bool:
        """One legal card to the trick in progress, and the facts that it makes."""
        led = self.faces[self.plays[0].slot].suit if self.plays else None
        legal = self.table.legal(player, led)
        if not legal:
            return False
        strong = [card for card in legal if STRENGTH[card.rank] > -3]
        helps = bool(strong) and player % 2 == self.seat % 2
        card = self.chance.choice(strong if helps else legal)
        slot = next(slot for slot, face in self.faces.items() if face == card)
        hand = self.hands[player]
        closed_maker = self.indicator is not None and player == self.maker
        if led is not None and card.suit != led:
            self.facts.append(NoneOfSuit(tuple(hand), led))
            if closed_maker and slot == self.indicator:
                self.facts.append(NoneOfSuit((slot,), led))
        banned = led is None and self.table.trick_number == 1 and self.rules.first_lead_ban
        off_suit = led is not None and card.suit != led
        if closed_maker and card.suit != self.trump and (banned or off_suit):
            assert self.indicator is not None
            self.facts.append(SuitsDiffer((slot,), self.indicator))
        down = self.table.hidden and off_suit
        if slot == self.indicator:
            self.table.indicator = None
            self.table.hidden = down
        else:
            hand.remove(slot)
            self.table.hands[player].remove(card)
        self.plays.append(Play(player, slot, down))
        return True

    def _forget(self, most_unknown: int) -> None:
        """What the seat does not know: others' hands and cards face down, but for some luck."""
        unknown = {
            slot for place, hand in enumerate(self.hands) for slot in hand if place != self.seat
        }
        down = {play.slot for play in self.plays if play.down and play.seat != self.seat}
        unknown |= down | set(self.sinks)
        hidden = self.table.hidden and self.indicator is not None
        if hidden and self.maker != self.seat and self.indicator is not None:
            unknown.add(self.indicator)
        by_luck = sorted(unknown - {self.indicator} - set(self.sinks) - down)
        self.chance.shuffle(by_luck)
        for slot in by_luck:
            if len(unknown) > most_unknown or self.chance.random() < 0.15:
                unknown.discard(slot)
        self.information = InformationSet(
            seat=self.seat,
            maker=self.maker,
            rules=self.rules,
            leader=self.leader,
            plays=tuple(self.plays),
            hands=tuple(map(tuple, self.hands)),
            indicator=self.indicator if hidden else None,
            trump=None if hidden and self.maker != self.seat else self.trump,
            hidden=tuple(self.sinks),
            faces={slot: card for slot, card in self.faces.items() if slot not in unknown},
            unseen=frozenset(self.faces[slot] for slot in unknown),
            facts=tuple(self.facts),
            unfollowed=frozenset(self.unfollowed),
        )


def random_position(
    seed: int,
    most_unknown: int = 7,
    sizes: tuple[int, ...] = (2, 2, 3),
    deck: Pack = Pack.SEVEN_UP,
    seats: int = 4,
) -> InformationSet:
    """A position of so many cards a seat, from the view of a seat that is likely to win."""
    return RandomPosition(Random(seed), most_unknown, sizes, deck, seats).information


# --- hardest caps ---------------------------------------------------------------------------------

# Climbs to positions of caps that cost the judge most: what forged hands could use.
#
# A position is changed step by step (two cards swapped, a known card, a suit that a hand is known
# not to have, the maker, the leader, a rule of the profile, ...), and a change that costs as much
# or more is kept. Each fact is true of the cards as they lie; whether legal play leads to the
# position is not asked: more is tried than files can hold.

GONE, FACE_DOWN = -1, -2  #: Where a card of an earlier trick lies: seen by the seat, or not.
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
    indicator: int  #: Which card of the maker lies on the table, by number, if trump is hidden.
    played: int  #: How many cards of the trick in progress have been played.
    lies: tuple[int, ...]  #: For each card the seat that holds it, GONE or FACE_DOWN.
    known: frozenset[int]  #: Cards of other hands that the seat knows where they are.
    void: tuple[int, ...]  #: For each seat suits that it is known not to have, where that is true.
    not_of: tuple[int, ...]  #: The same for each card that lies face down.
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
        (0,) * len(pack), chance.random() < 0.2, rules(chance, profile.deal_batches.cards)
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
    for holder, hand in enumerate(table.hands):
        unseen = [card for card in hand if card in table.unknown]
        for suit in Suit:
            true = all(pack[card].suit is not suit for card in unseen)
            if genes.void[holder] >> suit & 1 and unseen and true:
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
