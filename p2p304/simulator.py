"""Open cards: any game played between players that see only their views, with everything checked.

The oracle of the tests: what stands here must be provable among peers, and what peers prove must
stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple, Protocol, assert_never

from p2p304.cards import Card, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.errors import GameError
from p2p304.game import AnyGame, Outcome, Step
from p2p304.randomness import Randomness
from p2p304.seats import Seat
from p2p304.statements import IsCard, PointsBelow, Statement, holds, slots_of
from p2p304.view import Knowledge, View


class FalseStatement(GameError):
    """Raised for an action that the rules allow by what is seen, but that the real cards
    contradict.

    `statement` is the first false one; nothing has changed when it is raised.
    """

    def __init__(self, seat: Seat, statement: Statement) -> None:
        """Keep the seat and the false statement that its action needed."""
        super().__init__(f"seat {seat} states what the cards contradict: {statement}")
        self.seat = seat
        self.statement = statement


class GameDefect(Exception):
    """Raised when a game asks for the impossible, such as dealing a slot twice; a defect of the
    game.

    The table is of no use afterwards, so it is no `GameError`, after which nothing has changed.
    """


class Player(Protocol):
    """A player at a table, who chooses from a view."""

    def choose(self, view: View[Any], /) -> Any:
        """Return a legal action of the view's seat, which is awaited."""
        ...


class OpenTable:
    """One hand with the cards face up before the table and hidden from the seats.

    `deck` is the shuffled deck: deck[i] lies in slot i. `mix` decides how seats mix their cards.
    `checks` verifies every disclosure, at once, against what each seat knows then; without it
    only statements and opened faces are checked.
    """

    def __init__(
        self,
        game: AnyGame,
        deck: Sequence[Card],
        mix: Randomness,
        *,
        dealer: Seat = Seat(0),
        scores: tuple[int, ...] = (),
        checks: bool = True,
    ) -> None:
        """Start the hand and carry out its first disclosures; raises ValueError when `deck` is not
        the game's pack, and GameDefect where the game is at fault.

        Args:
            deck: the cards of the slots 0 to len(pack)-1, as they were shuffled.
            mix: the chance from which the order of a hand is drawn that a seat mixes.
            dealer: from 0 to the game's seats-1.
            scores: the match's before the hand, empty for a hand outside a match.
            checks: whether every disclosure is checked against what each seat knows then, as it
                need not be for many hands of a game that was checked before; statements and opened
                faces always are.
        """
        # The length too: a card that stands twice makes no other set.
        if len(deck) != len(game.pack) or set(deck) != set(game.pack):
            raise ValueError(f"the deck must hold each card of {game.name}'s pack once")
        self.game = game
        self._mix = mix
        self._checks = checks
        self._faces = {Slot(position): card for position, card in enumerate(deck)}
        self._owners: dict[Slot, Seat] = {}
        self._lying: set[Slot] = set()
        self._retired: set[Slot] = set()
        self.disclosures: list[Disclosure] = []  #: Every disclosure of the hand so far, in order.
        # One for each seat, and one for a spectator, who must learn what is opened and nothing
        # else.
        readers: list[Seat | None] = [*map(Seat, range(game.seats)), None]
        # The spectator comes last, where index -1 finds it.
        self._known = [Knowledge(reader) for reader in readers]
        # How many disclosures `_known` of each has read: `_knowledge` reads the rest when asked.
        self._read = [0] * len(readers)
        self._proved: tuple[Statement, ...] = ()
        self._scores = scores
        step = game.start(dealer, scores)
        self.state = step.state
        self._carry_out(None, step)

    def face(self, slot: Slot) -> Card:
        """Return the true card of a slot, whoever may know it; also of an old slot whose card
        was mixed into another. Raises KeyError for a slot that was never made.
        """
        return self._faces[slot]

    def open_view(self) -> View[Any]:
        """Return a spectator's view that shows the cards of all slots, also of old slots whose
        cards were mixed into others.
        """
        return View(None, self.state, dict(self._faces))

    def view(self, seat: Seat | None) -> View[Any]:
        """Return the view of `seat`, or for None of a spectator, as it is now."""
        known = self._knowledge(-1 if seat is None else seat)
        return View(seat, self.state, known.faces, self._proved, self._scores)

    def fork(self, mix: Randomness) -> OpenTable:
        """Return an independent copy of this table as it stands; hands mixed on the copy take
        their order from `mix`.
        """
        # State and proved statements are immutable and shared; the rest is copied one by one.
        other = copy(self)
        other._mix = mix
        other._faces = dict(self._faces)
        other._owners = dict(self._owners)
        other._lying = set(self._lying)
        other._retired = set(self._retired)
        other.disclosures = list(self.disclosures)
        other._known = list(self._known)
        other._read = list(self._read)
        return other

    def act(self, seat: Seat, action: Any) -> Step[Any]:
        """Carry out an action, and return the step that it led to.

        Raises RulesError for a forbidden action and FalseStatement for one that the cards
        contradict, both with nothing changed; with the table's checks on, GameDefect for a step
        that no game may ask for, after which the table is of no use.

        Args:
            seat: who acts, awaited or not: the game judges whether it may.
            action: of the game, as `legal_actions` or `parse_action` returns it.
        """
        # Before the action: afterwards the round may be over.
        awaited = self._awaited_seats() if self._checks else set()
        step = self.game.apply(self.state, seat, action)
        for statement in step.statements:
            self._check_statement(seat, statement)
        # Also where no statement names the slot: an opened face is always checked against the deck.
        for each in step.disclosures:
            if isinstance(each, Opened) and self._faces.get(each.slot) != each.card:
                raise FalseStatement(seat, IsCard(each.slot, each.card))
        self._carry_out(seat, step)
        # A stated face is among the faces; views keep what is proved of hidden cards.
        self._proved += tuple(each for each in step.statements if not isinstance(each, IsCard))
        self.state = step.state
        rest = awaited - {seat}
        # Among peers the others' contributions may be on their way: one action must not cancel
        # them.
        if self._checks and seat in awaited and rest and self._awaited_seats() != rest:
            raise GameDefect(f"seat {seat} acted, and {sorted(rest)} of its round are not to act")
        return step

    def _awaited_seats(self) -> set[Seat]:
        """Return the seats that have yet to act in the round; empty when the hand is over."""
        over = self.game.is_over(self.state)
        return set() if over else set(self.game.contributors(self.state))

    def _check_statement(self, seat: Seat, statement: Statement) -> None:
        """Raise FalseStatement for a statement that the cards contradict. With the table's
        checks on, raise GameDefect for one about a slot that does not exist or no more, or whose
        face `seat` has not seen, so that it could not prove it.
        """
        if self._checks:
            known = self._knowledge(seat).faces
            for slot in slots_of(statement):
                self._require_live(slot)
                if slot not in known:
                    raise GameDefect(
                        f"seat {seat} cannot prove {statement}: it has not seen {slot}"
                    )
        points = None
        if isinstance(statement, PointsBelow):
            points = {card: self.game.points_of(card) for card in self.game.pack}
        if not holds(statement, self._faces, points=points):
            raise FalseStatement(seat, statement)

    def _carry_out(self, actor: Seat | None, step: Step[Any]) -> None:
        """Carry out a step's disclosures in order, without taking its state; with the table's
        checks on, raise GameDefect for one that cannot be.

        `actor` is the seat that acted; None for the start of the hand.
        """
        arriving: set[Slot] = set()
        for disclosure in step.disclosures:
            if self._checks:
                # A seat can only mix its cards in its own message: nobody else knows the secret
                # order.
                if isinstance(disclosure, Remixed) and disclosure.seat != actor:
                    raise GameDefect(f"{disclosure}, but it is seat {actor} that acts")
                self._check_slots(disclosure)
                match disclosure:
                    case Dealt(_, slots):
                        arriving.update(slots)
                    case HandedOver(slot=slot):
                        arriving.add(slot)
                    # The mix is proved with the action, before anybody has sent the cards that it
                    # brings.
                    case Remixed(before=before) if arriving.intersection(before):
                        raise GameDefect(f"{disclosure}, but its cards arrive after this action")
                    case _:
                        pass
            if isinstance(disclosure, Remixed):
                # The cards of a mixed hand, in an order drawn from the table's chance.
                cards = [self._faces[slot] for slot in disclosure.before]
                self._mix.shuffle(cards)
                self._faces.update(zip(disclosure.after, cards, strict=True))
            self.disclosures.append(disclosure)
            if self._checks:
                self._check_learning(disclosure)

    def _knowledge(self, reader: int) -> Knowledge:
        """Return what the seat `reader` knows now; -1 stands for a spectator."""
        total = len(self.disclosures)
        read = self._read[reader]
        if read < total:
            # Read in one go when asked for, not after each action: most seats' views are asked for
            # rarely. The first time all of them, without a copy.
            news = self.disclosures[read:] if read else self.disclosures
            # No slot changes its face: what is read later is what lay there then.
            self._known[reader] = self._known[reader].after(news, self._faces.get)
            self._read[reader] = total
        return self._known[reader]

    def _check_slots(self, disclosure: Disclosure) -> None:
        """Note the new owners and places of a disclosure's slots; raises GameDefect for a
        disclosure that contradicts the present ones, such as a slot dealt twice.
        """
        match disclosure:
            case Dealt(seat, slots):
                for slot in slots:
                    self._require_live(slot)
                    if slot in self._owners:
                        raise GameDefect(f"{disclosure} deals slot {slot} a second time")
                    self._owners[slot] = seat
            case LaidDown(seat, slot):
                self._require_owned(slot, seat, disclosure)
                self._lying.add(slot)
            case HandedOver(slot, owner, reader, moves):
                self._require_owned(slot, owner, disclosure)
                # A card that moves must come from a hand, one that is only shown must lie on the
                # table.
                if moves is (slot in self._lying):
                    where = "lies" if moves else "does not lie"
                    raise GameDefect(f"{disclosure}, but the slot {where} face down")
                # A disclosure that shows nothing new is a defect of the rules.
                if slot in self._knowledge(reader).faces:
                    raise GameDefect(f"{disclosure}, but its reader has seen it")
                if moves:
                    self._owners[slot] = reader
            case Opened(slot, _):
                self._require_live(slot)
            case Remixed(seat, before, after):
                for slot in before:
                    self._require_owned(slot, seat, disclosure)
                    del self._owners[slot]
                    # A mixed slot must never be used again, or its old place would tell which card
                    # it was.
                    self._retired.add(slot)
                    self._lying.discard(slot)
                if len(after) != len(before) or len(set(after)) != len(after):
                    raise GameDefect(f"{disclosure} loses cards")
                for slot in after:
                    if slot in self._faces:
                        raise GameDefect(f"{disclosure} uses slot {slot} a second time")
                    self._owners[slot] = seat
            case _:
                assert_never(disclosure)

    def _require_live(self, slot: Slot) -> None:
        """Raise GameDefect for a slot that was never made, or was mixed away."""
        if slot not in self._faces or slot in self._retired:
            raise GameDefect(f"slot {slot} does not exist, or no more")

    def _require_owned(self, slot: Slot, seat: Seat, disclosure: Disclosure) -> None:
        """Raise GameDefect for a slot that is not live or does not belong to `seat`."""
        self._require_live(slot)
        if self._owners.get(slot) != seat:
            raise GameDefect(f"{disclosure}, but slot {slot} is not this seat's")

    def _check_learning(self, disclosure: Disclosure) -> None:
        """Raise GameDefect unless the disclosure, just carried out, showed its faces to the
        seats that it names and no face to anybody else.
        """
        # -1 is the spectator.
        everybody = range(-1, self.game.seats)
        shown: tuple[Slot, ...]
        readers: Sequence[int]
        match disclosure:
            case Dealt(seat, shown) | Remixed(seat, _, shown):
                readers = (seat,)
            case HandedOver(slot=slot, reader=reader):
                shown, readers = (slot,), (reader,)
            case Opened(slot, _):
                shown, readers = (slot,), everybody
            case LaidDown():
                shown, readers = (), ()
            case _:
                assert_never(disclosure)
        for each in everybody:
            # As last read, before this disclosure; `_knowledge` reads on.
            before = self._known[each].faces
            now = self._knowledge(each).faces
            gained = shown if each in readers else ()
            if any(now.get(slot) != self._faces[slot] for slot in gained):
                raise GameDefect(f"{disclosure} did not show seat {each} what it should")
            # Counted, so that a face shown to the wrong seat shows without listing every slot.
            if len(now) != len(before) + sum(slot not in before for slot in gained):
                raise GameDefect(f"{disclosure} showed seat {each} more than it should")


#: Told of the table, the seat and its action, after the action stood.
Watcher = Callable[[OpenTable, Seat, Any], None]


class PlayedHand(NamedTuple):
    """A hand from its deck to its end; `actions` pairs each seat with its action, in order."""

    dealer: Seat
    deck: tuple[Card, ...]
    actions: tuple[tuple[Seat, Any], ...]
    state: Any
    outcome: Outcome


def play_out(
    table: OpenTable, players: Sequence[Player], *, watch: Watcher | None = None
) -> tuple[tuple[Seat, Any], ...]:
    """Play the hand at `table` to its end and return all actions in order, each with its seat. The
    hand is not settled.

    `players` has one for each seat, in seat order; where several seats are awaited, the first acts
    first. `watch` is called with the table, the seat and its action after every action. Raises
    RulesError or FalseStatement for an action that a player should not have chosen, and GameDefect
    where the game is at fault.
    """
    actions: list[tuple[Seat, Any]] = []
    while awaited := table.game.contributors(table.state):
        seat = awaited[0]
        action = players[seat].choose(table.view(seat))
        table.act(seat, action)
        actions.append((seat, action))
        if watch is not None:
            watch(table, seat, action)
    return tuple(actions)


def play_hand(
    game: AnyGame,
    dealer: Seat,
    players: Sequence[Player],
    deck: Sequence[Card],
    mix: Randomness,
    *,
    scores: tuple[int, ...] = (),
    checks: bool = True,
    watch: Watcher | None = None,
) -> PlayedHand:
    """Play a hand from `deck` to its end, settle it, and return all of it.

    Raises ValueError when `deck` is not the game's pack; RulesError, FalseStatement and GameDefect
    where a player or the game is at fault.

    Args:
        players: one for each seat, in the order of seats.
        deck: the cards of the slots 0 to len(pack)-1, as they were shuffled.
        mix: the chance from which the order of a hand is drawn that a seat mixes.
        scores: the match's before the hand, empty for a hand outside a match.
        checks: as for `OpenTable`; statements and opened faces are checked without it, too.
        watch: called with the table, the seat and its action after every action.
    """
    table = OpenTable(game, deck, mix, dealer=dealer, scores=scores, checks=checks)
    actions = play_out(table, players, watch=watch)
    return PlayedHand(dealer, tuple(deck), actions, table.state, game.settle(table.state))
