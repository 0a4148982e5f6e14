"""Everything that a seat of 304 could try to do, legal or not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.errors import RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304.bids import Contract
from p2p304.rules304.pack import PACK
from p2p304.rules304.state import State
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import PointsBelow, holds, slots_of
from tests.rules.playouts_304 import retired

TWO_OF_CLUBS = Card(Suit.CLUBS, Rank.TWO)
PLAIN: tuple[act.Action, ...] = (
    act.Pass(),
    act.AskPartner(),
    act.SortHand(),
    act.KeepClosed(),
    act.AnnounceNone(),
    act.Ready(),
    act.AcceptCaps(),
    act.ContestCaps(),
    act.CallSpoilt(),
    act.DenyTrump(),
    *(act.Cut(offset) for offset in (-1, 0, 1, 31, 32)),
    *(act.PlaceBid(number) for number in (0, 100, 155, 161, 310, *range(160, 306, 5))),
    *(act.PlaceBid(contract) for contract in Contract),
)


def attempts(table: OpenTable, seat: Seat, chance: Random) -> Iterator[act.Action]:
    """All kinds of action by `seat`, with all slots; with the true cards and with others."""
    state: State = table.state
    faces, gone = table.open_view().faces, retired(table)
    live = sorted(faces.keys() - {*gone})
    slots = [*live, *gone[:2], Slot(999)]
    true = {slot: faces.get(slot, PACK[0]) for slot in slots}
    yield from PLAIN
    for card in (*PACK, TWO_OF_CLUBS):
        yield act.OpenTrump(card)
        yield act.ShowIndicator(card)
    thorough = chance.choice(live)
    for slot in slots:
        yield act.LayIndicator(slot)
        yield act.PlayDown(slot)
        cards = (*PACK, TWO_OF_CLUBS) if slot == thorough else (true[slot], chance.choice(PACK))
        for card in cards:
            yield act.PlayCard(slot, card)
            yield act.PlayCard(slot, card, all_trumps=True)
            yield act.ShowCard(slot, card)
            yield act.ShowTrump(slot, card)
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
) -> Iterator[act.Action]:
    honest = tuple((slot, true[slot]) for slot in slots)
    variants = {honest, honest[::-1], honest[:-1], honest[:1], honest * 2}
    if honest:
        place = chance.randrange(len(honest))
        wrong = (honest[place][0], chance.choice([c for c in PACK if c != honest[place][1]]))
        variants.add((*honest[:place], wrong, *honest[place + 1 :]))
        variants.add((*honest, (Slot(999), PACK[0])))
    for faces in sorted(variants):
        yield act.DemandRedeal(faces)
        yield act.AnnounceCut(faces)
        yield act.CallCaps(faces)
        yield act.OpenCards(faces)
        yield act.OpenHandedOver(faces)


def stands(table: OpenTable, seat: Seat, action: act.Action) -> bool:
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
        if not holds(statement, table.open_view().faces, points=values):
            return False
    known = table.view(seat).faces
    for statement in step.statements:
        assert all(slot in known for slot in slots_of(statement)), f"{action} cannot be proved"
    return True


def is_one_sentence(error: RulesError) -> bool:
    """Whether the message is one line that ends with the rule's name."""
    text = str(error)
    return "\n" not in text and text.endswith(f" (rule {error.rule})") and len(text) < 200


def canonical(action: act.Action) -> act.Action:
    """The action as legal_actions lists it: a call of caps whatever its order."""
    if isinstance(action, act.CallCaps):
        return act.CallCaps(tuple(sorted(action.order)))
    return action
