"""Rounds of SortedHands: four sessions, honest and not, and what a stranger makes of the file.

No real game asks for such a round (a seat of 304 sorts with its own action), so these play the
small game that does. Whatever is sorted wrong is refused by all, with the check named here, and by
an audit of the file in which it stands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, MutableSequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import pytest

from cli.conformance.tables import Draft
from p2p304.cards import Card, Slot
from p2p304.disclosures import Remixed
from p2p304.game import AnyGame
from p2p304.games import create_game
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import NotCard
from protocol.cards.deck import Deck, HiddenCard, hand_over, remix_hand
from protocol.cards.keys import CARD_BYTES, table_keys
from protocol.places import Lane, LedgerName
from protocol.table.events import ActionTaken, Disclosed, SecondOpinionDiffered
from protocol.table.ledger import ClosedRound
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire import contents
from protocol.wire.contents import Action, Content, HandOverShares, SortedHands
from protocol.wire.messages import Message, open_ledger_message
from tests.client.black_lady.rules import FIRST, BlackLady, right_of
from tests.long import long, sample
from tests.table.bus import Table, Weather, seeded
from tests.table.cheating import CheatTable, ForkableTable, Moment, examined
from tests.table.sorting_game import SortingGame
from tests.table.test_cheats import CHEAT, Chance
from tests.table.tiny_game import TinyGame

SEATS = 4
SEED = 2
HAND_0 = LedgerName(Lane.HAND, 0)


def new_table(seats: int = SEATS, seed: int = SEED, weather: Weather | None = None) -> Table:
    return Table(SortingGame(seats, target=100), seed, weather)


def sorting_rounds(table: Table) -> list[ClosedRound]:
    rounds = table.sessions[0].table_state.replicas[HAND_0].ledger.rounds
    return [each for each in rounds if isinstance(each.messages[0].message.content, SortedHands)]


def the_file(table: Table) -> bytes:
    """The transcript of the first hand, which all seats write alike."""
    (data,) = {hand_transcript(chair.session.table_state, 0) for chair in table.chairs}
    return data


def audited(data: bytes) -> Report:
    return audit_bytes(data, lambda _: SortingGame(SEATS, target=100))


# --- honest --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", sample(range(2), [0]))
def test_a_hand_with_rounds_of_sorting_is_played_as_with_open_cards(seats: int, seed: int) -> None:
    table = new_table(seats, seed)
    check_hand(table, checks=False)  # which refuse games that have others sort
    first, second = sorting_rounds(table)
    assert [each.place.seat for each in first.messages] == list(range(seats))
    assert len(second.messages) == seats - 1


def test_the_audit_of_a_hand_with_rounds_of_sorting_counts_them() -> None:
    report = audited(the_file(honest()))
    assert report.valid, report.broken
    actor, duties = 1, SEATS + SEATS - 1
    assert report.passed["remix.count"] == duties + actor


@lru_cache(maxsize=1)
def honest() -> Table:
    return new_table().played()


# --- cheating ------------------------------------------------------------------------------------

Cheat = Callable[[Chance, SortedHands], Content]


def the_duty(chance: Chance) -> Remixed:
    return next(each for each in chance.machine.duty_round.duties if each.seat == CHEAT)


def sorted_as(chance: Chance, own: SortedHands, deck: Deck, kind: str = "SortedHands") -> Content:
    """The hand sorted as if the deck were this one, with the best proof for that."""
    context = chance.context(kind).part(0)
    before = the_duty(chance).before
    step = remix_hand(deck, Seat(CHEAT), before, context=context, entropy=chance.entropy)
    return replace(own, remixes=(step.to_bytes(),))


def with_a_card_twice(chance: Chance, own: SortedHands) -> Content:
    first, second, *_ = the_duty(chance).before
    slots = {**chance.deck.slots, second: chance.deck.slots[first]}
    return sorted_as(chance, own, chance.deck._replace(slots=slots))


def with_a_card_of_another_seat(chance: Chance, own: SortedHands) -> Content:
    """Another seat's card as if it lay under our keys alone."""
    mine = the_duty(chance).before[0]
    theirs = next(each for each in chance.machine.duty_round.duties if each.seat != CHEAT).before[0]
    card = HiddenCard(chance.deck.slots[theirs].card, frozenset({Seat(CHEAT)}), Seat(CHEAT))
    return sorted_as(chance, own, chance.deck._replace(slots={**chance.deck.slots, mine: card}))


def under_all_keys(chance: Chance, own: SortedHands) -> Content:
    keys = list(chance.deck.keys)
    keys[CHEAT] = table_keys(chance.deck.keys)
    return sorted_as(chance, own, chance.deck._replace(keys=tuple(keys)))


def proved_for_an_action(chance: Chance, own: SortedHands) -> Content:
    return sorted_as(chance, own, chance.deck, "Action")


def cards_exchanged(chance: Chance, own: SortedHands) -> Content:
    (step,) = own.remixes
    first, second = step[:CARD_BYTES], step[CARD_BYTES : 2 * CARD_BYTES]
    return replace(own, remixes=(second + first + step[2 * CARD_BYTES :],))


def left_as_it_was(chance: Chance, own: SortedHands) -> Content:
    """The cards as they lie, unmixed, under the argument for the mixed ones."""
    (step,) = own.remixes
    cards = [chance.deck.slots[slot].card for slot in the_duty(chance).before]
    data = b"".join(half.to_bytes() for card in cards for half in card)
    return replace(own, remixes=(data + step[len(data) :],))


CHEATS: dict[str, tuple[Cheat, str]] = {
    "a card twice": (with_a_card_twice, "shuffle.equation"),
    "a card of another seat": (with_a_card_of_another_seat, "shuffle.equation"),
    "sorted under all keys": (under_all_keys, "shuffle.equation"),
    "proved for an action": (proved_for_an_action, "shuffle.equation"),
    "cards exchanged after the argument": (cards_exchanged, "shuffle.equation"),
    "not mixed at all": (left_as_it_was, "shuffle.equation"),
    "nothing sorted": (lambda chance, own: replace(own, remixes=()), "remix.count"),
    "sorted twice": (lambda chance, own: replace(own, remixes=own.remixes * 2), "remix.count"),
    "an argument that is too short": (
        lambda chance, own: replace(own, remixes=(own.remixes[0][:-1],)),
        "shuffle-proof.length",
    ),
    "a salt that nobody asked for": (
        lambda chance, own: replace(own, salts=(bytes(32),)),
        "commitment.count",
    ),
    "a message of another kind": (
        lambda chance, own: contents.HandOverShares(own.remixes),
        "turn.kind",
    ),
}


@pytest.mark.parametrize(
    ("name", "place"), [(name, number % 2) for number, name in enumerate(CHEATS)]
)
def test_a_hand_sorted_wrong_is_refused_by_all_and_by_an_audit(name: str, place: int) -> None:
    cheat, expected = CHEATS[name]
    number = sorting_rounds(honest())[place].messages[0].place.round

    def alter(content: Content, message: Message) -> Content | None:
        if not isinstance(content, SortedHands) or message.place.round != number:
            return None
        return cheat(Chance(table, message), content)

    told_to = (None, 3)[place]
    table = CheatTable(
        SortingGame(SEATS, target=100), SEED, alter, cheat=CHEAT, told_to=told_to
    ).begun()
    table.run(table.stopped, steps=2_000)
    assert table.place is not None
    assert examined(table, CHEAT, table.place) == expected

    (lie,) = table.told.values()
    broken = audited(with_lie(the_file(honest()), lie, table)).broken
    assert (broken.check, broken.seat) == (expected, CHEAT)
    assert broken.evidence is not None


def with_lie(data: bytes, lie: bytes, table: Table) -> bytes:
    """The file with this message where the honest one of its place stood."""
    draft = Draft.of(data)
    where = open_ledger_message(lie, table.charter).place
    (place,) = (
        place
        for place in draft.places(b"M")
        if open_ledger_message(draft.records[place].payload, table.charter).place == where
    )
    return draft.with_record(place, lie).to_bytes()


# --- same cards -----------------------------------------------------------------------------------


class SameMixes:
    """Mixes cards as the seats mixed them."""

    def __init__(self, orders: deque[list[Card]]) -> None:
        self.orders = orders

    def randbelow(self, bound: int, /) -> int:
        raise AssertionError(bound)

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        order = self.orders.popleft()
        assert sorted(items) == sorted(order)
        items[:] = order


class SteadyTable(Table):
    """Players who mostly pass, bid low, keep closed and play on, so that hands last."""

    STEADY = ("Pass", "PlaceBid", "KeepClosed", "PlayDown", "AnnounceNone", "Ready")
    HASTY = ("CallCaps", "CallSpoilt", "DemandRedeal")

    def choose(self, seat: int) -> bool:
        session = self.sessions[seat]
        if session.status is not SessionStatus.PLAYING:
            return False
        actions = list(session.legal_actions())
        if not actions:
            return False
        calm = [each for each in actions if type(each).__name__ not in self.HASTY] or actions
        steady = [each for each in calm if type(each).__name__ in self.STEADY]
        if steady and self.chance.random() < 0.85:
            first = type(steady[0])
            calm = [each for each in steady if type(each) is first][:1]
        self.act(seat, self.chance.choice(calm))
        return True


def check_hand(table: Table, *, checks: bool = True) -> None:
    """Play hand 0 and compare it with the same hand played with open cards, itself checked."""
    table.played()
    game, chair = table.game, table.chairs[0]
    faces: dict[Any, Card] = {}
    for each in table.chairs:
        view = each.session.view(0)
        for slot, face in view.faces.items():
            assert faces.setdefault(slot, face) == face
    until = next(
        place for place, event in enumerate(chair.events) if type(event).__name__ == "HandEnded"
    )
    events = chair.events[:until]
    mixes = deque(
        [faces[slot] for slot in event.disclosure.after]
        for event in events
        if isinstance(event, Disclosed) and isinstance(event.disclosure, Remixed)
    )
    # Cards that nobody ever saw lie where they like.
    places = [faces.get(slot) for slot in range(len(game.pack))]
    unseen = iter(sorted(set(game.pack).difference(each for each in places if each)))
    deck = [face or next(unseen) for face in places]
    replica = chair.session.table_state.replicas[LedgerName(Lane.HAND, 0)]
    open_table = OpenTable(
        game,
        deck,
        SameMixes(mixes),
        dealer=replica.machine.dealer,
        scores=replica.origin.scores,
        checks=checks,
    )
    for event in events:
        if isinstance(event, ActionTaken):
            open_table.act(event.seat, event.action)
    assert open_table.state == replica.machine.state
    assert game.settle(open_table.state).scores == replica.machine.outcome.scores
    told = [event.disclosure for event in events if isinstance(event, Disclosed)]
    assert sorted(map(str, told)) == sorted(map(str, open_table.disclosures))
    for seat, each in enumerate(table.chairs):
        view = each.session.view(0)
        assert view == open_table.view(Seat(seat))
        assert not any(isinstance(event, SecondOpinionDiffered) for event in each.events)
    assert not table.blamed()


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", sample(range(4), [0]))
def test_tiny_hands(seats: int, seed: int) -> None:
    check_hand(Table(TinyGame(seats, target=100), seed))


@pytest.mark.parametrize("name", sample(["41", "400"], ["400"]))
def test_hands_of_41_and_400(name: str) -> None:
    check_hand(Table(create_game(name), 5))


PROFILES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")


@pytest.mark.parametrize("profile", sample(PROFILES, ["card304-alpha"]))
@pytest.mark.parametrize("seed", [4, *long(7, 12)])
def test_hands_of_304_that_last(profile: str, seed: int) -> None:
    check_hand(SteadyTable(create_game("304", profile), seed))


@pytest.mark.parametrize("profile", sample(PROFILES, ["championship"]))
def test_hands_of_304_at_random(profile: str) -> None:
    game: AnyGame = create_game("304", profile)
    check_hand(Table(game, 3))


# --- moved cards ----------------------------------------------------------------------------------

# Cards that change hands among real sessions: each lie about them is refused by its check.

MOVED_SEED = 3


@cache
def reached(phase: str) -> ForkableTable:
    """A table at which everybody is to do what the phase asks for."""
    table = ForkableTable(BlackLady(), MOVED_SEED).begun()

    def arrived() -> bool:
        return all(each.session.legal_actions() and state(each) == phase for each in table.chairs)

    def state(chair: Any) -> str:
        hand = chair.session.table_state.hand
        return "" if hand is None else str(hand.machine.state.phase)

    table.run(arrived)
    return table


def holder(table: ForkableTable) -> Moment:
    """Who has the card that is led first."""
    moments = (Moment(table, Seat(seat)) for seat in range(3))
    return next(each for each in moments if FIRST in {each.faces[slot] for slot in each.hand})


def others_than_the_first(moment: Moment) -> tuple[Slot, ...]:
    return tuple(slot for slot in moment.hand if moment.faces[slot] != FIRST)


def card_of_another(moment: Moment) -> Card:
    held = {moment.faces[slot] for slot in moment.hand}
    return next(card for card in BlackLady.pack if card not in held)


DENIALS: dict[str, tuple[Callable[[Moment], Content], str]] = {
    "the holder denies": (lambda at: at.said("deny"), "card-distinction.proof"),
    "without a proof": (lambda at: Action("deny"), "statement.count"),
    "with the other slots": (
        lambda at: Action("deny", at.proof_of(NotCard(others_than_the_first(at), FIRST))),
        "distinction.length"),
    "with another card": (
        lambda at: Action("deny", at.proof_of(NotCard(at.hand, card_of_another(at)))),
        "card-distinction.proof"),
    "the slot of a card that is no more": (
        lambda at: at.said(f"play {at.state.given[at.seat]} {FIRST}"), "action.rule"),
}  # fmt: skip


@pytest.mark.parametrize("name", DENIALS)
@pytest.mark.xdist_group("moved cards")
def test_who_holds_a_card_cannot_deny_it(name: str) -> None:
    tell, check = DENIALS[name]
    moment = holder(reached("first"))
    assert moment.check_of(tell(moment), told_to=right_of(moment.seat)) == check


@pytest.mark.xdist_group("moved cards")
def test_a_card_that_is_not_ones_own_is_not_named() -> None:
    table = reached("first")
    moment = Moment(table, right_of(holder(table).seat))
    said = moment.said(f"play {moment.hand[0]} {FIRST}")
    assert moment.check_of(said, told_to=right_of(moment.seat)) == "opening.proof"


@pytest.mark.parametrize("before", ["with the card that was given away", "without a gift"])
@pytest.mark.xdist_group("moved cards")
def test_a_hand_is_mixed_from_what_it_was_given_and_kept(before: str) -> None:
    moment = Moment(reached("mixing"), Seat(1))
    given = moment.state.given[1]
    kept = moment.hand[:-1]
    deck = moment.machine.deck
    slots = (*kept, given) if before == "with the card that was given away" else (*kept, kept[0])
    # Its slots as if they were still, or all, this seat's own.
    lying = {
        place: deck.slots[slot].__class__(card, frozenset({Seat(1)}), Seat(1))
        for place, (slot, card) in enumerate(zip(slots, deck.under(Seat(1), slots), strict=True))
    }
    step = remix_hand(
        deck.__class__(deck.pack, deck.keys, lying, {}, frozenset()),
        Seat(1),
        tuple(map(Slot, range(4))),
        context=moment.occasion.proof_context("Action").part(0),
        entropy=seeded("mixed"),
    )
    said = Action("mix", remixes=(step.to_bytes(),))
    assert moment.check_of(said, told_to=2) == "shuffle.equation"


def test_another_card_than_the_one_that_was_given_does_not_move() -> None:
    def alter(content: Content, message: Message) -> Content | None:
        if not isinstance(content, HandOverShares):
            return None
        chance = Chance(table, message)
        state = chance.machine.state
        other = next(slot for slot in state.hands[1] if slot != state.given[0])
        moved = hand_over(
            chance.deck,
            other,
            Seat(2),
            chance.secret(),
            context=chance.context("HandOverShares").part(0),
            entropy=chance.entropy,
        )
        return HandOverShares((moved.to_bytes(),))

    table = CheatTable(BlackLady(), MOVED_SEED, alter, cheat=1, told_to=2).begun()
    table.run(table.stopped, steps=2_000)
    assert examined(table, 1, table.place) == "hand-over.proof"
