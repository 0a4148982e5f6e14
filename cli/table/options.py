"""What a person may choose now, as options in words, and what may be typed to choose one.

Only the game's own legal actions become options; this room words them and reads what is typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from cli.story import SUIT_SIGNS
from cli.ui.choices import KEY_OF
from cli.ui.phrases import phrase
from cli.ui.words import Voice
from p2p304.cards import Card, parse_card
from p2p304.errors import NotationError
from p2p304.game import AnyGame
from p2p304.rules41 import actions as actions41
from p2p304.rules304 import actions
from p2p304.rules304.bids import Contract
from p2p304.rules304.hand import Game304
from p2p304.slots import Slot
from p2p304.view import View

_UNASKED: Final = (
    actions.SortHand,
    actions.Ready,
    actions.OpenCards,
    actions.AnnounceNone,
    actions.AnnounceCut,
    actions.ShowIndicator,
    actions.DenyTrump,
    actions41.SortHand,
)
"""Duties that are done without a question where nothing else is legal. Never a card to play."""


_CLEAR: Final = (
    actions.Pass,
    actions.PlaceBid,
    actions.PlayCard,
    actions.PlayDown,
    actions.ShowCard,
    actions41.PlaceBid,
    actions41.PlayCard,
)
"""Choices that are listed as they are typed: a card, a bid, a word."""
MOST_LISTED: Final = 8
"""Bids and cuts that are listed one by one."""
_LETTERS: Final = str.maketrans({sign: suit.letter.lower() for suit, sign in SUIT_SIGNS.items()})


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to do: the words that choose it, first the one that is shown; what it says, the
    action."""

    words: tuple[str, ...]
    label: str
    action: Any

    @property
    def typed(self) -> str:
        """What a player may type, as it is shown."""
        return self.words[0] or "Enter"

    @property
    def listed(self) -> str:
        """What to type and what it does, where the one does not say the other."""
        return self.label if isinstance(self.action, _CLEAR) else f"{self.typed}: {self.label}"

    @property
    def deed(self) -> str:
        """What it says, with its verb: a card that is played is listed without one."""
        plays = isinstance(self.action, actions.PlayCard | actions.PlayDown | actions41.PlayCard)
        return f"play {self.label}" if plays else self.label


def options_for(
    game: AnyGame, view: View[Any], legal: Sequence[Any], *, ascii_only: bool = False
) -> tuple[Option, ...]:
    """The legal actions of the view's seat as options, in the order in which they are shown."""
    wording = _Wording(game, view.faces, ascii_only=ascii_only)
    order = {card: place for place, card in enumerate(game.pack)}
    ranked = sorted(legal, key=lambda action: _place(action, view.faces, order))
    return tuple(Option(wording.words(action), wording.label(action), action) for action in ranked)


def forced(legal: Sequence[Any]) -> Any | None:
    """The action, if it is the only one and no player would want to be asked for it."""
    return legal[0] if len(legal) == 1 and isinstance(legal[0], _UNASKED) else None


def chosen(text: str, options: Iterable[Option]) -> Option | None:
    """The one option that `text` names; None if it names none or several."""
    said = _plain(text)
    found = [each for each in options if said in map(_plain, each.words)]
    return found[0] if len(found) == 1 else None


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).translate(_LETTERS)


def caps_in_order(text: str, call: actions.CallCaps) -> actions.CallCaps | str:
    """The call of caps with the cards that `text` names, in its order; or why it cannot be.

    `call` is the legal one, which has all cards in the order of their slots.
    """
    slots = {card: slot for slot, card in call.order}
    try:
        cards = [parse_card(word) for word in text.replace(",", " ").split()]
    except NotationError as error:
        return str(error)
    missing = [card for card in slots if card not in cards]
    strange = [card for card in cards if card not in slots]
    if strange or missing or len(cards) != len(slots):
        return (
            f"A call of caps names each of your {len(slots)} cards once:"
            f" {' '.join(map(str, missing or strange or cards))} is"
            f" {'missing' if missing else 'not yours' if strange else 'named twice'}."
        )
    return actions.CallCaps(tuple((slots[card], card) for card in cards))


def _place(action: Any, faces: Mapping[Slot, Card], order: Mapping[Card, int]) -> tuple[int, int]:
    """Where an option is listed: what is said most first, cards in the order of the hand."""
    match action:
        case actions.CallCaps() | actions.CallSpoilt() | actions.DemandRedeal():
            return 2, 0
        case actions.ShowCard(slot):
            return 1, order[faces[slot]]
        case (
            actions.PlayCard(slot)
            | actions.PlayDown(slot)
            | actions.LayIndicator(slot)
            | actions.ShowTrump(slot)
            | actions41.PlayCard(slot)
        ):
            return 0, order[faces[slot]]
        case _:
            return 0, 0  # sorting keeps the rules' own order


class _Wording:
    def __init__(self, game: AnyGame, faces: Mapping[Slot, Card], *, ascii_only: bool) -> None:
        self._game = game
        self._faces = faces
        self._voice = Voice(faces, ascii_only)
        shorthand = game.profile.bid_shorthand if isinstance(game, Game304) else ()
        self._shorthand: dict[int, str] = {meant: str(said) for said, meant in shorthand}

    def label(self, action: Any) -> str:
        match action:
            case actions41.Cut(offset):
                return f"cut at {offset}" if offset else "do not cut"
            case actions41.PlaceBid(tricks):
                return f"bid {tricks}"
            case actions.PlayCard() | actions.PlayDown():  # a list of cards needs no verb
                return phrase(action, self._voice).removeprefix("play ")
            case actions41.PlayCard(slot):
                return self._voice.slot(slot)
            case _ if isinstance(self._game, Game304):
                return phrase(action, self._voice)
            case _:
                return self._game.format_action(action)

    def words(self, action: Any) -> tuple[str, ...]:
        """What may be typed: its short forms, its key on the screen, and what it says."""
        words = self._short(action)
        contract = isinstance(action, actions.PlaceBid) and isinstance(action.bid, Contract)
        key = KEY_OF.get(Contract if contract else type(action))
        return tuple(dict.fromkeys((*words, *((key,) if key else ()), self.label(action))))

    def _short(self, action: Any) -> tuple[str, ...]:
        match action:
            case actions.Cut(0) | actions41.Cut(0):
                return ("", "0", "no", "cut 0")
            case actions.Cut(offset) | actions41.Cut(offset):
                return (f"{offset}", f"cut {offset}")
            case actions.PlaceBid(Contract.PARTNER_CLOSE_CAPS):
                return ("pcc", "bid pcc")
            case actions.PlaceBid(Contract.HALF_COURT):
                return ("half", "half court")
            case actions.PlaceBid(int() as bid):
                short = self._shorthand.get(bid)
                return (f"{bid}", *((short,) if short is not None else ()))
            case actions41.PlaceBid(tricks):
                return (f"{tricks}",)
            case actions.Pass():
                return ("p", "-")
            case actions.AskPartner():
                return ("a", "ask")
            case actions.DemandRedeal():
                return ("redeal",)
            case actions.OpenTrump():
                return ("o", "open")
            case actions.KeepClosed():
                return ("k", "closed", "keep")
            case actions.PlayCard(slot, _, all_trumps):
                return tuple(f"{name}{'+' * all_trumps}" for name in self._typed(slot))
            case actions.PlayDown(slot):
                return (*self._typed(slot), *(f"~{name}" for name in self._typed(slot)))
            case actions41.PlayCard(slot) | actions.LayIndicator(slot) | actions.ShowTrump(slot):
                return self._typed(slot)
            case actions.ShowCard(slot):
                return tuple(f"show {name}" for name in self._typed(slot))
            case actions.Ready():
                return ("", "r", "ready")
            case actions.CallCaps():
                return ("caps",)
            case actions.AcceptCaps():
                return ("accept", "concede")
            case actions.ContestCaps():
                return ("contest",)
            case actions.CallSpoilt():
                return ("spoilt",)
            case _:
                return (self._game.format_action(action).lower(),)

    def _typed(self, slot: Slot) -> tuple[str, ...]:
        name = str(self._faces[slot]).lower()
        return (f"10{name[1]}", name) if name[0] == "t" else (name,)


def listed(options: tuple[Option, ...], width: int) -> Iterator[str]:
    """The options, as many on a line as fit; long runs of numbers as their first and last."""
    shown: list[str] = []
    for numbers, run in groupby(options, key=_is_number):
        alike = list(run)
        if numbers and len(alike) > MOST_LISTED:
            shown.append(f"{alike[0].label} ... {alike[-1].label.split()[-1]}")
        else:
            shown += [each.listed for each in alike]
    line = ""
    for each in shown:
        if line and len(line) + len(each) > width:
            yield line
            line = ""
        line += f"   {each}" if line else f"  {each}"
    yield line


def _is_number(option: Option) -> bool:
    match option.action:
        case actions.Cut(number) | actions41.Cut(number):
            return number > 0
        case actions.PlaceBid(bid):
            return isinstance(bid, int)
        case _:
            return isinstance(option.action, actions41.PlaceBid)
