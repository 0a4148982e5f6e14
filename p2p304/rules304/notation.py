"""Whole hands and matches of 304 as text, in cards, short enough for a bug report.

    304 pagat
    deal S JC9CAHTD.KC8CQS7D JS9STHKD.AS8H7HQC ACTCJHKS.9H8SADQD 7CKHQHJD.9D8DTS7S
    cut 0
    E160 N- W- S- E*9C
    E- N- W- S- Eclosed
    EAH N8H WJH SQH
    W9H SKH E~9C N7H

A bid may be shortened as the profile allows ("E60" is E160 in pagat); it is written in full. The
deal goes from the dealer's right, the batches parted by a dot. There is no dot in what an audit
writes: nobody can know which cards of a hand came first, but that the indicator did. A call is a
seat's letter with a bid, "-" (pass), "?" (ask) or "redeal"; "*" lays the indicator, "~" plays face
down, "+" after a card claims a hand of trumps. "caps", "spoilt" and "show" stand for what is said
in a window between cards; with "!" it was said while a card was awaited. What the rules leave no
choice about is not written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, Self, assert_never

from p2p304.cards import Card, Faces, Slot, parse_card
from p2p304.disclosures import Disclosure, Opened, Remixed
from p2p304.entry import CardNotation
from p2p304.errors import NotationError, ProfileError, RulesError
from p2p304.rules304 import actions as act
from p2p304.rules304 import dealing, machine
from p2p304.rules304.actions import Action, Contract, LayIndicator
from p2p304.rules304.agreement import format_agreement, parse_agreement, place_of
from p2p304.rules304.calls import caps_slots
from p2p304.rules304.dealing import batch_places
from p2p304.rules304.duties import WrongCards
from p2p304.rules304.machine import legal_actions
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.profile import Profile
from p2p304.rules304.state import Phase, State
from p2p304.seats import Seat, seat_letters
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
    holds,
)
from p2p304.view import View

# --- moves: choices of a hand told in cards, one word each ----------------------------------------

CARD: Final = r"[2-9TJQKA][SHDC]"


# Shorter than in texts of actions, as all words here.
_CONTRACTS: Final = {
    "pcc": Contract.PARTNER_CLOSE_CAPS,
    "half": Contract.HALF_COURT,
    "full": Contract.FULL_COURT,
}
#: Verbs that are one action wherever they stand.
_PLAIN: Final[Mapping[str, Action]] = {
    "-": act.Pass(),
    "closed": act.KeepClosed(),
    "accept": act.AcceptCaps(),
    "contest": act.ContestCaps(),
    "spoilt": act.CallSpoilt(),
    "spoilt!": act.CallSpoilt(),
    "double": act.CallDouble(),
}
#: Verbs that may stand alone behind the seat's letter.
_ALONE: Final = frozenset({*_PLAIN, *_CONTRACTS, "?", "redeal", "open", "caps", "caps!"})
#: Verbs of one card: laid as indicator, played face up (alone, or with a claim of trumps alone
#: behind it) or face down, shown in a window or in turn, as an answer to spoilt trumps, named.
_WITH_CARD: Final = re.compile(rf"(\*|~|show!?|trump|with|)({CARD})|({CARD})\+")
_WITH_CARDS: Final = re.compile(rf"(caps!?|marriage):((?:{CARD})+)")


class Move(NamedTuple):
    """One choice of a hand told in cards: the seat, the verb, and the cards that it names.

    The verb is what is written behind the seat's letter: a bid ("160", "pcc"), "-", "?NE" for a
    partner that is asked by its seat, "caps!"; "" for a card played face up, "+" for one led so
    with the claim of a hand of trumps.
    """

    seat: Seat
    verb: str
    cards: tuple[Card, ...] = ()

    @property
    def is_play(self) -> bool:
        """Whether the move plays a card to a trick."""
        return self.verb in ("", "+", "~")

    @property
    def in_window(self) -> bool:
        """Whether the move is made in a window between cards, rather than in a seat's turn."""
        return self.verb in ("show", "caps", "spoilt", "double", "marriage")


def format_move(move: Move, seats: int) -> str:
    """Return the move as one word, such as "E160", "N-", "W~9C" or "Scaps:9HKC8H7H".

    `seats` is the size of the table, which fixes the seats' letters.
    """
    letter, cards = seat_letters(seats)[move.seat], "".join(map(str, move.cards))
    if move.verb == "+":
        return f"{letter}{cards}+"
    # A colon parts the word from its cards where they may be several.
    colon = ":" if cards and move.verb in ("caps", "caps!", "marriage") else ""
    return f"{letter}{move.verb}{colon}{cards}"


def parse_move(word: str, position: int = 0, *, profile: Profile) -> Move:
    """Return the move that a word such as "E160" or "W~9C" stands for; a bid may be shortened as
    the profile allows ("E60").

    Raises NotationError, with `position` as its place, for a word that is no move. Whether the
    rules allow the move is not asked.
    """
    letters = seat_letters(profile.seats)
    # Greedy, for "SE" is one seat of six: no verb, card or number begins with one of these letters.
    said = re.match("[SENW]*", word)
    # The pattern matches the empty text, too.
    assert said is not None
    letter, rest = said[0], word[said.end() :]
    if letter not in letters or not rest:
        known = f"{', '.join(letters[:-1])} or {letters[-1]}"
        # Cut short and escaped, here and below: texts come from strangers, and a terminal shows
        # them.
        raise NotationError(f"{word[:20]!a} is no move; it begins with {known}", position)
    seat = Seat(letters.index(letter))
    if rest in _ALONE or (rest[0] == "?" and rest[1:] in letters):
        return Move(seat, rest)
    # Two digits for a short number, three for any bid.
    if re.fullmatch(r"[1-9][0-9]{1,2}", rest):
        return Move(seat, str(profile.number_meant(int(rest))))
    if several := _WITH_CARDS.fullmatch(rest):
        return Move(seat, several[1], _cards(several[2]))
    if one := _WITH_CARD.fullmatch(rest):
        return Move(seat, "+" if one[3] else one[1], _cards(one[2] or one[3]))
    raise NotationError(f"{word[:20]!a} is no move of 304", position)


def _cards(names: str) -> tuple[Card, ...]:
    """Return the cards whose names of two characters each stand in a row: "9HKC"."""
    return tuple(parse_card(names[at : at + 2]) for at in range(0, len(names), 2))


# A choice, for texts come from strangers: replaying one takes time in proportion.
LONGEST: Final = 1_000_000  #: How many characters a text may have.


def format_hand(record: HandRecord) -> str:
    """Return the canonical text of a hand: profile, deal, cut and moves, with a line break at the
    end.
    """
    profile = record.profile
    lines = [f"304 {format_agreement(profile)}"]
    seats, first = profile.seats, profile.deal_batches.sizes[0]
    # In the order of dealing, from dealer's right.
    hands = (record.hands[(record.dealer + 1 + turn) % seats] for turn in range(seats))
    dot = "." if record.parted else ""
    dealt = " ".join(
        "".join(map(str, hand[:first])) + dot + "".join(map(str, hand[first:])) for hand in hands
    )
    lines += [f"deal {seat_letters(seats)[record.dealer]} {dealt}", f"cut {record.cut}"]
    row: list[str] = []
    plays = 0
    for move in record.moves:
        row.append(format_move(move, seats))
        if move.is_play:
            plays += 1
        # As many cards in a line as there are seats; under Partner Close Caps, whose tricks have
        # fewer, lines and tricks part.
        if move.verb in ("*", "with", "open", "closed") or (move.is_play and plays % seats == 0):
            lines.append(" ".join(row))
            row = []
    # The last row of a hand that is not over, or whose trick has fewer cards than seats.
    if row:
        lines.append(" ".join(row))
    return "\n".join(lines) + "\n"


def parse_hand(text: str, *, position: int = 0) -> HandRecord:
    """Return the record of a hand from its text: "304" and the agreement in the first line, then
    words that any white space parts.

    Its moves are carried out by the rules. `position` is the place of `text` in a longer one, which
    errors count from. Raises NotationError, with the place, for a text that is no hand, or has more
    than 1,000,000 characters, or tells a forbidden move.
    """
    if len(text) > LONGEST:
        raise NotationError(f"a text has at most {LONGEST} characters", position)
    head, *_ = text.split("\n", 1)
    if not head.startswith("304 "):
        raise NotationError('a hand begins with "304" and a profile, such as "304 pagat"', position)
    try:
        # Behind "304 ", which has four characters.
        profile = parse_agreement(head[4:])
    except ProfileError as error:
        raise NotationError(str(error), position + 4 + place_of(head[4:], error)) from error
    words = [(m.group(), position + m.start()) for m in re.finditer(r"\S+", text)]
    # The first line is the agreement, whose own words are no moves.
    words = [word for word in words if word[1] >= position + len(head)]
    seats, end = profile.seats, position + len(text)
    # "deal", the dealer and each hand; "cut" and its offset; then the moves.
    dealer, hands, parted = _deal(profile, words[: 2 + seats], end)
    cut = _read_cut(words[2 + seats : 4 + seats], len(profile.deck.cards), end)
    moves = [(parse_move(word, at, profile=profile), at) for word, at in words[4 + seats :]]
    record = HandRecord(profile, dealer, cut, hands, tuple(move for move, _ in moves), parted)
    # For its errors alone: a forbidden move is told with its place in the text.
    Retelling.of_record(record, places=[at for _, at in moves])
    return record


def _deal(
    profile: Profile, words: list[tuple[str, int]], end: int
) -> tuple[Seat, tuple[tuple[Card, ...], ...], bool]:
    """Return the dealer, the hands in seat order, and whether a dot parts the batches, from the
    words "deal", a seat's letter and a hand for each seat.

    Each word comes with its place; `end` is the place of an error where words are missing. Raises
    NotationError for words that deal no hand, and for a card that is not in the pack or is dealt
    twice.
    """
    seats, letters = profile.seats, seat_letters(profile.seats)
    first, second = profile.deal_batches.sizes
    # "deal", the dealer's letter, a hand for each seat.
    if len(words) < 2 + seats or words[0][0] != "deal":
        at = words[0][1] if words else end
        raise NotationError(f'"deal", the dealer\'s letter and {seats} hands are expected', at)
    letter, at = words[1]
    if letter not in letters:
        known = f"{', '.join(letters[:-1])} or {letters[-1]}"
        # Cut shorter than a move: a seat has one letter or two.
        raise NotationError(f"{letter[:12]!a} is no seat; write {known}", at)
    dealer = Seat(letters.index(letter))
    hands: list[tuple[Card, ...]] = [()] * seats
    form = re.compile(rf"(?:{CARD}){{{first}}}\.?(?:{CARD}){{{second}}}")
    seen: set[Card] = set()
    # The first hand decides: all have the dot, or none has.
    parted = "." in words[2][0]
    for turn, (word, at) in enumerate(words[2:]):
        if not form.fullmatch(word):
            raise NotationError(f"a hand is {first} cards, a dot and {second} more", at)
        if ("." in word) != parted:
            raise NotationError(f"all hands have a dot after {first} cards, or none has", at)
        hand = _cards(word.replace(".", ""))
        for card in hand:
            if card not in profile.deck.card_set:
                raise NotationError(f"{card} is not in the pack of 304", at)
            if card in seen:
                raise NotationError(f"{card} is dealt twice", at)
            seen.add(card)
        # The text goes round from the dealer's right; the dealer's own hand is last.
        hands[(dealer + 1 + turn) % seats] = hand
    return dealer, tuple(hands), parted


def _read_cut(words: list[tuple[str, int]], cards: int, end: int) -> int:
    """Return the offset from the words "cut" and its number, each with its place.

    Raises NotationError for anything else, or a number not below `cards`: at the wrong number, else
    at the first word, or at `end` if there is none.
    """
    if len(words) < 2 or words[0][0] != "cut":
        raise NotationError('"cut" and its offset are expected', words[0][1] if words else end)
    text, at = words[1]
    # No pack has a hundred cards.
    if not re.fullmatch(r"0|[1-9][0-9]?", text) or int(text) >= cards:
        raise NotationError(f"a cut is a number from 0 to {cards - 1}", at)
    return int(text)


def public_text(state: State) -> str | None:
    """Return the canonical text of a hand that is over; None where a card of it is still closed,
    and where not every seat was dealt and sorted all its cards, as when all passed or under Half
    Court.

    The first indicator counts as closed, too, until it is seen, even where it was taken up and
    mixed into the hand. The text has no dots, since nobody can know which cards came first; the
    first indicator stands first.
    """
    faces = state.faces
    # From the log, since a first indicator that was taken back counts, too.
    laid = [action.slot for _, action in state.log if isinstance(action, LayIndicator)]
    told = [*laid, *chain(*state.dealt)]
    cards = state.profile.deal_batches.cards
    if any(len(hand) != cards for hand in state.dealt) or not faces.keys() >= set(told):
        return None
    hands = tuple(
        tuple(
            # The first indicator in front (False sorts before True): the one card known to be of
            # the first batch. There is one wherever a hand that is over was dealt in full.
            sorted((faces[slot] for slot in hand), key=lambda card: (card != faces[laid[0]], card))
        )
        for hand in state.dealt
    )
    moves = moves_of(state, faces.__getitem__)
    return format_hand(
        HandRecord(state.profile, state.dealer, state.cut, hands, moves, parted=False)
    )


def read_actions(text: str, position: int) -> tuple[Seat, tuple[tuple[Seat, Action], ...]]:
    """Return the dealer of a hand's text, and the actions in the order of the log, with those that
    the rules force and the text leaves out.

    `position` is the place of `text` in a longer one. Raises NotationError, with the place, for a
    text that is no hand, or tells a forbidden move.
    """
    # Played a second time: a record keeps what was chosen, and not where it led.
    state = Retelling.of_record(parse_hand(text, position=position)).state
    return state.dealer, state.log


#: How the registry reads and writes hands of 304.
NOTATION: Final = CardNotation(public_text, read_actions)


# Between the cards of a record and the slots of a state: telling a hand, and playing it again.


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand in cards: what was agreed, dealt and chosen, and nothing that follows from it.

    `hands` holds all cards of each seat in the order of dealing, also where the second batch never
    was dealt. Without `parted` nobody knows which of them came first.
    """

    profile: Profile
    dealer: Seat
    cut: int  #: The place in the shuffled deck at which dealing begins.
    hands: tuple[tuple[Card, ...], ...]
    moves: tuple[Move, ...]
    parted: bool = True

    def deck(self) -> tuple[Card, ...]:
        """Return the shuffled deck from which these hands are dealt, as it lay before the cut."""
        # Any cards to begin with: every place is written below, since all cards are dealt.
        deck = list(self.profile.deck.cards)
        done = 0
        for batch, size in enumerate(self.profile.deal_batches.sizes):
            places = batch_places(self.profile, self.dealer, self.cut, batch)
            for seat, hand in enumerate(self.hands):
                for place, card in zip(places[seat], hand[done : done + size], strict=True):
                    deck[place] = card
            done += size
        return tuple(deck)


_FORCED = frozenset(
    {
        # Phases whose only legal action follows from the cards, so that a text need not tell it.
        Phase.SORTING,
        Phase.INSPECT,
        Phase.SHOW_INDICATOR,
        Phase.SPOILT_INDICATOR,
        Phase.COUNT,
    }
)
#: The verb of each action; that of a bid is the bid. About the others the rules leave no choice.
_VERBS: Final[Mapping[type[Action], str]] = {
    **{type(action): verb.removesuffix("!") for verb, action in _PLAIN.items()},
    act.PlaceBid: "",
    act.AskPartner: "?",
    act.DemandRedeal: "redeal",
    act.LayIndicator: "*",
    act.NameCard: "with",
    act.DeclareMarriages: "marriage",
    act.OpenTrump: "open",
    act.PlayCard: "",
    act.PlayDown: "~",
    act.ShowCard: "show",
    act.CallCaps: "caps",
    act.ShowTrump: "trump",
}


def moves_of(state: State, face: Callable[[Slot], Card]) -> tuple[Move, ...]:
    """Return the moves of the hand that led to `state`, in the order of the log. Left out are
    the cut, each Ready, and actions that the rules force. `face` returns the true card of a
    slot, closed ones too.
    """
    tale = dealing.start(state.profile, state.dealer).state
    moves = []
    for seat, action in state.log:
        move = _move_of(tale, seat, action, face)
        if move is not None:
            moves.append(move)
        tale = machine.apply(tale, seat, action).state
    return tuple(moves)


def _move_of(state: State, seat: Seat, action: Action, face: Callable[[Slot], Card]) -> Move | None:
    """Return `action`, taken in `state`, as a move in cards; None for a cut, for Ready, and for an
    action that the rules force. `face` returns the true card of a slot.
    """
    verb = _VERBS.get(type(action))
    if verb is None:
        return None
    # In a trick the same claim is written with "!": a window may hold the same words.
    if state.phase is Phase.TRICK and verb in ("show", "caps", "spoilt"):
        verb += "!"
    match action:
        case act.PlaceBid(bid):
            names = {contract: name for name, contract in _CONTRACTS.items()}
            return Move(seat, names[bid] if isinstance(bid, Contract) else str(bid))
        case act.AskPartner(int() as mate):
            return Move(seat, verb + seat_letters(state.seats)[mate])
        case act.PlayCard(slot, _, all_trumps):
            return Move(seat, "+" if all_trumps else verb, (face(slot),))
        case act.LayIndicator(slot) | act.PlayDown(slot) | act.ShowCard(slot) | act.ShowTrump(slot):
            return Move(seat, verb, (face(slot),))
        case act.NameCard(card):
            return Move(seat, verb, (card,))
        case act.DeclareMarriages(faces) | act.CallCaps(faces):
            return Move(seat, verb, tuple(card for _, card in faces))
        case _:
            return Move(seat, verb)


def _contradiction(statement: Statement, faces: Faces) -> str:
    """Return a clause on why `statement` is false: "there must be no hearts here, but there is
    9H". `faces` has the card of every slot that the statement names.
    """
    match statement:
        case NotCard(_, card):
            return f"{card} must not be here, but it is"
        case NoneOfSuit(slots, suit):
            found = next(faces[slot] for slot in slots if faces[slot].suit == suit)
            return f"there must be no {suit.name.lower()} here, but there is {found}"
        case SuitsDiffer(slots, other):
            found = next(faces[slot] for slot in slots if faces[slot].suit == faces[other].suit)
            return f"{found} must not have the suit of {faces[other]}"
        case AllOfSuit(slots, suit):
            found = next(faces[slot] for slot in slots if faces[slot].suit != suit)
            return f"there must be nothing but {suit.name.lower()} here, but there is {found}"
        case IsCard(slot, card):
            return f"the card is {faces[slot]}, not {card}"
        case PointsBelow(_, limit):
            return f"these cards do not count fewer than {limit} points"
        case AnyOf(alternatives):
            return "; and ".join(_contradiction(each, faces) for each in alternatives)
        case _:
            assert_never(statement)


class Retelling:
    """A hand with open cards, replayed so that sorting leaves each seat's cards in their order."""

    def __init__(self, profile: Profile, dealer: Seat, deck: Sequence[Card]) -> None:
        """Begin a hand with open cards: deck[i] lies in slot i."""
        self.deck = tuple(deck)
        self.faces = {Slot(place): card for place, card in enumerate(deck)}
        self.state = dealing.start(profile, dealer).state

    @classmethod
    def of_record(cls, record: HandRecord, *, places: Sequence[int] = ()) -> Self:
        """Return the hand after all moves of `record`, with the actions that the rules force made
        before, between and after them. Only a window in which the last move was made is closed at
        the end; another one stays open.

        `places` are the moves' places in a text, for errors; without them the moves' indexes are
        used. Raises NotationError for a move that the rules forbid, and for a cut where the profile
        has none.
        """
        tale = cls(record.profile, record.dealer, record.deck())
        # A record names the offset even where it is 0; without a cutter there is no action to make.
        if tale.state.phase is Phase.CUT:
            tale._do(tale.state.awaiting[0], act.Cut(record.cut), 0)
        elif record.cut:
            raise NotationError("this profile does not cut")
        for index, move in enumerate(record.moves):
            place = places[index] if places else index
            tale._forced(place, window=not move.in_window)
            tale._do(move.seat, tale.action_of(move, place), place)
        # A last claim closes its window; without one the hand was left in an open window, and stays
        # there.
        claimed = bool(record.moves) and record.moves[-1].in_window
        tale._forced(places[-1] if places else 0, window=claimed)
        return tale

    def act(self, seat: Seat, action: Action) -> None:
        """Carry out an action of `seat`; raises RulesError where the rules forbid it, and where the
        cards contradict a statement that it needs.
        """
        step = machine.apply(self.state, seat, action)
        for statement in step.statements:
            if not holds(statement, self.faces, points=CARD_POINTS):
                # RULES 0.1: an action stands only if all that it states is true.
                raise RulesError("0.1", _contradiction(statement, self.faces))
        for disclosure in step.disclosures:
            self._note(disclosure)
        self.state = step.state

    def _note(self, disclosure: Disclosure) -> None:
        """Give mixed cards their new slots, in their old order; raises RulesError for an opened
        card that is not the true one.
        """
        if isinstance(disclosure, Remixed):
            # Left in their order: a record tells cards, so how a seat mixed them does not matter.
            for old, new in zip(disclosure.before, disclosure.after, strict=True):
                self.faces[new] = self.faces[old]
        elif isinstance(disclosure, Opened) and self.faces[disclosure.slot] != disclosure.card:
            true = self.faces[disclosure.slot]
            raise RulesError("S1", f"the card is {true}, not {disclosure.card}")

    def _do(self, seat: Seat, action: Action, place: int) -> None:
        """Carry out an action of `seat`; raises NotationError at `place`, with cards in place of
        slots, where the rules forbid it.
        """
        try:
            self.act(seat, action)
        # The rules speak of slots; who writes a hand in cards needs them named as cards.
        except WrongCards as error:
            cards = " ".join(str(self.faces[slot]) for slot in error.slots) or "none"
            said = f"the rules forbid this: {error.what} are {cards} (rule {error.rule})"
            raise NotationError(said, place) from error
        # Any other reason of the rules stands as it is, at the place of the move.
        except RulesError as error:
            raise NotationError(f"the rules forbid this: {error}", place) from error

    def _forced(self, place: int, *, window: bool) -> None:
        """Carry out actions as long as the rules leave no choice: sorting, announcements,
        showing the indicator, denying to hold a trump, the count, and with `window` a Ready for
        every seat in an open window. `place` is for errors.
        """
        while True:
            phase = self.state.phase
            answers = phase is Phase.SPOILT_ANSWER
            if not (phase in _FORCED or answers or (window and phase is Phase.WINDOW)):
                return
            seat = self.state.awaiting[0]
            # The only one; in a window the first one listed, which is to be ready.
            action = legal_actions(View(seat, self.state, self.faces))[0]
            # To deny is forced, but which trump is shown is a choice, which the record tells.
            if answers and not isinstance(action, act.DenyTrump):
                return
            self._do(seat, action, place)

    def action_of(self, move: Move, place: int) -> Action:
        """Return the action that a move stands for at this point of the hand, with slots in place
        of cards.

        Raises NotationError, with `place`, for a card that the seat does not have, and for a move
        that does not fit here.
        """
        verb = move.verb
        if verb in _PLAIN:
            return _PLAIN[verb]
        # Before cards are looked for in the hand, where a called card is not.
        if verb == "with":
            return act.NameCard(move.cards[0])
        faces = tuple((self._slot(move.seat, card, place), card) for card in move.cards)
        match verb:
            case "redeal":
                hand = self.state.hands[move.seat]
                private = self.state.profile.redeal_private
                return act.DemandRedeal(() if private else tuple((s, self.faces[s]) for s in hand))
            case "open":
                if self.state.trump_slot is None:
                    told = format_move(move, self.state.seats)
                    raise NotationError(f"{told} does not fit here", place)
                return act.OpenTrump(self.faces[self.state.trump_slot])
            case "caps" | "caps!":
                if not self.state.profile.caps_order_stated:
                    # In the order of the hand, which is another one here.
                    due = caps_slots(self.state, move.seat)
                    # A slot that is not due sorts last, and is refused by the rules.
                    faces = tuple(sorted(faces, key=lambda face: (*due, face[0]).index(face[0])))
                return act.CallCaps(faces)
            case "*":
                return act.LayIndicator(faces[0][0])
            case "" | "+":
                return act.PlayCard(*faces[0], verb == "+")
            case "~":
                return act.PlayDown(faces[0][0])
            case "marriage":
                return act.DeclareMarriages(faces)
            case "show" | "show!":
                return act.ShowCard(*faces[0])
            case "trump":
                return act.ShowTrump(*faces[0])
            case _ if verb[0] == "?":
                letters = seat_letters(self.state.seats)
                return act.AskPartner(Seat(letters.index(verb[1:])) if verb[1:] else None)
            # All that is left is a bid.
            case _:
                return act.PlaceBid(_CONTRACTS.get(verb) or int(verb))

    def _slot(self, seat: Seat, card: Card, place: int) -> Slot:
        """Return the slot in which `seat` has `card`, unplayed or dealt to it; raises
        NotationError at `place` if it has none.
        """
        # Dealt ones, too: a trump that answers spoilt trumps may have been played.
        held = (*self.state.hands[seat], *self.state.dealt[seat])
        for slot in held:
            if self.faces[slot] == card:
                return slot
        raise NotationError(f"{card} is not one of this seat's cards", place)
