"""The telling interface: how a game says what is going on, to every front end alike.

A game draws nothing. For what one seat may know (a view) it returns a scene, the choices of the
moment, sentences for what happened, the rules of the moment, and the summary of a hand. Screen,
lines of text, replay, watching and audit read the same telling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from p2p304.cards import Card, Faces, Slot, Suit
from p2p304.seats import Seat, Sides
from p2p304.sentences import Line, say
from p2p304.view import View

StateT_contra = TypeVar("StateT_contra", contravariant=True)
ActionT = TypeVar("ActionT")


class Lying(NamedTuple):
    """A card that lies in the middle of the table."""

    seat: Seat  #: Who played it.
    slot: Slot
    card: Card | None  #: None if the reader has not seen it.
    down: bool  #: Whether it lies face down for everybody.
    note: str = ""  #: What is said beside it: "led" or "wins".
    wins: bool = False  #: Whether it has won its trick; of no card while the trick is in progress.


class SideCard(NamedTuple):
    """A card that lies before a seat without being played, such as an indicator."""

    label: str
    card: Card | None  #: None if the reader has not seen it.


class ScenePlace(NamedTuple):
    """One seat's place in a scene."""

    #: Its unplayed cards in the game's order as far as the reader knows them, then the backs.
    cards: tuple[Card | None, ...]
    roles: tuple[str, ...] = ()  #: Such as "dealer", "maker", "partner"; "you" is the front end's.
    calls: tuple[str, ...] = ()  #: What it has said in the auction in progress.
    leading: bool = False  #: Whether its call stands.
    #: What lies before it without being played; None for nothing.
    side_card: SideCard | None = None


class HeldCard(NamedTuple):
    """A card of the reader's own hand."""

    slot: Slot
    card: Card
    note: str = ""  #: What stands under it: its points, or "trump".
    apart: bool = False  #: Whether it lies on the table and not in the hand.


class Count(NamedTuple):
    """A number that is shown for each side or seat, such as its tricks."""

    word: str
    #: Whose it is, in short, and the number as text: "31", "31 (2 cards hidden)".
    values: tuple[tuple[Line, str], ...]


class Scene(NamedTuple):
    """The table as one seat may know it."""

    #: What is being played for, each a few words: "170 by South", "trump hidden".
    contract: tuple[Line, ...]
    counts: tuple[Count, ...]
    places: tuple[ScenePlace, ...]  #: In seat order.
    hand: tuple[HeldCard, ...]
    #: The trick in progress; else the last one, until the next card is awaited.
    lying: tuple[Lying, ...]
    #: What stands in the middle while no cards are played: the bid that stands.
    middle: tuple[Line, ...] = ()
    tricks: int = 0  #: How many tricks are complete.
    history: tuple[Line, ...] = ()  #: The auction so far, call by call.
    #: What everybody may still know of the hand: of an earlier trick than the last one no cards.
    log: tuple[Line, ...] = ()


class Choice(NamedTuple):
    """One legal action as a front end offers it: its words, its key, what may be typed or picked
    for it.
    """

    action: Any
    #: What a player who does it would say, without a capital: "bid 160", "play 9♥ face down".
    label: Line
    #: The key that chooses it on a screen; empty for cards and numbers. Where several choices have
    #: one key, it goes from one of them to the next, and Enter takes it.
    key: str = ""
    #: The words that choose it in a line, in lower case; "" is Enter alone.
    typed: tuple[str, ...] = ()
    #: The numbers that choose it: a bid by its value, a cut by its place.
    numbers: tuple[int, ...] = ()
    slot: Slot | None = None  #: The card of the reader's hand that chooses it.
    #: Cards whose order the player states with it; `Telling.order_action` gives the action.
    order: tuple[Slot, ...] = ()
    claim: tuple[Line, ...] = ()  #: What a choice with an order claims and risks.
    brief: str = ""  #: The label in a word or two, where there is little room.
    plays: bool = False  #: Whether it plays a card of the hand.
    #: Whether Enter alone does it: it claims and shows nothing beyond what the rules demand.
    default: bool = False
    window: bool = False  #: Whether it claims nothing between cards, and lets the hand go on.
    #: Whether what everybody knows leaves nothing else to choose but what is wrong: the same at
    #: every seat, whatever its cards are, so that it may be done by itself after a pause.
    idle: bool = False
    #: Whether going on with it may cost a claim that is due: it is never made by itself, unless
    #: the player says so.
    forfeits: bool = False
    #: Whether it decides nothing, and is done unasked where it is the only choice.
    duty: bool = False
    #: Whether it is worth more than the least: it is asked once more, unless the player has
    #: switched that off.
    costly: bool = False


class Key(NamedTuple):
    """A key of the game, with the words of help for it."""

    key: str
    words: str  #: What it does, as after "you can".
    when: str  #: In which moments, as after these words.
    typed: tuple[str, ...] = ()  #: The words for the same, in lines of text.


class SummaryRow(NamedTuple):
    """A row of a hand's summary: its subject in a word, and a line about it."""

    label: str
    line: Line


class Parameter(NamedTuple):
    """One thing that a table agrees on: its section and name, its value here, and its meaning."""

    section: str
    name: str
    value: str
    meaning: str


class Ended(NamedTuple):
    """A hand that has ended, as its summary needs it."""

    state: Any
    outcome: Any
    scores: tuple[int, ...]  #: Of the match, after the hand; empty where they are not told.
    faces: Faces


class Undertaking(NamedTuple):
    """A promise that a player made in a hand that has ended, such as a bid, and whether it was
    kept; for statistics.
    """

    what: str  #: What it was, as one thing of many: "bid", "Caps".
    kind: str  #: Which of its kinds: "200 to 249".
    seats: tuple[Seat, ...]  #: Whose it was: who said it first, then who shared it.
    done: bool
    rank: int = 0  #: Where the kind stands among the others of its sort.


class Urgent(NamedTuple):
    """A choice that a player must make now or lose by it, certain by the cards that it sees."""

    key: str  #: That of the choice that does it.
    #: The cards of that choice in an order that is right, where it states one.
    order: tuple[Slot, ...]
    brief: Line  #: What to do, in a sentence.
    lines: tuple[Line, ...]  #: Why, in short paragraphs.
    skipped: Line  #: What going on without it would be, as a question without its mark.


class Tried(NamedTuple):
    """A player's attempt to choose something that cannot be chosen; one of the three fields is
    given.
    """

    slot: Slot | None = None  #: A card of the hand.
    number: int | None = None  #: A bid or a place that was typed.
    word: str = ""  #: A key or a typed word.


# --- what several games say and show alike --------------------------------------------------------

#: The rules of a moment before the cards are dealt.
SHUFFLING: Final = say("The cards are being shuffled by all seats, so that nobody knows any.")


def lay_trick(
    plays: Iterable[tuple[Seat, Slot, Card | None, bool]], winner: Seat | None
) -> tuple[Lying, ...]:
    """Return the cards of a trick as they lie on the table, in order of play, with the note
    "wins" at the card of `winner`, if given, and "led" at the first; empty for no plays.

    Each play is a seat, its slot, the card if the reader knows it, and whether it lies face down.
    """
    return tuple(
        # One note fits: who won matters more than who led.
        Lying(*play, "wins" if play[0] == winner else "" if number else "led", play[0] == winner)
        for number, play in enumerate(plays)
    )


def turn_to_play(led: Suit | None, cards: Line, *, follows: bool) -> Line:
    """Return the prompt of a seat that is to play one of `cards`, to a lead of the suit `led` or,
    for None, as the leader. `follows` says whether they follow that suit.
    """
    if led is None:
        return say("Your turn to lead: ", cards, ".")
    how = " led, follow with " if follows else " led, you have none; play "
    return say("Your turn: ", led, how, cards, ".")


def card_names(card: Card) -> tuple[str, ...]:
    """Return the texts by which a card may be typed, in lower case: ("9c",), or ("10c", "tc")
    for a ten.
    """
    name = str(card).lower()
    # Texts write T; players may type 10 as well.
    return (f"10{name[1]}", name) if name[0] == "t" else (name,)


class Telling(Protocol[StateT_contra, ActionT]):
    """One game's words under one set of agreed parameters, for every front end. Stateless."""

    @property
    def title(self) -> str:
        """The name of the game and what was agreed, in a few words."""
        ...

    @property
    def keys(self) -> tuple[Key, ...]:
        """The game's own keys, with their help; front ends give them no other meaning."""
        ...

    @property
    def agreement_lines(self) -> tuple[Line, ...]:
        """What was agreed beyond the title, a line for each thing, without a full stop; empty
        for nothing.
        """
        ...

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter that can be agreed on, section by section, with its value here."""
        ...

    @property
    def talk_agreed(self) -> bool:
        """Whether players may write to each other between hands."""
        ...

    def between_hands(self, state: StateT_contra) -> bool:
        """Tell whether no hand is in play, so that players may write to each other where that
        was agreed.
        """
        ...

    def scene(self, view: View[StateT_contra], scores: tuple[int, ...]) -> Scene:
        """Return the table as the view's seat may know it; `scores` are the match's before this
        hand.

        A view without a seat is a spectator's: it shows the cards that everybody may know.
        """
        ...

    def hand(self, view: View[StateT_contra]) -> tuple[HeldCard, ...]:
        """Return the unplayed cards of the view's own seat, in the game's order, also one of its
        own that lies before it on the table; empty for a spectator.
        """
        ...

    def last_trick(self, view: View[StateT_contra]) -> tuple[Lying, ...]:
        """Return the cards of the last complete trick in order of play; empty before the first."""
        ...

    def led(self, before: StateT_contra, after: StateT_contra) -> bool:
        """Tell whether the one action between the states `before` and `after` led a trick:
        played its first card.
        """
        ...

    def ended_on_trick(self, state: StateT_contra) -> bool:
        """Tell whether the hand ended with a played card. Front ends then still show its trick
        for a while.
        """
        ...

    def choices(self, view: View[StateT_contra], legal: Sequence[ActionT]) -> tuple[Choice, ...]:
        """Return the legal actions of the view's seat as choices, in the order of showing; empty
        for none.

        Args:
            legal: `Game.legal_actions` of this view; each is the action of at most one choice, for
                a choice that states an order stands for all orders.
        """
        ...

    def order_action(
        self, choice: Choice, order: Sequence[Slot], view: View[StateT_contra]
    ) -> ActionT:
        """Return the action of a choice that states an order, with its cards in `order`.

        Args:
            choice: one of `choices(view, ...)`.
            order: the slots of `choice.order`, each once.
        """
        ...

    def tell(
        self, before: StateT_contra, seat: Seat, action: ActionT, after: StateT_contra, faces: Faces
    ) -> tuple[Line, ...]:
        """Return the sentences for an action as it happens, card by card; empty where it needs
        none.

        Args:
            before, after: the states around the action.
            seat: who acted.
            action: with the faces that it made public.
            faces: the cards that the reader knows by then; others appear as unseen.
        """
        ...

    def retell(
        self, before: StateT_contra, seat: Seat, action: ActionT, after: StateT_contra, faces: Faces
    ) -> tuple[Line, ...]:
        """Return the sentences for an action in a story told afterwards, trick by trick; empty
        where it is told with its trick.

        Args:
            before, after: the states around the action.
            seat: who acted.
            action: with the faces that it made public.
            faces: all cards that became known by the end of the hand.
        """
        ...

    def trick_line(self, state: StateT_contra, faces: Faces) -> Line:
        """Return the last complete trick in one sentence; there must be one.

        Args:
            state: of the hand, during or after that trick.
            faces: the cards that the reader knows; others appear as unseen.
        """
        ...

    def prompt(self, view: View[StateT_contra], choices: tuple[Choice, ...]) -> Line:
        """Return what the view's seat, which is to act, may do now, in a sentence or two.

        Args:
            choices: all of `choices(view, ...)`; front ends show their keys beside the prompt.
        """
        ...

    def waiting_line(self, state: StateT_contra, others: tuple[Seat, ...]) -> Line:
        """Return a sentence on what the table waits for while the seats `others` are to act: "South
        is to bid."

        Where `others` is empty no person is awaited, and the sentence says what the programs do.
        """
        ...

    def owed_words(self, state: StateT_contra) -> str:
        """Return what the hand still needs that no player decides, as a noun phrase such as "the
        cards that still lie face down"; "" for nothing.
        """
        ...

    # A hint that a person could not have alone would be unfair where another person plays.
    def urgent(self, view: View[StateT_contra]) -> Urgent | None:
        """Return the choice that the view's seat, which is to act, must make now; None where
        nothing is urgent.

        It may search for seconds. Front ends show it only where no other person plays.
        """
        ...

    def moment(self, view: View[StateT_contra] | None) -> tuple[Line, ...]:
        """Return the rules that matter at this moment of the hand, in short paragraphs; for
        None, before the cards are dealt, what happens then.
        """
        ...

    def in_short(self) -> tuple[Line, ...]:
        """Return the whole game in a few paragraphs, for somebody who has never seen it."""
        ...

    def refusal(self, view: View[StateT_contra], legal: Sequence[ActionT], tried: Tried) -> Line:
        """Return why an attempt is not possible now, with its rule, as a sentence without a full
        stop.

        Args:
            view: of the seat that tried it, which may not be awaited.
            legal: what it may do now instead; empty while another seat is awaited.
            tried: what was typed or picked, which names none of `choices(view, legal)`.
        """
        ...

    def summary(self, ended: Ended) -> tuple[SummaryRow, ...]:
        """Return a hand that ended in a few rows; front ends show its outcome's own sentence before
        them.

        It is called for every frame that shows them, so results of searches are cached.
        """
        ...

    @property
    def score_unit(self) -> str:
        """The unit of a match's scores, in a word: "Tokens"."""
        ...

    def sides(self) -> tuple[Line, ...]:
        """Return the name of each side of a match, in the order of its scores."""
        ...

    def winners(self, winner: int, scores: tuple[int, ...]) -> Line:
        """Return the name of those who won a match. `winner` is `MatchState.winner`, a number of
        the game's own that need not count the sides of `sides`; by `scores` it finds who won
        together.
        """
        ...

    def owners(self) -> Sides:
        """Return the seats of each side of a match, in the order of its scores."""
        ...

    def winning_seats(self, winner: int, scores: tuple[int, ...]) -> tuple[Seat, ...]:
        """Return, in seat order, all seats that won a match. `winner` is `MatchState.winner`, a
        number of the game's own that need not count the sides of `owners`; by `scores` it finds
        who won together.
        """
        ...

    def undertakings(self, outcome: Any) -> tuple[Undertaking, ...]:
        """Return what a hand that ended with `outcome` adds to the statistics of its players:
        their bids and other promises, kept or not; empty for a hand that does not count.
        """
        ...


AnyTelling = Telling[Any, Any]
