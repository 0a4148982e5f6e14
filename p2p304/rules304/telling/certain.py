"""Caps that are due, told to the player who must call them: which order is certain, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p2p304.cards import Card
from p2p304.rules304.calls import caps_slots, why_no_caps
from p2p304.rules304.caps.information import InformationSet, information_of
from p2p304.rules304.caps.judge import Certainty
from p2p304.rules304.caps.orders import find_order
from p2p304.rules304.choices import CapsModel
from p2p304.rules304.state import Phase, State
from p2p304.rules304.telling.scene import ORDER
from p2p304.seats import Seat
from p2p304.sentences import Line, Who, joined, say
from p2p304.telling import Urgent
from p2p304.view import View


def urgent(view: View[State]) -> Urgent | None:
    """Return the call of caps that the view's seat must make now, with its order and the reason."""
    state, seat = view.state, view.seat
    if seat is None or seat not in state.awaiting or not may_be_due(state, seat):
        return None
    information = information_of(state, seat, view.faces)
    found = find_order(information)
    if not found.sure:
        return None
    slots = {view.faces[slot]: slot for slot in caps_slots(state, seat)}
    cards = joined(found.order)
    return Urgent(
        key="c",
        order=tuple(slots[card] for card in found.order),
        brief=say("Call caps now (c): ", cards, " are certain to win every trick in this order."),
        lines=(
            say("Caps are due: played in the order ", cards, ", your cards are certain to win"
                " every trick, whatever the others hold and play. Who is certain must call; to go"
                " on without a call is Wrong Caps."),
            *reasons(information, found.order),
        ),
        skipped=say("Go on without calling caps, although they are certain: that is Wrong Caps"),
    )  # fmt: skip


def may_be_due(state: State, seat: Seat) -> bool:
    """Tell whether there can be a duty to call caps, by what everybody knows."""
    judged = state.profile.caps_model is CapsModel.EPISTEMIC
    playing = state.phase in (Phase.WINDOW, Phase.TRICK)
    return judged and playing and why_no_caps(state, seat) is None


def reasons(information: InformationSet, order: Sequence[Card]) -> Iterator[Line]:
    """Yield why an order is certain: what is still out, and what becomes of it."""
    out = _out(information)
    beaten = {card: _higher(card, out) for card in order}
    safe = [card for card, higher in beaten.items() if not higher]
    if safe:
        yield say("Nothing that is still out is higher in its suit than ", joined(safe), ".")
    for card, higher in beaten.items():
        if higher:
            yield say(
                joined(higher), " is higher than " if len(higher) == 1 else " are higher than ",
                card, ", but falls before it, or could only help your side to win."
                if len(higher) == 1
                else ", but fall before it, or could only help your side to win.",
            )  # fmt: skip
    yield from _cutting(information, order, out)
    yield say(
        "Every way in which the cards that you cannot see may lie was tried: none takes a trick"
        " from you."
    )


def _cutting(
    information: InformationSet, order: Sequence[Card], out: Sequence[Card]
) -> Iterator[Line]:
    trump = information.trump
    if trump is None:
        yield say("Trump is hidden, and it holds whichever suit it is.")
        return
    trumps = [card for card in out if card.suit is trump]
    if all(card.suit is trump for card in order):
        return
    if not trumps:
        yield say("No trump is out any more, so that nobody can cut.")
    elif order[0].suit is trump:
        yield say("The trumps that are out, ", joined(trumps), ", fall on yours first.")
    else:
        yield say("The trumps that are out, ", joined(trumps), ", come too late to cut.")


def _out(information: InformationSet) -> list[Card]:
    """Return every card that others may still play, the higher of a suit first."""
    slots = [
        slot
        for seat, hand in enumerate(information.hands)
        if seat != information.seat
        for slot in hand
    ]
    seen = {information.faces[slot] for slot in slots if slot in information.faces}
    return sorted(seen | information.unseen, key=ORDER.__getitem__)


def _higher(card: Card, out: Sequence[Card]) -> list[Card]:
    return [each for each in out if each.suit is card.suit and ORDER[each] < ORDER[card]]


def since_when(certainty: Certainty) -> str:
    """Return since when an order was certain: "before the first lead", "since trick 4"."""
    moment = certainty.moment
    tricks, begun = divmod(moment.cards, moment.seats)
    if not moment.cards:
        return "before the first lead"
    if begun:
        return f"in trick {tricks + 1}"
    return f"since the end of trick {tricks}"


def certain_line(seat: Seat, certainty: Certainty) -> Line:
    """Return whose order was certain since when."""
    own = say(joined(certainty.order), " of ", Who(seat))
    was = " was certain " if len(certainty.order) == 1 else " were certain "
    return say(own, was, since_when(certainty))
