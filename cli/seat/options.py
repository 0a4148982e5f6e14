"""What was asked for when a seat was taken: where it meets, as whom, and how much it plays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cli.net.address import BrokerAddress
from cli.net.credentials import Credentials
from cli.net.mqtt import MqttVersion
from p2p304.seats import Seat
from protocol.seat.view import TableView
from protocol.wire.identity import PublicKey


class Goal(NamedTuple):
    """So many hands or so many matches of the table, whichever comes first; None is no limit.

    Hands count when cards were played: a deal that was refused or passed out is none.
    """

    hands: int | None = None
    matches: int | None = None
    race: Callable[[TableView], bool] | None = None
    """Tells whether a race over hands or matches is won, which ends the match of a tournament."""

    def reached(self, table: TableView) -> bool:
        """Tell whether that is played, counted from the table's beginning."""
        if self.hands is not None and table.hands_played >= self.hands:
            return True
        return self.matches_over(table)

    def matches_over(self, table: TableView) -> bool:
        """Tell whether all matches are over, so that nothing is left to be gone on with."""
        if self.race is not None and self.race(table):
            return True
        return self.matches is not None and table.matches_over >= self.matches


ONE_MATCH: Final = Goal(matches=1)
ENDLESS: Final = Goal()
"""Nobody has ever enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOptions:
    """How a seat, or a spectator, is at a table. `repr` shows no secret.

    `hands` or `matches`, whichever comes first, end it; None stands for no limit. For `linger`
    seconds more others are answered.
    """

    hands: int | None = None
    matches: int | None = 1
    linger: float = 5.0
    brokers: tuple[BrokerAddress, ...] = ()
    """The brokers that the user named: our credentials may go there."""
    credentials: Credentials | None = None
    credentials_file: Path | None = None
    """Where they were read, and are read again when the table is resumed."""
    login: bool = False
    """Whether they are asked for."""
    version: MqttVersion = MqttVersion.AUTOMATIC
    vouched: frozenset[Seat] = frozenset()
    """See `Session.resume`."""
    race: Callable[[TableView], bool] | None = None
    """See `Goal`."""
    trusted: frozenset[PublicKey] = frozenset()
    """The keys of referees whose rulings the player accepts, without a question of its own."""
    serve_first: Callable[[str], None] | None = None
    """Tells the broker of this process, if it runs one, the topic of each table we sit at."""

    @property
    def goal(self) -> Goal:
        """How much is to be played."""
        return Goal(self.hands, self.matches, self.race)
