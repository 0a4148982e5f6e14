"""Views: what one seat may know, computed from the disclosures and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar, assert_never

from p2p304.cards import Card, Faces, Slot
from p2p304.disclosures import Dealt, Disclosure, HandedOver, LaidDown, Opened, Remixed
from p2p304.seats import Seat
from p2p304.statements import Statement

StateT_co = TypeVar("StateT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class View(Generic[StateT_co]):
    """What `seat` may know: the public state, and the faces disclosed to it or to all.

    `seat` is None for a spectator. `faces` is read-only.
    """

    seat: Seat | None
    state: StateT_co
    faces: Faces
    #: What has been proved of hidden cards in this hand, in order; empty where nobody kept it.
    proved: tuple[Statement, ...] = ()
    #: The match's scores when the hand began, empty for a hand outside a match.
    scores: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Wrap `faces` so that it is read-only."""
        if type(self.faces) is not MappingProxyType:
            # The class is frozen; a mapping that is read-only already is not wrapped once more.
            object.__setattr__(self, "faces", MappingProxyType(self.faces))


class Knowledge(NamedTuple):
    """The faces that one seat has been shown so far.

    `seat` is None for a spectator, who learns what is opened to all and nothing else.
    """

    seat: Seat | None
    faces: Faces = MappingProxyType({})  #: Read-only.

    def after(
        self, disclosures: Iterable[Disclosure], look: Callable[[Slot], Card | None]
    ) -> Knowledge:
        """Return what this seat knows after more disclosures; the same object if they show it no
        face at all.

        Args:
            disclosures: the next ones of the hand, in order; what they grant to other seats is
                skipped.
            look: returns the face of a slot that is granted to this seat alone, or None where the
                caller does not know it, so that it stays unknown. It is not asked for opened cards,
                whose face is in the disclosure.
        """
        gained: dict[Slot, Card] = {}
        for disclosure in disclosures:
            # By far the most frequent, and a pattern costs more than a test.
            if isinstance(disclosure, Opened):
                gained[disclosure.slot] = disclosure.card
                continue
            match disclosure:
                case Dealt(seat, granted) | Remixed(seat, _, granted):
                    reader = seat
                case HandedOver(slot=slot, reader=reader):
                    granted = (slot,)
                case LaidDown():
                    # It shows no face to anybody.
                    continue
                case _:
                    assert_never(disclosure)
            if reader == self.seat:
                for slot in granted:
                    face = look(slot)
                    if face is not None:
                        gained[slot] = face
        # Nothing learned: the same value, so that a caller may compare by identity.
        if not gained:
            return self
        return Knowledge(self.seat, MappingProxyType({**self.faces, **gained}))
