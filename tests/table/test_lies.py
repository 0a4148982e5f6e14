"""Liars at a table of 304, one for each row of the rules: refused by all, in the round of the lie.

Each liar says the thing that the rules forbid, or that its cards contradict, with every proof that
an honest prover makes in front of the cards that the liar wishes for. The bus carries the lie to
one honest seat alone; the others hear of it from that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from p2p304.cards import Card, Slot, Suit
from p2p304.rules304.state import Phase
from p2p304.statements import NoneOfSuit
from protocol.wire.contents import Action, Content, DealShares, HandOverShares
from tests.table.cheating import Moment
from tests.table.walks import walk

#: What is said at a moment, as a content, or as words for which nothing is proved; nothing where
#: the moment offers no occasion.
Tell = Callable[[Moment], Any]


@dataclass(frozen=True)
class Lie:
    """What is said instead, at the first moment of a phase that offers it, and the check that
    refuses it."""

    phase: Phase
    check: str
    tell: Tell | str
    style: str = "closed"
    seed: int = 42
    profile: str = "pagat"

    def said(self, moment: Moment) -> Content | None:
        """What is said at this moment, if it is one for the lie."""
        if moment.state.phase is not self.phase:
            return None
        said = self.tell if isinstance(self.tell, str) else self.tell(moment)
        return Action(said) if isinstance(said, str) else said or None


def shown(moment: Moment, slots: tuple[Slot, ...]) -> str:
    return "".join(f" {slot}={moment.faces[slot]}" for slot in slots)


def unseen(moment: Moment, suit: Suit | None = None) -> Iterator[Card]:
    """Cards of others that nobody has shown yet."""
    known = {*moment.faces.values(), *moment.state.faces.values()}
    for card in moment.machine.game.pack:
        if card not in known and suit in (None, card.suit):
            yield card


def wished(moment: Moment, words: str, suit: Suit | None) -> Content | None:
    """These words with a card of the suit that somebody else holds, if there is one."""
    card = next(unseen(moment, suit), None)
    return None if card is None else moment.said(words.format(card))


def other_suit(moment: Moment, slot: Slot) -> Card:
    """A card of another suit than the slot's, that nobody has seen."""
    return next(card for card in unseen(moment) if card.suit != moment.faces[slot].suit)


def held(moment: Moment, suit: Suit, *, other: bool = False) -> list[Slot]:
    """The slots of the hand that are of the suit, or those that are not."""
    return [slot for slot in moment.hand if (moment.faces[slot].suit == suit) != other]


def inside(moment: Moment, *, others: bool = False) -> tuple[Slot, ...]:
    """The face-down cards of the trick, or those of others."""
    downs = (play for play in moment.state.plays if play.down)
    return tuple(play.slot for play in downs if not (others and play.seat == moment.seat))


# --- before play ---------------------------------------------------------------------------------


def counts_enough(moment: Moment) -> bool:
    """Whether the hand counts too much for a redeal, which nobody else has been able to ask for."""
    points = sum(moment.machine.points[moment.faces[slot]] for slot in moment.hand)
    return not moment.state.auction.slots and points >= 15


def weak(moment: Moment) -> str:
    """A redeal with cards of others that count nothing."""
    cards = (card for card in unseen(moment) if not moment.machine.points[card])
    return "redeal" + "".join(f" {slot}={next(cards)}" for slot in moment.hand)


def enough_for_a_redeal(moment: Moment) -> str | None:
    said = f"redeal{shown(moment, moment.hand)}"
    return None if said in moment.legal or moment.state.auction.slots else said


def caps_with_wished_cards(moment: Moment) -> Content | None:
    if not any(text.startswith("caps") for text in moment.legal):
        return None
    cards, slots = unseen(moment), list(moment.hand)
    if moment.seat == moment.state.maker and moment.state.indicator is not None:
        slots.append(moment.state.indicator)
    return moment.said("caps" + "".join(f" {slot}={next(cards)}" for slot in slots))


# --- tricks --------------------------------------------------------------------------------------


def led(moment: Moment) -> Suit:
    suit: Suit = moment.state.faces[moment.state.plays[0].slot].suit
    return suit


def holds_the_suit(moment: Moment) -> bool:
    """Whether the seat follows in a trick and must follow suit."""
    return bool(moment.state.plays) and bool(held(moment, led(moment)))


def may_cover(moment: Moment) -> bool:
    """Whether the seat must follow suit, and could lay a card face down if it had none."""
    hidden = moment.state.trump is None and moment.seat != moment.state.maker
    return hidden and holds_the_suit(moment)


def revoke_down(moment: Moment) -> Content | None:
    """A card of another suit than the one led, of a hand that holds that suit."""
    others = held(moment, led(moment), other=True) if may_cover(moment) else []
    return moment.said(f"down {others[0]}") if others else None


def revoke_with_the_very_suit(moment: Moment) -> Content | None:
    """The card that goes face down is itself of the suit led, and alone of it in the hand."""
    same = held(moment, led(moment)) if may_cover(moment) else []
    return moment.said(f"down {same[0]}") if len(same) == 1 else None


def revoke_up(moment: Moment) -> Content | None:
    if moment.state.trump is None or not holds_the_suit(moment):
        return None
    others = held(moment, led(moment), other=True)
    return moment.said(f"play{shown(moment, (others[0],))}") if others else None


def proved(tell: Callable[[Moment], Any], change: Callable[[Moment, Action], Any]) -> Tell:
    """The same with other proofs; no occasion where those are None."""

    def told(moment: Moment) -> Content | None:
        content = tell(moment)
        proofs = None if content is None else change(moment, content)
        return None if proofs is None else replace(content, proofs=proofs)

    return told


def void_of_fewer_slots(moment: Moment, said: Action) -> Any:
    """A true proof that the other slots hold nothing of the suit: the card played is left out."""
    rest = tuple(each for each in moment.hand if str(each) != said.text.split()[1])
    return moment.void_proof(rest, led(moment))


def void_with_a_slot_twice(moment: Moment, said: Action) -> Any:
    """The proof has the right length: another slot stands in it twice."""
    played = Slot(int(said.text.split()[1]))
    other = next(each for each in moment.hand if each != played)
    doubled = tuple(other if each == played else each for each in moment.hand)
    return moment.void_proof(doubled, led(moment))


def void_of_another_suit(moment: Moment, _: Action) -> Any:
    """Void of a suit, proved well; it is not the suit that was led."""
    missing = next((suit for suit in Suit if not held(moment, suit)), None)
    return None if missing is None else moment.void_proof(moment.hand, missing)


def another_card(moment: Moment) -> Content | None:
    """The best card of the suit that somebody else holds."""
    slot = moment.hand[0]
    suit = led(moment) if moment.state.plays else moment.faces[slot].suit
    return wished(moment, f"play {slot}={{}}", suit)


def neighbours_card(moment: Moment) -> Content | None:
    """A card of the own hand under the name of another slot."""
    if moment.state.plays or len(moment.hand) < 2:
        return None
    return moment.said(f"play {moment.hand[0]}={moment.faces[moment.hand[1]]}")


def seen_card(moment: Moment) -> str | None:
    """A card that lies open in another place already."""
    seen = [card for slot, card in moment.state.faces.items() if slot not in moment.hand]
    return f"play {moment.hand[0]}={seen[0]}" if seen else None


def played_slot(moment: Moment) -> str | None:
    mine = [play.slot for play in played(moment)]
    if not mine:
        return None
    return f"play {mine[0]}={moment.state.faces.get(mine[0], moment.machine.game.pack[0])}"


def played(moment: Moment) -> Iterator[Any]:
    """What the seat has played in tricks that are over."""
    plays = (play for trick in moment.state.tricks for play in trick.plays)
    return (play for play in plays if play.seat == moment.seat)


def leads(moment: Moment) -> bool:
    """Whether the maker is to lead."""
    return not moment.state.plays and moment.seat == moment.state.maker


def first_lead_of_trump(moment: Moment) -> Content | None:
    state = moment.state
    if not leads(moment) or state.tricks or state.trump is not None:
        return None
    trumps = held(moment, moment.faces[state.indicator].suit)
    return moment.said(f"play{shown(moment, (trumps[0],))}") if trumps else None


def lead_of_the_indicator(moment: Moment) -> str | None:
    indicator = moment.state.indicator
    if not leads(moment) or indicator is None or not moment.hand:
        return None
    return f"play{shown(moment, (indicator,))}"


def hidden_trump_thrown_away(moment: Moment) -> Content | None:
    """The maker lays a trump of its hand face down, as a discard."""
    state = moment.state
    if moment.seat != state.maker or not state.plays or state.indicator is None:
        return None
    trump = moment.faces[state.indicator].suit
    if holds_the_suit(moment) or trump == led(moment) or not held(moment, trump):
        return None
    return moment.said(f"down {held(moment, trump)[0]}")


def exhausted_trumps_forgotten(moment: Moment) -> Content | None:
    """A maker who alone has trumps leads another suit."""
    state = moment.state
    if not leads(moment) or state.trump not in state.unfollowed or not held(moment, state.trump):
        return None
    others = held(moment, state.trump, other=True)
    return moment.said(f"play{shown(moment, (others[0],))}") if others else None


# --- inspection, claims and the count -------------------------------------------------------------


def false_none(moment: Moment) -> Content | None:
    """A face-down card of another is a trump; the maker says that none is."""
    indicator = moment.state.indicator
    if "none" in moment.legal or indicator is None or indicator in inside(moment):
        return None
    return moment.said("none")


def false_cut(moment: Moment) -> str | None:
    """None is a trump; the maker opens the true cards and says that one is."""
    slots = (*inside(moment, others=True), moment.state.trump_slot)
    return f"trump{shown(moment, slots)}" if "none" in moment.legal else None


def wished_cut(moment: Moment) -> Content | None:
    """None is a trump; the maker opens a card as the trump that it is not."""
    slots = inside(moment, others=True)
    if "none" not in moment.legal or not slots:
        return None
    rest = shown(moment, (*slots[1:], moment.state.trump_slot))
    return wished(moment, f"trump {slots[0]}={{}}{rest}", trump_of(moment))


def trump_of(moment: Moment) -> Suit:
    return moment.faces[moment.state.trump_slot].suit


def cut_with_a_hidden_rest(moment: Moment) -> Content | None:
    """A cut by another; that the maker's own discard is no trump goes without its proof."""
    cut = next((text for text in moment.legal if text.startswith("trump")), None)
    if cut is None:
        return None
    content = moment.said(cut)
    opened = [Slot(int(each.split("=")[0])) for each in cut.split()[1:]]
    known = {*opened, *moment.state.faces}
    hidden = not {*inside(moment)} <= known
    return replace(content, proofs=content.proofs[:1]) if hidden else None


def indicator_shown_as_another(moment: Moment) -> Content:
    return moment.said(f"show-indicator {other_suit(moment, moment.state.trump_slot)}")


def denied_trumps(moment: Moment) -> Content | None:
    dealt = moment.state.dealt[moment.seat]
    trumps = [slot for slot in dealt if moment.faces[slot].suit == trump_of(moment)]
    return moment.said("no-trump") if trumps else None


def invented_trump(moment: Moment) -> Content | None:
    """A trump that somebody else holds."""
    trump, dealt = trump_of(moment), moment.state.dealt[moment.seat]
    slot = next(each for each in dealt if moment.faces[each].suit != trump)
    return wished(moment, f"one-trump {slot}={{}}", trump)


def honest_count(moment: Moment) -> list[str]:
    return next(text for text in moment.legal if text.startswith("count")).split()


def another_count(moment: Moment) -> Content | None:
    """A face-down card is opened for the count as one that counts more."""
    word, first, *rest = honest_count(moment)
    known = {*moment.state.faces.values()}
    cards = [card for card in moment.machine.game.pack
             if card not in known and f"{card}" not in " ".join((first, *rest))]  # fmt: skip
    if not cards:
        return None
    return moment.said(" ".join((word, f"{first.split('=')[0]}={cards[0]}", *rest)))


def early_show(moment: Moment) -> Content | None:
    """A card shown to the partner before it is played, where the house rules do not have it."""
    if not moment.state.tricks or moment.seat == moment.state.maker:
        return None
    return moment.said(f"show{shown(moment, moment.hand[:1])}")


def early_count(moment: Moment) -> str | None:
    """One's own face-down card, opened for the partner before the count."""
    mine = [play.slot for play in played(moment) if play.down]
    hidden = tuple(slot for slot in mine if slot not in moment.state.faces)
    return f"count{shown(moment, hidden)}" if hidden else None


def in_phase(phase: Phase, rows: dict[str, tuple[str, Tell | str]], **hand: Any) -> dict[str, Lie]:
    """Lies of one phase of a hand: the check that refuses each, and what is said."""
    return {name: Lie(phase, check, tell, **hand) for name, (check, tell) in rows.items()}


RULE, NOTATION, OPENING = "action.rule", "action.notation", "opening.proof"
VOID, COUNT = "distinction.proof", "statement.count"
OPEN: dict[str, Any] = {"style": "drive", "seed": 1}
SPOILT: dict[str, Any] = {"style": "spoilt"}
LIES: dict[str, Lie] = {
    **in_phase(Phase.CUT, {
        "a cut outside the deck": (RULE, "cut 32"),
        "a cut below 0": (NOTATION, "cut -1"),
        "a cut that is no whole number": (NOTATION, "cut 1.0"),
        "a cut that is a word": (NOTATION, "cut True"),
    }),
    **in_phase(Phase.AUCTION4, {
        "a second cut": (RULE, "cut 3"),
        "a bid between two steps": (RULE, "bid 165"),
        "a bid below the lowest": (RULE, "bid 150"),
        "a bid above the highest": (RULE, "bid 310"),
        "a negative bid": (NOTATION, "bid -160"),
        "a bid that does not go above": (RULE, lambda at: (
            f"bid {at.state.auction.top}" if isinstance(at.state.auction.top, int) else None)),
        "a contract with four cards": (RULE, "bid pcc"),
        "a redeal with cards that count enough": (RULE, enough_for_a_redeal),
        "a redeal with weak cards that lie elsewhere": (
            OPENING, lambda at: counts_enough(at) and at.said(weak(at))),
        "a redeal that another may demand": (RULE, lambda at: at.state.auction.slots and weak(at)),
    }),
    **in_phase(Phase.AUCTION4, {
        "a redeal proved of cards that count enough": (
            "score.rows", lambda at: counts_enough(at) and at.said("redeal")),
    }, style="passing", profile="pagat; redeal_proof = prove without showing"),
    **in_phase(Phase.AUCTION8, {"an eight-card bid that is too low": (RULE, "bid 240")}),
    **in_phase(Phase.INDICATOR4, {
        "an indicator of the second batch": (RULE, lambda at: f"indicator {16 + 4 * at.seat}"),
        "an indicator of another hand": (
            RULE, lambda at: f"indicator {at.state.hands[(at.seat + 1) % 4][0]}"),
    }),
    # The new maker names the slot that the old maker's indicator lay in.
    **in_phase(Phase.INDICATOR8, {"an old indicator laid again": (RULE, lambda at: (
        f"indicator {next(slot for slot in range(32) if slot not in at.hand)}"))},
        style="overbid"),
    **in_phase(Phase.DECLARE, {
        "the indicator opened as another suit": (
            OPENING, lambda at: at.said(f"open {other_suit(at, at.state.indicator)}")),
        "the indicator opened as a better card": (
            OPENING, lambda at: wished(at, "open {}", at.faces[at.state.indicator].suit)),
    }),
    **in_phase(Phase.WINDOW, {
        "caps with cards of others": (OPENING, caps_with_wished_cards),
        "a card shown before it is played": (RULE, early_show),
    }),
    **in_phase(Phase.TRICK, {
        "not following suit, face down": (VOID, revoke_down),
        "not following suit with the very suit": (VOID, revoke_with_the_very_suit),
        "face down without a proof": (COUNT, proved(revoke_down, lambda _, __: ())),
        "a void that leaves out the card played": (
            "distinction.length", proved(revoke_with_the_very_suit, void_of_fewer_slots)),
        "a void that counts a slot twice": (
            VOID, proved(revoke_with_the_very_suit, void_with_a_slot_twice)),
        "a void of a suit that was not led": (VOID, proved(revoke_down, void_of_another_suit)),
        "a lead face down": (RULE, lambda at: not at.state.plays and f"down {at.hand[0]}"),
        "a hand-over in the place of a card": (
            "turn.kind", lambda at: HandOverShares((bytes(227),))),
        # Shares where nobody owes any: what would open one's own cards.
        "shares in the place of a card": ("turn.kind", lambda at: DealShares(bytes(66 * 8 + 96))),
        "a face-down card opened before the count": (RULE, early_count),
        "a card of another hand": (OPENING, another_card),
        "a slot under the name of another": (OPENING, neighbours_card),
        "a card that was seen elsewhere": (RULE, seen_card),
        "a slot played twice": (RULE, played_slot),
        "a slot of the partner": (
            RULE, lambda at: f"play {at.state.hands[(at.seat + 2) % 4][0]}={next(unseen(at))}"),
        "a slot that does not exist": (RULE, lambda at: f"play 999={next(unseen(at))}"),
        "a first lead of hidden trump": (VOID, first_lead_of_trump),
        "a lead of the indicator": (RULE, lead_of_the_indicator),
        "hidden trump thrown away": (VOID, hidden_trump_thrown_away),
    }),
    **in_phase(Phase.TRICK, {
        "not following suit, face up": (VOID, revoke_up),
        "off suit face up without a proof": (COUNT, proved(
            revoke_up, lambda _, said: said.proofs[:-1] if len(said.proofs) > 1 else None)),
        "face down with trump open": (RULE, lambda at: (
            at.state.trump is not None and at.state.plays and f"down {at.hand[0]}")),
        "another lead when trumps are exhausted": (VOID, exhausted_trumps_forgotten),
    }, **OPEN),
    **in_phase(Phase.INSPECT, {
        "none is trump, and one is": (VOID, false_none),
        "a cut with cards that are none": (RULE, false_cut),
        "a cut with a wished trump": (OPENING, wished_cut),
        "a cut with nothing proved of the rest": (COUNT, cut_with_a_hidden_rest),
    }),
    **in_phase(Phase.INSPECT, {"none is trump, and the indicator lies there": (RULE, lambda at: (
        at.state.trump_slot in inside(at) and "none"))}, seed=11),
    **in_phase(Phase.SHOW_INDICATOR, {
        "another indicator after the first trick": (OPENING, indicator_shown_as_another),
    }, style="overbid"),
    **in_phase(Phase.SPOILT_INDICATOR, {
        "another indicator when trumps are called spoilt": (OPENING, indicator_shown_as_another),
    }, **SPOILT),
    **in_phase(Phase.SPOILT_ANSWER, {
        "no trump was dealt, and one was": (VOID, denied_trumps),
        "a trump of somebody else": (OPENING, invented_trump),
    }, **SPOILT),
    **in_phase(Phase.COUNT, {
        "a face-down card counted as another": (OPENING, another_count),
        "a count that leaves a card out": (RULE, lambda at: " ".join(honest_count(at)[:-1])),
    }, seed=21),
}  # fmt: skip


def occasion(lie: Lie) -> tuple[Moment, Content]:
    """The first moment of the lie's hand that offers it."""
    for moment in walk(lie.profile, lie.seed, lie.style):
        content = lie.said(moment)
        if content is not None:
            return moment, content
    raise LookupError("the lie has no occasion in its hand")


def rows() -> Iterator[object]:
    """One case for each lie; those told in one hand stay in one worker, which plays it once."""
    for name, lie in LIES.items():
        hand = f"{lie.profile} {lie.seed} {lie.style}"
        yield pytest.param(lie, id=name, marks=pytest.mark.xdist_group(hand))


@pytest.mark.parametrize("lie", list(rows()))
def test_a_liar_is_refused_by_all_at_once(lie: Lie) -> None:
    moment, content = occasion(lie)
    told_to = (moment.seat + 1 + moment.occasion.place.round % 3) % 4
    assert moment.check_of(content, told_to=told_to) == lie.check


@pytest.mark.xdist_group("pagat 21 closed")
def test_a_maker_whose_only_card_of_a_suit_is_the_hidden_indicator_can_say_so() -> None:
    """While it is hidden the indicator is no part of the hand that must be void: its suit would
    show, or an honest maker could not go on."""
    seen = 0
    for moment in walk("pagat", 21, "closed"):
        state = moment.state
        if state.phase is not Phase.TRICK or moment.seat != state.maker or not state.plays:
            continue
        if state.indicator is None or holds_the_suit(moment):
            continue
        if moment.faces[state.indicator].suit != led(moment):
            continue
        downs = [text for text in moment.legal if text.startswith("down")]
        assert downs
        for text in downs:
            step = moment.machine.game.apply(
                state, moment.seat, moment.machine.game.parse_action(text)
            )
            void = step.statements[0]
            assert isinstance(void, NoneOfSuit)
            assert void == NoneOfSuit(moment.hand, led(moment))
            moment.replica.machine.take(moment.said(text), moment.occasion)
        seen += 1
    assert seen == 2
