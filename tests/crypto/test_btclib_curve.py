"""The other binding of the curve's library does what the first one does, byte for byte."""

from __future__ import annotations

import pytest
from coincurve import PublicKey

from protocol.group.btclib_curve import BtclibPoint as BtclibKey
from protocol.group.point import self_test
from protocol.group.scalar import Scalar


def test_another_binding_of_the_library_passes_it_and_gives_the_same_bytes() -> None:
    self_test(BtclibKey)  # type: ignore[arg-type]
    secrets = [Scalar.uniform(bytes([number]) * 64).to_bytes() for number in range(1, 20)]
    results = []
    for library in (PublicKey, BtclibKey):
        base = library.from_valid_secret(secrets[0])
        products = [base.multiply(secret) for secret in secrets]
        total = library.combine_keys(products)  # type: ignore[arg-type]
        back = library(total.format(compressed=False))
        results.append([each.format() for each in (base, *products, total, back)])
    assert results[0] == results[1]


@pytest.mark.parametrize("scalar", [b"", b"\1" * 31, b"\1" * 33, bytearray(b"\1" * 32), 1])
def test_the_other_binding_hands_on_no_scalar_of_another_size(scalar: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        BtclibKey.from_valid_secret(scalar)
    with pytest.raises(ValueError, match="32 bytes"):
        BtclibKey.from_valid_secret(b"\1" * 32).multiply(scalar)
