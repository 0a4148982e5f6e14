"""Our implementation with one thing broken, behind the line protocol.

    python -m tests.vectors.broken_program NAME

Each fault is of a sort that programs have. Conformance must notice every one of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from cli.conformance.ours import serve


class Breakage(NamedTuple):
    """What is broken, which category of vectors and which check of an audit must show it."""

    apply: Callable[[], None]
    category: str
    check: str | None


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _no_shuffle() -> None:
    from cli.conformance.operations import cards
    from protocol import deck

    deck.verify_shuffle = cards.verify_shuffle = _nothing  # type: ignore[assignment]


def _no_shares() -> None:
    from cli.conformance.operations import cards
    from protocol import deck

    deck.verify_shares = cards.verify_shares = _nothing  # type: ignore[assignment]


def _no_key_proof() -> None:
    from cli.conformance.operations import cards
    from protocol import masking

    masking.verify_keys = cards.verify_keys = _nothing  # type: ignore[assignment]


def _no_luck() -> None:
    """A hash that forgets its second field."""
    from cli.conformance.operations import hashes
    from protocol import opening
    from protocol.digest import digest

    def short(label: bytes, *fields: bytes) -> bytes:
        return digest(label, *fields[:-1]) if b"luck-commit" in label else digest(label, *fields)

    opening.digest = hashes.digest = short


def _long_integers() -> None:
    from protocol import encoding

    encoding._UNSIGNED = {first: (size, 0) for first, (size, _) in encoding._UNSIGNED.items()}  # type: ignore[misc]
    encoding.msgpack = _Lenient(encoding.msgpack)


class _Lenient:
    """A library whose re-encoding always agrees."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._last = b""

    def unpackb(self, data: bytes, **how: Any) -> Any:
        self._last = data
        return self._library.unpackb(data, **how)

    def packb(self, value: Any, **how: Any) -> bytes:
        last, self._last = self._last, b""
        return last or bytes(self._library.packb(value, **how))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


def _no_signature() -> None:
    from protocol.envelope import Envelope

    Envelope.verify = _nothing  # type: ignore[method-assign, assignment]


def _any_range() -> None:
    from protocol.schema import Integer

    def from_value(self: Integer, value: Any) -> int:
        return int(value)

    Integer.from_value = from_value  # type: ignore[method-assign, assignment]


def _arrival_order() -> None:
    from cli.conformance.operations import hashes
    from protocol import labels, ledger
    from protocol.contents import Digest
    from protocol.digest import digest

    def in_order(previous: bytes, number: int, messages: Any) -> Digest:
        entries = [bytes((each.place.seat,)) + each.id for each in messages][::-1]
        return Digest(digest(labels.LEDGER_ROUND, previous, number.to_bytes(4, "big"), *entries))

    ledger.round_digest = hashes.round_digest = in_order


def _no_commitment() -> None:
    from cli.conformance.operations import hashes
    from protocol import commitments

    commitments.verify_opening = _nothing  # type: ignore[assignment]
    hashes.commitment.verify_opening = _nothing  # type: ignore[assignment]


def _any_action() -> None:
    """The rules forget that a cut has an upper bound, and a bid a step."""
    from p2p304.rules304 import bidding, dealing

    dealing.SIZE = 1000  # type: ignore[misc]
    bidding.check_four_card_bid = _nothing  # type: ignore[assignment]


def _score_off() -> None:
    from cli.conformance.operations import games
    from p2p304.rules304 import scoring, settle

    price = scoring.price_of

    def dearer(profile: Any, bid: Any) -> Any:
        made, failed = price(profile, bid)
        return type(price(profile, bid))(made + 1, failed + 1)

    scoring.price_of = dearer
    assert games
    assert settle


def _scalars_reduced() -> None:
    from protocol.scalar import ORDER, Scalar

    def from_bytes(cls: type[Scalar], data: bytes) -> Scalar:
        return cls(int.from_bytes(data, "big") % ORDER)

    Scalar.from_bytes = classmethod(from_bytes)  # type: ignore[method-assign, assignment]


BREAKAGES = {
    "shuffles are not verified": Breakage(_no_shuffle, "shuffle", "shuffle.equation"),
    "shares are not verified": Breakage(_no_shares, "shares", "shares.proof"),
    "keys are taken without proof": Breakage(_no_key_proof, "keys", "key.proof"),
    "luck is not bound": Breakage(_no_luck, "digests", "valid"),
    "integers may be long": Breakage(_long_integers, "encoding", None),
    "signatures are not verified": Breakage(_no_signature, "envelope", "signature"),
    "numbers have no range": Breakage(_any_range, "messages", "schema.range"),
    "rounds are digested in another order": Breakage(_arrival_order, "digests", "valid"),
    "salts are not looked at": Breakage(_no_commitment, "commitment", None),
    "any cut and any bid": Breakage(_any_action, "rules", "action.rule"),
    "hands cost more": Breakage(_score_off, "score", None),
    "scalars are reduced": Breakage(_scalars_reduced, "group", None),
}


if __name__ == "__main__":
    from cli.conformance.ours import operations

    operations()
    BREAKAGES[sys.argv[1]].apply()
    serve(sys.stdin, sys.stdout)
