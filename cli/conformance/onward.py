"""Seats of a table that play on from any point of a file, with their keys: honestly, or lying."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, Final

from cli.conformance.tables import AROUND, HANDS, OwnTable, seeded_entropy, table_of
from cli.conformance.transcript_edits import Draft, DraftRecord, encode_value, sign_body
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
from protocol.table.ledger import LedgerPhase, Origin
from protocol.table.replica import AnyReplica, as_deck, open_ledger
from protocol.wire.charter import Charter
from protocol.wire.contents import Action
from protocol.wire.messages import Message, open_ledger_message, table_tag

# A hand that does not end is a defect, and stops the run.
_LONGEST: Final = 10_000
"""Rounds of a ledger that is played to its end."""

# Actions of all games, right somewhere and wrong here.
ANYWHERE: Final = (
    "pass", "ask", "ask-seat 3", "sort", "closed", "none", "ready", "accept", "contest", "spoilt",
    "no-trump", "double", "caps", "redeal", "bid pcc", "bid half_court", "bid full_court", "bid 5",
    "bid 2", "bid 13", "bid 160", "bid 200", "bid 250", "name 9D", "indicator 0", "indicator 4",
    "cut 3", "cut 32", "marriage", "play 60=2H", "down 40", "open 9C", "count 40=9C", "show 9C",
)  # fmt: skip
"""What is tried at any place."""

_NEAR: Final = (
    # Numbers, suits, ranks and a play face down: near what was said, so that one check fails.
    ("[0-9]+", ["0", "1", "4", "7", "10", "17", "31", "160", "250"]),
    ("[SHDC](?![A-Za-z_])", [*"SHDC"]),
    ("[2-9TJQKA](?=[SHDC])", [*"23456789TJQKA"]),
    ("^play ([0-9]+)=..", [r"down \1"]),
)
"""Parts of what a seat says, and what may stand in their place."""

Choose = Callable[[View[Any], Sequence[Any]], Any]
"""What the seat of a view does, of what the rules allow it."""


class Onward:
    """A ledger that goes on from a point; `records` are what its seats have said since."""

    def __init__(
        self,
        table: OwnTable,
        replica: AnyReplica,
        chance: SeededRandomness,
        spoil: Callable[[Value], Value] = lambda value: value,
        choose: Choose | None = None,
    ) -> None:
        """Begin at a point; `spoil` makes something else of what a seat publishes undecided, and
        `choose` decides, or chance."""
        self.replica: AnyReplica = replica
        self.records: list[DraftRecord] = []
        self.lies: list[str] = []
        """What was said in place of the truth."""
        self._table, self._chance, self._spoil = table, chance, spoil
        self._choose = choose or (lambda _, legal: self._one_of(legal))

    def play(self, rounds: int = _LONGEST, *, liars: int = 0) -> None:
        """Play so many rounds, or until the end, or until what is said convicts; so many seats lie
        in the last one, if as many speak."""
        # What a lie raises ends the ledger: it is written down as it stood.
        with suppress(PeerFault, ProofError, MalformedMessage):
            # `left` counts down, so that only the last round has liars.
            for left in reversed(range(rounds)):
                if self.replica.settled:
                    return
                missing = self.replica.ledger.missing
                # Drawn with repetition: fewer liars than asked for, now and then.
                lying = {self._one_of(missing) for _ in range(0 if left else liars)}
                # All of a round at once, judged on the state at its beginning.
                said = [self._say(seat, lies=seat in lying) for seat in missing]
                # Before they are accepted: what convicts is written down, too.
                self.records += (DraftRecord(b"M", each) for each in said)
                replica = self.replica
                for each in said:
                    replica = replica.accept(open_ledger_message(each, replica.charter))
                self.replica = replica.close()[0]

    def _one_of(self, items: Sequence[Any]) -> Any:
        """Draw one of the items."""
        return items[self._chance.randbelow(len(items))]

    def _say(self, seat: Seat, *, lies: bool) -> bytes:
        """Return the signed envelope of a seat's next message: its action or contribution, made a
        false one if `lies`.
        """
        machine, context = self.replica.machine, self.replica.context(seat)
        tag, at = table_tag(context.charter), (context.place, context.previous)
        # Only there a seat decides something; elsewhere the machine computes what is due.
        if isinstance(machine, HandPlay) and machine.phase is LedgerPhase.ACTING:
            body = Message(tag, *at, self._action(machine, context, lies=lies)).to_bytes()
        else:
            content = machine.contribute(context, self._table.secrets[seat])
            body = Message(tag, *at, content).to_bytes()
            if lies:
                # The content is the last part of a body.
                parts: Any = decode(body)
                self.lies.append("something else")
                # Only the content: with another place or kind the message would be for another
                # check.
                body = encode_value((*parts[:-1], self._spoil(parts[-1])))
        return sign_body(self._table, body, seat, charter=self.replica.charter)

    def _action(self, machine: HandPlay, context: MessageContext, *, lies: bool) -> Action:
        """Return a seat's action with its proofs; a lie is another action, proved if it can be."""
        game, secrets = machine.game, self._table.secrets[context.place.seat]
        view = self._view(machine, context.place.seat)
        legal = game.legal_actions(view)
        _, honest = machine.decide(self._choose(view, legal), context, secrets)
        if not lies:
            return honest
        # Another action, and its proofs for the true one.
        text = self._other(honest.text, [game.format_action(each) for each in legal])
        try:
            _, content = machine.decide(game.parse_action(text), context, secrets)
        except (GameError, LocalError):  # against the rules, or no true statement
            self.lies.append("another action")
            return replace(honest, text=text)
        self.lies.append("another action, proved")
        return content

    def _other(self, text: str, options: Sequence[str]) -> str:
        """Return what a seat may say instead: what else it may, something near it, or anything."""
        # Each alternative of the same weight: legal, of any moment, or a small change.
        part, instead = self._one_of((("^.*$", options), ("^.*$", ANYWHERE), *_NEAR))
        # One place: two changes would hide which check failed.
        return re.sub(part, self._one_of(instead), text, count=1)

    def _view(self, machine: HandPlay, seat: Seat) -> View[Any]:
        """Return what a seat sees, with the cards that its own key reads."""
        secrets = self._table.secrets[seat]
        secret = secrets.hand_secret(machine.deal)
        reading = secrets.entropy_for_reading(machine.deal)
        faces = dict(machine.faces)
        # What this seat can read with its own key, and no more.
        for slot in machine.deck.slots:
            with suppress(ProofError):  # it is not this seat's to read
                faces[slot] = read_card(machine.deck, slot, seat, secret, entropy=reading)
        scores = self.replica.origin.scores
        return View(seat, machine.state, faces, machine.proved, scores)


def begin_hand(
    table: OwnTable,
    charter: Charter,
    leading: Seat,
    chance: SeededRandomness,
    *,
    # None: no hand is played, only what comes before it.
    scores: tuple[int, ...] | None = None,
    choose: Choose | None = None,
) -> list[DraftRecord]:
    """Play a match and its first deck honestly from a charter, and the hand that a seat leads from
    these scores, if there are any; return their records."""
    records = [DraftRecord(b"C", charter.to_bytes())]
    after: tuple[Digest, ...] = ()
    replica: AnyReplica | None = None
    # Lanes in the order in which ledgers follow one another.
    for lane in Lane if scores is not None else (Lane.TABLE, Lane.DECK):
        begins = scores or () if lane is Lane.HAND else ()
        # The luck has no leading seat; a hand is led by its dealer.
        origin = Origin(LedgerName(lane, 0), after, leading if lane else Seat(0), begins)
        ledger = open_ledger(charter, table.game, origin, deck=as_deck(replica))
        onward = Onward(table, ledger, chance, choose=choose)
        onward.play()
        replica = onward.replica
        after = (*after, Digest(replica.ledger.head))
        records.append(DraftRecord(b"L", encode(origin.to_value())))
        records += [*onward.records, DraftRecord(b"E", after[-1])]
    return records


@cache
def saved_hand(name: str) -> bytes:
    """Return the file of a saved hand, or play the one at a table of the registry."""
    # A saved hand of the specification, or one that is made for the registry's tables.
    if name not in AROUND:
        return (HANDS / f"{name}.p304").read_bytes()
    table, draw = table_of(name), seeded_entropy(f"the hand {name}")
    term = table.charter.continues
    # The tables of the registry all go on with a match.
    assert term is not None
    # Drawn with the same entropy as the table, so that the hand is the same for everybody.
    chance = SeededRandomness(int.from_bytes(draw(8), "big"))
    players = [random_player_for(table.game, chance.word()) for _ in table.keys]

    def choose(view: View[Any], _: Sequence[Any]) -> Any:
        """Return the action that the seat's player by chance takes."""
        # The view is of the seat that decides.
        assert view.seat is not None
        return players[view.seat].choose(view)

    dealer, scores = term.dealer, term.scores
    records = begin_hand(table, table.charter, dealer, chance, scores=scores, choose=choose)
    return Draft(tuple(records)).to_bytes()
