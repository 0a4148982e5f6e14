"""The table of 304 as one seat may know it: who sits where, what lies where, what stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from p2p304.rules304.actions import Contract, bid_name
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile, Settlement
from p2p304.rules304.scoring import marriage_worth, needed_points, points_text
from p2p304.rules304.state import Phase, Play, State, Trick
from p2p304.rules304.teams import team_shorts, two_teams
from p2p304.rules304.telling.counts import all_cards
from p2p304.rules304.telling.sentences import points_seen
from p2p304.seats import FOUR_SEAT_NAMES, Seat, seat_letters
from p2p304.sentences import Line, Who, count_words, join_items, say
from p2p304.telling import (
    Count,
    HeldCard,
    Lying,
    Scene,
    ScenePlace,
    SideCard,
    lay_trick,
)
from p2p304.view import View

SCORED: Final = "Score"  #: The unit where each seat has a score of its own.
#: Where a card stands among all: by suits, and in its suit from high to low.
ORDER: Final = {card: number for number, card in enumerate(CARD_POINTS)}
# Words stand in the middle until the last bid: then it is for cards.
_CUT_AND_AUCTIONS: Final = frozenset({Phase.CUT, Phase.AUCTION4, Phase.AUCTION8})


def scene(view: View[State], scores: tuple[int, ...]) -> Scene:
    """Return the table as the view's seat may know it; `scores` are the match's before this
    hand, by side.
    """
    state = view.state
    # Until a card is awaited, the last complete trick lies there.
    playing = bool(state.plays) or state.phase is Phase.TRICK
    return Scene(
        contract=tuple(_contract(state)),
        counts=tuple(_counts(view, scores)),
        places=tuple(_place(seat, view) for seat in state.everybody),
        hand=held_cards(view),
        lying=_lay_trick(state.plays, view) if playing else last_trick(view),
        middle=tuple(_middle(state)) if state.phase in _CUT_AND_AUCTIONS else (),
        tricks=len(state.tricks),
        history=tuple(_history(state)),
        log=tuple(_log(state)),
    )


def held_cards(view: View[State]) -> tuple[HeldCard, ...]:
    """Return the cards of the view's own seat, by suits, high to low; a maker's indicator on the
    table comes last, marked "trump". Empty for a spectator.
    """
    state, seat, faces = view.state, view.seat, view.faces
    if seat is None:
        return ()
    mine = sorted(
        # A card just dealt has no face before the others' shares of it have come.
        ((faces[slot], slot) for slot in state.hands[seat] if slot in faces),
        key=lambda each: ORDER[each[0]],
    )
    cards = [HeldCard(slot, card, str(CARD_POINTS[card])) for card, slot in mine]
    lies = state.indicator
    if lies is not None and seat == state.maker and lies in faces:
        cards.append(HeldCard(lies, faces[lies], "trump", apart=True))
    return tuple(cards)


def last_trick(view: View[State]) -> tuple[Lying, ...]:
    """Return the cards of the last complete trick in order of play; empty before the first."""
    if not view.state.tricks:
        return ()
    trick = view.state.tricks[-1]
    return _lay_trick(trick.plays, view, trick.winner)


def contract_line(state: State) -> Line:
    """Return the bid that stands and its maker as a phrase: "170 by South"; there must be one."""
    bid = state.the_contract
    # A number is one of points, which a table may show divided by ten.
    name = points_text(state.profile, bid) if isinstance(bid, int) else bid_name(bid)
    return say(f"{name} by ", Who(state.the_maker))


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


def score_unit(profile: Profile) -> str:
    """Return the unit of a match's scores under the profile: "Score" where a partner is called,
    "Gained" under the settlement "own stock", else "Tokens".
    """
    if profile.partner_called:
        return SCORED
    return "Gained" if profile.settlement is Settlement.OWN_STOCK else "Tokens"


def _contract(state: State) -> list[Line]:
    """Return what is played for, as phrases such as "170 by South" and "trump hidden": bid,
    trump, called partner, double, caps; empty before an auction has ended.
    """
    words: list[Line] = []
    if state.contract is not None and state.maker is not None:
        words.append(contract_line(state))
        # By public faces: a maker sees its own indicator beside its hand.
        trump = state.trump_by(state.faces)
        if trump is not None:
            words.append(say("trump ", trump))
        else:
            chosen = state.trump_slot is not None
            words.append(say("trump hidden" if chosen else "trump not chosen"))
    if state.called is not None and state.maker is not None:
        mates = [say(Who(mate)) for mate in state.mates(state.maker)]
        # While the partner is secret, the maker has none.
        known = say("partner ", join_items(mates)) if mates else None
        words.append(known or say("partner: who holds ", state.called))
    if state.double is not None:
        words.append(say("double by ", Who(state.double)))
    if state.caps is not None:
        # None until the opponents have answered, and where they are not asked: caps without cards.
        answer = {None: "", True: ", contested", False: ", conceded"}[state.caps.contested]
        words.append(say("caps by ", Who(state.caps.seat), answer))
    return words


def _counts(view: View[State], scores: tuple[int, ...]) -> Iterator[Count]:
    """Yield the counts of the scene: each side's score, and after the first trick its tricks and
    points too. Where a partner is called, most counts are by seats. At more than four seats teams
    are "us" and "them" to a player.

    `scores` are the match's before this hand, by side.
    """
    state = view.state
    if state.profile.partner_called:
        yield from _called_counts(view, scores)
        return
    sides = team_shorts(state.seats)
    # At more seats the letters of a team are long, such as "S-NE-NW".
    if view.seat is not None and state.seats != len(FOUR_SEAT_NAMES):
        sides = ("us", "them") if state.teams[view.seat] == 0 else ("them", "us")
    names = [say(name) for name in sides]
    yield _count(score_unit(state.profile), names, map(str, scores))
    if state.tricks:
        won = [_won_tricks(state, seats) for seats in two_teams(state.seats)]
        yield _count("Tricks", names, (str(len(tricks)) for tricks in won))
        yield _count("Points", names, (_points(state, tricks) for tricks in won))


def _count(word: str, names: Iterable[Line], values: Iterable[str]) -> Count:
    """Return a count called `word`: one of `values` for each of `names`, in their order."""
    return Count(word, tuple(zip(names, values, strict=True)))


def _called_counts(view: View[State], scores: tuple[int, ...]) -> Iterator[Count]:
    """Yield the counts of the scene: each seat's score; after the first trick also tricks, points
    of open cards, and marriages if any were shown.

    Tricks under a contract, else points, are counted by sides for a reader that knows the maker's
    side; everything else is counted by seats. `scores` are the match's before this hand, in seat
    order.
    """
    state = view.state
    alone = [{seat} for seat in state.everybody]
    yield _count(SCORED, _letters(state, alone), map(str, scores))
    if not state.tricks:
        return
    everybody = set(state.everybody)
    side = _makers_side(view)
    # Only a reader who knows the side may see sums by sides, or the screen would give the partner
    # away.
    both = [side, everybody - side] if side else alone
    all_tricks = isinstance(state.contract, Contract)

    counted, other = (both, alone) if all_tricks else (alone, both)
    tricks = [str(len(_won_tricks(state, seats))) for seats in counted]
    if side and all_tricks:
        # All seats are dealt alike; any seat of the side tells how many tricks there are.
        tricks[0] += f" of {len(state.dealt[min(side)])}"
    yield _count("Tricks", _letters(state, counted), tricks)

    points = [_points(state, _won_tricks(state, seats)) for seats in other]
    if side and not all_tricks:
        points[0] += f" of {points_text(state.profile, needed_points(state, side))}"
    yield _count("Points", _letters(state, other), points)
    if state.marriages:
        pairs = [say(Who(seat), " ", suit) for seat, suit in state.marriages]
        worths = [str(marriage_worth(state, suit)) for _, suit in state.marriages]
        yield _count("Marriages", pairs, worths)


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


def _won_tricks(state: State, seats: Collection[Seat]) -> list[Trick]:
    """Return the complete tricks that one of `seats` won."""
    return [trick for trick in state.tricks if trick.winner in seats]


def _letters(state: State, owners: Iterable[set[Seat]]) -> Iterator[Line]:
    """Yield the name of each group of seats in `owners`, their letters: "S-N"."""
    letters = seat_letters(state.seats)
    return (say("-".join(letters[seat] for seat in sorted(seats))) for seats in owners)


def _points(state: State, tricks: Iterable[Trick]) -> str:
    """Return the points of the cards in `tricks` that everybody has seen, as text, and how many
    are closed: "34 (1 card hidden)".
    """
    points, hidden = points_seen(state, [play for trick in tricks for play in trick.plays])
    return points_text(state.profile, points) + _hidden(hidden)


def _history(state: State) -> Iterator[Line]:
    """Yield a sentence for each call of the auctions so far, such as "South bids 170", and the
    heading "With eight cards:" before the first call of the second auction; nothing before the
    first call of all.
    """
    # `calls` holds both auctions; `auction` is the last one, so this is where its calls begin.
    first = len(state.calls) - state.auction.slots
    for number, call in enumerate(state.calls):
        # A heading where the second auction begins; none if there has been one auction alone.
        if 0 < first == number:
            yield say(f"With {all_cards(state.profile)} cards:")
        asked = () if call.asked_by is None else say(", asked by ", Who(call.asked_by))
        said = "passes" if call.said is None else f"bids {bid_name(call.said)}"
        yield say(Who(call.seat), f" {said}", asked)


def _log(state: State) -> Iterator[Line]:
    """Yield a sentence for each complete trick, with its winner and the points of its open
    cards, and one for a call of caps. Cards of earlier tricks are not shown again (10.3).
    """
    for number, trick in enumerate(state.tricks, 1):
        points, hidden = points_seen(state, trick.plays)
        how = "cuts" if trick.cut else "takes it"
        yield say(f"Trick {number}: ", Who(trick.winner), f" {how}, {points}{_hidden(hidden)}")
    if state.caps is not None:
        yield say(Who(state.caps.seat), " calls caps")


def _hidden(cards: int) -> str:
    """Return a number of closed cards in brackets: " (2 cards hidden)"; "" for 0."""
    return f" ({count_words(cards, 'card')} hidden)" if cards else ""


def _place(seat: Seat, view: View[State]) -> ScenePlace:
    """Return a seat's place in the scene: its unplayed cards, those that the reader knows first,
    then None for each other; its roles (the reader's partner, dealer, maker); its calls; whether
    it has the highest bid; and a maker's indicator on the table, beside the hand.
    """
    state = view.state
    faces = [view.faces.get(slot) for slot in state.hands[seat]]
    known = sorted((face for face in faces if face is not None), key=ORDER.__getitem__)
    lies = state.indicator if seat == state.maker else None
    roles = (
        (
            "partner",
            (view.seat is not None and seat in state.mates(view.seat))
            # The secret partner sees the maker so; nobody else does.
            or seat == known_partner(view),
        ),
        ("dealer", seat == state.dealer),
        ("maker", seat == state.maker),
    )
    return ScenePlace(
        cards=(*known, *[None] * faces.count(None)),
        roles=tuple(role for role, holds in roles if holds),
        calls=_calls(state, seat),
        leading=seat == state.auction.top_seat,
        side_card=None if lies is None else SideCard("indicator", view.faces.get(lies)),
    )


def _calls(state: State, seat: Seat) -> tuple[str, ...]:
    """Return a seat's calls in the last auction, in order: "170", "pass", "asked" where its
    partner spoke for it, "asks" while the partner has yet to speak.
    """
    words = []
    # `calls` holds both auctions, `auction` is the last one: its calls are the last of them.
    for call in state.calls[len(state.calls) - state.auction.slots :]:
        if call.seat == seat:
            words.append("pass" if call.said is None else bid_name(call.said))
        elif call.asked_by == seat:
            words.append("asked")
    if state.auction.asked is not None and state.auction.turn == seat:
        words.append("asks")
    return tuple(words)


def _middle(state: State) -> list[Line]:
    """Return the phrases for the middle of the table before play: "the pack is shuffled" at the
    cut; in an auction its highest bid, "170 by South", else the first auction's, "170 by South
    stands", or "no bid yet"; in the second also "with eight cards".
    """
    bid, bidder = state.auction.top, state.auction.top_seat
    if state.phase is Phase.CUT:
        return [say("the pack is shuffled")]
    if bid is not None and bidder is not None:
        words = say(f"{bid_name(bid)} by ", Who(bidder))
    elif state.contract is not None and state.maker is not None:
        words = say(contract_line(state), " stands")
    else:
        words = say("no bid yet")
    return (
        [words, say(f"with {all_cards(state.profile)} cards")]
        if state.phase is Phase.AUCTION8
        else [words]
    )


def _lay_trick(
    plays: tuple[Play, ...], view: View[State], winner: Seat | None = None
) -> tuple[Lying, ...]:
    """Return the cards of a trick as they lie on the table; `winner` is None while it is in
    progress.
    """
    shown = view.state.faces
    return lay_trick(
        # A card that was played face down and shown since lies face up.
        (
            (seat, slot, view.faces.get(slot), down and slot not in shown)
            for seat, slot, down in plays
        ),
        winner,
    )
