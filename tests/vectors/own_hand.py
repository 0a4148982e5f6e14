"""A hand of masked cards under one seat's keys, for vectors: everything about it is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cli.conformance.operations.cards import ME
from cli.conformance.tables import seeded_entropy
from p2p304.cards import Card, Slot, parse_card
from p2p304.plain_json import statement_json
from p2p304.rules304.pack import CARD_POINTS, PACK
from p2p304.statements import Statement
from protocol.cards.deck import Deck, HiddenCard
from protocol.cards.keys import HandSecret, MaskedCard, draw_hand_secret
from protocol.cards.statements import prove_statements
from protocol.group.constants import card_point, suit_point
from protocol.group.layout import join
from protocol.group.point import add, base_multiply, multiply
from protocol.group.scalar import Scalar, SecretScalar, secret_scalar
from protocol.proofs.context import ProofContext

CONTEXT = ProofContext(
    version=1,
    table=bytes(range(32)),
    ledger=b"\2\0\0\0\0",
    attempt=0,
    round=17,
    seat=2,
    kind="Action",
    history=b"\x11" * 32,
)


def context_json(context: ProofContext) -> dict[str, Any]:
    """A context as the line protocol writes it."""
    return {
        "version": context.version,
        "table": context.table.hex(),
        "ledger": context.ledger.hex(),
        "attempt": context.attempt,
        "round": context.round,
        "seat": context.seat,
        "kind": context.kind,
        "history": context.history.hex(),
    }


def masked(card: Card, secret: HandSecret, mask: Scalar) -> MaskedCard:
    """The card under these keys."""
    keys = secret.keys()
    return MaskedCard(
        base_multiply(mask),
        add(card_point(card), multiply(keys.card, mask)),
        add(suit_point(card.suit), multiply(keys.suit, mask)),
    )


class OwnHand:
    """Cards named in a text such as "9C JS", one a slot, under the keys of one seat."""

    def __init__(
        self, name: str, faces: str, *, secret: HandSecret | None = None, pack: Sequence[Card] = ()
    ) -> None:
        self.draw = seeded_entropy(name)
        self.secret = secret or draw_hand_secret(self.draw)
        self.faces = [parse_card(each) for each in faces.split()]
        self.pack = tuple(pack) or PACK
        self.cards = [masked(card, self.secret, secret_scalar(self.draw)) for card in self.faces]

    def deck(self) -> Deck:
        """The hand as a deck of cards under its own keys alone."""
        slots = {
            Slot(place): HiddenCard(card, frozenset({ME}), ME)
            for place, card in enumerate(self.cards)
        }
        return Deck(self.pack, (self.secret.keys(),), slots, {}, frozenset())

    def proofs(self, *statements: Statement) -> tuple[bytes, ...]:
        """The proofs of an action that states all this."""
        return prove_statements(
            self.deck(),
            ME,
            self.secret,
            statements,
            points=CARD_POINTS,
            context=CONTEXT,
            entropy=self.draw,
        )

    def question(self, *statements: Statement) -> dict[str, Any]:
        """The members of a `statement.verify` that must be accepted."""
        return {
            "context": context_json(CONTEXT),
            "keys": join(self.secret.keys()).hex(),
            "cards": [join(card).hex() for card in self.cards],
            "statements": [statement_json(each) for each in statements],
            "proofs": [proof.hex() for proof in self.proofs(*statements)],
            "pack": [str(card) for card in self.pack],
            "points": [CARD_POINTS[card] for card in self.pack],
        }


def small_secret(card: int, suit: int) -> HandSecret:
    """Keys of small secrets: legal, and foolish."""
    return HandSecret(SecretScalar(card), SecretScalar(suit))
