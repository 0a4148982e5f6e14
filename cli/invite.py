"""The invite as the program holds it: with its broker's addresses read, and as a QR code.

What it looks like as text is `protocol.wire.invite`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
    """The text is no invite that can be used; one sentence says why and what to do."""


class InviteVersionError(InviteError):
    """The invite is of a table of another version; `detail` says of which."""

    def __init__(self, detail: str) -> None:
        super().__init__(f"The invite is {detail}.")
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Invite:
    """What an invite holds. `repr` shows neither key nor token.

    `seat` and `token` are None together: then it lets a spectator watch. The constructor raises
    InviteError for parts of a wrong size or with too little randomness in them. `other_nodes` are
    further addresses of the same clustered broker.
    """

    broker: BrokerAddress
    table: bytes
    table_key: bytes = field(repr=False)
    seat: Seat | None = None
    token: bytes | None = field(default=None, repr=False)
    other_nodes: tuple[BrokerAddress, ...] = ()

    def __post_init__(self) -> None:
        try:
            self._fields()
        except MalformedMessage as error:
            raise _in_a_sentence(error) from error
        checked_nodes(self.nodes)

    def _fields(self) -> InviteFields:
        nodes = format_nodes(self.nodes)
        return InviteFields(self.table, self.table_key, self.seat, self.token, nodes)

    @property
    def topic(self) -> str:
        """Where the table meets, which only those who hold an invite of it know."""
        return Seal(self.table_key, self.table).topic

    @property
    def nodes(self) -> tuple[BrokerAddress, ...]:
        """Every address of the broker."""
        return (self.broker, *self.other_nodes)

    @property
    def where(self) -> str:
        """The addresses, as people read them."""
        *most, last = (each.format() for each in self.nodes)
        return f"{', '.join(most)} or {last}" if most else last

    def at(self, nodes: Sequence[BrokerAddress]) -> Self:
        """Return the same invite for a table that meets there. Raises AddressError for too many."""
        broker, *others = checked_nodes(nodes)
        return replace(self, broker=broker, other_nodes=tuple(others))

    @property
    def watches(self) -> bool:
        """Whether it lets one watch, without a seat."""
        return self.seat is None

    def to_watch(self) -> Self:
        """Return the invite to watch the same table, without a seat."""
        return replace(self, seat=None, token=None)

    def format(self) -> str:
        """Return the one string, capital letters and digits after `P2P304-`."""
        return self._fields().format()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the invite in `text`.

        Raises InviteError with one sentence. Nothing is sent anywhere. Raises InviteError with one
        sentence.
        """
        try:
            found = InviteFields.parse(text)
        except MalformedMessage as error:
            raise _in_a_sentence(error) from error
        return cls.of(found)

    @classmethod
    def of(cls, fields: InviteFields) -> Self:
        """Return the invite with these fields; raises InviteError where they name no broker."""
        try:
            broker, *others = parse_nodes(fields.addresses)
        except AddressError as error:
            raise InviteError("The invite names no broker: ask for a new invite.") from error
        return cls(broker, fields.table, fields.table_key, fields.seat, fields.token, tuple(others))


def _in_a_sentence(error: MalformedMessage) -> InviteError:
    """Return the error for the user, whose sentence is the detail of the protocol's."""
    if error.check == "invite.version":
        return InviteVersionError(error.detail)
    return InviteError(f"{capital(error.detail)}.")


def qr_code(text: str) -> str:
    """Return `text` as a QR code of half blocks, two rows of modules a line, light ones drawn.

    An invite with an ordinary address takes at most 23 lines, so it fits a screen of 80×24.
    """
    import segno  # few invites are shown so

    modules = [
        [bool(module) for module in row]
        for row in segno.make(text, error="l", micro=False).matrix_iter(border=2)
    ]
    if len(modules) % 2:
        modules.append([False] * len(modules[0]))
    # Light modules are drawn because most terminals are dark; readers take both.
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return "\n".join(
        "".join(signs[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(modules[::2], modules[1::2], strict=True)
    )
