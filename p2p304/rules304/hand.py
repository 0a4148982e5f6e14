"""304 behind the interface of every game: what a hand that is over costs, and its matches (RULES 2
and 16, PROFILES 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from p2p304.cards import Card
from p2p304.errors import RulesError
from p2p304.game import LUCK_BYTES, Step
from p2p304.rules304 import actions, called, dealing, machine
from p2p304.rules304.agreement import format_full_agreement, parse_agreement
from p2p304.rules304.caps.judge import caps_verdicts
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.play import points_of_teams, tricks_of_teams
from p2p304.rules304.profile import FirstDealer, Profile, Settlement
from p2p304.rules304.scoring import (
    NO_CAPS,
    VOIDS,
    CapsVerdict,
    HandFacts,
    HandOutcome,
    RunningOutcome,
    Violation,
    ViolationKind,
    VoidKind,
    score_hand,
    settle_running,
    token_changes,
)
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import Team, opponents_of, two_teams
from p2p304.seats import OPPOSITE, Seat, Sides, seat_after

# specs/rules.md 13, "Penalty by a referee".
PENALTY: Final = 3  #: What a team pays by a referee's ruling (RULES 13).
# Their hands count as not dealt (`redeal_dealer` and `spoilt_dealer` in specs/rules.md).
#: After these the same dealer deals again; after anything else the deal passes.
SAME_DEALER: Final = frozenset({VoidKind.REDEAL, VoidKind.SPOILT, VoidKind.MISDEAL})


class Draw(NamedTuple):
    """The card that a seat drew for the first deal, shown to all."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Where a match stands; the game interface's MatchState.

    `stocks` are the tokens each team can pay from. `draws` are the cards drawn for the first deal,
    a tuple for each round; empty where chance alone names the dealer.
    """

    profile: Profile
    dealer: Seat
    stocks: tuple[int, int]
    draws: tuple[tuple[Draw, ...], ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError for a stock below 0, and for two empty stocks."""
        if min(self.stocks) < 0 or max(self.stocks) == 0:
            raise ValueError(f"no match stands at {self.stocks}")

    @property
    def gains(self) -> tuple[int, int]:
        """The tokens that team 0 and team 1 have received and set aside under the settlement
        "own stock"; (0, 0) under any other settlement.
        """
        if not _sets_aside(self.profile):
            return (0, 0)
        start = self.profile.tokens_start
        # What a team has received is what the other's stock has lost.
        return (start - self.stocks[1], start - self.stocks[0])

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each team: its tokens, or under "own stock" the tokens that it has
        gained.
        """
        return self.gains if _sets_aside(self.profile) else self.stocks

    @property
    def winner(self) -> int | None:
        """The team, 0 or 1, whose opponents have no token left to pay with; None while both
        teams have some.
        """
        # Under every settlement: an empty stock has lost (specs/rules.md 13).
        return opponents_of(Team(self.stocks.index(0))) if 0 in self.stocks else None

    def changes(self, outcome: HandOutcome) -> tuple[int, int]:
        """Return by how much a hand's outcome changes the tokens of team 0 and of team 1: (-2, 2),
        or (-2, 0) under the settlement "bank", where nobody receives what is paid.

        A payer pays no more than it has (ruling 77); (0, 0) where nobody pays.
        """
        amount = 0 if outcome.payer is None else min(outcome.amount, self.stocks[outcome.payer])
        return token_changes(outcome.payer, amount, self.profile.settlement)

    def after(self, outcome: HandOutcome) -> TokenMatch:
        """Return the match after a hand that ended with `outcome`; raises RulesError for a match
        that was won before.

        The deal passes to the right, also after a hand that all passed; but a redeal, spoilt trumps
        or a misdeal leave the match as it is.
        """
        if self.winner is not None:
            raise RulesError("16", "the match is over, so no further hand can count")
        if outcome.facts.void in SAME_DEALER:
            return self
        return self._paid(self.changes(outcome), passes=True)

    def penalise(self, side: int, *, in_hand: bool) -> TokenMatch:
        """Return the match after team `side` paid a referee's penalty of three tokens, or all that
        it has.

        With `in_hand` a hand was in play: it is void, and the deal passes. Raises ValueError for a
        side other than 0 and 1, and when the match is won.
        """
        if self.winner is not None or not 0 <= side < len(self.stocks):
            # ValueError: who judges a referee's ruling takes that for an impossible one.
            raise ValueError("the match is over, or has no such team")
        amount = min(PENALTY, self.stocks[side])
        changes = token_changes(Team(side), amount, self.profile.settlement)
        return self._paid(changes, passes=in_hand)

    def _paid(self, changes: tuple[int, int], *, passes: bool) -> TokenMatch:
        """Return the match with these changes added to the stocks of team 0 and team 1, and the
        deal passed to the right where `passes` is true.

        Under the settlement "own stock" only losses are added: what a team receives is not in its
        stock.
        """
        if _sets_aside(self.profile):
            # What is received is set aside: it is the loss of the other stock, seen by `gains`.
            changes = (min(changes[0], 0), min(changes[1], 0))
        stocks = (self.stocks[0] + changes[0], self.stocks[1] + changes[1])
        dealer = seat_after(self.dealer, seats=self.profile.seats) if passes else self.dealer
        return replace(self, dealer=dealer, stocks=stocks)


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """Where a match with a score for each seat stands; the game interface's MatchState."""

    profile: Profile
    dealer: Seat
    scores: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won the match, in seat order: those with the highest score once
        that has reached the goal; empty before.
        """
        # Several seats may come to the goal with one hand: those with the highest score win
        # together.
        best = max(self.scores)
        if best < self.profile.score_goal:
            return ()
        return tuple(seat for seat, score in enumerate(self.scores) if score == best)

    @property
    def winner(self) -> int | None:
        """The first seat of `winners`; None while the match goes on."""
        return self.winners[0] if self.winners else None

    def after(self, outcome: RunningOutcome) -> RunningMatch:
        """Return the match after a hand that ended with `outcome`; raises RulesError for a match
        that was won before.

        The deal passes to the right, except after a redeal or spoilt trumps.
        """
        if self.winners:
            raise RulesError("3.2", "the match is over, so no further hand can count")
        if outcome.facts.void in SAME_DEALER:
            return self
        pairs = zip(self.scores, outcome.scores, strict=True)
        return replace(
            self,
            dealer=seat_after(self.dealer, seats=self.profile.seats),
            scores=tuple(old + new for old, new in pairs),
        )


def new_match(profile: Profile, luck: bytes) -> TokenMatch | RunningMatch:
    """Return a match before its first hand. Its dealer is drawn by chance or by cards, as the
    profile says (RULES 2, ruling 3).

    `luck` is at least 32 uniformly random bytes; raises ValueError for fewer.
    """
    if len(luck) < LUCK_BYTES:
        raise ValueError(f"a match needs {LUCK_BYTES} bytes of luck, not {len(luck)}")
    number = int.from_bytes(luck, "big")
    draws: tuple[tuple[Draw, ...], ...] = ()
    if profile.first_dealer is FirstDealer.HIGHEST_CARD:
        draws = _draws(profile, number)
        (dealer,) = _highest(draws[-1])
    else:
        # Of 256 bits the remainder is biased by less than 2**-250.
        dealer = Seat(number % profile.seats)
    if profile.partner_called:
        return RunningMatch(profile, dealer, (0,) * profile.seats)
    return TokenMatch(profile, dealer, (profile.tokens_start, profile.tokens_start), draws=draws)


def _sets_aside(profile: Profile) -> bool:
    """Tell whether a team sets aside the tokens that it receives and never pays from them: the
    settlement "own stock".
    """
    return profile.settlement is Settlement.OWN_STOCK


def _draws(profile: Profile, number: int) -> tuple[tuple[Draw, ...], ...]:
    """Return the cards that the seats draw for the first deal, a tuple for each round: first all
    seats draw, then those that tied for the most points, until one is left. `number` is the luck as
    an integer.

    Each draw takes one of the cards left, all but equally likely: 256 bits of luck leave a bias
    below 2**-100 in the first thirty draws. Cards return only when too few are left, and a number
    used up to 0 takes the top card, which ends every tie.
    """
    rounds: list[tuple[Draw, ...]] = []
    seats = tuple(Seat(seat) for seat in range(profile.seats))
    left: list[Card] = []
    while len(seats) > 1:
        if len(left) < len(seats):
            left = list(profile.deck.cards)
        drawn = []
        for seat in seats:
            number, place = divmod(number, len(left))
            drawn.append(Draw(seat, left.pop(place)))
        rounds.append(tuple(drawn))
        seats = _highest(drawn)
    return tuple(rounds)


def _highest(drawn: Sequence[Draw]) -> tuple[Seat, ...]:
    """Return the seats whose drawn cards count the most points, in the order of drawing: several
    where cards are equal. Raises ValueError for no draws.
    """
    most = max(CARD_POINTS[draw.card] for draw in drawn)
    return tuple(draw.seat for draw in drawn if CARD_POINTS[draw.card] == most)


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

    name = "304"  #: The name in the registry.

    def __init__(self, profile: Profile) -> None:
        """Make the game that is played under `profile`."""
        self.profile = profile
        self.seats = profile.seats  #: How many seats the profile is for.
        self.pack = profile.deck.cards  #: The cards of the profile's pack.

    def action_frame(self, round_: int) -> int:
        """Return the size in bytes of the frame of every action of ledger round `round_`: 2,048,
        or 16,384 in the round of the auction's first call where a redeal is proved without
        showing cards.
        """
        # Round 0 is the deal, round 1 the cut where there is one (specs/07-wire.md, 7.1). All
        # frames of that round are large, so that their size does not tell who demanded a redeal.
        first_call = 1 if self.profile.max_cuts == 0 else 2
        return 16_384 if self.profile.redeal_private and round_ == first_call else 2_048

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
        profile = self.profile
        if profile.partner_called:
            running = RunningMatch(profile, dealer, scores)
            if len(scores) != profile.seats or running.winners:
                raise ValueError(f"no match goes on at {scores}")
            return running
        # Two at six and eight seats, too: OPPOSITE has one entry for each team.
        if len(scores) != len(OPPOSITE):
            raise ValueError(f"a match has {len(OPPOSITE)} scores, not {len(scores)}")
        one, other = scores
        start = profile.tokens_start
        # What one team has gained is what the other's stock has lost.
        stocks = (start - other, start - one) if _sets_aside(profile) else (one, other)
        if min(stocks) <= 0:
            raise ValueError(f"no match goes on at {scores}")
        return TokenMatch(profile, dealer, stocks)


# --- 304 in the registry: from a text of its parameters to the game -------------------------------

# The usual rules, as pagat.com tells them (`profile.py`).
_USUAL: Final = "pagat"


def create(parameters: str) -> Game304:
    """Return the game of 304 under `parameters`, one line as `parse_agreement` reads it; "" is the
    profile pagat.

    Raises ProfileError for any other text.
    """
    return Game304(parse_agreement(parameters or _USUAL))


def full(game: Game304) -> str:
    """Return the text of a charter, which states every parameter of the game."""
    return format_full_agreement(game.profile)
