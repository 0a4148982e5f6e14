"""Knows every secret that seats draw: looks on as they are drawn, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from protocol import labels
from protocol.cards import salted_commitment
from protocol.cards import secrets as expansion
from protocol.cards.keys import HandSecret, draw_hand_secret
from protocol.entropy import Entropy
from protocol.group.scalar import ORDER, WIDE_BYTES
from protocol.proofs import shuffle
from protocol.proofs.nonces import HedgedSource
from protocol.proofs.shuffle import uniform_permutation
from protocol.wire import identity
from tests.campaigns.sweep.forms import Haystacks

PERMUTED = 12
"""Places of a permutation that are looked for."""

_GENERAL = ("mask or blinding", "draw")
"""Names for what most secrets are made of; what has a name of its own is told by that."""


class Witness:
    """What was drawn since it began to look on."""

    def __init__(self) -> None:
        self.drawn: dict[str, set[bytes]] = {}
        self.permutations: set[tuple[int, ...]] = set()
        self.salts: set[bytes] = set()

    def look_on(self, patch: pytest.MonkeyPatch) -> None:
        """See every draw until the patch is undone."""
        expand, derive_key = expansion.expand, identity.derive_key
        draw_keys, derive_salt = draw_hand_secret, salted_commitment.derive_salt
        permute, next_nonce = uniform_permutation, HedgedSource.next_scalar
        deal_seed, stretch = expansion.Secrets.deal_seed, shuffle._hedged_nonces

        def seen_expand(seed: bytes, *purpose: bytes) -> Entropy:
            draw = expand(seed, *purpose)

            def seen(length: int) -> bytes:
                drawn = draw(length)
                if length >= 16:
                    self._note("draw", drawn)
                if length == WIDE_BYTES:
                    scalar = int.from_bytes(drawn, "big") % ORDER
                    self._note("mask or blinding", scalar.to_bytes(32, "big"))
                return drawn

            return seen

        def seen_key(secret: bytes, label: bytes, *fields: bytes, length: int = 32) -> bytes:
            key = derive_key(secret, label, *fields, length=length)
            if length >= 16 and label != labels.TOPIC:
                self._note("sealing key", key)
            return key

        def seen_keys(entropy: Entropy) -> HandSecret:
            secret = draw_keys(entropy)
            for each in secret.card, secret.suit:
                self._note("key of a deal", each.value.to_bytes(32, "big"))
            return secret

        def seen_salt(**given: Any) -> bytes:
            salt = derive_salt(**given)
            self.salts.add(salt)
            return salt

        def seen_permutation(count: int, entropy: Entropy) -> tuple[int, ...]:
            found = permute(count, entropy)
            self.permutations.add(found)
            return found

        def seen_nonce(source: HedgedSource) -> int:
            nonce = next_nonce(source)
            self._note("nonce", nonce.to_bytes(32, "big"))
            return nonce

        def seen_stretch(*given: Any) -> list[int]:
            drawn = stretch(*given)
            for nonce in drawn:
                self._note("nonce of a shuffle", nonce.to_bytes(32, "big"))
            return drawn

        def seen_seed(secrets: expansion.Secrets, deal: int) -> bytes:
            seed = deal_seed(secrets, deal)
            self._note("seed of a deal", seed)
            return seed

        spies: list[tuple[Any, str, Callable[..., Any]]] = [
            (expansion, "expand", seen_expand),
            (expansion, "draw_hand_secret", seen_keys),
            (expansion, "derive_salt", seen_salt),
            (expansion.Secrets, "deal_seed", seen_seed),
            (identity, "derive_key", seen_key),
            (shuffle, "uniform_permutation", seen_permutation),
            (shuffle, "_hedged_nonces", seen_stretch),
            (HedgedSource, "next_scalar", seen_nonce),
        ]
        for place, name, spy in spies:
            patch.setattr(place, name, spy)

    def _note(self, name: str, secret: bytes) -> None:
        self.drawn.setdefault(name, set()).add(secret)

    def tell(self, haystacks: Haystacks, published: set[bytes]) -> None:
        """Have all be looked for: of the salts, those that no message published as a salt."""
        for name in sorted(self.drawn, key=_GENERAL.__contains__):
            for secret in self.drawn[name]:
                haystacks.hide("a seat", name, secret)
        for salt in self.salts - published:
            haystacks.hide("a seat", "salt of an unopened card", salt)
        for permutation in self.permutations:
            if len(permutation) >= PERMUTED:
                places = ", ".join(map(str, permutation[:PERMUTED]))
                haystacks.hide_text("a seat", "permutation", places)
