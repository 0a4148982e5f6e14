"""What a player can learn at the table: the rules of the moment, and a bot's hint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from cli.story import bid_name, card_text
from cli.ui.claims import caps_answer, contested, spoilt_answer, spoilt_indicator, window
from cli.ui.moment import Moment
from cli.ui.words import SUIT_NAMES, place
from p2p304.bots.competent import CompetentPlayer
from p2p304.bots.thinking import Advice
from p2p304.cards import Card, parse_card
from p2p304.rules304.choices import (
    PartnerOverbid,
    ReentryRule,
    RevealOnCut,
)
from p2p304.rules304.pack import RANK_POINTS, RANKS_HIGH_TO_LOW
from p2p304.rules304.play import exhausted_binds, idle_seat
from p2p304.rules304.state import End, Phase, State, right_of
from p2p304.seats import Seat
from p2p304.slots import Slot
from p2p304.view import View

HINT_SEED: Final = 304
_CARD: Final = re.compile(r"\b[7-9TJQKA][SHDC]\b")
"""A card as the rules write it."""


def hint(view: View[State], *, ascii_only: bool = False) -> Advice:
    """What a bot would do in this seat, from this very view, and why, with cards as the screen
    shows them. Takes a while."""
    advice = CompetentPlayer(HINT_SEED).advice(view)

    def shown(found: re.Match[str]) -> str:
        return card_text(parse_card(found.group()), ascii_only=ascii_only)

    return advice._replace(reason=_CARD.sub(shown, advice.reason))


def rules_now(
    state: State | None, seat: Seat | None, faces: Mapping[Slot, Card] | None = None
) -> tuple[str, ...]:
    """The rules of this very situation, in short paragraphs, from the table's own profile.

    `seat` is the reader's; None for a spectator. `faces` are those that the reader knows: without
    them a rule that depends on a hidden card is told with its condition.
    """
    if state is None:
        return ("The cards are being shuffled by all four seats, so that nobody knows any.",)
    return tuple(_EXPLAIN[state.phase](Moment(state, state.profile, seat, faces or {})))


def lesson(
    state: State | None, seat: Seat | None, faces: Mapping[Slot, Card] | None = None
) -> tuple[str, ...]:
    """The rules of this very situation, and then the game in short, for who has never seen it."""
    known = rules_now(state, seat, faces)
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


Explanation = Callable[[Moment], Iterator[str]]


def _cut(now: Moment) -> Iterator[str]:
    who = "You" if now.mine else place(now.state.awaiting[0])
    yield f"{who}, left of the dealer, may cut: the shuffled pack is turned."
    if now.mine:
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


def _indicator(now: Moment) -> Iterator[str]:
    if now.made_by_me:
        yield "You lay one card face down, the indicator. Its suit is trump."
        yield "Nobody else knows trump until it is shown; you play your hand without it."
        return
    yield f"{now.maker} lays one card face down, the indicator. Its suit is trump."
    yield "Nobody else knows trump until the indicator is shown."


def _sorting(_: Moment) -> Iterator[str]:
    yield (
        "Every seat mixes its own hand anew, unseen: nobody can tell later from a card whether it"
        " was among the first four. Nothing is decided by it."
    )


def _declare(now: Moment) -> Iterator[str]:
    if not now.made_by_me:
        yield (
            f"{now.maker} decides. Closed, trump stays hidden: who cannot follow plays face down,"
            " and the maker alone sees whether somebody has cut. Open, the indicator is shown and"
            " taken into the maker's hand."
        )
        return
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


def _trick(now: Moment) -> Iterator[str]:
    state = now.state
    if now.seat is not None and now.seat == idle_seat(state):
        yield "Your partner plays alone: your cards are laid aside, and the trick passes you by."
    face_up = state.caps is not None and state.caps.contested is True
    if face_up:
        yield from contested(now)
    if not state.plays:
        yield "The leader plays any card face up; everybody must follow its suit."
    else:
        led = SUIT_NAMES[state.faces[state.plays[0].slot].suit]
        yield f"{led.capitalize()} are led. Who has {led} must follow, with any of them."
        if state.trump is not None:
            yield "Who cannot follow plays any card; there is no duty to trump or to overtrump."
        elif face_up:
            yield "Who cannot follow plays any card, face up like all since caps were contested."
        else:
            yield (
                "Trump is hidden: who cannot follow plays any card face down. Whether it is a"
                " trump shows at the end of the trick, when the maker looks at it."
            )
    if state.trump is not None:
        yield f"Trump is {SUIT_NAMES[state.trump]}; the highest trump wins, else the led suit."
    if now.made_by_me:
        yield from _makers_limits(now)
    yield ranks_line()


def _makers_limits(now: Moment) -> Iterator[str]:
    state = now.state
    if state.trump is None:
        yield (
            "As the maker with hidden trump you cut with the indicator alone; trumps of your hand"
            " can be led or follow, but neither cut nor be thrown away."
        )
        if now.profile.first_lead_ban and not state.tricks and not state.plays:
            yield "You do not lead trump to the first trick."
    if not exhausted_binds(state) or not state.unfollowed:
        return
    trump = now.trump
    if trump is not None and trump in state.unfollowed:
        yield (
            f"You led trump, {SUIT_NAMES[trump]}, and nobody followed: at your leads go on with"
            " trumps while you have some."
        )
    elif trump is None:
        led = " or ".join(SUIT_NAMES[suit] for suit in state.unfollowed)
        yield f"You led {led}, and nobody followed: if that is trump, go on leading it."


def _inspect(now: Moment) -> Iterator[str]:
    looks = "You alone look" if now.made_by_me else f"{now.maker} looks"
    yield (
        f"{looks} at the face-down cards of the trick. If none is a trump, nobody else"
        " ever sees them before the count, and the highest card of the led suit wins."
    )
    too = now.profile.reveal_on_cut is RevealOnCut.MAKERS_DISCARD_TOO
    more = " and the maker's own discard" if too else ""
    yield f"If one is a trump, they are shown{more}, the indicator too, and trump is open for good."


def _show_indicator(now: Moment) -> Iterator[str]:
    least = now.profile.open_after_trick1_from
    yield f"With a bid of {least} or more trump is opened after trick 1."
    if now.made_by_me:
        yield "You show the indicator and take it into your hand."
    else:
        yield f"{now.maker} shows the indicator and takes it in hand."


def _count(now: Moment) -> Iterator[str]:
    if now.mine:
        yield "You open the cards of yours that the count needs; that is done by itself."
    yield "The cards are opened and counted; every program at the table comes to the same result."


def _over(now: Moment) -> Iterator[str]:
    right = place(right_of(now.state.dealer))
    match now.state.end:
        case End.PASSED_OUT:
            yield f"All four passed: nobody pays, and {right} deals the next hand."
        case End.REDEAL | End.SPOILT:
            yield f"The hand is void: nobody pays, and {place(now.state.dealer)} deals again."
        case _:
            yield f"The hand is over and counted. {right} deals the next one."


_EXPLAIN: Final[Mapping[Phase, Explanation]] = {
    Phase.CUT: _cut,
    Phase.AUCTION4: _auction4,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _auction8,
    Phase.SORTING: _sorting,
    Phase.INDICATOR8: _indicator,
    Phase.DECLARE: _declare,
    Phase.WINDOW: window,
    Phase.TRICK: _trick,
    Phase.INSPECT: _inspect,
    Phase.SHOW_INDICATOR: _show_indicator,
    Phase.CAPS_RESPONSE: caps_answer,
    Phase.SPOILT_INDICATOR: spoilt_indicator,
    Phase.SPOILT_ANSWER: spoilt_answer,
    Phase.COUNT: _count,
    Phase.OVER: _over,
}
