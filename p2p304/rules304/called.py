"""Partners by a called card (PROFILES 3.2): sides are known once that card falls."""

from __future__ import annotations

from p2p304.errors import RulesError
from p2p304.game import Step
from p2p304.rules304.actions import Contract, NameCard
from p2p304.rules304.calls import claims_possible
from p2p304.rules304.dealing import after_naming
from p2p304.rules304.play import to_count
from p2p304.rules304.state import End, Phase, State
from p2p304.rules304.teams import Team
from p2p304.seats import Seat, Sides
from p2p304.statements import NotCard

# Given once the called card falls; before, every seat is a team of its own.
MAKERS_SIDE = Team(0)
OTHER_SIDE = Team(1)


def name_card(state: State, seat: Seat, action: NameCard) -> Step[State]:
    """Return the step of the maker naming the card whose holder is its partner (PROFILES 3.2).

    The step states that the card is neither in the maker's hand nor its indicator. Raises
    RulesError for a card that is not in the pack.
    """
    card = action.card
    if card not in state.profile.deck.card_set:
        raise RulesError("3.2", f"{card} is not in the pack")
    # A card is named once the indicator lies on the table.
    own = (*state.hands[seat], state.the_indicator)
    return Step(after_naming(state._replace(called=card)), (NotCard(own, card),))


def holder(state: State) -> Seat | None:
    """Return the seat that was dealt the called card, once everybody has seen that card; None
    before, and where nobody was dealt it.
    """
    slot = next((slot for slot, card in state.faces.items() if card == state.called), None)
    # An unseen card has the slot None, which nobody was dealt.
    return next((seat for seat in state.everybody if slot in state.dealt[seat]), None)


def consequences(before: State, after: State) -> State:
    """Return `after`, the state that an action led to from `before`, with everything that follows
    at once in a game with a called card.

    The teams are set once the called card is seen; a contract that has lost a trick ends the hand,
    in a window only when all have spoken; and a window that opens is closed again, with the leader
    to play, where nobody can have anything to claim in it.
    """
    # By identity: only an action that shows a face makes a new mapping.
    if after.partner_secret and after.faces is not before.faces:
        found = holder(after)
        if found is not None:
            side = (after.maker, found)
            teams = (MAKERS_SIDE if seat in side else OTHER_SIDE for seat in after.everybody)
            after = after._replace(teams=tuple(teams))
    if after.phase in (Phase.COUNT, Phase.OVER):
        return after
    in_window = after.phase is Phase.WINDOW and after.awaiting != after.everybody
    if _trick_lost(after) and not in_window:  # all speak in a window before anything comes of it
        return to_count(after._replace(end=End.CONTRACT_LOST))
    entered = after.phase is Phase.WINDOW and after.awaiting == after.everybody
    if entered and not claims_possible(after):
        return after._replace(phase=Phase.TRICK, awaiting=(after.leader,))
    return after


def _trick_lost(state: State) -> bool:
    """Tell whether a side that undertook to win every trick is publicly known to have lost one.

    False under a bid of a number, and while the maker's partner is secret.
    """
    if not isinstance(state.contract, Contract) or state.maker is None or state.partner_secret:
        return False
    return not state.has_won_all(state.teams[state.maker])


def sides(state: State) -> tuple[Sides, ...]:
    """Return every division of the seats into two sides that the public record allows; see
    `Game.sides`.

    Before there is a maker: the first seat with each other. While its partner is secret: the maker
    with each other seat, and alone. Afterwards the one division that is known.
    """
    every = state.everybody
    maker = state.maker
    if maker is None:  # nobody has anything to lose yet: any two may come to play together
        first, *rest = every
        return tuple(_against(every, (first, mate)) for mate in rest)
    if state.called is not None and not state.partner_secret:
        return (_against(every, (maker, *state.mates(maker))),)
    others = (seat for seat in every if seat != maker)
    # Alone, too: under Half Court the called card may be among those that nobody was dealt.
    return (*(_against(every, (maker, mate)) for mate in others), _against(every, (maker,)))


def _against(every: tuple[Seat, ...], some: tuple[Seat, ...]) -> Sides:
    """Return two sides: the seats of `some` in seat order, and all other seats of `every`."""
    one = tuple(sorted(some))
    return one, tuple(seat for seat in every if seat not in some)
