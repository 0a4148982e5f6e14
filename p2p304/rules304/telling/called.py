"""What is told where a card is called: whose side is known to whom, a score for each seat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from p2p304.cards import Slot
from p2p304.rules304.actions import Contract, bid_name
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.scoring import (
    LAST_TRICK,
    MARRIAGE,
    TRUMP_MARRIAGE,
    RunningOutcome,
    marriage_worth,
    needed_points,
    points_text,
    price_of,
)
from p2p304.rules304.state import State, Trick
from p2p304.rules304.telling.moment import LessonContext
from p2p304.rules304.telling.sentences import last_trick
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import Line, Who, count_words, join_items, join_parts, say
from p2p304.telling import Count, Ended, SummaryRow
from p2p304.view import View

SCORED: Final = "Score"


def in_short(profile: Profile) -> tuple[Line, ...]:
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


def partner_line(state: State) -> Line:
    """Return the maker's partner as a phrase, "partner South"; while the partner is secret
    "partner: who holds J♠".
    """
    # Told once a card is named, and only a maker names one.
    assert state.called is not None
    assert state.maker is not None
    if state.partner_secret:
        return say("partner: who holds ", state.called)
    return say("partner ", join_items([say(Who(mate)) for mate in state.mates(state.maker)]))


def known_partner(view: View[State]) -> Seat | None:
    """Return the maker, where the view's own seat is the maker's still secret partner, because
    it was dealt the called card; else None, also for a spectator, for the maker, and once
    everybody knows the partner.
    """
    state, seat = view.state, view.seat
    if seat is None or state.called is None or seat == state.maker:
        return None
    # Dealt cards, for the called one may have been played face down; under Half Court a card is
    # named before `dealt` is filled.
    held = state.dealt[seat] if any(state.dealt) else state.hands[seat]
    mine = any(view.faces.get(slot) == state.called for slot in held)
    return state.maker if mine and state.partner_secret else None


def counts(view: View[State], scores: tuple[int, ...]) -> Iterator[Count]:
    """Yield the counts of the scene: each seat's score; after the first trick also tricks, points
    of open cards, and marriages if any were shown.

    Tricks under a contract, else points, are counted by sides for a reader that knows the maker's
    side; everything else is counted by seats. `scores` are the match's before this hand, in seat
    order.
    """
    state = view.state
    alone = [{seat} for seat in state.everybody]
    yield _sum(SCORED, state, alone, [str(score) for score in scores])
    if not state.tricks:
        return
    everybody = set(state.everybody)
    side = _makers_side(view)
    # Only a reader who knows the side may see sums by sides, or the screen would give the partner
    # away.
    both = [side, everybody - side] if side else alone
    all_tricks = isinstance(state.contract, Contract)

    won = [_won_tricks(state, seats) for seats in (both if all_tricks else alone)]
    tricks = [str(len(each)) for each in won]
    if side and all_tricks:
        # All seats are dealt alike; any seat of the side tells how many tricks there are.
        tricks[0] += f" of {len(state.dealt[min(side)])}"
    yield _sum("Tricks", state, both if all_tricks else alone, tricks)

    won = [_won_tricks(state, seats) for seats in (alone if all_tricks else both)]
    points = [_points(state, [play.slot for trick in each for play in trick.plays]) for each in won]
    if side and not all_tricks:
        points[0] += f" of {points_text(state.profile, needed_points(state, side))}"
    yield _sum("Points", state, alone if all_tricks else both, points)
    if state.marriages:
        pairs = [say(Who(seat), " ", suit) for seat, suit in state.marriages]
        worths = [str(marriage_worth(state, suit)) for _, suit in state.marriages]
        yield Count("Marriages", tuple(zip(pairs, worths, strict=True)))


def _makers_side(view: View[State]) -> set[Seat]:
    """Return the maker and its partner if the reader knows who the partner is; else the empty
    set.
    """
    state = view.state
    if state.called is None or state.maker is None:
        return set()
    side = {state.maker, *state.mates(state.maker)}
    if view.seat is not None and known_partner(view) is not None:
        side.add(view.seat)
    return side if len(side) > 1 else set()


def _won_tricks(state: State, seats: set[Seat]) -> list[Trick]:
    """Return the complete tricks that one of `seats` won."""
    return [trick for trick in state.tricks if trick.winner in seats]


def _sum(word: str, state: State, owners: list[set[Seat]], values: list[str]) -> Count:
    """Return a count called `word`: one of `values` for each group of seats in `owners`, in
    their order. A group is named by its seats' letters, "S-N".
    """
    letters = seat_letters(state.seats)
    names = ("-".join(letters[seat] for seat in sorted(seats)) for seats in owners)
    return Count(word, tuple(zip(map(say, names), values, strict=True)))


def _points(state: State, slots: list[Slot]) -> str:
    """Return the points of the cards in `slots` that everybody has seen, as text, and how many
    are closed: "34 (1 card hidden)".
    """
    shown = [state.faces[slot] for slot in slots if slot in state.faces]
    hidden = len(slots) - len(shown)
    points = points_text(state.profile, sum(CARD_POINTS[card] for card in shown))
    return points + (f" ({count_words(hidden, 'card')} hidden)" if hidden else "")


def summary(ended: Ended) -> tuple[SummaryRow, ...]:
    """Return the summary rows of a hand that ended, from top to bottom: bid, partner, tricks,
    marriages, last trick, scores; rows with nothing to say are left out.
    """
    state: State = ended.state
    outcome: RunningOutcome = ended.outcome
    facts, profile = outcome.facts, outcome.profile
    rows: list[SummaryRow] = []
    if facts.bid is not None and facts.maker is not None:
        price = price_of(profile, facts.bid)
        worth = f"; worth {price.made} if made, {price.failed} if not"
        rows.append(SummaryRow("Bid", say(f"{bid_name(facts.bid)} by ", Who(facts.maker), worth)))
        rows.append(SummaryRow("Partner", _partner(ended)))
        if facts.void is None:
            took = f"the maker's side took {count_words(facts.tricks, 'trick')}"
            # Without a target no points counted: a contract, or a hand that ended early.
            if facts.target:
                took += f" and {points_text(profile, facts.points)} points"
                took += f", and needed {points_text(profile, facts.target)}"
            rows.append(SummaryRow("Tricks", say(took, _why_needed(state, outcome))))
    if state.marriages and facts.target:
        shown = (
            say(Who(seat), " ", suit, f" {marriage_worth(state, suit)}")
            for seat, suit in state.marriages
        )
        rows.append(SummaryRow("Marriages", join_parts(shown, ", ")))
    if state.tricks:
        rows.append(SummaryRow("Last", last_trick(state, ended.faces)))
    if ended.scores:
        pairs = zip(state.everybody, ended.scores, strict=True)
        each = (say(Who(seat), f" {score}") for seat, score in pairs)
        rows.append(SummaryRow(SCORED, join_parts(each, ", ")))
    return tuple(rows)


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


def winners(winner: int, scores: tuple[int, ...]) -> Line:
    """Return the seats that won a match as a list in a sentence, "South and East": seat `winner`
    and all others with the same score.
    """
    return join_items([say(Who(seat)) for seat in winning_seats(winner, scores)])


def winning_seats(winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
    """Return the seats that won a match, in seat order: seat `winner` and all others with the
    same score.
    """
    return tuple(Seat(seat) for seat, score in enumerate(scores) if score == scores[winner])


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


# --- the rules of a moment --------------------------------------------------------------------


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
        assert state.maker is not None
        mates = join_items([say(Who(mate)) for mate in state.mates(state.maker)])
        yield say(Who(state.maker), " and ", mates, " play together, for ", state.called, " fell.")
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
