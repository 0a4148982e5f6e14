"""What a seat's program says of its being there: signed with the seat's key, and never evidence.

It can be said before there is a charter, and is bound to a table and to one connection to the
broker. What is heard is hearsay: a broker can hold it back, or repeat it. Specified in
specs/07-wire.md, 7.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Final

from p2p304.seats import Seat
from protocol import labels
from protocol.errors import MalformedMessage
from protocol.wire.fields import SEAT, TableId
from protocol.wire.identity import SIGNATURE_BYTES, PublicKey, SigningKey
from protocol.wire.schema import FLAG, Integer, exactly, one_of

# Drawn for each connection: enough to tell a seat's few connections apart.
CONNECTION_BYTES: Final = 8
MAX_SERIAL: Final = (1 << 32) - 1


class Whereabouts(IntEnum):
    """The state of a seat's program: here, leaving for a while, leaving for good, or with its
    connection lost.
    """

    # The numbers are those of the wire (specs 7.10).
    HERE = 1
    AWAY = 2  #: It leaves, and may come back.
    DONE = 3  #: It leaves, having played as much as it was to play.
    LOST = 4  #: Its connection was lost: said by the broker, to which this was given when it began.


@dataclass(frozen=True, slots=True)
class Presence:
    """A seat's program says that it is here or leaves, and whether it runs the broker.

    `connection` is drawn for each connection to the broker; of one connection the highest `serial`
    is the latest.
    """

    table: TableId
    seat: Annotated[Seat, SEAT, "the seat that says it"]
    connection: Annotated[
        bytes, exactly(CONNECTION_BYTES), "drawn for each connection to the broker"
    ]
    serial: Annotated[int, Integer(0, MAX_SERIAL), "rises from each to the next of them"]
    state: Annotated[
        Whereabouts,
        one_of(Whereabouts),
        "1 here, 2 leaves, 3 leaves and is done, 4 the connection was lost",
    ]
    serves: Annotated[bool, FLAG, "1 if it runs the broker"]
    signature: Annotated[bytes, exactly(SIGNATURE_BYTES), "with the seat's key"]

    @classmethod
    def make(
        cls,
        *,
        table: bytes,
        seat: Seat,
        key: SigningKey,
        connection: bytes,
        serial: int,
        state: Whereabouts,
        serves: bool,
    ) -> Presence:
        """Return the presence of our seat's program, signed with the seat's `key`.

        Args:
            table: the table's id, 16 bytes.
            seat: ours, 0 to 63.
            connection: 8 bytes drawn for this connection to the broker.
            serial: rises from each presence of this connection to the next, 0 to 2^32-1.
            state: here, leaving, or the state for the broker to publish if the connection is lost.
            serves: whether the broker runs in our program.
        """
        fields = _fields(table, seat, connection, serial, state, serves=serves)
        signature = key.sign(labels.LOBBY_PRESENCE, *fields)
        return cls(table, seat, connection, serial, state, serves, signature)

    def holds(self, key: PublicKey) -> bool:
        """Tell whether the seat's `key` signed this presence."""
        fields = _fields(
            self.table, self.seat, self.connection, self.serial, self.state, serves=self.serves
        )
        try:
            key.verify(self.signature, labels.LOBBY_PRESENCE, *fields)
        # Anybody can write one: a bad signature is an answer here, and no error.
        except MalformedMessage:
            return False
        return True


def _fields(
    table: bytes, seat: Seat, connection: bytes, serial: int, state: Whereabouts, *, serves: bool
) -> tuple[bytes, ...]:
    """Return the fields that the signature covers, as bytes: table; seat, state and `serves`
    together; connection; serial number.
    """
    # `serves` is a bool, and a byte of 0 or 1.
    where = bytes((seat, state, serves))
    return table, where, connection, serial.to_bytes(4, "big")
