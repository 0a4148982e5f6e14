"""What one seat knows in the middle of a hand (RULES 13.1), from the state of that hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from p2p304.cards import Card, Slot, Suit
from p2p304.rules304.actions import Contract
from p2p304.rules304.state import Play, State
from p2p304.seats import Seat
from p2p304.statements import Statement


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
    faces: Mapping[Slot, Card]
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
        if (self.indicator in self.faces) != (self.seat == self.maker and self.hidden_trump):
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
    def hidden_trump(self) -> bool:
        """Whether trump is hidden: there is an indicator whose face is not public. False once
        trump is open.
        """
        return self.indicator is not None

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


def seen_faces(state: State, seat: Seat, faces: Mapping[Slot, Card]) -> dict[Slot, Card]:
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
    state: State, seat: Seat, faces: Mapping[Slot, Card], *, imagined: bool = False
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
