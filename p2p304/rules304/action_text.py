"""The canonical text of actions: one line of ASCII that names slots by number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from p2p304.cards import Card, parse_card
from p2p304.errors import NotationError
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Face
from p2p304.rules304.bids import Bid, Contract, bid_text
from p2p304.seats import Seat
from p2p304.slots import Slot

LONGEST: Final = 400

_WORDS: Final[dict[str, Action]] = {
    "pass": act.Pass(),
    "ask": act.AskPartner(),
    "sort": act.SortHand(),
    "closed": act.KeepClosed(),
    "none": act.AnnounceNone(),
    "ready": act.Ready(),
    "accept": act.AcceptCaps(),
    "contest": act.ContestCaps(),
    "double": act.CallDouble(),
    "spoilt": act.CallSpoilt(),
    "no-trump": act.DenyTrump(),
}
_PLAIN: Final = {
    type(action): word for word, action in _WORDS.items() if action != act.AskPartner()
}
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,3}")
_CARD: Final = re.compile(r"[2-9TJQKA][SHDC]")


def _faces_text(cards: tuple[Face, ...]) -> str:
    return "".join(f" {slot}={card}" for slot, card in cards)


def format_action(action: Action) -> str:
    """Return the canonical text of an action, such as "play 40=9C" or "bid 170".

    Raises TypeError for what is no action of 304.
    """
    word = _PLAIN.get(type(action))
    if word is not None:
        return word
    match action:
        case act.Cut(offset):
            return f"cut {offset}"
        case act.AskPartner(mate):
            return "ask" if mate is None else f"ask-seat {mate}"
        case act.PlaceBid(bid):
            return f"bid {bid_text(bid)}"
        case act.DemandRedeal(cards):
            return "redeal" + _faces_text(cards)
        case act.LayIndicator(slot):
            return f"indicator {slot}"
        case act.NameCard(card):
            return f"name {card}"
        case act.OpenTrump(card):
            return f"open {card}"
        case act.PlayCard(slot, card, all_trumps):
            return f"play {slot}={card}" + (" all-trumps" if all_trumps else "")
        case act.PlayDown(slot):
            return f"down {slot}"
        case act.AnnounceCut(cards):
            return "trump" + _faces_text(cards)
        case act.ShowIndicator(card):
            return f"show-indicator {card}"
        case act.ShowCard(slot, card):
            return f"show {slot}={card}"
        case act.CallCaps(order):
            return "caps" + _faces_text(order)
        case act.DeclareMarriages(cards):
            return "marriage" + _faces_text(cards)
        case act.ShowTrump(slot, card):
            return f"one-trump {slot}={card}"
        case act.OpenCards(cards):
            return "count" + _faces_text(cards)
        case act.OpenHandedOver(cards):
            return "count-for" + _faces_text(cards)
        case _:
            raise TypeError(f"not an action of 304: {type(action).__name__}")


def _number(text: str, position: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise NotationError(f"{text[:12]!a} is no whole number from 0 to 9999", position)
    return int(text)


def _bid(text: str, position: int) -> Bid:
    for contract in Contract:
        if text == contract.value:
            return contract
    if not _NUMBER.fullmatch(text):
        contracts = " or ".join(contract.value for contract in Contract)
        raise NotationError(f"{text[:12]!a} is no bid: a number, {contracts}", position)
    return int(text)


def _card(text: str, position: int) -> Card:
    if not _CARD.fullmatch(text):
        raise NotationError(f"{text[:12]!a} is no card; write rank then suit, such as 9C", position)
    return parse_card(text, position)


def _face(text: str, position: int) -> Face:
    slot, equals, card = text.partition("=")
    if not equals:
        raise NotationError(f"{text[:12]!a} is no slot with a card, such as 40=9C", position)
    return Slot(_number(slot, position)), _card(card, position + len(slot) + 1)


def _faces(words: list[tuple[str, int]]) -> tuple[Face, ...]:
    return tuple(_face(text, position) for text, position in words)


def _one(words: list[tuple[str, int]], what: str, end: int) -> tuple[str, int]:
    if len(words) != 1:
        raise NotationError(f"exactly one {what} is expected here", words[1][1] if words else end)
    return words[0]


def _play(words: list[tuple[str, int]], end: int) -> Action:
    waiver = len(words) == 2 and words[1][0] == "all-trumps"
    slot, card = _face(*_one(words[:1] if waiver else words, "slot with a card", end))
    return act.PlayCard(slot, card, waiver)


def _parser(verb: str) -> Callable[[list[tuple[str, int]], int], Action] | None:
    table: dict[str, Callable[[list[tuple[str, int]], int], Action]] = {
        "cut": lambda words, end: act.Cut(_number(*_one(words, "offset", end))),
        "ask-seat": lambda words, end: act.AskPartner(Seat(_number(*_one(words, "seat", end)))),
        "bid": lambda words, end: act.PlaceBid(_bid(*_one(words, "bid", end))),
        "redeal": lambda words, _: act.DemandRedeal(_faces(words)),
        "indicator": lambda words, end: act.LayIndicator(Slot(_number(*_one(words, "slot", end)))),
        "name": lambda words, end: act.NameCard(_card(*_one(words, "card", end))),
        "open": lambda words, end: act.OpenTrump(_card(*_one(words, "card", end))),
        "play": _play,
        "down": lambda words, end: act.PlayDown(Slot(_number(*_one(words, "slot", end)))),
        "trump": lambda words, _: act.AnnounceCut(_faces(words)),
        "show-indicator": lambda words, end: act.ShowIndicator(_card(*_one(words, "card", end))),
        "show": lambda words, end: act.ShowCard(*_face(*_one(words, "slot with a card", end))),
        "caps": lambda words, _: act.CallCaps(_faces(words)),
        "marriage": lambda words, _: act.DeclareMarriages(_faces(words)),
        "one-trump": lambda words, end: act.ShowTrump(
            *_face(*_one(words, "slot with a card", end))
        ),
        "count": lambda words, _: act.OpenCards(_faces(words)),
        "count-for": lambda words, _: act.OpenHandedOver(_faces(words)),
    }
    return table.get(verb)


def parse_action(text: str) -> Action:
    """Return the action that canonical text stands for.

    Raises NotationError, with the place in the text, for anything that format_action would not
    have written.
    """
    if len(text) > LONGEST:
        raise NotationError(f"an action has at most {LONGEST} characters", LONGEST)
    plain = _WORDS.get(text)
    if plain is not None:
        return plain
    words = [(each.group(), each.start()) for each in re.finditer(r"[^ ]+", text)]
    verb = words[0][0] if words else ""
    parser = _parser(verb)
    if verb in _WORDS:
        at = words[1][1] if len(words) > 1 else len(verb)
        raise NotationError(f"{verb!r} stands alone, with nothing before or after it", at)
    if parser is None:
        raise NotationError(f"{verb[:16]!a} is no action of 304", 0)
    action = parser(words[1:], len(text))
    canonical = format_action(action)
    if canonical != text:
        at = next(
            (i for i, (a, b) in enumerate(zip(canonical, text, strict=False)) if a != b),
            min(len(canonical), len(text)),
        )
        raise NotationError(f"the canonical text is {canonical!r}", at)
    return action
