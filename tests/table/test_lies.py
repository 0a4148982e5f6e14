"""Liars at a table of 304, one for each row of the rules: refused by all, in the round of the lie.

Each liar says the thing that the rules forbid, or that its cards contradict, with every proof that
an honest prover makes in front of the cards that the liar wishes for. The bus carries the lie to
one honest seat alone; the others hear of it from that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from p2p304.cards import Card, Slot, Suit
from p2p304.rules304.state import Phase
from p2p304.statements import NoneOfSuit
from protocol.wire.contents import Action, Content, DealShares, HandOverShares
from tests.table.cheating import Moment
from tests.table.walks import walk

Tell = Callable[[Moment], Content | None]


@dataclass(frozen=True)
class Lie:
    """What is said instead, at the first moment that offers it, and the check that refuses it."""

    tell: Tell
    check: str
    style: str = "closed"
    seed: int = 42
    profile: str = "pagat"


def at(phase: Phase, tell: Tell) -> Tell:
    return lambda moment: tell(moment) if moment.state.phase is phase else None


def words(phase: Phase, text: str) -> Tell:
    """These words, whatever the cards are."""
    return at(phase, lambda moment: Action(text))


def points(moment: Moment, slots: tuple[Slot, ...]) -> int:
    return sum(moment.machine.points[moment.faces[slot]] for slot in slots)


def shown(moment: Moment, slots: tuple[Slot, ...]) -> str:
    return "".join(f" {slot}={moment.faces[slot]}" for slot in slots)


def unseen(moment: Moment, suit: Suit | None = None) -> Iterator[Card]:
    """Cards of others that nobody has shown yet."""
    known = {*moment.faces.values(), *moment.state.faces.values()}
    for card in moment.machine.game.pack:
        if card not in known and suit in (None, card.suit):
            yield card


# --- before play ----------------------------------------------------------------------------------


def low_bid(moment: Moment) -> Content | None:
    top = moment.state.auction.top
    return Action(f"bid {top}") if isinstance(top, int) else None


def enough_for_a_redeal(moment: Moment) -> Content | None:
    """The true cards, which count 15 or more."""
    if f"redeal{shown(moment, moment.hand)}" in moment.legal or moment.state.auction.slots:
        return None
    return Action(f"redeal{shown(moment, moment.hand)}")


def weak_cards_of_others(moment: Moment) -> Content | None:
    """Four cards that count nothing, in the slots of better ones."""
    if moment.state.auction.slots or points(moment, moment.hand) < 15:
        return None
    weak = (card for card in unseen(moment) if not moment.machine.points[card])
    return moment.said("redeal" + "".join(f" {slot}={next(weak)}" for slot in moment.hand))


def redeal_of_another_seat(moment: Moment) -> Content | None:
    if not moment.state.auction.slots:
        return None
    weak = (card for card in unseen(moment) if not moment.machine.points[card])
    return Action("redeal" + "".join(f" {slot}={next(weak)}" for slot in moment.hand))


def weak_in_private(moment: Moment) -> Content | None:
    """The four cards stay hidden; what is proved is of other cards."""
    if moment.state.auction.slots or points(moment, moment.hand) < 15:
        return None
    return moment.said("redeal")


def indicator_of_the_second_batch(moment: Moment) -> Content | None:
    return Action(f"indicator {16 + 4 * moment.seat}")


def indicator_of_another(moment: Moment) -> Content | None:
    other = moment.state.hands[(moment.seat + 1) % 4][0]
    return Action(f"indicator {other}")


def old_indicator(moment: Moment) -> Content | None:
    """The new maker names the slot that the old maker's indicator lay in."""
    slots = [slot for slot in range(32) if slot not in moment.hand]
    return Action(f"indicator {slots[0]}")


def another_trump(moment: Moment) -> Content | None:
    """The indicator is opened as a card of another suit."""
    real = moment.faces[moment.state.indicator]
    other = next(card for card in unseen(moment) if card.suit != real.suit)
    return moment.said(f"open {other}")


def better_trump(moment: Moment) -> Content | None:
    real = moment.faces[moment.state.indicator]
    return moment.said(f"open {next(unseen(moment, real.suit))}")


def caps_with_wished_cards(moment: Moment) -> Content | None:
    if not any(text.startswith("caps") for text in moment.legal):
        return None
    wished = unseen(moment)
    slots = list(moment.hand)
    if moment.seat == moment.state.maker and moment.state.indicator is not None:
        slots.append(moment.state.indicator)
    return moment.said("caps" + "".join(f" {slot}={next(wished)}" for slot in slots))


# --- tricks ---------------------------------------------------------------------------------------


def led(moment: Moment) -> Suit:
    suit: Suit = moment.state.faces[moment.state.plays[0].slot].suit
    return suit


def holds_the_suit(moment: Moment) -> bool:
    """Whether the seat follows in a trick and must follow suit."""
    return bool(moment.state.plays) and any(
        moment.faces[slot].suit == led(moment) for slot in moment.hand
    )


def off_suit(moment: Moment) -> Slot | None:
    """A card of another suit than the one led, of a hand that holds that suit."""
    if not holds_the_suit(moment):
        return None
    return next((slot for slot in moment.hand if moment.faces[slot].suit != led(moment)), None)


def revoke_down(moment: Moment) -> Content | None:
    slot = off_suit(moment)
    if slot is None or moment.state.trump is not None or moment.seat == moment.state.maker:
        return None
    return moment.said(f"down {slot}")


def revoke_down_with_the_very_suit(moment: Moment) -> Content | None:
    """The card that goes face down is itself of the suit led, and alone of it in the hand."""
    if moment.state.trump is not None or not holds_the_suit(moment):
        return None
    if moment.seat == moment.state.maker:
        return None
    same = [slot for slot in moment.hand if moment.faces[slot].suit == led(moment)]
    return moment.said(f"down {same[0]}") if len(same) == 1 else None


def revoke_up(moment: Moment) -> Content | None:
    slot = off_suit(moment)
    if slot is None or moment.state.trump is None:
        return None
    return moment.said(f"play {slot}={moment.faces[slot]}")


def without_proofs(tell: Tell) -> Tell:
    def bare(moment: Moment) -> Content | None:
        content = tell(moment)
        return replace(content, proofs=()) if isinstance(content, Action) else None

    return bare


def without_the_last_proof(tell: Tell) -> Tell:
    def bare(moment: Moment) -> Content | None:
        content = tell(moment)
        if not isinstance(content, Action) or len(content.proofs) < 2:
            return None
        return replace(content, proofs=content.proofs[:-1])

    return bare


def void_of_fewer_slots(moment: Moment) -> Content | None:
    """A true proof that the other slots hold nothing of the suit: the card played is left out."""
    content = revoke_down_with_the_very_suit(moment)
    if content is None:
        return None
    assert isinstance(content, Action)
    slot = Slot(int(content.text.split()[1]))
    rest = tuple(each for each in moment.hand if each != slot)
    return replace(content, proofs=moment.void_proof(rest, led(moment)))


def void_with_a_slot_twice(moment: Moment) -> Content | None:
    """The proof has the right length: another slot stands in it twice."""
    content = revoke_down_with_the_very_suit(moment)
    if content is None:
        return None
    assert isinstance(content, Action)
    slot = Slot(int(content.text.split()[1]))
    rest = [each for each in moment.hand if each != slot]
    doubled = tuple(rest[0] if each == slot else each for each in moment.hand)
    return replace(content, proofs=moment.void_proof(doubled, led(moment)))


def void_of_another_suit(moment: Moment) -> Content | None:
    """Void of a suit, proved well; it is not the suit that was led."""
    content = revoke_down(moment)
    if content is None:
        return None
    assert isinstance(content, Action)
    held = {moment.faces[slot].suit for slot in moment.hand}
    missing = next((suit for suit in Suit if suit not in held), None)
    if missing is None:
        return None
    return replace(content, proofs=moment.void_proof(moment.hand, missing))


def lead_face_down(moment: Moment) -> Content | None:
    return None if moment.state.plays else Action(f"down {moment.hand[0]}")


def down_with_open_trump(moment: Moment) -> Content | None:
    if moment.state.trump is None or not moment.state.plays:
        return None
    return Action(f"down {moment.hand[0]}")


def another_card(moment: Moment) -> Content | None:
    """The best card of the suit that somebody else holds."""
    slot = moment.hand[0]
    suit = led(moment) if moment.state.plays else moment.faces[slot].suit
    wished = next(unseen(moment, suit), None)
    return None if wished is None else moment.said(f"play {slot}={wished}")


def neighbours_card(moment: Moment) -> Content | None:
    """A card of the own hand under the name of another slot."""
    if moment.state.plays or len(moment.hand) < 2:
        return None
    return moment.said(f"play {moment.hand[0]}={moment.faces[moment.hand[1]]}")


def seen_card(moment: Moment) -> Content | None:
    """A card that lies open in another place already."""
    seen = [card for slot, card in moment.state.faces.items() if slot not in moment.hand]
    return Action(f"play {moment.hand[0]}={seen[0]}") if seen else None


def played_slot(moment: Moment) -> Content | None:
    mine = [
        play.slot for trick in moment.state.tricks for play in trick.plays
        if play.seat == moment.seat
    ]  # fmt: skip
    if not mine:
        return None
    return Action(f"play {mine[0]}={moment.state.faces.get(mine[0], moment.machine.game.pack[0])}")


def slot_of_another(moment: Moment) -> Content | None:
    slot = moment.state.hands[(moment.seat + 2) % 4][0]
    return Action(f"play {slot}={next(unseen(moment))}")


def slot_that_is_none(moment: Moment) -> Content | None:
    return Action(f"play 999={next(unseen(moment))}")


def first_lead_of_trump(moment: Moment) -> Content | None:
    state = moment.state
    if state.plays or state.tricks or moment.seat != state.maker or state.trump is not None:
        return None
    trump = moment.faces[state.indicator].suit
    slot = next((slot for slot in moment.hand if moment.faces[slot].suit == trump), None)
    return None if slot is None else moment.said(f"play {slot}={moment.faces[slot]}")


def lead_of_the_indicator(moment: Moment) -> Content | None:
    state = moment.state
    if state.plays or moment.seat != state.maker or state.indicator is None or not moment.hand:
        return None
    return Action(f"play {state.indicator}={moment.faces[state.indicator]}")


def hidden_trump_thrown_away(moment: Moment) -> Content | None:
    """The maker lays a trump of its hand face down, as a discard."""
    state = moment.state
    if moment.seat != state.maker or not state.plays or state.indicator is None:
        return None
    trump = moment.faces[state.indicator].suit
    if holds_the_suit(moment) or trump == led(moment):
        return None
    slot = next((slot for slot in moment.hand if moment.faces[slot].suit == trump), None)
    return None if slot is None else moment.said(f"down {slot}")


def exhausted_trumps_forgotten(moment: Moment) -> Content | None:
    """A maker who alone has trumps leads another suit."""
    state = moment.state
    if state.plays or moment.seat != state.maker or state.trump not in state.unfollowed:
        return None
    held = [slot for slot in moment.hand if moment.faces[slot].suit == state.trump]
    other = [slot for slot in moment.hand if moment.faces[slot].suit != state.trump]
    return moment.said(f"play {other[0]}={moment.faces[other[0]]}") if held and other else None


# --- inspection, claims and the count -------------------------------------------------------------


def false_none(moment: Moment) -> Content | None:
    """A face-down card of another is a trump; the maker says that none is."""
    inside = [play.slot for play in moment.state.plays if play.down]
    if "none" in moment.legal or moment.state.indicator in inside:
        return None
    return None if moment.state.indicator is None else moment.said("none")


def none_with_the_indicator_played(moment: Moment) -> Content | None:
    inside = [play.slot for play in moment.state.plays if play.down]
    return Action("none") if moment.state.trump_slot in inside else None


def false_cut(moment: Moment) -> Content | None:
    """None is a trump; the maker opens the true cards and says that one is."""
    if "none" not in moment.legal:
        return None
    slots = tuple(play.slot for play in moment.state.plays if play.down
                  and play.seat != moment.seat)  # fmt: skip
    return Action(f"trump{shown(moment, (*slots, moment.state.trump_slot))}")


def wished_cut(moment: Moment) -> Content | None:
    """None is a trump; the maker opens a card as the trump that it is not."""
    if "none" not in moment.legal:
        return None
    slots = tuple(play.slot for play in moment.state.plays if play.down
                  and play.seat != moment.seat)  # fmt: skip
    trump = moment.faces[moment.state.trump_slot].suit
    wished = next(unseen(moment, trump), None)
    if not slots or wished is None:
        return None
    rest = shown(moment, (*slots[1:], moment.state.trump_slot))
    return moment.said(f"trump {slots[0]}={wished}{rest}")


def cut_with_a_hidden_rest(moment: Moment) -> Content | None:
    """A cut by another; that the maker's own discard is no trump goes without its proof."""
    cut = next((text for text in moment.legal if text.startswith("trump")), None)
    if cut is None:
        return None
    content = moment.said(cut)
    inside = [play.slot for play in moment.state.plays if play.down]
    opened = [Slot(int(each.split("=")[0])) for each in cut.split()[1:]]
    hidden = [slot for slot in inside if slot not in opened and slot not in moment.state.faces]
    return replace(content, proofs=content.proofs[:1]) if hidden else None


def indicator_shown_as_another(moment: Moment) -> Content | None:
    real = moment.faces[moment.state.trump_slot]
    other = next(card for card in unseen(moment) if card.suit != real.suit)
    return moment.said(f"show-indicator {other}")


def trumps_of(moment: Moment) -> list[Slot]:
    trump = moment.faces[moment.state.trump_slot].suit
    return [slot for slot in moment.state.dealt[moment.seat] if moment.faces[slot].suit == trump]


def denied_trumps(moment: Moment) -> Content | None:
    return moment.said("no-trump") if trumps_of(moment) else None


def invented_trump(moment: Moment) -> Content | None:
    """A trump that somebody else holds."""
    slot = next(each for each in moment.state.dealt[moment.seat] if each not in trumps_of(moment))
    trump = moment.faces[moment.state.trump_slot].suit
    wished = next(unseen(moment, trump), None)
    return None if wished is None else moment.said(f"one-trump {slot}={wished}")


def another_count(moment: Moment) -> Content | None:
    """A face-down card is opened for the count as one that counts more."""
    honest = next(text for text in moment.legal if text.startswith("count"))
    word, first, *rest = honest.split()
    slot = first.split("=")[0]
    known = set(moment.state.faces.values())
    wished = [card for card in moment.machine.game.pack
              if card not in known and f"{card}" not in honest]  # fmt: skip
    return moment.said(" ".join((word, f"{slot}={wished[0]}", *rest))) if wished else None


def shorter_count(moment: Moment) -> Content | None:
    honest = next(text for text in moment.legal if text.startswith("count"))
    return Action(" ".join(honest.split()[:-1]))


def early_show(moment: Moment) -> Content | None:
    """A card shown to the partner before it is played, where the house rules do not have it."""
    if not moment.state.tricks or moment.seat == moment.state.maker:
        return None
    return moment.said(f"show {moment.hand[0]}={moment.faces[moment.hand[0]]}")


def early_count(moment: Moment) -> Content | None:
    """One's own face-down card, opened for the partner before the count."""
    played = (play for trick in moment.state.tricks for play in trick.plays)
    mine = [play.slot for play in played if play.seat == moment.seat and play.down]
    hidden = [slot for slot in mine if slot not in moment.state.faces]
    return Action(f"count{shown(moment, tuple(hidden))}") if hidden else None


def own_cards_for_all(moment: Moment) -> Content | None:
    """Shares where nobody owes any: what would open one's own cards."""
    return DealShares(bytes(66 * 8 + 96))


TRICK, INSPECT = Phase.TRICK, Phase.INSPECT
LIES: dict[str, Lie] = {
    "a cut outside the deck": Lie(words(Phase.CUT, "cut 32"), "action.rule"),
    "a cut below 0": Lie(words(Phase.CUT, "cut -1"), "action.notation"),
    "a cut that is no whole number": Lie(words(Phase.CUT, "cut 1.0"), "action.notation"),
    "a cut that is a word": Lie(words(Phase.CUT, "cut True"), "action.notation"),
    "a second cut": Lie(words(Phase.AUCTION4, "cut 3"), "action.rule"),
    "a bid between two steps": Lie(words(Phase.AUCTION4, "bid 165"), "action.rule"),
    "a bid below the lowest": Lie(words(Phase.AUCTION4, "bid 150"), "action.rule"),
    "a bid above the highest": Lie(words(Phase.AUCTION4, "bid 310"), "action.rule"),
    "a negative bid": Lie(words(Phase.AUCTION4, "bid -160"), "action.notation"),
    "a bid that does not go above": Lie(at(Phase.AUCTION4, low_bid), "action.rule"),
    "a contract with four cards": Lie(words(Phase.AUCTION4, "bid pcc"), "action.rule"),
    "an eight-card bid that is too low": Lie(words(Phase.AUCTION8, "bid 240"), "action.rule"),
    "a redeal with cards that count enough": Lie(
        at(Phase.AUCTION4, enough_for_a_redeal), "action.rule"),
    "a redeal with weak cards that lie elsewhere": Lie(
        at(Phase.AUCTION4, weak_cards_of_others), "opening.proof"),
    "a redeal that another may demand": Lie(
        at(Phase.AUCTION4, redeal_of_another_seat), "action.rule"),
    "an indicator of the second batch": Lie(
        at(Phase.INDICATOR4, indicator_of_the_second_batch), "action.rule"),
    "an indicator of another hand": Lie(
        at(Phase.INDICATOR4, indicator_of_another), "action.rule"),
    "an old indicator laid again": Lie(
        at(Phase.INDICATOR8, old_indicator), "action.rule", style="overbid"),
    "the indicator opened as another suit": Lie(at(Phase.DECLARE, another_trump), "opening.proof"),
    "the indicator opened as a better card": Lie(at(Phase.DECLARE, better_trump), "opening.proof"),
    "caps with cards of others": Lie(at(Phase.WINDOW, caps_with_wished_cards), "opening.proof"),
    "not following suit, face down": Lie(at(TRICK, revoke_down), "distinction.proof"),
    "not following suit with the very suit": Lie(
        at(TRICK, revoke_down_with_the_very_suit), "distinction.proof"),
    "not following suit, face up": Lie(
        at(TRICK, revoke_up), "distinction.proof", style="drive", seed=1),
    "face down without a proof": Lie(at(TRICK, without_proofs(revoke_down)), "statement.count"),
    "off suit face up without a proof": Lie(
        at(TRICK, without_the_last_proof(revoke_up)), "statement.count", style="drive", seed=1),
    "a void that leaves out the card played": Lie(
        at(TRICK, void_of_fewer_slots), "distinction.length"),
    "a void that counts a slot twice": Lie(
        at(TRICK, void_with_a_slot_twice), "distinction.proof"),
    "a void of a suit that was not led": Lie(at(TRICK, void_of_another_suit), "distinction.proof"),
    "a lead face down": Lie(at(TRICK, lead_face_down), "action.rule"),
    "face down with trump open": Lie(
        at(TRICK, down_with_open_trump), "action.rule", style="drive", seed=1),
    "a hand-over in the place of a card": Lie(
        at(TRICK, lambda moment: HandOverShares((bytes(227),))), "turn.kind"),
    "shares in the place of a card": Lie(at(TRICK, own_cards_for_all), "turn.kind"),
    "a card shown before it is played": Lie(at(Phase.WINDOW, early_show), "action.rule"),
    "a face-down card opened before the count": Lie(at(TRICK, early_count), "action.rule"),
    "a redeal proved of cards that count enough": Lie(
        at(Phase.AUCTION4, weak_in_private), "score.rows",
        style="passing", profile="pagat; redeal_proof = prove without showing"),
    "a card of another hand": Lie(at(TRICK, another_card), "opening.proof"),
    "a slot under the name of another": Lie(at(TRICK, neighbours_card), "opening.proof"),
    "a card that was seen elsewhere": Lie(at(TRICK, seen_card), "action.rule"),
    "a slot played twice": Lie(at(TRICK, played_slot), "action.rule"),
    "a slot of the partner": Lie(at(TRICK, slot_of_another), "action.rule"),
    "a slot that does not exist": Lie(at(TRICK, slot_that_is_none), "action.rule"),
    "a first lead of hidden trump": Lie(
        at(TRICK, first_lead_of_trump), "distinction.proof"),
    "a lead of the indicator": Lie(at(TRICK, lead_of_the_indicator), "action.rule"),
    "hidden trump thrown away": Lie(at(TRICK, hidden_trump_thrown_away), "distinction.proof"),
    "another lead when trumps are exhausted": Lie(
        at(TRICK, exhausted_trumps_forgotten), "distinction.proof", style="drive", seed=1),
    "none is trump, and one is": Lie(at(INSPECT, false_none), "distinction.proof"),
    "none is trump, and the indicator lies there": Lie(
        at(INSPECT, none_with_the_indicator_played), "action.rule", seed=11),
    "a cut with cards that are none": Lie(at(INSPECT, false_cut), "action.rule"),
    "a cut with a wished trump": Lie(at(INSPECT, wished_cut), "opening.proof"),
    "a cut with nothing proved of the rest": Lie(
        at(INSPECT, cut_with_a_hidden_rest), "statement.count"),
    "another indicator after the first trick": Lie(
        at(Phase.SHOW_INDICATOR, indicator_shown_as_another), "opening.proof", style="overbid"),
    "another indicator when trumps are called spoilt": Lie(
        at(Phase.SPOILT_INDICATOR, indicator_shown_as_another), "opening.proof", style="spoilt"),
    "no trump was dealt, and one was": Lie(
        at(Phase.SPOILT_ANSWER, denied_trumps), "distinction.proof", style="spoilt"),
    "a trump of somebody else": Lie(
        at(Phase.SPOILT_ANSWER, invented_trump), "opening.proof", style="spoilt"),
    "a face-down card counted as another": Lie(
        at(Phase.COUNT, another_count), "opening.proof", seed=21),
    "a count that leaves a card out": Lie(
        at(Phase.COUNT, shorter_count), "action.rule", seed=21),
}  # fmt: skip


def occasion(lie: Lie) -> tuple[Moment, Content]:
    """The first moment of the lie's hand that offers it."""
    for moment in walk(lie.profile, lie.seed, lie.style):
        content = lie.tell(moment)
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
        if state.phase is not TRICK or moment.seat != state.maker or not state.plays:
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
