"""41 and 400 tell themselves: scenes, choices, sentences, lessons, refusals and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, assert_never

from p2p304.cards import Card, Slot
from p2p304.errors import RulesError
from p2p304.rules41.actions import Action, Cut, PlaceBid, PlayCard, SortHand
from p2p304.rules41.hand import ALL_SEATS, PACK, Game41, Phase, State
from p2p304.rules41.match import SEATS, Outcome41
from p2p304.rules41.rules import TOGGLES
from p2p304.rules41.telling import lessons, scene
from p2p304.seats import OPPOSITE, PAIR_NAMES, Seat, Sides
from p2p304.sentences import Line, Who, joined, listed, say, titled
from p2p304.telling import (
    Choice,
    Ended,
    Key,
    Parameter,
    Scene,
    SummaryRow,
    Tried,
    Undertaking,
)
from p2p304.view import View

Faces = Mapping[Slot, Card]
_DOING: Final = {
    Phase.CUTTING: ("may cut the pack", "may cut the pack"),
    Phase.SORTING: ("sorts the hand", "sort their hands"),
    Phase.BIDDING: ("is to bid", "are to bid"),
    Phase.PLAYING: ("is to play", "are to play"),
}
_TITLES: Final = {
    "PROFILES 4.2": "the deal",
    "PROFILES 4.3": "bids",
    "PROFILES 4.7": "play",
    "RULES 0.2": "sorting",
}
"""What the numbered rules are about."""


class Telling41:
    """How 41 or 400 under agreed rules tells itself; `Telling` says what each method gives."""

    hand = staticmethod(scene.held)
    last_trick = staticmethod(scene.last_trick)

    def __init__(self, game: Game41) -> None:
        self._game = game
        self._rules = game.rules

    @property
    def title(self) -> str:
        """The game and its house rules."""
        return titled(self._game.name, filter(None, self._rules.parameters.split(",")))

    @property
    def keys(self) -> tuple[Key, ...]:
        """None: cards and numbers are all there is to choose."""
        return ()

    @property
    def agreed(self) -> tuple[Line, ...]:
        """The house rules, in words."""
        names = self._rules.parameters.split(",")
        return tuple(say(f"house rule {name}: {TOGGLES[name]}") for name in names if name)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The house rules, in force or not."""
        agreed = self._rules.parameters.split(",")
        return tuple(
            Parameter("House rules", name, "yes" if name in agreed else "no", meaning)
            for name, meaning in TOGGLES.items()
        )

    @property
    def talk_agreed(self) -> bool:
        """Whether the house rule says so."""
        return self._rules.table_chat

    def between_hands(self, state: State) -> bool:
        """Return whether no deal is in play."""
        return state.phase in (Phase.CUTTING, Phase.THROWN_IN, Phase.PLAYED)

    def scene(self, view: View[State], scores: tuple[int, ...]) -> Scene:
        """Return the table for the view's seat."""
        return scene.scene(self._rules, view, scores)

    def led(self, before: State, after: State) -> bool:
        """Return whether the action between the two led a trick."""
        return bool(after.trick) and not before.trick

    def ended_on_trick(self, state: State) -> bool:
        """Return whether the deal was played to its end."""
        return state.phase is Phase.PLAYED

    # --- what can be chosen -----------------------------------------------------------------------

    def choices(self, view: View[State], legal: Sequence[Action]) -> tuple[Choice, ...]:
        """Return the legal actions as choices."""
        lowest = min((each.tricks for each in legal if isinstance(each, PlaceBid)), default=0)
        found = [self._choice(each, lowest) for each in legal]
        if all(isinstance(each, PlayCard) for each in legal):
            found.sort(key=lambda each: scene.ORDER[each.action.card])
        return tuple(found)

    def _choice(self, action: Action, lowest: int) -> Choice:
        match action:
            case Cut(offset):
                words = (*(() if offset else ("", "no")), f"cut {offset}")
                label = say(f"cut at {offset}" if offset else "leave the pack uncut")
                brief = "" if offset else "no cut"
                default = offset == 0
                return Choice(
                    action, label, typed=words, numbers=(offset,), brief=brief, default=default
                )
            case SortHand():
                return Choice(action, say("sort your hand"), default=True, duty=True)
            case PlaceBid(tricks):
                label = say(f"bid {tricks}")
                words = (f"bid {tricks}",)
                dear = tricks > lowest
                return Choice(action, label, typed=words, numbers=(tricks,), costly=dear)
            case PlayCard(slot, card):
                name = str(card).lower()
                words = (f"10{name[1]}", name) if name[0] == "t" else (name,)
                label = say("play ", card)
                return Choice(action, label, typed=words, slot=slot, plays=True)
            case _:
                assert_never(action)

    def ordered(self, choice: Choice, order: Sequence[Slot], view: View[State]) -> Action:
        """Return the choice's action: no choice of these games states an order."""
        action: Action = choice.action
        return action

    # --- what happened ----------------------------------------------------------------------------

    def told(
        self, before: State, seat: Seat, action: Action, after: State, faces: Faces
    ) -> tuple[Line, ...]:
        """Return what an action is worth saying as it happens."""
        if not isinstance(action, PlayCard):
            return self.retold(before, seat, action, after, faces)
        lines = [say(Who(seat), " plays " if before.trick else " leads ", action.card, ".")]
        led = before.trick[0].card.suit if before.trick else None
        if led is not None and led in after.voids[seat] - before.voids[seat]:
            lines = [say(lines[0], " ", Who(seat), " has no ", led, ".")]
        if len(after.tricks) > len(before.tricks):
            number, winner = len(after.tricks), after.tricks[-1].winner
            so_far = f"; {after.taken[winner]} of {after.bid_of[winner]} that it bid"
            lines.append(say(Who(winner), f" takes trick {number}{so_far}."))
        return tuple(lines)

    def retold(
        self,
        before: State,
        seat: Seat,
        action: Action,
        after: State,
        faces: Faces,
    ) -> tuple[Line, ...]:
        """Return what an action is worth in a story told afterwards."""
        who = Who(seat)
        match action:
            case Cut(offset):
                return (say(who, f" cuts the pack at {offset}." if offset else " does not cut."),)
            case SortHand():
                return () if after.phase is Phase.SORTING else (say("All sort their hands."),)
            case PlaceBid(tricks):
                lines = [say(who, f" bids {tricks}.")]
                if len(after.bids) == SEATS:
                    lines.append(self._bids_judged(after))
                return tuple(lines)
            case PlayCard():
                more = len(after.tricks) > len(before.tricks)
                return (self.trick_line(after, {}),) if more else ()
            case _:
                assert_never(action)

    def _bids_judged(self, state: State) -> Line:
        worth = sum(map(self._rules.value, state.bids))
        if state.phase is Phase.THROWN_IN:
            return say(f"The bids are worth {worth}, less than {state.floor}: thrown in.")
        return say(f"The bids are worth {worth}: the deal is played.")

    def trick_line(self, state: State, faces: Faces) -> Line:
        """Return the last complete trick in one sentence."""
        trick = state.tricks[-1]
        plays = joined((say(Who(play.seat), " ", play.card) for play in trick.plays), ", ")
        return say(f"Trick {len(state.tricks)}: ", plays, ". ", Who(trick.winner), " wins.")

    # --- what may be done -------------------------------------------------------------------------

    def prompt(self, view: View[State], choices: tuple[Choice, ...]) -> Line:
        """Return what the view's seat may do now."""
        state = view.state
        match state.phase:
            case Phase.CUTTING:
                last = len(PACK) - 1
                return say(
                    "Your turn: Enter leaves the pack as it is;"
                    f" or a number from 1 to {last} cuts it."
                )
            case Phase.BIDDING:
                said = sum(map(self._rules.value, state.bids))
                so_far = f"; the others' bids are worth {said} so far" if state.bids else ""
                least = self._rules.lowest_bid
                return say(f"Your turn: bid the tricks you will take, {least} to 13{so_far}.")
            case Phase.PLAYING:
                cards = joined(each.action.card for each in choices if each.plays)
                if not state.trick:
                    return say("Your turn to lead: ", cards, ".")
                led = state.trick[0].card.suit
                follows = any(each.action.card.suit == led for each in choices if each.plays)
                how = " led, follow with " if follows else " led, you have none; play "
                return say("Your turn: ", led, how, cards, ".")
            case _:
                return say("Enter sorts your hand.")

    def waiting(self, state: State, others: tuple[Seat, ...]) -> Line:
        """Return what the table waits for."""
        if state.phase in (Phase.THROWN_IN, Phase.PLAYED):
            return say("The deal is over.")
        if not others:
            return say("One moment: all have answered.")
        one, several = _DOING[state.phase]
        verb = one if len(others) == 1 else several
        return say(listed([say(Who(seat)) for seat in others]), f" {verb}.")

    def owed(self, state: State) -> str:
        """Return nothing: every contribution of these games is a move."""
        return ""

    def urgent(self, view: View[State]) -> None:
        """Return nothing: no duty of these games follows from what a seat knows."""

    def moment(self, view: View[State] | None) -> tuple[Line, ...]:
        """Return the rules of this very moment."""
        return lessons.moment(self._rules, view)

    def in_short(self) -> tuple[Line, ...]:
        """Return the game in a few paragraphs."""
        return lessons.in_short(self._rules)

    def refusal(self, view: View[State], legal: Sequence[Action], tried: Tried) -> Line:
        """Return why what was tried is not possible now."""
        if not legal or view.seat is None:
            return say("It is not your turn")
        action: Action | None = None
        if tried.number is not None:
            cuts = view.state.phase is Phase.CUTTING
            action = Cut(tried.number) if cuts else PlaceBid(tried.number)
        elif tried.slot is not None:
            action = PlayCard(tried.slot, view.faces[tried.slot])
            if view.state.trick and view.state.phase is Phase.PLAYING:
                led = view.state.trick[0].card.suit
                return say("You have ", led, f" and must follow ({_rule_named('PROFILES 4.7')})")
        if action is not None:
            try:
                self._game.apply(view.state, view.seat, action)
            except RulesError as error:
                reason = str(error.args[0])
                return say(f"{reason[:1].upper()}{reason[1:]} ({_rule_named(error.rule)})")
        return say("This is not possible now")

    # --- what it came to --------------------------------------------------------------------------

    def summary(self, ended: Ended) -> tuple[SummaryRow, ...]:
        """Return bids, tricks and what they are worth, the scores, and the last trick."""
        outcome: Outcome41 = ended.outcome
        rows = [SummaryRow("Bids", _each(map(str, outcome.bids)))]
        if not outcome.thrown_in:
            rows.append(SummaryRow("Taken", _each(map(str, outcome.taken))))
            rows.append(SummaryRow("Worth", _each(f"{score:+d}" for score in outcome.scores)))
        if ended.scores:
            rows.append(SummaryRow("Score", _each(map(str, ended.scores))))
        if ended.state.tricks:
            last = ended.state.tricks[-1]
            cards = joined(play.card for play in last.plays)
            number = len(ended.state.tricks)
            rows.append(
                SummaryRow("Last", say(f"trick {number}: ", cards, " to ", Who(last.winner)))
            )
        return tuple(rows)

    @property
    def scored(self) -> str:
        """Every seat has points of its own."""
        return "Score"

    def sides(self) -> tuple[Line, ...]:
        """Return the seats: each has a score of its own."""
        return tuple(say(Who(seat)) for seat in ALL_SEATS)

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        """Return the pair that won."""
        return say(PAIR_NAMES[winner])

    def owners(self) -> Sides:
        """Return each seat by itself: it has a score of its own."""
        return tuple((seat,) for seat in ALL_SEATS)

    def winning(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        """Return the seats of the pair that won."""
        return OPPOSITE[winner]

    def deeds(self, outcome: Outcome41) -> tuple[Undertaking, ...]:
        """Return the bid of each seat, and whether it took as many tricks."""
        if outcome.thrown_in:
            return ()
        pairs = zip(ALL_SEATS, outcome.bids, outcome.taken, strict=True)
        return tuple(
            Undertaking("bid", f"{bid}", (seat,), taken >= bid, bid) for seat, bid, taken in pairs
        )


def _each(values: Iterable[str]) -> Line:
    """Return a value for each seat, by name."""
    pairs = zip(ALL_SEATS, values, strict=True)
    return joined((say(Who(seat), f" {value}") for seat, value in pairs), ", ")


def _rule_named(rule: str) -> str:
    title = _TITLES.get(rule)
    return f"rule {rule.removeprefix('PROFILES ')}, {title}" if title else f"rule {rule}"
