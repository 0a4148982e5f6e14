"""Four seats that write whatever ledgers they please together, every signature and proof good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import ProofError
from protocol.places import Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.table.hand import HandPlay
from protocol.table.ledger import LedgerPhase, Origin
from protocol.table.replica import LedgerReplica
from protocol.table.setups import DeckSetup, MatchSetup
from protocol.transcript.file import write_transcript
from protocol.wire.contents import Action
from protocol.wire.envelope import Purpose, sign
from protocol.wire.messages import Message, SignedMessage, table_tag
from tests.table.seating import charter, seeded, signing_key


class Colluders:
    """Writes one ledger after the other; in hands everybody passes, or does what is cheapest."""

    def __init__(self, game: AnyGame, *, texts: Sequence[str] = ("cut 0", "pass")) -> None:
        self.game = game
        self.texts = texts
        self.charter = charter(game.seats, game=game.name)
        self.secrets = [Secrets(seeded(f"collusion {seat}")(32)) for seat in range(game.seats)]
        self.written: list[LedgerReplica[Any]] = []

    def file(self) -> bytes:
        return b"".join(write_transcript(self.charter, self.written))

    def opening(self, number: int = 0, after: tuple[bytes, ...] = ()) -> LedgerReplica[MatchSetup]:
        origin = Origin(LedgerName(Lane.TABLE, number), after, Seat(0))
        return self._written(origin, MatchSetup(self.game.seats))

    def deck(self, number: int, leading: int, after: bytes) -> LedgerReplica[DeckSetup]:
        origin = Origin(LedgerName(Lane.DECK, number), (after,), Seat(leading))
        machine = DeckSetup(self.game.pack, self.game.seats, Seat(leading))
        return self._written(origin, machine)

    def hand(
        self,
        deck: LedgerReplica[DeckSetup],
        leading: int,
        scores: tuple[int, ...],
        after: bytes,
        *,
        unsigned: Sequence[int] = (),
    ) -> LedgerReplica[HandPlay]:
        number = deck.origin.ledger.number
        links = (after, deck.ledger.head)
        origin = Origin(LedgerName(Lane.HAND, number), links, Seat(leading), scores)
        assert deck.machine.deck is not None
        machine = HandPlay.start(
            self.game, deal=number, dealer=Seat(leading), scores=scores, deck=deck.machine.deck
        )
        return self._written(origin, machine, unsigned=unsigned)

    def _written(
        self, origin: Origin, machine: Any, *, unsigned: Sequence[int] = ()
    ) -> LedgerReplica[Any]:
        replica: LedgerReplica[Any] = LedgerReplica.open(self.charter, origin, machine)
        while not replica.settled:
            for seat in replica.ledger.missing:
                if replica.machine.phase is not LedgerPhase.SIGNING or seat not in unsigned:
                    replica = replica.accept(self._said(replica, seat))
            if not replica.complete:
                break
            try:
                replica, _ = replica.close()
            except ProofError:
                break  # what closes it, no honest reader can do either
        self.written.append(replica)
        return replica

    def _said(self, replica: LedgerReplica[Any], seat: Seat) -> SignedMessage:
        occasion = replica.context(seat)
        if replica.machine.phase is LedgerPhase.ACTING:
            content: Any = self._action(replica.machine, occasion)
        else:
            content = replica.machine.contribute(occasion, self.secrets[seat])
        tag = table_tag(self.charter.digest)
        message = Message(tag, occasion.place, occasion.previous, content)
        sealed = sign(
            signing_key(seat),
            message.to_bytes(),
            purpose=Purpose.LEDGER,
            seat=seat,
            charter=self.charter.digest,
        )
        return SignedMessage(message, sealed.to_bytes(), sealed.message_id)

    def _action(self, machine: HandPlay, occasion: MessageContext) -> Action:
        seat = occasion.place.seat
        for text in self.texts:
            try:
                action = self.game.parse_action(text)
                return machine.decide(action, occasion, self.secrets[seat])[1]
            except GameError:
                continue
        raise AssertionError(f"none of {self.texts} is possible")
