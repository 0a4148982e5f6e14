"""Invites as the program uses them: with addresses of brokers parsed, and as a QR code.

`protocol.wire.invite` reads and writes the text of an invite (specs 7.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Self

from cli.errors import UserError
from cli.net.address import (
    AddressError,
    BrokerAddress,
    checked_nodes,
    format_nodes,
    parse_nodes,
)
from cli.wording import capital
from p2p304.seats import Seat
from protocol.errors import MalformedMessage
from protocol.wire.identity import Seal
from protocol.wire.invite import InviteFields


class InviteError(UserError):
    """The text is no usable invite; one sentence says why and what to do."""


class InviteVersionError(InviteError):
    """The invite is of another version of the program, so that neither typing it again nor another
    line of it would help; `detail` names the version.
    """

    def __init__(self, detail: str) -> None:
        """Keep `detail`, a clause such as that of the protocol's error that names the other
        version, and make the sentence "The invite is ..." of it.
        """
        super().__init__(f"The invite is {detail}.")
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Invite:
    """The content of an invite. `repr` shows neither the table key nor the token.

    `seat` and `token` are None together, in an invite for a spectator. `other_nodes` are further
    addresses of the same clustered broker. The constructor raises InviteError for a part of a wrong
    size, or a key or token that was not drawn at random (specs 7.3), and AddressError for addresses
    that `checked_nodes` refuses.
    """

    broker: BrokerAddress
    table: bytes
    # Out of `repr`, so that no log or traceback holds a key (attacks CL1, CL11).
    table_key: bytes = field(repr=False)
    seat: Seat | None = None
    token: bytes | None = field(default=None, repr=False)
    other_nodes: tuple[BrokerAddress, ...] = ()

    def __post_init__(self) -> None:
        """Check the invite's parts and addresses; raises InviteError or AddressError for those
        that no invite may have.
        """
        try:
            # Made only for its checks: whoever holds an Invite holds one that can be written.
            self._fields()
        except MalformedMessage as error:
            raise _in_a_sentence(error) from error
        checked_nodes(self.nodes)

    def _fields(self) -> InviteFields:
        """Return the invite as the record that the protocol writes, with addresses as text;
        raises MalformedMessage for values that no invite may have.
        """
        nodes = format_nodes(self.nodes)
        return InviteFields(self.table, self.table_key, self.seat, self.token, nodes)

    @property
    def topic(self) -> str:
        """The MQTT topic of the table, computed from the table key and the table's id (specs
        7.1).
        """
        return Seal(self.table_key, self.table).topic

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """Every address of the broker, the first one first."""
        return (self.broker, *self.other_nodes)

    @property
    def where(self) -> str:
        """The addresses as text for people, such as "A, B or C"."""
        *most, last = (each.format() for each in self.nodes)
        return f"{', '.join(most)} or {last}" if most else last

    def at(self, nodes: Sequence[BrokerAddress]) -> Self:
        """Return a copy of the invite with these broker addresses in place of its own; raises
        AddressError for none, more than four, one twice, or too many characters.
        """
        broker, *others = checked_nodes(nodes)
        return replace(self, broker=broker, other_nodes=tuple(others))

    def to_watch(self) -> Self:
        """Return a copy for a spectator, without seat and token; this invite stays as it is."""
        # Without seat and token: it opens frames and lets nobody sit.
        return replace(self, seat=None, token=None)

    def format(self) -> str:
        """Return the invite as one string: `P2P304-`, then capital letters and digits."""
        return self._fields().format()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the invite in `text`, without sending anything.

        Raises InviteError, with one sentence, for any other text.
        """
        try:
            # The protocol reads the text, and knows nothing of brokers' addresses.
            found = InviteFields.parse(text)
        except MalformedMessage as error:
            raise _in_a_sentence(error) from error
        return cls.of(found)

    @classmethod
    def of(cls, fields: InviteFields) -> Self:
        """Return the invite with these fields; raises InviteError if an address cannot be read."""
        try:
            broker, *others = parse_nodes(fields.addresses)
        # The text was whole, so it is not called mistyped.
        except AddressError as error:
            raise InviteError("The invite names no broker: ask for a new invite.") from error
        return cls(broker, fields.table, fields.table_key, fields.seat, fields.token, tuple(others))


def _in_a_sentence(error: MalformedMessage) -> InviteError:
    """Return, without raising it, the user's error for the protocol's error: InviteVersionError
    for an invite of another version, else InviteError with the detail as a sentence.
    """
    if error.check == "invite.version":
        return InviteVersionError(error.detail)
    return InviteError(f"{capital(error.detail)}.")


def qr_code(text: str) -> str:
    """Return `text` as a QR code of half-block characters, two rows of modules in each line.

    The code of an invite with one usual address has at most 23 lines, so it fits a screen of 80×24.
    """
    import segno  # few invites are shown so

    # The least error correction, "l", and a border of 2 in place of the standard's 4: as small as
    # possible, for a terminal of 80 columns. No micro code, which few readers know.
    code, drawn = segno.make(text, error="l", micro=False), StringIO()
    code.terminal(drawn, border=2, compact=True)
    return drawn.getvalue().rstrip("\n")
