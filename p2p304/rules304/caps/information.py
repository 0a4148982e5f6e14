"""What one seat knows in the middle of a hand (RULES 13.1), and the hypotheses that this allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.cards import Card, Faces, Slot, Suit
from p2p304.rules304.actions import Contract
from p2p304.rules304.pack import SUITS
from p2p304.rules304.state import Play, State
from p2p304.seats import Seat
from p2p304.statements import AllOfSuit, AnyOf, IsCard, NoneOfSuit, NotCard, Statement, SuitsDiffer


class PlayRules(NamedTuple):
    """The parameters that bend the play of one hand."""

    cards: int = 8  #: Cards dealt to each seat, which is the number of tricks.
    #: With trump hidden the maker may not lead a trump to trick 1 (RULES 8).
    first_lead_ban: bool = True
    #: The ban is waived for a hand of trumps alone, as trump cannot be opened (S12).
    all_trumps_may_lead: bool = False
    opens_after_first: bool = False  #: The indicator is shown after trick 1 (RULES 11.1).
    exhausted: bool = True  #: Exhausted trumps bind the maker's leads (RULES 11.2).


ORDINARY: Final = PlayRules()  #: Those of the profile pagat under a bid below 250.


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationSet:
    """What `seat` knows at one point of the log, and nothing else (RULES 13.1).

    Between two tricks `plays` is empty and `leader` is the seat that leads next. Raises ValueError
    for values that no hand can lead to.
    """

    seat: Seat
    maker: Seat
    rules: PlayRules = ORDINARY
    leader: Seat
    plays: tuple[Play, ...] = ()  #: The trick in progress, in order.
    #: Unplayed slots of each seat, without the indicator while it lies on the table.
    hands: tuple[tuple[Slot, ...], ...]
    #: The indicator while trump is hidden, on the table or face down in the trick in progress.
    indicator: Slot | None
    #: The trump suit if the seat knows it: trump is open, or the seat is the maker.
    trump: Suit | None
    hidden: tuple[Slot, ...] = ()  #: Cards of completed tricks that the seat never saw.
    #: At least every face that the seat knows among the slots named above and in `facts`.
    faces: Faces
    unseen: frozenset[Card]  #: The cards that the seat has not seen, wherever they are.
    facts: tuple[Statement, ...] = ()
    #: Suits that the maker led in completed tricks and nobody followed (RULES 11.2).
    unfollowed: frozenset[Suit] = frozenset()
    unbeaten: bool = True  #: Whether the seat's team has won every completed trick.

    def __post_init__(self) -> None:
        """Raise ValueError for values to which no hand can lead, such as more unseen cards than
        unknown slots.
        """
        unknown = len(self.unknown_slots())
        # Each unseen card lies in just one unknown slot; else there is no layout to speak of.
        if unknown != len(self.unseen):
            raise ValueError(f"{unknown} slots without a face for {len(self.unseen)} unseen cards")
        if any(slot not in self.faces for slot in self.hands[self.seat]):
            raise ValueError("a seat knows its own cards")
        if (self.indicator is None or self.seat == self.maker) and self.trump is None:
            raise ValueError("open trump is known to all, and hidden trump to the maker")
        # With open trump there is no hidden indicator: None is in no mapping.
        own = self.seat == self.maker and self.indicator is not None
        if (self.indicator in self.faces) != own:
            raise ValueError("a hidden indicator is known to the maker alone")
        # Every seat began this trick with equally many cards.
        tricks_left = {self._count_cards(seat) for seat in map(Seat, range(self.seats))}
        if len(tricks_left) != 1 or not 1 <= self.trick <= self.rules.cards:
            raise ValueError("the hands do not fit the trick in progress")

    @property
    def seats(self) -> int:
        """How many seats play."""
        return len(self.hands)

    def _count_cards(self, seat: Seat) -> int:
        """Return how many cards `seat` had when the trick in progress began, its indicator
        included.
        """
        played = any(play.seat == seat for play in self.plays)
        # Bools count 0 or 1: its indicator on the table, and its card in the trick.
        return len(self.hands[seat]) + (seat == self.maker and self.on_table) + played

    @property
    def on_table(self) -> bool:
        """Whether the indicator lies face down on the table, neither shown nor played."""
        return self.indicator is not None and all(
            play.slot != self.indicator for play in self.plays
        )

    @property
    def trick(self) -> int:
        """The number of the trick in progress or about to begin, from 1."""
        return self.rules.cards + 1 - self._count_cards(self.seat)

    def unknown_slots(self) -> tuple[Slot, ...]:
        """Return every slot whose card the seat does not know: of hands, trick, indicator, and
        earlier tricks.
        """
        slots = [slot for hand in self.hands for slot in hand]
        slots += [play.slot for play in self.plays]
        # `on_table` implies an indicator; the other test is for type checkers.
        if self.indicator is not None and self.on_table:
            slots.append(self.indicator)
        slots += self.hidden
        return tuple(slot for slot in slots if slot not in self.faces)

    def own_cards(self) -> tuple[Card, ...]:
        """Return the seat's unplayed cards, with a maker's indicator that lies on the table
        last; empty once all are played.
        """
        slots = self.hands[self.seat]
        # `on_table` implies an indicator; the other test is for type checkers.
        if self.indicator is not None and self.seat == self.maker and self.on_table:
            slots = (*slots, self.indicator)
        return tuple(self.faces[slot] for slot in slots)


def seen_faces(state: State, seat: Seat, faces: Faces) -> dict[Slot, Card]:
    """Return, by slot, the faces that `seat` had seen in `state`: public ones, its own cards, and
    as trump maker all cards of completed tricks.

    `faces` holds at least these faces, else KeyError is raised. It may be from later in the hand:
    what `seat` had not seen in `state` is left out.
    """
    seen = dict(state.faces)
    slots = list(state.hands[seat])
    if seat == state.maker and state.trump_slot is not None:
        slots.append(state.trump_slot)
    slots += [play.slot for play in state.plays if play.seat == seat]
    # The maker looks at every face-down card of a full trick (RULES 10.1).
    for trick in state.tricks:
        slots += [play.slot for play in trick.plays if play.seat == seat or state.maker == seat]
    for slot in slots:
        seen[slot] = faces[slot]
    return seen


def information_of(
    state: State, seat: Seat, faces: Faces, *, imagined: bool = False
) -> InformationSet:
    """Return what `seat` knows in `state`, as an information set; from the end of the declaration
    on.

    Raises ValueError before trump is chosen, after the last card, and under any contract: caps are
    not judged there.

    Args:
        faces: at least what `seat` has seen, from this or a later state of the hand; the rest is
            left out.
        imagined: True takes all of `faces`, which another seat has seen, as known to `seat`: the
            other asks what `seat` could claim then.
    """
    maker, trump_slot = state.maker, state.trump_slot
    if maker is None or trump_slot is None or state.contract is None:
        raise ValueError("nothing is known before trump is chosen")
    if isinstance(state.contract, Contract):
        raise ValueError("under this contract the partner's cards are laid aside")
    seen = dict(faces) if imagined else seen_faces(state, seat, faces)
    trump = state.trump
    if trump is None and trump_slot in seen and (seat == maker or imagined):
        indicator = seen[trump_slot]
        trump = indicator.suit
        if seat != maker:
            # Its suit counts, but it stays a hidden card, in the slot that it had unsorted as well.
            seen = {slot: card for slot, card in seen.items() if card != indicator}
    profile = state.profile
    plays, hands = _in_trick(state, seat)
    return InformationSet(
        seat=seat,
        maker=maker,
        rules=PlayRules(
            cards=profile.deal_batches.cards,
            first_lead_ban=profile.first_lead_ban,
            all_trumps_may_lead=not profile.open_trump,
            opens_after_first=state.contract >= profile.open_after_trick1_from,
            exhausted=profile.exhausted_trumps,
        ),
        leader=state.leader,
        plays=plays,
        hands=hands,
        indicator=trump_slot if state.trump is None else None,
        trump=trump,
        hidden=tuple(play.slot for play in state.earlier_plays if play.slot not in seen),
        faces=seen,
        unseen=profile.deck.card_set - frozenset(seen.values()),
        facts=state.facts,
        unfollowed=frozenset(state.unfollowed),
        unbeaten=state.has_won_all(state.teams[seat]),
    )


def _in_trick(state: State, seat: Seat) -> tuple[tuple[Play, ...], tuple[tuple[Slot, ...], ...]]:
    """Return the trick in progress and every seat's unplayed slots, as `seat` counts them: a
    card that another seat has shown and must play next counts as played.
    """
    slot = state.promised
    if slot is None or slot in state.hands[seat]:
        return state.plays, state.hands
    turn = next(other for other in state.everybody if slot in state.hands[other])
    # A promised card counts as played for the others, face down if it does not follow hidden trump
    # (specs/rules.md 11.1 no. 4).
    led = state.faces[state.plays[0].slot].suit if state.plays else None
    follows = led in (None, state.faces[slot].suit)
    play = Play(turn, slot, state.trump is None and not follows)
    hands = tuple(tuple(each for each in hand if each != slot) for hand in state.hands)
    return (*state.plays, play), hands


# --- from facts about slots to excluded suits: one hypothesis for each trump suit that can be -----
#
# Every fact about hidden cards in 304 speaks of suits alone. Once the trump suit is supposed, each
# fact says which suits a slot cannot hold, so that a layout exists iff the unseen cards of each
# suit find room: Hall's condition over sets of suits.

# One bit for each suit, spades lowest.
EVERY_SUIT = 0b1111


class Room(NamedTuple):
    """Unknown slots that may all hold the same suits; without slots it holds nothing."""

    slots: tuple[Slot, ...]
    allowed: int  #: The suits that they may hold, as a set of bits.


class Hypothesis(NamedTuple):
    """A trump suit that the known facts allow, and the suits that each unknown card may then
    have.
    """

    trump: Suit
    hands: tuple[Room, ...]  #: The unknown cards in the hand of each seat.
    indicator: Room  #: The indicator on the table, if it is unknown.
    trick: tuple[Room, ...]  #: Each unknown card of the trick in progress, in order of play.
    hidden: tuple[Room, ...]  #: Unknown cards of completed tricks.

    def rooms(self) -> tuple[Room, ...]:
        """Return all rooms of this hypothesis that have at least one slot: hands in seat order,
        indicator, trick, earlier tricks.
        """
        rooms = (*self.hands, self.indicator, *self.trick, *self.hidden)
        return tuple(room for room in rooms if room.slots)


def fits(counts: Iterable[int], rooms: Iterable[tuple[int, int]]) -> bool:
    """Tell whether the unseen cards can be laid into the rooms so that each room gets only suits
    that it allows.

    By Hall's condition: for every set of suits, the rooms that allow nothing else have no more
    slots than there are unseen cards of these suits. True without rooms.

    Args:
        counts: the number of unseen cards of each suit, in suit order; in all as many as slots.
        rooms: pairs of a number of slots and the allowed suits as a set of bits.
    """
    # There are as many cards as slots, so rooms that take any suit always fill; only narrow ones
    # can fail.
    narrow = [room for room in rooms if room[0] and room[1] != EVERY_SUIT]
    # Only unions of the rooms' own suits matter: any other set holds the same rooms and more cards.
    unions = {0}
    for _, allowed in narrow:
        unions |= {each | allowed for each in unions}
    # cards[suits] becomes the number of cards of each set of suits, indexed by its bits.
    cards = [0]
    for count in counts:
        cards += [each + count for each in cards]
    for suits in unions:
        left = cards[suits]
        for size, allowed in narrow:
            # The room may hold nothing outside this set, so it takes all its cards from it.
            if not allowed & ~suits:
                left -= size
        if left < 0:
            return False
    return True


def hypotheses(information: InformationSet) -> tuple[Hypothesis, ...]:
    """Return every hypothesis under which the unseen cards can be laid out, in the order of trump
    suits.

    Empty where the facts contradict each other. Several may have one trump suit: one for each way
    to satisfy the disjunctions among the facts. Raises ValueError for a fact about points, and for
    facts that tell unknown cards of one hand apart.
    """
    unseen = Counter(card.suit for card in information.unseen)
    counts = [unseen[suit] for suit in SUITS]
    suits = SUITS if information.trump is None else (information.trump,)
    found = []
    for trump in suits:
        allowed = dict.fromkeys(information.unknown_slots(), EVERY_SUIT)
        indicator = information.indicator
        if indicator is not None and indicator in allowed:
            # What makes the suit trump: whatever card lies there, it has this suit.
            allowed[indicator] = 1 << trump
        for branch in _worlds(information, trump, information.facts, allowed):
            hypothesis = _hypothesis(information, trump, branch)
            if fits(counts, [(len(room.slots), room.allowed) for room in hypothesis.rooms()]):
                found.append(hypothesis)
    return tuple(found)


Allowed = dict[Slot, int]


def _worlds(
    information: InformationSet, trump: Suit, facts: tuple[Statement, ...], allowed: Allowed
) -> Iterator[Allowed]:
    """Yield each way to satisfy all `facts` if `trump` is the trump suit, as a mapping from each
    unknown slot to the suits that it may still hold; `allowed` is that mapping before any fact.

    There are several ways where a fact is an AnyOf; none where the facts cannot be satisfied.
    """
    for place, fact in enumerate(facts):
        if isinstance(fact, AnyOf):
            outcomes = [_without(information, trump, each, allowed) for each in fact.alternatives]
            # An alternative that already holds excludes nothing, and one such is enough for the
            # disjunction.
            if allowed in outcomes:
                continue
            for outcome in outcomes:
                if outcome is not None:
                    # One branch for each alternative: what is sure must be so in all of them.
                    yield from _worlds(information, trump, facts[place + 1 :], outcome)
            return
        narrowed = _without(information, trump, fact, allowed)
        if narrowed is None:
            return
        allowed = narrowed
    yield allowed


def _without(
    information: InformationSet, trump: Suit, fact: Statement, allowed: Allowed
) -> Allowed | None:
    """Return `allowed` without the suits that one fact excludes; None if a slot is left without a
    suit, or if a known card contradicts the fact. A fact about a single card excludes nothing.

    Raises ValueError for any other fact that does not speak of suits.
    """
    match fact:
        case NoneOfSuit(slots, suit):
            keeps = EVERY_SUIT & ~(1 << suit)
        case AllOfSuit(slots, suit):
            keeps = 1 << suit
        case SuitsDiffer(slots, other):
            # Cards are compared with the indicator, or with a card that is known.
            suit = trump if other == information.indicator else information.faces[other].suit
            keeps = EVERY_SUIT & ~(1 << suit)
        # Of a single card: that of an IsCard is among the faces, and a NotCard comes with a called
        # card, where no caps are judged.
        case IsCard() | NotCard():
            return allowed
        case _:
            raise ValueError(f"no fact about suits: {type(fact).__name__}")
    narrowed = dict(allowed)
    for slot in slots:
        if slot in allowed:
            narrowed[slot] &= keeps
            if not narrowed[slot]:
                return None
        # A known card that contradicts the fact: this trump suit, or this branch, is not possible.
        elif not keeps >> information.faces[slot].suit & 1:
            return None
    return narrowed


def _hypothesis(information: InformationSet, trump: Suit, allowed: Allowed) -> Hypothesis:
    """Return the hypothesis that `trump` is the trump suit and that each unknown slot holds one of
    its `allowed` suits.

    Raises ValueError where two unknown slots of one hand allow different suits: a hand is one room
    here.
    """
    hands = []
    for hand in information.hands:
        slots = tuple(slot for slot in hand if slot in allowed)
        # A hand without unknown cards is an empty room, which is free: it must not narrow anything.
        suits = {allowed[slot] for slot in slots} or {EVERY_SUIT}
        # A statement of 304 about a hand speaks of all closed cards in it, so no hand leads here.
        if len(suits) != 1:
            raise ValueError("facts tell the cards of one hand apart")
        hands.append(Room(slots, suits.pop()))
    indicator = information.indicator
    # A hidden indicator that was played lies in the trick, whose rooms count it already. (Not None:
    # for type checkers, as `on_table` implies it.)
    table = (indicator,) if indicator is not None and information.on_table else ()
    return Hypothesis(
        trump,
        tuple(hands),
        Room(tuple(slot for slot in table if slot in allowed), 1 << trump),
        tuple(
            Room((play.slot,), allowed[play.slot])
            for play in information.plays
            if play.slot in allowed
        ),
        tuple(Room((slot,), allowed[slot]) for slot in information.hidden if slot in allowed),
    )
