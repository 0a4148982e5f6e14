"""What is known of playing 304 well: rules of thumb for every decision, and what is certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

from p2p304.bots.advice import Advice, Level, More
from p2p304.bots.play304 import bidding
from p2p304.bots.play304.imagined_table import (
    POINTS,
    Imagined,
    ImaginedTable,
    choice_by_own_hand,
    play_out,
)
from p2p304.bots.play304.playout import Position, any_choice, any_scene
from p2p304.bots.search.interface import Payoff
from p2p304.cards import Card, Rank, Slot, Suit
from p2p304.game import Outcome
from p2p304.randomness import SeededRandomness
from p2p304.rules304 import actions as act
from p2p304.rules304 import dealing
from p2p304.rules304.actions import Action, Contract
from p2p304.rules304.caps.information import information_of
from p2p304.rules304.caps.search import OutOfNodesError, find_order, judge_order
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import ABOVE, BIT, CARD, CARD_POINTS, STRENGTH, SUIT_BITS, bits, mask
from p2p304.rules304.play import total_tricks
from p2p304.rules304.profile import CapsModel
from p2p304.rules304.scoring import HandOutcome
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat
from p2p304.statements import NoneOfSuit, SuitsDiffer
from p2p304.view import View

# --- what a player of 304 thinks of its cards before it imagines anything: by rules of thumb ------

Play = act.PlayCard | act.PlayDown

# The search corrects the rule of thumb, so it must look at the other cards, too. How much it leans
# to the rule is a choice: more finds the usual card sooner, and the unusual one later.
_TOLD: Final = 3.0
#: How often a good player chooses what the rules of thumb tell, and something else: in
#: proportion.
_OTHER: Final = 1.0
# Not the jack: no card of its suit beats it.
_DEAR_CARDS: Final = mask(
    Card(suit, rank) for suit in Suit for rank in (Rank.NINE, Rank.ACE, Rank.TEN)
)
#: The cards that count ten or more.
_POINTS: Final = _DEAR_CARDS | mask(Card(suit, Rank.JACK) for suit in Suit)


def shares(view: View[State], plays: Sequence[Play]) -> list[tuple[Play, float]]:
    """Return the plays that are worth a search, each with the share of times that a good player
    would choose it; the shares sum to 1.

    Only what the seat may know is used. Plays that give points away for nothing are left out.
    """
    if len(plays) == 1:
        return [(plays[0], 1.0)]
    table = ImaginedTable(_scene_as_known(view))
    seat = table.turn
    cards = [BIT[view.faces[each.slot]] for each in plays]
    told = choice_by_own_hand(table, sum(cards))
    out = table.unseen & ~(table.hands[seat] | table.known[seat])
    given = (
        _cards_given_away(view, table, sum(cards)) if table.led else _exposed_leads(sum(cards), out)
    )
    # Never empty: neither of the two takes the cheapest card.
    kept = [
        (play, _TOLD if card == told else _OTHER)
        for play, card in zip(plays, cards, strict=True)
        if not card & given
    ]
    total = sum(weight for _, weight in kept)
    return [(play, weight / total) for play, weight in kept]


def _cards_given_away(view: View[State], table: ImaginedTable, cards: int) -> int:
    """Return those of `cards`, of ten points or more each, that would be given to a trick of the
    opponents for nothing: they lose it, no partner plays after the seat, and a card that counts
    less would lose it as well. 0 for none, and where a card of the trick lies face down.
    """
    lying, turn = view.state.plays, table.turn
    # The seats that play after this one, which has yet to play as well.
    behind = table.full - table.count - 1
    # Fewer opponents than seats play after this one: a partner is among them, and may win.
    if not table.led or len(table.behind[turn][table.count]) < behind:
        return 0
    # A card face down may be a partner's cut: what goes there is not lost for certain.
    if any(play.down for play in lying) or table.side[table.winner] == table.side[turn]:
        return 0
    knows = not table.hidden or turn == table.maker
    # Any trump beats a plain card; in the best card's own suit a higher one does.
    beats = table.trumps if knows and not table.best & table.trumps else 0
    beats |= ABOVE[table.best]
    found = 0
    # Who does not know trump must keep suits apart: a cheaper card of another suit might be no
    # trump.
    for suits in (sum(SUIT_BITS),) if knows else SUIT_BITS:
        lost = [*bits(cards & suits & ~beats)]
        least = min((POINTS[card] for card in lost), default=0)
        found |= sum(card for card in lost if card & _POINTS and POINTS[card] > least)
    return found


def _exposed_leads(cards: int, out: int) -> int:
    """Return those of `cards` that give points away when they are led: nines, aces and tens that
    a card in `out` beats; 0 where every card has points.
    """
    # Points are led in any case then.
    if all(POINTS[card] for card in bits(cards)):
        return 0
    return sum(card for card in bits(cards & _DEAR_CARDS) if out & ABOVE[card])


def _scene_as_known(view: View[State]) -> Imagined:
    """Return a playout's position as the view's seat knows it. While the maker's partner is
    secret and the seat cannot tell who it is, everybody else counts as an opponent of the maker.
    """
    state, scene, seat = view.state, any_scene(view), view.seat
    if state.called is None or not state.partner_secret or seat is None:
        return scene
    # It holds the called card itself, or all have seen it: in the scene it lies where it is.
    if any(view.faces.get(slot) == state.called for slot in (*state.dealt[seat], *state.faces)):
        return scene
    return scene._replace(side=tuple(int(each != scene.maker) for each in state.everybody))


# --- what is certain, and whether to open trump ---------------------------------------------------


def sure_order(position: Position, state: State) -> tuple[Card, ...]:
    """Return an order of the seat's cards that is sure to win every trick; () if none is found
    before the search runs out of nodes or time, under contracts, after a trick that its team lost,
    and where caps are not judged by knowledge.

    `state` is the view's, or one that follows from it without new faces for this seat.
    """
    nodes, more = position.level.nodes, position.more
    judged = state.profile.caps_model is CapsModel.EPISTEMIC
    # The search for orders takes no contracts, under which nobody may call caps (RULES 14.2).
    if not nodes or not judged or isinstance(state.contract, Contract):
        return ()
    information = information_of(state, position.seat, position.view.faces)
    try:
        return find_order(information, nodes, more).order
    # Not found within the bounds counts as none: a bot that is not sure does not call.
    except OutOfNodesError:
        return ()


def advise_showing(position: Position) -> Advice:
    """Advise whether the maker shows the indicator before the first lead (RULES 8): yes when it
    plays alone, or if open trump makes its cards sure to win every trick.
    """
    state = position.view.state
    # The maker always has both choices here, to open trump and to keep it closed.
    opening = next(each for each in position.legal if isinstance(each, act.OpenTrump))
    if isinstance(state.contract, Contract):
        return Advice(opening, "Playing alone, the maker wants to lead trumps from the start.")
    if sure_order(position, dealing.open_trump(state, position.seat, opening).state):
        return Advice(opening, "With open trump these cards win every trick for certain.")
    return Advice(act.KeepClosed(), "Hidden trump leaves the others in doubt, and tells less.")


def chance_to_sweep(position: Position) -> float:
    """Return in which share of imagined layouts, from 0 to 1, the seat's team wins every trick;
    0 where no layout could be imagined.
    """
    state, seat = position.view.state, position.seat
    swept = imagined = 0
    for scene in position.scenes():
        imagined += 1
        ending = play_out(scene)
        if state.team_of(seat) == state.team_of(state.the_maker):
            swept += not ending.lost
        else:
            # The defenders sweep where the maker's team lost every trick.
            swept += ending.lost == total_tricks(state)
    return swept / max(imagined, 1)


# --- caps, spoilt trumps and double: what a player claims, and how it answers a claim -------------

# Choices: a lower chance calls caps more often, and loses them more often.
_EARLY: Final = 0.9
#: How likely all tricks must be where caps are judged by outcome: before the bonus is lost, and in
#: the last window, when not calling costs as much as a wrong call (RULES 13.6).
_LATE: Final = 0.6


def caps_call(position: Position) -> Advice | None:
    """Advise a call of caps if one is legal and an order of the seat's cards is sure to win every
    trick, which the call then states if the profile asks for it; where caps are judged by outcome,
    if that is likely enough.

    Else None, also where another seat has called in this window.
    """
    call = next((each for each in position.legal if isinstance(each, act.CallCaps)), None)
    pending = (action for _, action in position.view.state.pending)
    # One call of a window counts: a second one would show cards for nothing.
    if call is None or any(isinstance(each, act.CallCaps) for each in pending):
        return None
    if position.view.state.profile.caps_model is CapsModel.OUTCOME:
        return _by_outcome(position, call)
    order = sure_order(position, position.view.state)
    if not order:
        return None
    if call.order and position.view.state.profile.caps_order_stated:
        # Without an order where caps show no cards; the order found is of cards, the call names
        # slots.
        slots = {card: slot for slot, card in call.order}
        call = act.CallCaps(tuple((slots[card], card) for card in order))
    told = " ".join(map(str, order))
    return Advice(call, f"Played in the order {told}, these cards win every trick for certain.")


def _by_outcome(position: Position, call: act.CallCaps) -> Advice | None:
    """Advise `call` where caps are judged by outcome and the team wins all tricks in enough
    imagined layouts; else None, and always before the middle of the hand unless the bonus would
    be lost.
    """
    state = position.view.state
    trick = len(state.tricks) + 1
    deadline = state.profile.caps_bonus_before
    tricks = total_tricks(state)
    # Earlier too little is known for imagined layouts to be trusted; but never after the bonus.
    if trick < min(tricks // 2, deadline):
        return None
    likely = chance_to_sweep(position)
    if likely < (_LATE if trick == tricks else _EARLY):
        return None
    return Advice(call, f"All tricks are won in {likely:.0%} of the imagined layouts.")


def answer_to_caps(position: Position) -> Advice:
    """Advise to concede caps whose order is sure by the cards that the seat sees, and to contest
    any others, which costs nothing.
    """
    if position.level.nodes and _certain_from_here(position):
        return Advice(
            act.AcceptCaps(), "By all that is seen from here, the order wins every trick."
        )
    return Advice(
        act.ContestCaps(), "The order may yet fail, and letting it be played costs nothing."
    )


def _certain_from_here(position: Position) -> bool:
    """Tell whether the order stated with caps is sure by the cards that the answering seat sees;
    False without an order, and where the search runs out of nodes.
    """
    state = position.view.state
    caps, contract = state.the_caps, state.contract
    # Under a contract nobody may call caps (RULES 14.2); None is for the type.
    if isinstance(contract, Contract) or contract is None or not caps.order:
        return False
    information = information_of(state, caps.seat, position.view.faces, imagined=True)
    order = tuple(card for _, card in caps.order)
    try:
        return judge_order(information, order, position.level.nodes, position.more)
    # Undecided counts as not certain: to contest costs nothing.
    except OutOfNodesError:
        return False


# ---------------------------------------------------------------------------- spoilt trumps


def spoilt_call(position: Position) -> Advice | None:
    """Advise a call of spoilt trumps where it is legal, known to be true, and the seat is a
    defender; else None.
    """
    state, seat = position.view.state, position.seat
    if act.CallSpoilt() not in position.legal or state.maker is None:
        return None
    # The maker's team holds all trumps then, and would void a hand that it wins.
    if state.team_of(seat) == state.team_of(state.maker) or not knows_spoilt(position):
        return None
    return Advice(
        act.CallSpoilt(), "Every trump was dealt to the maker's team, so the hand is void."
    )


def knows_spoilt(position: Position) -> bool:
    """Tell whether the seat can be sure that the defenders were dealt no trump; False while it
    does not know trump.
    """
    state, faces = position.view.state, position.view.faces
    maker, trump = state.maker, state.trump_by(faces)
    if maker is None or trump is None:
        return False
    makers = {slot for mate in (maker, *state.mates(maker)) for slot in state.dealt[mate]}
    held = [slot for slot in makers if slot in faces and faces[slot].suit == trump]
    # The whole suit is seen with the maker's team.
    if len(held) == len(state.profile.deck.ranks):
        return True
    plain = _known_plain(state, trump)
    return all(
        faces[slot].suit != trump if slot in faces else slot in plain
        for defender in state.opponents(maker)
        for slot in state.dealt[defender]
    )


def _known_plain(state: State, trump: Suit) -> set[Slot]:
    """Return the slots that are proved to hold no card of `trump`, the trump suit."""
    return {
        slot
        for fact in state.facts
        if (isinstance(fact, NoneOfSuit) and fact.suit == trump)
        or (isinstance(fact, SuitsDiffer) and fact.other == state.trump_slot)
        for slot in fact.slots
    }


def double_call(position: Position) -> Advice | None:
    """Advise to call double where that is legal, trump is open, no unseen card beats a card of
    the hand, and no unseen trump can cut one; else None.
    """
    state, faces = position.view.state, position.view.faces
    if act.CallDouble() not in position.legal or state.trump is None:
        return None
    own = [faces[slot] for slot in state.hands[position.seat]]
    # A partner's cards are among them: nobody knows which they are.
    unseen = state.profile.deck.card_set - {*faces.values()}
    trumps = {card for card in unseen if card.suit is state.trump}
    for card in own:
        if _higher(unseen, card) or (trumps and card.suit is not state.trump):
            return None
    return Advice(act.CallDouble(), "No card that is left beats any of yours.")


# A decision of 304 as its seat sees it: the cards it may play, and who wins the trick so far.


class AskedSeat:
    """A decision about a card: the view, the seat, and the play to explain."""

    def __init__(self, view: View[State], seat: Seat, action: Play) -> None:
        """Find what speaks for `action`, a play of `seat`, whose view it is."""
        self.view, self.seat, self.action = view, seat, action
        self.state = view.state
        self.trump = view.state.trump_by(view.faces)  #: None if the seat does not know it.
        self.card = view.faces[action.slot]  #: The card that the play puts on the table.
        #: The cards of the pack that the seat has not seen.
        self.unseen_cards = view.state.profile.deck.card_set - {*view.faces.values()}

    def ours(self, seat: Seat) -> bool:
        """Tell whether `seat` is known to be on the side of the seat that decides; True for that
        seat itself.
        """
        return self.state.team_of(seat) == self.state.team_of(self.seat)


def winning_card(asked: AskedSeat) -> tuple[Seat, Card] | None:
    """Return the seat that wins the trick so far, which must have a card, and its winning card;
    None where the trick has a card whose face the deciding seat does not know.
    """
    state, faces = asked.state, asked.view.faces
    if any(play.slot not in faces for play in state.plays):
        return None
    table = ImaginedTable(_scene_as_known(asked.view))
    # The maker knows which card face down cuts.
    if table.cover and asked.trump is not None:
        return Seat(table.cutter), CARD[table.cover]
    return Seat(table.winner), CARD[table.best]


def beats(asked: AskedSeat, card: Card, best: Card) -> bool:
    """Tell whether `card`, played face up, beats `best`, the card that wins the trick so far."""
    if card.suit is best.suit:
        return STRENGTH[card.rank] > STRENGTH[best.rank]
    return card.suit is asked.trump


# --- what speaks for a card of 304 in words, by what its seat may know ----------------------------

_DEAR: Final = 10  #: Points that are worth a word: a choice, the ten and all that counts more.


def reason(view: View[State], action: Action) -> str:
    """Return a sentence on what speaks for playing a card; "" where nothing does, for other
    actions, and for a spectator.
    """
    if view.seat is None or not isinstance(action, Play):
        return ""
    asked = AskedSeat(view, view.seat, action)
    return _follows(asked) if view.state.plays else _leads(asked)


def _leads(asked: AskedSeat) -> str:
    """Return a sentence on what speaks for leading this card; "" where nothing does."""
    card, maker = asked.card, asked.state.maker
    if card.suit is asked.trump:
        ours = maker is not None and asked.ours(maker)
        return "It draws trumps." if ours else "It leaves the maker a trump fewer to cut with."
    if not _higher(asked.unseen_cards, card):
        return f"Nobody can have a higher card of {card.suit.name.lower()}."
    if CARD_POINTS[card] < _DEAR:
        return "It gives little away, and higher cards come out."
    return ""


def _follows(asked: AskedSeat) -> str:
    """Return a sentence on what speaks for playing this card to a trick in progress; "" where
    nothing does.
    """
    card, best = asked.card, winning_card(asked)
    cheap, suit = CARD_POINTS[card] < _DEAR, card.suit.name.lower()
    if isinstance(asked.action, act.PlayDown) and card.suit is asked.trump:
        return "It cuts with the hidden trump."
    if best is None:
        return "It gives little away, whatever lies there." if cheap else ""
    ours = asked.ours(best[0])
    if isinstance(asked.action, act.PlayDown) and asked.trump is None and not ours:
        return f"It cuts if {suit} are trumps."
    if not isinstance(asked.action, act.PlayDown) and beats(asked, card, best[1]):
        if card.suit is not best[1].suit:
            return "It cuts, and takes what lies there."
        # Not where cards are laid aside, since those seats play none.
        if len(asked.state.plays) == asked.state.seats - 1:
            return "It wins the trick."
        higher = _higher(asked.unseen_cards, card)
        return "It wins as the trick stands." if higher else "Nothing in suit beats it."
    if ours and not cheap:
        return f"It brings {CARD_POINTS[card]} points to the partner's trick."
    if ours:
        return "The trick is the partner's, and it is not missed."
    return "The trick is the others', and it gives little." if cheap else ""


def _higher(unseen: Set[Card], card: Card) -> bool:
    """Tell whether there is a higher card of the suit of `card` among those that the seat has not
    seen, so that somebody may have it.
    """
    return any(
        each.suit is card.suit and STRENGTH[each.rank] > STRENGTH[card.rank] for each in unseen
    )


class Prior304:
    """The rules of thumb of 304 for the search: cards are searched, all else is decided at once."""

    # A tree below each choice showed no gain in long matches (specs/decisions/060-one-search.md).
    ahead = False
    why = staticmethod(reason)

    def __init__(self, game: Game304) -> None:
        """Prepare rules of thumb for `game` under its profile."""
        self._game = game
        # A partner who is called later cannot be counted on as one of a fixed team.
        self._decisions = bidding.DECISIONS if game.profile.partner_called else _DECISIONS

    def decide(
        self,
        view: View[State],
        legal: Sequence[Action],
        level: Level,
        chance: SeededRandomness,
        more: More | None,
    ) -> Advice | None:
        """Return advice on every decision but the choice of a card. On that only a card played in
        the middle of a trick that begins an order sure to win every trick, and never where a
        partner is called; else None: the search is to choose.

        `level` and `more` bound what is imagined for it, as for `Prior.decide`: once `more` returns
        False, the choice is made.
        """
        # The search asks for a seat that is to act, never for a spectator.
        assert view.seat is not None
        position = Position(self._game, view, view.seat, tuple(legal), level, chance, more)
        phase = view.state.phase
        if phase is not Phase.TRICK:
            return self._decisions.get(phase, any_choice)(position)
        if not any(isinstance(each, Play) for each in legal):
            # A maker left with nothing but trumps to lead to the first trick (RULES 8).
            opening = next(each for each in legal if isinstance(each, act.OpenTrump))
            return Advice(opening, "Only trumps are left to lead, so trump must be opened.")
        # The search for a sure order takes every second seat for a partner.
        return None if self._game.profile.partner_called else _certain_card(position)

    def candidates(
        self, view: View[State], legal: Sequence[Action]
    ) -> Sequence[tuple[Action, float]]:
        """Return the plays that are worth a search, each with the share of times that a good
        player would choose it, together 1; where no card can be played, the first legal action
        alone.
        """
        cards = [each for each in legal if isinstance(each, Play)]
        # The first: in a window that is to go on, before any claim.
        return shares(view, cards) if cards else [(legal[0], 1.0)]

    def act(
        self,
        view: View[State],
        legal: Sequence[Action],
        chance: SeededRandomness,  # noqa: ARG002 - rules of thumb leave nothing to it
    ) -> Action:
        """Return the play that rules of thumb prefer; where no card can be played, the first
        legal action.
        """
        # In a window the first action is to go on.
        return max(self.candidates(view, legal), key=lambda each: each[1])[0]

    def judge(self, view: View[State], state: State, outcome: Outcome) -> Payoff:
        """Return the payoff of each seat in a hand that ended with `outcome`: its change of
        score, in tokens or points, and whether the bid was made; None for that where no bid
        stood in `view`, and where a partner is called.
        """
        scores = outcome.scores
        # Tokens are by team; where partners are called scores are by seat already.
        if len(scores) != state.seats:
            scores = tuple(scores[team] for team in state.teams)
        each = tuple(map(float, scores))
        # Advice speaks of the bid that stood when it was asked for; without one, of none.
        done = outcome.facts.made if isinstance(outcome, HandOutcome) else None
        # Twice: a hand that the rules have ended is worth what it brings.
        return Payoff(each, each, done if view.state.contract is not None else None)


def _window(position: Position) -> Advice:
    """Advise a claim in a window: spoilt trumps, else caps, else double; where none is legal and
    wise, to go on.
    """
    claim = spoilt_call(position) or caps_call(position) or double_call(position)
    return claim or Advice(act.Ready(), "Nothing is certain enough to be claimed.")


def _certain_card(position: Position) -> Advice | None:
    """Advise the first card of an order that is sure to win every trick, where one is found in
    the middle of a trick; else None.
    """
    plays = [each for each in position.legal if isinstance(each, Play)]
    state = position.view.state
    # Without caps not at a lead, for the window before it has asked; with caps not once they have
    # stated an order.
    asks = bool(state.plays) if state.caps is None else not state.caps.order
    if len(plays) > 1 and asks:
        order = sure_order(position, state)
        for each in plays:
            if order and position.view.faces[each.slot] == order[0]:
                why = f"{order[0]} begins an order of cards that wins every trick for certain."
                return Advice(each, why)
    return None


#: How each decision but that of a card is made; where a phase leaves one action, nothing is
#: decided.
_DECISIONS: Final[Mapping[Phase, Callable[[Position], Advice]]] = {
    Phase.CUT: any_choice,
    Phase.AUCTION4: bidding.four_card_call,
    Phase.INDICATOR4: bidding.indicator,
    Phase.AUCTION8: bidding.eight_card_call,
    Phase.INDICATOR8: bidding.indicator,
    Phase.DECLARE: advise_showing,
    Phase.WINDOW: _window,
    Phase.CAPS_RESPONSE: answer_to_caps,
    # One of several trumps is shown: each refutes the claim as well as another.
    Phase.SPOILT_ANSWER: any_choice,
}
