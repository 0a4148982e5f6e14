"""Score and match where a card is called: a running score for each seat (PROFILES 3.2)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Final

from p2p304.cards import Suit
from p2p304.errors import RulesError
from p2p304.rules304.bids import Bid, Contract, bid_name
from p2p304.rules304.called import holder
from p2p304.rules304.choices import ViolationPrice
from p2p304.rules304.match import SAME_DEALER, first_dealer
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import VOID_WORDS, VoidKind, price_of
from p2p304.rules304.state import End, State
from p2p304.seats import Seat, seat_after, seat_names

#: How a hand ends for which nobody pays or scores.
VOIDS: Final = {
    End.PASSED_OUT: VoidKind.PASSED_OUT,
    End.REDEAL: VoidKind.REDEAL,
    End.SPOILT: VoidKind.SPOILT,
}
# PROFILES 3.2: points of a marriage, of one in trumps, of the last trick.
MARRIAGE: Final = 20
TRUMP_MARRIAGE: Final = 40
LAST_TRICK: Final = 10
LONE: Final = 3  #: How many times a maker without a partner counts (PROFILES 3.2).
_BROKEN: Final = 2  #: What a broken rule costs beyond a lost hand (RULES 15 line 2).
#: What it costs instead where the profile prices it at three tokens (RULES 15 line 2).
_BROKEN_FLAT: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningFacts:
    """What is established about a hand that is over.

    `partner` is None for a maker who played alone. `points` and `tricks` are those of the maker's
    side; `target` is what it needed: the bid after marriages and the last trick.
    """

    seats: int
    maker: Seat | None = None
    partner: Seat | None = None
    bid: Bid | None = None
    points: int = 0
    tricks: int = 0
    all_tricks: int = 8  #: How many the hand had: under Half Court as many as the first cards.
    target: int = 0
    void: VoidKind | None = None  #: Why nobody scores; None for a hand that counts.
    #: Who broke a rule, by a false call of spoilt trumps; None where nobody did.
    offender: Seat | None = None

    @property
    def side(self) -> tuple[Seat, ...]:
        """The maker's side: the maker first, then its partner if it has one; empty without a
        maker.
        """
        return tuple(seat for seat in (self.maker, self.partner) if seat is not None)

    @property
    def made(self) -> bool:
        """Whether the maker's side made its bid: enough points, or every trick under a contract;
        False without a bid.
        """
        if isinstance(self.bid, Contract):
            return self.tricks == self.all_tricks
        return self.bid is not None and self.points >= self.target


@dataclass(frozen=True, slots=True)
class RunningOutcome:
    """What a hand with a called partner brings each seat, and why; the game interface's Outcome."""

    profile: Profile
    facts: RunningFacts

    @property
    def void(self) -> VoidKind | None:
        """Why nobody scores; None for a hand that counts."""
        return self.facts.void

    @property
    def played(self) -> bool:
        """Whether cards were played: not where all passed, or a redeal was asked for."""
        return self.facts.void not in (VoidKind.PASSED_OUT, VoidKind.REDEAL)

    @property
    def worth(self) -> int:
        """The points that each seat wins or loses, before a maker without a partner has them
        three times: the bid's price, or what a broken rule costs. 0 for a void hand, and without
        a bid.
        """
        facts = self.facts
        # Without a bid there is no price, whether or not the facts call the hand void.
        if facts.void is not None or facts.bid is None:
            return 0
        price = price_of(self.profile, facts.bid)
        if facts.offender is None:
            return price.made if facts.made else price.failed
        if self.profile.spoilt_false_call is ViolationPrice.THREE_TOKENS:
            # PROFILES 3.2 takes the prices of a violation from RULES 15 line 2.
            return _BROKEN_FLAT
        lost = price.failed if facts.offender in facts.side else price.made
        return lost + _BROKEN

    @property
    def won_by_maker(self) -> bool:
        """Whether the maker's side wins: where a rule was broken, if an opponent broke it; else
        if the side made its bid.
        """
        offender = self.facts.offender
        return self.facts.made if offender is None else offender not in self.facts.side

    @property
    def scores(self) -> tuple[int, ...]:
        """The change of each seat's score, in seat order: `worth` won or lost by each, three
        times for a maker without a partner; zeros for a void hand.
        """
        facts, worth = self.facts, self.worth
        alone = facts.maker if facts.partner is None else None
        return tuple(
            # A seat gains where it is on the winning side: both true, or both false.
            (worth if (seat in facts.side) is self.won_by_maker else -worth)
            * (LONE if seat == alone else 1)
            for seat in range(facts.seats)
        )

    @property
    def summary(self) -> str:
        """The outcome in one sentence: what the maker's side made or failed, or who called
        spoilt trumps falsely, with each seat's change of score; of a void hand why, and that
        nobody scores.
        """
        facts = self.facts
        if facts.void is not None:
            return f"{VOID_WORDS[facts.void]}: nobody scores."
        names = seat_names(facts.seats)
        side = " and ".join(names[seat] for seat in facts.side)
        if facts.offender is not None:
            what = f"{names[facts.offender]} called spoilt trumps falsely"
        else:
            # A hand that is not void, and in which no rule was broken, had a bid.
            assert facts.bid is not None
            verb = "made" if facts.made else "failed"
            what = f"{side} {verb} {bid_name(facts.bid)}"
            if not isinstance(facts.bid, Contract):
                what += f" with {points_text(self.profile, facts.points)} points"
                if facts.target != facts.bid:
                    what += f", {points_text(self.profile, facts.target)} needed"
        pairs = zip(names, self.scores, strict=True)
        return f"{what}: {', '.join(f'{name} {score:+}' for name, score in pairs)}."


def points_text(profile: Profile, points: int) -> str:
    """Return points as this table shows them: 304 -> "304"; where the profile divides by ten
    "30.4", and 300 -> "30".
    """
    if not profile.divide_by_ten:
        return str(points)
    # Without the sign: of -5, divmod makes -1 and 5.
    whole, tenth = divmod(abs(points), 10)
    # Without a tenth the division leaves no remainder, so that it rounds no negative number down.
    return f"{'-' if points < 0 else ''}{whole}.{tenth}" if tenth else str(points // 10)


def settle_running(state: State) -> RunningOutcome:
    """Return what a hand with a called partner brings each seat, by its last state. The hand must
    be over.

    Points count only where it was played to the end; a broken rule or a lost contract leaves them
    0.
    """
    facts = RunningFacts(seats=state.seats, all_tricks=state.profile.deal_batches.cards)
    if state.end is not None and state.end in VOIDS:
        return RunningOutcome(state.profile, replace(facts, void=VOIDS[state.end]))
    # A hand that is not void had a bid.
    assert state.maker is not None
    assert state.contract is not None
    partner = holder(state)
    # A partner None, of a card that nobody was dealt, wins no trick.
    side = {state.maker, partner}
    won = [trick for trick in state.tricks if trick.winner in side]
    # A contract that is lost ends at once: its points count for nothing.
    counted = state.end is End.PLAYED
    faces = state.faces
    points = sum(CARD_POINTS[faces[play.slot]] for t in won for play in t.plays) if counted else 0
    return RunningOutcome(
        state.profile,
        replace(
            facts,
            maker=state.maker,
            partner=partner,
            bid=state.contract,
            points=points,
            tricks=len(won),
            # Half Court is played with the first cards alone.
            all_tricks=len(state.dealt[state.maker]),
            target=needed_points(state, side) if counted else 0,
            offender=state.violation,
        ),
    )


def needed_points(state: State, side: Set[Seat | None]) -> int:
    """Return the points that the maker's `side` needs for its bid: less for each marriage that it
    showed, more for each that its opponents showed; and, where the last trick counts and all is
    played, ten less or more by who won that.

    0 under a contract, which needs all tricks instead (PROFILES 3.2).
    """
    if not isinstance(state.contract, int):
        return 0
    target = state.contract
    for seat, suit in state.marriages:
        # A marriage of the side lowers what it needs, one of its opponents raises it (PROFILES
        # 3.2).
        target += -marriage_worth(state, suit) if seat in side else marriage_worth(state, suit)
    if state.profile.last_trick and state.end is End.PLAYED:
        target += -LAST_TRICK if state.tricks[-1].winner in side else LAST_TRICK
    return target


def marriage_worth(state: State, suit: Suit) -> int:
    """Return what a shown king and queen of `suit` count: 40 points in trump, else 20."""
    return TRUMP_MARRIAGE if suit is state.trump else MARRIAGE


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
        if outcome.void in SAME_DEALER:
            return self
        pairs = zip(self.scores, outcome.scores, strict=True)
        return replace(
            self,
            dealer=seat_after(self.dealer, seats=self.profile.seats),
            scores=tuple(old + new for old, new in pairs),
        )


def new_running_match(profile: Profile, luck: bytes) -> RunningMatch:
    """Return a match before its first hand, all scores 0, its dealer found from `luck`.

    Raises ValueError for fewer than 32 bytes of luck.
    """
    dealer, _ = first_dealer(profile, luck)
    return RunningMatch(profile, dealer, (0,) * profile.seats)


def running_match_at(profile: Profile, dealer: Seat, scores: tuple[int, ...]) -> RunningMatch:
    """Return a match at these scores, one for each seat, whose next hand `dealer` deals.

    Raises ValueError for another number of scores, and for scores at which the match is over.
    """
    match = RunningMatch(profile, dealer, scores)
    if len(scores) != profile.seats or match.winners:
        raise ValueError(f"no match goes on at {scores}")
    return match
