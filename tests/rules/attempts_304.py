"""Everything that a seat of 304 could try to do, legal or not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.errors import RulesError
from p2p304.rules304.actions import (
    AcceptCaps,
    Action,
    AnnounceCut,
    AnnounceNone,
    AskPartner,
    CallCaps,
    CallSpoilt,
    ContestCaps,
    Cut,
    DemandRedeal,
    DenyTrump,
    Face,
    KeepClosed,
    LayIndicator,
    OpenCards,
    OpenHandedOver,
    OpenTrump,
    Pass,
    PlaceBid,
    PlayCard,
    PlayDown,
    Ready,
    ShowCard,
    ShowIndicator,
    ShowTrump,
    SortHand,
)
from p2p304.rules304.bids import Contract
from p2p304.rules304.pack import PACK
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import PointsBelow, holds, slots_of

TWO_OF_CLUBS = Card(Suit.CLUBS, Rank.TWO)
PLAIN: tuple[Action, ...] = (
    Pass(),
    AskPartner(),
    SortHand(),
    KeepClosed(),
    AnnounceNone(),
    Ready(),
    AcceptCaps(),
    ContestCaps(),
    CallSpoilt(),
    DenyTrump(),
    *(Cut(offset) for offset in (-1, 0, 1, 31, 32)),
    *(PlaceBid(number) for number in (0, 100, 155, 161, 310, *range(160, 306, 5))),
    *(PlaceBid(contract) for contract in Contract),
)


def attempts(table: OpenTable, seat: Seat, chance: Random) -> Iterator[Action]:
    """All kinds of action by `seat`, with all slots; with the true cards and with others."""
    state: State = table.state
    live = sorted(table._faces.keys() - table._retired)
    slots = [*live, *list(table._retired)[:2], Slot(999)]
    true = {slot: table._faces.get(slot, PACK[0]) for slot in slots}
    yield from PLAIN
    for card in (*PACK, TWO_OF_CLUBS):
        yield OpenTrump(card)
        yield ShowIndicator(card)
    thorough = chance.choice(live)
    for slot in slots:
        yield LayIndicator(slot)
        yield PlayDown(slot)
        cards = (*PACK, TWO_OF_CLUBS) if slot == thorough else (true[slot], chance.choice(PACK))
        for card in cards:
            yield PlayCard(slot, card)
            yield PlayCard(slot, card, all_trumps=True)
            yield ShowCard(slot, card)
            yield ShowTrump(slot, card)
    held = state.hands[seat]
    down = tuple(play.slot for trick in state.tricks for play in trick.plays if play.down) + tuple(
        play.slot for play in state.plays if play.down
    )
    closed = tuple(slot for slot in down if slot not in state.faces)
    mine = {play.slot for trick in state.tricks for play in trick.plays if play.seat == seat}
    lying = () if state.indicator is None else (state.indicator,)
    due = tuple(slot for slot in closed if slot in mine)
    hidden_hand = tuple(slot for slot in (*held, *lying) if slot not in state.faces)
    lists = {
        held,
        (*held, *lying),
        due,
        (*due, *hidden_hand),
        (*due, *(slot for slot in held if slot not in state.faces)),
        tuple(sorted(closed)),
        tuple(sorted(slot for slot in closed if slot not in mine)),
        (*(s for s in closed if s not in mine), *lying),
        (*(s for s in closed if s in {p.slot for p in state.plays}), *lying),
        lying,
        (),
    }
    for chosen in sorted(lists):
        yield from _with_cards(chosen, true, chance)


def _with_cards(
    slots: tuple[Slot, ...], true: dict[Slot, Card], chance: Random
) -> Iterator[Action]:
    honest = tuple((slot, true[slot]) for slot in slots)
    variants: set[tuple[Face, ...]] = {honest, honest[::-1], honest[:-1], honest[:1], honest * 2}
    if honest:
        place = chance.randrange(len(honest))
        wrong = (honest[place][0], chance.choice([c for c in PACK if c != honest[place][1]]))
        variants.add((*honest[:place], wrong, *honest[place + 1 :]))
        variants.add((*honest, (Slot(999), PACK[0])))
    for faces in sorted(variants):
        yield DemandRedeal(faces)
        yield AnnounceCut(faces)
        yield CallCaps(faces)
        yield OpenCards(faces)
        yield OpenHandedOver(faces)


def stands(table: OpenTable, seat: Seat, action: Action) -> bool:
    """Whether the action is neither refused nor contradicted by the cards; nothing changes.

    An action that stands must be one whose statements the seat can prove.
    """
    state = table.state
    try:
        step = table.game.apply(state, seat, action)
    except RulesError as error:
        if not is_one_sentence(error):
            raise
        return False
    points = {card: table.game.points_of(card) for card in PACK}
    for statement in step.statements:
        values = points if isinstance(statement, PointsBelow) else None
        if not holds(statement, table._faces, points=values):
            return False
    known = table.view(seat).faces
    for statement in step.statements:
        assert all(slot in known for slot in slots_of(statement)), f"{action} cannot be proved"
    return True


def is_one_sentence(error: RulesError) -> bool:
    """Whether the message is one line that ends with the rule's name."""
    text = str(error)
    return "\n" not in text and text.endswith(f" (rule {error.rule})") and len(text) < 200


def canonical(action: Action) -> Action:
    """The action as legal_actions lists it: a call of caps whatever its order."""
    if isinstance(action, CallCaps):
        return CallCaps(tuple(sorted(action.order)))
    return action
