"""From the state of a hand to what one seat knows of it (RULES 13.1)."""

from __future__ import annotations

from collections.abc import Mapping

from p2p304.cards import Card
from p2p304.rules304.bids import Contract
from p2p304.rules304.caps.information import InformationSet, PlayedSlot, PlayRules
from p2p304.rules304.state import Play, State
from p2p304.seats import Seat
from p2p304.slots import Slot


def seen_by(state: State, seat: Seat, faces: Mapping[Slot, Card]) -> dict[Slot, Card]:
    """Return the faces that `seat` has seen in `state`, which may lie in the past of what `faces`
    holds.

    All faces are public, or of the seat's own cards, or handed over to the trump maker after an
    earlier trick. `faces` holds at least these; what else it holds is left out.
    """
    seen = dict(state.faces)
    slots = list(state.hands[seat])
    if seat == state.maker and state.trump_slot is not None:
        slots.append(state.trump_slot)
    slots += [play.slot for play in state.plays if play.seat == seat]
    for trick in state.tricks:
        slots += [play.slot for play in trick.plays if play.seat == seat or state.maker == seat]
    for slot in slots:
        seen[slot] = faces[slot]
    return seen


def information_of(
    state: State, seat: Seat, faces: Mapping[Slot, Card], *, imagined: bool = False
) -> InformationSet:
    """Return what `seat` knows in the course of play, from the end of DECLARE on.

    `faces` is what its view shows, or more of the same hand; with `imagined` what another seat
    sees, who asks how things stand for `seat` by all of that. Raises ValueError before play, after
    the last card, and under contracts that lay the partner's cards aside: nothing is judged there.
    """
    maker, trump_slot = state.maker, state.trump_slot
    if maker is None or trump_slot is None or state.contract is None:
        raise ValueError("nothing is known before trump is chosen")
    if isinstance(state.contract, Contract):
        raise ValueError("under this contract the partner's cards are laid aside")
    seen = dict(faces) if imagined else seen_by(state, seat, faces)
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
        hidden=tuple(play.slot for play in played(state) if play.slot not in seen),
        faces=seen,
        unseen=profile.deck.card_set - frozenset(seen.values()),
        facts=state.facts,
        unfollowed=frozenset(state.unfollowed),
        unbeaten=all(state.teams[trick.winner] == state.teams[seat] for trick in state.tricks),
    )


def _in_trick(
    state: State, seat: Seat
) -> tuple[tuple[PlayedSlot, ...], tuple[tuple[Slot, ...], ...]]:
    """Return the trick in progress and the hands; to others a promised card has been played."""
    plays = tuple(PlayedSlot(*play) for play in state.plays)
    slot = state.promised
    if slot is None or slot in state.hands[seat]:
        return plays, state.hands
    turn = next(other for other in state.everybody if slot in state.hands[other])
    follows = not plays or state.faces[slot].suit == state.faces[plays[0].slot].suit
    play = PlayedSlot(turn, slot, state.trump is None and not follows)
    hands = tuple(tuple(each for each in hand if each != slot) for hand in state.hands)
    return (*plays, play), hands


def played(state: State) -> tuple[Play, ...]:
    """Return every card of the completed tricks."""
    return tuple(play for trick in state.tricks for play in trick.plays)
