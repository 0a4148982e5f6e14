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
    """An action that the rules allow by what is seen, but that the real cards contradict.

    `statement` is the first one that does not hold. Nothing has changed when it is raised.
    """

    def __init__(self, seat: Seat, statement: Statement) -> None:
        super().__init__(f"seat {seat} states what the cards contradict: {statement}")
        self.seat = seat
        self.statement = statement


class GameDefect(Exception):
    """A game asks for what cannot be: a disclosure or statement about slots that are not so.

    The table is of no use afterwards.
    """


class Player(Protocol):
    """Who sits at a table: somebody who chooses from what it may see."""

    def choose(self, view: View[Any], /) -> Any:
        """Return an action of the view's seat, which is awaited."""
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
        """Start the hand; raises ValueError when `deck` is not the game's pack.

        Args:
            deck: the cards of the slots 0 to len(pack)-1, as they were shuffled.
            mix: decides in which order cards come to lie that a seat mixes.
            dealer: from 0 to the game's seats-1.
            scores: the match's before the hand, empty for a hand outside a match.
            checks: whether statements and disclosures are checked, as they need not be for many
                hands of a game that was checked before.
        """
        if len(deck) != len(game.pack) or set(deck) != set(game.pack):
            raise ValueError(f"the deck must hold each card of {game.name}'s pack once")
        self.game = game
        self._mix = mix
        self._checks = checks
        self._faces = {Slot(position): card for position, card in enumerate(deck)}
        self._owners: dict[Slot, Seat] = {}
        self._lying: set[Slot] = set()
        self._retired: set[Slot] = set()
        self._disclosures: list[Disclosure] = []
        readers: list[Seat | None] = [*map(Seat, range(game.seats)), None]
        # The spectator comes last, where index -1 finds it.
        self._known = [Knowledge(reader) for reader in readers]
        self._read = [0] * len(readers)
        self._proved: tuple[Statement, ...] = ()
        self._scores = scores
        step = game.start(dealer, scores)
        self.state = step.state
        self._carry_out(None, step)

    @property
    def disclosures(self) -> tuple[Disclosure, ...]:
        """Every disclosure so far, in order."""
        return tuple(self._disclosures)

    def face(self, slot: Slot) -> Card:
        """Return the true card of a slot, which no player may ask for.

        Raises KeyError for no slot.
        """
        return self._faces[slot]

    def open_view(self) -> View[Any]:
        """Return the view of somebody to whom all cards lie open."""
        return View(None, self.state, dict(self._faces))

    def view(self, seat: Seat | None) -> View[Any]:
        """Return what `seat` may know now; None stands for a spectator."""
        known = self._knowledge(-1 if seat is None else seat)
        return View(seat, self.state, known.faces, self._proved, self._scores)

    def fork(self, mix: Randomness) -> OpenTable:
        """Return a copy of this table that goes on by itself and mixes cards with `mix`."""
        other = copy(self)
        other._mix = mix
        other._faces = dict(self._faces)
        other._owners = dict(self._owners)
        other._lying = set(self._lying)
        other._retired = set(self._retired)
        other._disclosures = list(self._disclosures)
        other._known = list(self._known)
        other._read = list(self._read)
        return other

    def act(self, seat: Seat, action: Any) -> Step[Any]:
        """Carry out an action, and return the step that it led to.

        Raises RulesError or FalseStatement, with nothing changed, for an action that does not
        stand, and GameDefect for a step that no game may ask for.

        Args:
            seat: who acts, awaited or not: the game judges whether it may.
            action: of the game, as `legal_actions` or `parse_action` give it.
        """
        awaited = self._awaited() if self._checks else set()
        step = self.game.apply(self.state, seat, action)
        for statement in step.statements:
            self._check_statement(seat, statement)
        for each in step.disclosures:
            if isinstance(each, Opened) and self._faces.get(each.slot) != each.card:
                raise FalseStatement(seat, IsCard(each.slot, each.card))
        self._carry_out(seat, step)
        self._proved += tuple(each for each in step.statements if not isinstance(each, IsCard))
        self.state = step.state
        rest = set(awaited) - {seat}
        if self._checks and seat in awaited and rest and self._awaited() != rest:
            raise GameDefect(f"seat {seat} acted, and {sorted(rest)} of its round are not to act")
        return step

    def _awaited(self) -> set[Seat]:
        """Return who has yet to act in the round: among peers all of them do, in any order."""
        over = self.game.is_over(self.state)
        return set() if over else set(self.game.contributors(self.state))

    def _check_statement(self, seat: Seat, statement: Statement) -> None:
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
        arriving: set[Slot] = set()
        for disclosure in step.disclosures:
            if self._checks:
                if isinstance(disclosure, Remixed) and disclosure.seat != actor:
                    raise GameDefect(f"{disclosure}, but it is seat {actor} that acts")
                self._check_slots(disclosure)
                match disclosure:
                    case Dealt(_, slots):
                        arriving.update(slots)
                    case HandedOver(slot=slot):
                        arriving.add(slot)
                    case Remixed(before=before) if arriving.intersection(before):
                        raise GameDefect(f"{disclosure}, but its cards arrive after this action")
                    case _:
                        pass
            if isinstance(disclosure, Remixed):
                self._mix_cards(disclosure)
            self._disclosures.append(disclosure)
            if self._checks:
                self._check_learning(disclosure)

    def _mix_cards(self, disclosure: Remixed) -> None:
        cards = [self._faces[slot] for slot in disclosure.before]
        self._mix.shuffle(cards)
        self._faces.update(zip(disclosure.after, cards, strict=True))

    def _knowledge(self, reader: int) -> Knowledge:
        """Return what a seat (-1: the spectator) knows.

        Faces never change, so reading late is safe.
        """
        total = len(self._disclosures)
        read = self._read[reader]
        if read < total:
            news = self._disclosures[read:] if read else self._disclosures
            self._known[reader] = self._known[reader].after(news, self._faces.get)
            self._read[reader] = total
        return self._known[reader]

    def _check_slots(self, disclosure: Disclosure) -> None:
        """Check that the slots of `disclosure` are where it says they are, and note their new
        places."""
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
                if moves is (slot in self._lying):
                    where = "lies" if moves else "does not lie"
                    raise GameDefect(f"{disclosure}, but the slot {where} face down")
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
        if slot not in self._faces or slot in self._retired:
            raise GameDefect(f"slot {slot} does not exist, or no more")

    def _require_owned(self, slot: Slot, seat: Seat, disclosure: Disclosure) -> None:
        self._require_live(slot)
        if self._owners.get(slot) != seat:
            raise GameDefect(f"{disclosure}, but slot {slot} is not this seat's")

    def _check_learning(self, disclosure: Disclosure) -> None:
        """Check that everybody learned the faces that it should have, and nobody anything else."""
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
            before = self._known[each].faces
            now = self._knowledge(each).faces
            gained = shown if each in readers else ()
            if any(now.get(slot) != self._faces[slot] for slot in gained):
                raise GameDefect(f"{disclosure} did not show seat {each} what it should")
            if len(now) != len(before) + sum(slot not in before for slot in gained):
                raise GameDefect(f"{disclosure} showed seat {each} more than it should")


Watcher = Callable[[OpenTable, Seat, Any], None]
"""Told of the table, the seat and its action, after the action stood."""


class PlayedHand(NamedTuple):
    """A hand from its deck to its end; `actions` in the order in which they were taken."""

    dealer: Seat
    deck: tuple[Card, ...]
    actions: tuple[tuple[Seat, Any], ...]
    state: Any
    outcome: Outcome


def play_out(
    table: OpenTable, players: Sequence[Player], *, watch: Watcher | None = None
) -> tuple[tuple[Seat, Any], ...]:
    """Play the hand at `table` to its end, unsettled, and return the actions of all `players`.

    Of several awaited seats the first acts first. `watch` is told of every action after it stood.
    Raises as OpenTable.act does; an honest player of a sound game never causes that.
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
    """Play a hand to its end and settle it.

    Raises as `OpenTable` and `play_out` do.

    Args:
        players: one for each seat, in the order of seats.
        deck, mix, scores, checks: as for `OpenTable`.
        watch: as for `play_out`.
    """
    table = OpenTable(game, deck, mix, dealer=dealer, scores=scores, checks=checks)
    actions = play_out(table, players, watch=watch)
    return PlayedHand(dealer, tuple(deck), actions, table.state, game.settle(table.state))
