"""The line that a starter of bots writes is read to what it says, or refused in a sentence."""

from __future__ import annotations

import pytest

from cli.errors import UserError
from cli.seat.setup import Founding, Orders

FOUNDING = Founding("304", "pagat", (b"a" * 16, b"b" * 16))


@pytest.mark.parametrize("founding", [None, FOUNDING], ids=["none", "founder"])
@pytest.mark.parametrize("seed", [None, bytes(range(32))], ids=["chance", "seed"])
def test_orders_are_read_as_they_were_written(
    founding: Founding | None, seed: bytes | None
) -> None:
    orders = Orders(founding, seed)
    assert Orders.parse(orders.format()) == orders
    assert "000102" not in repr(orders)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        '{"founding": null}',
        '{"founding": null, "seed": ""}',
        '{"founding": null, "seed": "00"}',
        '{"founding": null, "seed": "zz"}',
        '{"founding": 3, "seed": null}',
        '{"founding": {"game": "304", "profile": "pagat", "tokens": [7]}, "seed": null}',
    ],
)
def test_what_is_no_orders_is_refused(line: str) -> None:
    with pytest.raises(UserError, match="no orders"):
        Orders.parse(line)
