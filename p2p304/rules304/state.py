"""The public state of a hand of 304: what every seat sees, and no hidden face."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from p2p304.cards import Card, Faces, Slot, Suit
from p2p304.rules304.actions import Action, Bid, Contract, Face
from p2p304.rules304.profile import Profile
from p2p304.rules304.teams import Team, others_of
from p2p304.seats import Seat
from p2p304.statements import Statement


class Phase(IntEnum):
    """What is going on (RULES 3); `DOING` beside the transitions says each in words."""

    CUT = 0
    AUCTION4 = 1
    INDICATOR4 = 2
    AUCTION8 = 3
    SORTING = 4
    INDICATOR8 = 5
    DECLARE = 6
    WINDOW = 7
    TRICK = 8
    INSPECT = 9
    SHOW_INDICATOR = 10
    CAPS_RESPONSE = 11
    SPOILT_INDICATOR = 12
    SPOILT_ANSWER = 13
    COUNT = 14
    OVER = 15
    # Behind the others: the numbers of phases were in use before a card could be called.
    NAMING = 16  #: The maker names the card whose holder is its partner.


class End(IntEnum):
    """Why a hand is over."""

    PASSED_OUT = 0
    REDEAL = 1
    SPOILT = 2
    VIOLATION = 3
    PLAYED = 4
    CONCEDED = 5
    CAPS_LOST = 6
    CONTRACT_LOST = 7


class Call(NamedTuple):
    """One slot of an auction, or an answer in it."""

    seat: Seat
    said: Bid | None  #: The bid, or None for a pass.
    asked_by: Seat | None = None  #: The partner whose slot it was, when the seat answered for it.
    forced: bool = False  #: Whether the seat had no other call, so that the pass was made for it.


class Auction(NamedTuple):
    """Where an auction stands."""

    turn: Seat  #: The seat whose slot it is.
    asked: Seat | None = None  #: The partner that is to speak in the slot.
    top: Bid | None = None  #: The standing bid; None while nobody has bid in this auction.
    top_seat: Seat | None = None  #: Who holds it.
    spoken: tuple[bool, ...] = ()  #: For each seat whether it has had a turn.
    quiet: int = 0  #: Slots in a row that ended without a bid.
    slots: int = 0  #: Slots that have ended.
    #: Where a card is called: whether all cards are in hand, so that numbers are bid.
    full: bool = False

    @property
    def seats(self) -> int:
        """How many seats speak."""
        return len(self.spoken)

    def right_of(self, seat: Seat) -> Seat:
        """Return the seat to the right of `seat`, whose turn comes next."""
        return Seat((seat + 1) % len(self.spoken))


class Play(NamedTuple):
    """One card of a trick."""

    seat: Seat
    slot: Slot
    down: bool  #: Whether it was played face down, also once all have seen it.


class Trick(NamedTuple):
    """A trick that is complete."""

    plays: tuple[Play, ...]
    winner: Seat
    cut: bool  #: Whether a trump won it on a plain lead.


class Caps(NamedTuple):
    """A call of caps."""

    seat: Seat
    order: tuple[Face, ...]  #: The cards shown with it; empty where caps show none.
    log_index: int  #: How many actions had been logged before the call.
    #: None while the opponents have not answered; for ever, where a call shows no cards.
    contested: bool | None = None


# Made once, up to eight seats: it is asked for at every window of every simulated hand.
#: All seats of a table, by their number.
EVERYBODY: Final = tuple(tuple(Seat(seat) for seat in range(seats)) for seats in range(9))


class _Fields(NamedTuple):
    """What a state consists of."""

    profile: Profile
    dealer: Seat
    phase: Phase
    awaiting: tuple[Seat, ...]  #: The seats whose action is awaited, in seat order.
    auction: Auction
    #: For each seat the team of which everybody knows that it plays for it.
    teams: tuple[Team, ...]
    #: Every action so far, those of one round of several seats in seat order.
    log: tuple[tuple[Seat, Action], ...] = ()
    round_start: int = 0  #: Where in the log the round in progress began.
    #: The calls of all auctions, with the passes that were made for a seat.
    calls: tuple[Call, ...] = ()
    cut: int = 0  #: The place in the shuffled deck at which dealing begins.
    #: Unplayed slots of each seat, the indicator on the table excluded.
    hands: tuple[tuple[Slot, ...], ...] = ()
    dealt: tuple[tuple[Slot, ...], ...] = ()  #: The slots of each hand right after it was sorted.
    faces: MappingProxyType[Slot, Card] = MappingProxyType({})  #: The faces that everybody knows.
    #: What was stated of hidden cards in tricks and their inspection, but for faces of single
    #: slots, in the order of the log.
    facts: tuple[Statement, ...] = ()
    maker: Seat | None = None  #: Whose bid is played; None until an auction has ended with a bid.
    #: What the maker has undertaken; None until an auction has ended with a bid.
    contract: Bid | None = None
    indicator: Slot | None = None  #: The indicator's slot while it lies on the table, unplayed.
    trump_slot: Slot | None = None  #: The slot that is or was the indicator, wherever it lies now.
    trump: Suit | None = None  #: The trump suit once trump is open.
    #: Who leads, or has led, the trick; means nothing before the declaration.
    leader: Seat = Seat(0)
    plays: tuple[Play, ...] = ()  #: The trick in progress, in order of play; empty between tricks.
    tricks: tuple[Trick, ...] = ()  #: The complete tricks.
    unfollowed: tuple[Suit, ...] = ()  #: Suits that the maker led and nobody followed (RULES 11.2).
    shown: tuple[Slot, ...] = ()  #: Slots shown before they are played (house rule pre_show).
    #: The card that the seat on turn has shown in the middle of a trick, and plays next.
    promised: Slot | None = None
    #: Contributions to a round of several seats that is still open, in seat order.
    pending: tuple[tuple[Seat, Action], ...] = ()
    called: Card | None = None  #: The card whose holder is the maker's partner, where one is named.
    double: Seat | None = None  #: Who undertook, after five tricks, to win all of them.
    #: Who has shown king and queen of which suits, in the order of suits.
    marriages: tuple[tuple[Seat, Suit], ...] = ()
    caps: Caps | None = None  #: The one call of caps that a hand can have; None before it.
    spoilt: Seat | None = None  #: Who called spoilt trumps.
    #: Who broke a rule without being refused on the spot, by a false call of spoilt trumps.
    violation: Seat | None = None
    end: End | None = None  #: None as long as it is open how the hand ends.


# For `_replace` below, which writes fields by their place.
_PLACE = {name: place for place, name in enumerate(_Fields._fields)}


# Apart from its fields, since a NamedTuple may not define `_replace`.
class State(_Fields):
    """A hand of 304 as the table sees it. Immutable."""

    __slots__ = ()

    # Of its fields a mapping has no hash; all that is in it follows from profile, dealer and log.
    def __hash__(self) -> int:
        """Return the hash of the hand's log, equal for equal states."""
        return hash(self.log)

    @property
    def seats(self) -> int:
        """How many seats play."""
        return len(self.teams)

    @property
    def everybody(self) -> tuple[Seat, ...]:
        """All seats, in their order."""
        return EVERYBODY[len(self.teams)]

    # Where a phase leaves no doubt that there is one, here and below.
    @property
    def the_maker(self) -> Seat:
        """The maker; there must be one."""
        assert self.maker is not None
        return self.maker

    @property
    def the_contract(self) -> Bid:
        """What the maker has undertaken; there must be a maker."""
        assert self.contract is not None
        return self.contract

    @property
    def the_indicator(self) -> Slot:
        """The slot of the indicator, which must lie on the table."""
        assert self.indicator is not None
        return self.indicator

    @property
    def the_trump_slot(self) -> Slot:
        """The slot that is or was the indicator, which must have been laid."""
        assert self.trump_slot is not None
        return self.trump_slot

    @property
    def the_caps(self) -> Caps:
        """The call of caps; there must be one."""
        assert self.caps is not None
        return self.caps

    @property
    def alone(self) -> bool:
        """Whether the contract has the maker play without partners, whose cards are laid aside."""
        # Where a card is called, its holder plays a contract with the maker (PROFILES 3.2).
        return isinstance(self.contract, Contract) and not self.profile.partner_called

    @property
    def partner_secret(self) -> bool:
        """Whether the maker named a card and its holder is not publicly known yet. There must be
        a maker.
        """
        # Known teams give the maker a partner once the called card falls.
        return self.called is not None and not self.mates(self.the_maker)

    def right_of(self, seat: Seat, steps: int = 1) -> Seat:
        """Return the seat that is `steps` places to the right of `seat`."""
        return Seat((seat + steps) % len(self.teams))

    def team_of(self, seat: Seat) -> Team:
        """Return the team that `seat` is publicly known to play for; a team of its own while
        partners are secret.
        """
        return self.teams[seat]

    def mates(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the other seats of the known team of `seat`, in seat order; empty while its
        partner is secret.
        """
        return others_of(self.teams, seat, with_it=True)

    def opponents(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the seats that are not of the known team of `seat`, in seat order: all other
        seats while its partner is secret.
        """
        return others_of(self.teams, seat, with_it=False)

    def trump_by(self, faces: Faces) -> Suit | None:
        """Return the trump suit as a reader that knows `faces` can tell it: the suit of the
        indicator's face there, else the suit of open trump; None where neither is known.
        """
        face = None if self.trump_slot is None else faces.get(self.trump_slot)
        return self.trump if face is None else face.suit

    @property
    def shown_trump(self) -> Suit:
        """The suit of the indicator, which the maker must have laid and everybody have seen."""
        return self.faces[self.the_trump_slot].suit

    @property
    def earlier_plays(self) -> tuple[Play, ...]:
        """Every card of the completed tricks, in order of play; empty before the end of the
        first trick.
        """
        return tuple(play for trick in self.tricks for play in trick.plays)

    def has_won_all(self, team: Team) -> bool:
        """Tell whether `team` has won every completed trick; True before the first."""
        return all(self.teams[trick.winner] == team for trick in self.tricks)

    def without_awaited(self, seat: Seat) -> State:
        """Return the state in which `seat` is no longer awaited."""
        return self._replace(awaiting=tuple(each for each in self.awaiting if each != seat))

    def with_hand(self, seat: Seat, hand: tuple[Slot, ...]) -> State:
        """Return the state with the unplayed slots of `seat` replaced by `hand`."""
        return self._replace(hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]))

    def with_faces(self, *faces: Face) -> State:
        """Return the state in which everybody also knows `faces`, pairs of slot and card,
        besides those known before.
        """
        return self._replace(faces=MappingProxyType(self.faces | dict(faces)))

    if not TYPE_CHECKING:  # checkers keep the signature that knows every field

        def _replace(self, /, **changes):
            """Return what NamedTuple._replace returns, in a third of the time; a hand takes
            hundreds."""
            values = list(self)
            for name, value in changes.items():
                values[_PLACE[name]] = value
            return tuple.__new__(State, values)
