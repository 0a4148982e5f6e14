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
            ("__init__", self._decoding(library.__init__)),
            ("format", self._encoding(library.format)),
            ("multiply", self._multiplying(library.multiply)),
            ("from_valid_secret", staticmethod(self._base_multiplying(library.from_valid_secret))),
            ("combine_keys", staticmethod(self._summing(library.combine_keys))),
        ):
            self._wrapped.enter_context(patch.object(library, name, wrapper))
        return self

    def __exit__(self, *_: object) -> None:
        self._wrapped.close()
        OperationCounter._counting = False

    def _decoding(self, library: Callable[..., None]) -> Callable[..., None]:
        def init(key: PublicKey, data: Any, *more: Any) -> None:
            self.decodes += isinstance(data, bytes) and len(data) == POINT_BYTES
            library(key, data, *more)

        return init

    def _encoding(self, library: Callable[..., bytes]) -> Callable[..., bytes]:
        def format_(key: PublicKey, compressed: bool = True) -> bytes:
            self.encodes += compressed
            self.negations += not compressed  # nothing else asks for both coordinates
            return library(key, compressed)

        return format_

    def _multiplying(self, library: Callable[..., PublicKey]) -> Callable[..., PublicKey]:
        def multiply(key: PublicKey, scalar: bytes) -> PublicKey:
            self.multiplications += 1
            self.scalars.append(int.from_bytes(scalar, "big"))
            return library(key, scalar)

        return multiply

    def _base_multiplying(self, library: Callable[..., PublicKey]) -> Callable[..., PublicKey]:
        def from_valid_secret(secret: bytes) -> PublicKey:
            self.base_multiplications += 1
            return library(secret)

        return from_valid_secret

    def _summing(self, library: Callable[..., PublicKey]) -> Callable[..., PublicKey]:
        def combine_keys(keys: list[PublicKey]) -> PublicKey:
            self.sums += 1
            self.summed += len(keys)
            return library(keys)

        return combine_keys
