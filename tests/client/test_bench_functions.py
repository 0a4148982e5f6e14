"""What `python -m tests.bench.functions` counts."""

from __future__ import annotations

from p2p304.seats import Seat, seat_after
from protocol.encoding import decode, encode
from protocol.wire.messages import table_tag
from tests.bench.functions import OUTSIDE, Counted, Function, Row, of_a_card, rows_of


def test_each_function_of_the_program_counts_once_and_a_comprehension_does_not() -> None:
    counted = Counted()
    with counted.counting():
        assert [seat_after(Seat(seat), seats=4) for seat in range(4)] == [1, 2, 3, 0]
        assert {each: sorted((each, 1)) for each in range(2)}
    (found,) = counted.functions()
    assert (found.module, found.name, found.room) == ("p2p304/seats.py", "seat_after", "p2p304")
    assert not Counted().functions()


def test_what_was_called_before_or_after_does_not_count() -> None:
    data = encode((1,))
    counted = Counted()
    with counted.counting():
        decode(data)
    table_tag(bytes(32))
    names = {each.name for each in counted.functions()}
    assert "decode" in names
    assert "table_tag" not in names


def test_rules_and_cryptography_have_rows_of_their_own() -> None:
    functions = (
        Function("cli/seat/driver.py", 1, "one"),
        Function("cli/seat/driver.py", 9, "other"),
        Function("cli/main.py", 1, "main"),
        Function("protocol/proofs/sigma.py", 1, "prove"),
        Function("p2p304/bots/levels.py", 1, "level"),
    )
    assert rows_of(functions) == {
        "cli": Row(1, 1),
        "cli/seat": Row(2, 1),
        "p2p304": Row(1, 1),
        "protocol/proofs": Row(1, 1),
        OUTSIDE: Row(3, 2),
    }


async def test_a_card_goes_from_a_key_through_two_sessions_to_a_frame() -> None:
    names = {each.name for each in await of_a_card()}
    assert {"ClientSeat.decide", "Session.act", "Session.receive", "render"} <= names
