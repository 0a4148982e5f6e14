"""Where a hand stands, in lines of text: what the view of one seat grants, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cli.story import SUIT_SIGNS, Teller, bid_name, card_text
from p2p304.cards import Card, Suit
from p2p304.game import AnyGame
from p2p304.rules41 import hand as hand41
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.state import Call, State
from p2p304.rules304.teams import TEAM_NAMES, team_of
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.slots import Slot
from p2p304.view import View

Faces = Mapping[Slot, Card]


def place(seat: int, seats: int = 4) -> str:
    """What a seat is called: its place at the table."""
    return FOUR_SEAT_NAMES[seat] if seats == len(FOUR_SEAT_NAMES) else f"seat {seat}"


def hand_line(game: AnyGame, view: View[Any], *, ascii_only: bool = False) -> str:
    """The cards of the view's seat by suit, in the game's rank order, and what they count."""
    if view.seat is None:
        return ""
    slots = view.state.hands[view.seat]
    cards = sorted((view.faces[slot] for slot in slots if slot in view.faces), key=game.pack.index)
    groups = []
    for suit in Suit:
        held = [card for card in cards if card.suit == suit]
        if held:
            ranks = " ".join(_rank(card) for card in held)
            groups.append(f"{_suit(suit, ascii_only=ascii_only)} {ranks}")
    shown = "   ".join(groups) or "no cards"
    points = sum(game.points_of(card) for card in cards)
    return shown + (f"   ({points} points)" if points else "")


def situation(game: AnyGame, view: View[Any], *, ascii_only: bool = False) -> tuple[str, ...]:
    """What a player of the view's seat looks at before it chooses."""
    match view.state:
        case State() as state:
            lines = _of_304(state, view.seat, view.faces, ascii_only=ascii_only)
        case hand41.State() as state:
            lines = _of_41(state, ascii_only=ascii_only)
        case _:
            lines = iter(())
    return (*lines, f"You hold  {hand_line(game, view, ascii_only=ascii_only)}")


def last_trick(view: View[Any], *, ascii_only: bool = False) -> str:
    """The last trick that was taken; the rules forbid to look at an earlier one."""
    match view.state:
        case State(tricks=()) | hand41.State(tricks=()):
            return "No trick has been taken yet."
        case State(tricks=tricks):
            return Teller(view.faces.get, ascii_only=ascii_only).trick(len(tricks), tricks[-1])
        case hand41.State(tricks=taken):
            plays, winner = taken[-1]
            cards = (f"{place(p.seat)} {card_text(p.card, ascii_only=ascii_only)}" for p in plays)
            return f"Trick {len(taken)}: {', '.join(cards)}. {place(winner)} wins."
        case _:
            return "The tricks of this game cannot be shown here."


def _of_304(state: State, seat: Seat | None, faces: Faces, *, ascii_only: bool) -> Iterator[str]:
    if state.contract is None:
        if state.calls:
            yield f"Auction   {', '.join(map(_call, state.calls))}"
        return
    assert state.maker is not None
    yield (
        f"Bid       {bid_name(state.contract)} by {place(state.maker)} for"
        f" {TEAM_NAMES[team_of(state.maker)]}{_trump(state, seat, faces, ascii_only=ascii_only)}"
    )
    if state.trick_number == 1 and not state.plays and state.calls:
        yield f"Auction   {', '.join(map(_call, state.calls))}"
    if state.tricks:
        won = [0, 0]
        points = [0, 0]
        for trick in state.tricks:
            team = team_of(trick.winner)
            won[team] += 1
            open_faces = (state.faces.get(play.slot) for play in trick.plays)
            points[team] += sum(CARD_POINTS[face] for face in open_faces if face is not None)
        yield "Tricks    " + ", ".join(
            f"{name} {count} ({seen} points seen by all)"
            for name, count, seen in zip(TEAM_NAMES, won, points, strict=True)
        )
    if state.plays:
        cards = (
            f"{place(play.seat)} {_played(play.slot, faces, down=play.down, ascii_only=ascii_only)}"
            for play in state.plays
        )
        yield f"Trick {state.trick_number}   {', '.join(cards)}"
    if state.caps is not None:
        shown = " ".join(card_text(card, ascii_only=ascii_only) for _, card in state.caps.order)
        yield f"Caps      called by {place(state.caps.seat)}{': ' + shown if shown else ''}"


def _of_41(state: hand41.State, *, ascii_only: bool) -> Iterator[str]:
    speakers = [(state.dealer + 1 + turn) % 4 for turn in range(len(state.bids))]
    if state.bids:
        bids = (f"{place(seat)} {bid}" for seat, bid in zip(speakers, state.bids, strict=True))
        yield f"Bids      {', '.join(bids)} (their values must reach {state.floor})"
    if state.tricks:
        taken = (f"{place(seat)} {count}" for seat, count in enumerate(state.taken))
        yield f"Tricks    {', '.join(taken)}"
    if state.trick:
        cards = (
            f"{place(play.seat)} {card_text(play.card, ascii_only=ascii_only)}"
            for play in state.trick
        )
        yield f"Trick {len(state.tricks) + 1:<2}  {', '.join(cards)}"


def _call(call: Call) -> str:
    said = "pass" if call.said is None else bid_name(call.said)
    asked = f" (asked by {place(call.asked_by)})" if call.asked_by is not None else ""
    return f"{place(call.seat)} {said}{asked}"


def _trump(state: State, seat: Seat | None, faces: Faces, *, ascii_only: bool) -> str:
    if state.trump is not None:
        return f"; trump is {_suit(state.trump, ascii_only=ascii_only)}"
    slot = state.indicator
    if slot is None:
        return ""
    if seat == state.maker and slot in faces:
        return (
            f"; trump is hidden, your indicator is {card_text(faces[slot], ascii_only=ascii_only)}"
        )
    return "; trump is hidden"


def _played(slot: Slot, faces: Faces, *, down: bool, ascii_only: bool) -> str:
    shown = card_text(faces.get(slot), ascii_only=ascii_only)
    if not down:
        return shown
    return f"[{shown}]" if slot in faces else "[face down]"


def _rank(card: Card) -> str:
    return card_text(card, ascii_only=True)[:-1]


def _suit(suit: Suit, *, ascii_only: bool) -> str:
    return suit.letter if ascii_only else SUIT_SIGNS[suit]
