"""A game's lines and choices as text, suits as signs or letters and names of seats; the state of a
hand; and typed text read as one of the game's choices, or the reason why it is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from cli.bounds import MOST_DIGITS
from cli.sanitize import safe_text
from cli.wording import capital
from p2p304.cards import Card, Rank, Slot, Suit, parse_card
from p2p304.errors import NotationError
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, place_name
from p2p304.sentences import Line, Unseen, Who, join_items, say
from p2p304.telling import AnyTelling, Choice, Lying, Tried, Urgent
from p2p304.view import View

SUIT_SIGNS: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"}


# Cards are written with one letter on the wire, and read better as 10.
#: How ranks are shown: "10", "J".
RANK_TEXTS: Final = {rank: "10" if rank is Rank.TEN else rank.letter for rank in Rank}


class Writer:
    """A writer of a game's lines for a table, whose number of seats gives the names of places."""

    __slots__ = ("ascii_only", "seats", "signs")

    def __init__(self, seats: int, *, ascii_only: bool = False) -> None:
        """Set up a writer for a table of `seats`; with `ascii_only` it writes letters for suits."""
        self.seats = seats
        self.ascii_only = ascii_only
        # A terminal without the signs shows letters.
        self.signs = {suit: suit.letter for suit in Suit} if ascii_only else SUIT_SIGNS

    def seat(self, seat: int) -> str:
        """Return the name of a seat: "South", or "seat 5" at a table without names of places."""
        return place_name(seat, self.seats)

    def join_seats(self, seats: Sequence[Seat]) -> str:
        """Return several seats as a list: "East, North and West"; "" for none."""
        return self.line(join_items([say(Who(seat)) for seat in seats])) if seats else ""

    def card(self, card: Card | None) -> str:
        """Return a card as it is shown: "10♠", "10S" with `ascii_only`; "??" for None."""
        if card is None:
            return Unseen.CARD.value
        return RANK_TEXTS[card.rank] + self.signs[card.suit]

    def cards(self, cards: Iterable[Card | None]) -> str:
        """Return several cards with a space between two."""
        return " ".join(map(self.card, cards))

    def line(self, line: Line) -> str:
        """Return a line of a telling as text; raises TypeError for what is no part of a line."""
        said = ""
        for part in line:
            match part:
                case str():
                    said += part
                # A suit in a sentence is a word, as in "hearts are trump"; signs stand on cards.
                case Suit():
                    said += part.name.lower()
                case Card():
                    said += self.card(part)
                case Who(seat):
                    said += self.seat(seat)
                case Unseen():
                    said += part.value
                case _:
                    # A game that tells what no front end can write has a defect.
                    raise TypeError(f"no part of a line: {part!r}")
        return said

    def sentence(self, line: Line) -> str:
        """Return a line of a telling as text with a capital first letter."""
        return capital(self.line(line))


def situation(
    game: AnyGame, view: View[Any], scores: tuple[int, ...], writer: Writer
) -> Iterator[str]:
    """Yield the state of the hand as lines, for the player of the view's seat: contract, auction,
    counts, the trick, and the cards of the hand.

    `scores` are the match's before this hand.
    """
    scene = telling_of(game).scene(view, scores)
    # A card laid beside the hand (the trump indicator) is told with the contract.
    own = None if view.seat is None else scene.places[view.seat].side_card
    lies = [] if own is None else [f"your {own.label} is {writer.card(own.card)}"]
    # Labels have ten cells: the texts after them stand below each other.
    if scene.contract:
        yield f"Contract  {'; '.join([*map(writer.line, scene.contract), *lies])}"
    calls = [
        f"{writer.seat(seat)} {', '.join(place.calls)}"
        for seat, place in enumerate(scene.places)
        if place.calls
    ]
    # Once play has begun the auction is over, and its calls are in the contract.
    if calls and scene.middle:
        yield f"Auction   {'; '.join(calls)}"
    # The first is the match's own score, which other lines tell.
    for count in scene.counts[1:]:
        values = ", ".join(f"{writer.line(side)} {value}" for side, value in count.values)
        yield f"{count.word:<9} {values}"
    # A trick that somebody has won is lying there only to be seen.
    if scene.lying and not any(each.wins for each in scene.lying):
        cards = ", ".join(f"{writer.seat(each.seat)} {_face(each, writer)}" for each in scene.lying)
        yield f"Trick {scene.tricks + 1:<3} {cards}"
    yield f"You hold  {hand_line(game, view, writer)}"


def hand_line(game: AnyGame, view: View[Any], writer: Writer) -> str:
    """Return the cards of the view's seat by suit, in the game's order, and their points if they
    have any; "no cards" for none.
    """
    # `apart`: cards that are not in the hand now, though they are the seat's.
    cards = [each.card for each in telling_of(game).hand(view) if not each.apart]
    groups = [
        " ".join([writer.signs[suit], *(RANK_TEXTS[card.rank] for card in held)])
        # The game's order keeps suits together, so that `groupby` finds each once.
        for suit, held in groupby(cards, key=lambda card: card.suit)
    ]
    points = sum(map(game.points_of, cards))
    return ("   ".join(groups) or "no cards") + (f"   ({points} points)" if points else "")


# The rules let nobody look at an earlier trick, so no front end keeps one.
def last_trick(game: AnyGame, view: View[Any], writer: Writer) -> str:
    """Return the last complete trick in words, or a sentence that there is none; the rules
    forbid looking at earlier ones.
    """
    telling = telling_of(game)
    if not telling.last_trick(view):
        return "No trick has been taken yet."
    return writer.sentence(telling.trick_line(view.state, view.faces))


def _face(card: Lying, writer: Writer) -> str:
    """Return a card on the table in words, in brackets if it lies face down."""
    if card.card is None:
        return "[face down]"
    # In brackets: its owner sees it, and it lies face down for the others.
    return f"[{writer.card(card.card)}]" if card.down else writer.card(card.card)


# --- the pace: how long a move lies there before a bot makes the next, and a window stays open ----

# Seconds: each is 1.3 to 2 times the one before, so that every step is felt alike.
PACES: Final = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0)  #: What a key at the table chooses among.


def next_pace(seconds: float, step: int) -> float:
    """Return the pace in PACES next to `seconds`: with `step` 1 the next slower, with -1 the next
    faster.

    Beyond either end the last one is returned.
    """
    slower = [each for each in PACES if each > seconds]
    faster = [each for each in PACES if each < seconds]
    # At an end it stays there.
    if step > 0:
        return slower[0] if slower else PACES[-1]
    return faster[-1] if faster else PACES[0]


def pace_words(seconds: float) -> str:
    """Return a sentence that tells a player the pace in seconds."""
    return f"Each card lies there for {seconds:g} s before a bot of yours plays the next."


def goes_by_itself(choices: Sequence[Choice], go_on: bool | None) -> Choice | None:
    """Return the choice that closes a window without a key; None if there is none. A window is a
    pause between cards in which a seat may claim something, or let the hand go on.

    A window in which nothing can be claimed always closes. Another one closes if `go_on` is true,
    or if it is None and closing costs the player no claim.
    """
    goes_on = next((each for each in choices if each.window), None)
    # Nothing can be claimed in it.
    if goes_on is None or goes_on.idle:
        return goes_on
    # By itself only if nothing is given up by it, unless the player's setting says otherwise.
    return goes_on if (not goes_on.forfeits if go_on is None else go_on) else None


NO_HINTS: Final = "No hints here: other people play."
# A choice, as the eight below: more would fill lines.
_MOST_NUMBERS: Final = 8  #: Numbers that are listed one by one.
# Signs of suits may be pasted.
_LETTERS: Final = str.maketrans({sign: suit.letter.lower() for suit, sign in SUIT_SIGNS.items()})
#: Choices that are neither cards nor numbers, as far as a refusal names them.
_MOST_NAMED: Final = 8


def read_number(text: str) -> int | None:
    """Return the number that `text` writes in one to four decimal digits; None for anything
    else.
    """
    # ASCII alone: `isdecimal` takes digits of other scripts, too.
    fits = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if fits else None


def read_card(text: str) -> Card | None:
    """Return the card that `text` names by rank and suit, such as "9h" or "10h"; None for
    anything else.
    """
    # A bare rank or number is no card: "9" may be a bid.
    if len(text) < 2 or not text[-1:].isalpha():
        return None
    try:
        return parse_card(text)
    # Two signs, and no card: a word such as "no".
    except NotationError:
        return None


def find_choice(text: str, choices: Iterable[Choice], writer: Writer) -> Choice | None:
    """Return the one choice that `text` names: by a number, a key, a word or the label itself.

    None for none, or several. A number is a number of the game, such as a bid, and never a place
    in a list.
    """
    said, number = _plain(text), read_number(text.strip())
    found = [
        each
        for each in choices
        # Without a number typed, None is in no choice's numbers.
        if number in each.numbers
        or said in each.typed
        or said == _plain(writer.line(each.label))
        # `said` must be there: Enter is no key.
        or (said == each.key and said)
    ]
    # Two that fit name none: the player is asked again.
    return found[0] if len(found) == 1 else None


def key_of(choice: Choice) -> str:
    """Return what a player may type for a choice: its first number, unless Enter alone makes it,
    else its first word; "Enter" if there is none.
    """
    # A number that Enter makes as well is told as "Enter", which is shorter to type.
    if choice.numbers and not choice.default:
        return str(choice.numbers[0])
    # "" is what Enter alone types.
    return next((word or "Enter" for word in choice.typed), "Enter")


def choice_lines(choices: Iterable[Choice], writer: Writer, width: int) -> Iterator[str]:
    """Yield lines with the choices; of more than eight numbers in a row only the first and the
    last. Without choices yield one empty line.

    Args:
        choices: in the order of showing.
        writer: writes their labels.
        width: cells of a line, beyond which only a single choice goes.
    """
    items: list[str] = []
    # A number with a default, such as a bid that Enter makes, stands alone.
    for numbers, run in groupby(choices, key=lambda each: bool(each.numbers) and not each.default):
        alike = list(run)
        if numbers and len(alike) > _MOST_NUMBERS:
            first = writer.line(alike[0].label)
            items.append(f"{first} ... {alike[-1].numbers[0]}")
        else:
            items += [_item(each, writer) for each in alike]
    line = ""
    for item in items:
        # Lines break between items, so that no choice is torn.
        # Characters are cells here: labels hold no names of people, and no wide signs. The blanks
        # before an item are not counted: callers leave room for them.
        if line and len(line) + len(item) > width:
            yield line
            line = ""
        line += f"   {item}" if line else f"  {item}"
    yield line


def _item(choice: Choice, writer: Writer) -> str:
    """Return the key of a choice and its label, "key: label"; the label alone if it says the
    key, and for a card to play the card alone.
    """
    label = writer.line(choice.label)
    if choice.plays:
        return label.removeprefix("play ")  # a list of cards needs no verb
    # "pass: pass" says nothing.
    clear = label in choice.typed or (choice.numbers and not choice.default)
    return label if clear else f"{key_of(choice)}: {label}"


def _plain(text: str) -> str:
    """Return typed text in small letters, with single spaces, and letters for suit signs."""
    return " ".join(text.lower().split()).translate(_LETTERS)


def allowed_words(choices: Sequence[Choice], faces: Mapping[Slot, Card], writer: Writer) -> str:
    """Return the possible choices in a few words: cards, numbers, then others, of which the last
    are only counted if there are many; "" for none.

    Args:
        choices: of one seat.
        faces: the cards that it knows, those of its own choices among them.
        writer: writes cards and labels.
    """
    cards = [each for each in choices if each.slot is not None]
    numbers = [each for each in choices if each.numbers and not each.default]
    others = [each for each in choices if each.slot is None and each not in numbers]
    # Again `is not None`, which the type checker does not know from `cards`.
    words = [writer.cards(faces[each.slot] for each in cards if each.slot is not None)]
    # Two numbers are named; from three on the ends tell all.
    if len(numbers) > 2:
        words.append(writer.line(say(numbers[0].label, f" to {numbers[-1].numbers[0]}")))
    else:
        words += [writer.line(each.label) for each in numbers]
    # Cards and numbers come first; others fill what room is left.
    named = others[: _MOST_NAMED - len(words)]
    words += [writer.line(each.label) for each in named]
    words.append(f"and {len(others) - len(named)} more" if len(others) > len(named) else "")
    return ", ".join(each for each in words if each)


def refusal(
    telling: AnyTelling,
    view: View[Any],
    choices: Sequence[Choice],
    tried: Tried,
    writer: Writer,
) -> str:
    """Return the sentence for an impossible choice: the reason, the rule, and the possible choices.

    Args:
        telling: of the game, which gives the reason.
        view: of the seat that tried it, in turn or not.
        choices: the possible ones; empty while others are awaited.
        tried: the card, number or word that it tried.
        writer: writes the sentence.
    """
    # The game gives the reason, from what is legal: the front end knows no rule.
    legal = [each.action for each in choices]
    reason = writer.sentence(telling.refusal(view, legal, tried))
    may = allowed_words(choices, view.faces, writer)
    return f"{reason}. Allowed: {may}." if may else f"{reason}."


def read_attempt(text: str, view: View[Any], telling: AnyTelling) -> Tried | Card:
    """Read `text` as a card of the hand, else as a number, else as a word.

    Returns the card itself if the player does not hold it.
    """
    said = _plain(text)
    # A card first: "10h" begins with a number. "show" and the signs say how it would be played in a
    # hand as text: face down, or with a claim.
    card = read_card(said.removeprefix("show ").strip("~+"))
    if card is not None:
        slot = slot_of(card, view, telling)
        return card if slot is None else Tried(slot=slot)
    # A number may be typed behind its verb, as a label has it: "bid 160", "cut 12".
    number = read_number(said.removeprefix("bid ").removeprefix("cut "))
    return Tried(number=number) if number is not None else Tried(word=said)


def why_none(
    said: str,
    telling: AnyTelling,
    view: View[Any],
    choices: Sequence[Choice],
    writer: Writer,
) -> str:
    """Return the sentence for a typed line that names none of the choices, or several.

    Takes the line `said`, of any length and with any characters, and the arguments of `refusal`.
    The sentence quotes the line as far as it is safe to print.
    """
    may = f"Allowed: {allowed_words(choices, view.faces, writer)}."
    # Enter chooses only where a choice says so.
    if not said.strip():
        return f"Enter alone chooses nothing here. {may}"
    meant = read_attempt(said, view, telling)
    if isinstance(meant, Card):
        return f"{writer.card(meant)} is not in your hand. {may}"
    # Words of the game that are no choice now have a reason; other words have none.
    words = {word for key in telling.keys for word in (key.key, *key.typed)}
    # A number where none can be typed was meant as a place in the list.
    listed_place = meant.number is not None and not any(each.numbers for each in choices)
    if listed_place or (meant.word and meant.word not in words):
        # Cut to half a line and made safe: whatever was pasted.
        shown_text = safe_text(said, cells=40, ascii_only=writer.ascii_only)
        return f"'{shown_text}' is none of your choices. {may}"
    return refusal(telling, view, choices, meant, writer)


def slot_of(card: Card, view: View[Any], telling: AnyTelling) -> Slot | None:
    """Return the slot in which the reader holds this card, or None."""
    return next((each.slot for each in telling.hand(view) if each.card == card), None)


def in_due_order(choices: Iterable[Choice], urgent: Urgent | None) -> tuple[Choice, ...]:
    """Return the choices in the same order. The one that makes the `urgent` claim gets the order
    of cards that is certain to win; without `urgent` nothing changes.
    """
    if urgent is None:
        return tuple(choices)
    # Only the claim that is due, and only if it names an order.
    return tuple(
        each._replace(order=urgent.order) if each.key == urgent.key and each.order else each
        for each in choices
    )


def read_order(
    text: str, choice: Choice, view: View[Any], writer: Writer
) -> tuple[Slot, ...] | str:
    """Return a choice's slots in the order in which `text` names their cards, or a sentence on
    the mistake.
    """
    slots = {view.faces[slot]: slot for slot in choice.order}
    try:
        # Commas are what people write between cards.
        cards = [parse_card(word) for word in text.replace(",", " ").split()]
    # Its sentence names the word that is no card.
    except NotationError as error:
        return str(error)
    # Missing, strange, or the right cards and one of them twice.
    missing = [card for card in slots if card not in cards]
    strange = [card for card in cards if card not in slots]
    if strange or missing or len(cards) != len(slots):
        named = writer.cards(missing or strange or cards)
        why = "missing" if missing else "not yours" if strange else "named twice"
        return f"Name each of your {len(slots)} cards once: {named} is {why}."
    return tuple(slots[card] for card in cards)
