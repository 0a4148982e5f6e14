"""Homes of four invented players, as the program wrote them once: later versions go on with them.

    python -m tests.client.kept_homes        writes `kept_homes.tar.xz` anew

Identities, seeds and tokens in it are made from the names of tables and belong to nobody. It is
not written anew for a change of the program: it is there to be read by every later version.
"""

from __future__ import annotations

import io
import lzma
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

from cli.invite import Invite
from cli.net.address import BrokerAddress
from cli.seat.setup import Founding, Kept, Setup
from cli.seat.sitting import keep_setup
from cli.seat.transcripts import save_evidence, save_transcript
from cli.store.identity import IdentityStore, KnownPeers
from cli.store.paths import table_directory
from cli.tournament.folder import TournamentFolder
from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.ledger.events import Event, SeatBlamed, Send
from protocol.seat.commands import Confirm
from protocol.seat.session import Session
from protocol.tournament.pieces import RulingKind
from protocol.wire.invite import new_token
from tests.table.championship import Championship
from tests.table.recorded_hands import ALL_BUT_ONE, SHORT, PlayedTable
from tests.table.seating import NAMES, seeded, signing_key

FILE: Final = Path(__file__).with_name("kept_homes.tar.xz")
PEOPLE: Final = "people of the kept homes"
BROKER: Final = BrokerAddress.parse("mqtts://broker.example.org")
TOURNAMENT: Final = "tournament"
"""The folder of the first player's tournament."""


class KeptTable(PlayedTable):
    """A table whose seats can be written down as homes."""

    def __init__(self, seed: int, agreement: str, *, refereed: bool = False) -> None:
        self.evidence: dict[int, SeatBlamed] = {}
        super().__init__(seed, "304", agreement, name="kept", people=PEOPLE, refereed=refereed)

    def handle(self, seat: int, events: list[Event]) -> None:
        self.evidence |= {each.seat: each for each in events if isinstance(each, SeatBlamed)}
        super().handle(seat, events)

    def write(self, root: Path, *last: Kept, seats: tuple[int, ...] = (0,)) -> None:
        """Write what these seats have of the table into their homes, and how it ended."""
        draw = seeded(f"{self.name} keys")
        key, tokens = draw(32), tuple(new_token(draw) for _ in self.sessions)
        founding = Founding(self.charter.game, self.charter.profile, tokens)
        for seat in seats:
            invite = Invite(BROKER, self.charter.table, key, Seat(seat), tokens[seat])
            entry = self.charter.seats[seat]
            setup = Setup(
                invite, entry.nickname, entry.nonce, self.seeds[seat],
                founding=None if seat else founding,
            )  # fmt: skip
            home = home_of(root, seat)
            with keep_setup(home, setup) as journal:
                journal.append(Kept.CHARTER, self.charter.to_bytes())
                journal.append(Kept.CONFIRMED, b"")
                journal.append_all(Kept.MESSAGE, self.journals[seat])
                for kind in last:
                    journal.append(kind, b"")
            directory = table_directory(home, self.charter.table)
            session = self.sessions[seat]
            for hand in self.ended_hands():
                save_transcript(directory, session.table_state, hand, self.agreed(seat, hand))
            for blamed in self.evidence.values():
                save_evidence(directory, blamed.seat, blamed.evidence)


def home_of(root: Path, seat: int) -> Path:
    """The home of the player in a seat."""
    return root / NAMES[seat].lower()


def write_homes(root: Path) -> None:
    """Play seven tables, and write what the first player keeps of them; and of the first one what
    all four keep, who go on with it."""
    for seat in range(4):
        key = sha256(f"{PEOPLE}{seat}".encode()).digest()
        home = home_of(root, seat)
        IdentityStore(home).key(lambda _, key=key: key)  # type: ignore[misc]  # of this seat
        IdentityStore(home).set_nickname(NAMES[seat])
        for other in {*range(4)} - {seat}:
            KnownPeers(home).remember(signing_key(other, PEOPLE).public, NAMES[other])
    table = KeptTable(1, "pagat")
    table.play_until(lambda: table.rounds >= 30)
    table.write(root, seats=(0, 1, 2, 3))
    table = KeptTable(3, SHORT)
    table.play_match()
    table.write(root, Kept.ENDED)
    table = KeptTable(5, "card304")
    table.play_rounds()
    table.all_choose("end", ALL_BUT_ONE)
    table.write(root, Kept.UNFINISHED)
    table = KeptTable(7, "wikipedia")
    table.left()
    table.write(root, Kept.UNFINISHED)
    table.sit_down_anew()
    table.play_hands(1)
    table.write(root)
    table = KeptTable(9, "pagat", refereed=True)
    table.ruled()
    table.write(root)
    table = KeptTable(11, "pagat")
    _confirm_twice(table)
    table.write(root)
    cup = Championship(4).drawn()
    cup.play(1)
    cup.ruled(2, RulingKind.WALK_OVER, cup.match(2).teams[0])
    TournamentFolder.make(root / TOURNAMENT, cup.record, seeded(TOURNAMENT)(32))


def _confirm_twice(table: KeptTable) -> None:
    """Let seat 1 sign another confirmation, with another share of the luck."""
    other = Session(
        charter=table.charter,
        game=table.game,
        seat=Seat(1),
        key=signing_key(1, PEOPLE),
        secrets=Secrets(bytes(32)),
    )
    said = [*other.act(Confirm(), now=0.0), *other.tick(now=0.0)]
    (sent,) = (each for each in said if isinstance(each, Send))
    table.call(0, lambda session: session.receive(sent.envelope, now=table.now))


def packed(root: Path) -> bytes:
    """All files below a folder as one compressed archive, the same for the same files."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted(root.rglob("*")):
            about = archive.gettarinfo(str(path), str(path.relative_to(root)))
            about.mtime = about.uid = about.gid = 0
            about.uname = about.gname = ""
            with path.open("rb") if path.is_file() else io.BytesIO() as file:
                archive.addfile(about, file)
    return lzma.compress(whole.getvalue())


def unpack(root: Path) -> None:
    """Lay the homes into a folder, for their owner alone."""
    with tarfile.open(FILE) as archive:
        archive.extractall(root, filter="tar")


def main() -> int:
    """Write the archive; the exit status."""
    with tempfile.TemporaryDirectory() as place:
        write_homes(Path(place))
        FILE.write_bytes(packed(Path(place)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
