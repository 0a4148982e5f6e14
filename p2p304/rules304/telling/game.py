"""304 behind the telling interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from p2p304.cards import Card, Slot
from p2p304.rules304.actions import Action, CallCaps, CallSpoilt, PlayCard, PlayDown, Ready
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.rules304.parameters import PARAMETERS, differences
from p2p304.rules304.parameters import Parameter as Row304
from p2p304.rules304.profile import Profile
from p2p304.rules304.running import RunningOutcome
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Phase, State
from p2p304.rules304.teams import team_names, two_teams
from p2p304.rules304.telling import (
    called,
    certain,
    lessons,
    options,
    prompts,
    refusals,
    sentences,
)
from p2p304.rules304.telling import scene as scenes
from p2p304.rules304.telling.counts import own_numbers
from p2p304.rules304.telling.deeds import deeds
from p2p304.rules304.telling.scene import scored
from p2p304.rules304.telling.summary import summary
from p2p304.seats import Seat, Sides
from p2p304.sentences import TALK_RULE, Line, Who, say, titled
from p2p304.telling import (
    Ended,
    Key,
    Parameter,
    SummaryRow,
    Tried,
    Undertaking,
)
from p2p304.view import View

_SECTIONS: Final = {
    "1.1": "Match, deal, cut",
    "1.2": "Four-card auction, redeal",
    "1.3": "Eight-card auction, Partner Close Caps",
    "1.4": "Indicator and play",
    "1.5": "Caps",
    "1.6": "Score, tokens, violations",
    "2": "House rules",
}
_STANDING_FOR: Final = ("bracket_middle", "bracket_top")
"""What is explained by the numbers that it takes the place of."""
_BETWEEN: Final = frozenset({Phase.CUT, Phase.OVER})
_PLAYED_OR_LOOKED: Final = (PlayCard, PlayDown, Ready, CallCaps, CallSpoilt)
"""A card that was played, and what is said once all have looked at the trick."""


class Telling304:
    """How 304 under one profile tells itself; `Telling` says what each method gives."""

    scene = staticmethod(scenes.scene)
    hand = staticmethod(scenes.held)
    last_trick = staticmethod(scenes.last_trick)
    choices = staticmethod(options.choices)
    ordered = staticmethod(options.ordered)
    trick_line = staticmethod(sentences.trick_line)
    prompt = staticmethod(prompts.prompt)
    waiting = staticmethod(prompts.waiting)
    urgent = staticmethod(certain.urgent)
    moment = staticmethod(lessons.moment)

    def __init__(self, game: Game304) -> None:
        self._game = game

    @property
    def title(self) -> str:
        """The profile and the house rules that were agreed."""
        profile = self._game.profile
        return titled(f"304, {profile.name} rules", profile.toggles)

    @property
    def keys(self) -> tuple[Key, ...]:
        """One key for one meaning."""
        return options.keys(self._game.profile)

    @property
    def agreed(self) -> tuple[Line, ...]:
        """Every parameter in which the table differs from the profile that it is named for."""
        profile = self._game.profile
        rows = differences(profile_named(profile.name), profile)
        return tuple(
            say(
                f"differs from {profile.name}: {row.parameter.name} is {row.right},"
                f" not {row.left} ({row.parameter.explanation})"
            )
            for row in rows
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter of the profile, fixed ones too, with the numbers that count there."""
        profile = self._game.profile
        return tuple(
            Parameter(
                own_numbers(_SECTIONS.get(each.section, each.section), profile),
                each.name,
                _value(each, profile),
                each.explanation
                if each.name in _STANDING_FOR
                else own_numbers(each.explanation, profile),
            )
            for each in PARAMETERS
        )

    @property
    def talk_agreed(self) -> bool:
        """Whether the profile has the house rule for it."""
        return TALK_RULE in self._game.profile.toggles

    def between_hands(self, state: State) -> bool:
        """Return whether no hand is in play."""
        return state.phase in _BETWEEN

    def led(self, before: State, after: State) -> bool:
        """Return whether the action between the two led a trick."""
        return bool(after.plays) and not before.plays

    def ended_on_trick(self, state: State) -> bool:
        """Return whether the hand ended with a trick at which nobody could look yet."""
        told = (each for _, each in reversed(state.log) if isinstance(each, _PLAYED_OR_LOOKED))
        return bool(state.tricks) and isinstance(next(told, None), (PlayCard, PlayDown))

    def told(
        self, before: State, seat: Seat, action: Action, after: State, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        """Return what an action is worth saying as it happens."""
        return tuple(sentences.told(before, seat, action, after, faces))

    def retold(
        self, before: State, seat: Seat, action: Action, after: State, faces: Mapping[Slot, Card]
    ) -> tuple[Line, ...]:
        """Return what an action is worth in a story."""
        return tuple(sentences.retold(before, seat, action, after, faces))

    def owed(self, state: State) -> str:
        """Return what the count waits for."""
        return "the cards that still lie face down" if state.phase is Phase.COUNT else ""

    def in_short(self) -> tuple[Line, ...]:
        """Return 304 in a few paragraphs."""
        profile = self._game.profile
        return called.IN_SHORT if profile.partner_called else lessons.in_short(profile)

    def refusal(self, view: View[State], legal: Sequence[Action], tried: Tried) -> Line:
        """Return why what was tried is not possible now."""
        return refusals.refusal(self._game, view, legal, tried)

    def summary(self, ended: Ended) -> tuple[SummaryRow, ...]:
        """Return a hand that ended in a few rows."""
        return called.summary(ended) if self._game.profile.partner_called else summary(ended)

    @property
    def scored(self) -> str:
        """What the profile settles in."""
        return scored(self._game.profile)

    def sides(self) -> tuple[Line, ...]:
        """Return the two teams, or each seat where a card is called."""
        if self._game.profile.partner_called:
            return tuple(say(Who(Seat(seat))) for seat in range(self._game.seats))
        return tuple(map(say, team_names(self._game.seats)))

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        """Return the team that won, or the seats with the highest score."""
        if self._game.profile.partner_called:
            return called.winners(winner, scores)
        return say(team_names(self._game.seats)[winner])

    def owners(self) -> Sides:
        """Return the seats of the two teams, or each seat where a card is called."""
        if self._game.profile.partner_called:
            return tuple((Seat(seat),) for seat in range(self._game.seats))
        return two_teams(self._game.seats)

    def winning(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        """Return the team that won, or the seats with the highest score."""
        if self._game.profile.partner_called:
            return called.winning(winner, scores)
        return two_teams(self._game.seats)[winner]

    def deeds(self, outcome: HandOutcome | RunningOutcome) -> tuple[Undertaking, ...]:
        """Return the bid by its price, and caps."""
        return tuple(deeds(self._game.profile, outcome))


def _value(row: Row304, profile: Profile) -> str:
    """Return a parameter's value as people are told it: a choice in words with its own numbers."""
    chosen = row.fixed is None and isinstance(getattr(profile, row.name), Enum)
    text = row.text(profile)
    return own_numbers(text, profile) if chosen else text
