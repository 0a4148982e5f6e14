"""The rules of claims in 304: caps and spoilt trumps, told to who claims or answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from p2p304.rules304.bids import Contract
from p2p304.rules304.choices import CapsModel, ViolationPrice
from p2p304.rules304.profile import Profile
from p2p304.rules304.telling.called import marriage_rules
from p2p304.rules304.telling.counts import all_cards, defenders
from p2p304.rules304.telling.moment import Moment
from p2p304.seats import Seat
from p2p304.sentences import Line, Part, Who, say


def window(now: Moment) -> Iterator[Line]:
    """Yield what may be claimed between tricks."""
    yield say(
        "Between tricks everybody may claim something. Without a claim, press Enter to go on."
    )
    if not isinstance(now.state.contract, Contract):
        yield from _caps_rules(now.profile)
    yield from marriage_rules(now)
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


def contested(now: Moment) -> Iterator[Line]:
    """Yield the rules while contested caps are played out."""
    caps = now.state.caps
    assert caps is not None
    own = caps.seat == now.seat
    if now.profile.caps_order_stated:
        whose = "Your" if own else "The caller's"
        who = say("You") if own else now.caller
        yield say(
            who,
            f" called Caps, and the call was contested. {whose} cards are played in the "
            "order that was stated: only the next one of them, unless it is not legal, and "
            "then the claim was wrong.",
        )
    else:
        yield say(say("You") if own else now.caller, " called Caps, and the call was contested.")
    side = "your" if _with(now, caps.seat) else "that"
    yield say(f"The hand ends as soon as {side} team loses a trick.")


def caps_answer(now: Moment) -> Iterator[Line]:
    """Yield the rules while a call of caps is answered."""
    caps = now.state.caps
    assert caps is not None
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


def spoilt_indicator(now: Moment) -> Iterator[Line]:
    """Yield the rules while the maker shows trump, after a call of spoilt trumps."""
    yield from _spoilt_called(now)
    if now.made_by_me:
        yield say("You show the indicator, so that the call can be judged.")
    else:
        yield say(now.maker, " shows the indicator, so that the call can be judged.")


def spoilt_answer(now: Moment) -> Iterator[Line]:
    """Yield the rules while the defenders answer a call of spoilt trumps."""
    yield from _spoilt_called(now)
    trump = now.trump
    named = () if trump is None else say(" Trump is ", trump, ".")
    if now.mine:
        yield say("You show one trump that was dealt to you, or prove that you had none.", named)
    else:
        yield say(
            "Each defender shows one trump that was dealt, or proves to have had none.", named
        )


def _spoilt_called(now: Moment) -> Iterator[Line]:
    spoilt = now.state.spoilt
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


def _with(now: Moment, seat: Seat) -> bool:
    """Tell whether the reader is on the team of `seat`."""
    return now.seat is not None and now.state.teams[now.seat] == now.state.teams[seat]
