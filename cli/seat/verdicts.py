"""Why a seat stops for good, in one sentence each, with what its player can do."""

from __future__ import annotations

from pathlib import Path

from cli.auditing import seat_name
from cli.errors import UserError
from p2p304.seats import Seat
from protocol.wire.charter import Charter


class SeatLeft(UserError):
    """The player left the table for now."""


class InputGone(UserError):
    """Nobody is there to play: the input ended before the game did."""

    def __init__(self) -> None:
        super().__init__("The input ended before the game: 'p2p304 resume' goes on where it was.")


class TableStopped(UserError):
    """The game stopped for good: somebody cheated, or our own key signs elsewhere."""


def broke_the_protocol(charter: Charter, seat: Seat, check: str, evidence: Path) -> str:
    """Say that another seat was convicted, by what is in the file."""
    return (
        f"{seat_name(charter, seat)} broke the protocol ({check}); the proof is in {evidence}, and"
        " 'p2p304 audit --evidence' checks it."
    )


def plays_elsewhere(reason: str) -> str:
    """Say that our own key signed what this seat did not."""
    return (
        f"This seat signs nothing more: {reason}. Close the copy of it that plays elsewhere, then"
        " 'p2p304 resume'; if you know of none, somebody has your files."
    )
