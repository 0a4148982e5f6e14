"""The hand of 304 as one table, to be read beside RULES 3: what may be done, and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from p2p304.cards import Faces
from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304 import actions as act
from p2p304.rules304 import bidding, called, calls, dealing, play
from p2p304.rules304.actions import Action, Contract
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat, seat_names
from p2p304.statements import IsCard, Statement
from p2p304.view import View

# Any: each handler takes the one class of actions in whose rows it stands.
#: What an action leads to from a state whose log does not have it yet. Every handler raises
#: RulesError, naming the rule, for what can be seen to be forbidden.
Handler = Callable[[State, Seat, Any], Step[State]]


class Transition(NamedTuple):
    """What one kind of action does in one phase: its handler and the phases it can lead to."""

    handler: Handler
    leads_to: Set[Phase]
    out_of_turn: bool = False  #: Whether a seat may do it although another one is awaited.


# A short name, so that most rows of the table are a line.
_row: Final = Transition
# Phases to which several of the actions below lead.
_ENDED: Final = frozenset({Phase.COUNT, Phase.OVER})
_ADJUDICATION: Final = frozenset({Phase.SPOILT_INDICATOR, Phase.SPOILT_ANSWER, Phase.OVER})
_WINDOW_CLOSES: Final = _ADJUDICATION | {Phase.TRICK, Phase.CAPS_RESPONSE}

#: Every action that a phase knows. Anything else is refused.
TRANSITIONS: Final[Mapping[tuple[Phase, type[Action]], Transition]] = MappingProxyType(
    {
        (Phase.CUT, act.Cut): _row(dealing.cut, {Phase.AUCTION4}),
        (Phase.AUCTION4, act.PlaceBid): _row(dealing.place_bid, {Phase.AUCTION4, Phase.INDICATOR4}),
        # To AUCTION8 where a card is called: nobody took Half Court, so numbers are bid with all
        # cards.
        (Phase.AUCTION4, act.Pass): _row(
            dealing.pass_turn,
            {Phase.AUCTION4, Phase.INDICATOR4, Phase.AUCTION8, Phase.OVER},
        ),
        (Phase.AUCTION4, act.AskPartner): _row(
            dealing.ask_partner, {Phase.AUCTION4, Phase.INDICATOR4, Phase.OVER}
        ),
        (Phase.AUCTION4, act.DemandRedeal): _row(dealing.demand_redeal, {Phase.OVER}),
        (Phase.INDICATOR4, act.LayIndicator): _row(
            dealing.lay_first_indicator, {Phase.AUCTION8, Phase.SORTING, Phase.NAMING}
        ),
        (Phase.AUCTION8, act.PlaceBid): _row(dealing.place_bid, {Phase.AUCTION8, Phase.SORTING}),
        (Phase.AUCTION8, act.Pass): _row(
            dealing.pass_turn, {Phase.AUCTION8, Phase.SORTING, Phase.OVER}
        ),
        # To TRICK, here and below, where a card is called and nobody could claim anything in a
        # window (PROFILES 3.2).
        (Phase.SORTING, act.SortHand): _row(
            dealing.sort_hand,
            {Phase.SORTING, Phase.INDICATOR8, Phase.DECLARE, Phase.WINDOW, Phase.TRICK},
        ),
        (Phase.INDICATOR8, act.LayIndicator): _row(
            dealing.lay_second_indicator, {Phase.NAMING, Phase.DECLARE, Phase.WINDOW}
        ),
        (Phase.NAMING, act.NameCard): _row(
            called.name_card, {Phase.SORTING, Phase.DECLARE, Phase.WINDOW, Phase.TRICK}
        ),
        (Phase.DECLARE, act.OpenTrump): _row(dealing.open_trump, {Phase.WINDOW, Phase.TRICK}),
        (Phase.DECLARE, act.KeepClosed): _row(dealing.keep_closed, {Phase.WINDOW, Phase.TRICK}),
        # To the count, here and below, where a card shown in the window tells that a court is lost.
        (Phase.WINDOW, act.Ready): _row(calls.ready, {Phase.WINDOW, *_WINDOW_CLOSES, *_ENDED}),
        (Phase.WINDOW, act.ShowCard): _row(
            calls.show_card, {Phase.WINDOW, *_WINDOW_CLOSES, *_ENDED}
        ),
        (Phase.WINDOW, act.CallCaps): _row(calls.call_caps, {Phase.WINDOW, *_WINDOW_CLOSES}),
        (Phase.WINDOW, act.CallDouble): _row(
            calls.window_double, {Phase.WINDOW, Phase.TRICK, *_ADJUDICATION}
        ),
        (Phase.WINDOW, act.DeclareMarriages): _row(
            calls.declare_marriages, {Phase.WINDOW, Phase.TRICK, *_ADJUDICATION}
        ),
        (Phase.WINDOW, act.CallSpoilt): _row(
            calls.call_spoilt, {Phase.WINDOW, *_ADJUDICATION, *_ENDED}
        ),
        (Phase.TRICK, act.PlayCard): _row(
            play.play_card,
            {Phase.TRICK, Phase.WINDOW, Phase.INSPECT, Phase.SHOW_INDICATOR, *_ENDED},
        ),
        (Phase.TRICK, act.PlayDown): _row(
            play.play_down, {Phase.TRICK, Phase.WINDOW, Phase.INSPECT}
        ),
        (Phase.TRICK, act.ShowCard): _row(calls.show_in_turn, {Phase.WINDOW}),
        # Out of turn: the maker may still open until the first card is led, whoever leads (ruling
        # 35).
        (Phase.TRICK, act.OpenTrump): _row(
            dealing.open_trump, {Phase.WINDOW, Phase.TRICK}, out_of_turn=True
        ),
        # Out of turn, too, as spoilt trumps: a claim waits for nobody's card (specs/rules.md 3).
        (Phase.TRICK, act.CallCaps): _row(
            calls.call_caps, {Phase.TRICK, Phase.CAPS_RESPONSE}, out_of_turn=True
        ),
        (Phase.TRICK, act.CallSpoilt): _row(calls.call_spoilt, _ADJUDICATION, out_of_turn=True),
        (Phase.INSPECT, act.AnnounceNone): _row(
            play.announce_none, {Phase.WINDOW, Phase.TRICK, Phase.SHOW_INDICATOR, *_ENDED}
        ),
        (Phase.INSPECT, act.AnnounceCut): _row(
            play.announce_cut, {Phase.WINDOW, Phase.TRICK, *_ENDED}
        ),
        (Phase.SHOW_INDICATOR, act.ShowIndicator): _row(
            play.show_indicator, {Phase.WINDOW, Phase.TRICK}
        ),
        (Phase.CAPS_RESPONSE, act.AcceptCaps): _row(
            calls.answer_caps, {Phase.CAPS_RESPONSE, Phase.TRICK, *_ENDED}
        ),
        (Phase.CAPS_RESPONSE, act.ContestCaps): _row(
            calls.answer_caps, {Phase.CAPS_RESPONSE, Phase.TRICK}
        ),
        (Phase.SPOILT_INDICATOR, act.ShowIndicator): _row(
            calls.spoilt_indicator, {Phase.SPOILT_ANSWER, Phase.OVER}
        ),
        (Phase.SPOILT_ANSWER, act.DenyTrump): _row(
            calls.deny_trump, {Phase.SPOILT_ANSWER, Phase.OVER}
        ),
        (Phase.SPOILT_ANSWER, act.ShowTrump): _row(
            calls.show_trump, {Phase.SPOILT_ANSWER, Phase.OVER}
        ),
        (Phase.COUNT, act.OpenCards): _row(play.open_cards, _ENDED),
        # Out of turn: it answers for owners that stay silent, so the maker is not awaited.
        (Phase.COUNT, act.OpenHandedOver): _row(play.open_handed_over, _ENDED, out_of_turn=True),
    }
)

DOING: Final[Mapping[Phase, str]] = {
    Phase.CUT: "the cut",
    Phase.AUCTION4: "the four-card auction",
    Phase.INDICATOR4: "choosing the indicator",
    Phase.AUCTION8: "the eight-card auction",
    Phase.SORTING: "sorting the hands",
    Phase.INDICATOR8: "choosing the indicator",
    Phase.NAMING: "naming the partner's card",
    Phase.DECLARE: "declaring open or closed",
    Phase.WINDOW: "the window between cards",
    Phase.TRICK: "the trick",
    Phase.INSPECT: "the inspection of face-down cards",
    Phase.SHOW_INDICATOR: "showing the indicator",
    Phase.CAPS_RESPONSE: "the answer to caps",
    Phase.SPOILT_INDICATOR: "showing the indicator after spoilt trumps",
    Phase.SPOILT_ANSWER: "the answer to spoilt trumps",
    Phase.COUNT: "the count",
    Phase.OVER: "the end of the hand",
}


def apply(state: State, seat: Seat, action: Action) -> Step[State]:
    """Return the step that `action` by `seat` leads to from `state`, which never changes. The
    step's state has the action in its log.

    Raises RulesError, naming the rule, for an action that the phase does not have, for a seat that
    may not act now, and for whatever else the public record shows to be forbidden.
    """
    phase, kind = state.phase, type(action)
    transition = TRANSITIONS.get((phase, kind))
    if transition is None:
        verb = act.format_action(action).split(" ", 1)[0]
        raise RulesError("3", f'"{verb}" is not possible during {DOING[phase]}')
    awaiting = state.awaiting
    # The range too, since a caller may name any number: out of turn no list of seats bounds it.
    if seat not in awaiting and not (transition.out_of_turn and 0 <= seat < state.seats):
        every = seat_names(state.seats)
        name = every[seat] if 0 <= seat < state.seats else f"seat {seat}"
        names = " and ".join(every[each] for each in awaiting)
        told = f"; it is for {names}" if names else ""
        raise RulesError("3", f"{name} is not to act in {DOING[phase]}{told}")
    log, start = state.log, state.round_start
    # The usual case: a new round, or a seat after all that have acted in it, in seat order.
    if len(log) == start or log[-1][0] < seat:
        log = (*log, (seat, action))
    else:  # the log does not tell in which order the contributions to a round arrived
        tail = sorted((*log[start:], (seat, action)), key=lambda entry: entry[0])
        log = (*log[:start], *tail)
    if kind is act.Ready and len(awaiting) > 1:  # a third of all actions; they do nothing else
        others = tuple(each for each in awaiting if each != seat)
        return Step(state._replace(log=log, awaiting=others))
    after, statements, disclosures = transition.handler(state, seat, action)
    return Step(_record(state, after, log, statements), statements, disclosures)


def _record(
    before: State,
    after: State,
    log: tuple[tuple[Seat, Action], ...],
    statements: tuple[Statement, ...],
) -> State:
    """Return `after`, the state that an action led to from `before`, with the new log, and with a
    new round begun where the old one is complete.

    In a trick or its inspection `statements` join the state's facts, but for faces of single slots.
    Where caps are due before the next card, a window opens after each card, unless a contract is
    played; where a card is called, its consequences follow.
    """
    phase, facts = before.phase, before.facts
    if phase is Phase.TRICK or phase is Phase.INSPECT:
        # Facts of play alone count as information (RULES 13.1 no. 5); a shown card is among the
        # faces.
        facts += tuple(each for each in statements if not isinstance(each, IsCard))
        played = after.phase is Phase.TRICK and len(after.plays) > len(before.plays)
        # Under a contract caps are not called, so that no window is due.
        if (
            played
            and play.calls_at_once(after.profile)
            and not isinstance(after.contract, Contract)
        ):
            after = play.to_window(after)
    if after.called is not None:
        after = called.consequences(before, after)
    # A round of one seat ends with its action; a round of several when the phase goes on. The last
    # of several is awaited alone, too, so the log tells whether others have acted in the round.
    alone = len(before.awaiting) == 1 and len(before.log) == before.round_start
    start = len(log) if alone or after.phase is not phase else before.round_start
    return after._replace(log=log, round_start=start, facts=facts)


# --- what a seat may do, judged with the faces that it knows; every action here stands ------------


# Made once: these are listed at every turn of every simulated hand.
_READY: Final = act.Ready()
_SPOILT: Final = act.CallSpoilt()
_PASS: Final = act.Pass()


def legal_actions(view: View[State]) -> list[Action]:
    """Return every action that is legal for the seat of the view; empty when it is not awaited, and
    for a spectator.

    A call of caps is listed once, with the cards in the order of the hand and a hidden indicator
    last, although where the table has the order stated every order is legal. Claims out of turn,
    which some phases allow, are not listed.
    """
    state, seat = view.state, view.seat
    if seat is None or seat not in state.awaiting:
        return []
    return _CHOICES[state.phase](state, seat, view.faces)


def _cuts(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return a cut at each offset of the deck, ascending: from 0, which declines to cut, or from
    1 where a cut is required.
    """
    first = 0 if state.profile.cut_optional else 1
    return [act.Cut(offset) for offset in range(first, dealing.deck_size(state.profile))]


def _auction4(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the calls of the four-card auction that are legal: pass, questions to a partner, at
    the first turn of all the demand of a redeal for cards that are weak by `faces`, then bids
    from the lowest.
    """
    profile, auction = state.profile, state.auction
    actions: list[Action] = []
    if bidding.may_pass(profile, auction) is None:
        actions.append(_PASS)
    # A partner that was asked must bid or pass (RULES 5.3).
    if auction.asked is None:
        actions += map(act.AskPartner, bidding.whom_to_ask(profile, auction, seat))
        # The first turn is that of the dealer's right, which alone may demand one (RULES 5.5).
        if not auction.slots:
            hand = state.hands[seat]
            if sum(CARD_POINTS[faces[slot]] for slot in hand) < profile.redeal_below:
                # A proof shows no card; a showing shows all of them in the order of the hand.
                shown = () if profile.redeal_private else tuple((s, faces[s]) for s in hand)
                actions.append(act.DemandRedeal(shown))
    actions += [act.PlaceBid(bid) for bid in bidding.four_card_bids(profile, auction, seat)]
    return actions


def _indicator(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return an action for each card of the hand that lays it as the indicator."""
    return [act.LayIndicator(slot) for slot in state.hands[seat]]


def _auction8(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the calls of the auction with all cards that are legal: pass, then bids from the
    lowest.

    In a game with a called card it is the first auction in which numbers are bid, with the same
    calls as the four-card auction of other games.
    """
    if state.auction.full:
        return _auction4(state, seat, faces)
    # The eight-card auction begins with the four-card bid.
    bids = bidding.eight_card_bids(state.profile, state.the_contract, state.auction, seat)
    # Over a four-card bid anybody may pass (RULES 7).
    return [_PASS, *(act.PlaceBid(bid) for bid in bids)]


def _naming(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return an action for each card of the pack that by `faces` the maker does not hold, naming
    its holder as partner.
    """
    # A card is named once the indicator lies on the table.
    own = {faces[slot] for slot in (*state.hands[seat], state.the_indicator)}
    return [act.NameCard(card) for card in state.profile.deck.cards if card not in own]


def _declare(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the maker's two choices before the first lead: trump kept closed, or opened.
    `faces` has the indicator's card.
    """
    return [act.KeepClosed(), act.OpenTrump(faces[state.the_indicator])]


def _claims(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the calls of caps and of spoilt trumps that the rules allow `seat` now, true or
    not; empty if neither is allowed. `faces` has the seat's cards, which caps may show.
    """
    claims: list[Action] = []
    if calls.why_no_caps(state, seat) is None:
        slots = calls.caps_slots(state, seat) if state.profile.caps_expose else ()
        # A list in between is quicker than a generator, at every window of a simulated hand.
        claims.append(act.CallCaps(tuple([(slot, faces[slot]) for slot in slots])))
    # The same for every seat: anybody may call spoilt trumps (RULES 12).
    if calls.why_no_spoilt(state) is None:
        claims.append(_SPOILT)
    return claims


def _window(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return what `seat` may do in the open window: ready, claims, cards that it may show,
    double, then marriages. `faces` has the seat's cards.
    """
    actions: list[Action] = [_READY, *_claims(state, seat, faces)]
    if calls.why_no_showing(state, seat) is None:
        hidden = (slot for slot in state.hands[seat] if slot not in state.faces)
        actions += [act.ShowCard(slot, faces[slot]) for slot in hidden]
    if calls.why_no_double(state, seat) is None:
        actions.append(act.CallDouble())
    if calls.why_no_marriage(state, seat) is None:
        actions += _marriages(state, seat, faces)
    return actions


def _marriages(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return a declaration of each non-empty choice among the pairs of king and queen that by
    `faces` are in the hand and whose suit is not counted yet, larger choices first.
    """
    shown = {suit for _, suit in state.marriages}
    own = calls.marriages_of(faces, state.hands[seat])
    # `marriages_of` lists king, queen, king, queen: two faces are one marriage.
    pairs = [own[place : place + 2] for place in range(0, len(own), 2)]
    pairs = [pair for pair in pairs if pair[0][1].suit not in shown]
    return [
        act.DeclareMarriages(tuple(face for pair in some for face in pair))
        # Larger choices first: the first of them, all pairs, is what a single key offers.
        for count in range(len(pairs), 0, -1)
        for some in combinations(pairs, count)
    ]


def _trick(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return what the seat on turn may do by its own cards, which `faces` has: its legal plays,
    then claims, then cards that it may show before its play.
    """
    plays = play.legal_plays(state, seat, faces)
    shows: list[Action] = []
    if calls.why_no_showing_in_turn(state, seat) is None:
        # All of them: who may open trump shows nothing. The test is for type checkers.
        slots = (each.slot for each in plays if isinstance(each, act.PlayCard | act.PlayDown))
        shows = [act.ShowCard(slot, faces[slot]) for slot in slots if slot not in state.faces]
    return [*plays, *_claims(state, seat, faces), *shows]


def _inspect(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the one true announcement of the maker after a trick: no trump, or a cut with the
    cards that it shows. `faces` has all cards of the trick, and the indicator's.
    """
    trump = faces[state.the_trump_slot].suit
    led = state.faces[state.plays[0].slot].suit
    # On a trump lead no card cuts: the suit that was led wins by rank alone (RULES 10.3).
    cut = trump != led and any(faces[play.slot].suit == trump for play in state.plays)
    if not cut:
        return [act.AnnounceNone()]
    return [act.AnnounceCut(tuple((each, faces[each]) for each in play.slots_due_on_cut(state)))]


def _show_indicator(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the one action that is legal here: the maker shows its indicator, whose card
    `faces` has.
    """
    return [act.ShowIndicator(faces[state.the_trump_slot])]


def _spoilt_answer(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return an action for each trump that was dealt to the seat, which shows it; if there is
    none, the statement that there is none. `faces` has all cards dealt to the seat, and the
    indicator's.
    """
    trump = faces[state.the_trump_slot].suit
    dealt = state.dealt[seat]
    trumps = [slot for slot in dealt if faces[slot].suit == trump]
    # A seat that has a trump cannot prove that it has none, so there is never both.
    return [act.ShowTrump(slot, faces[slot]) for slot in trumps] or [act.DenyTrump()]


def _count(state: State, seat: Seat, faces: Faces) -> list[Action]:
    """Return the one action that opens all cards that the seat must open at the count; `faces`
    has them.
    """
    return [act.OpenCards(tuple((slot, faces[slot]) for slot in play.due_at_count(state, seat)))]


_CHOICES: Final[Mapping[Phase, Callable[[State, Seat, Faces], list[Action]]]] = {
    Phase.CUT: _cuts,
    Phase.AUCTION4: _auction4,
    Phase.INDICATOR4: _indicator,
    Phase.AUCTION8: _auction8,
    Phase.SORTING: lambda *_: [act.SortHand()],
    Phase.INDICATOR8: _indicator,
    Phase.NAMING: _naming,
    Phase.DECLARE: _declare,
    Phase.WINDOW: _window,
    Phase.TRICK: _trick,
    Phase.INSPECT: _inspect,
    Phase.SHOW_INDICATOR: _show_indicator,
    Phase.CAPS_RESPONSE: lambda *_: [act.AcceptCaps(), act.ContestCaps()],
    Phase.SPOILT_INDICATOR: _show_indicator,
    Phase.SPOILT_ANSWER: _spoilt_answer,
    Phase.COUNT: _count,
    Phase.OVER: lambda *_: [],
}
