"""304 behind the interface of every game, and what a hand that is over costs."""

from __future__ import annotations

from typing import Any, Final

from p2p304.cards import Card
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import actions, called, dealing, machine
from p2p304.rules304.agreement import (
    format_full_agreement,
    parse_agreement,
    parse_full_agreement,
)
from p2p304.rules304.caps.judge import caps_verdicts
from p2p304.rules304.match import RunningMatch, TokenMatch, match_at, new_match
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import (
    NO_CAPS,
    VOIDS,
    CapsVerdict,
    HandFacts,
    HandOutcome,
    RunningOutcome,
    Violation,
    ViolationKind,
    score_hand,
    settle_running,
)
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import two_teams
from p2p304.rules304.tricks import points_of_teams, tricks_of_teams
from p2p304.seats import Seat, Sides

# --- SETTLE: the facts of a hand that is over, and what they cost (RULES 13, 15 and 16) -----------


def settle(state: State, *, judge_caps: bool = True) -> HandOutcome | RunningOutcome:
    """Return how a hand that is over ended, and what it costs each team or, with a called partner,
    brings each seat.

    Raises RulesError while the hand is not over. With `judge_caps` off caps count as neither called
    nor missed, which saves a search; all else is settled as usual.
    """
    if state.phase is not Phase.OVER or state.end is None:
        raise RulesError("3", "the hand is not over")
    if state.profile.partner_called:
        return settle_running(state)
    # A void hand has no verdict on caps: nobody pays for it (RULES 15 line 1).
    verdicts = caps_verdicts(state) if judge_caps and state.end not in VOIDS else NO_CAPS
    return score_hand(state.profile, facts_of(state, verdicts))


def facts_of(state: State, caps: tuple[CapsVerdict, CapsVerdict]) -> HandFacts:
    """Return the facts from which `score_hand` finds the price of a hand that is over.

    `caps` is the verdict on the caps of team 0 and of team 1; it is dropped where a rule was
    broken. Points are 0 where the hand ended without counted cards.
    """
    team = None if state.maker is None else state.team_of(state.maker)
    points = tricks = 0
    # Any other end counts no points: a void hand, a broken rule, or a contract, which needs tricks.
    if team is not None and state.end in {End.PLAYED, End.CONCEDED, End.CAPS_LOST}:
        points = points_of_teams(state)[team]
    if team is not None:
        tricks = tricks_of_teams(state)[team]
    violation = None
    if state.violation is not None:
        # The one broken rule that is not refused on the spot.
        violation = Violation(state.team_of(state.violation), ViolationKind.FALSE_SPOILT)
        # A violation is paid for alone: line 2 of RULES 15 goes before caps.
        caps = NO_CAPS
    return HandFacts(
        maker_team=team,
        bid=state.contract,
        points=points,
        tricks=tricks,
        void=None if state.end is None else VOIDS.get(state.end),
        violation=violation,
        caps=caps,
        double=None if state.double is None else state.team_of(state.double),
        all_points=state.profile.deck.points,
        all_tricks=state.profile.deal_batches.cards,
        maker=state.maker,
    )


class Game304:
    """304 under one profile, behind the game interface; `Game` documents each method."""

    # These need no game: a state holds its profile.
    apply = staticmethod(machine.apply)
    legal_actions = staticmethod(machine.legal_actions)
    settle = staticmethod(settle)
    format_action = staticmethod(actions.format_action)
    parse_action = staticmethod(actions.parse_action)

    def __init__(self, profile: Profile) -> None:
        """Make the game that is played under `profile`."""
        self.profile = profile

    def action_frame(self, round_: int) -> int:
        """Return the size in bytes of the frame of every action of ledger round `round_`: 2,048,
        or 16,384 in the round of the auction's first call where a redeal is proved without
        showing cards.
        """
        # Round 0 is the deal, round 1 the cut where there is one (specs/07-wire.md, 7.1). All
        # frames of that round are large, so that their size does not tell who demanded a redeal.
        first_call = 1 if self.profile.max_cuts == 0 else 2
        return 16_384 if self.profile.redeal_private and round_ == first_call else 2_048

    @property
    def name(self) -> str:
        """The name in the registry, "304"."""
        return "304"

    @property
    def seats(self) -> int:
        """How many seats the profile is for."""
        return self.profile.seats

    @property
    def pack(self) -> tuple[Card, ...]:
        """The cards of the profile's pack."""
        return self.profile.deck.cards

    def points_of(self, card: Card) -> int:
        """Return the points of a card in every pack that has it: 100 for a two, 50 for a three,
        30 for a jack, down to 0 for an eight, seven or six. Raises KeyError for a card that is
        in no pack of 304.
        """
        return CARD_POINTS[card]

    def start(self, dealer: Seat, scores: tuple[int, ...] = ()) -> Step[State]:
        """Return the step that begins a hand with the shuffled deck in the slots 0 to N-1, N
        being the cards of the pack. `scores` are not used.
        """
        # No rule of 304 depends on the match's scores.
        return dealing.start(self.profile, dealer)

    def contributors(self, state: State) -> tuple[Seat, ...]:
        """Return the seats whose action is awaited, in seat order; empty when the hand is over."""
        return state.awaiting

    def sides(self, state: State) -> tuple[Sides, ...]:
        """Return the two teams as the one division into sides; where a partner is called, every
        division that the public record allows.
        """
        return called.sides(state) if self.profile.partner_called else (two_teams(self.seats),)

    def is_over(self, state: State) -> bool:
        """Tell whether the hand has ended."""
        return state.phase is Phase.OVER

    def new_match(self, luck: bytes) -> TokenMatch | RunningMatch:
        """Return a match before its first hand, whose dealer follows from `luck`: at least 32
        random bytes.

        Raises ValueError for fewer.
        """
        return new_match(self.profile, luck)

    def after_hand(self, match: Any, outcome: Any) -> TokenMatch | RunningMatch:
        """Return the match after a hand of it that ended with `outcome`; raises RulesError for a
        match that was won before.
        """
        # Named for its type: `match` is Any.
        after: TokenMatch | RunningMatch = match.after(outcome)
        return after

    def after_penalty(self, match: Any, side: int, *, in_hand: bool) -> TokenMatch:
        """Return the match after team `side` paid a referee's penalty: three tokens, or all that it
        has.

        With `in_hand` a hand was in play: it is void and the deal passes. Raises ValueError for a
        team that the match does not have, for a match that is over, and for a game with a called
        partner.
        """
        if not isinstance(match, TokenMatch):
            raise ValueError("no team pays tokens where partners are called")
        return match.penalise(side, in_hand=in_hand)

    def match_at(self, dealer: Seat, scores: tuple[int, ...]) -> TokenMatch | RunningMatch:
        """Return a match at these scores whose next hand `dealer` deals; raises ValueError for
        another number of scores, and for scores at which it is over.
        """
        return match_at(self.profile, dealer, scores)


# --- 304 in the registry: from a text of its parameters to the game -------------------------------

# The usual rules, as pagat.com tells them (`profiles.py`).
_USUAL: Final = "pagat"


def create(parameters: str) -> Game304:
    """Return the game of 304 under `parameters`, one line as `parse_agreement` reads it; "" is the
    profile pagat.

    Raises ProfileError for any other text.
    """
    return Game304(parse_agreement(parameters or _USUAL))


def full(parameters: str) -> str:
    """Return the text of a charter, which states every parameter, for one line of `parameters`;
    "" is the profile pagat. Raises ProfileError for a line that is no agreement.
    """
    return format_full_agreement(parse_agreement(parameters or _USUAL))


def game_of(text: str) -> Game304:
    """Return the game of a text that `full` returned; raises ProfileError for any other text."""
    return Game304(parse_full_agreement(text))
