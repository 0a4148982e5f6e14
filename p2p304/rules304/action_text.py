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

# The bound that the game interface promises to frames; the longest action, a call of caps with
# eight faces, has about sixty.
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
# Without AskPartner: where a seat has several partners it names one, and is written as ask-seat.
_PLAIN: Final = {
    type(action): word for word, action in _WORDS.items() if action != act.AskPartner()
}
# No sign, no leading zero: each number has one text. Four digits are more than any slot or bid has.
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,3}")
# Stricter than `parse_card`, which reads "9c" and "10C", too: each card has one text.
_CARD: Final = re.compile(r"[2-9TJQKA][SHDC]")


#: What a word of a text gives an action: a number, bid or card alone, or a slot with its card.
Said = tuple[Any, ...]


def _number(text: str, position: int) -> Said:
    """Return a word of digits as a tuple of one integer, 0 to 9999 without leading zeros.

    Raises NotationError at `position`, the word's place in the whole text from 0, for another word.
    """
    if not _NUMBER.fullmatch(text):
        # Cut short and escaped, here and below: texts come from strangers, and a terminal shows
        # them.
        raise NotationError(f"{text[:12]!a} is no whole number from 0 to 9999", position)
    return (int(text),)


def _bid(text: str, position: int) -> Said:
    """Return a word as a tuple of one bid: a contract such as "pcc", or a number from 0 to 9999.

    Raises NotationError at `position` for another word. Whether the number may be bid is not asked.
    """
    for contract in Contract:
        if text == contract.value:
            return (contract,)
    if not _NUMBER.fullmatch(text):
        contracts = " or ".join(contract.value for contract in Contract)
        raise NotationError(f"{text[:12]!a} is no bid: a number, {contracts}", position)
    return (int(text),)


def _card(text: str, position: int) -> Said:
    """Return a word such as "9C" as a tuple of one card; raises NotationError at `position`
    otherwise.
    """
    if not _CARD.fullmatch(text):
        raise NotationError(f"{text[:12]!a} is no card; write rank then suit, such as 9C", position)
    return (parse_card(text, position),)


def _face(text: str, position: int) -> Said:
    """Return a word such as "40=9C" as a tuple of slot and card; raises NotationError, at the
    word or at its card, for another word.
    """
    slot, equals, card = text.partition("=")
    if not equals:
        raise NotationError(f"{text[:12]!a} is no slot with a card, such as 40=9C", position)
    return *_number(slot, position), *_card(card, position + len(slot) + 1)


class _Form(NamedTuple):
    """How one kind of action is written after its verb: its class, its arguments, their reader."""

    action: Callable[..., Action]
    one: str  #: The one thing that it says; empty for any number of faces.
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

    At most 400 ASCII characters; slots are numbers, since cards may be closed. Raises TypeError for
    an object that is no action of 304. Source: specs/rules.md, 15.
    """
    kind = type(action)
    word = _PLAIN.get(kind)
    if word is not None:
        return word
    # These three have an argument that may be missing, or that is written as a word.
    match action:
        case act.PlayCard(slot, card, all_trumps):
            return f"play {slot}={card}{' all-trumps' if all_trumps else ''}"
        case act.AskPartner(None):
            return "ask"
        case act.PlaceBid(bid):
            return f"bid {bid_text(bid)}"
    if kind not in _VERB_OF:
        raise TypeError(f"not an action of 304: {kind.__name__}")
    # What it says are its fields, in their order; where it shows faces, one tuple of them.
    verb, said = _VERB_OF[kind], [getattr(action, name) for name in kind.__slots__]
    if _FORMS[verb].one:
        return f"{verb} {'='.join(map(str, said))}"
    return verb + "".join(f" {slot}={card}" for slot, card in said[0])


def parse_action(text: str) -> Action:
    """Return the action that `format_action` writes as `text`.

    Raises NotationError, with the 0-based place in `text`, for any other text: other spacing, the
    empty text, more than 400 characters. Whether the action is legal is not asked.
    """
    if len(text) > LONGEST:
        # At the first character too many.
        raise NotationError(f"an action has at most {LONGEST} characters", LONGEST)
    plain = _WORDS.get(text)
    if plain is not None:
        return plain
    words = [(each.group(), each.start()) for each in re.finditer(r"[^ ]+", text)]
    verb = words[0][0] if words else ""
    # The word alone was found above: here something stands before or after it.
    if verb in _WORDS:
        at = words[1][1] if len(words) > 1 else len(verb)
        raise NotationError(f"{verb!r} stands alone, with nothing before or after it", at)
    # 16 characters in place of 12, as a verb has up to 14 (`show-indicator`).
    if verb not in _FORMS:
        raise NotationError(f"{verb[:16]!a} is no action of 304", 0)
    action = _read(_FORMS[verb], words[1:], len(text))
    # A second spelling of an action (two spaces, "10D") would give one action two signed texts.
    canonical = format_action(action)
    if canonical != text:
        # Where the texts part; at the end of the shorter one where the other only goes on.
        at = next(
            (i for i, (a, b) in enumerate(zip(canonical, text, strict=False)) if a != b),
            min(len(canonical), len(text)),
        )
        raise NotationError(f"the canonical text is {canonical!r}", at)
    return action


def _read(form: _Form, words: list[tuple[str, int]], end: int) -> Action:
    """Return the action of the words behind a verb, written as `form` says; each word comes with
    its place in the text.

    A form takes just one word, or any number of faces; "all-trumps" may follow a card that is
    played. `end` is the length of the text: the place of the error where a word is missing. Raises
    NotationError for a word missing or too many, and for one that it cannot read.
    """
    if not form.one:
        return form.action(tuple(form.read(*word) for word in words))
    # The one word that may follow: the claim of a hand of trumps alone (specs/rules.md 15).
    waiver = form.action is act.PlayCard and [word for word, _ in words[1:]] == ["all-trumps"]
    if len(words) != 1 and not waiver:
        at = words[1][1] if words else end
        raise NotationError(f"exactly one {form.one} is expected here", at)
    return form.action(*form.read(*words[0]), *([True] if waiver else ()))
