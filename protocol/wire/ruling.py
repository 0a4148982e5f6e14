"""Signing what a referee rules, under the charter of its table."""

from __future__ import annotations

from p2p304.seats import Seat
from protocol.errors import LocalError
from protocol.wire.charter import Charter
from protocol.wire.contents import Ruling
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.messages import RefereeWord, SignedRuling, table_tag


def sign_ruling(charter: Charter, ruling: Ruling, key: SigningKey) -> SignedRuling:
    """Sign a ruling for the table of `charter` with the key of one of its referees.

    Raises LocalError for another key. Whether a referee can rule so shows when it is heard.
    """
    if key.public not in charter.referees:
        raise LocalError("the charter names another referee, or none")
    number = charter.referees.index(key.public)
    body = RefereeWord(table_tag(charter.digest), number, ruling).to_bytes()
    envelope = sign(key, body, purpose=Purpose.RULING, seat=Seat(number), charter=charter.digest)
    return SignedRuling(number, ruling, envelope.to_bytes(), envelope.message_id)
