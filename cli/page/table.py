"""The table of a page, made from transcripts, each of which is audited first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cli.auditing import charter_of
from cli.bounds import PAGE_BYTES
from cli.errors import UserError
from cli.input_files import pieces_of
from cli.page.document import PageFile, PageSeat, PageTable
from cli.page.recorded import hands_of
from cli.sanitize import impostors, safe_name, safe_text
from cli.seat.charter_text import NICKNAME_CELLS, game_of, rules_lines, term_lines
from p2p304.games import telling_of
from p2p304.seats import place_name
from protocol.table.events import Event
from protocol.transcript.auditor import Auditor
from protocol.wire.charter import Charter

# A page has room for longer names than a terminal.
NAME_CELLS: Final = 80


def table_of(paths: Sequence[str]) -> PageTable:
    """Return the table of these transcripts, at least one, with its hands in the order of their
    numbers.

    Copies of one hand, kept by several seats, count once: a folder of this machine has those of its
    bots too. Raises CheckFailed for an invalid file; UserError for files of several tables,
    differing files of one hand, or more than `PAGE_BYTES`; OSError for a file that cannot be read.
    """
    charter: Charter | None = None
    files: list[PageFile] = []
    taken: set[bytes] = set()
    total = 0
    for path in paths:
        data = bytearray()
        for piece in pieces_of(path):
            data += piece
            # While it is read: nothing larger than a page is taken into memory.
            if total + len(data) > PAGE_BYTES:
                raise UserError(f"A page holds at most {PAGE_BYTES >> 20} MiB: name fewer hands.")
        found, contents, file = _audit(path, bytes(data))
        if charter is not None and found.digest != charter.digest:
            raise UserError(f"{path} is of another table: make a page of each.")
        charter = found
        # By contents: files of two seats differ in signatures and hold the same hands.
        if contents not in taken:
            taken.add(contents)
            total += len(data)
            files.append(file)
    # At least one file was named.
    assert charter is not None
    # By number, in whatever order they were named; a valid file has a hand.
    files.sort(key=lambda file: file.hands[0].number)
    numbers = [hand.number for file in files for hand in file.hands]
    # Files that overlap without being equal, such as a match and one of its hands.
    if len({*numbers}) < len(numbers):
        raise UserError("A hand is in two of the files: name it once.")
    return table_under(charter, tuple(files))


def _audit(path: str, data: bytes) -> tuple[Charter, bytes, PageFile]:
    """Audit a transcript; return its charter, a digest that is the same for all seats' files of
    the same hands, and the file as a page has it. Raises CheckFailed or UserError unless it is
    valid.
    """
    # The charter's game decides what is judged, as in every audit.
    auditor = Auditor(game_of)
    events: list[Event] = [*auditor.feed(data)]
    report = auditor.finish()
    charter = charter_of(report, path)
    hands = hands_of(game_of(charter), charter, events)
    return charter, report.contents, PageFile(file_name(path), data, hands)


def file_name(path: str) -> str:
    """Return the name under which a page lists a file: without its folder and `.gz`, safe to
    print.
    """
    # A path may tell a user's name; and a stranger may have chosen the file's.
    return safe_text(Path(path).name.removesuffix(".gz"), cells=NAME_CELLS)


def table_under(charter: Charter, files: tuple[PageFile, ...] = ()) -> PageTable:
    """Return the page's table for a charter: its game, rules and safe names, with these files."""
    game = game_of(charter)
    telling = telling_of(game)
    names = [entry.nickname for entry in charter.seats]
    # A name that looks like another's is marked on the page, too (attacks CL7).
    alike = impostors(names)
    return PageTable(
        title=telling.title,
        game=charter.game,
        # Without the blanks by which lines are set off in a terminal.
        rules=tuple(line.strip() for line in (*rules_lines(charter), *term_lines(charter))),
        charter=charter.fingerprint,
        seats=tuple(
            PageSeat(
                place_name(seat, game.seats),
                safe_name(name, cells=NICKNAME_CELLS),
                name in alike,
            )
            for seat, name in enumerate(names)
        ),
        files=files,
    )
