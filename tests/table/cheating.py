"""Cheats among real sessions: what a cheat says instead, and what has to come of it.

After each cheat, however the bus helps it: every honest seat stops in the round of the cheat, names
the same seat and check, and holds evidence that convicts before a stranger; no honest seat is ever
blamed; and what lay hidden stays so, for the cheat with all that was published until everybody had
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import pytest

from p2p304.cards import Card, Slot, Suit
from p2p304.errors import RulesError
from p2p304.game import AnyGame
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
)
from p2p304.view import View
from protocol.cards.deck import Deck, HiddenCard
from protocol.cards.keys import HandSecret, MaskedCard
from protocol.cards.statements import prove_statements
from protocol.errors import IdentityPoint, PeerFault
from protocol.group.constants import card_point, suit_point
from protocol.group.point import Point, add, multiply, negate
from protocol.places import Place
from protocol.proofs.context import MessageContext
from protocol.table.events import SeatBlamed, SeatSuspected, SessionStopped
from protocol.table.evidence import Conflict, Evidence, Fault, evidence_from_bytes
from protocol.table.hand import HandPlay
from protocol.table.judge_again import Conviction, check_evidence, replay
from protocol.table.replica import LedgerReplica
from protocol.topics.step import SessionStatus
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, Content
from protocol.wire.messages import Message, Notice, open_ledger_message, open_message
from tests.table.bus import Table, seeded, signing_key

Alter = Callable[[Content, Message], Content | None]


def resigned(charter: Charter, message: Message, content: Content) -> bytes:
    """The message with other content, under a good signature of its seat."""
    key = signing_key(message.place.seat)
    return replace(message, content=content).signed(key, charter=charter.digest).raw


class ForkableTable(Table):
    """A table that can be continued in several ways, and in which `silent` seats never act."""

    silent: frozenset[int] = frozenset()

    def choose(self, seat: int) -> bool:
        return seat not in self.silent and super().choose(seat)

    def halted(self, seats: Iterable[int]) -> bool:
        return all(self.sessions[seat].status is SessionStatus.HALTED for seat in seats)


class CheatTable(ForkableTable):
    """A table where the first message of the cheat that `alter` has an answer for is altered.

    With `told_to` the bus carries the altered message to that seat alone.
    """

    def __init__(
        self, game: AnyGame, seed: int, alter: Alter, *, cheat: int = 1, told_to: int | None = None
    ) -> None:
        self.alter: Alter | None = alter
        self.cheat = cheat
        self.told_to = told_to
        self.told: dict[bytes, bytes] = {}
        self.place: Place | None = None  #: Where the cheat was committed.
        super().__init__(game, seed)

    def publish(self, seat: int, envelope: bytes) -> None:
        if seat != self.cheat:
            super().publish(seat, envelope)
            return
        message = open_message(envelope, self.charter)
        if not isinstance(message, Notice) and message.place.seat == self.cheat:
            altered = self.alter and self.alter(message.content, message)
            if altered:
                self.alter = None
                self.place = message.place
                self.told[envelope] = resigned(self.charter, message, altered)
        if envelope not in self.told:
            super().publish(seat, envelope)
            return
        # The cheat sticks to its lie whenever it is asked again.
        lie = self.told[envelope]
        if self.told_to is None:
            super().publish(seat, lie)
        else:
            self.sent.append((seat, lie))
            self.flying.append((seat, self.told_to, lie))

    def honest(self) -> list[int]:
        return [seat for seat in range(len(self.chairs)) if seat != self.cheat]

    def stopped(self) -> bool:
        return self.halted(self.honest())


def convicted(table: Table, cheat: int, place: Place | None = None) -> str:
    """The check by which everybody, a stranger included, convicts the cheat and nobody else.

    `place` is where the cheat was committed, to be compared with where the honest seats stand.
    """
    checks, proofs = set[str](), set[bytes]()
    for seat, chair in enumerate(table.chairs):
        blames = [each for each in chair.events if isinstance(each, SeatBlamed)]
        assert not any(isinstance(each, SeatSuspected) for each in chair.events)
        assert all(each.seat == cheat for each in blames), "an honest seat was blamed"
        if seat == cheat:
            continue
        assert not any(isinstance(each, SessionStopped) for each in chair.events)
        (blame,) = blames
        checks.add(blame.check)
        proofs.add(blame.evidence)
        if place is not None:
            replica = chair.session.table_state.replicas[place.ledger]
            assert len(replica.ledger.rounds) == place.round, (
                "not stopped at the round of the cheat"
            )
            assert not replica.settled
    for proof in proofs:
        evidence = evidence_from_bytes(proof)
        verdict = confirmed(evidence, table.game)
        assert verdict.seat == cheat
        assert {verdict.check} == checks
        if place is not None:
            match evidence:
                case Fault(message=raw):
                    raws = [raw]
                case Conflict(_, first, second):
                    raws = [first, second]
            assert {place, None} & {_place_of(raw, table.charter) for raw in raws}
    (check,) = checks
    return check


_replay_once = lru_cache(maxsize=16)(replay)


def confirmed(evidence: Evidence, game: AnyGame) -> Conviction:
    """What a stranger finds who holds the evidence and the game and nothing else.

    Ledgers that were played again for one liar are not played a second time for the next.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("protocol.table.judge_again.replay", _replay_once)
        return check_evidence(evidence, game)


def _place_of(raw: bytes, charter: Charter) -> Place | None:
    try:
        return open_ledger_message(raw, charter).place
    except PeerFault:  # its body is no message
        return None


def hidden_from(table: Table, members: tuple[int, ...]) -> int:
    """How many cards of others were tried to open, in vain, with the members' keys.

    What was published counts as heard, whichever seats it reached before they stopped.
    """
    snoop = Snoop(table)
    tried = 0
    hands = [
        chair.session.table_state.hand()
        for seat, chair in enumerate(table.chairs)
        if seat not in members
    ]
    numbers = {each.origin.ledger.number for each in hands if each is not None}
    if not numbers:
        return 0
    number = max(numbers)
    secrets = [
        table.arguments(seat)["secrets"].hand_secret(number) for seat in range(len(table.chairs))
    ]
    decks = [
        deck
        for each in hands
        if each is not None and each.origin.ledger.number == number
        for deck in _decks(each.machine)
    ]
    for slot in {slot for deck in decks for slot in deck.slots}:
        seen = [deck.slots[slot] for deck in decks if slot in deck.slots]
        known = any(slot in deck.faces for deck in decks)
        granted = any(each.owner in members or _handed_to(each, members) for each in seen)
        if known or granted:
            continue
        owners = {each.owner for each in seen}
        for owner in owners:  # a card that moved lies under another seat's keys
            left = frozenset.intersection(*(each.locks for each in seen if each.owner == owner))
            assert not left <= set(members), f"slot {slot} lies under the keys of {members} alone"
        for each in seen:
            for masked in (each.card, *(card for _, card in each.handed)):
                tried += 1
                opened = snoop.opened(decks[0].pack, masked, members, secrets, number)
                assert opened is None, f"{members} read slot {slot}"
    return tried


def _decks(machine: HandPlay) -> Iterator[Deck]:
    yield machine.deck
    if machine.open_deck is not None:
        yield machine.open_deck


def _handed_to(hidden: HiddenCard, members: tuple[int, ...]) -> bool:
    return any(reader in members for reader, _ in hidden.handed)


# --- a moment in a hand, and what a liar says there -----------------------------------------------


@dataclass(frozen=True)
class Moment:
    """A hand in which a seat is to act."""

    table: ForkableTable
    seat: Seat

    @property
    def replica(self) -> LedgerReplica[HandPlay]:
        hand = self.table.sessions[self.seat].table_state.hand()
        assert hand is not None
        return hand

    @property
    def machine(self) -> HandPlay:
        return self.replica.machine

    @property
    def state(self) -> Any:
        return self.machine.state

    @property
    def view(self) -> View[Any]:
        view = self.table.sessions[self.seat].view()
        assert view is not None
        return view

    @property
    def faces(self) -> dict[Slot, Card]:
        return dict(self.view.faces)

    @property
    def hand(self) -> tuple[Slot, ...]:
        """The seat's unplayed slots."""
        hands: tuple[tuple[Slot, ...], ...] = self.state.hands
        return hands[self.seat]

    @property
    def occasion(self) -> MessageContext:
        return self.replica.context(self.seat)

    @property
    def secret(self) -> HandSecret:
        secret: HandSecret = self.table.arguments(self.seat)["secrets"].hand_secret(
            self.machine.deal
        )
        return secret

    @property
    def legal(self) -> tuple[str, ...]:
        """What an honest player could say."""
        session = self.table.sessions[self.seat]
        return tuple(self.machine.game.format_action(each) for each in session.legal_actions())

    def said(self, text: str) -> Action:
        """That action as the best liar says it: what its statements need is proved, with other
        cards in the place of those of which it would not be true."""
        game, secrets = self.machine.game, self.table.arguments(self.seat)["secrets"]
        action = game.parse_action(text)
        try:
            step = game.apply(self.state, self.seat, action)
        except RulesError:
            return Action(text)  # the rules demand no proof of what they forbid
        deck = self.machine.deck
        wanted = _true_cards(step.statements, self.faces, deck.pack, self.machine.points)
        slots = {
            slot: self._other_card(hidden, wanted[slot])
            if slot in wanted and wanted[slot] != self.faces.get(slot)
            else hidden
            for slot, hidden in deck.slots.items()
        }
        liar = self.machine._replace(deck=deck._replace(slots=slots))
        return liar.decide(action, self.occasion, secrets)

    def _other_card(self, hidden: HiddenCard, card: Card) -> HiddenCard:
        """Another card under the same mask, with our keys alone."""
        mask = hidden.card.mask
        made_up = MaskedCard(
            mask,
            add(card_point(card), multiply(mask, self.secret.card)),
            add(suit_point(card.suit), multiply(mask, self.secret.suit)),
        )
        return HiddenCard(made_up, frozenset({self.seat}), self.seat)

    def void_proof(self, slots: tuple[Slot, ...], suit: Suit) -> tuple[bytes, ...]:
        """An honest proof for this message that none of these slots is of the suit."""
        return self.proof_of(NoneOfSuit(slots, suit))

    def proof_of(self, statement: Statement) -> tuple[bytes, ...]:
        """An honest proof of a statement for this message."""
        return prove_statements(
            self.machine.deck,
            self.seat,
            self.secret,
            (statement,),
            points=self.machine.points,
            context=self.occasion.proof_context("Action"),
            entropy=seeded("void"),
        )

    def signed(self, content: Content) -> bytes:
        """The content as the seat's message of this moment."""
        occasion = self.occasion
        tag = self.table.charter.tag
        message = Message(tag, occasion.place, occasion.previous, content)
        return resigned(self.table.charter, message, content)

    def check_of(self, content: Content, *, told_to: int | None = None) -> str:
        """The check that refuses the content, after everything else was as it must be.

        With `told_to` the bus carries the message to that seat alone, and from then on all goes
        its way.
        """
        return self.examination(content, told_to=told_to)[0]

    def evidence_of(self, content: Content) -> bytes:
        """What an honest seat keeps against the seat that says this content, for a stranger."""
        _, table = self.examination(content)
        blames = (each for chair in table.chairs for each in chair.events)
        return next(each.evidence for each in blames if isinstance(each, SeatBlamed))

    def examination(
        self, content: Content, *, told_to: int | None = None
    ) -> tuple[str, ForkableTable]:
        """The check that refuses the content, and the table at which all honest seats stopped."""
        table, cheat, place = self.table.twin(), int(self.seat), self.occasion.place
        table.silent = frozenset({cheat})
        honest = [seat for seat in range(len(table.chairs)) if seat != cheat]
        raw = self.signed(content)
        if told_to is None:
            table.publish(cheat, raw)
        else:
            table.sent.append((cheat, raw))
            table.flying.append((cheat, told_to, raw))
        table.run(lambda: table.halted(honest), steps=250)
        check = examined(table, cheat, place)
        assert hidden_from(table, (cheat,)), "nothing lay hidden that could have been read"
        return check, table


def examined(table: ForkableTable, cheat: int, place: Place | None) -> str:
    """The check that convicted the cheat at a table where all honest seats have stopped."""
    table.settle(3)  # whatever was on its way arrives, and whatever is repeated too
    check = convicted(table, cheat, place)
    hidden_from(table, (cheat,))
    return check


def _true_cards(
    statements: Iterable[Statement], faces: dict[Slot, Card], pack: tuple[Card, ...], points: Any
) -> dict[Slot, Card]:
    """Cards of which the statements would be true, the real ones wherever they can stay."""
    cards = dict(faces)
    banned: dict[Slot, set[Suit]] = {}
    barred: dict[Slot, set[Card]] = {}
    low: set[Slot] = set()
    for statement in statements:
        match statement:
            case IsCard(slot, card):
                cards[slot] = card
            case AllOfSuit(slots, suit):
                for slot in slots:
                    banned.setdefault(slot, set()).update(set(Suit) - {suit})
            case NotCard(slots, card):
                for slot in slots:
                    barred.setdefault(slot, set()).add(card)
            case NoneOfSuit(slots, suit) | AnyOf((NoneOfSuit(slots, suit), *_)):
                for slot in slots:
                    banned.setdefault(slot, set()).add(suit)
            case SuitsDiffer(slots, shown):
                for slot in slots:
                    banned.setdefault(slot, set()).add(cards[shown].suit)
            case PointsBelow(slots, _):
                low.update(slots)

    def good(slot: Slot, card: Card) -> bool:
        if card.suit in banned.get(slot, ()) or card in barred.get(slot, ()):
            return False
        return not (slot in low and points[card])

    for slot in {*banned, *barred, *low}:
        if slot not in cards or not good(slot, cards[slot]):
            taken = set(cards.values())
            cards[slot] = next(each for each in pack if good(slot, each) and each not in taken)
    return cards


# --- coalitions -----------------------------------------------------------------------------------

# What coalitions can open: every hidden card against everything that some seats know together.


@lru_cache(maxsize=4)
def _meanings(pack: tuple[Card, ...]) -> tuple[dict[bytes, Card], dict[bytes, Suit]]:
    """What the points of the two halves stand for."""
    return (
        {card_point(card).to_bytes(): card for card in pack},
        {suit_point(suit).to_bytes(): suit for suit in {card.suit for card in pack}},
    )


@dataclass
class Snoop:
    """Tries, after every round, to open what the rules have not disclosed.

    For each coalition and each half of each masked card it takes off the members' own keys; if what
    remains is the point of a card, the card is open to them, and if it is the point of a suit, its
    suit is: enough to betray trump. `tried` counts, `leaks` must stay empty.
    """

    table: Table
    tried: int = 0
    leaks: list[str] = field(default_factory=list)
    _products: dict[tuple[bytes, int, int, int], Point] = field(default_factory=dict)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def look(self) -> None:
        """Try everything in the newest hand, once a round."""
        hand = self.table.sessions[0].table_state.hand()
        if hand is None:
            return
        place = (hand.origin.ledger.number, len(hand.ledger.rounds))
        if place in self._seen or any(
            chair.session.table_state.hand() is None
            or len(chair.session.table_state.hand().ledger.rounds) != place[1]
            or chair.session.table_state.hand().origin.ledger.number != place[0]
            for chair in self.table.chairs
        ):
            return
        self._seen.add(place)
        deck = hand.machine.deck
        seats = len(self.table.chairs)
        secrets = [
            self.table.arguments(seat)["secrets"].hand_secret(place[0]) for seat in range(seats)
        ]
        faces = [self._faces(seat) for seat in range(seats)]
        for size in range(1, seats):
            for members in combinations(range(seats), size):
                allowed = {slot for seat in members for slot in faces[seat]}
                for slot, hidden in deck.slots.items():
                    if slot in allowed:
                        continue
                    for masked in (hidden.card, *(card for _, card in hidden.handed)):
                        self.tried += 1
                        face = self.opened(deck.pack, masked, members, secrets, place[0])
                        if face is not None:
                            self.leaks.append(f"round {place}: {members} read slot {slot}: {face}")

    def _faces(self, seat: int) -> dict[Slot, Card]:
        view = self.table.sessions[seat].view()
        return dict(view.faces) if view is not None else {}

    def opened(
        self,
        pack: tuple[Card, ...],
        masked: MaskedCard,
        members: tuple[int, ...],
        secrets: list[HandSecret],
        deal: int,
    ) -> Card | Suit | None:
        """The card, or else the suit, that some of the members' keys alone uncover, if any."""
        for half, known in enumerate(_meanings(pack)):
            for size in range(len(members) + 1):
                for some in combinations(members, size):
                    point = (masked.card, masked.suit)[half]
                    try:
                        for seat in some:
                            product = self._product(masked, half, seat, secrets, deal)
                            point = add(point, negate(product))
                    except IdentityPoint:
                        continue
                    found: Card | Suit | None = known.get(point.to_bytes())
                    if found is not None:
                        return found
        return None

    def _product(
        self, masked: MaskedCard, half: int, seat: int, secrets: list[HandSecret], deal: int
    ) -> Point:
        """What a seat's key of this half put on the card."""
        key = (masked.mask.to_bytes(), half, seat, deal)
        product = self._products.get(key)
        if product is None:
            secret = (secrets[seat].card, secrets[seat].suit)[half]
            product = multiply(masked.mask, secret)
            self._products[key] = product
        return product
