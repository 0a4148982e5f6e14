"""Whole tables in memory, repeatable to the byte: the honest play that conformance starts from.

Every key, seed and nonce follows from the name of the table, so that two runs on two machines write
the same transcripts. Never for play: whoever knows the name knows all secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cli.conformance.tables import Drawn
from p2p304.bots.players import random_player_for
from p2p304.game import AnyGame
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.entropy import Entropy
from protocol.memory_table import MemoryTable
from protocol.places import EPOCH, Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.standing import standing_after
from protocol.table.table import TableState
from protocol.topics.commands import EndUnfinished
from protocol.transcript.file import hand_transcript, setup_of, write_transcript
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.messages import sign_ruling
from protocol.wire.terms import Term

Choose = Callable[[Session, tuple[Any, ...]], Any]
"""What a seat does, from its session and the actions that the rules allow it; None is what its
player would do."""


class Rehearsal(MemoryTable):
    """A table whose seats hear each other at once and choose by seed.

    `choose` may take over the decisions of a seat; None leaves them to a random player.
    """

    def __init__(
        self,
        name: str,
        game: str = "304",
        agreement: str = "pagat",
        *,
        choose: dict[int, Choose] | None = None,
        before: Rehearsal | None = None,
        present: tuple[Seat, ...] = (),
        refereed: bool = False,
    ) -> None:
        """Set up the table called `name`, before anybody has confirmed its charter.

        It may go on with the match of a table `before`, with those `present` under their keys; the
        first of them seats bots in the other seats. A refereed one is a match of a tournament.
        """
        self.name = name
        profile = full_agreement(game, agreement)
        self.game: AnyGame = agreed_game(game, profile)
        drawn = Drawn(name, self.game.seats)
        self.table_key, self.table = drawn.table_key, drawn.table
        self.keys, self.nonces, self.secrets = drawn.keys, drawn.nonces, drawn.secrets
        self.referee = drawn.referee
        terms: tuple[Term, ...] = drawn.refereed if refereed else ()
        if before is not None:
            for seat in present:
                self.keys[seat] = before.keys[seat]
            terms = before.going_on(present)
        self.charter = drawn.charter(game, profile, terms)
        sessions = [
            Session(
                charter=self.charter,
                game=self.game,
                seat=Seat(seat),
                key=key,
                secrets=secrets,
            )
            for seat, (key, secrets) in enumerate(zip(self.keys, self.secrets, strict=True))
        ]
        super().__init__(sessions)
        self._choose = choose or {}
        self._players = [self._player(drawn.draw) for _ in self.keys]

    def _player(self, draw: Entropy) -> Any:
        seed = int.from_bytes(draw(8), "big")
        return random_player_for(self.game, seed)

    def going_on(self, present: tuple[Seat, ...]) -> tuple[Term, ...]:
        """Return the terms of a charter by which those present go on after the first hand, or after
        the one that follows a ruling on it."""
        hand = self.table_state.hand_of(EPOCH) or self.table_state.hand_of(0)
        assert hand is not None
        standing = standing_after(hand, self.game, self.sessions[0].agreed_end())
        assert standing is not None
        others = (Seat(each) for each in range(self.game.seats) if each not in present)
        bots = tuple((seat, present[0]) for seat in others)
        return standing.terms(standing.going_on(present)._replace(bots=bots))

    @property
    def table_state(self) -> TableState:
        """What is public, as the first seat has it."""
        return self.sessions[0].table_state

    def rule(self, hand: int, rounds: int, verdict: RulingVerdict, against: int = 0) -> bytes:
        """Play until so many rounds of a hand are closed; then the referee rules, and all hear it.

        Returns the ruling's envelope.
        """
        while (open_hand := self.table_state.hand_of(hand)) is None or (
            len(open_hand.ledger.rounds) < rounds
        ):
            self.advance()
        self.deliver_all()
        ruling = self.ruled(hand, rounds, verdict, against)
        for seat in range(self.game.seats):
            self.call(seat, lambda session: session.receive(ruling, now=self.now))
        self.deliver_all()
        return ruling

    def ruled(self, hand: int, rounds: int, verdict: RulingVerdict, against: int = 0) -> bytes:
        """Return what the referee signs of a point that the first seat has come to."""
        found = self.table_state.hand_of(hand)
        assert found is not None
        head = bytes(found.ledger.digest_after(rounds))
        content = Ruling(hand, rounds, head, int(verdict), against, "")
        return sign_ruling(self.charter, content, self.referee).raw

    def end_unfinished(self, rounds: int, present: tuple[Seat, ...]) -> Rehearsal:
        """Play until so many rounds of the first hand are closed; then those present end it."""
        while (hand := self.table_state.hand) is None or len(hand.ledger.rounds) < rounds:
            self.advance()
        self.deliver_all()  # who agrees before all of it has come agrees to an earlier end
        for seat in present:
            self.act(seat, EndUnfinished(present))
        self.deliver_all()
        return self

    def next_action(self, seat: int) -> Any:
        """See MemoryTable.chosen."""
        session = self.sessions[seat]
        legal = session.legal_actions()
        if not legal:
            return None
        choose = self._choose.get(seat)
        chosen = None if choose is None else choose(session, legal)
        if chosen is not None:
            return chosen
        return self._players[seat].choose(session.view())

    def transcript(self, hand: int = 0) -> bytes:
        """Return the transcript of one hand, as every seat writes it."""
        return hand_transcript(self.table_state, hand, self.sessions[0].agreed_end())

    def match_transcript(self, hands: Iterable[int]) -> bytes:
        """Return the transcript of several hands of one match, deck before hand."""
        wanted = list(hands)
        names = [setup_of(self.table_state, wanted[0])]
        for number in wanted:
            names += [LedgerName(Lane.DECK, number), LedgerName(Lane.HAND, number)]
        replicas = [self.table_state.replicas[name] for name in names]
        return b"".join(write_transcript(self.charter, replicas))


def always(*texts: str) -> Choose:
    """Take the first legal action whose text begins with one of these words, else the first."""

    def choose(session: Session, legal: tuple[Any, ...]) -> Any:
        written = [(session.game.format_action(each), each) for each in legal]
        for text in texts:
            for said, action in written:
                if said == text or said.startswith(text + " "):
                    return action
        return legal[0]

    return choose


def rather(*texts: str) -> Choose:
    """Take each of these once, as soon as it is legal: the first action whose text begins so."""
    left = list(texts)

    def choose(session: Session, legal: tuple[Any, ...]) -> Any:
        written = [(session.game.format_action(each), each) for each in legal]
        for text in left:
            for said, action in written:
                if said == text or said.startswith(text + " "):
                    left.remove(text)
                    return action
        return None

    return choose
