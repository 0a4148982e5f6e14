"""The rules of each moment of a hand of 304, told to one reader, and the game in short."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from p2p304.rules304.actions import Contract, bid_name
from p2p304.rules304.pack import RANK_POINTS
from p2p304.rules304.play import exhausted_binds, idle_seats
from p2p304.rules304.profile import CapsModel, FurtherBids, Profile, RevealOnCut, ViolationPrice
from p2p304.rules304.scoring import LAST_TRICK, MARRIAGE, TRUMP_MARRIAGE
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.telling.counts import (
    all_cards,
    all_seats,
    defenders,
    first_cards,
    laid_aside_words,
    more_cards,
    partner,
)
from p2p304.rules304.telling.scene import known_partner
from p2p304.seats import FOUR_SEAT_NAMES, Seat
from p2p304.sentences import Line, Part, Who, join_items, join_parts, say
from p2p304.telling import SHUFFLING
from p2p304.view import View


class LessonContext:
    """A hand as its reader sees it, for explanations of the rules; a spectator has no seat."""

    def __init__(self, view: View[State]) -> None:
        """Find what explanations ask of the view of their reader."""
        self.view = view
        self.state = state = view.state
        self.profile = state.profile
        self.seat = view.seat  #: None for a spectator.
        self.mine = view.seat in state.awaiting  #: Whether the table waits for the reader to act.
        # Before there is a maker, both would be None for a spectator.
        #: Whether the reader is the trump maker.
        self.made_by_me = view.seat is not None and view.seat == state.maker
        #: The maker as a phrase: "South", "South, your partner,"; "the maker" before there is one.
        self.maker = self._seat_words(state.maker, "the maker")
        caps = state.caps
        #: The caller of caps as a phrase in the same way; "somebody" where nobody called.
        self.caller = self._seat_words(None if caps is None else caps.seat, "somebody")
        #: The trump suit if the reader knows it, because trump is open or the reader sees the
        #: indicator's face; else None.
        self.trump = state.trump_by(view.faces)

    def _seat_words(self, who: Seat | None, unknown: str) -> Line:
        """Return the seat `who` as a phrase: "South", or "South, your partner," where everybody
        knows it as the reader's partner; `unknown` where `who` is None.
        """
        if who is None:
            return say(unknown)
        mate = self.seat is not None and who in self.state.mates(self.seat)
        return say(Who(who), f", {partner(self.profile)}," if mate else "")


# --- the rules of claims in 304: caps and spoilt trumps, told to who claims or answers ------------


def window(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of a window, as sentences: what may be claimed, and what it pays or costs."""
    yield say(
        "Between tricks everybody may claim something. Without a claim, press Enter to go on."
    )
    # RULES 14.2: no caps are called while a contract is played.
    if not isinstance(now.state.contract, Contract):
        yield from _caps_rules(now.profile)
    yield from marriage_rules(now)
    # Five and eight: a profile has double with eight tricks alone (`Profile`).
    if now.profile.double:
        yield say(
            "Double: a side that won the first five tricks may undertake all eight, by the seat "
            "that took the fifth, for one token more; who fails pays it."
        )
    if now.profile.spoilt_trumps:
        yield say(
            f"Spoilt trumps: the {defenders(now.profile)} defenders were dealt no trump at all. "
            "Anybody may call it; if it is true the hand is void, if not it costs the caller's "
            f"team {_FALSE_CALL[now.profile.spoilt_false_call]}."
        )


_FALSE_CALL: Final = {
    ViolationPrice.HAND_PLUS_2: "what a lost hand costs and 2 tokens more",
    ViolationPrice.THREE_TOKENS: "3 tokens",
}


def _caps_rules(profile: Profile) -> Iterator[Line]:
    """Yield the rule of caps as a sentence; nothing where caps are off."""
    match profile.caps_model:
        case CapsModel.OFF:
            return
        case CapsModel.OUTCOME:
            yield say(
                f"Caps: call it when your team will win all {all_cards(profile)} tricks. Called and"
                f" won before trick {profile.caps_bonus_before} it pays more; won without a call "
                "is Wrong Caps; a lost trick after a call costs "
                f"{profile.caps_called_trick_lost}."
            )
        case CapsModel.EPISTEMIC:
            yield say(
                "Caps: as soon as some order of your cards is certain to win every trick, "
                "whatever anybody else holds and plays, you must call it, and your team "
                "must have won every trick so far. In time (before trick "
                f"{profile.caps_bonus_before}) it pays {profile.caps_bonus} more. Too early,"
                f" too late or missed is Wrong Caps: {profile.caps_late_or_early_penalty} or"
                " more."
            )


def contested_rules(now: LessonContext) -> Iterator[Line]:
    """Yield the rules, as sentences, that hold after a call of caps was contested: whose cards
    are played in which order, and when the hand ends. There must be a call.
    """
    caps = now.state.the_caps
    own = caps.seat == now.seat
    who = say("You") if own else now.caller
    if now.profile.caps_order_stated:
        whose = "Your" if own else "The caller's"
        yield say(
            who,
            f" called Caps, and the call was contested. {whose} cards are played in the "
            "order that was stated: only the next one of them, unless it is not legal, and "
            "then the claim was wrong.",
        )
    else:
        yield say(who, " called Caps, and the call was contested.")
    side = "your" if _with(now, caps.seat) else "that"
    yield say(f"The hand ends as soon as {side} team loses a trick.")


def caps_answer(now: LessonContext) -> Iterator[Line]:
    """Yield the rules, as sentences, while the opponents accept or contest a call of caps,
    worded for caller, partner, opponent or spectator. There must be a call.
    """
    caps = now.state.the_caps
    if now.seat == caps.seat:
        yield say(
            "You claim every trick. Your opponents concede, or have your cards played out "
            "in the order that you stated; one who contests is enough for that."
        )
    elif _with(now, caps.seat):
        yield say(
            now.caller,
            " claims every trick for your team. Your opponents concede, or have the cards "
            "played out in the order stated.",
        )
    elif now.seat is not None:
        yield say(
            now.caller,
            " claims every trick. Concede if you believe it; contest to have the cards "
            "played out in the order stated. Contesting costs nothing.",
        )
    else:
        yield say(
            now.caller, " claims every trick. The opponents concede, or have the cards played."
        )
    pay = "your team pays" if _with(now, caps.seat) else "they pay"
    yield say(f"If a trick is lost, {pay} {now.profile.caps_called_trick_lost} or more.")


def spoilt_indicator(now: LessonContext) -> Iterator[Line]:
    """Yield the rules, as sentences, while the maker shows its indicator after a call of spoilt
    trumps.
    """
    yield from _spoilt_lines(now)
    if now.made_by_me:
        yield say("You show the indicator, so that the call can be judged.")
    else:
        yield say(now.maker, " shows the indicator, so that the call can be judged.")


def spoilt_answer(now: LessonContext) -> Iterator[Line]:
    """Yield the rules, as sentences, while the defenders answer a call of spoilt trumps."""
    yield from _spoilt_lines(now)
    trump = now.trump
    named = () if trump is None else say(" Trump is ", trump, ".")
    if now.mine:
        yield say("You show one trump that was dealt to you, or prove that you had none.", named)
    else:
        yield say(
            "Each defender shows one trump that was dealt, or proves to have had none.", named
        )


def _spoilt_lines(now: LessonContext) -> Iterator[Line]:
    """Yield one sentence: who called spoilt trumps, and what follows if the call is true or
    false.
    """
    spoilt = now.state.spoilt
    # Told in the two phases that a call of spoilt trumps begins.
    assert spoilt is not None
    own = spoilt == now.seat
    who: Part = "You" if own else Who(spoilt)
    whose = "your" if own else "the caller's"
    yield say(
        who,
        " called spoilt trumps: that the maker's opponents were dealt no trump at all. If "
        "it is true the hand is void, and the same dealer deals again; if not, it costs "
        f"{whose} team {_FALSE_CALL[now.profile.spoilt_false_call]}.",
    )


def _with(now: LessonContext, seat: Seat) -> bool:
    """Tell whether the reader plays on the team of `seat`; False for a spectator."""
    return now.seat is not None and now.state.teams[now.seat] == now.state.teams[seat]


# --- where a card is called ---------------------------------------------------------------------


def naming_rules(now: LessonContext) -> Iterator[Line]:
    """Yield the rules, as sentences, while the maker names the card whose holder is its partner."""
    who = say("You name") if now.made_by_me else say(now.maker, " names")
    own = "your hand" if now.made_by_me else "its hand"
    yield say(
        who,
        f" a card that is not in {own}, which is proved: whoever holds it is the maker's partner.",
    )
    if now.state.contract is Contract.HALF_COURT:
        yield say("If nobody was dealt it, the maker plays alone, and counts three times.")
    yield say("Who the partner is nobody says: it shows when that card falls.")


def half_court(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of the auction with four cards, as sentences: only Half Court can be bid
    in it.
    """
    price = now.profile.tokens_half_court
    yield say(
        "With four cards each seat may once undertake Half Court: with whoever holds the card that "
        "it will name, to win all four tricks. The first who does has it."
    )
    yield say(f"It brings each of that side {price.made}, or costs each {price.failed}.")
    yield say("If nobody does, all get four more cards, and numbers are bid.")


def numbers(now: LessonContext) -> Iterator[Line]:
    """Yield the rules, as sentences, of the auction with all cards."""
    profile = now.profile
    yield say(
        "You bid how many of the 304 points you will take together with whoever holds the card "
        "that you name afterwards. The highest bidder chooses trump."
    )
    least, most = profile.bid_min, profile.bid_max
    yield say(
        f"Numbers from {least} to {most}, above the standing bid; once you have spoken, from"
        f" {profile.bracket_middle} upwards only. Full Court, all eight tricks, is above them all."
    )


def sides_now(now: LessonContext) -> Iterator[Line]:
    """Yield one sentence on what the reader knows of the two sides during play; nothing before a
    card is named.
    """
    state = now.state
    if state.called is None:
        return
    if not state.partner_secret:
        # A card was named, and only a maker names one.
        maker = state.the_maker
        mates = join_items([say(Who(mate)) for mate in state.mates(maker)])
        yield say(Who(maker), " and ", mates, " play together, for ", state.called, " fell.")
    elif known_partner(now.view) is not None:
        yield say("You hold ", state.called, ": you are the maker's partner, and nobody knows it.")
    elif now.made_by_me:
        yield say("Whoever holds ", state.called, " is your partner; you will see when it falls.")
    else:
        yield say("Whoever holds ", state.called, " plays with ", now.maker, ".")


def marriage_rules(now: LessonContext) -> Iterator[Line]:
    """Yield a sentence on marriages where they are agreed, and one on the points of the last
    trick where they are agreed.
    """
    if now.profile.marriages:
        yield say(
            "Marriages: with open trump the side that won the trick may show king and queen of a "
            f"suit, {TRUMP_MARRIAGE} points of trump, else {MARRIAGE}: the maker's side needs so"
            " much less, or more if its opponents show them."
        )
    if now.profile.last_trick:
        yield say(f"The last trick counts {LAST_TRICK} points more for who wins it.")


Explanation = Callable[[LessonContext], Iterator[Line]]


def moment(view: View[State] | None) -> tuple[Line, ...]:
    """Return the rules that matter at this moment of the hand, in short paragraphs worded for the
    view's seat; for None the sentence that the cards are being shuffled.

    A rule that depends on a card that the reader does not know is worded with its condition.
    """
    if view is None:
        return (SHUFFLING,)
    return tuple(_EXPLAIN[view.state.phase](LessonContext(view)))


def ranks(profile: Profile) -> Line:
    """Return, as a sentence, the ranks from high to low with their points, and the points of the
    pack.
    """
    named = (
        # T is for texts of hands, where each rank is one letter; people read 10.
        f"{'10' if rank.letter == 'T' else rank.letter} {RANK_POINTS[rank]}"
        for rank in profile.deck.ranks
    )
    total = profile.deck.points
    return say(f"From high to low, with points: {', '.join(named)}. All four suits: {total}.")


def in_short(profile: Profile) -> tuple[Line, ...]:
    """Return the whole game in a few short paragraphs, in the numbers of `profile`."""
    if profile.partner_called:
        return _called_in_short(profile)
    # Four seats have one partner each, opposite; six and eight have several.
    four = profile.seats == len(FOUR_SEAT_NAMES)
    partners = "partners across the table" if four else "every other seat a partner"
    return (
        say(
            f"{profile.deck.points} in short: {all_seats(profile)} players, two teams, {partners}."
            " Everything goes round to the right, counter-clockwise."
        ),
        ranks(profile),
        say(
            f"With {first_cards(profile)} cards in hand you bid how many of those points your team"
            " will take. The highest bidder, the maker, lays one card face down, the indicator: its"
            " suit is trump, and nobody else knows it."
        ),
        say(
            f"After {more_cards(profile)} each, {all_cards(profile)} tricks are played. Whoever can"
            " must follow the suit led; its highest card wins the trick, unless a trump lies there."
        ),
        say(
            "While trump is hidden, who cannot follow plays a card face down. The maker looks at "
            "it: if it is a trump, it is shown and wins, and trump is open from then on."
        ),
        say(
            "If the maker's team takes the points it bid, the hand counts for it, else against "
            "it, and more. What is won and lost are tokens: the numbers at the top."
        ),
    )


def _called_in_short(profile: Profile) -> tuple[Line, ...]:
    """Return the whole game in five short paragraphs, with the goal of `profile`."""
    return (
        say(
            "304 of Maharashtra in short: four players, each with a score of its own; partners "
            "change from hand to hand. Everything goes round to the right, counter-clockwise."
        ),
        say(
            "With four cards anybody may undertake Half Court: all four tricks, with a partner."
            " Else all get four more, and you bid how many of the 304 points your side will "
            "take, or Full Court, all eight tricks."
        ),
        say(
            "The maker lays one card face down, whose suit is trump, and names a card that it "
            "does not hold: whoever holds that card is its partner, and alone knows it, until "
            "the card falls."
        ),
        say(
            "Whoever can must follow the suit led. While trump is hidden, who cannot follow "
            "plays a card face down; the maker looks at it, and if it is a trump it is shown "
            "and wins."
        ),
        say(
            "If the maker's side takes what it undertook, each of it gains and each of the "
            f"others loses, else the other way round. Who comes to {profile.score_goal} first "
            "has won."
        ),
    )


def _cut_rules(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of the cut, as sentences, with what to type where the reader is to cut."""
    who: Part = "You" if now.mine else Who(now.state.awaiting[0])
    yield say(who, ", left of the dealer, may cut: the shuffled pack is turned.")
    if now.mine:
        yield say(
            # One less than the cards: a cut behind the last card would turn nothing.
            f"Type a number from 1 to {len(now.profile.deck.cards) - 1} and Enter, or Enter alone"
            " to leave the pack as it is."
        )
    yield say(
        f"{first_cards(now.profile).capitalize()} cards each are dealt then, beginning at the"
        " dealer's right, as everything here."
    )


def _auction4(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of the four-card auction, as sentences; where a partner is called those of
    Half Court, all that can be bid in it.
    """
    if now.profile.partner_called:
        yield from half_court(now)
        return
    yield say(
        f"You bid how many of the {now.profile.deck.points} points your team will take. The highest"
        f" bidder chooses trump by laying one of the {first_cards(now.profile)} cards face down."
    )
    step = now.profile.bid_step_low
    high = now.profile.bid_step_high
    steps = f"in steps of {step}" + (
        f", of {high} above {now.profile.bracket_middle}" if high != step else ""
    )
    least, most = now.profile.bid_min, now.profile.bid_max
    yield say(f"Numbers from {least} to {most}, {steps}, above the standing bid.")
    if now.profile.bid_shorthand:
        # One is told, as an example of them all.
        said, meant = now.profile.bid_shorthand[0]
        yield say(f"Short numbers do: {said} means {meant}.")
    middle = now.profile.bracket_middle
    # Every bid is above the limit here, so that it limits nothing.
    if middle <= now.profile.bid_min and now.profile.reentry_rule is FurtherBids.FROM_200:
        yield say("Once you have spoken you may bid again, and over a partner's bid, too.")
    else:
        yield from _bids_again(now.profile, middle)
    if now.profile.ask_partner:
        answer = "may pass" if now.profile.asked_partner_may_pass else "must bid"
        yield say(
            f"Instead of speaking you may ask {partner(now.profile)} to; an asked partner {answer}."
        )
    if now.profile.redeal_below:
        yield say(
            "The dealer's right may demand new cards instead of a first call, with fewer "
            f"than {now.profile.redeal_below} points."
        )
    yield ranks(now.profile)


def _bids_again(profile: Profile, middle: int) -> Iterator[Line]:
    """Yield two sentences: what a seat that has spoken may bid, and what may be bid over a
    partner. `middle` is the profile's number in place of 200.
    """
    match profile.reentry_rule:
        case FurtherBids.NEVER:
            yield say("Every seat has one call in this auction.")
        case FurtherBids.FROM_200:
            yield say(f"Once you have spoken, you may bid again from {middle} upwards only.")
        case FurtherBids.FROM_200_IF_FIRST:
            yield say(f"Once you have spoken, you may bid {middle} or more only while nobody has.")
    if profile.partner_overbid4 is FurtherBids.NEVER:
        yield say("Nobody bids over a partner.")
    else:
        yield say(f"Over a partner's bid you need {middle} or more.")


def _auction8(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of the auction with all cards, as sentences; where a partner is called it
    is the first in which numbers are bid.
    """
    if now.state.auction.full:
        yield from numbers(now)
        return
    # The eight-card auction begins with the four-card bid.
    yield say(
        f"With all {all_cards(now.profile)} cards everybody may outbid"
        f" {bid_name(now.state.the_contract)} once, from {now.profile.auction8_min} upwards; the"
        " new maker lays a new indicator."
    )
    if now.profile.pcc:
        yield say(
            f"Partner Close Caps is the highest bid: {laid_aside_words(now.profile)} and the "
            f"bidder undertakes to win all {all_cards(now.profile)} tricks alone."
        )
    yield say(f"If all pass, the {first_cards(now.profile)}-card bid stands. Most hands: pass.")


def _indicator(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of laying the indicator, as sentences worded for the maker or for others."""
    if now.made_by_me:
        yield say("You lay one card face down, the indicator. Its suit is trump.")
        yield say("Nobody else knows trump until it is shown; you play your hand without it.")
        return
    yield say(now.maker, " lays one card face down, the indicator. Its suit is trump.")
    yield say("Nobody else knows trump until the indicator is shown.")


def _sorting_rules(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of sorting hands, as sentences."""
    yield say(
        "Every seat mixes its own hand anew, unseen: nobody can tell later from a card "
        f"whether it was among the first {first_cards(now.profile)}. Nothing is decided by it."
    )


def _declare(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of open and closed trump, as sentences: for the maker with what it may not
    play then, for others what it decides.
    """
    if not now.made_by_me:
        yield say(
            now.maker,
            " decides. Closed, trump stays hidden: who cannot follow plays face down, and "
            "the maker alone sees whether somebody has cut. Open, the indicator is shown "
            "and taken into the maker's hand.",
        )
        return
    yield say(
        "Closed, trump stays hidden: who cannot follow plays face down, and you alone see "
        "whether somebody has cut. Open, you show the indicator and take it into your hand."
    )
    yield say(
        "With hidden trump you cannot cut with or throw away trumps of your hand; the "
        "indicator alone cuts. It cannot follow a trump lead before the last trick."
    )
    if now.profile.first_lead_ban:
        yield say("With closed trump a maker does not lead trump to the first trick.")


def _trick(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of a trick, as sentences: who must follow, what wins, and how cards rank.

    Where they apply, also: that the reader's cards are laid aside, what contested caps demand, what
    trump is, what a maker that reads must not play, and what is known of the sides with a called
    partner.
    """
    state = now.state
    if now.seat is not None and now.seat in idle_seats(state):
        yield say(
            now.maker, " plays alone: your cards are laid aside, and the trick passes you by."
        )
    # Three-valued: None until the opponents have answered, False once they conceded.
    face_up = state.caps is not None and state.caps.contested is True
    if face_up:
        yield from contested_rules(now)
    if not state.plays:
        yield say("The leader plays any card face up; everybody must follow its suit.")
    else:
        led = state.faces[state.plays[0].slot].suit
        yield say(led, " are led. Who has ", led, " must follow, with any of them.")
        if state.trump is not None:
            yield say(
                "Who cannot follow plays any card; there is no duty to trump or to overtrump."
            )
        elif face_up:
            yield say(
                "Who cannot follow plays any card, face up like all since caps were contested."
            )
        else:
            yield say(
                "Trump is hidden: who cannot follow plays any card face down. Whether it is"
                " a trump shows at the end of the trick, when the maker looks at it."
            )
    if state.trump is not None:
        yield say("Trump is ", state.trump, "; the highest trump wins, else the led suit.")
    if now.made_by_me:
        yield from _makers_limits(now)
    yield from sides_now(now)
    yield ranks(now.profile)


def _makers_limits(now: LessonContext) -> Iterator[Line]:
    """Yield sentences on what the reader, who is the maker, must not play: trumps while trump is
    hidden, and other suits after a trump lead that nobody followed.
    """
    state = now.state
    if state.trump is None:
        yield say(
            "As the maker with hidden trump you cut with the indicator alone; trumps of "
            "your hand can be led or follow, but neither cut nor be thrown away."
        )
        # The ban is for the maker's own lead to trick 1 alone (RULES 8).
        if now.profile.first_lead_ban and not state.tricks and not state.plays:
            yield say("You do not lead trump to the first trick.")
    trump = now.trump
    if not exhausted_binds(state) or not state.unfollowed:
        return
    if trump is not None and trump in state.unfollowed:
        yield say(
            "You led trump, ",
            trump,
            ", and nobody followed: at your leads go on with trumps while you have some.",
        )
    # Whoever tells without faces, such as a stranger's log, does not know the maker's trump.
    elif trump is None:
        led = join_parts(state.unfollowed, " or ")
        yield say("You led ", led, ", and nobody followed: if that is trump, go on leading it.")


def _inspect(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of the inspection of face-down cards, as sentences."""
    reader = say("You alone look") if now.made_by_me else say(now.maker, " looks")
    yield say(
        reader,
        " at the face-down cards of the trick. If none is a trump, nobody else ever sees "
        "them before the count, and the highest card of the led suit wins.",
    )
    too = now.profile.reveal_on_cut is RevealOnCut.MAKERS_DISCARD_TOO
    more = " and the maker's own discard" if too else ""
    yield say(
        f"If one is a trump, they are shown{more}, the indicator too, and trump is open for good."
    )


def _show_indicator(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of opening trump after trick 1 of a high bid, as sentences worded for the
    maker or for others.
    """
    least = now.profile.open_after_trick1_from
    yield say(f"With a bid of {least} or more trump is opened after trick 1.")
    if now.made_by_me:
        yield say("You show the indicator and take it into your hand.")
    else:
        yield say(now.maker, " shows the indicator and takes it in hand.")


def _count(now: LessonContext) -> Iterator[Line]:
    """Yield the rules of the count, as sentences."""
    if now.mine:
        yield say("You open the cards of yours that the count needs; that is done by itself.")
    yield say(
        "The cards are opened and counted; every program at the table comes to the same result."
    )


def _over(now: LessonContext) -> Iterator[Line]:
    """Yield one sentence on what follows the hand: who deals next, and of a hand that does not
    count that nobody pays.
    """
    right = Who(now.state.right_of(now.state.dealer))
    match now.state.end:
        case End.PASSED_OUT:
            yield say(
                f"All {all_seats(now.profile)} passed: nobody pays, and ",
                right,
                " deals the next hand.",
            )
        case End.REDEAL | End.SPOILT:
            yield say("The hand is void: nobody pays, and ", Who(now.state.dealer), " deals again.")
        case _:
            yield say("The hand is over and counted. ", right, " deals the next one.")


_EXPLAIN: Final[Mapping[Phase, Explanation]] = {
    Phase.CUT: _cut_rules,
    Phase.AUCTION4: _auction4,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _auction8,
    Phase.SORTING: _sorting_rules,
    Phase.INDICATOR8: _indicator,
    Phase.NAMING: naming_rules,
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
