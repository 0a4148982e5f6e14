"""Cheats of a seat, one at a time: a message of its own altered and signed again on its way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from protocol.wire.contents import (
    Action,
    Confirmation,
    Content,
    DealShares,
    HandKeys,
    HandOverShares,
    LuckOpening,
    ResultSignature,
    ShuffleStep,
)

# Three points and two points of 33 bytes.
CARD, SHARE = 99, 66
"""Bytes of a masked card, and of a share of one."""


@dataclass(frozen=True, slots=True)
class Cheat:
    """A cheat: how it alters the first message that offers it, and the check that must fail."""

    name: str
    kind: type[Content]
    alter: Callable[[Any], Content]
    check: str
    word: str = ""
    """The first word of the action that it alters."""
    face_down: bool = False
    """Whether its occasion is a card that it lays face down, for which our seats play then."""
    both: bool = False
    """Whether what was altered is told too: two messages for one place, the altered one second,
    and to the program alone."""

    def alter_content(self, content: Content) -> Content | None:
        """Return what it says instead; None where there is no occasion."""
        # The occasion: the first message of its kind, and for actions of its word.
        if not isinstance(content, self.kind):
            return None
        if isinstance(content, Action) and content.text.split(" ")[0] != self.word:
            return None
        return self.alter(content)


def _flip(data: bytes) -> bytes:
    """Return the bytes with their last bit flipped."""
    # One bit of the last byte: the encoding stays right, so that the proof is what fails.
    return data[:-1] + bytes((data[-1] ^ 1,))


def _exchange(data: bytes, size: int) -> bytes:
    """Return the data with its first two parts of this size exchanged."""
    return data[size : 2 * size] + data[:size] + data[2 * size :]


def _other_face(text: str) -> str:
    """Return an action's text that names another card: the seven or eight of spades."""
    # Another card, and always one of the 32 cards: the proof must fail, not the notation.
    return text[:-2] + ("8S" if text.endswith("7S") else "7S")


# In the order in which a hand gives the occasions.
CHEATS: Final = (
    # Zeros have the right length, and were committed to by nobody.
    Cheat("luck that was not committed to", LuckOpening, lambda _: LuckOpening(bytes(32)),
          "luck.opening"),
    # 96 bytes of zeros: a proof of the right length that proves nothing.
    Cheat("keys without proof", HandKeys, lambda c: replace(c, proof=bytes(96)), "key.proof"),
    Cheat("a key with a bad prefix", HandKeys,
          lambda c: replace(c, keys=b"\x05" + c.keys[1:]), "point.prefix"),
    Cheat("two cards of a shuffle exchanged", ShuffleStep,
          lambda c: ShuffleStep(_exchange(c.step, CARD)), "shuffle.equation"),
    Cheat("a card twice in a shuffle", ShuffleStep,
          lambda c: ShuffleStep(c.step[:CARD] * 2 + c.step[2 * CARD :]), "shuffle.equation"),
    # One byte less: refused by its length, before any curve operation (attacks RS1).
    Cheat("a shuffle that is too short", ShuffleStep, lambda c: ShuffleStep(c.step[:-1]),
          "shuffle-proof.length"),
    Cheat("shares of two cards exchanged", DealShares,
          lambda c: replace(c, batch=_exchange(c.batch, SHARE)), "shares.proof"),
    Cheat("a share too many", DealShares,
          lambda c: replace(c, batch=c.batch[:SHARE] + c.batch), "shares.length"),
    Cheat("a salt that nobody asked for", DealShares,
          lambda c: replace(c, salts=(bytes(32),)), "commitment.count"),
    Cheat("no action at all", Action, lambda c: replace(c, text="dance"), "action.notation",
          # "dance" is no action in any game.
          word="pass"),
    # "ready" is a word of the rules at another moment.
    Cheat("an action that the rules forbid", Action, lambda c: replace(c, text="ready"),
          "action.rule", word="pass"),
    Cheat("a sorted hand that is not the hand", Action,
          lambda c: replace(c, remixes=(_exchange(c.remixes[0], CARD),)), "shuffle.equation",
          word="sort"),
    Cheat("a hand that is not sorted", Action, lambda c: replace(c, remixes=()), "remix.count",
          word="sort"),
    Cheat("a card that is not in the slot", Action,
          lambda c: replace(c, text=_other_face(c.text)), "opening.proof", word="play"),
    Cheat("a card without its proof", Action, lambda c: replace(c, proofs=()),
          "statement.count", word="play"),
    Cheat("a face-down card without a commitment", Action, lambda c: replace(c, commitments=()),
          "action.commitments", word="down", face_down=True),
    Cheat("not following suit, the proof broken", Action,
          lambda c: replace(c, proofs=(_flip(c.proofs[0]), *c.proofs[1:])),
          "distinction.proof", word="down", face_down=True),
    Cheat("a hand-over for nobody's eyes", HandOverShares,
          lambda c: replace(c, handovers=(_flip(c.handovers[0]), *c.handovers[1:])),
          "hand-over.proof", face_down=True),
    Cheat("a better result", ResultSignature,
          lambda c: replace(c, scores=(c.scores[0] + 1, *c.scores[1:])), "result.scores"),
    Cheat("a message of another kind", ResultSignature, lambda _: Action("pass"), "turn.kind"),
    # Contradicting messages convict by themselves, whatever they say (attacks CH1).
    Cheat("two messages for one place", Confirmation, lambda _: Confirmation(bytes(32)),
          "ledger.equivocation", both=True),
)  # fmt: skip
