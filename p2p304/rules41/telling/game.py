"""41 and 400 tell themselves: scenes, choices, sentences, lessons, refusals and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from p2p304.cards import Faces, Slot
from p2p304.errors import RulesError
from p2p304.rules41.hand import (
    ALL_SEATS,
    PACK,
    SEATS,
    TRUMPS,
    Action,
    Cut,
    DealPhase,
    DealState,
    Game41,
    Outcome41,
    PlaceBid,
    PlayCard,
    PlayedCard,
    SortHand,
)
from p2p304.rules41.rules import HIGHEST_BID, TOGGLES, Rules41, Variant
from p2p304.seats import OPPOSITE, PAIR_NAMES, Seat, Sides, seat_after
from p2p304.sentences import Line, Part, Who, game_title, join_items, join_parts, say
from p2p304.telling import (
    SHUFFLING,
    Choice,
    Count,
    Ended,
    HeldCard,
    Key,
    Lying,
    Parameter,
    Scene,
    ScenePlace,
    SummaryRow,
    Tried,
    Undertaking,
    card_names,
    lay_trick,
    turn_to_play,
)
from p2p304.view import View

# --- the table of 41 and 400 as one seat may know it ----------------------------------------------

#: Where a card stands in a hand that is shown: by suits, and in its suit from high to low.
ORDER: Final = {card: place for place, card in enumerate(PACK)}


def last_trick(view: View[DealState]) -> tuple[Lying, ...]:
    """Return the cards of the last complete trick in order of play; empty before the first."""
    tricks = view.state.tricks
    return _lay_trick(tricks[-1].plays, tricks[-1].winner) if tricks else ()


def _contract(rules: Rules41, state: DealState) -> list[Line]:
    """Return the phrases above the table: "trump ♥", and from the first bid on "bids worth 9, 11
    needed".
    """
    words = [say("trump ", TRUMPS)]
    if state.bids:
        worth = sum(map(rules.value, state.bids))
        words.append(say(f"bids worth {worth}, {state.floor} needed"))
    return words


def _middle(rules: Rules41, state: DealState) -> tuple[Line, ...]:
    """Return one phrase for the middle of the table until play begins: that the pack is
    shuffled, what the bids are worth, or "no bid yet"; empty from then on.
    """
    if state.phase is DealPhase.CUTTING:
        return (say("the pack is shuffled"),)
    # Thrown in, too: no card comes to lie there.
    if state.phase in (DealPhase.SORTING, DealPhase.BIDDING, DealPhase.THROWN_IN):
        worth = sum(map(rules.value, state.bids))
        return (say(f"bids worth {worth}, {state.floor} needed" if state.bids else "no bid yet"),)
    return ()


def held_cards(view: View[DealState]) -> tuple[HeldCard, ...]:
    """Return the unplayed cards of the view's own seat, suit by suit, high to low; empty for a
    spectator.
    """
    slots = () if view.seat is None else view.state.hands[view.seat]
    # A card just dealt has no face before the others' shares of it have come.
    cards = [(view.faces[slot], slot) for slot in slots if slot in view.faces]
    cards.sort(key=lambda each: ORDER[each[0]])
    return tuple(HeldCard(slot, card) for card, slot in cards)


def _place(seat: Seat, view: View[DealState]) -> ScenePlace:
    """Return a seat's place in the scene: its cards, those that the reader knows first, then
    None for each other; its roles ("partner" of the reader, "dealer", what it has bid and,
    during play, taken); its bid.
    """
    state = view.state
    faces = [view.faces.get(slot) for slot in state.hands[seat]]
    known = sorted((face for face in faces if face is not None), key=ORDER.__getitem__)
    roles = (
        ("partner", view.seat is not None and seat == seat_after(view.seat, seats=SEATS, steps=2)),
        ("dealer", seat == state.dealer),
    )
    bid = _bid(state, seat)
    # Before play nothing is taken, and after it the summary tells it.
    took = f" took {state.tricks_taken[seat]}" if state.phase is DealPhase.PLAYING else ""
    return ScenePlace(
        cards=(*known, *[None] * faces.count(None)),
        roles=(
            *(role for role, holds in roles if holds),
            *([] if bid is None else [f"bid {bid}{took}"]),
        ),
        calls=() if bid is None else (str(bid),),
    )


def _bid(state: DealState, seat: Seat) -> int | None:
    """Return the number that a seat has bid; None if it has not bid yet."""
    # Bids stand in the order of speaking, from dealer's right (PROFILES 4.3).
    place = (seat - state.dealer - 1) % SEATS
    return state.bids[place] if place < len(state.bids) else None


def _counts(state: DealState, scores: tuple[int, ...]) -> list[Count]:
    """Return the count "Score" of all seats, and from the first complete trick on the count
    "Tricks".
    """
    names = [say(Who(seat)) for seat in ALL_SEATS]
    counts = [Count("Score", tuple(zip(names, map(str, scores), strict=True)))]
    if state.tricks:
        counts.append(Count("Tricks", tuple(zip(names, map(str, state.tricks_taken), strict=True))))
    return counts


def _lay_trick(plays: Sequence[PlayedCard], winner: Seat | None) -> tuple[Lying, ...]:
    """Return the cards of a trick as they lie on the table, in order of play; empty for no plays.
    `winner` is None while it is in progress.
    """
    # All cards of these games are played face up.
    return lay_trick(((seat, slot, card, False) for seat, slot, card in plays), winner)


# --- the rules of each moment of 41 and 400, and the games in short -------------------------------

_VALUES: Final = {
    Variant.SYRIAN: "A bid of 1 to 6 is worth its number, 7 to 13 twice its number.",
    Variant.LEBANESE: (
        "A bid of 2 to 4 is worth its number, 5 to 8 twice, 9 to 12 three times. Whoever bids 13"
        " and takes all wins the match for the team at once, and otherwise loses 52."
    ),
}


def _now(rules: Rules41, view: View[DealState]) -> Iterator[Line]:
    """Yield sentences with the rules that matter in the present phase, addressed to "You" where
    the view's seat is to act.
    """
    state = view.state
    mine = view.seat in state.awaiting
    # After the end nobody is awaited, and no sentence names anybody.
    who: Part = "You" if mine or not state.awaiting else Who(state.awaiting[0])
    match state.phase:
        case DealPhase.CUTTING:
            left = ", left of the dealer, may cut the shuffled pack: at a number"
            yield say(who, left, f" from 1 to {len(PACK) - 1}, or not at all.")
        case DealPhase.SORTING:
            yield say(
                "Every seat mixes its own hand anew, unseen: nobody can tell later when a card"
                " was dealt. Nothing is decided by it."
            )
        case DealPhase.BIDDING:
            said = sum(map(rules.value, state.bids))
            yield say(who, " bid" if mine else " bids", " once, for one seat.")
            yield say(
                f"The bids so far are worth {said}; all four must come to {state.floor}, or the"
                " cards are thrown in."
            )
        case DealPhase.PLAYING if not state.trick:
            yield say(who, " lead" if mine else " leads", " any card.")
        case DealPhase.PLAYING:
            suit = state.trick[0].card.suit
            yield say("Who has ", suit, " follows the suit led, others play any card.")
        case DealPhase.THROWN_IN | DealPhase.PLAYED:
            yield say("The deal is over; the dealer's right deals the next one.")
        case _:
            assert_never(state.phase)


#: What one seat does in a phase, and what several do.
_DOING: Final = {
    # One seat cuts, so that the words for several are never told.
    DealPhase.CUTTING: ("may cut the pack", "may cut the pack"),
    DealPhase.SORTING: ("sorts the hand", "sort their hands"),
    DealPhase.BIDDING: ("is to bid", "are to bid"),
    DealPhase.PLAYING: ("is to play", "are to play"),
}
#: What the numbered rules are about.
_TITLES: Final = {
    "PROFILES 4.2": "the deal",
    "PROFILES 4.3": "bids",
    "PROFILES 4.7": "play",
    "RULES 0.2": "sorting",
}


class Telling41:
    """How 41 or 400 under agreed rules tells itself; `Telling` documents each method."""

    hand = staticmethod(held_cards)
    last_trick = staticmethod(last_trick)

    keys: tuple[Key, ...] = ()  #: None: every choice is a card or a number.
    score_unit = "Score"  #: Points of each seat.

    def __init__(self, game: Game41) -> None:
        """Prepare the sentences of `game` under its rules."""
        self._game = game
        self._rules = rules = game.rules
        #: The name of the game and its house rules: "41", "400, with floor 12 and talk".
        self.title = game_title(game.name, rules.toggles)
        #: Whether players may write to each other between deals, by house rule.
        self.talk_agreed = rules.table_chat

    @property
    def agreement_lines(self) -> tuple[Line, ...]:
        """The agreed house rules, a line for each; empty for none."""
        return tuple(say(f"house rule {name}: {TOGGLES[name]}") for name in self._rules.toggles)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every house rule, with "yes" or "no" for whether it is agreed."""
        agreed = self._rules.toggles
        return tuple(
            Parameter("House rules", name, "yes" if name in agreed else "no", meaning)
            for name, meaning in TOGGLES.items()
        )

    def between_hands(self, state: DealState) -> bool:
        """Tell whether no deal is in play: before the cut, or after the end."""
        # Before the cut nobody holds a card that words could speak of.
        return state.phase in (DealPhase.CUTTING, DealPhase.THROWN_IN, DealPhase.PLAYED)

    def scene(self, view: View[DealState], scores: tuple[int, ...]) -> Scene:
        """Return the table as the view's seat may know it, with the bids and the winners of all
        tricks so far; between two tricks the last one lies there. `scores` are the match's before
        this deal, in seat order.
        """
        state = view.state
        return Scene(
            contract=tuple(_contract(self._rules, state)),
            counts=tuple(_counts(state, scores)),
            places=tuple(_place(seat, view) for seat in ALL_SEATS),
            hand=held_cards(view),
            lying=_lay_trick(state.trick, None) if state.trick else last_trick(view),
            middle=_middle(self._rules, state),
            tricks=len(state.tricks),
            # In the order of speaking, from dealer's right.
            history=tuple(
                say(Who(seat_after(state.dealer, seats=SEATS, steps=place)), f" bids {bid}")
                for place, bid in enumerate(state.bids, 1)
            ),
            log=tuple(
                say(f"Trick {number}: ", Who(trick.winner), " takes it")
                for number, trick in enumerate(state.tricks, 1)
            ),
        )

    def led(self, before: DealState, after: DealState) -> bool:
        """Tell whether the one action between the states `before` and `after` played the first
        card of a trick.
        """
        return bool(after.trick) and not before.trick

    def ended_on_trick(self, state: DealState) -> bool:
        """Tell whether the deal was played to its last card."""
        return state.phase is DealPhase.PLAYED

    # --- what can be chosen -----------------------------------------------------------------------

    def choices(self, view: View[DealState], legal: Sequence[Action]) -> tuple[Choice, ...]:
        """Return the legal actions as choices: cards by suits, high to low, cuts and bids
        ascending.
        """
        # 0 where no bid is legal: then nobody reads it.
        lowest = min((each.tricks for each in legal if isinstance(each, PlaceBid)), default=0)
        found = [self._choice(each, lowest) for each in legal]
        # Cards as the hand shows them; cuts and bids come in order already.
        if all(isinstance(each, PlayCard) for each in legal):
            found.sort(key=lambda each: ORDER[each.action.card])
        return tuple(found)

    def _choice(self, action: Action, lowest: int) -> Choice:
        """Return the choice that offers one legal action. `lowest` is the lowest bid: a player
        who picks a higher one is asked whether it is meant.
        """
        match action:
            case Cut(offset):
                # An empty line and "no" both leave the pack as it is.
                words = (*(() if offset else ("", "no")), f"cut {offset}")
                label = say(f"cut at {offset}" if offset else "leave the pack uncut")
                brief = "" if offset else "no cut"
                default = offset == 0
                return Choice(
                    action, label, typed=words, numbers=(offset,), brief=brief, default=default
                )
            case SortHand():
                return Choice(action, say("sort your hand"), default=True, duty=True)
            case PlaceBid(tricks):
                label = say(f"bid {tricks}")
                words = (f"bid {tricks}",)
                dear = tricks > lowest
                return Choice(action, label, typed=words, numbers=(tricks,), costly=dear)
            case PlayCard(slot, card):
                label = say("play ", card)
                return Choice(action, label, typed=card_names(card), slot=slot, plays=True)
            case _:
                assert_never(action)

    def order_action(self, choice: Choice, order: Sequence[Slot], view: View[DealState]) -> Action:
        """Return the action of `choice`; `order` is ignored, since no choice of these games
        states one.
        """
        # `Choice` serves all games, so that its action is Any; here it is of these games again.
        action: Action = choice.action
        return action

    # --- what happened ----------------------------------------------------------------------------

    def tell(
        self, before: DealState, seat: Seat, action: Action, after: DealState, faces: Faces
    ) -> tuple[Line, ...]:
        """Return the sentences for `action` by `seat` as it happens: for a card also that the seat
        has shown to lack the suit led and, after the fourth, who takes the trick; after the fourth
        bid also what the bids are worth. Empty for each sorting but the last.

        `before` and `after` are the states around the action; `faces` is not used, since played
        cards lie open.
        """
        if not isinstance(action, PlayCard):
            return self.retell(before, seat, action, after, faces)
        lines = [say(Who(seat), " plays " if before.trick else " leads ", action.card, ".")]
        led = before.trick[0].card.suit if before.trick else None
        if led is not None and led in after.voids[seat] - before.voids[seat]:
            lines = [say(lines[0], " ", Who(seat), " has no ", led, ".")]
        if len(after.tricks) > len(before.tricks):
            number, winner = len(after.tricks), after.tricks[-1].winner
            so_far = f"; {after.tricks_taken[winner]} of {after.bid_of[winner]} that it bid"
            lines.append(say(Who(winner), f" takes trick {number}{so_far}."))
        return tuple(lines)

    def retell(
        self, before: DealState, seat: Seat, action: Action, after: DealState, faces: Faces
    ) -> tuple[Line, ...]:
        """Return the sentences for `action` by `seat` in a story told afterwards.

        Sorting is told once, with the last of the four, and a trick once, with its fourth card: ()
        for the other sortings and cards. `before` and `after` are the states around the action;
        `faces` is not used, since played cards lie open.
        """
        who = Who(seat)
        match action:
            case Cut(offset):
                return (say(who, f" cuts the pack at {offset}." if offset else " does not cut."),)
            case SortHand():
                # Told once, with the last of the four.
                return () if after.phase is DealPhase.SORTING else (say("All sort their hands."),)
            case PlaceBid(tricks):
                lines = [say(who, f" bids {tricks}.")]
                if len(after.bids) == SEATS:
                    lines.append(self._bids_line(after))
                return tuple(lines)
            case PlayCard():
                more = len(after.tricks) > len(before.tricks)
                # All cards of these games lie open once played: no faces are needed to tell them.
                return (self.trick_line(after, {}),) if more else ()
            case _:
                assert_never(action)

    def _bids_line(self, state: DealState) -> Line:
        """Return the sentence after the four bids: what they are worth, and whether the deal is
        played or thrown in.
        """
        worth = sum(map(self._rules.value, state.bids))
        if state.phase is DealPhase.THROWN_IN:
            return say(f"The bids are worth {worth}, less than {state.floor}: thrown in.")
        return say(f"The bids are worth {worth}: the deal is played.")

    def trick_line(self, state: DealState, faces: Faces) -> Line:
        """Return the last complete trick in one sentence; there must be one. `faces` is not
        used, since played cards lie open.
        """
        trick = state.tricks[-1]
        plays = join_parts((say(Who(play.seat), " ", play.card) for play in trick.plays), ", ")
        return say(f"Trick {len(state.tricks)}: ", plays, ". ", Who(trick.winner), " wins.")

    # --- what may be done -------------------------------------------------------------------------

    def prompt(self, view: View[DealState], choices: tuple[Choice, ...]) -> Line:
        """Return, as a sentence, what the view's seat, which is to act, may do."""
        state = view.state
        match state.phase:
            case DealPhase.CUTTING:
                last = len(PACK) - 1
                return say(
                    "Your turn: Enter leaves the pack as it is;"
                    f" or a number from 1 to {last} cuts it."
                )
            case DealPhase.BIDDING:
                said = sum(map(self._rules.value, state.bids))
                so_far = f"; the others' bids are worth {said} so far" if state.bids else ""
                least = self._rules.lowest_bid
                return say(
                    f"Your turn: bid the tricks you will take, {least} to {HIGHEST_BID}{so_far}."
                )
            case DealPhase.PLAYING:
                cards = join_parts(each.action.card for each in choices if each.plays)
                led = state.trick[0].card.suit if state.trick else None
                follows = any(each.action.card.suit == led for each in choices if each.plays)
                return turn_to_play(led, cards, follows=follows)
            # The phase of sorting: in all others nobody is to act.
            case _:
                return say("Enter sorts your hand.")

    def waiting_line(self, state: DealState, others: tuple[Seat, ...]) -> Line:
        """Return a sentence on what the table waits for from `others`: "South is to bid."

        Where `others` is empty it says that all have answered; after the end, that the deal is
        over.
        """
        if state.phase in (DealPhase.THROWN_IN, DealPhase.PLAYED):
            return say("The deal is over.")
        if not others:
            return say("One moment: all have answered.")
        one, several = _DOING[state.phase]
        verb = one if len(others) == 1 else several
        return say(join_items([say(Who(seat)) for seat in others]), f" {verb}.")

    def owed_words(self, state: DealState) -> str:
        """Return "": every contribution of these games is a player's choice."""
        return ""

    def urgent(self, view: View[DealState]) -> None:
        """Return None: no duty of these games follows from the cards that a seat sees."""

    def moment(self, view: View[DealState] | None) -> tuple[Line, ...]:
        """Return the rules that matter at this moment of the deal, in short paragraphs; for None
        the sentence that the cards are being shuffled.
        """
        if view is None:
            return (SHUFFLING,)
        return tuple(_now(self._rules, view))

    def in_short(self) -> tuple[Line, ...]:
        """Return the whole game in a few paragraphs, with the house rules in force."""
        rules = self._rules
        # Without scores: the ordinary floor. A house rule that raises it has a line of its own.
        floor, target = rules.floor(()), rules.target
        paragraphs = (
            f"{rules.variant.value} in short: four players, partners across the table, 13 cards"
            " each of a full pack. Everything goes round to the right, counter-clockwise.",
            "Hearts are always trump. From high to low: A K Q J 10 9 8 7 6 5 4 3 2.",
            "Beginning at the dealer's right everybody says once how many tricks that seat alone"
            f" will take, {rules.lowest_bid} to {HIGHEST_BID}; nobody passes."
            f" {_VALUES[rules.variant]}",
            f"The four values must sum to {floor} or more, else the cards are thrown in without a"
            " score and the next dealer deals.",
            "The seat at the dealer's right leads. Whoever can must follow the suit led; who"
            " cannot plays any card. The highest heart wins the trick, else the highest card of"
            " the suit led, and the winner leads next.",
            "A seat that takes as many tricks as it bid, or more, gains the value of its bid; with"
            " fewer it loses that value. Tricks beyond the bid count nothing.",
            f"A team wins the match when one partner has {target} or more and the other more than"
            " 0; if both teams are there, the higher sum wins, and equal sums play on.",
            *(f"House rule: {TOGGLES[name]}." for name in rules.toggles),
        )
        return tuple(map(say, paragraphs))

    def refusal(self, view: View[DealState], legal: Sequence[Action], tried: Tried) -> Line:
        """Return why `tried`, what the view's player typed or picked, is not possible now, as a
        sentence without a full stop, with the number of the rule that forbids it, if one does.

        `legal` are the seat's legal actions; where there are none, the sentence says that it is not
        the player's turn.
        """
        if not legal or view.seat is None:
            return say("It is not your turn")
        action: Action | None = None
        if tried.number is not None:
            cuts = view.state.phase is DealPhase.CUTTING
            # During play a bid, too: the rules then say why there is none.
            action = Cut(tried.number) if cuts else PlaceBid(tried.number)
        elif tried.slot is not None:
            # It has a face: a hand shows no other card that could be picked.
            action = PlayCard(tried.slot, view.faces[tried.slot])
            # A card of the hand that is no choice then: it can only be one that does not follow.
            if view.state.trick and view.state.phase is DealPhase.PLAYING:
                led = view.state.trick[0].card.suit
                return say("You have ", led, f" and must follow ({_rule_words('PROFILES 4.7')})")
        if action is not None:
            try:
                self._game.apply(view.state, view.seat, action)
            # The refusal is what is asked for.
            except RulesError as error:
                # Not `str(error)`, which adds the rule's bare number.
                reason = str(error.args[0])
                return say(f"{reason[:1].upper()}{reason[1:]} ({_rule_words(error.rule)})")
        return say("This is not possible now")

    # --- what it came to --------------------------------------------------------------------------

    def summary(self, ended: Ended) -> tuple[SummaryRow, ...]:
        """Return the summary rows of a deal: the bids; tricks taken and the change of each
        score, unless the deal was thrown in; the match's scores where `ended` has them; the last
        trick if there was one.
        """
        outcome: Outcome41 = ended.outcome
        rows = [SummaryRow("Bids", _each(map(str, outcome.bids)))]
        if not outcome.thrown_in:
            rows.append(SummaryRow("Taken", _each(map(str, outcome.tricks_taken))))
            rows.append(SummaryRow("Worth", _each(f"{score:+d}" for score in outcome.scores)))
        if ended.scores:
            rows.append(SummaryRow("Score", _each(map(str, ended.scores))))
        if ended.state.tricks:
            last = ended.state.tricks[-1]
            cards = join_parts(play.card for play in last.plays)
            told = say(f"trick {len(ended.state.tricks)}: ", cards, " to ", Who(last.winner))
            rows.append(SummaryRow("Last", told))
        return tuple(rows)

    def sides(self) -> tuple[Line, ...]:
        """Return the seats' names, in seat order: each has a score of its own."""
        return tuple(say(Who(seat)) for seat in ALL_SEATS)

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        """Return the name of the pair that won: `winner` is 0 for North-South, 1 for East-West.
        `scores` are not used.
        """
        return say(PAIR_NAMES[winner])

    def owners(self) -> Sides:
        """Return each seat by itself, in seat order."""
        return tuple((seat,) for seat in ALL_SEATS)

    def winning_seats(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        """Return the two seats of the pair that won: `winner` is 0 for South and North, 1 for
        East and West. `scores` are not used.
        """
        return OPPOSITE[winner]

    def undertakings(self, outcome: Outcome41) -> tuple[Undertaking, ...]:
        """Return each seat's bid, kept where it took that many tricks or more; empty for a deal
        thrown in.
        """
        if outcome.thrown_in:
            return ()
        pairs = zip(ALL_SEATS, outcome.bids, outcome.tricks_taken, strict=True)
        # Each number is a kind of its own, and its rank.
        return tuple(
            Undertaking("bid", f"{bid}", (seat,), taken >= bid, bid) for seat, bid, taken in pairs
        )


def _each(values: Iterable[str]) -> Line:
    """Return a line with each seat's name and its one of `values`, in seat order: "South 5, East
    3, North 2, West 4".
    """
    pairs = zip(ALL_SEATS, values, strict=True)
    return join_parts((say(Who(seat), f" {value}") for seat, value in pairs), ", ")


def _rule_words(rule: str) -> str:
    """Return a rule's number with its title: "PROFILES 4.3" -> "rule 4.3, bids"; a rule without
    a title -> "rule RULES 2.1".
    """
    title = _TITLES.get(rule)
    return f"rule {rule.removeprefix('PROFILES ')}, {title}" if title else f"rule {rule}"
