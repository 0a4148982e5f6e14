"""Libraries that remember points and good signatures, for seats that share a process.

Those of a table check the same equations with the same points, one after the other, and the same
signatures: a third of the time of such tests goes into what is known. What is remembered are
values of the libraries, below our own code, all of which runs as it does anywhere; `--long`
remembers nothing.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from protocol.group.point import POINT_BYTES, PublicKey
from protocol.wire import identity

#: Points of each sort that are kept, some 20 MB: many tests of a file deal the same cards.
MOST: Final = 50_000

MOST_SIGNATURES: Final = 20_000  #: Messages of which a signature is kept: some 10 MB.

CALLS: Final = ("__init__", "format", "multiply", "from_valid_secret", "combine_keys")
#: The library's own.
PLAIN: Final = MappingProxyType({name: getattr(PublicKey, name) for name in CALLS})


class _Kept(dict[Any, Any]):
    """What was computed last, by what was asked."""

    def keep(self, asked: Any, found: Any) -> Any:
        """Return what was found, and keep it."""
        if len(self) >= MOST:
            self.clear()
        self[asked] = found
        return found


def remember_points() -> None:
    """Let the curve library give again what it gave before: a point that it read, a product, a
    sum, and how a point is written.

    A point of it never changes here, and so one may stand for all equal ones. Whatever a call is
    given is what its answer is kept by; one that is given more than usual is
    not remembered.
    """
    parse, write, times, base, add = PLAIN.values()
    parsed, products, of_secrets, sums = _Kept(), _Kept(), _Kept(), _Kept()

    def init(key: Any, data: Any, *more: Any, **named: Any) -> None:
        alone = type(data) is bytes and not more and not named
        found = parsed.get(data) if alone else None
        if found is not None:
            vars(key).update(found)
            return
        parse(key, data, *more, **named)
        if alone and len(data) == POINT_BYTES:
            key.written = data
            parsed.keep(data, dict(vars(key)))

    def format_(key: Any, compressed: bool = True) -> bytes:
        if not compressed:
            return bytes(write(key, compressed))
        kept = vars(key)
        if "written" not in kept:
            kept["written"] = write(key)
        return bytes(kept["written"])

    def multiply(key: Any, scalar: bytes, *more: Any, **named: Any) -> Any:
        if more or named:
            return times(key, scalar, *more, **named)
        asked = (format_(key), scalar)
        return products.get(asked) or products.keep(asked, times(key, scalar))

    def from_valid_secret(secret: bytes) -> Any:
        return of_secrets.get(secret) or of_secrets.keep(secret, base(secret))

    def combine_keys(keys: list[Any]) -> Any:
        asked = b"".join([format_(each) for each in keys])
        return sums.get(asked) or sums.keep(asked, add(keys))

    made = (init, format_, multiply, staticmethod(from_valid_secret), staticmethod(combine_keys))
    for name, call in zip(CALLS, made, strict=True):
        setattr(PublicKey, name, call)


class _Remembering:
    """A key of the signature library, which looks once at a signature that was good."""

    good: Final[set[tuple[bytes, bytes, bytes]]] = set()

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._key = plain_key.from_public_bytes(data)

    @classmethod
    def from_public_bytes(cls, data: bytes) -> _Remembering:
        return cls(data)

    def verify(self, signature: bytes, data: bytes) -> None:
        asked = (self._data, signature, data)
        if asked not in self.good:
            self._key.verify(signature, data)
            if len(self.good) >= MOST_SIGNATURES:
                self.good.clear()
            self.good.add(asked)


plain_key: Final = identity.Ed25519PublicKey


def remember_signatures() -> None:
    """Let every public key of a peer know a signature again that was good before."""
    identity.Ed25519PublicKey = _Remembering  # type: ignore[assignment,misc]
