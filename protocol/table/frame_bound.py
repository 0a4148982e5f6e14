"""How large a frame must be that could hold whatever a seat may do at its place.

The size of an action tells how many cards a proof speaks of, and so who did not follow suit. A
frame is therefore as large as the largest action that the public record allows there, whoever sends
it, and whenever again. Everything else that is published has a size that follows from the record
by itself. Source: specs/07-wire.md, 7.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from p2p304.cards import Card, Slot
from p2p304.disclosures import LaidDown, Opened, Remixed
from p2p304.errors import GameError, RulesError
from p2p304.game import AnyGame, Step
from p2p304.seats import Seat
from protocol.cards.commitments import Commitments
from protocol.cards.deck import ProvenShuffle
from protocol.cards.statements import proof_lengths
from protocol.encoding import encode
from protocol.places import Lane
from protocol.proofs.context import MessageContext
from protocol.table.ledger import Origin
from protocol.wire.contents import HASH_BYTES, Action
from protocol.wire.envelope import OVERHEAD_BYTES, Purpose
from protocol.wire.identity import MAX_PAYLOAD_BYTES
from protocol.wire.kinds import kind_of
from protocol.wire.messages import Message, table_tag

UNPLACED: Final = MAX_PAYLOAD_BYTES
"""The room of a message whose place nobody can judge: then it is as large as any."""


def room_of(raw: bytes) -> int:
    """Return the room of an envelope of which no more is known than its bytes."""
    return UNPLACED if raw[1] == Purpose.LEDGER else 0


def largest_action(
    game: AnyGame, state: Any, commitments: Commitments, context: MessageContext
) -> int:
    """Return the bytes of the largest envelope with an action that may stand at `context`."""
    seat, contents = context.place.seat, set[Action]()
    for action in game.largest_actions(state, seat):
        with suppress(RulesError):
            contents.add(as_large(game, state, seat, commitments, action))
    if not contents:
        return 0
    largest = max(contents, key=_length)
    message = Message(table_tag(context.charter), context.place, context.previous, largest)
    return OVERHEAD_BYTES + len(message.to_bytes())


@lru_cache(maxsize=256)
def _length(content: Action) -> int:
    """Return the bytes of an action `as_large`: zeros, of which many hands have the same few."""
    return len(encode(kind_of(content).record.to_value(content)))


@dataclass(frozen=True, slots=True)
class PublicHand:
    """A hand of which nothing is verified again: enough to tell how large its frames were."""

    game: AnyGame
    state: Any
    commitments: Commitments = field(default_factory=Commitments)

    def room(self, context: MessageContext) -> int:
        """Return the room of an action of the open round."""
        return largest_action(self.game, self.state, self.commitments, context)

    def after(self, messages: Iterable[Message]) -> PublicHand:
        """Return the hand after a round with these messages, in seat order.

        Raises RulesError or NotationError where they were never played by these rules.
        """
        state, commitments = self.state, self.commitments
        for message in messages:
            seat = message.place.seat
            if not isinstance(message.content, Action):
                commitments = commitments.paid(seat, self.commitments.due(seat))
                continue
            action = self.game.parse_action(message.content.text)
            step: Step[Any] = self.game.apply(state, seat, action)
            opening = [(e.slot, e.card) for e in step.disclosures if isinstance(e, Opened)]
            commitments = commitments.paid(seat, self.commitments.due(seat, opening))
            context = MessageContext(b"", message.place, message.previous)
            for each in step.disclosures:
                match each:
                    case LaidDown(layer, slot) if layer == seat:
                        commitments = commitments.laid(context, slot, b"")
                    case Opened(slot, card):
                        commitments = commitments.opened(slot, card)
                    case Remixed(mixer, before, _) if mixer == seat:
                        commitments = commitments.dropped(before)
                    case _:
                        pass
            state = step.state
        return replace(self, state=state, commitments=commitments)


class FrameSizes:
    """Follows the messages of one ledger in the order of places, and tells the room of each.

    Nothing is verified: what was followed was judged before, or its sender is believed.
    """

    def __init__(self, game: AnyGame, origin: Origin) -> None:
        """Start at the beginning of the ledger."""
        self._round: list[Message] = []
        self._hand: PublicHand | None = None
        if origin.ledger.lane is Lane.HAND:
            self._hand = PublicHand(game, game.start(origin.leading, origin.scores).state)
        self._ours = True

    def follow(self, message: Message) -> None:
        """Go on to the next message."""
        if self._round and self._round[-1].place.round != message.place.round:
            if self._hand is not None and self._ours:
                try:
                    self._hand = self._hand.after(self._round)
                except GameError:
                    self._ours = False
            self._round = []
        self._round.append(message)

    def room(self, message: Message) -> int:
        """Return the room of a message of the round that was come to.

        It is as large as any where what was followed was never played by these rules.
        """
        if self._hand is None or not isinstance(message.content, Action):
            return 0 if self._ours else UNPLACED
        if not self._ours:
            return UNPLACED
        try:
            return self._hand.room(
                MessageContext(bytes(HASH_BYTES), message.place, message.previous)
            )
        except GameError:
            return UNPLACED


def as_large(
    game: AnyGame, state: Any, seat: Seat, commitments: Commitments, action: Any
) -> Action:
    """Return what `action` publishes, with zeros for all that makes it stand.

    Raises RulesError where the rules forbid it.
    """
    step: Step[Any] = game.apply(state, seat, action)
    laid = 0
    opening: list[tuple[Slot, Card]] = []
    remixes: list[bytes] = []
    for each in step.disclosures:
        match each:
            case LaidDown(layer, _) if layer == seat:
                laid += 1
            case Opened(slot, card):
                opening.append((slot, card))
            case Remixed(mixer, before, _) if mixer == seat:
                remixes.append(bytes(ProvenShuffle.size(len(before))))
            case _:
                pass
    points = {card: game.points_of(card) for card in game.pack} if step.statements else {}
    proofs = proof_lengths(step.statements, pack=game.pack, points=points)
    return Action(
        "0" * len(game.format_action(action)),
        tuple(bytes(each) for each in proofs),
        (bytes(HASH_BYTES),) * laid,
        tuple(remixes),
        (bytes(HASH_BYTES),) * len(commitments.due(seat, opening)),
    )
