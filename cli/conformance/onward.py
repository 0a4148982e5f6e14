"""Seats of a table that play on from any point of a file, with their keys: honestly, or lying."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, Final

from cli.conformance.tables import AROUND, HANDS, OwnTable, seeded, table_of
from cli.conformance.transcript_edits import Draft, DraftRecord, encoded, signed
from p2p304.bots.players import random_player_for
from p2p304.errors import GameError
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.view import View
from protocol.cards.reading import read_card
from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage, PeerFault, ProofError
from protocol.places import Digest, Lane, LedgerName
from protocol.proofs.context import MessageContext
from protocol.table.hand import HandPlay
from protocol.table.ledger import Origin
from protocol.table.replica import AnyReplica, as_deck, open_ledger
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, Content
from protocol.wire.messages import Message, open_ledger_message, table_tag

_LONGEST: Final = 10_000
"""Rounds of a ledger that is played to its end."""

ANYWHERE: Final = (
    "pass", "ask", "ask-seat 3", "sort", "closed", "none", "ready", "accept", "contest", "spoilt",
    "no-trump", "double", "caps", "redeal", "bid pcc", "bid half_court", "bid full_court", "bid 5",
    "bid 2", "bid 13", "bid 160", "bid 200", "bid 250", "name 9D", "indicator 0", "indicator 4",
    "cut 3", "cut 32", "marriage", "play 60=2H", "down 40", "open 9C", "count 40=9C", "show 9C",
)  # fmt: skip
"""What is tried at any place."""


def other_text(text: str, options: list[str], chance: SeededRandomness) -> str:
    """Return what a seat may say instead: what else it may, something near it, or anything."""
    match chance.randbelow(6):
        case 0:
            return ANYWHERE[chance.randbelow(len(ANYWHERE))]
        case 1:
            step = (1, -1, 2, -2, 5, 10, -10)[chance.randbelow(7)]
            return re.sub("[0-9]+", lambda n: str(max(0, int(n[0]) + step)), text, count=1)
        case 2:
            return re.sub("[SHDC](?![A-Za-z_])", "SHDC"[chance.randbelow(4)], text, count=1)
        case 3:
            return re.sub("[2-9TJQKA](?=[SHDC])", "23456789TJQKA"[chance.randbelow(13)], text)
        case 4:
            return re.sub(r"^play ([0-9]+)=..", r"down \1", text)
        case _:
            return options[chance.randbelow(len(options))]


Choose = Callable[[View[Any], Sequence[Any]], Any]
"""What the seat of a view does, of what the rules allow it."""


class Onward:
    """A ledger that goes on from a point; `records` are what its seats have said since."""

    def __init__(
        self,
        table: OwnTable,
        replica: AnyReplica,
        chance: SeededRandomness,
        spoil: Callable[[Value], Value],
        choose: Choose | None = None,
    ) -> None:
        """Begin at a point; `spoil` makes something else of what a seat publishes undecided, and
        `choose` decides, or chance."""
        self.replica: AnyReplica = replica
        self.records: list[DraftRecord] = []
        self.lies: list[str] = []
        """What was said in place of the truth."""
        self._table, self._chance, self._spoil = table, chance, spoil
        self._choose = choose or self._any

    def play(self, rounds: int, *, liars: int) -> None:
        """Play so many rounds, or until the end; so many seats lie in the last one, if as many
        speak."""
        for left in reversed(range(rounds)):
            if self.replica.settled or not self._round(0 if left else liars):
                return

    def _round(self, liars: int) -> bool:
        """Tell whether the round was closed: nobody said what convicts it."""
        missing = list(self.replica.ledger.missing)
        lying = {missing[self._chance.randbelow(len(missing))] for _ in range(liars)}
        said = [self._said(seat, lies=seat in lying) for seat in missing]
        self.records += (DraftRecord(b"M", each) for each in said)
        replica = self.replica
        try:
            for each in said:
                replica = replica.accept(open_ledger_message(each, replica.charter))
            self.replica = replica.close()[0]
        except (PeerFault, ProofError, MalformedMessage):
            return False
        return True

    def _said(self, seat: Seat, *, lies: bool) -> bytes:
        machine, context = self.replica.machine, self.replica.context(seat)
        acts = isinstance(machine, HandPlay) and machine.needs_decision
        content: Content = (
            self._action(machine, context, lies=lies)
            if isinstance(machine, HandPlay) and acts
            else machine.contribute(context, self._table.secrets[seat])
        )
        message = Message(table_tag(context.charter), context.place, context.previous, content)
        body = message.to_bytes()
        if lies and not acts:
            parts: Any = decode(body)
            *head, value = parts
            self.lies.append("something else")
            body = encoded((*head, self._spoil(value)))
        return signed(self._table, body, seat, charter=self.replica.charter)

    def _action(self, machine: HandPlay, context: MessageContext, *, lies: bool) -> Action:
        game, secrets = machine.game, self._table.secrets[context.place.seat]
        view = self._view(machine, context.place.seat)
        legal = game.legal_actions(view)
        action = self._choose(view, legal)
        _, honest = machine.decide(action, context, secrets)
        if not lies:
            return honest
        texts = [game.format_action(each) for each in legal]
        text = other_text(honest.text, texts, self._chance)
        try:
            _, content = machine.decide(game.parse_action(text), context, secrets)
        except (GameError, LocalError):  # against the rules, or no true statement
            self.lies.append("another action")
            return replace(honest, text=text)
        self.lies.append("another action, proved")
        return content

    def _any(self, _: View[Any], legal: Sequence[Any]) -> Any:
        return legal[self._chance.randbelow(len(legal))]

    def _view(self, machine: HandPlay, seat: Seat) -> View[Any]:
        secrets = self._table.secrets[seat]
        faces = dict(machine.faces)
        secret = secrets.hand_secret(machine.deal)
        reading = secrets.entropy_for_reading(machine.deal)
        for slot in machine.deck.slots:
            with suppress(ProofError):  # it is not this seat's to read
                faces[slot] = read_card(machine.deck, slot, seat, secret, entropy=reading)
        scores = self.replica.origin.scores
        return View(seat, machine.state, faces, machine.proved, scores)


class Begun:
    """A match and its first deck, played honestly from a charter; and its hand, if it is wanted."""

    def __init__(
        self, table: OwnTable, charter: Charter, leading: Seat, chance: SeededRandomness
    ) -> None:
        """Play what comes before a hand that this seat deals."""
        self._table, self._charter, self._chance = table, charter, chance
        self.records = [DraftRecord(b"C", charter.to_bytes())]
        self.heads: tuple[Digest, ...] = ()
        """What the hand continues."""
        self._play(Origin(LedgerName(Lane.TABLE, 0), (), Seat(0)))
        self._deck = self._play(Origin(LedgerName(Lane.DECK, 0), self.heads, leading))

    def hand(self, scores: tuple[int, ...], choose: Choose) -> None:
        """Play a hand that begins at these scores."""
        leading = self._deck.origin.leading
        self._play(Origin(LedgerName(Lane.HAND, 0), self.heads, leading, scores), choose)

    def _play(self, origin: Origin, choose: Choose | None = None) -> AnyReplica:
        deck = as_deck(self._deck) if origin.ledger.lane is Lane.HAND else None
        ledger = open_ledger(self._charter, self._table.game, origin, deck=deck)
        onward = Onward(self._table, ledger, self._chance, lambda value: value, choose)
        onward.play(_LONGEST, liars=0)
        self.heads = (*self.heads, Digest(onward.replica.ledger.head))
        self.records.append(DraftRecord(b"L", encode(origin.to_value())))
        self.records += [*onward.records, DraftRecord(b"E", self.heads[-1])]
        return onward.replica


@cache
def kept(name: str) -> bytes:
    """Return the file of a saved hand, or play the one at a table of the registry."""
    if name not in AROUND:
        return (HANDS / f"{name}.p304").read_bytes()
    table, draw = table_of(name), seeded(f"the hand {name}")
    term = table.charter.continues
    assert term is not None
    chance = SeededRandomness(int.from_bytes(draw(8), "big"))
    players = [random_player_for(table.game, chance.word()) for _ in table.keys]

    def choose(view: View[Any], _: Sequence[Any]) -> Any:
        assert view.seat is not None
        return players[view.seat].choose(view)

    begun = Begun(table, table.charter, term.dealer, chance)
    begun.hand(term.scores, choose)
    return Draft(tuple(begun.records)).to_bytes()
