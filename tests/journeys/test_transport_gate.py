"""The gate and its packets: any bytes, however they are cut, pass the same way or not at all."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.net.connection import Gate
from cli.net.packets import (
    LEVEL_3_1_1,
    LEVEL_5,
    MAX_PACKET,
    PacketCutter,
    PacketError,
    read_publish,
)
from tests.journeys.running_brokers import TOPIC, publish_packet, remaining_length


def gate_of(
    level: int = LEVEL_3_1_1, admit: Callable[[bytes], bool] = lambda _payload: True
) -> Gate:
    return Gate(level=level, topic=TOPIC, admit=admit)


def opened(level: int = LEVEL_3_1_1, admit: Callable[[bytes], bool] = lambda _: True) -> Gate:
    """A gate behind which a client was let in."""
    gate = gate_of(level, admit)
    assert gate.pass_on(b"\x20\x02\x00\x00") == b"\x20\x02\x00\x00"
    return gate


@settings(max_examples=300, deadline=None)
@given(
    stream=st.binary(max_size=2_000),
    cuts=st.lists(st.integers(min_value=0, max_value=2_000), max_size=8),
    level=st.sampled_from([LEVEL_3_1_1, LEVEL_5]),
)
def test_any_bytes_pass_the_gate_the_same_way_however_they_are_cut(
    stream: bytes, cuts: list[int], level: int
) -> None:
    def passed(chunks: list[bytes]) -> tuple[bytes, bool]:
        gate, out = opened(level), b""
        try:
            for chunk in chunks:
                out += gate.pass_on(chunk)
        except PacketError:
            return out, True
        return out, False

    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    whole = passed([stream])
    in_pieces = passed([stream[one:other] for one, other in pairwise(places)])
    assert in_pieces[1] == whole[1]
    assert whole[1] or in_pieces == whole


@pytest.mark.parametrize("size", [MAX_PACKET + 1, 1 << 20, 268_435_455])
def test_a_packet_over_the_limit_is_refused_at_its_header(size: int) -> None:
    with pytest.raises(PacketError, match="announced"):
        PacketCutter().feed(b"\x30" + remaining_length(size))


def test_the_gate_asks_nobody_about_other_topics() -> None:
    asked: list[bytes] = []
    gate = opened(admit=lambda payload: asked.append(payload) or payload == b"ours")  # type: ignore[func-returns-value]
    ours, junk, other = (
        publish_packet(topic, payload, newer=False)
        for topic, payload in ((TOPIC, b"ours"), (TOPIC, b"junk"), ("other", b"ours"))
    )
    assert gate.pass_on(junk + other + ours + junk) == ours
    assert asked == [b"junk", b"ours", b"junk"]


@pytest.mark.parametrize("flags", [2, 4, 6])
def test_messages_of_a_quality_not_asked_for_are_refused(flags: int) -> None:
    """The library keeps every half-delivered message of QoS 2: 65,535 of them, 4 GB."""
    with pytest.raises(PacketError, match="quality"):
        opened().pass_on(publish_packet(TOPIC, b"x", newer=False, flags=flags))


@pytest.mark.parametrize(
    ("level", "stream", "said"),
    [
        (LEVEL_3_1_1, b"\xd0\x00", "began with something else than its answer"),
        (LEVEL_3_1_1, b"\x20\x01\x00", "answer to our connection is too short"),
        (LEVEL_5, b"\x20\x07\x00\x00" + b"\x80" * 4 + b"\x00", "ends inside its properties"),
        (LEVEL_5, b"\x20\x04\x00\x00\x02\x27", "ends inside its properties"),
        (LEVEL_5, b"\x20\x06\x00\x00\x03\x27\x00\x00", "ends inside its properties"),
    ],
)
def test_an_answer_that_is_none_ends_the_connection(level: int, stream: bytes, said: str) -> None:
    with pytest.raises(PacketError, match=said):
        gate_of(level).pass_on(stream)


def test_a_message_that_ends_inside_its_number_is_refused() -> None:
    (packet,) = PacketCutter().feed(b"\x32\x04\x00\x01t\x00")
    with pytest.raises(PacketError, match="ends inside its packet number"):
        read_publish(packet, LEVEL_3_1_1)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, MAX_PACKET])
def test_a_packet_up_to_the_limit_is_cut_out(size: int) -> None:
    (packet,) = PacketCutter().feed(b"\x30" + remaining_length(size) + bytes(size))
    assert len(packet.body) == size
