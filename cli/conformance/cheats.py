"""Cheats of a seat, one at a time: a message of its own altered and signed again on its way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from protocol.wire import contents
from protocol.wire.contents import Action, Content

Alter = Callable[[Content], Content | None]


@dataclass(frozen=True, slots=True)
class Cheat:
    """A cheat: how it alters the first message that offers it, and the check that must fail."""

    name: str
    alter: Alter
    check: str
    face_down: bool = False
    """Whether its occasion is a card that it lays face down, for which our seats play then."""
    both: bool = False
    """Whether what was altered is told too: two messages for one place, the altered one second,
    and to the program alone."""


def flipped(data: bytes, place: int = -1) -> bytes:
    """Return the data with the lowest bit of one byte changed."""
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


def _confirmation(content: Content) -> Content | None:
    return contents.Confirmation(bytes(32)) if isinstance(content, contents.Confirmation) else None


def _luck(content: Content) -> Content | None:
    return contents.LuckOpening(bytes(32)) if isinstance(content, contents.LuckOpening) else None


def _keys(content: Content) -> Content | None:
    if isinstance(content, contents.HandKeys):
        return replace(content, proof=bytes(96))
    return None


def _key_prefix(content: Content) -> Content | None:
    if isinstance(content, contents.HandKeys):
        return replace(content, keys=b"\x05" + content.keys[1:])
    return None


def _shuffle(content: Content) -> Content | None:
    if isinstance(content, contents.ShuffleStep):
        step = content.step
        return contents.ShuffleStep(step[99:198] + step[:99] + step[198:])
    return None


def _card_twice(content: Content) -> Content | None:
    if isinstance(content, contents.ShuffleStep):
        step = content.step
        return contents.ShuffleStep(step[:99] * 2 + step[198:])
    return None


def _short_shuffle(content: Content) -> Content | None:
    if isinstance(content, contents.ShuffleStep):
        return contents.ShuffleStep(content.step[:-1])
    return None


def _shares(content: Content) -> Content | None:
    if isinstance(content, contents.DealShares):
        batch = content.batch
        return replace(content, batch=batch[66:132] + batch[:66] + batch[132:])
    return None


def _share_too_many(content: Content) -> Content | None:
    if isinstance(content, contents.DealShares):
        return replace(content, batch=content.batch[:66] + content.batch)
    return None


def _salt(content: Content) -> Content | None:
    if isinstance(content, contents.DealShares):
        return replace(content, salts=(bytes(32),))
    return None


def _action(word: str, change: Callable[[Action], Content | None]) -> Alter:
    def alter(content: Content) -> Content | None:
        if isinstance(content, Action) and content.text.split(" ")[0] == word:
            return change(content)
        return None

    return alter


def _another_card(action: Action) -> Content | None:
    other = "7S" if not action.text.endswith("7S") else "8S"
    return replace(action, text=action.text[:-2] + other)


def _handover(content: Content) -> Content | None:
    if isinstance(content, contents.HandOverShares):
        first, *rest = content.handovers
        return replace(content, handovers=(flipped(first), *rest))
    return None


def _result(content: Content) -> Content | None:
    if isinstance(content, contents.ResultSignature):
        return replace(content, scores=(content.scores[0] + 1, *content.scores[1:]))
    return None


def _other_kind(content: Content) -> Content | None:
    return Action("pass") if isinstance(content, contents.ResultSignature) else None


def _mixed(action: Action) -> Content | None:
    remix = action.remixes[0]
    return replace(action, remixes=(remix[99:198] + remix[:99] + remix[198:],))


CHEATS: Final = (
    Cheat("luck that was not committed to", _luck, "luck.opening"),
    Cheat("keys without proof", _keys, "key.proof"),
    Cheat("a key with a bad prefix", _key_prefix, "point.prefix"),
    Cheat("two cards of a shuffle exchanged", _shuffle, "shuffle.equation"),
    Cheat("a card twice in a shuffle", _card_twice, "shuffle.equation"),
    Cheat("a shuffle that is too short", _short_shuffle, "shuffle-proof.length"),
    Cheat("shares of two cards exchanged", _shares, "shares.proof"),
    Cheat("a share too many", _share_too_many, "shares.length"),
    Cheat("a salt that nobody asked for", _salt, "commitment.count"),
    Cheat("no action at all", _action("pass", lambda a: replace(a, text="dance")),
          "action.notation"),
    Cheat("an action that the rules forbid", _action("pass", lambda a: replace(a, text="ready")),
          "action.rule"),
    Cheat("a sorted hand that is not the hand", _action("sort", _mixed), "shuffle.equation"),
    Cheat("a hand that is not sorted", _action("sort", lambda a: replace(a, remixes=())),
          "remix.count"),
    Cheat("a card that is not in the slot", _action("play", _another_card), "opening.proof"),
    Cheat("a card without its proof", _action("play", lambda a: replace(a, proofs=())),
          "statement.count"),
    Cheat("a face-down card without a commitment",
          _action("down", lambda a: replace(a, commitments=())), "action.commitments",
          face_down=True),
    Cheat("not following suit, the proof broken", _action("down", lambda a: replace(
          a, proofs=(flipped(a.proofs[0]), *a.proofs[1:]))), "distinction.proof",
          face_down=True),
    Cheat("a hand-over for nobody's eyes", _handover, "hand-over.proof", face_down=True),
    Cheat("a better result", _result, "result.scores"),
    Cheat("a message of another kind", _other_kind, "turn.kind"),
    Cheat("two messages for one place", _confirmation, "ledger.equivocation", both=True),
)  # fmt: skip
