"""Invites: one string a seat, which a typing error never burns and a guess never opens."""

from __future__ import annotations

import io
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.commands.entering import invite_for
from cli.invite import (
    Invite,
    InviteError,
    qr_code,
)
from cli.lines.console import Console
from cli.net.address import BrokerAddress
from p2p304.seats import Seat
from protocol.wire.invite import LONGEST, TOKEN_BYTES, new_token

BROKER = BrokerAddress.parse("mqtts://broker.example.org:8884")


def _random(size: int, salt: int = 0) -> bytes:
    return bytes(zlib.crc32(bytes((salt, place))) & 0xFF for place in range(size))


def _invite(seat: int | None = 2, broker: BrokerAddress = BROKER) -> Invite:
    token = None if seat is None else _random(TOKEN_BYTES, 3)
    return Invite(
        broker, _random(16, 1), _random(32, 2), None if seat is None else Seat(seat), token
    )


TEXT = _invite().format()


@given(
    table=st.binary(min_size=16, max_size=16),
    seat=st.none() | st.integers(min_value=0, max_value=63).map(Seat),
    url=st.sampled_from(
        [
            "mqtt://127.0.0.1:1",
            "mqtt://[::1]",
            "mqtts://a.b",
            "wss://a.b/c/d",
            "ws://localhost:9001",
        ]
    ),
)
def test_what_is_written_is_read_back(table: bytes, seat: Seat | None, url: str) -> None:
    token = None if seat is None else os.urandom(TOKEN_BYTES)
    invite = Invite(BrokerAddress.parse(url), table, os.urandom(32), seat, token)
    assert Invite.parse(invite.format()) == invite
    assert invite.watches == (seat is None)


def test_case_spaces_line_breaks_and_likenesses_do_not_matter() -> None:
    folded = "\n".join(TEXT[place : place + 40] for place in range(0, len(TEXT), 40))
    spoken = TEXT[7:].replace("0", "O").replace("1", "l")
    assert Invite.parse(f"  {folded.lower()}\n") == _invite()
    assert Invite.parse(f"P2P304-{spoken}") == _invite()


def test_every_single_wrong_character_is_noticed() -> None:
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    for place in range(7, len(TEXT)):
        for digit in digits:
            if digit != TEXT[place]:
                with pytest.raises(InviteError):
                    Invite.parse(TEXT[:place] + digit + TEXT[place + 1 :])


def test_every_swap_of_neighbours_and_every_cut_is_noticed() -> None:
    for place in range(7, len(TEXT) - 1):
        if TEXT[place] != TEXT[place + 1]:
            swapped = TEXT[:place] + TEXT[place + 1] + TEXT[place] + TEXT[place + 2 :]
            with pytest.raises(InviteError):
                Invite.parse(swapped)
    for end in range(len(TEXT)):
        with pytest.raises(InviteError):
            Invite.parse(TEXT[:end])
    for more in ("0", "00", TEXT[7:], "P2P304"):
        with pytest.raises(InviteError):
            Invite.parse(TEXT + more)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no invite: paste the line that the host sent you."),
        ("hello", "This is no invite: one begins with P2P304-."),
        ("P2P304-", "This is no invite: one begins with P2P304-."),
        (TEXT[:60], "cut off or a character is missing"),
        (TEXT[:9] + "?" + TEXT[10:], "Character 3 after P2P304- is none that an invite has"),
        (TEXT[:-1] + ("0" if TEXT[-1] != "0" else "1"), "mistyped"),
        ("P2P304-G" + TEXT[8:], "mistyped at its beginning"),
        ("A" * (LONGEST + 1), "too long for an invite"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InviteError) as caught:
        Invite.parse(text)
    said = str(caught.value)
    assert sentence in said
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize(
    "weak", [bytes(32), b"\x07" * 32, b"ab" * 16, b"correct horse battery staple 304"]
)
def test_a_key_that_was_not_drawn_at_random_is_refused(weak: bytes) -> None:
    with pytest.raises(InviteError, match="not drawn at random"):
        Invite(BROKER, _random(16), weak)
    with pytest.raises(InviteError, match="not drawn at random"):
        Invite(BROKER, _random(16), _random(32), Seat(0), bytes(TOKEN_BYTES))


def test_sizes_below_128_random_bits_are_refused() -> None:
    for size in (0, 15, 16, 31, 33):
        with pytest.raises(InviteError):
            Invite(BROKER, _random(16), _random(size))
    for size in (0, 8, 15, 17):
        with pytest.raises(InviteError):
            Invite(BROKER, _random(16), _random(32), Seat(0), _random(size))
    assert len(new_token(os.urandom)) * 8 >= 128


def test_a_seat_and_its_token_belong_together() -> None:
    with pytest.raises(InviteError):
        Invite(BROKER, _random(16), _random(32), Seat(0), None)
    with pytest.raises(InviteError):
        Invite(BROKER, _random(16), _random(32), None, _random(16))
    with pytest.raises(InviteError):
        Invite(BROKER, _random(16), _random(32), Seat(64), _random(16))


def test_an_invite_shows_neither_key_nor_token() -> None:
    invite = _invite()
    shown = repr(invite) + str(invite)
    assert invite.token is not None
    for secret in (invite.table_key, invite.token):
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown


async def test_an_invite_comes_from_the_argument_or_from_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    invite = _invite()
    text = invite.format()
    reader, writer = os.pipe()
    console = Console(descriptor=reader, output=io.StringIO())
    assert await invite_for(text, console) == invite
    assert "history" in capsys.readouterr().err
    os.write(writer, f"{text[:60]}\n{text[60:]}\n{text}\n".encode())
    assert await invite_for(None, console) == invite  # a mail program broke its line
    assert await invite_for("-", console) == invite
    os.close(writer)


def test_the_qr_code_fits_a_screen_of_80_by_24() -> None:
    for url in ("mqtt://192.168.100.200:18830", "mqtts://broker.some-company.example.com"):
        lines = qr_code(_invite(broker=BrokerAddress.parse(url)).format()).splitlines()
        assert len(lines) <= 23
        assert {len(line) for line in lines} == {len(lines[0])}
        assert len(lines[0]) <= 80


@pytest.mark.parametrize(
    ("text", "scheme_host_port_path"),
    [
        ("broker.example.org", ("mqtts", "broker.example.org", 8883, "")),
        ("127.0.0.1", ("mqtt", "127.0.0.1", 1883, "")),
        ("localhost:1999", ("mqtt", "localhost", 1999, "")),
        ("192.168.1.2", ("mqtt", "192.168.1.2", 1883, "")),
        ("mqtt://broker.example.org", ("mqtt", "broker.example.org", 1883, "")),
        ("[::1]:1884", ("mqtt", "::1", 1884, "")),
        ("wss://broker.example.org", ("wss", "broker.example.org", 443, "/mqtt")),
        ("ws://localhost:8080/a/b", ("ws", "localhost", 8080, "/a/b")),
        ("MQTTS://Broker.Example.org/", ("mqtts", "broker.example.org", 8883, "")),
    ],
)
def test_addresses_are_encrypted_unless_near_or_told_otherwise(
    text: str, scheme_host_port_path: tuple[str, str, int, str]
) -> None:
    address = BrokerAddress.parse(text)
    shown = (address.scheme.value, address.host, address.port, address.path)
    assert shown == scheme_host_port_path
    assert BrokerAddress.parse(address.format()) == address
