"""Whom a charter makes us meet: other people, and not the bots that this machine seated itself."""

from __future__ import annotations

from pathlib import Path

from cli.seat.bot_processes import bot_home
from cli.store.identity import IdentityStore, KnownPeers
from cli.store.paths import StoreError
from p2p304.seats import Seat
from protocol.wire.charter import Charter


def own_bots(directory: Path, charter: Charter) -> frozenset[int]:
    """Return the seats of bots that this machine started, whose keys it made itself.

    `directory` is the table's. A seat in which somebody else's key sits is none of them.
    """
    found = set()
    for seat in range(1, len(charter.seats)):
        try:
            key = IdentityStore(bot_home(directory, Seat(seat))).public_key
        except StoreError:
            continue
        if charter.seats[seat].key == key:
            found.add(seat)
    return frozenset(found)


def remember_others(
    known: KnownPeers, charter: Charter, seat: Seat, *, bots: frozenset[int]
) -> None:
    """Keep the keys and names of those whom we agreed to play with. Raises StoreError.

    Our own bots have a new key at every table under the same names: whoever kept them would be
    warned of them each time, until the warning is worth nothing.
    """
    for number, entry in enumerate(charter.seats):
        if number != seat and number not in bots:
            known.remember(entry.key, entry.nickname)
