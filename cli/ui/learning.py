"""What a player can learn at the table: the rules of the moment, a bot's hint, a hand's summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from cli.story import bid_name
from cli.ui.model import Summary, taken
from cli.ui.words import SUIT_NAMES, place
from p2p304.bots.competent import CompetentPlayer
from p2p304.bots.thinking import Advice
from p2p304.rules304.choices import (
    CapsModel,
    PartnerOverbid,
    ReentryRule,
    RevealOnCut,
    Settlement,
)
from p2p304.rules304.count import points_of_teams
from p2p304.rules304.pack import RANK_POINTS, RANKS_HIGH_TO_LOW
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import CapsVerdict, price_of
from p2p304.rules304.state import End, Phase, State, partner
from p2p304.rules304.teams import TEAM_NAMES, team_of
from p2p304.seats import Seat
from p2p304.view import View

HINT_SEED: Final = 304


def hint(view: View[State]) -> Advice:
    """What a bot would do in this seat, from this very view, and why. Takes a while."""
    return CompetentPlayer(HINT_SEED).advice(view)


def rules_now(state: State | None, seat: Seat | None) -> tuple[str, ...]:
    """The rules of this very situation, in short paragraphs, from the table's own profile.

    `seat` is the reader's; None for a spectator.
    """
    if state is None:
        return ("The cards are being shuffled by all four seats, so that nobody knows any.",)
    explain = _EXPLAIN.get(state.phase)
    lines = [] if explain is None else list(explain(Moment(state, state.profile, seat)))
    return tuple(lines) or ("There is nothing to do for you just now.",)


def lesson(state: State | None, seat: Seat | None) -> tuple[str, ...]:
    """The rules of this very situation, and then the game in short, for who has never seen it."""
    known = rules_now(state, seat)
    return (*known, "", *(line for line in _IN_SHORT if line not in known))


def ranks_line() -> str:
    """The ranks from high to low, each with its points."""
    ranks = (
        f"{'10' if rank.letter == 'T' else rank.letter} {RANK_POINTS[rank]}"
        for rank in RANKS_HIGH_TO_LOW
    )
    return f"From high to low, with points: {', '.join(ranks)}. All four suits: 304."


_IN_SHORT: Final = (
    "304 in short: four players, two teams, partners across the table. Everything goes round to"
    " the right, counter-clockwise.",
    ranks_line(),
    "With four cards in hand you bid how many of those points your team will take. The highest"
    " bidder, the maker, lays one card face down, the indicator: its suit is trump, and nobody else"
    " knows it.",
    "After four more cards each, eight tricks are played. Whoever can must follow the suit led; its"
    " highest card wins the trick, unless a trump lies there.",
    "While trump is hidden, who cannot follow plays a card face down. The maker looks at it: if it"
    " is a trump, it is shown and wins, and trump is open from then on.",
    "If the maker's team takes the points it bid, the hand counts for it, else against it, and"
    " more. What is won and lost are tokens: the numbers at the top.",
)
"""What a newcomer needs under every profile; the moments say the rest."""


class Moment(NamedTuple):
    """What an explanation depends on."""

    state: State
    profile: Profile
    seat: Seat | None


Explanation = Callable[[Moment], Iterator[str]]


def _cut(now: Moment) -> Iterator[str]:
    who = place(now.state.awaiting[0])
    yield f"{who}, left of the dealer, may cut: the shuffled pack is turned."
    yield "Type a number from 1 to 31 and Enter, or Enter alone to leave the pack as it is."
    yield "Four cards each are dealt then, beginning at the dealer's right, as everything here."


def _auction4(now: Moment) -> Iterator[str]:
    yield (
        "You bid how many of the 304 points your team will take. The highest bidder chooses trump"
        " by laying one of the four cards face down."
    )
    step = now.profile.bid_step_low
    high = now.profile.bid_step_high
    steps = f"in steps of {step}" + (f", of {high} above 200" if high != step else "")
    least, most = now.profile.bid_min, now.profile.bid_max
    yield f"Numbers from {least} to {most}, {steps}, above the standing bid."
    if now.profile.bid_shorthand:
        said, meant = now.profile.bid_shorthand[0]
        yield f"Short numbers do: {said} means {meant}."
    match now.profile.reentry_rule:
        case ReentryRule.NEVER:
            yield "Every seat has one call in this auction."
        case ReentryRule.FROM_200:
            yield "Once you have spoken, you may bid again from 200 upwards only."
        case ReentryRule.FROM_200_IF_FIRST:
            yield "Once you have spoken, you may bid 200 or more only while nobody has."
    if now.profile.partner_overbid4 is PartnerOverbid.NEVER:
        yield "Nobody bids over the partner."
    else:
        yield "Over your partner's bid you need 200 or more."
    if now.profile.ask_partner:
        answer = "may pass" if now.profile.asked_partner_may_pass else "must bid"
        yield f"Instead of speaking you may ask your partner to; an asked partner {answer}."
    if now.profile.redeal_below:
        yield (
            f"The dealer's right may demand new cards instead of a first call, with fewer than"
            f" {now.profile.redeal_below} points."
        )
    yield ranks_line()


def _auction8(now: Moment) -> Iterator[str]:
    assert now.state.contract is not None
    yield (
        f"With all eight cards everybody may outbid {bid_name(now.state.contract)} once, from"
        f" {now.profile.auction8_min} upwards; the new maker lays a new indicator."
    )
    if now.profile.pcc:
        yield (
            "Partner Close Caps is the highest bid: the partner's cards are laid aside and the"
            " bidder undertakes to win all eight tricks alone."
        )
    yield "If all pass, the four-card bid stands. Most hands: pass."


def _indicator(_: Moment) -> Iterator[str]:
    yield "The maker lays one card face down, the indicator. Its suit is trump."
    yield "Nobody else knows trump until the indicator is shown; you play your hand without it."


def _declare(now: Moment) -> Iterator[str]:
    yield (
        "Closed, trump stays hidden: who cannot follow plays face down, and you alone see whether"
        " somebody has cut. Open, you show the indicator and take it into your hand."
    )
    yield (
        "With hidden trump you cannot cut with or throw away trumps of your hand; the indicator"
        " alone cuts. It cannot follow a trump lead before the last trick."
    )
    if now.profile.first_lead_ban:
        yield "With closed trump a maker does not lead trump to the first trick."


def _window(now: Moment) -> Iterator[str]:
    yield "Between tricks everybody may claim something. Without a claim, press Enter to go on."
    yield from _caps_rules(now.profile)
    if now.profile.spoilt_trumps:
        cost = now.profile.spoilt_false_call.value
        yield (
            "Spoilt trumps: the two defenders were dealt no trump at all. Anybody may call it; if"
            f" it is true the hand is void, if not it costs the caller's team: {cost}."
        )


def _caps_rules(profile: Profile) -> Iterator[str]:
    match profile.caps_model:
        case CapsModel.OFF:
            return
        case CapsModel.OUTCOME:
            yield (
                "Caps: call it when your team will win all eight tricks. Called and won before"
                f" trick {profile.caps_bonus_before} it pays more; won without a call is Wrong"
                f" Caps; a lost trick after a call costs {profile.caps_called_trick_lost}."
            )
        case CapsModel.EPISTEMIC:
            yield (
                "Caps: as soon as some order of your cards is certain to win every trick, whatever"
                " anybody else holds and plays, you must call it, and your team must have won every"
                f" trick so far. In time (before trick {profile.caps_bonus_before}) it pays"
                f" {profile.caps_bonus} more. Too early, too late or missed is Wrong Caps:"
                f" {profile.caps_late_or_early_penalty} or more."
            )


def _trick(now: Moment) -> Iterator[str]:
    hidden = now.state.trump is None
    if now.state.plays:
        led = SUIT_NAMES[now.state.faces[now.state.plays[0].slot].suit]
        yield f"{led.capitalize()} are led. Who has {led} must follow, with any of them."
        if hidden:
            yield (
                "Trump is hidden: who cannot follow plays any card face down. Whether it is a"
                " trump shows at the end of the trick, when the maker looks at it."
            )
        else:
            yield "Who cannot follow plays any card; there is no duty to trump or to overtrump."
    else:
        yield "The leader plays any card face up; everybody must follow its suit."
    if now.state.trump is not None:
        yield f"Trump is {SUIT_NAMES[now.state.trump]}; the highest trump wins, else the led suit."
    mine = now.seat is not None and now.seat == now.state.maker
    if mine and hidden:
        yield (
            "As the maker with hidden trump you cut with the indicator alone; trumps of your hand"
            " can be led or follow, but neither cut nor be thrown away."
        )
        if now.profile.first_lead_ban and not now.state.tricks and not now.state.plays:
            yield "You do not lead trump to the first trick."
    if now.profile.exhausted_trumps and now.seat == now.state.maker and now.state.unfollowed:
        yield "You led trumps that nobody followed: go on leading trumps while you have some."
    yield ranks_line()


def _inspect(now: Moment) -> Iterator[str]:
    yield (
        "The maker looks at the face-down cards of the trick. If none is a trump, nobody else"
        " ever sees them before the count, and the highest card of the led suit wins."
    )
    too = now.profile.reveal_on_cut is RevealOnCut.MAKERS_DISCARD_TOO
    more = " and the maker's own discard" if too else ""
    yield f"If one is a trump, they are shown{more}, the indicator too, and trump is open for good."


def _show_indicator(now: Moment) -> Iterator[str]:
    least = now.profile.open_after_trick1_from
    yield f"With a bid of {least} or more trump is opened after trick 1."


def _caps_answer(now: Moment) -> Iterator[str]:
    yield (
        "Your opponents claim every trick. Concede if you believe it; contest to have the cards"
        " played out in the order stated. Contesting costs nothing."
    )
    yield f"If they lose a trick, they pay {now.profile.caps_called_trick_lost} or more."


def _count(_: Moment) -> Iterator[str]:
    yield "The cards are opened and counted; every program at the table comes to the same result."


_EXPLAIN: Final[Mapping[Phase, Explanation]] = {
    Phase.CUT: _cut,
    Phase.AUCTION4: _auction4,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _auction8,
    Phase.INDICATOR8: _indicator,
    Phase.DECLARE: _declare,
    Phase.WINDOW: _window,
    Phase.TRICK: _trick,
    Phase.INSPECT: _inspect,
    Phase.SHOW_INDICATOR: _show_indicator,
    Phase.CAPS_RESPONSE: _caps_answer,
    Phase.SPOILT_INDICATOR: _show_indicator,
    Phase.COUNT: _count,
    Phase.OVER: _count,
}


# --- after a hand -----------------------------------------------------------------------------

_COUNTED: Final = (End.PLAYED, End.CONCEDED, End.CAPS_LOST)
"""How a hand ends in which every card of every trick is open."""

_CAPS_JUDGED: Final = {
    CapsVerdict.CORRECT_BONUS: "called Caps correctly and in time: a bonus",
    CapsVerdict.CORRECT_NO_BONUS: "called Caps correctly, too late for the bonus",
    CapsVerdict.LOST: "called Caps and lost a trick",
}


def summary_lines(summary: Summary) -> tuple[str, ...]:
    """The hand in a few lines: bid, tricks, points, tokens, verdicts, and how to check it all."""
    outcome, state = summary.outcome, summary.state
    facts = outcome.facts
    lines = [outcome.summary, ""]
    if facts.bid is not None and state.maker is not None:
        mate = partner(state.maker)
        team = f"{place(state.maker)} with {place(mate)}"
        price = price_of(state.profile, facts.bid)
        worth = f"worth {price.made} if made, {price.failed} if not"
        lines.append(f"Bid       {bid_name(facts.bid)} by {team}; {worth}")
        if facts.void is None:
            lines.append(f"Tricks    {_sides(_tricks(state, facts.maker_team, facts.tricks))}")
            if state.end in _COUNTED:
                lines.append(f"Points    {_sides(points_of_teams(state))}")
    for side, verdict in enumerate(facts.caps):
        if verdict is not CapsVerdict.NONE:
            lines.append(f"Caps      {TEAM_NAMES[side]}: {_judged(state, side, verdict)}")
    if facts.violation is not None:
        broken = facts.violation
        lines.append(f"Violation {TEAM_NAMES[broken.team]}: {broken.kind.value}")
    counted = "Gained" if state.profile.settlement is Settlement.OWN_STOCK else "Tokens"
    lines.append(f"{counted:<9} {_sides(summary.scores)}")
    if summary.winner is not None:
        lines.append(f"{TEAM_NAMES[summary.winner]} win the match.")
    if summary.transcript:
        lines += [
            "",
            "Everything that was signed in this hand is kept, and anyone can check it:",
            f"p2p304 audit {summary.transcript}",
        ]
    return tuple(lines)


def _judged(state: State, team: int, verdict: CapsVerdict) -> str:
    """What was judged about a team's caps, and why."""
    if verdict is not CapsVerdict.WRONG:
        return _CAPS_JUDGED[verdict]
    if state.caps is None or team_of(state.caps.seat) != team:
        return "an order was certain to win every trick, and nobody called"
    who = place(state.caps.seat)
    return f"{who} called before that order was certain, or after the time for it had run out"


def _tricks(state: State, maker_team: int | None, tricks: int) -> tuple[int, int]:
    if state.end is not None and state.caps is not None and state.caps.contested is False:
        other = 8 - tricks
        return (tricks, other) if maker_team == 0 else (other, tricks)
    both = taken(state)
    return both[0].tricks, both[1].tricks


def _sides(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"{name} {count}" for name, count in zip(TEAM_NAMES, numbers, strict=True))
