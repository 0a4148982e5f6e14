"""Invites of a version that was never released: refused, with a sentence that says so."""

from __future__ import annotations

import hashlib

import pytest

from cli.commands.entering import entry_for
from cli.invite import InviteVersionError
from cli.local.sitting import new_table
from cli.net.address import BrokerAddress
from tests.client.text_person import typing

SAID = "of version 1 of the protocol, which was never released"
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def old_invite(text: str) -> str:
    digits = text.removeprefix("P2P304-")
    number = int("".join(f"{DIGITS.index(each):05b}" for each in digits), 2)
    spare = 5 * len(digits) % 8
    data = (number >> spare).to_bytes(5 * len(digits) // 8, "big")
    body = b"\1" + data[1:-5]
    whole = body + hashlib.sha256(b"p2p304 invite 1" + body).digest()[:5]
    bits = "".join(f"{byte:08b}" for byte in whole) + "0" * (-8 * len(whole) % 5)
    return "P2P304-" + "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, len(bits), 5))


@pytest.mark.parametrize("broken", [4, 60, None])
async def test_join_says_so_of_one_in_small_letters_and_in_pieces(broken: int | None) -> None:
    """Also of one that is broken where nothing tells yet that it is an invite."""
    invite = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), "304", "pagat").invites[1]
    text = old_invite(invite.format()).lower()
    console, _ = typing(text[:broken], text[broken:] if broken else "")
    for argument in (None, text):
        with pytest.raises(InviteVersionError, match=SAID):
            await entry_for(argument, console)
