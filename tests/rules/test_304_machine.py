"""304 as a machine: transitions, whole matches of wild players, playouts, counted continuations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations, product
from random import Random
from typing import Any, Final, NamedTuple, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p304.bots.play304.imagined_table import POINTS, ImaginedTable, choice_by_own_hand
from p2p304.bots.play304.playout import stage_of
from p2p304.bots.play304.prior import shares
from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.disclosures import HandedOver, Remixed
from p2p304.errors import RulesError
from p2p304.games import agreed_game
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import RARE_ACTIONS, Action, Contract, OpenHandedOver
from p2p304.rules304.agreement import (
    format_agreement,
    format_full_agreement,
    parse_agreement,
)
from p2p304.rules304.hand import Game304, TokenMatch, settle
from p2p304.rules304.machine import DOING, TRANSITIONS, legal_actions
from p2p304.rules304.notation import Retelling, format_hand, parse_hand
from p2p304.rules304.pack import BIT, CARD_POINTS, PACK, STRENGTH, SUIT_BITS, SUIT_OF, bits
from p2p304.rules304.play import points_of_teams, tricks_of_teams
from p2p304.rules304.profile import FOUR_SEATS, PROFILES, TOGGLES, Profile, Settlement
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import opponents_of
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.simulator import OpenTable
from p2p304.statements import PointsBelow, Statement, holds, slots_of
from p2p304.view import View
from tests.long import examples
from tests.rules.pinned import pinned
from tests.rules.playouts_304 import (
    OVERRIDES,
    STYLES,
    Style,
    WhoMayKnow,
    agreed,
    agreements,
    at_random,
    calls_out_of_turn,
    deal,
    matches,
    new_table,
    play_wildly,
    random_deals,
    record_hand,
    retired,
)
from tests.vectors.action_examples import EXAMPLES, OTHERS

# --- 304 machine ----------------------------------------------------------------------------------

# 304 as a machine: whole matches of wild players under all profiles, looked at from outside.
#
# Each example is one match under a profile with random house rules and single parameters. The
# number of examples is that of `playouts_304.matches`.

#: A match that is longer is left unfinished; matches without a limit can last for ever.
MOST_HANDS = 150


@dataclass
class HandUnderTest:
    """One hand as it is played, with the checks that its chance picks out."""

    table: OpenTable
    chance: Random
    closely: bool

    def __post_init__(self) -> None:
        self.knowing = WhoMayKnow()
        self.knowing.start(self.table.state)
        self.round: tuple[State, dict[Seat, Action], dict[Seat, list[Action]]] | None = None
        self.before: State | None = None
        self.last: tuple[Seat, Action] | None = None

    def visit(self, table: OpenTable, seat: Seat, action: Action) -> None:
        self.catch_up()
        state: State = table.state
        if self.closely:
            self.who_knows_what()
            if not self.chance.randrange(rarity(state)):
                self.only_legal_actions_stand()
            text = table.game.format_action(action)
            assert len(text) <= 400
            assert text.isascii()
            assert table.game.parse_action(text) == action
        self.gather_round(state, seat, action)
        self.before, self.last = state, (seat, action)

    def catch_up(self) -> None:
        """Take note of the action that was announced last, now that it has stood."""
        if self.before is not None and self.last is not None:
            self.knowing.note(self.before, *self.last, self.table.state)
            self.before = self.last = None

    def who_knows_what(self) -> None:
        state = self.table.state
        for seat in (*map(Seat, range(4)), None):
            may = self.knowing.slots(state, seat)
            assert set(self.table.view(seat).faces) == may, f"seat {seat} in {state.phase.name}"
        assert dict(state.faces) == dict(self.table.view(None).faces)

    def only_legal_actions_stand(self) -> None:
        table, state = self.table, self.table.state
        before = (tuple(state), dict(state.faces))
        for seat in map(Seat, range(4)):
            view = table.view(seat)
            awaited = seat in state.awaiting
            options = legal_actions(view) if awaited else calls_out_of_turn(view)
            listed = {canonical(each) for each in options}
            assert len(listed) == len(options), "an action is listed twice"
            for each in options:
                assert stands(table, seat, each), f"seat {seat} cannot {each}"
            for action in attempts(table, seat, self.chance):
                if stands(table, seat, action):
                    known = canonical(action)
                    if isinstance(action, OpenHandedOver) and known not in listed:
                        whole = next(iter(listed))
                        assert isinstance(whole, OpenHandedOver)
                        assert set(action.cards) < set(whole.cards)
                        continue
                    assert known in listed, f"seat {seat} can {action} in {state.phase.name}"
        assert (tuple(state), dict(state.faces)) == before, "a refused action changed the state"

    def gather_round(self, state: State, seat: Seat, action: Action) -> None:
        """Collect what seats contribute to one round, and compare all orders of arrival."""
        begins = self.round is None and len(state.awaiting) > 1 and seat in state.awaiting
        if begins and (self.closely or not self.chance.randrange(12)):
            options = {each: legal_actions(self.table.view(each)) for each in state.awaiting}
            self.round = (state, {}, options)
            imagined = {each: self.chance.choice(options[each]) for each in state.awaiting}
            any_order_of_arrival(self.table.game, state, imagined)
        if self.round is None:
            return
        start, given_so_far, options = self.round
        if state.phase is not start.phase or seat not in state.awaiting:
            self.round = None
            return
        assert legal_actions(self.table.view(seat)) == options[seat], "a choice depends on another"
        given_so_far[seat] = action
        if len(given_so_far) == len(start.awaiting):
            any_order_of_arrival(self.table.game, start, given_so_far)
            self.round = None


def rarity(state: State) -> int:
    """One state in how many like this has every attempt tried on it."""
    lead = state.phase is Phase.TRICK and not state.plays
    if lead and state.unfollowed and state.leader == state.maker:
        return 1
    if state.shown or isinstance(state.contract, Contract) or state.caps is not None:
        return min(6, WATCHED.get(state.phase, 4))
    return WATCHED.get(state.phase, 4)


WATCHED = {
    Phase.SORTING: 40,
    Phase.WINDOW: 50,
    Phase.TRICK: 12,
    Phase.AUCTION4: 10,
    Phase.AUCTION8: 10,
}


def any_order_of_arrival(game: Any, start: State, contributions: dict[Seat, Action]) -> None:
    """All orders lead to the same state, by way of the same states, and disclose the same."""
    states: dict[frozenset[Seat], tuple[Any, ...]] = {frozenset(): (start, Counter(), Counter())}
    for order in permutations(contributions):
        taken: frozenset[Seat] = frozenset()
        for seat in order:
            state, statements, disclosures = states[taken]
            step = game.apply(state, seat, contributions[seat])
            taken |= {seat}
            reached = (
                step.state,
                statements + Counter(step.statements),
                disclosures + Counter(step.disclosures),
            )
            assert states.setdefault(taken, reached) == reached, f"order {order}"


def strongest(table: OpenTable, slots: list[tuple[Seat, Slot]]) -> Seat:
    """Who wins these cards by RULES 10.3: the highest trump, else the highest of the led suit."""
    faces = [(seat, table.face(slot)) for seat, slot in slots]
    trump = table.face(table.state.trump_slot).suit
    suit = trump if any(card.suit == trump for _, card in faces) else faces[0][1].suit
    return max((STRENGTH[card.rank], seat) for seat, card in faces if card.suit == suit)[1]


def check_end(table: OpenTable) -> None:
    """What is true of every hand that is over."""
    state: State = table.state
    assert state.phase is Phase.OVER
    assert state.end is not None
    leader = None
    for trick in state.tricks:
        assert leader is None or trick.plays[0].seat == leader
        played = [(play.seat, play.slot) for play in trick.plays]
        assert trick.winner == strongest(table, played)
        leader = trick.winner
    handed = [each for each in table.disclosures if isinstance(each, HandedOver)]
    assert all(each.owner != each.reader == state.maker for each in handed)
    seen = [play.slot for trick in state.tricks for play in trick.plays]
    assert len(seen) == len(set(seen))
    if state.end in {End.PLAYED, End.CONCEDED, End.CAPS_LOST}:
        points = points_of_teams(state)
        idle = 0
        if isinstance(state.contract, Contract) and state.maker is not None:
            laid_aside = state.hands[state.mates(state.maker)[0]]
            assert len(laid_aside) == (8 if state.contract is Contract.PARTNER_CLOSE_CAPS else 4)
            idle = sum(CARD_POINTS[table.face(slot)] for slot in laid_aside)
        undealt = 304 - sum(CARD_POINTS[table.face(slot)] for hand in state.dealt for slot in hand)
        if state.end is not End.CAPS_LOST:
            assert sum(points) == 304 - idle - undealt
            assert sum(tricks_of_teams(state)) == (
                4 if state.contract is Contract.HALF_COURT else 8
            )


def check_tokens(match: TokenMatch, outcome: HandOutcome, after: TokenMatch) -> None:
    """Tokens go where the settlement says (RULES 16), and are nowhere made or lost."""
    lost = [before - now for before, now in zip(match.stocks, after.stocks, strict=True)]
    payer = outcome.payer
    if payer is None:
        assert lost == [0, 0]
        return
    paid = min(outcome.amount, match.stocks[payer])
    assert lost[payer] == paid
    settlement = match.profile.settlement
    assert lost[opponents_of(payer)] == (-paid if settlement is Settlement.TRANSFER else 0)
    if settlement is Settlement.TRANSFER:
        assert sum(after.stocks) == 2 * match.profile.tokens_start
    if settlement is Settlement.OWN_STOCK:
        assert after.gains[opponents_of(payer)] - match.gains[opponents_of(payer)] == paid
        assert sum(after.stocks) + sum(after.gains) == 2 * match.profile.tokens_start


def check_notation(table: OpenTable, deck: list[Any]) -> None:
    """The hand as far as it got: text, record and replayed state tell the same."""
    record = record_hand(table.state, deck, table.face)
    text = format_hand(record)
    assert parse_hand(text) == record
    assert format_hand(parse_hand(text)) == text
    again = Retelling.of_record(record).state
    if table.state.phase is Phase.OVER:
        assert (again.end, again.tricks and len(again.tricks)) == (
            table.state.end,
            table.state.tricks and len(table.state.tricks),
        )
        assert settle(again, judge_caps=False) == settle(table.state, judge_caps=False)


@pytest.mark.parametrize("name", list(FOUR_SEATS))
def test_whole_matches(name: str) -> None:
    lengths: list[int] = []

    @matches
    @given(profile=agreements(name), seed=st.integers(0, 2**64), style=STYLES)
    def play(profile: Profile, seed: int, style: Style) -> None:
        lengths.append(play_match(profile, Random(seed), style))

    play()
    assert sum(lengths) > len(lengths), "matches consist of hands"


def play_match(profile: Profile, chance: Random, style: Style) -> int:
    """A whole match with everything checked on some of its hands; how many hands it had."""
    assert parse_agreement(format_agreement(profile)) == profile
    assert agreed_game("304", format_full_agreement(profile)).profile == profile
    game = Game304(profile)
    match = game.new_match(chance.randbytes(32))
    hands = 0
    while match.winner is None and hands < MOST_HANDS:
        deck = deal(chance)
        closely = hands == 0 or not chance.randrange(15)
        table = new_table(game, deck, chance.getrandbits(64), match.dealer)
        hand = HandUnderTest(table, chance, closely)
        stop = chance.randrange(1, 90)

        def visit(table: OpenTable, seat: Seat, action: Action) -> None:
            hand.visit(table, seat, action)  # noqa: B023 - called before the loop goes on
            if hand.closely and len(table.state.log) == stop:  # noqa: B023
                check_notation(table, deck)  # noqa: B023

        play_wildly(table, chance, style, visit)
        hand.catch_up()
        check_end(table)
        if closely:
            hand.who_knows_what()
        if closely or hands < 3:
            check_notation(table, deck)
        outcome = game.settle(table.state)
        after = game.after_hand(match, outcome)
        check_tokens(match, outcome, after)
        match = after
        hands += 1
    return hands


def test_a_seat_that_learned_too_much_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself can fail: a table that tells a seat one card more."""
    table = new_table(Game304(FOUR_SEATS["pagat"]), list(PACK), 1, Seat(0))
    hand = HandUnderTest(table, Random(1), closely=True)
    play_wildly(table, Random(1), Style(500, 30, 1000), lambda *_: None)
    hand = HandUnderTest(new_table(table.game, list(PACK), 1, Seat(0)), Random(1), closely=True)
    hand.who_knows_what()
    view = hand.table.view
    whole = hand.table.view(Seat(2))
    more = View(whole.seat, whole.state, {**whole.faces, Slot(31): hand.table.face(Slot(31))})
    monkeypatch.setattr(hand.table, "view", lambda seat: more if seat == 2 else view(seat))
    with pytest.raises(AssertionError, match="seat 2"):
        hand.who_knows_what()


# --- 304 interference -----------------------------------------------------------------------------

# Non-interference: what one seat is given does not depend on cards that it may not know.
#
# A hand is played; then the same actions over other hidden cards, permuted in ways that leave every
# statement true. Which cards a seat may know is told by WhoMayKnow, after the tables of RULES, and
# not by the library.


@pytest.mark.parametrize("name", list(FOUR_SEATS))
def test_views_do_not_change_when_hidden_cards_are_permuted(name: str) -> None:
    permuted: Counter[str] = Counter()

    @matches
    @given(profile=agreements(name), seed=st.integers(0, 2**64), style=STYLES)
    def compare(profile: Profile, seed: int, style: Style) -> None:
        chance = Random(seed)
        for _ in range(6):
            moved, unknown = compare_worlds(profile, chance, style)
            permuted["moved"] += moved
            permuted["unknown"] += unknown

    compare()
    assert permuted["moved"] > permuted["unknown"] / 4, f"few cards were permuted: {permuted}"


def compare_worlds(profile: Profile, chance: Random, style: Style) -> tuple[int, int]:
    """Play a hand; then the same actions over other hidden cards, as one seat sees them.

    The hand is cut off at some action. Cards that the seat may not know by then are permuted in all
    ways that leave every statement true. How many were moved, and how many could be.
    """
    game = Game304(profile)
    deck = deal(chance)
    dealer, mix = Seat(chance.randrange(4)), chance.getrandbits(64)
    observer = chance.choice([*map(Seat, range(4)), None])
    table = new_table(game, deck, mix, dealer)
    knowing = WhoMayKnow()
    knowing.start(table.state)
    sights: list[Any] = [sight(table, observer)]
    statements: list[list[Statement]] = [[]]
    may_know = [set(knowing.slots(table.state, observer))]

    def visit(table: OpenTable, seat: Seat, action: Action) -> None:
        step = game.apply(table.state, seat, action)
        statements.append([*statements[-1], *step.statements])

    done: list[tuple[Seat, Action]] = []
    while table.state.awaiting:
        before = table.state
        seat, action = one_action(table, chance, style, visit)
        knowing.note(before, seat, action, table.state)
        may_know.append(set(knowing.slots(table.state, observer)))
        sights.append(sight(table, observer))
        done.append((seat, action))
    until = chance.randrange(len(done) + 1)
    fixed = {table.face(slot) for slot in may_know[until]}
    places = {card: place for place, card in enumerate(deck)}
    unknown = [card for card in deck if card not in fixed]
    other = dict(zip(deck, deck, strict=True))
    faces = table.open_view().faces
    needed = statements[until]
    points = {card: game.points_of(card) for card in PACK}
    for _ in range(40 if len(unknown) > 1 else 0):
        one, two = chance.sample(unknown, 2)
        other[one], other[two] = other[two], other[one]
        swapped = {slot: other[card] for slot, card in faces.items()}
        if not all(holds(each, swapped, points=points) for each in needed):
            other[one], other[two] = other[two], other[one]
    deck_of_other = [other[card] for card in deck]
    assert all(deck_of_other[places[card]] == card for card in fixed)
    world = new_table(game, deck_of_other, mix, dealer)
    assert sight(world, observer) == sights[0]
    for place, (seat, action) in enumerate(done[:until]):
        world.act(seat, action)
        assert sight(world, observer) == sights[place + 1], f"seat {observer} sees a difference"
    return sum(other[card] != card for card in unknown), len(unknown)


def one_action(table: OpenTable, chance: Random, style: Style, visit: Any) -> tuple[Seat, Action]:
    """One action of some awaited seat, taken at `table`."""
    seat = chance.choice(table.state.awaiting)
    action = style.choose(chance, legal_actions(table.view(seat)))
    visit(table, seat, action)
    table.act(seat, action)
    return seat, action


def sight(table: OpenTable, observer: Seat | None) -> tuple[Any, ...]:
    """All that a seat is given: its view, and what it may do."""
    view: View[State] = table.view(observer)
    return (
        view.state,
        dict(view.faces),
        legal_actions(view),
        calls_out_of_turn(view),
    )


# --- attempts 304 ---------------------------------------------------------------------------------

# Everything that a seat of 304 could try to do, legal or not.

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


# --- transitions ----------------------------------------------------------------------------------

# The table of transitions: complete, obeyed by every playout, and no wider than it must be.

WALKED_HANDS = 700
OTHER_PROFILES = ("tamil4", "tamil4", "maharashtra", "maharashtra")
OF_TEAMS = sorted({*TOGGLES} - {"marriages", "last_trick", "divide_by_ten"})
KINDS = get_args(act.Action)


SAMPLES = {type(each): each for each in (*EXAMPLES, *OTHERS)}


def test_every_action_and_every_phase_has_its_place_in_the_table() -> None:
    assert set(DOING) == set(Phase)
    assert {kind for _, kind in TRANSITIONS} == set(KINDS), "every action has its place"
    assert {phase for phase, _ in TRANSITIONS} == set(Phase) - {Phase.OVER}
    assert all(row.leads_to for row in TRANSITIONS.values())


def test_every_phase_leads_to_the_end_and_is_led_to() -> None:
    reached = {Phase.CUT}
    while (
        more := {to for (at, _), row in TRANSITIONS.items() if at in reached for to in row.leads_to}
        - reached
    ):
        reached |= more
    assert reached == set(Phase)
    ending = {Phase.OVER}
    while more := {at for (at, _), row in TRANSITIONS.items() if row.leads_to & ending} - ending:
        ending |= more
    assert ending == set(Phase)


#: What the table allows and playouts need not come to, each with what it would take.
RARE: dict[tuple[Phase, type], set[Phase]] = {
    # All passed, the last seat's partner was asked and cannot bid: needs bid_max below 200.
    (Phase.AUCTION4, act.AskPartner): {Phase.OVER},
    # The last of four contributions shows a card or calls caps, and an earlier one was a claim.
    # Or, in full court, the card that was called is shown after its side lost a trick.
    (Phase.WINDOW, act.ShowCard): {
        Phase.COUNT,
        Phase.CAPS_RESPONSE,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.OVER,
    },
    # Or cards lie face down still, and somebody else speaks last.
    (Phase.WINDOW, act.Ready): {Phase.COUNT},
    (Phase.WINDOW, act.CallSpoilt): {Phase.COUNT},
    # Or is the last of them itself, in a hand that comes so far.
    (Phase.WINDOW, act.CallDouble): {
        Phase.TRICK,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.OVER,
    },
    (Phase.WINDOW, act.DeclareMarriages): {
        Phase.TRICK,
        Phase.SPOILT_INDICATOR,
        Phase.SPOILT_ANSWER,
        Phase.OVER,
    },
    (Phase.WINDOW, act.CallCaps): {Phase.SPOILT_INDICATOR, Phase.SPOILT_ANSWER, Phase.OVER},
    # Every card of every seat has been shown before caps are conceded.
    (Phase.CAPS_RESPONSE, act.AcceptCaps): {Phase.OVER},
    # The maker opens only some of what was handed over to it.
    (Phase.COUNT, act.OpenHandedOver): {Phase.COUNT},
}


class Walked(NamedTuple):
    """Where each action led in many hands, and a state of each phase."""

    found: dict[tuple[Phase, type], set[Phase]]
    states: dict[Phase, tuple[OpenTable, State]]


@pytest.fixture(scope="session")
def walked() -> Walked:
    """The transitions of many wild hands, and a state of each phase."""
    found: dict[tuple[Phase, type], set[Phase]] = defaultdict(set)
    states: dict[Phase, tuple[OpenTable, State]] = {}
    last: list[tuple[Phase, type]] = []
    for seed in range(WALKED_HANDS + 300):
        chance = Random(seed)
        toggles = chance.sample(
            OF_TEAMS if seed < WALKED_HANDS else sorted(TOGGLES), chance.randrange(6)
        )
        singles = {
            key: chance.choice(values) for key, values in OVERRIDES.items() if chance.random() < 0.2
        }
        name = chance.choice(list(FOUR_SEATS if seed < WALKED_HANDS else OTHER_PROFILES))
        if name == "maharashtra":
            toggles = ["marriages", *toggles]
        game = Game304(agreed(name, toggles, singles))
        deck = list(PACK)
        chance.shuffle(deck)
        table = new_table(game, deck, seed, Seat(seed % 4))

        def visit(table: OpenTable, seat: Seat, action: act.Action) -> None:
            if last:
                found[last.pop()].add(table.state.phase)
            states.setdefault(table.state.phase, (table, table.state))
            last.append((table.state.phase, type(action)))

        style = Style(chance.choice((6, 20, 200)), chance.choice((2, 20)), 30)
        play_wildly(table, chance, style, visit)
        found[last.pop()].add(table.state.phase)
        states.setdefault(table.state.phase, (table, table.state))
    return Walked(found, states)


def test_playouts_never_leave_the_table(walked: Walked) -> None:
    for at, following in walked.found.items():
        assert following <= TRANSITIONS[at].leads_to, f"{at[1].__name__} in {at[0].name}"


def test_the_table_allows_little_that_playouts_do_not_do(walked: Walked) -> None:
    for at, row in TRANSITIONS.items():
        missing = row.leads_to - walked.found.get(at, set()) - RARE.get(at, set())
        assert not missing, f"{at[1].__name__} in {at[0].name} never led there"


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
def test_an_action_out_of_its_phase_is_refused_with_the_phase(walked: Walked, phase: Phase) -> None:
    table, state = walked.states[phase]
    strange = [SAMPLES[kind] for kind in KINDS if (phase, kind) not in TRANSITIONS]
    for action, seat in product(strange, map(Seat, range(4))):
        with pytest.raises(RulesError) as caught:
            table.game.apply(state, seat, action)
        verb = table.game.format_action(action).split()[0]
        said = f'"{verb}" is not possible during {DOING[phase]} (rule 3)'
        assert str(caught.value) == said


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
def test_an_action_of_the_wrong_seat_is_refused_with_the_right_one(
    walked: Walked, phase: Phase
) -> None:
    table, state = walked.states[phase]
    for (at, kind), row in TRANSITIONS.items():
        if at is not phase or row.out_of_turn:
            continue
        for seat in map(Seat, (0, 1, 2, 3, 4, -1)):
            if seat in state.awaiting:
                continue
            with pytest.raises(RulesError) as caught:
                table.game.apply(state, seat, SAMPLES[kind])
            who = FOUR_SEAT_NAMES[seat] if seat in range(4) else f"seat {seat}"
            said = str(caught.value)
            assert said.startswith(f"{who} is not to act in {DOING[phase]}; it is for ")
            assert all(FOUR_SEAT_NAMES[each] in said for each in state.awaiting)


def test_out_of_turn_is_for_seats_of_the_table_alone(walked: Walked) -> None:
    for (phase, kind), row in TRANSITIONS.items():
        if not row.out_of_turn:
            continue
        table, state = walked.states[phase]
        for seat in (Seat(4), Seat(-1)):
            with pytest.raises(RulesError, match=f"seat {seat} is not to act"):
                table.game.apply(state, seat, SAMPLES[kind])


# --- playouts -------------------------------------------------------------------------------------

# Playouts of 304: the rules on bits, and seats that know what they may.

PLAYOUT_HANDS: Final = examples(24)  #: Hands of each profile.


def deck_of(game: Game304, chance: SeededRandomness) -> list[Card]:
    """A shuffled pack; two in three give the seats long suits, so that rare rules come up."""
    deck = list(game.pack)
    if not chance.randbelow(3):
        chance.shuffle(deck)
        return deck
    first, second = game.profile.deal_batches.sizes
    suits = [[card for card in deck if card.suit == suit] for suit in Suit]
    ordered = [card for suit in suits for card in suit]
    hands = [ordered[place :: game.seats] for place in range(game.seats)]
    if len(ordered) == game.seats * 8:
        hands = [ordered[place * 8 : place * 8 + 8] for place in range(game.seats)]
    deck = [card for hand in hands for card in hand[:first]]
    deck += [card for hand in hands for card in hand[first : first + second]]
    for _ in range(chance.randbelow(8)):
        one, two = chance.randbelow(len(deck)), chance.randbelow(len(deck))
        deck[one], deck[two] = deck[two], deck[one]
    return deck


def is_court(action: object) -> bool:
    return isinstance(action, act.PlaceBid) and isinstance(action.bid, Contract)


def moved(table: OpenTable, chance: SeededRandomness) -> None:
    """Let the first seat awaited do something that is no claim: a kind first, then one of it."""
    seat = table.state.awaiting[0]
    every = table.game.legal_actions(table.view(seat))
    legal = [each for each in every if not isinstance(each, act.RARE_ACTIONS)] or list(every)
    if chance.randbelow(8):  # courts end early
        legal = [each for each in legal if not is_court(each)] or legal
    kinds = sorted({type(each).__name__ for each in legal})
    if len(kinds) > 1 and act.OpenTrump.__name__ in kinds and chance.randbelow(4):
        kinds.remove(act.OpenTrump.__name__)
    kind = kinds[chance.randbelow(len(kinds))]
    kept = [each for each in legal if type(each).__name__ == kind]
    table.act(seat, kept[0 if kind == act.Cut.__name__ else chance.randbelow(len(kept))])


def to_next_card(table: OpenTable, chance: SeededRandomness) -> None:
    """Go on, claiming nothing, until a card is due or the hand is over."""
    while table.state.awaiting:
        seat = table.state.awaiting[0]
        if table.state.phase is Phase.WINDOW:
            table.act(seat, act.Ready())
        elif table.state.phase is not Phase.TRICK:
            moved(table, chance)
        elif any(isinstance(each, act.PlayCard | act.PlayDown) for each in plays(table)):
            return
        else:
            table.act(seat, next(each for each in plays(table) if isinstance(each, act.OpenTrump)))


def plays(table: OpenTable) -> list[Any]:
    return list(table.game.legal_actions(table.view(table.state.awaiting[0])))


def cards_of(table: OpenTable) -> list[act.PlayCard | act.PlayDown]:
    return [each for each in plays(table) if isinstance(each, act.PlayCard | act.PlayDown)]


def hands_in_play(name: str, hands: int) -> Iterator[tuple[OpenTable, SeededRandomness]]:
    """Hands of a profile before the first card."""
    game = Game304(PROFILES[name])
    chance = SeededRandomness(sum(name.encode()))
    while hands:
        mix = SeededRandomness(chance.word())
        dealer = Seat(chance.randbelow(game.seats))
        table = OpenTable(game, deck_of(game, chance), mix, dealer=dealer, checks=False)
        while table.state.awaiting and table.state.phase not in (Phase.WINDOW, Phase.TRICK):
            moved(table, chance)
        if table.state.awaiting:
            hands -= 1
            yield table, chance


def told(table: ImaginedTable) -> dict[str, Any]:
    """All that a table is, but for what has no bearing once the trick is over."""
    idle = {"leader", "winner"} if not table.led else set()
    known = [cards & table.unseen for cards in table.known]
    every = set(vars(table)) - idle
    return {name: getattr(table, name) for name in every} | {"known": known}


@pytest.mark.parametrize("name", PROFILES)
def test_a_hand_on_bits_goes_as_the_rules_have_it(name: str) -> None:
    """The same seats, the same legal cards, the same winners of tricks, the same end."""
    for real, chance in hands_in_play(name, PLAYOUT_HANDS):
        quick = ImaginedTable(stage_of(real.state).scene(real.open_view().faces))
        must_open = quick.legal() & quick.indicator
        to_next_card(real, chance)
        assert bool(must_open) == (quick.hidden and real.state.trump is not None)
        while not quick.over:
            state: State = real.state
            assert state.awaiting == (quick.turn,)
            assert len(state.tricks) == 0 or quick.led or state.leader == quick.turn
            legal = {BIT[real.face(each.slot)]: each for each in cards_of(real)}
            assert sum(legal) == quick.legal(), state
            if quick.hidden == (state.trump is None) and not chance.randbelow(3):
                again = ImaginedTable(stage_of(state).scene(real.open_view().faces))
                assert told(again) == told(quick)
            card = list(legal)[chance.randbelow(len(legal))]
            real.act(Seat(quick.turn), legal[card])
            quick.play(card)
            to_next_card(real, chance)
        while real.state.awaiting:  # a court whose partner nobody knows yet goes on
            assert isinstance(real.state.contract, Contract)
            moved(real, chance)
            to_next_card(real, chance)
        end = settle(real.state, judge_caps=False).facts
        if isinstance(end.bid, Contract):
            assert end.made == (not quick.lost)
        else:
            assert real.state.end is End.PLAYED
            assert end.points == quick.points
            assert end.tricks == end.all_tricks - quick.lost


def moments(seed: int) -> Iterator[ImaginedTable]:
    """The tables of a hand whose players draw their cards, before each choice."""
    table = ImaginedTable(next(random_deals(SeededRandomness(seed))))
    choice = at_random(SeededRandomness(seed))
    while not table.over:
        legal = table.legal()
        if legal & legal - 1:
            yield table
        table.play(choice(table, legal))


def mixed(table: ImaginedTable, chance: SeededRandomness) -> ImaginedTable:
    """The same to the seat on turn: cards that it has not seen lie elsewhere."""
    other, seat = deepcopy(table), table.turn
    places = [each for each in range(4) if each != seat]
    lies = table.indicator if seat != table.maker else 0
    cards = list(bits(sum(table.hands[each] for each in places) + lies + table.down))
    chance.shuffle(cards)
    other.down = sum(cards.pop() for _ in range(table.down.bit_count()))
    other.worth = table.shown + sum(POINTS[card] for card in bits(other.down))
    other.cover = 0
    for each in places:
        other.hands[each] = sum(cards.pop() for _ in range(table.hands[each].bit_count()))
        other.known[each] = 0
    if lies:
        other.indicator = cards.pop()
        other.trumps = SUIT_BITS[SUIT_OF[other.indicator]]
    return other


def test_a_seat_of_a_playout_decides_on_what_it_may_know() -> None:
    chance = SeededRandomness(1)
    differs = 0
    for seed in range(40):
        for table in moments(seed):
            legal, other = table.legal(), mixed(table, chance)
            assert choice_by_own_hand(other, legal) == choice_by_own_hand(table, legal), seed
            differs += other.hands != table.hands
    assert differs > 100, "cards must lie elsewhere"


# ---------------------------------------------------------------------------- first thoughts


def test_first_thoughts_look_at_nothing_that_the_seat_does_not_see() -> None:
    """The same shares whether a view holds what its seat knows or every card of the table."""
    compared = 0
    for name in ("pagat", "six36"):
        for real, chance in hands_in_play(name, 6):
            to_next_card(real, chance)
            while real.state.awaiting:
                seat = real.state.awaiting[0]
                cards = cards_of(real)
                view = real.view(seat)
                every = View(seat, real.state, real.open_view().faces)
                assert shares(every, cards) == shares(view, cards)
                assert sum(share for _, share in shares(view, cards)) == pytest.approx(1)
                compared += len(cards) > 1
                moved(real, chance)
                to_next_card(real, chance)
    assert compared > 100


# --- 304 perft ------------------------------------------------------------------------------------

# Counting the ways in which a fixed hand of 304 can go on (what chess programmers call perft).

FORCED = {
    Phase.SORTING,
    Phase.INSPECT,
    Phase.SHOW_INDICATOR,
    Phase.SPOILT_INDICATOR,
    Phase.COUNT,
}
DEALS = {
    "strong": "deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S",
    "weak": "deal S KC8CQS7D.JC9CAHTD JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S",
    "all trumps": "deal W 7SJC9CAC.TCKCQC8C JS9STHKD.AS8H7H7C QDTDJHKS.9H8SADQS AHKHQHJD.9D8DTS7D",
}


class Position:
    """A hand to count from: a deal and the moves so far, told in the notation."""

    def __init__(self, row: dict[str, Any]) -> None:
        cut = "cut 0"
        text = "\n".join((f"304 {row['table']}", DEALS[row["deal"]], cut, row.get("moves", "")))
        tale = Retelling.of_record(parse_hand(text))
        self.game = Game304(tale.state.profile)
        self.state = tale.state
        self.faces = dict(tale.faces)
        self.claims = bool(row.get("claims"))

    def choices(self, state: State) -> list[Action]:
        """What the first awaited seat may do, claims and contracts left out unless asked for."""
        view = View(state.awaiting[0], state, self.faces)
        legal = legal_actions(view)
        if self.claims:
            return legal
        return [each for each in legal if not isinstance(each, RARE_ACTIONS)] or legal

    def after(self, state: State, seat: Seat, action: Action) -> State:
        """The next state; sorted hands stay in the order of the deal."""
        step = self.game.apply(state, seat, action)
        for disclosure in step.disclosures:
            if isinstance(disclosure, Remixed):
                for old, new in zip(disclosure.before, disclosure.after, strict=True):
                    self.faces[new] = self.faces[old]
        return step.state

    def count(self, depth: int, state: State | None = None) -> int:
        """How many sequences of `depth` choices there are; a hand that ends counts as one.

        What leaves no choice is done without being counted.
        """
        state = self.state if state is None else state
        while state.phase in FORCED or (state.phase is Phase.WINDOW and not self.claims):
            state = self.after(state, state.awaiting[0], self.choices(state)[0])
        if depth == 0 or not state.awaiting:
            return 1
        choices = self.choices(state)
        if depth == 1:
            return len(choices)
        seat = state.awaiting[0]
        return sum(self.count(depth - 1, self.after(state, seat, each)) for each in choices)


# --- 304 perft ------------------------------------------------------------------------------------

# The pinned numbers of legal continuations of fixed deals (perft.yaml).

ROWS = pinned("perft")
DEEPEST = 1_600  #: More continuations than so many are counted where `--long` was asked for.


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['table']}-{row['deal']}")
def test_as_many_continuations_as_pinned(
    row: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    position = Position(row)
    pinned = row["counts"]
    if not request.config.getoption("--long"):
        pinned = [count for count in pinned if count <= DEEPEST]
    found = [position.count(depth) for depth in range(1, len(pinned) + 1)]
    assert found == pinned


def test_the_first_numbers_are_right_by_hand() -> None:
    """Fifteen numbers from 160 to 300, pass and ask; then what remains of them for North.

    After pass: 17 again. After ask: West names one of fifteen numbers or passes. After a bid with k
    numbers above it: k + 2, for k from 14 to 1. After 300 everybody is passed, and East chooses one
    of four indicators.
    """
    counts = ROWS[0]["counts"]
    assert counts[0] == 15 + 1 + 1
    assert counts[1] == 17 + 16 + sum(k + 2 for k in range(1, 15)) + 4
