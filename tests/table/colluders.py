"""Four seats that write whatever ledgers they please together, every signature and proof good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.contents import Action, Lane, LedgerName
from protocol.docket import Docket
from protocol.envelope import Purpose, sign
from protocol.errors import ProofError
from protocol.expansion import Secrets
from protocol.ledger import Origin
from protocol.messages import Message, SignedMessage, table_tag
from protocol.occasion import Occasion
from protocol.opening import OpeningCourse
from protocol.phases import Phase
from protocol.playing import HandCourse
from protocol.preparing import PreparingCourse
from protocol.transcript import write_transcript
from tests.table.seating import charter, seeded, signing_key


class Colluders:
    """Writes one ledger after the other; in hands everybody passes, or does what is cheapest."""

    def __init__(self, game: AnyGame, *, texts: Sequence[str] = ("cut 0", "pass")) -> None:
        self.game = game
        self.texts = texts
        self.charter = charter(game.seats, game=game.name)
        self.secrets = [Secrets(seeded(f"collusion {seat}")(32)) for seat in range(game.seats)]
        self.written: list[Docket[Any]] = []

    def file(self) -> bytes:
        return b"".join(write_transcript(self.charter, self.written))

    def opening(self, number: int = 0, after: tuple[bytes, ...] = ()) -> Docket[OpeningCourse]:
        origin = Origin(LedgerName(Lane.TABLE, number), after, Seat(0))
        return self._written(origin, OpeningCourse(self.game.seats))

    def deck(self, number: int, leading: int, after: bytes) -> Docket[PreparingCourse]:
        origin = Origin(LedgerName(Lane.DECK, number), (after,), Seat(leading))
        course = PreparingCourse(self.game.pack, self.game.seats, Seat(leading))
        return self._written(origin, course)

    def hand(
        self,
        deck: Docket[PreparingCourse],
        leading: int,
        scores: tuple[int, ...],
        after: bytes,
        *,
        unsigned: Sequence[int] = (),
    ) -> Docket[HandCourse]:
        number = deck.origin.ledger.number
        links = (after, deck.ledger.head)
        origin = Origin(LedgerName(Lane.HAND, number), links, Seat(leading), scores)
        assert deck.course.deck is not None
        course = HandCourse.start(
            self.game, deal=number, dealer=Seat(leading), scores=scores, deck=deck.course.deck
        )
        return self._written(origin, course, unsigned=unsigned)

    def _written(self, origin: Origin, course: Any, *, unsigned: Sequence[int] = ()) -> Docket[Any]:
        docket: Docket[Any] = Docket.open(self.charter, origin, course)
        while not docket.settled:
            for seat in docket.ledger.missing:
                if docket.course.phase is not Phase.SIGNING or seat not in unsigned:
                    docket = docket.accept(self._said(docket, seat))
            if not docket.complete:
                break
            try:
                docket, _ = docket.close()
            except ProofError:
                break  # what closes it, no honest reader can do either
        self.written.append(docket)
        return docket

    def _said(self, docket: Docket[Any], seat: Seat) -> SignedMessage:
        occasion = docket.occasion(seat)
        if docket.course.phase is Phase.ACTING:
            content: Any = self._action(docket.course, occasion)
        else:
            content = docket.course.contribute(occasion, self.secrets[seat])
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

    def _action(self, course: HandCourse, occasion: Occasion) -> Action:
        seat = occasion.place.seat
        for text in self.texts:
            try:
                return course.decide(self.game.parse_action(text), occasion, self.secrets[seat])
            except GameError:
                continue
        raise AssertionError(f"none of {self.texts} is possible")
