"""Our implementation with one thing broken, on purpose: conformance must notice each.

    python -m tests.vectors.breakages NAME serve
    python -m tests.vectors.breakages NAME sit --hands 1

A breakage is planted when the program starts, by putting other functions in the place of ours;
the product knows nothing of it. It says which category of vectors, which check of an audit and
which sitting of a seat must show it; None where a command cannot.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple

from protocol.table.events import Send
from tests.forked import command_of

VALID: Final = "valid"  #: In place of a check: honest files are refused.


class Breakage(NamedTuple):
    """How it is planted, and what must show it."""

    apply: Callable[[], None]
    category: str | None = None
    check: str | None = None
    sitting: str | None = None
    #: The first one that reaches the check, where a small sample has none.
    mutation: int | None = None


def _nothing(*_: Any, **__: Any) -> None:
    return None


# --- what is not looked at ------------------------------------------------------------------------


def _unchecked(*functions: str) -> Callable[[], None]:
    """Have these functions, each told by its module or class and its name, find nothing wrong."""

    def plant() -> None:
        for each in functions:
            place, _, name = each.rpartition(".")
            setattr(resolve_name(place), name, _nothing)

    return plant


_CARDS: Final = "tests.vectors.operations.cards"
_no_shuffle = _unchecked("protocol.cards.deck.verify_shuffle", f"{_CARDS}.verify_shuffle")
_no_shares = _unchecked("protocol.cards.deck.verify_shares", f"{_CARDS}.verify_shares")
_no_key_proof = _unchecked("protocol.cards.keys.verify_keys", f"{_CARDS}.verify_keys")
_no_statements = _unchecked("protocol.table.hand.verify_statements", f"{_CARDS}.verify_statements")
_no_salts = _unchecked(
    "protocol.cards.commitments.Commitments.verify",
    "protocol.cards.commitments.verify_opening",
    "protocol.cards.salted_commitment.verify_opening",
)
_no_signature = _unchecked("protocol.wire.identity.Envelope.verify")


def _any_result() -> None:
    """Whatever a seat says of the result is right."""
    from protocol.table.hand import HandPlay
    from protocol.wire.contents import ResultSignature

    take = HandPlay.take

    def credulous(self: Any, content: Any, occasion: Any) -> Any:
        if isinstance(content, ResultSignature) and self.outcome is not None:
            content = replace(content, scores=tuple(self.outcome.scores))
        return take(self, content, occasion)

    HandPlay.take = credulous  # type: ignore[method-assign]


def _any_range() -> None:
    from protocol.wire import messages, schema

    strict = schema.from_value

    def lenient(kind: schema.FieldType, value: Any) -> Any:
        return int(value) if isinstance(kind, schema.Integer) else strict(kind, value)

    schema.from_value = messages.from_value = lenient  # type: ignore[attr-defined]


def _any_action() -> None:
    """The rules forget that a cut has an upper bound, and a bid a step."""
    from p2p304.rules304 import bidding, dealing

    dealing.deck_size = lambda _: 1000
    bidding.check_four_card_bid = _nothing  # type: ignore[assignment]


def _long_integers() -> None:
    from protocol import encoding
    from protocol.errors import MalformedMessage
    from tests.vectors.operations import messages

    strict = encoding.decode

    def lenient(data: bytes, *, max_bytes: int = encoding.MAX_BYTES) -> Any:
        try:
            return strict(data, max_bytes=max_bytes)
        except MalformedMessage as error:
            place = error.detail.removeprefix("too long at byte ")
            if error.check != "encoding.canonical" or not 0xCC <= data[int(place)] <= 0xD3:
                raise  # it is no integer
            return encoding.msgpack.unpackb(data, use_list=False)

    encoding.decode = messages.decode = lenient


def _scalars_reduced() -> None:
    from protocol.group.scalar import ORDER, Scalar

    def from_bytes(cls: type[Scalar], data: bytes) -> Scalar:
        return cls(int.from_bytes(data, "big") % ORDER)

    Scalar.from_bytes = classmethod(from_bytes)  # type: ignore[method-assign, assignment]


# --- what is computed in another way --------------------------------------------------------------


def _short_luck() -> None:
    """A hash that forgets its last field."""
    from protocol.encoding import digest
    from protocol.table import setups as opening
    from tests.vectors.operations import cards

    def short(label: bytes, *fields: bytes) -> bytes:
        return digest(label, *fields[:-1]) if b"luck-commit" in label else digest(label, *fields)

    opening.digest = cards.digest = short


def _arrival_order() -> None:
    from protocol import labels
    from protocol.encoding import digest
    from protocol.places import Digest
    from protocol.table import replica
    from tests.vectors.operations import cards

    def in_order(previous: bytes, number: int, messages: Any) -> Digest:
        entries = [bytes((each.place.seat,)) + each.id for each in messages][::-1]
        return Digest(digest(labels.LEDGER_ROUND, previous, number.to_bytes(4, "big"), *entries))

    replica.round_digest = cards.round_digest = in_order


def _dearer() -> None:
    from p2p304.rules304 import scoring

    price = scoring.price_of

    def dearer(profile: Any, bid: Any) -> Any:
        made, failed = price(profile, bid)
        return type(price(profile, bid))(made + 1, failed + 1)

    scoring.price_of = dearer


# --- what only a seat can do wrong ----------------------------------------------------------------


def _forgetful() -> None:
    """A journal that keeps nothing: after a restart it signs everything anew, from new secrets."""
    from cli.seat import driver
    from cli.store.journal import Journal
    from protocol.cards.secrets import Secrets

    def fresh(seed: bytes) -> Secrets:
        return Secrets(secrets.token_bytes(32))

    Journal.append = _nothing  # type: ignore[method-assign]
    driver.Secrets = fresh  # type: ignore[attr-defined, assignment, misc]


def _deaf() -> None:
    """Heads are never answered."""
    from protocol.seat import session as hearing

    def unheard(step: Any, _seat: Any, _notice: Any) -> Any:
        return step

    hearing.hear_heads = unheard


def _mute_about_cheats() -> None:
    """What convicts is kept to oneself: no door lets out what another seat has signed."""
    from protocol.seat.session import Session
    from protocol.wire.identity import Envelope

    def own_alone(door: Callable[..., Any]) -> Callable[..., Any]:
        def through(session: Session, *given: Any, **named: Any) -> Any:
            return [
                event
                for event in door(session, *given, **named)
                if not isinstance(event, Send)
                or Envelope.from_bytes(event.envelope).seat == session.seat
            ]

        return through

    for door in ("receive", "act", "tick"):
        setattr(Session, door, own_alone(getattr(Session, door)))


def _wrong_shares() -> None:
    """Its own shares are made for another place."""
    from protocol.table import hand as dealing

    share = dealing.share_cards

    def other(deck: Any, seat: Any, secret: Any, *, context: Any, entropy: Any) -> Any:
        return share(deck, seat, secret, context=context.part(9), entropy=entropy)

    dealing.share_cards = other


def _early() -> None:
    """With shares that are due it signs more of them, for a round that is not open."""
    from protocol.seat.session import Session
    from protocol.wire.contents import DealShares
    from protocol.wire.identity import SigningKey
    from protocol.wire.messages import SignedMessage, open_message

    start, tick = Session.__init__, Session.tick
    keys: dict[int, SigningKey] = {}

    def started(session: Session, **given: Any) -> None:
        keys[id(session)] = given["key"]
        start(session, **given)

    def early(session: Session, sent: Send) -> list[Send]:
        signed = open_message(sent.envelope, session.charter)
        if not isinstance(signed, SignedMessage) or signed.place.seat != session.seat:
            return []
        if not isinstance(signed.content, DealShares):
            return []
        place = signed.place._replace(round=signed.place.round + 3)
        moved = replace(signed, place=place)
        sooner = moved.signed(keys[id(session)], charter=session.charter.digest)
        return [Send(sooner.raw)]

    def eager(session: Session, *, now: float) -> Any:
        events = tick(session, now=now)
        more = [early(session, each) for each in events if isinstance(each, Send)]
        return events + [each for some in more for each in some]

    Session.__init__ = started  # type: ignore[method-assign, assignment]
    Session.tick = eager  # type: ignore[method-assign]


_HAND: Final = "a hand under card304-alpha"

#: Ten faults that each of the three commands must notice.
EVERYWHERE: Final = {
    "shuffles are not verified": Breakage(
        _no_shuffle, "shuffle", "shuffle.equation", "two cards of a shuffle exchanged"
    ),
    "shares are not verified": Breakage(
        _no_shares, "shares", "shares.proof", "shares of two cards exchanged"
    ),
    "keys are taken without proof": Breakage(
        _no_key_proof, "keys", "key.proof", "keys without proof"
    ),
    "statements are not verified": Breakage(
        _no_statements, "opening", "opening.proof", "a card that is not in the slot"
    ),
    "salts are not looked at": Breakage(
        _no_salts, "commitment", "commitment.count", "a salt that nobody asked for"
    ),
    "signatures are not verified": Breakage(
        _no_signature, "envelope", "signature", "noise, and messages signed by another's key"
    ),
    "results are not compared": Breakage(
        _any_result, "evidence", "result.scores", "a better result", 788
    ),
    "luck is not bound": Breakage(_short_luck, "digests", VALID, _HAND),
    "rounds are digested in another order": Breakage(_arrival_order, "digests", VALID, _HAND),
    "hands cost more": Breakage(_dearer, "score", VALID, "a hand under pagat", 444),
}

#: Faults that some of the commands must notice.
SOMEWHERE: Final = {
    "numbers have no range": Breakage(_any_range, "messages", "schema.range"),
    "any cut and any bid": Breakage(_any_action, "rules", "action.rule"),
    "integers may be long": Breakage(_long_integers, "encoding"),
    "scalars are reduced": Breakage(_scalars_reduced, "group"),
    "nothing is journaled": Breakage(_forgetful, sitting="killed during the hand"),
    "heads are not answered": Breakage(_deaf, sitting="heads are answered with what is lacking"),
    "what convicts is not told": Breakage(_mute_about_cheats, sitting="keys without proof"),
    "its own shares are wrong": Breakage(_wrong_shares, sitting="a hand under pagat"),
    "shares are told early": Breakage(_early, sitting=_HAND),
}

BREAKAGES: Final = {**EVERYWHERE, **SOMEWHERE}


def planted(name: str, *arguments: str) -> list[str]:
    """The command of a program with this fault: one that answers, or `sit`, which gets `--hands`
    as well."""
    module = "tests.vectors.breakages"
    if not arguments:
        return command_of(module, name)
    return [sys.executable, "-m", module, name, *arguments]  # it is killed, with what it holds


if __name__ == "__main__":
    from cli.main import main
    from tests.vectors.answers import operations, serve

    operations()
    BREAKAGES[sys.argv[1]].apply()
    if sys.argv[2:]:
        sys.exit(main(["conformance", *sys.argv[2:]]))
    serve(sys.stdin, sys.stdout)
