"""Types of fields that several tables of messages have: of what is signed, lobby, codes, pieces."""

from __future__ import annotations

from typing import Annotated, Final

from protocol.bounds import MAX_NAME, MAX_SEATS
from protocol.wire.charter import TABLE_BYTES, check_nickname
from protocol.wire.identity import KEY_BYTES, PublicKey
from protocol.wire.schema import Integer, Made, Text, exactly


def _nickname(name: str) -> str:
    """Return `name` if it can be a nickname; raises MalformedMessage `charter.nickname`
    otherwise.
    """
    check_nickname(name)
    return name


HASH_BYTES: Final = 32  # SHA-256
TableId = Annotated[bytes, exactly(TABLE_BYTES), "the table's id"]
SEAT: Final = Integer(0, MAX_SEATS - 1)
SEATS: Final = Integer(0, (1 << MAX_SEATS) - 1)  #: Some seats: a bit for each.

HASH: Final = exactly(HASH_BYTES)
KEY: Final = Made(exactly(KEY_BYTES), PublicKey, PublicKey.to_bytes)
NICKNAME: Final = Made(Text(MAX_NAME), _nickname, str)  # `str`: it is encoded as it is
