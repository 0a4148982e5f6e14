"""Hands of 304 played out: where a playout begins, a state with imagined cards; a decision as it is
asked for; and what the end of a hand is worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from p2p304.bots.advice import Advice, Level, More
from p2p304.bots.play304.imagined_table import (
    NOBODY,
    Duties,
    Imagined,
    Played,
    PlayedOut,
    play_out,
)
from p2p304.bots.search.interface import Payoff
from p2p304.bots.search.worlds import NoCardLeftError, OpenWorlds
from p2p304.cards import Card, Faces, Slot
from p2p304.randomness import SeededRandomness
from p2p304.rules304.actions import Action, Bid, Contract, height
from p2p304.rules304.calls import caps_slots
from p2p304.rules304.dealing import may_open
from p2p304.rules304.hand import Game304
from p2p304.rules304.pack import BIT, CARD_POINTS, SUIT_BITS, mask
from p2p304.rules304.play import exhausted_binds, idle_seats, next_to_play
from p2p304.rules304.profile import CapsModel
from p2p304.rules304.scoring import LONE, price_of
from p2p304.rules304.state import End, Phase, State
from p2p304.seats import Seat
from p2p304.view import View


class PlayoutStage(NamedTuple):
    """All that a playout needs of a state except hidden cards, gathered once for many layouts."""

    state: State
    seen: Imagined  #: The position as everybody sees it, without what depends on hidden cards.
    #: The slot of the indicator, on the table or not, whose card makes its suit trump.
    trump_slot: Slot
    #: The cards of earlier tricks that not everybody has seen, and who played them.
    down: tuple[tuple[Seat, Slot], ...]

    def scene(self, faces: Faces) -> Imagined:
        """Return the position for a playout in which the slots hold these cards; `faces` has every
        slot that was dealt to a hand.
        """
        state, maker = self.state, self.seen.maker
        side = self._sides(faces)
        points = lost = 0
        for trick in state.tricks:
            if side[trick.winner]:
                lost += 1
            else:
                points += sum(CARD_POINTS[faces[play.slot]] for play in trick.plays)
        known: tuple[int, ...] = ()
        if self.down:
            held = [0] * len(side)
            for seat, slot in self.down:
                card = BIT[faces[slot]]
                held[seat] |= card
                # The maker has looked at the others' cards, but they have not seen its discard.
                if seat != maker:
                    held[maker] |= card
            known = tuple(held)
        trump = faces[self.trump_slot].suit
        sworn = NOBODY
        if isinstance(state.contract, Contract):
            # Side 0 is the maker's.
            sworn = 0
        # Once contested, caps are played: the caller's side must win every trick (RULES 13.4).
        elif state.caps is not None and state.caps.contested:
            sworn = side[state.caps.seat]
        return self.seen._replace(
            # Different cards are different bits: a sum is their set.
            hands=tuple(sum(BIT[faces[slot]] for slot in hand) for hand in state.hands),
            side=side,
            trump=trump,
            indicator=0 if state.indicator is None else BIT[faces[state.indicator]],
            trick=tuple(
                Played(play.seat, BIT[faces[play.slot]], play.down) for play in state.plays
            ),
            points=points,
            lost=lost,
            unfollowed=trump in state.unfollowed,
            sworn=sworn,
            known=known,
        )

    def _sides(self, faces: Faces) -> tuple[int, ...]:
        """Return, for each seat in seat order, 0 if it plays with the maker and 1 if against it.
        A secret partner is the seat to which `faces` gives the called card.
        """
        state, maker = self.state, self.seen.maker
        if state.called is None or not state.partner_secret:
            return tuple(int(team != state.teams[maker]) for team in state.teams)
        return tuple(
            int(seat != maker and all(faces[slot] != state.called for slot in state.dealt[seat]))
            for seat in state.everybody
        )


def stage_of(state: State) -> PlayoutStage:
    """Return all that playouts need of `state` but hidden cards. Raises ValueError before trump
    is chosen.
    """
    maker, trump_slot, contract = state.maker, state.trump_slot, state.contract
    if maker is None or trump_slot is None or contract is None:
        raise ValueError("nothing is played out before trump is chosen")
    faces, voids = state.faces, [0] * state.seats
    down = []
    for trick in state.tricks:
        led = SUIT_BITS[faces[trick.plays[0].slot].suit]
        for play in trick.plays:
            face = faces.get(play.slot)
            # Not following shows a void; so does a card face down, which cannot have followed.
            if play.down or face is None or not BIT[face] & led:
                voids[play.seat] |= led
            if face is None:
                down.append((play.seat, play.slot))
    unplayed = [slot for hand in state.hands for slot in hand]
    if state.indicator is not None:
        unplayed.append(state.indicator)
    if state.phase is Phase.TRICK:
        turn = state.awaiting[0]
    # In a window other seats are awaited too: who plays next follows from the trick.
    else:
        turn = next_to_play(state, state.plays[-1].seat) if state.plays else state.leader
    seen = Imagined(
        # Hands, sides and trump are for `scene` to fill in.
        hands=(),
        side=(),
        maker=maker,
        trump=0,
        turn=turn,
        hidden=state.trump is None,
        first=not state.tricks,
        opens_after_first=height(contract) >= state.profile.open_after_trick1_from,
        idle=idle_seats(state),
        duties=Duties(
            no_trump_first=state.profile.first_lead_ban,
            # As before the first lead, whatever has been played since: the duty belongs to trick 1.
            opens_all_trumps=may_open(state._replace(trump=None, tricks=(), plays=())),
            exhausted=exhausted_binds(state),
            shows_discard=state.profile.show_maker_discard,
        ),
        voids=tuple(voids),
        seen=mask(faces[slot] for slot in unplayed if slot in faces),
    )
    return PlayoutStage(state, seen, trump_slot, tuple(down))


def any_scene(view: View[State]) -> Imagined:
    """Return a position for a playout in which the cards that the view's seat has not seen are laid
    in a fixed order, whatever the play has shown; for players who look only at what they know.

    Raises ValueError before trump is chosen.
    """
    state = view.state
    faces = dict(view.faces)
    slots = [slot for hand in state.hands for slot in hand]
    slots += [play.slot for trick in state.tricks for play in trick.plays]
    slots += [play.slot for play in state.plays]
    if state.indicator is not None:
        slots.append(state.indicator)
    missing = [slot for slot in slots if slot not in faces]
    held = {*faces.values()}
    # Any order does: the players of this scene do not look at cards that they cannot know.
    left = [card for card in state.profile.deck.cards if card not in held]
    # Not strict: under Half Court more cards are left, those that were never dealt.
    faces.update(zip(missing, left, strict=False))
    return stage_of(state).scene(faces)


def contract_scene(
    state: State, maker: Seat, hands: Sequence[int], trump: int, bid: Bid, laid: int
) -> Imagined:
    """Return the position for a playout at the first lead, where `maker` plays `bid` and all hands
    are known.

    Args:
        hands: all cards of each seat, in seat order, as bits.
        trump: a suit from 0 to 3.
        laid: the card of the maker's hand that is the indicator, as a bit; 0 where it plays alone.
    """
    alone, mates = isinstance(bid, Contract), state.mates(maker)
    held = [*hands]
    # Out of the hand, onto the table; 0 changes nothing.
    held[maker] ^= laid
    return Imagined(
        hands=tuple(held),
        side=tuple(int(each != maker and each not in mates) for each in state.everybody),
        maker=maker,
        trump=trump,
        turn=maker if alone else state.right_of(state.dealer),
        indicator=laid,
        hidden=not alone,
        first=True,
        opens_after_first=height(bid) >= state.profile.open_after_trick1_from,
        idle=mates if alone else (),
        sworn=0 if alone else NOBODY,
    )


# --- a decision as it is put to a player: what the seat sees, may do, and thinks with -------------


class Position(NamedTuple):
    """A view of a seat that is to act, with its legal actions and the bounds of its thought."""

    game: Game304
    view: View[State]
    seat: Seat
    legal: tuple[Action, ...]
    level: Level
    chance: SeededRandomness
    #: Ends a thought earlier; None for as long as the level lasts, so that a seed repeats it.
    more: More | None = None

    @property
    def own_cards(self) -> tuple[Card, ...]:
        """The seat's unplayed cards, a maker's indicator on the table last; empty once all are
        played. Raises KeyError for a card that the view has not seen.
        """
        return tuple(self.view.faces[slot] for slot in caps_slots(self.view.state, self.seat))

    def scenes(self) -> Iterator[Imagined]:
        """Yield positions for playouts, each with a layout of the cards that fits what the seat has
        seen.

        There are at most as many as the level has deals; fewer when time is up, and where a drawn
        layout comes to nothing.
        """
        stage, worlds = stage_of(self.view.state), OpenWorlds(self.game, self.view)
        for _ in range(self.level.deals):
            try:
                yield stage.scene(worlds.draw(self.chance))
            # A draw that leads nowhere; the next one may fit. It took little time, so the clock is
            # not looked at.
            except NoCardLeftError:
                continue
            if self.more is not None and not self.more():
                return


def any_choice(position: Position) -> Advice:
    """Advise one of the legal actions, drawn by chance."""
    choice = position.legal[position.chance.randbelow(len(position.legal))]
    return Advice(choice, "One choice is as good as another here.")


# --- what the end of a hand is worth, played out from a state of its rules ------------------------

# Choices: steeper, and a near miss in a playout counts as a miss; flatter, and it counts as made.
_SLOPE: Final = 40.0
#: Points around the bid over which making it becomes likely, in the last trick, and how much wider
#: that is for each trick before it: the more a playout has to guess, the less its margin tells.
_SLOPE_PER_TRICK: Final = 40.0
#: The points of the pack for which the numbers above are meant; those of other packs are scaled.
_SCALE: Final = 304
#: What a point is worth beside the bid: so little that all 304 weigh less than a sixth of it.
_SMALL: Final = 1 / 2_000


def worth(state: State, ending: PlayedOut) -> float:
    """Return how good an ending is for the maker's team: from 0 to about 1 by how many points it
    has above or below the bid; under a contract 2 if it won every trick, else 1 less a half for
    each lost one.
    """
    # Playouts begin once a bid stands.
    profile, contract = state.profile, state.the_contract
    # One lost trick fails it, so the first costs three times as much as the next. Fewer lost ones
    # are better all the same: a playout is a guess.
    if isinstance(contract, Contract):
        return 1.0 - ending.lost / 2 if ending.lost else 2.0
    slope = _SLOPE + _SLOPE_PER_TRICK * (profile.deal_batches.cards - 1 - len(state.tricks))
    scale = _SCALE / profile.deck.points
    # Not a step at the bid: a playout's points are a guess, so a near miss is worth something.
    likely = 0.5 + (ending.points - contract) * scale / slope
    return min(max(likely, 0.0), 1.0) + ending.points * scale * _SMALL


def made(state: State, ending: PlayedOut) -> bool:
    """Tell whether the maker's team made its bid in the playout that came to `ending`: as many
    points as it bid or more; under a contract no lost trick.
    """
    contract = state.the_contract
    # A contract is made by taking every trick, whatever the points (RULES 14).
    return not ending.lost if isinstance(contract, Contract) else ending.points >= contract


#: How often a side that wins all tricks is certain of it, and calls caps, before the bonus ends. A
#: guess: at 0 nothing would be risked for the last trick.
CALLED_IN_TIME: Final = 0.5
#: States of which is kept what playouts need: choices of one decision are played from the same. A
#: choice, for most decisions have fewer.
_STAGES: Final = 32


def caps_worth(state: State, ending: PlayedOut) -> float:
    """Return the bonus to expect for caps when a hand comes to `ending`, as a share of the tokens
    between a made and a failed bid: positive if the maker's team won all tricks, negative if its
    opponents did.

    0 where each side took a trick, where in `state` it is too late for the bonus, in games without
    caps, and where a contract is played.
    """
    profile, contract = state.profile, state.contract
    if isinstance(contract, Contract) or contract is None or profile.caps_model is CapsModel.OFF:
        return 0.0
    # From the first card of this trick on a call earns no bonus (RULES 13.3).
    if len(state.tricks) + 1 >= profile.caps_bonus_before:
        return 0.0
    # 1 for the maker's team, -1 for its opponents, 0 if each side took a trick.
    swept = int(not ending.lost) - int(ending.lost == profile.deal_batches.cards)
    price = price_of(profile, contract)
    return CALLED_IN_TIME * swept * profile.caps_bonus / (price.made + price.failed)


class Playout304:
    """Plays imagined hands of 304 to their end, from a trick or from a window before a card."""

    def __init__(self, game: Game304) -> None:
        """Prepare playouts of hands of `game`."""
        self._called = game.profile.partner_called
        self._root: State | None = None
        #: Of the last states, by their identity: each keeps its state, which so remains itself.
        self._stages: dict[int, PlayoutStage] = {}

    def __call__(self, view: View[State], state: State, faces: Faces) -> Payoff | None:
        """Return the payoff of a hand played out from `state`, with the card of every slot in
        `faces`: how good its end is for each seat, the tokens that it brings, and whether the bid
        was made.

        None outside tricks and windows, in a window in which somebody has claimed or shown
        something, and at any end of the hand but that of its last trick: there the rules must go
        on.
        """
        root, contract = view.state, state.contract
        if contract is None or state.trump_slot is None:
            return None
        # Another decision: the time that it takes must not depend on those before it.
        if root is not self._root:
            self._root = root
            self._stages.clear()
        # By identity, which is cheap; the stage holds the state, so that its id is not given to
        # another.
        stage = self._stages.get(id(state))
        if stage is None:
            # Dropped all at once: a decision has few states, and old ones do not come back.
            if len(self._stages) >= _STAGES:
                self._stages.clear()
            stage = self._stages[id(state)] = stage_of(state)
        scene = stage.scene(faces)
        if state.phase in (Phase.TRICK, Phase.WINDOW) and not state.pending:
            end = play_out(scene)
        elif state.phase in (Phase.COUNT, Phase.OVER) and state.end is End.PLAYED:
            end = PlayedOut(scene.points, scene.lost)
        else:
            return None
        # By the state of the decision, not by `state`: all its choices are measured alike.
        value, kept = worth(root, end) + caps_worth(root, end), made(root, end)
        price = price_of(state.profile, contract)
        tokens = float(price.made if kept else -price.failed)
        # Side 0, the maker's, gains what side 1 loses.
        signs = [1 - 2 * side for side in scene.side]
        if self._called and signs.count(1) == 1:  # a maker who called a card of its own plays alone
            signs[scene.maker] = LONE
        worths = tuple(sign * value for sign in signs)
        return Payoff(worths, tuple(sign * tokens for sign in signs), kept)
