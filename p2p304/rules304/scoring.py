"""What a hand costs: RULES 15, line by line, from what was established about it; PROFILES 3.2."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final, NamedTuple

from p2p304.cards import Suit
from p2p304.rules304.actions import Bid, Contract, bid_name, bid_text
from p2p304.rules304.called import holder
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import (
    CapsModel,
    ExternalCaps,
    Price,
    Profile,
    Settlement,
    ViolationPrice,
)
from p2p304.rules304.state import End, State
from p2p304.rules304.teams import Team, opponents_of, team_names
from p2p304.seats import Seat, seat_names


class VoidKind(Enum):
    """Why nobody pays for a hand (RULES 15 line 1)."""

    PASSED_OUT = "passed_out"
    REDEAL = "redeal"
    SPOILT = "spoilt"
    #: No hand of the state machine ends so, for shuffled slots cannot be dealt wrongly; facts that
    #: are given, as by a vector, may say it.
    MISDEAL = "misdeal"


class CapsVerdict(Enum):
    """What the audit found about one team's Caps (RULES 13.5, 13.6)."""

    NONE = "none"
    CORRECT_BONUS = "correct"
    CORRECT_NO_BONUS = "correct_late"
    WRONG = "wrong"
    LOST = "lost"


class ViolationKind(Enum):
    """Which rule was broken without being refused on the spot (RULES 16)."""

    # Of these a hand itself finds the false call alone; facts that are given may say any.
    FALSE_STATEMENT = "a false statement"
    FALSE_SPOILT = "a false call of spoilt trumps"
    WRONG_ANNOUNCEMENT = "a wrong announcement"
    HINT = "a hint"
    READ_WITHOUT_RIGHT = "reading a card without right"


class Violation(NamedTuple):
    """A broken rule and the team that answers for it."""

    team: Team
    kind: ViolationKind


class ScoreLine(IntEnum):
    """The line of RULES 15 that decided a hand; the first that fits."""

    VOID = 1
    VIOLATION = 2
    CAPS_LOST = 3
    CAPS_WRONG = 4
    CAPS_CORRECT = 5
    BID = 6


#: Verdicts that only a team with every trick can have.
_ALL_TRICKS: Final = (CapsVerdict.CORRECT_BONUS, CapsVerdict.CORRECT_NO_BONUS)
NO_CAPS: Final = (CapsVerdict.NONE, CapsVerdict.NONE)
# RULES 15: line 2 (lost hand plus 2, or 3 tokens), line 5 (8 in all).
_VIOLATION_EXTRA: Final = 2
_REFEREE_TOKENS: Final = 3
_EXTERNAL_FLAT: Final = 8
_DOUBLE: Final = 1  #: Tokens that a double wins or costs (PROFILES 3.3).
_FOUR: Final = 4  #: Seats up to which the lowest bracket prices a violation before any bid.
_HALF: Final = 4  #: Tricks of Half Court, which is played with four cards.


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFacts:
    """What was established about a hand that has ended.

    `maker_team` and `bid` are those in force, None before any bid; `points` and `tricks` are what
    the maker's team took (points decide numbers, tricks decide contracts); `caps` is one verdict
    for each team. `all_points` and `all_tricks` are those of the pack and of the deal; `double` is
    the team that undertook all tricks after five of them; `maker` is who bid, if that is known.
    Raises ValueError for facts that no hand can have.
    """

    maker_team: Team | None = None
    bid: Bid | None = None
    points: int = 0
    tricks: int = 0
    void: VoidKind | None = None  #: Why nobody pays; None for a hand that counts.
    #: A broken rule that was not refused on the spot; None where there was none.
    violation: Violation | None = None
    caps: tuple[CapsVerdict, CapsVerdict] = NO_CAPS
    # As with the pack for four seats.
    all_points: int = 304
    all_tricks: int = 8
    double: Team | None = None
    maker: Seat | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for facts that no hand can have, such as a bid without a maker's
        team.
        """
        if (self.bid is None) != (self.maker_team is None):
            raise ValueError("a bid and a maker's team go together")
        if self.bid is None and self.void is None and self.violation is None:
            raise ValueError("a hand without a bid is void or ends in a violation")
        if not (0 <= self.points <= self.all_points and 0 <= self.tricks <= self.all_tricks):
            raise ValueError(f"no team takes {self.points} points in {self.tricks} tricks")
        if isinstance(self.bid, Contract) and self.double is not None:
            raise ValueError(f"there is no double under {bid_text(self.bid)}")
        if isinstance(self.bid, Contract) and self.caps != NO_CAPS:
            raise ValueError(f"there are no Caps under {bid_text(self.bid)}")
        for team, verdict in enumerate(self.caps):
            points = self.all_points if team == self.maker_team else 0
            # Correct caps took every trick: the maker's team has all points, or none where the
            # defenders called.
            if verdict in _ALL_TRICKS and self.points != points:
                raise ValueError("caps are correct only for a team that took all points")

    @property
    def made(self) -> bool:
        """Whether the maker's team took the points of its bid, or all tricks of its contract;
        False without a bid. Caps and violations do not count.
        """
        if isinstance(self.bid, Contract):
            half = self.bid is Contract.HALF_COURT
            return self.tricks >= (_HALF if half else self.all_tricks)
        return self.bid is not None and self.points >= self.bid

    @property
    def double_won(self) -> bool:
        """Whether a team called double and took every trick."""
        # `tricks` are those of the maker's team: none, if the other team won all.
        return self.double is not None and self.tricks == (
            self.all_tricks if self.double == self.maker_team else 0
        )

    @property
    def bid_loser(self) -> Team | None:
        """The team that would pay if only the bid counted: the maker's if it failed, else the
        other; None without a bid.
        """
        if self.maker_team is None:
            return None
        return opponents_of(self.maker_team) if self.made else self.maker_team


@dataclass(frozen=True, slots=True)
class HandOutcome:
    """What a hand costs whom, and why; the game interface's Outcome.

    `payer` is None and `amount` 0 when nobody pays. A payer without enough tokens pays less: that
    is the match's business.
    """

    facts: HandFacts
    line: ScoreLine
    payer: Team | None
    amount: int
    settlement: Settlement
    teams: tuple[str, str]  #: What the teams are called.

    @property
    def played(self) -> bool:
        """Whether cards were played: false for a redeal, a misdeal and a hand passed out."""
        return self.facts.void not in (VoidKind.PASSED_OUT, VoidKind.REDEAL, VoidKind.MISDEAL)

    @property
    def scores(self) -> tuple[int, ...]:
        """The change of the tokens of team 0 and of team 1, as if each had enough to pay."""
        return token_changes(self.payer, self.amount, self.settlement)

    @property
    def summary(self) -> str:
        """The outcome in one sentence: what happened, who pays, how many tokens."""
        if self.payer is None:
            return f"{_why(self)}: nobody pays."
        tokens = "1 token" if self.amount == 1 else f"{self.amount} tokens"
        paid = f"{_why(self)}: {self.teams[self.payer]} pay {tokens}"
        return (
            f"{paid}, and the bid brings nothing."
            if self.line is ScoreLine.CAPS_LOST
            else f"{paid}."
        )


def token_changes(payer: Team | None, amount: int, settlement: Settlement) -> tuple[int, int]:
    """Return the change of the tokens of team 0 and of team 1 when team `payer` pays `amount`; (0,
    0) for None.

    Under the settlement "bank" the other team receives nothing (RULES 16).
    """
    if payer is None:
        return (0, 0)
    gain = 0 if settlement is Settlement.BANK else amount
    return (-amount, gain) if payer == 0 else (gain, -amount)


def price_of(profile: Profile, bid: Bid) -> Price:
    """Return the price of `bid`: the tokens that it brings when it is made and costs when it
    fails (RULES 15).
    """
    match bid:
        case Contract.PARTNER_CLOSE_CAPS:
            return profile.tokens_pcc
        case Contract.HALF_COURT:
            return profile.tokens_half_court
        case Contract.FULL_COURT:
            return profile.tokens_full_court
        case _ if bid >= profile.bracket_top:
            return profile.tokens_250_up
        case _ if bid >= profile.bracket_middle:
            return profile.tokens_200_249
        case _:
            return profile.tokens_under_200


def base_amount(profile: Profile, facts: HandFacts, team: Team) -> int:
    """Return the tokens that `team` pays when it loses a hand with these facts: the maker's team
    the failed price of its bid, the other team the made price.

    Without a bid it is the failed price of the lowest bracket (RULES 16, ruling 79), at more than
    four seats of the lowest bid (ruling 96).
    """
    if facts.bid is None:
        if profile.seats > _FOUR:
            return price_of(profile, profile.bid_min).failed
        return profile.tokens_under_200.failed
    price = price_of(profile, facts.bid)
    return price.failed if team == facts.maker_team else price.made


def score_hand(profile: Profile, facts: HandFacts) -> HandOutcome:
    """Return which team pays how many tokens for a hand with these facts, by the first line of
    RULES 15 that fits.

    Raises ValueError for a verdict on caps under a profile without caps.
    """
    if profile.caps_model is CapsModel.OFF and facts.caps != NO_CAPS:
        raise ValueError(f"there are no Caps under {profile.name}")
    line, payer, amount = _first_line(profile, facts)
    names = team_names(profile.seats)
    return HandOutcome(facts, line, payer, amount, profile.settlement, names)


def _first_line(profile: Profile, facts: HandFacts) -> tuple[ScoreLine, Team | None, int]:
    """Return the first line of RULES 15 that fits, the team that pays (None for nobody), and how
    many tokens.
    """
    # In the order of RULES 15: the first line that fits decides.
    if facts.void is not None:
        return ScoreLine.VOID, None, 0
    if facts.violation is not None:
        broken = facts.violation
        false_spoilt = broken.kind is ViolationKind.FALSE_SPOILT
        price = profile.spoilt_false_call if false_spoilt else profile.violation
        lost = base_amount(profile, facts, broken.team)
        return ScoreLine.VIOLATION, broken.team, _violation_amount(price, lost)
    for line, verdict, least in (
        (ScoreLine.CAPS_LOST, CapsVerdict.LOST, profile.caps_called_trick_lost),
        (ScoreLine.CAPS_WRONG, CapsVerdict.WRONG, profile.caps_late_or_early_penalty),
    ):
        if verdict in facts.caps:
            # Wrong on both sides: team 0 pays (specs/rules.md 13 line 4).
            team = Team(facts.caps.index(verdict))
            # RULES 15: what the team would pay on the bid alone, 0 if it would receive.
            due = base_amount(profile, facts, team) if team == facts.bid_loser else 0
            return line, team, max(least, due)
    loser = facts.bid_loser
    # HandFacts refuses a hand without a bid that is neither void nor ended by a violation.
    assert loser is not None
    base = base_amount(profile, facts, loser)
    if facts.double is not None:
        return _with_double(facts, loser, base)
    # The loser of the bid pays the bonus; correct caps have won every trick, so the caller won the
    # bid.
    if facts.caps[opponents_of(loser)] is not CapsVerdict.CORRECT_BONUS:
        return ScoreLine.BID, loser, base
    if loser == facts.maker_team and profile.external_caps is ExternalCaps.FLAT_EIGHT:
        return ScoreLine.CAPS_CORRECT, loser, _EXTERNAL_FLAT
    return ScoreLine.CAPS_CORRECT, loser, base + profile.caps_bonus


def _with_double(facts: HandFacts, loser: Team, base: int) -> tuple[ScoreLine, Team | None, int]:
    """Return line, paying team and tokens of a hand with a double: the bid's price and the one
    token of the double, added or set off against each other in one payment (PROFILES 3.3, ruling
    115).

    `loser` is the team that lost the bid, `base` what it pays for that. A team that won the bid but
    failed its double receives one token less; nobody pays where that leaves 0.
    """
    # Asked only where double was called.
    assert facts.double is not None
    payer = opponents_of(facts.double) if facts.double_won else facts.double
    # Who fails a double but wins the bid receives a token less; 0 means that nobody pays.
    due = base + (_DOUBLE if payer == loser else -_DOUBLE)
    if due == 0:
        return ScoreLine.BID, None, 0
    return ScoreLine.BID, loser if due > 0 else payer, abs(due)


def _violation_amount(price: ViolationPrice, lost: int) -> int:
    """Return the tokens that a violation costs at this price: three, or two more than `lost`, what
    a lost hand costs who broke the rule.
    """
    return _REFEREE_TOKENS if price is ViolationPrice.THREE_TOKENS else lost + _VIOLATION_EXTRA


VOID_WORDS: Final = {
    VoidKind.PASSED_OUT: "All seats passed",
    VoidKind.REDEAL: "The player at the dealer's right asked for new cards",
    VoidKind.SPOILT: "Spoilt trumps",
    VoidKind.MISDEAL: "A misdeal",
}

# Without LOST, which is told alone, and without the bid (`_why`).
_CAPS_WORDS: Final = {
    CapsVerdict.CORRECT_BONUS: "called Caps correctly",
    CapsVerdict.CORRECT_NO_BONUS: "called Caps correctly, too late for the bonus",
    CapsVerdict.WRONG: "are charged with Wrong Caps",
}


def _why(outcome: HandOutcome) -> str:
    """Return what decided the hand, as the beginning of a sentence: "North-South made 160 with
    180 points", with caps and a double added; or which team called caps and lost a trick, why
    the hand is void, or who broke which rule.
    """
    facts = outcome.facts
    if facts.void is not None:
        return VOID_WORDS[facts.void]
    if facts.violation is not None:
        return (
            f"{outcome.teams[facts.violation.team]} broke the rules by {facts.violation.kind.value}"
        )
    # As in `_first_line`.
    assert facts.bid is not None
    assert facts.maker_team is not None
    if outcome.line is ScoreLine.CAPS_LOST:
        return f"{outcome.teams[facts.caps.index(CapsVerdict.LOST)]} called Caps and lost a trick"
    contract = isinstance(facts.bid, Contract)
    verb = "made" if facts.made else "failed"
    took = "" if contract else f" with {facts.points} points"
    words = [f"{outcome.teams[facts.maker_team]} {verb} {bid_name(facts.bid)}{took}"]
    words += [
        f"{name} {_CAPS_WORDS[verdict]}"
        for name, verdict in zip(outcome.teams, facts.caps, strict=True)
        if verdict is not CapsVerdict.NONE
    ]
    if facts.double is not None:
        end = "won every trick" if facts.double_won else "lost a trick"
        words.append(f"{outcome.teams[facts.double]} called double and {end}")
    return " and ".join(words)


# --- where a card is called: a running score for each seat (PROFILES 3.2) -------------------------

#: How a hand ends for which nobody pays or scores.
VOIDS: Final = {each: VoidKind[each.name] for each in (End.PASSED_OUT, End.REDEAL, End.SPOILT)}
# PROFILES 3.2: points of a marriage, of one in trumps, of the last trick.
MARRIAGE: Final = 20
TRUMP_MARRIAGE: Final = 40
LAST_TRICK: Final = 10
LONE: Final = 3  #: How many times a maker without a partner counts (PROFILES 3.2).


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
    def played(self) -> bool:
        """Whether cards were played: not where all passed, or a redeal was asked for."""
        return self.facts.void not in (VoidKind.PASSED_OUT, VoidKind.REDEAL)

    @property
    def scores(self) -> tuple[int, ...]:
        """The change of each seat's score, in seat order: the bid's price, or what a broken rule
        costs, won or lost by each, three times for a maker without a partner; zeros for a void
        hand.
        """
        facts = self.facts
        # Without a bid there is no price, whether or not the facts call the hand void.
        if facts.void is not None or facts.bid is None:
            return (0,) * facts.seats
        won = facts.made if facts.offender is None else facts.offender not in facts.side
        price = price_of(self.profile, facts.bid)
        worth = price.made if won else price.failed
        if facts.offender is not None:
            # PROFILES 3.2 takes the prices of a violation from RULES 15 line 2.
            worth = _violation_amount(self.profile.spoilt_false_call, worth)
        alone = facts.maker if facts.partner is None else None
        return tuple(
            # A seat gains where it is on the winning side: both true, or both false.
            (worth if (seat in facts.side) is won else -worth) * (LONE if seat == alone else 1)
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
    return f"{points / 10:g}"


def settle_running(state: State) -> RunningOutcome:
    """Return what a hand with a called partner brings each seat, by its last state. The hand must
    be over.

    Points count only where it was played to the end; a broken rule or a lost contract leaves them
    0.
    """
    if state.end is not None and state.end in VOIDS:
        cards = state.profile.deal_batches.cards
        facts = RunningFacts(seats=state.seats, all_tricks=cards, void=VOIDS[state.end])
        return RunningOutcome(state.profile, facts)
    # A hand that is not void had a bid.
    maker, partner = state.the_maker, holder(state)
    # A partner None, of a card that nobody was dealt, wins no trick.
    side = {maker, partner}
    won = [trick for trick in state.tricks if trick.winner in side]
    # A contract that is lost ends at once: its points count for nothing.
    counted = state.end is End.PLAYED
    faces = state.faces
    points = sum(CARD_POINTS[faces[play.slot]] for t in won for play in t.plays) if counted else 0
    return RunningOutcome(
        state.profile,
        RunningFacts(
            seats=state.seats,
            maker=maker,
            partner=partner,
            bid=state.the_contract,
            points=points,
            tricks=len(won),
            # Half Court is played with the first cards alone.
            all_tricks=len(state.dealt[maker]),
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
    shown = [(seat, marriage_worth(state, suit)) for seat, suit in state.marriages]
    if state.profile.last_trick and state.end is End.PLAYED:
        shown.append((state.tricks[-1].winner, LAST_TRICK))
    # What the side has lowers what it needs, what its opponents have raises it (PROFILES 3.2).
    return state.contract + sum(-worth if seat in side else worth for seat, worth in shown)


def marriage_worth(state: State, suit: Suit) -> int:
    """Return what a shown king and queen of `suit` count: 40 points in trump, else 20."""
    return TRUMP_MARRIAGE if suit is state.trump else MARRIAGE
