"""What a person may choose now, as numbered options, and what may be typed to choose one.

Only the game's own legal actions become options; this room words them and reads what is typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from cli.ui.choices import Choice
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

GRAVE: Final = (actions.CallCaps, actions.CallSpoilt, actions.DemandRedeal)
"""Choices that end or bend a hand: asked twice."""

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


MOST_LISTED: Final = 8
"""Options of a kind that are listed one by one; a hand has no more cards in 304."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to do: the number and the words that choose it, what it says, the action."""

    number: int
    words: tuple[str, ...]
    label: str
    action: Any

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
    return tuple(
        Option(_number(action, index), wording.words(action), wording.label(action), action)
        for index, action in enumerate(ranked, start=1)
    )


def forced(legal: Sequence[Any]) -> Any | None:
    """The action, if it is the only one and no player would want to be asked for it."""
    return legal[0] if len(legal) == 1 and isinstance(legal[0], _UNASKED) else None


def chosen(text: str, options: Iterable[Option]) -> Option | None:
    """The one option that `text` names by number or in words; None if it names none or several."""
    said = " ".join(text.lower().split())
    listed = tuple(options)
    for names in ("words", "number"):
        found = [each for each in listed if _names(each, said, by=names)]
        if len(found) == 1:
            return found[0]
    return None


def is_grave(action: Any, *, always: bool = False) -> bool:
    """Whether a choice is asked once more: what ends or bends a hand or goes alone, and `always`
    everything that cannot be undone."""
    alone = isinstance(action, actions.PlaceBid) and isinstance(action.bid, Contract)
    final = isinstance(action, actions41.PlayCard) or Choice(action, "").irreversible
    return isinstance(action, GRAVE) or alone or (always and final)


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


def _names(option: Option, said: str, *, by: str) -> bool:
    if by == "words":
        return said in option.words
    return said.isascii() and said.isdecimal() and len(said) < 6 and int(said) == option.number


def _number(action: Any, index: int) -> int:
    match action:
        case actions.Cut(offset) | actions41.Cut(offset):
            return offset
        case actions41.PlaceBid(tricks):
            return tricks
        case _:
            return index


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
        match action:
            case actions.Cut(offset) | actions41.Cut(offset):
                return (f"cut {offset}", *(("", "no") if offset == 0 else ()))
            case actions.PlaceBid(Contract.PARTNER_CLOSE_CAPS):
                return ("pcc", "bid pcc")
            case actions.PlaceBid(Contract.HALF_COURT):
                return ("half", "half court", "bid half court")
            case actions.PlaceBid(int() as bid):
                short = self._shorthand.get(bid)
                return (f"{bid}", f"bid {bid}", *((short,) if short is not None else ()))
            case actions41.PlaceBid(tricks):
                return (f"bid {tricks}",)
            case actions.Pass():
                return ("p", "pass", "-")
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
                return ()

    def _typed(self, slot: Slot) -> tuple[str, ...]:
        name = str(self._faces[slot]).lower()
        return (name, f"10{name[1]}") if name[0] == "t" else (name,)


def span(options: tuple[Option, ...]) -> str:
    """The numbers that can be typed: the first and the last of them, or the only one."""
    first, last = options[0].number, options[-1].number
    return f"{first}" if first == last else f"{first}-{last}"


def listed(options: tuple[Option, ...], width: int) -> Iterator[str]:
    """The options, as many on a line as fit; long runs of a kind as their first and last."""
    shown: list[str] = []
    for _, run in groupby(options, key=lambda each: type(each.action)):
        alike = list(run)
        if len(alike) > MOST_LISTED:
            ends = (alike[0], alike[-1])
            shown.append(" ... ".join(f"{each.number} {each.label}" for each in ends))
        else:
            shown += [f"{each.number} {each.label}" for each in alike]
    line = ""
    for each in shown:
        if line and len(line) + len(each) > width:
            yield line
            line = ""
        line += f"   {each}" if line else f"  {each}"
    yield line
