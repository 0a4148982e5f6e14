"""The table of 41 and 400 as one seat may know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p304.rules41.hand import ALL_SEATS, PACK, TRUMPS, Phase, Play, State
from p2p304.rules41.match import SEATS
from p2p304.rules41.rules import Rules41
from p2p304.seats import Seat, seat_after
from p2p304.sentences import Line, Who, say
from p2p304.telling import Count, HeldCard, Lying, Scene, ScenePlace
from p2p304.view import View

ORDER: Final = {card: place for place, card in enumerate(PACK)}


def scene(rules: Rules41, view: View[State], scores: tuple[int, ...]) -> Scene:
    """Return the table for the view's seat; `scores` are the match's before this deal."""
    state = view.state
    return Scene(
        contract=tuple(_contract(rules, state)),
        counts=tuple(_counts(state, scores)),
        places=tuple(_place(seat, view) for seat in ALL_SEATS),
        hand=held(view),
        lying=_laid(state.trick, None) if state.trick else last_trick(view),
        middle=_middle(rules, state),
        tricks=len(state.tricks),
        history=tuple(
            say(Who(seat), f" bids {bid}")
            for seat in ALL_SEATS
            if (bid := _bid(state, seat)) is not None
        ),
        log=tuple(
            say(f"Trick {number}: ", Who(trick.winner), " takes it")
            for number, trick in enumerate(state.tricks, 1)
        ),
    )


def last_trick(view: View[State]) -> tuple[Lying, ...]:
    """Return the cards of the last complete trick; empty before the first."""
    tricks = view.state.tricks
    return _laid(tricks[-1].plays, tricks[-1].winner) if tricks else ()


def _contract(rules: Rules41, state: State) -> list[Line]:
    words = [say("trump ", TRUMPS)]
    if state.bids:
        worth = sum(map(rules.value, state.bids))
        words.append(say(f"bids worth {worth}, {state.floor} needed"))
    return words


def _middle(rules: Rules41, state: State) -> tuple[Line, ...]:
    if state.phase is Phase.CUTTING:
        return (say("the pack is shuffled"),)
    if state.phase in (Phase.SORTING, Phase.BIDDING, Phase.THROWN_IN):
        worth = sum(map(rules.value, state.bids))
        return (say(f"bids worth {worth}, {state.floor} needed" if state.bids else "no bid yet"),)
    return ()


def held(view: View[State]) -> tuple[HeldCard, ...]:
    """Return the reader's own cards, by suits from high to low."""
    seat = view.seat
    if seat is None:
        return ()
    slots = [slot for slot in view.state.hands[seat] if slot in view.faces]
    cards = sorted(((view.faces[slot], slot) for slot in slots), key=lambda each: ORDER[each[0]])
    return tuple(HeldCard(slot, card) for card, slot in cards)


def _place(seat: Seat, view: View[State]) -> ScenePlace:
    state = view.state
    faces = [view.faces.get(slot) for slot in state.hands[seat]]
    known = sorted((face for face in faces if face is not None), key=ORDER.__getitem__)
    roles = (
        ("partner", view.seat is not None and seat == seat_after(view.seat, seats=SEATS, steps=2)),
        ("dealer", seat == state.dealer),
    )
    bid = _bid(state, seat)
    took = f" took {state.taken[seat]}" if state.phase is Phase.PLAYING else ""
    return ScenePlace(
        cards=(*known, *[None] * faces.count(None)),
        roles=(
            *(role for role, holds in roles if holds),
            *([] if bid is None else [f"bid {bid}{took}"]),
        ),
        calls=() if bid is None else (str(bid),),
    )


def _bid(state: State, seat: Seat) -> int | None:
    place = (seat - state.dealer - 1) % SEATS
    return state.bids[place] if place < len(state.bids) else None


def _counts(state: State, scores: tuple[int, ...]) -> list[Count]:
    names = [say(Who(seat)) for seat in ALL_SEATS]
    counts = [Count("Score", tuple(zip(names, map(str, scores), strict=True)))]
    if state.tricks:
        counts.append(Count("Tricks", tuple(zip(names, map(str, state.taken), strict=True))))
    return counts


def _laid(plays: Sequence[Play], winner: Seat | None) -> tuple[Lying, ...]:
    return tuple(
        Lying(
            play.seat,
            play.slot,
            play.card,
            down=False,
            note="wins" if play.seat == winner else "led" if number == 0 else "",
            wins=play.seat == winner,
        )
        for number, play in enumerate(plays)
    )
