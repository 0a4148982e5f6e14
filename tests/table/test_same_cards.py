"""Cards sorted or handed over among real sessions, and frames that tell nothing of cards."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby, islice
from typing import Any, assert_never

import pytest

from cli.conformance.tables import Draft
from p2p304.bots.players import RandomPlayer, RandomPlayer304
from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.game import AnyGame
from p2p304.games import GAMES, agreed_game, create_game, full_agreement
from p2p304.rules304.profile import PROFILES
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from p2p304.statements import AllOfSuit, AnyOf, NoneOfSuit, NotCard, PointsBelow, SuitsDiffer
from protocol.cards.commitments import Commitments
from protocol.cards.deck import Deck, HiddenCard, ProvenShuffle, hand_over, remix_hand
from protocol.cards.keys import CARD_BYTES, table_keys
from protocol.cards.statements import Claim, Openings, ScoreProof, ScoreTable, claims_of
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.batch_dleq import equality_bytes
from protocol.proofs.context import MessageContext
from protocol.table.events import ActionTaken, Disclosed, SeatBlamed, SecondOpinionDiffered, Send
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire import contents
from protocol.wire.contents import Action, Content, HandOverShares, SortedHands
from protocol.wire.fields import HASH_BYTES
from protocol.wire.identity import FRAME_OVERHEAD, FRAME_SIZES, OVERHEAD_BYTES, Purpose, Seal
from protocol.wire.messages import Message, SignedMessage, open_ledger_message, room_of
from tests.client.black_lady.rules import FIRST, BlackLady, right_of
from tests.long import long, sample
from tests.table.bus import Table, Weather, seeded
from tests.table.bus import played as at_table
from tests.table.cheating import CheatTable, ForkableTable, Moment, examined, resigned
from tests.table.sorting_game import SortingGame
from tests.table.test_cheats import CHEAT, Chance
from tests.table.tiny_game import TinyGame
from tests.table.walks import WalkingTable, walked

# --- same cards -----------------------------------------------------------------------------------

# Rounds of SortedHands: four sessions, honest and not, and what a stranger makes of the file.
#
# No real game asks for such a round (a seat of 304 sorts with its own action), so these play the
# small game that does. Whatever is sorted wrong is refused by all, with the check named here, and
# by an audit of the file in which it stands.

SEATS = 4
SEED = 2
HAND_0 = LedgerName(Lane.HAND, 0)


def new_table(seats: int = SEATS, seed: int = SEED, weather: Weather | None = None) -> Table:
    return Table(SortingGame(seats, target=100), seed, weather)


def sorting_rounds(table: Table) -> list[tuple[SignedMessage, ...]]:
    rounds = table.sessions[0].table_state.replicas[HAND_0].ledger.rounds
    return [each for each in rounds if isinstance(each[0].content, SortedHands)]


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
    assert [each.place.seat for each in first] == list(range(seats))
    assert len(second) == seats - 1


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
    return next(each for each in chance.machine.open_duties if each.seat == CHEAT)


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
    theirs = next(each for each in chance.machine.open_duties if each.seat != CHEAT).before[0]
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
    number = sorting_rounds(honest())[place][0].place.round

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


LONG_PROFILES = ("pagat", "card304", "card304-alpha", "wikipedia", "championship")


@pytest.mark.parametrize("profile", sample(LONG_PROFILES, ["card304-alpha"]))
@pytest.mark.parametrize("seed", [4, *long(7, 12)])
def test_hands_of_304_that_last(profile: str, seed: int) -> None:
    check_hand(SteadyTable(create_game("304", profile), seed))


@pytest.mark.parametrize("profile", sample(LONG_PROFILES, ["championship"]))
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
        hand = chair.session.table_state.hand()
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


# --- frame sizes ----------------------------------------------------------------------------------

# A frame's size follows from what everybody knows: never from the cards that an action hides.

AGREEMENTS = (
    *(("304", profile) for profile in PROFILES),
    ("304", "pagat; +redeal_private"),
    *((name, "") for name in GAMES if name != "304"),
)
NOWHERE = MessageContext(bytes(32), Place(LedgerName(Lane.HAND, 0), 0, Seat(0)), Digest(bytes(32)))


class MeasuredHand:
    """A hand with open cards whose actions are as large as they were with masked ones.

    Rounds are counted as the ledger's are: a round of shares where somebody owes some.
    """

    def __init__(self, game: AnyGame, chance: random.Random) -> None:
        self.game = game
        deck = list(game.pack)
        chance.shuffle(deck)
        dealer = Seat(chance.randrange(game.seats))
        self.table = OpenTable(game, deck, chance, dealer=dealer)
        self.commitments = Commitments()
        leading = game.start(dealer, game.new_match(bytes(32)).scores)
        self.round = _duties(leading.disclosures)

    def act(self, said: Mapping[Seat, Any]) -> None:
        """Close a round of these actions."""
        before, due = self.commitments, list[Disclosure]()
        for seat, action in said.items():
            shown = self._effects(seat, action)
            opening = [(each.slot, each.card) for each in shown if isinstance(each, Opened)]
            self.commitments = self.commitments.without_salts(seat, before.due_salts(seat, opening))
            context = MessageContext(b"", NOWHERE.place._replace(seat=seat), NOWHERE.previous)
            for each in shown:
                match each:
                    case LaidDown(layer, slot) if layer == seat:
                        self.commitments = self.commitments.with_commitment(context, slot, b"")
                    case Opened(slot, card):
                        self.commitments = self.commitments.with_salt_owed(slot, card)
                    case Remixed(mixer, slots, _) if mixer == seat:
                        self.commitments = self.commitments.without_slots(slots)
                    case _:
                        pass
            due += (e for e in shown if not (isinstance(e, Remixed) and e.seat == seat))
            self.table.act(seat, action)
        self.round += 1 + _duties(due)

    def _effects(self, seat: Seat, action: Any) -> tuple[Disclosure, ...]:
        return tuple(self.game.apply(self.table.state, seat, action).disclosures)

    def size(self, seat: Seat, action: Any) -> int:
        """The bytes of the envelope that says and proves an action."""
        step = self.game.apply(self.table.state, seat, action)
        laid, opening, remixes = 0, list[tuple[Slot, Card]](), list[bytes]()
        for each in step.disclosures:
            match each:
                case LaidDown(layer, _) if layer == seat:
                    laid += 1
                case Opened(slot, card):
                    opening.append((slot, card))
                case Remixed(mixer, before, _) if mixer == seat:
                    remixes.append(bytes(ProvenShuffle.size(len(before))))
                case _:
                    pass
        proofs = (bytes(self._proof(each)) for each in claims_of(step.statements))
        content = Action(
            self.game.format_action(action),
            tuple(proofs),
            (bytes(HASH_BYTES),) * laid,
            tuple(remixes),
            (bytes(HASH_BYTES),) * len(self.commitments.due_salts(seat, opening)),
        )
        place = NOWHERE.place._replace(round=self.round, seat=seat)
        message = Message(bytes(8), place, NOWHERE.previous, content)
        return OVERHEAD_BYTES + len(message.to_bytes())

    def _proof(self, claim: Claim) -> int:
        match claim:
            case Openings() | AllOfSuit():
                return equality_bytes(1)
            # Two points and two scalars for each slot, and a scalar for each list of slots.
            case NotCard(slots) | NoneOfSuit(slots) | SuitsDiffer(slots):
                return 130 * len(slots) + 32
            case AnyOf(alternatives):
                return sum(130 * len(each.slots) + 32 for each in alternatives)
            case PointsBelow(slots, limit):
                points = {card: self.game.points_of(card) for card in self.game.pack}
                table = ScoreTable.of(self.game.pack, points)
                return ScoreProof.size(table, cards=len(slots), limit=limit)
            case _:
                assert_never(claim)


def _duties(disclosures: Iterable[Disclosure]) -> int:
    """How many rounds of shares follow."""
    kinds = [type(each) for each in disclosures if isinstance(each, Dealt | HandedOver | Remixed)]
    return sum(1 for _ in groupby(kinds))


def played(game: AnyGame, seed: int, *, hands: int) -> Iterator[tuple[MeasuredHand, Seat, Any]]:
    """Each action that a seat might have chosen in random hands, at its moment."""
    chance = random.Random(seed)
    for _ in range(hands):
        hand = MeasuredHand(game, chance)
        player = RandomPlayer304 if game.name == "304" else lambda seed: RandomPlayer(game, seed)
        players = [player(chance.randrange(1 << 32)) for _ in range(game.seats)]
        while awaited := game.contributors(hand.table.state):
            views = {seat: hand.table.view(seat) for seat in awaited}
            for seat, view in views.items():
                yield from ((hand, seat, action) for action in game.legal_actions(view))
            hand.act({seat: players[seat].choose(view) for seat, view in views.items()})


@pytest.mark.parametrize(("name", "agreement"), AGREEMENTS, ids=lambda each: each or "plain")
def test_no_legal_action_is_larger_than_the_frame_that_the_game_states(
    name: str, agreement: str
) -> None:
    game = agreed_game(name, full_agreement(name, agreement))
    compared = small = 0
    for hand, seat, action in islice(played(game, 304, hands=50), 2_000):
        needed, frame = hand.size(seat, action) + FRAME_OVERHEAD, game.action_frame(hand.round)
        assert frame in FRAME_SIZES
        assert needed <= frame, (game.format_action(action), needed, frame)
        small += needed <= FRAME_SIZES[0]
        compared += 1
    assert compared > 500
    assert 0 < small < compared, "some action would have told by its size"


@cache
def closed() -> WalkingTable:
    return walked("pagat", 42, "closed")


@pytest.mark.xdist_group("pagat 42 closed")
def test_every_legal_action_of_a_place_makes_a_frame_of_one_size() -> None:
    """With its real statements and proofs, face up and down, following suit and not."""
    table = closed()
    seal = Seal(b"k" * 32, table.charter.table)
    seen, alone = set(), set()
    for moment in table.moments:
        if moment.state.phase not in (Phase.TRICK, Phase.INSPECT):
            continue
        sizes = set()
        for text in moment.legal:
            raw = moment.signed(moment.said(text))
            room = room_of(raw, table.game)
            frame = seal.seal(raw, seat=0, entropy=seeded("frame"), room=room)
            assert len(raw) <= room
            assert seal.open(frame).payload == raw
            sizes.add(len(frame))
            alone.add(len(raw) + FRAME_OVERHEAD <= FRAME_SIZES[0])
            seen.add((text.split(" ")[0], len(moment.hand)))
        assert sizes == {2_048}
    assert {cards for verb, cards in seen if verb == "play"} >= set(range(1, 9))
    assert {verb for verb, _ in seen} >= {"play", "down", "none"}
    assert alone == {False, True}, "no size would have told anything"


@pytest.mark.xdist_group("pagat 42 closed")
def test_every_action_has_room_for_any_and_nothing_else_needs_it() -> None:
    table = closed()
    actions = 0
    for _, raw in table.sent:
        said = raw[1] == Purpose.LEDGER and open_ledger_message(raw, table.charter)
        is_action = isinstance(said, Message) and isinstance(said.content, Action)
        assert room_of(raw, table.game) == (2_048 - FRAME_OVERHEAD if is_action else 0)
        actions += is_action
    assert actions > 60


def test_the_first_call_alone_is_larger_where_a_redeal_is_proved_without_showing_cards() -> None:
    game = agreed_game("304", full_agreement("304", "pagat; +redeal_private"))
    calls = {
        hand.round: game.action_frame(hand.round)
        for hand, _, _ in played(game, 7, hands=2)
        if hand.table.state.phase is Phase.AUCTION4
    }
    first = min(calls)
    assert {number for number, frame in calls.items() if frame == 16_384} == {first}
    assert len(calls) > 1


def test_what_convicts_travels_in_the_frame_of_any_action() -> None:
    table = at_table(3)
    (earlier, *_) = table.hand().ledger.rounds[-1]
    other = resigned(table.charter, earlier, Action("nonsense"))
    told = table.sessions[earlier.place.seat - 1].receive(other, now=table.now)
    assert any(isinstance(each, SeatBlamed) for each in told)
    sent = [each.envelope for each in told if isinstance(each, Send)]
    assert sent == [earlier.raw, other]
    room = table.game.action_frame(0) - FRAME_OVERHEAD
    assert room_of(other, table.game) == room
    assert room_of(other[:-1], table.game) == 0  # what cannot be read tells nothing by its size
