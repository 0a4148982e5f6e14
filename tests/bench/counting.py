"""Counts the operations that the curve library is asked for, from outside of the cryptography.

The methods of the library's class are wrapped while a count is going on and put back afterwards:
the program itself holds nothing for it. What is wrapped is public in both bindings.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar
from unittest.mock import patch

from protocol.errors import LocalError
from protocol.group.point import POINT_BYTES, PublicKey


class OperationCounter:
    """Counts group operations while it is entered: `with OperationCounter() as count: ...`.

    In one thread, one at a time. `sums` counts calls and `summed` their terms; `scalars` are those
    of `multiplications`, as some cost less than others.
    """

    _counting: ClassVar[bool] = False

    def __init__(self, library: type[PublicKey] = PublicKey) -> None:
        self._library = library
        self.multiplications = 0
        self.base_multiplications = 0
        self.sums = 0
        self.summed = 0
        self.negations = 0
        self.decodes = 0
        self.encodes = 0
        self.scalars: list[int] = []
        self._wrapped = ExitStack()

    def __enter__(self) -> OperationCounter:
        """Begin to count; raises `LocalError` while another counter does."""
        if OperationCounter._counting:
            raise LocalError("operations are being counted already")
        OperationCounter._counting = True
        library = self._library
        for name, wrapper in (
            ("__init__", _noting(library.__init__, self._decoded)),
            ("format", _noting(library.format, self._encoded)),
            ("multiply", _noting(library.multiply, self._multiplied)),
            ("from_valid_secret", staticmethod(_noting(library.from_valid_secret, self._based))),
            ("combine_keys", staticmethod(_noting(library.combine_keys, self._summed))),
        ):
            self._wrapped.enter_context(patch.object(library, name, wrapper))
        return self

    def __exit__(self, *_: object) -> None:
        self._wrapped.close()
        OperationCounter._counting = False

    def _decoded(self, _: PublicKey, data: Any, *__: Any) -> None:
        self.decodes += isinstance(data, bytes) and len(data) == POINT_BYTES

    def _encoded(self, _: PublicKey, compressed: bool = True) -> None:
        self.encodes += compressed
        self.negations += not compressed  # nothing else asks for both coordinates

    def _multiplied(self, _: PublicKey, scalar: bytes) -> None:
        self.multiplications += 1
        self.scalars.append(int.from_bytes(scalar, "big"))

    def _based(self, _: bytes) -> None:
        self.base_multiplications += 1

    def _summed(self, keys: list[PublicKey]) -> None:
        self.sums += 1
        self.summed += len(keys)


def _noting(library: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
    """Return a function of the library that notes each call."""

    def called(*arguments: Any, **named: Any) -> Any:
        note(*arguments, **named)
        return library(*arguments, **named)

    return called
