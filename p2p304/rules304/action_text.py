"""The canonical text of actions: one line of ASCII that names slots by number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from p2p304.cards import parse_card
from p2p304.errors import NotationError
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action
from p2p304.rules304.bids import Contract, bid_text

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


Said = tuple[Any, ...]
"""What a word of a text gives an action."""


def _number(text: str, position: int) -> Said:
    if not _NUMBER.fullmatch(text):
        raise NotationError(f"{text[:12]!a} is no whole number from 0 to 9999", position)
    return (int(text),)


def _bid(text: str, position: int) -> Said:
    for contract in Contract:
        if text == contract.value:
            return (contract,)
    if not _NUMBER.fullmatch(text):
        contracts = " or ".join(contract.value for contract in Contract)
        raise NotationError(f"{text[:12]!a} is no bid: a number, {contracts}", position)
    return (int(text),)


def _card(text: str, position: int) -> Said:
    if not _CARD.fullmatch(text):
        raise NotationError(f"{text[:12]!a} is no card; write rank then suit, such as 9C", position)
    return (parse_card(text, position),)


def _face(text: str, position: int) -> Said:
    slot, equals, card = text.partition("=")
    if not equals:
        raise NotationError(f"{text[:12]!a} is no slot with a card, such as 40=9C", position)
    return *_number(slot, position), *_card(card, position + len(slot) + 1)


class _Form(NamedTuple):
    """How an action is written after its verb."""

    action: Callable[..., Action]
    one: str
    """The one thing that it says; empty for any number of faces."""
    read: Callable[[str, int], Said]


_FORMS: Final = {
    "cut": _Form(act.Cut, "offset", _number),
    "ask-seat": _Form(act.AskPartner, "seat", _number),
    "bid": _Form(act.PlaceBid, "bid", _bid),
    "redeal": _Form(act.DemandRedeal, "", _face),
    "indicator": _Form(act.LayIndicator, "slot", _number),
    "name": _Form(act.NameCard, "card", _card),
    "open": _Form(act.OpenTrump, "card", _card),
    "play": _Form(act.PlayCard, "slot with a card", _face),
    "down": _Form(act.PlayDown, "slot", _number),
    "trump": _Form(act.AnnounceCut, "", _face),
    "show-indicator": _Form(act.ShowIndicator, "card", _card),
    "show": _Form(act.ShowCard, "slot with a card", _face),
    "caps": _Form(act.CallCaps, "", _face),
    "marriage": _Form(act.DeclareMarriages, "", _face),
    "one-trump": _Form(act.ShowTrump, "slot with a card", _face),
    "count": _Form(act.OpenCards, "", _face),
    "count-for": _Form(act.OpenHandedOver, "", _face),
}
_VERB_OF: Final[dict[object, str]] = {form.action: verb for verb, form in _FORMS.items()}


def format_action(action: Action) -> str:
    """Return the canonical text of an action, such as "play 40=9C" or "bid 170".

    Raises TypeError for what is no action of 304.
    """
    kind = type(action)
    word = _PLAIN.get(kind)
    if word is not None:
        return word
    match action:
        case act.PlayCard(slot, card, all_trumps):
            return f"play {slot}={card}{' all-trumps' if all_trumps else ''}"
        case act.AskPartner(None):
            return "ask"
        case act.PlaceBid(bid):
            return f"bid {bid_text(bid)}"
    if kind not in _VERB_OF:
        raise TypeError(f"not an action of 304: {kind.__name__}")
    verb, said = _VERB_OF[kind], [getattr(action, name) for name in kind.__slots__]
    if _FORMS[verb].one:
        return f"{verb} {'='.join(map(str, said))}"
    return verb + "".join(f" {slot}={card}" for slot, card in said[0])


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
    if verb in _WORDS:
        at = words[1][1] if len(words) > 1 else len(verb)
        raise NotationError(f"{verb!r} stands alone, with nothing before or after it", at)
    if verb not in _FORMS:
        raise NotationError(f"{verb[:16]!a} is no action of 304", 0)
    action = _read(_FORMS[verb], words[1:], len(text))
    canonical = format_action(action)
    if canonical != text:
        at = next(
            (i for i, (a, b) in enumerate(zip(canonical, text, strict=False)) if a != b),
            min(len(canonical), len(text)),
        )
        raise NotationError(f"the canonical text is {canonical!r}", at)
    return action


def _read(form: _Form, words: list[tuple[str, int]], end: int) -> Action:
    if not form.one:
        return form.action(tuple(form.read(*word) for word in words))
    waiver = form.action is act.PlayCard and [word for word, _ in words[1:]] == ["all-trumps"]
    if len(words) != 1 and not waiver:
        at = words[1][1] if words else end
        raise NotationError(f"exactly one {form.one} is expected here", at)
    return form.action(*form.read(*words[0]), *([True] if waiver else ()))
