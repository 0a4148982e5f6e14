"""304 behind the telling interface: prompts, refusals, summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from p2p304.cards import Faces, Slot
from p2p304.errors import RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import (
    Action,
    Bid,
    Contract,
    bid_name,
)
from p2p304.rules304.agreement import PARAMETERS, ProfileParameter, named_profile
from p2p304.rules304.caps.judge import called_early, certainties
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.play import points_of_teams, tricks_of_teams
from p2p304.rules304.profile import CapsModel, Profile
from p2p304.rules304.scoring import (
    LAST_TRICK,
    CapsVerdict,
    HandOutcome,
    RunningOutcome,
    marriage_worth,
    points_text,
    price_of,
)
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import team_names, team_of, two_teams
from p2p304.rules304.telling import lessons, options, sentences
from p2p304.rules304.telling import scene as scenes
from p2p304.rules304.telling.counts import own_numbers, own_words
from p2p304.rules304.telling.options import ALONE, COMMANDS, Command, certain_line
from p2p304.rules304.telling.scene import SCORED, score_unit
from p2p304.rules304.telling.sentences import in_slot, last_trick
from p2p304.seats import Seat, Sides
from p2p304.sentences import (
    TALK_RULE,
    Line,
    Who,
    count_words,
    game_title,
    join_items,
    join_parts,
    say,
)
from p2p304.telling import (
    Choice,
    Ended,
    Key,
    Parameter,
    SummaryRow,
    Tried,
    Undertaking,
    turn_to_play,
)
from p2p304.view import View

# --- a hand of 304 that has ended, in a few rows: what it was worth, and why ----------------------


#: How a hand ends in which every card of every trick is open.
_COUNTED: Final = (End.PLAYED, End.CONCEDED, End.CAPS_LOST)

# Without WRONG, which has a reason for each case (`_verdict_words`).
_CAPS_JUDGED: Final = {
    CapsVerdict.CORRECT_BONUS: "called Caps correctly and in time: a bonus",
    CapsVerdict.CORRECT_NO_BONUS: "called Caps correctly, too late for the bonus",
    CapsVerdict.LOST: "called Caps and lost a trick",
}


def summary(ended: Ended) -> tuple[SummaryRow, ...]:
    """Return the summary rows of a hand that ended, from top to bottom; rows with nothing to say
    are left out.
    """
    rows = _with_called if isinstance(ended.outcome, RunningOutcome) else _of_teams
    return tuple(rows(ended))


def _of_teams(ended: Ended) -> Iterator[SummaryRow]:
    """Yield the summary rows of a hand that ended, from top to bottom: trump, bid, tricks,
    points, caps, double, violation, tokens, last trick; rows with nothing to say are left out.
    """
    state: State = ended.state
    outcome: HandOutcome = ended.outcome
    facts = outcome.facts
    names = team_names(state.seats)
    yield from _ending(ended)
    if facts.bid is not None and state.maker is not None:
        mates = join_items([say(Who(mate)) for mate in state.mates(state.maker)])
        team = say(Who(state.maker), " with ", mates)
        yield _bid_row(state.profile, facts.bid, team)
        if facts.void is None:
            yield SummaryRow("Tricks", _sides(names, tricks_of_teams(state)))
            if state.end in _COUNTED:
                yield SummaryRow("Points", _sides(names, points_of_teams(state)))
    for side, verdict in enumerate(facts.caps):
        if verdict is not CapsVerdict.NONE:
            yield SummaryRow("Caps", say(f"{names[side]}: ", _verdict_words(state, side, verdict)))
    if facts.double is not None:
        end = "won every trick" if facts.double_won else "lost a trick"
        yield SummaryRow("Double", say(f"{names[facts.double]}: {end}"))
    if facts.violation is not None:
        broken = facts.violation
        words = f"{names[broken.team]}: {broken.kind.value}"
        yield SummaryRow("Violation", say(words))
    if ended.scores:
        yield SummaryRow(score_unit(state.profile), _sides(names, ended.scores))
    if state.tricks:
        yield SummaryRow("Last", last_trick(state, ended.faces))


def _bid_row(profile: Profile, bid: Bid, by: Line) -> SummaryRow:
    """Return the summary row of a bid, made `by` whom, with its price."""
    price = price_of(profile, bid)
    worth = f"; worth {price.made} if made, {price.failed} if not"
    return SummaryRow("Bid", say(f"{bid_name(bid)} by ", by, worth))


def _ending(ended: Ended) -> Iterator[SummaryRow]:
    """Yield one summary row on trump and the indicator, which may have stayed hidden; no row
    where no indicator was laid.
    """
    state: State = ended.state
    if state.trump_slot is None:
        return
    card = ended.faces.get(state.trump_slot)
    if card is None:
        yield SummaryRow("Trump", say("stayed hidden"))
        return
    hidden = "" if state.trump is not None else ", hidden to the end"
    yield SummaryRow("Trump", say(card.suit, f"{hidden}; the indicator was ", card))


def _verdict_words(state: State, team: int, verdict: CapsVerdict) -> Line:
    """Return, as a phrase, the verdict on a team's caps and its reason: which order was certain
    since when, which trick was lost, or that a call came too early, too late or never. `team` is
    0 or 1.
    """
    caps = state.caps
    called = caps is not None and state.team_of(caps.seat) == team
    if caps is not None and verdict is CapsVerdict.LOST:
        # LOST says that the team lost a trick, so there is one.
        lost = next(
            n for n, trick in enumerate(state.tricks, 1) if state.team_of(trick.winner) != team
        )
        return say(Who(caps.seat), f" called, and trick {lost} was lost")
    certain = _certain(state, team)
    # Also where nothing was called: the order that should have been.
    why = say(": ", certain) if certain else ()
    if verdict is not CapsVerdict.WRONG:
        return say(_CAPS_JUDGED[verdict], *(("; ", certain) if certain else ()))
    # `called` implies a call; the other test is for type checkers.
    if caps is not None and called:
        if called_early(state):
            return say(Who(caps.seat), " called before that order was certain", why)
        return say(Who(caps.seat), " called after the time for it had run out", why)
    if state.profile.caps_model is CapsModel.OUTCOME:
        return say("all tricks were won without a call")
    return say("an order was certain to win every trick, and nobody called", why)


# Every frame of the summary asks it; a search answers. Few answers are kept: one hand is shown at a
# time, with an answer for each of two teams.
@lru_cache(maxsize=4)
def _certain(state: State, team: int) -> Line:
    """Return which cards of a seat of `team` were the first that were certain to win every trick,
    as a clause: "J♥ 9♥ of South were certain since the end of trick 4"; empty where none were, and
    where caps are not judged by knowledge.

    The answer is kept for the next frame.
    """
    if state.profile.caps_model is not CapsModel.EPISTEMIC or state.end is None:
        return ()
    # Alike for all seats: the cards are open, and a moment leaves out what was seen later.
    found = certainties(state, (state.faces,) * state.seats)
    own = [(each, seat) for seat, each in found.items() if state.team_of(seat) == team]
    if not own:
        return ()
    first, seat = min(own, key=lambda pair: pair[0].moment.cards)
    return certain_line(seat, first)


def _sides(names: tuple[str, str], numbers: tuple[int, ...]) -> Line:
    """Return names and numbers in one line: "North-South 200, East-West 104"."""
    pairs = zip(names, numbers, strict=True)
    return say(", ".join(f"{name} {count}" for name, count in pairs))


# --- the same where a card is called --------------------------------------------------------------


def _with_called(ended: Ended) -> Iterator[SummaryRow]:
    """Yield the summary rows of a hand that ended, from top to bottom: bid, partner, tricks,
    marriages, last trick, scores; rows with nothing to say are left out.
    """
    state: State = ended.state
    outcome: RunningOutcome = ended.outcome
    facts, profile = outcome.facts, outcome.profile
    if facts.bid is not None and facts.maker is not None:
        yield _bid_row(profile, facts.bid, say(Who(facts.maker)))
        yield SummaryRow("Partner", _partner(ended))
        if facts.void is None:
            took = f"the maker's side took {count_words(facts.tricks, 'trick')}"
            # Without a target no points counted: a contract, or a hand that ended early.
            if facts.target:
                took += f" and {points_text(profile, facts.points)} points"
                took += f", and needed {points_text(profile, facts.target)}"
            yield SummaryRow("Tricks", say(took, _why_needed(state, outcome)))
    if state.marriages and facts.target:
        shown = (
            say(Who(seat), " ", suit, f" {marriage_worth(state, suit)}")
            for seat, suit in state.marriages
        )
        yield SummaryRow("Marriages", join_parts(shown, ", "))
    if state.tricks:
        yield SummaryRow("Last", last_trick(state, ended.faces))
    if ended.scores:
        pairs = zip(state.everybody, ended.scores, strict=True)
        each = (say(Who(seat), f" {score}") for seat, score in pairs)
        yield SummaryRow(SCORED, join_parts(each, ", "))


def _why_needed(state: State, outcome: RunningOutcome) -> Line:
    """Return why the side needed more or less than its bid, as a phrase: ": 160, 40 less for
    South ♥, 10 more for the last trick"; empty where no marriage was shown and the last trick
    does not count, under a contract, and where no points counted.
    """
    facts, profile = outcome.facts, outcome.profile
    if not facts.target or not isinstance(facts.bid, int):
        return ()
    # Who has the points, how many, and for what.
    found = [
        (seat, marriage_worth(state, suit), say(Who(seat), " ", suit))
        for seat, suit in state.marriages
    ]
    if profile.last_trick:
        found.append((state.tricks[-1].winner, LAST_TRICK, say("the last trick")))
    if not found:
        return ()
    reasons = (
        say(points_text(profile, worth), " less" if seat in facts.side else " more", " for ", what)
        for seat, worth, what in found
    )
    return say(": ", points_text(profile, facts.bid), ", ", join_parts(reasons, ", "))


def _partner(ended: Ended) -> Line:
    """Return the maker's partner and the called card as a phrase, "South, with J♠"; or that
    nobody was dealt that card.
    """
    state: State = ended.state
    facts = ended.outcome.facts
    # A hand with a bid that counts was played, after a card was named.
    assert state.called is not None
    if facts.partner is None:
        return say(
            "nobody was dealt ", state.called, ": the maker was alone, and counts three times"
        )
    return say(Who(facts.partner), ", with ", state.called)


# --- what a hand of 304 adds to the statistics of its players: bids by their price, and caps ------

_CAPS: Final = {
    # The name in the statistics, whether it went well, and its place among the rows.
    CapsVerdict.CORRECT_BONUS: ("called in time", True, 0),
    CapsVerdict.CORRECT_NO_BONUS: ("called late", True, 1),
    CapsVerdict.WRONG: ("wrong or not called", False, 2),
    CapsVerdict.LOST: ("called, and a trick lost", False, 3),
}
_CONTRACTS: Final = tuple(Contract)


def undertakings(profile: Profile, outcome: HandOutcome | RunningOutcome) -> Iterator[Undertaking]:
    """Yield what a hand adds to players' statistics: the bid that was played, made or not, if its
    maker is known, and for each team that called caps, or missed a call, how that went.

    Nothing for a hand that is void or ended in a violation; with a called partner the bid alone.
    """
    if isinstance(outcome, RunningOutcome):
        ours = outcome.facts
        if ours.bid is not None and ours.void is None and ours.offender is None:
            kind, rank = _bracket(profile, ours.bid)
            yield Undertaking("bid", kind, ours.side, ours.made, rank)
        return
    facts = outcome.facts
    if facts.void is not None or facts.violation is not None:
        return
    teams = two_teams(profile.seats)
    if facts.bid is not None and facts.maker is not None:
        kind, rank = _bracket(profile, facts.bid)
        mates = (seat for seat in teams[team_of(facts.maker)] if seat != facts.maker)
        yield Undertaking("bid", kind, (facts.maker, *mates), facts.made, rank)
    for team, verdict in enumerate(facts.caps):
        if verdict in _CAPS:
            kind, well, rank = _CAPS[verdict]
            yield Undertaking("Caps", kind, teams[team], well, rank)


def _bracket(profile: Profile, bid: Bid) -> tuple[str, int]:
    """Return the name of a bid's price bracket, such as "200 to 249", or of its contract, and
    its rank among them from 0.
    """
    if isinstance(bid, Contract):
        # Behind the three brackets of numbers, 0 to 2.
        return bid_name(bid), 3 + _CONTRACTS.index(bid)
    middle, top = profile.bracket_middle, profile.bracket_top
    if bid >= top:
        return f"{top} and up", 2
    if bid >= middle:
        return f"{middle} to {top - 1}", 1
    return f"below {middle}", 0


# --- why something is not possible in a hand of 304: the reason, and the rule that gives it -------

_NOT_ITS_PHASE: Final = "3"  #: The rule that refuses an action in a phase that does not have it.
#: What the numbered rules are about, for whoever has no rule book at hand.
_TITLES: Final = {
    "S1": "one's own unplayed cards",
    "0": "what has been proved",
    "1": "the cards",
    "3": "whose turn it is",
    "4": "the cut",
    "5": "the four-card auction",
    "5.2": "bids with four cards",
    "5.3": "asking the partner",
    "5.4": "passing",
    "5.5": "new cards",
    "6": "the indicator",
    "7": "bids with eight cards",
    "8": "open and closed trump, the first lead",
    "9": "playing cards",
    "9.1": "play with open trump",
    "9.2": "following suit",
    "9.3": "the maker with hidden trump",
    "9.4": "the last trick",
    "10": "the end of a trick",
    "11": "high bids and exhausted trumps",
    "11.2": "exhausted trumps",
    "12": "spoilt trumps",
    "13": "caps",
    "14.2": "Partner Close Caps",
    "15": "the count",
    "16": "talk and violations",
    # Of PROFILES 3; those above are of RULES.
    "3.2": "a called partner",
    "3.3": "double",
}


class _Fault(NamedTuple):
    """The rule that forbids an action, and the reason as a sentence without a full stop."""

    rule: str
    reason: str

    @property
    def sentence(self) -> str:
        """The reason with its rule in brackets: "... (rule 9.2, following suit)"; without a title
        where neither the rule nor a section above it has one.
        """
        number = self.rule
        # "9.2.1" is about what "9.2" is about; a section without a title about what its chapter is.
        while number and number not in _TITLES:
            number = number.rpartition(".")[0]
        title = f", {_TITLES[number]}" if number else ""
        return f"{self.reason} (rule {self.rule}{title})"


def _fault_line(game: Game304, fault: _Fault | None) -> Line:
    """Return the reason of `fault`, for which something is forbidden, as a sentence with a
    capital, in the profile's own numbers; for None the sentence "This is not possible now".
    """
    reason = "this is not possible now" if fault is None else fault.sentence
    return say(own_words(f"{reason[:1].upper()}{reason[1:]}", game.profile))


def _command(word: str) -> Command | None:
    """Return the command that a key or a typed word stands for; None for a word that is no
    command.
    """
    alone = {typed for words in ALONE.values() for typed in words}
    for each in COMMANDS:
        # A contract may be typed as a bid, too: "bid pcc".
        if word == each.key or word in each.typed or (each.means is Contract and word in alone):
            return each
    return None


def _card(game: Game304, view: View[State], slot: Slot) -> Line:
    """Return a sentence on why the card in `slot`, one of the reader's own, cannot be chosen
    now.
    """
    state = view.state
    if state.phase in (Phase.INDICATOR4, Phase.INDICATOR8):
        return _fault_line(game, _fault(game, view, act.LayIndicator(slot)))
    card = view.faces[slot]
    if state.phase is Phase.NAMING and view.seat == state.maker:
        return say("You hold ", card, ": name a card that is not in your hand")
    if state.phase is not Phase.TRICK:
        return say("No card is played now")
    # As `play` decides: a card off the led suit goes face down while trump is hidden, unless caps
    # were contested.
    # It is None until the opponents have answered.
    contested = state.caps is not None and state.caps.contested is True
    hidden = bool(state.plays) and state.trump is None and not contested
    if hidden and card.suit != state.faces[state.plays[0].slot].suit:
        return _fault_line(game, _fault(game, view, act.PlayDown(slot)))
    return _fault_line(game, _fault(game, view, act.PlayCard(slot, card)))


def _fault(game: Game304, view: View[State], action: Action) -> _Fault | None:
    """Return which rule forbids `action` to the view's seat, and why, judged with the faces that
    the seat sees; None where no rule does, and for a spectator.
    """
    if view.seat is None:
        return None
    # What our own cards contradict is told by the same rules, as if the cards were seen.
    hidden = {slot: face for slot, face in view.faces.items() if slot not in view.state.faces}
    try:
        game.apply(view.state.with_faces(*hidden.items()), view.seat, action)
    # The refusal is what is asked for.
    except RulesError as error:
        return _Fault(error.rule, str(error.args[0]))
    return None


def _fault_of(game: Game304, view: View[State], command: Command) -> _Fault | None:
    """Return which rule forbids the actions of `command` now, and why, found by trying one
    example of them on the view's state; None where no rule does.
    """
    if command.means is act.DemandRedeal:
        return _no_redeal(game, view)
    # The rules refuse the example before they look at its cards.
    if command.means is not Contract:
        return _fault(game, view, command.example)
    half_court = view.state.phase is Phase.AUCTION4 and game.profile.half_court
    alone = Contract.HALF_COURT if half_court else Contract.PARTNER_CLOSE_CAPS
    if game.profile.partner_called:
        alone = Contract.FULL_COURT if view.state.auction.full else Contract.HALF_COURT
    return _fault(game, view, act.PlaceBid(alone))


def _no_redeal(game: Game304, view: View[State]) -> _Fault | None:
    """Return which rule forbids the view's seat to ask for new cards, and why: in its four-card
    auction that the profile has no redeal, or how many points it holds and how few are needed.
    None where no rule does.
    """
    profile, seat = game.profile, view.seat
    # A spectator has no legal actions, and was told above that it is not its turn.
    assert seat is not None
    held = tuple((s, view.faces[s]) for s in view.state.hands[seat] if s in view.faces)
    fault = _fault(game, view, act.DemandRedeal(() if profile.redeal_private else held))
    if view.state.phase is not Phase.AUCTION4 or (fault is not None and fault.rule != "5.5"):
        return fault
    if not profile.redeal_below:
        return _Fault("5.5", "new cards are not part of this profile")
    points = sum(CARD_POINTS[card] for _, card in held)
    if points < profile.redeal_below:
        return fault
    needed = f"fewer than {profile.redeal_below} are needed"
    # The rules name the points only where the cards were shown; here the player may know its own.
    # "count" is in the reason of `dealing.demand_redeal` for too many points, and in no other.
    if fault is None or "count" in fault.reason:
        return _Fault("5.5", f"you hold {points} points, and {needed}")
    return fault


# --- what a player of 304 may do now, or for whom the table waits, in one sentence ----------------

#: How a hand ends in which no points are counted.
_UNCOUNTED: Final = (End.PASSED_OUT, End.REDEAL, End.SPOILT, End.VIOLATION)
#: What one seat does in a phase, and what several do; "" where only one can be awaited.
_DOING: Final[Mapping[Phase, tuple[str, str]]] = {
    Phase.CUT: ("may cut the pack", ""),
    Phase.AUCTION4: ("is to bid", ""),
    Phase.AUCTION8: ("is to bid, with eight cards", ""),
    Phase.INDICATOR4: ("chooses trump", ""),
    Phase.INDICATOR8: ("chooses trump anew", ""),
    Phase.NAMING: ("names the partner's card", ""),
    Phase.DECLARE: ("decides on open or closed trump", ""),
    Phase.WINDOW: ("has yet to go on", "have yet to go on"),
    Phase.TRICK: ("is to play", ""),
    Phase.INSPECT: ("looks at the face-down cards", ""),
    Phase.SHOW_INDICATOR: ("shows the indicator", ""),
    Phase.CAPS_RESPONSE: ("answers the call of caps", "answer the call of caps"),
    Phase.SPOILT_INDICATOR: ("shows the indicator", ""),
    Phase.SPOILT_ANSWER: ("answers the call of spoilt trumps", "answer the call of spoilt trumps"),
    Phase.SORTING: ("sorts the hand", "sort their hands"),
    Phase.COUNT: ("opens cards for the count", "open cards for the count"),
}


def waiting_line(state: State, others: tuple[Seat, ...]) -> Line:
    """Return a sentence on what the table waits for: "South is to bid." `others` are the awaited
    seats without the reader's own.

    Where `others` is empty, "The cards are being dealt." before the maker's declaration, and "One
    moment: all have answered." from then on. In the count and after the end it always says that
    cards are counted, or that the hand is over where no points count.
    """
    if state.phase in (Phase.COUNT, Phase.OVER):
        over = state.end in _UNCOUNTED
        return say("The hand is over." if over else "The cards are being opened and counted.")
    if not others:
        # Phases are numbered in the order of a hand, but for NAMING, where the maker is awaited.
        dealing = state.phase < Phase.DECLARE
        return say("The cards are being dealt." if dealing else "One moment: all have answered.")
    # Where a card is called trump is chosen with all cards, and not anew: none was chosen before.
    first = state.phase is Phase.INDICATOR8 and state.auction.full
    phase = Phase.INDICATOR4 if first else state.phase
    one, several = _DOING[phase]
    verb = own_words(one if len(others) == 1 else several, state.profile)
    return say(join_items([say(Who(seat)) for seat in others]), f" {verb}.")


def prompt(view: View[State], choices: tuple[Choice, ...]) -> Line:
    """Return a sentence or two on what the view's seat, which is to act, may do now; `choices`
    are all of its choices.
    """
    state = view.state
    match state.phase:
        case Phase.CUT:
            last = max(each.action.offset for each in choices if isinstance(each.action, act.Cut))
            return say(
                f"Your turn: Enter leaves the pack as it is; or a number from 1 to {last} cuts it."
            )
        case Phase.AUCTION4 | Phase.AUCTION8:
            return say("Your turn to bid", _bids(choices), _others(choices), ".")
        case Phase.INDICATOR4 | Phase.INDICATOR8:
            return say("You are the maker: choose the card to lay face down; its suit is trump.")
        case Phase.NAMING:
            return say("You are the maker: name the card whose holder is your partner, such as js.")
        case Phase.DECLARE:
            return _declare(choices)
        case Phase.WINDOW if any(each.idle for each in choices):
            return say("Everybody can see that nothing is left to claim: the table goes on.")
        case Phase.WINDOW:
            keys = {each.key: each for each in choices if not each.default and each.key}
            # Named apart: to show a card claims nothing.
            shows = [key for key, each in keys.items() if isinstance(each.action, act.ShowCard)]
            claims = sorted(set(keys) - set(shows))
            only = f"{' and '.join(claims)} only if you claim something; " if claims else ""
            show = "".join(f"{key} shows a card that you play next; " for key in shows)
            return say(f"Press Enter to go on ({only}{show}? explains).")
        case Phase.TRICK:
            return _play(view, choices)
        case Phase.INSPECT:
            return _inspect(view, choices)
        case Phase.CAPS_RESPONSE:
            return say(Who(state.the_caps.seat), " claims every trick", _others(choices), ".")
        case _:
            default = next((each for each in choices if each.default), None)
            if default is not None:
                return say("Enter: ", default.label, ".")
            return say("Your turn", _others(choices), ".")


def _declare(choices: tuple[Choice, ...]) -> Line:
    """Return the prompt of the maker in the declaration, by its `choices`: to keep trump
    hidden, or to show the indicator and play with open trump.
    """
    shown = next(
        (each.action.card for each in choices if isinstance(each.action, act.OpenTrump)), None
    )
    if shown is None:
        return say("You are the maker", _others(choices), ".")
    keep = "You are the maker. k: keep trump hidden. o: show "
    return say(keep, shown, " and play with open trump.")


def _play(view: View[State], choices: tuple[Choice, ...]) -> Line:
    """Return the prompt of a seat that is to play a card: the suit led, if any, and the cards
    that it may play, by its `choices`; of a caller of contested caps that has one legal
    card, that its stated order says that card.
    """
    state = view.state
    cards = [each for each in choices if each.plays]
    slots = tuple(each.slot for each in cards if each.slot is not None)
    shown = join_parts(in_slot(slot, view.faces) for slot in slots)
    caps = state.caps
    # With more than one legal card the next one of the order is illegal, and any may be played.
    # `contested` is None until the opponents have answered, so only True says that they contest.
    stated = caps is not None and caps.contested is True and caps.seat == view.seat
    if stated and state.profile.caps_order_stated and len(slots) == 1:
        return say("Your turn. Caps: your stated order says ", shown, " now.")
    led = state.faces[state.plays[0].slot].suit if state.plays else None
    if led is not None and any(isinstance(each.action, act.PlayDown) for each in cards):
        return say("Your turn: ", led, " led, you have none; ", _face_down(view, slots), ".")
    follows = any(view.faces[slot].suit == led for slot in slots)
    return turn_to_play(led, shown, follows=follows)


def _face_down(view: View[State], slots: tuple[Slot, ...]) -> Line:
    """Return, as a phrase, the cards of `slots`, which the reader may play face down: "play one
    face down: 7♠ 8♣". For the maker: "discard 7♠ 8♣, or cut with your indicator 9♥"; without the
    indicator "discard one face down: 7♠ 8♣", with it alone "cut with your indicator 9♥".
    """
    state = view.state
    thrown = join_parts(in_slot(slot, view.faces) for slot in slots if slot != state.indicator)
    if state.indicator not in slots:
        made = view.seat == state.maker
        return say("discard" if made else "play", " one face down: ", thrown)
    cut = say("cut with your indicator ", in_slot(state.indicator, view.faces))
    return say("discard ", thrown, ", or ", cut) if thrown else cut


def _inspect(view: View[State], choices: tuple[Choice, ...]) -> Line:
    """Return the prompt of the maker that inspects a full trick: the face-down cards with their
    seats, or that all cards are face up; and the announcement that Enter makes.
    """
    lie_down = [
        say(Who(play.seat), " ", view.faces[play.slot])
        for play in view.state.plays
        if play.down and play.slot in view.faces
    ]
    # A full trick leaves one true announcement.
    announce = choices[0].label if choices else say("announce")
    if not lie_down:
        return say("All cards of the trick are face up. Enter: ", announce, ".")
    cards = join_parts(lie_down, ", ")
    return say("You alone look at the face-down cards: ", cards, ". Enter: ", announce, ".")


def _bids(choices: tuple[Choice, ...]) -> Line:
    """Return the numbers that may be bid as the next sentence of a prompt, ". You may bid 160,
    170 ... 300 (type it, Enter)"; empty for none.
    """
    numbers = [
        each.action.bid
        for each in choices
        if isinstance(each.action, act.PlaceBid) and isinstance(each.action.bid, int)
    ]
    if not numbers:
        return ()
    if len(numbers) == 1:
        return say(f". You may bid {numbers[0]}")
    return say(f". You may bid {numbers[0]}, {numbers[1]} ... {numbers[-1]} (type it, Enter)")


def _others(choices: tuple[Choice, ...]) -> Line:
    """Return the choices that have a key as the end of a sentence, "; p: pass, a: ask your
    partner"; empty where none has one.
    """
    # Several choices may share a key that goes through them, such as a partner to ask.
    alike: dict[str, list[Line]] = {}
    for each in choices:
        if each.key:
            alike.setdefault(each.key, []).append(each.label)
    named = [say(f"{key}: ", join_parts(labels, " or ")) for key, labels in alike.items()]
    return say("; ", join_parts(named, ", ")) if named else ()


_SECTIONS: Final = {
    "1.1": "Match, deal, cut",
    "1.2": "Four-card auction, redeal",
    "1.3": "Eight-card auction, Partner Close Caps",
    "1.4": "Indicator and play",
    "1.5": "Caps",
    "1.6": "Score, tokens, violations",
    "2": "House rules",
}
#: Parameters whose explanations mean 200 and 250 themselves, not the profile's own numbers.
_STANDING_FOR: Final = ("bracket_middle", "bracket_top")
_BETWEEN: Final = frozenset({Phase.CUT, Phase.OVER})  #: Phases in which no hand is in play.
#: A card that was played, and what is said once all have looked at the trick.
_PLAYED_OR_LOOKED: Final = (act.PlayCard, act.PlayDown, act.Ready, act.CallCaps, act.CallSpoilt)


class Telling304:
    """How 304 under one profile tells itself; `Telling` documents each method."""

    scene = staticmethod(scenes.scene)
    hand = staticmethod(scenes.held_cards)
    last_trick = staticmethod(scenes.last_trick)
    choices = staticmethod(options.choices)
    order_action = staticmethod(options.order_caps)
    trick_line = staticmethod(sentences.trick_line)
    prompt = staticmethod(prompt)
    waiting_line = staticmethod(waiting_line)
    urgent = staticmethod(options.urgent)
    moment = staticmethod(lessons.moment)
    summary = staticmethod(summary)

    def __init__(self, game: Game304) -> None:
        """Prepare the sentences of `game` under its profile."""
        self._game = game
        profile = game.profile
        #: The profile and the agreed house rules: "304, pagat rules, with talk".
        self.title = game_title(f"304, {profile.name} rules", profile.toggles)
        #: Whether players may write to each other between hands, by house rule.
        self.talk_agreed = TALK_RULE in profile.toggles
        #: The unit of a match's scores: "Tokens", "Gained", or "Score" where a partner is called.
        self.score_unit = score_unit(profile)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys of the actions that the profile has, with their help."""
        return options.keys(self._game.profile)

    @property
    def agreement_lines(self) -> tuple[Line, ...]:
        """A line for every parameter whose value differs from the profile of that name, by a
        house rule or by itself; empty where none differs.
        """
        profile = self._game.profile
        plain = named_profile(profile.name)
        return tuple(
            say(f"differs from {plain.name}: {row.name} is {here}, not {usual} ({row.explanation})")
            for row in PARAMETERS
            if (here := row.text(profile)) != (usual := row.text(plain))
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter, fixed ones too, section by section, with its value under this profile
        and its meaning.
        """
        profile = self._game.profile
        return tuple(
            Parameter(
                own_numbers(_SECTIONS[each.section], profile),
                each.name,
                _value(each, profile),
                each.explanation
                if each.name in _STANDING_FOR
                else own_numbers(each.explanation, profile),
            )
            for each in PARAMETERS
        )

    def between_hands(self, state: State) -> bool:
        """Tell whether no hand is in play: before the cut, or after the end."""
        return state.phase in _BETWEEN

    def led(self, before: State, after: State) -> bool:
        """Tell whether the one action between the states `before` and `after` played the first
        card of a trick.
        """
        return bool(after.plays) and not before.plays

    def ended_on_trick(self, state: State) -> bool:
        """Tell whether the hand ended with a played card, rather than in a window after a trick.
        Front ends then still show the trick for a while.
        """
        told = (each for _, each in reversed(state.log) if isinstance(each, _PLAYED_OR_LOOKED))
        return bool(state.tricks) and isinstance(next(told, None), (act.PlayCard, act.PlayDown))

    def tell(
        self, before: State, seat: Seat, action: Action, after: State, faces: Faces
    ) -> tuple[Line, ...]:
        """Return the sentences for `action` by `seat` as it happens; empty where it needs none.

        `before` and `after` are the states around the action; `faces` are the cards that the reader
        knows, others appear as unseen.
        """
        return tuple(sentences.action_lines(before, seat, action, after, faces))

    def retell(
        self, before: State, seat: Seat, action: Action, after: State, faces: Faces
    ) -> tuple[Line, ...]:
        """Return the sentences for `action` by `seat` in a story told afterwards, trick by trick;
        empty for an action that is told with its trick.

        `before` and `after` are the states around the action; `faces` are all cards that became
        known by the end of the hand.
        """
        return tuple(sentences.retell(before, seat, action, after, faces))

    def owed_words(self, state: State) -> str:
        """Return "the cards that still lie face down" while the count waits for them; "" in
        other phases.
        """
        return "the cards that still lie face down" if state.phase is Phase.COUNT else ""

    def in_short(self) -> tuple[Line, ...]:
        """Return the whole game in a few paragraphs."""
        return lessons.in_short(self._game.profile)

    def refusal(self, view: View[State], legal: Sequence[Action], tried: Tried) -> Line:
        """Return why a player's attempt is not possible now, as a sentence without a full stop,
        with the rule in brackets where one forbids it; "It is not your turn" where `legal` is
        empty.

        `legal` are the seat's legal actions; `tried` is the slot, number or word that named none
        of them.
        """
        game = self._game
        # It is another seat's turn, whatever was tried.
        if not legal:
            return say("It is not your turn")
        if tried.slot is not None:
            return _card(game, view, tried.slot)
        if tried.number is not None:
            if any(isinstance(each, act.Cut) for each in legal):
                return _fault_line(game, _fault(game, view, act.Cut(tried.number)))
            # A number is tried as a bid, with the profile's shorthand: 60 is 160 in pagat.
            bid = act.PlaceBid(game.profile.number_meant(tried.number))
            return _fault_line(game, _fault(game, view, bid))
        command = _command(tried.word)
        if command is None:
            return say("This is not possible now")
        fault = _fault_of(game, view, command)
        # "Not now" says little: name when it is possible instead.
        if fault is None or fault.rule == _NOT_ITS_PHASE:
            only = f"You can {command.words} only {command.when}"
            return _fault_line(game, _Fault(command.rule, only))
        return say(own_words(f"You cannot {command.words} now: {fault.sentence}", game.profile))

    def sides(self) -> tuple[Line, ...]:
        """Return the name of each side of a match, in the order of scores: two teams, or the
        seats where a partner is called.
        """
        if self._game.profile.partner_called:
            return tuple(say(Who(Seat(seat))) for seat in range(self._game.seats))
        return tuple(map(say, team_names(self._game.seats)))

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        """Return the name of the team numbered `winner`; where a partner is called, the seats
        with the highest of `scores`.
        """
        if self._game.profile.partner_called:
            return join_items([say(Who(seat)) for seat in self.winning_seats(winner, scores)])
        return self.sides()[winner]

    def owners(self) -> Sides:
        """Return the seats of each side of a match, in the order of scores: of two teams, or
        each seat by itself where a partner is called.
        """
        if self._game.profile.partner_called:
            return tuple((Seat(seat),) for seat in range(self._game.seats))
        return two_teams(self._game.seats)

    def winning_seats(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        """Return, in seat order, the seats that won: those of the team numbered `winner`, or
        where a partner is called all seats with the highest of `scores`.
        """
        if self._game.profile.partner_called:
            return tuple(Seat(seat) for seat, score in enumerate(scores) if score == scores[winner])
        return two_teams(self._game.seats)[winner]

    def undertakings(self, outcome: HandOutcome | RunningOutcome) -> tuple[Undertaking, ...]:
        """Return what a hand adds to players' statistics: the bid that was played, and caps that
        a team called or missed; empty for a hand that is void or ended in a violation.
        """
        return tuple(undertakings(self._game.profile, outcome))


def _value(row: ProfileParameter, profile: Profile) -> str:
    """Return the value of the parameter `row` as text for people, "n/a" where it cannot matter.

    A value out of a fixed set of words is reworded for the profile: "four", "eight", 200 and 250 in
    it become the profile's own numbers.
    """
    chosen = row.fixed is None and isinstance(getattr(profile, row.name), Enum)
    text = row.text(profile)
    return own_numbers(text, profile) if chosen else text
