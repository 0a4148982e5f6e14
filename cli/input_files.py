"""Input files: a folder stands for its transcripts, and a compressed file is unpacked; and the
pages of the specification.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from cli.bounds import FILE_PIECE, MAX_UNPACKED

# The usual name of it on a command line; a file of that name is `./-`.
STANDARD_INPUT: Final = "-"
# Two of them, as `suffix` alone would take .gz for any file.
SUFFIXES: Final = (".p304", ".p304.gz")
# The first two bytes of every gzip file (RFC 1952).
_GZIP: Final = b"\x1f\x8b"
# zlib: 16 more than the window's size means that the data has a gzip header.
_GZIP_BITS: Final = 16 + zlib.MAX_WBITS


def transcripts_of(names: Iterable[str]) -> Iterator[str]:
    """Yield each name as it is, but for a folder all transcripts in it and in folders below, by
    their endings (.p304, .p304.gz), sorted.

    Links to folders are not followed. A folder that cannot be listed, or holds no transcript, is
    yielded itself, so that reading it raises the reason.
    """
    for name in names:
        # A loop in links cannot trap us: links to folders are not followed.
        if os.path.isdir(name):  # noqa: PTH112 - a Path raises where it may not look
            yield from _below(name) or (name,)
        else:
            yield name


def _below(folder: str) -> list[str]:
    """Return the sorted paths of all files below a folder that end as transcripts do, and of the
    folders that cannot be listed, itself included.
    """
    found: list[str] = []
    folders = [folder]
    while folders:  # no recursion: whoever sends an archive chooses how deep its folders lie
        place = folders.pop()
        try:
            with os.scandir(place) as entries:
                for each in entries:
                    # A link to a file counts, one to a folder does not: it may lead back here.
                    if not each.is_dir():
                        found += [each.path] if each.name.endswith(SUFFIXES) else []
                    elif not each.is_symlink():
                        folders.append(each.path)
        # Named in place of its files, so that reading it tells why.
        except OSError:
            found.append(place)
    # Sorted by path, as the order of a folder is the disk's.
    return sorted(found)


def pieces_of(path: str) -> Iterator[bytes]:
    """Read a file, or the standard input, from its beginning, and yield its content in pieces,
    unpacked if it is compressed with gzip.

    Raises OSError for what is no regular file, such as a folder without transcripts, and for
    damaged or too much compressed data.
    """
    if path == STANDARD_INPUT:
        yield from unpack(iter(partial(sys.stdin.buffer.read, FILE_PIECE), b""))
        return
    if os.path.isdir(path):  # noqa: PTH112 - as above
        # A folder that cannot be read raises its own reason here; an empty one has none.
        next(Path(path).iterdir(), None)
        # errno 0: it is our own reason, not the system's.
        raise OSError(0, "a folder without transcripts (*.p304, *.p304.gz)", path)
    with open_regular(path) as file:
        try:
            yield from unpack(iter(partial(file.read, FILE_PIECE), b""))
        except OSError as error:  # an error while reading names no file
            raise OSError(error.errno, error.strerror, path) from error


# What is opened is what is asked (`fstat`), so nobody can change the name between (attacks CL9).
def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises OSError for anything else, such as a pipe, without waiting for a writer.
    """
    # Opening a named pipe would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def read_bounded(path: str | Path, limit: int) -> bytes:
    """Return the bytes of a regular file.

    Raises OSError for anything else, and for a file of more than `limit` bytes.
    """
    with open_regular(path) as file:
        # One more than allowed, to see that there is more.
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(0, f"it is larger than {limit} bytes", str(path))
    return data


def unpack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces as they are; or, if they begin like gzip data, what it unpacks to, in pieces
    of at most FILE_PIECE bytes.

    Raises OSError if gzip data is damaged or cut short, or unpacks to more than MAX_UNPACKED bytes.
    """
    source = iter(pieces)
    beginning = b""
    # A pipe may deliver a single byte at a time.
    while len(beginning) < len(_GZIP) and (piece := next(source, b"")):
        beginning += piece
    if not beginning.startswith(_GZIP):
        # An empty input yields nothing, which its reader tells from an empty piece.
        yield from filter(None, (beginning,))
        yield from source
        return
    total = 0
    for piece in _inflate(beginning, source):
        # Counted as it is unpacked: a few bytes can stand for gigabytes (attacks CL9).
        total += len(piece)
        if total > MAX_UNPACKED:
            mib = MAX_UNPACKED >> 20
            raise OSError(0, f"it unpacks to more than {mib} MiB, more than is read")
        yield piece


def _inflate(packed: bytes, source: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what gzip data unpacks to, of one member or several; zeros may follow the last one.
    `packed` is the beginning of the data, `source` gives the rest.

    Raises OSError for data that is damaged or cut short.
    """
    # Several members: `cat a.gz b.gz` is a gzip file, too.
    member = zlib.decompressobj(_GZIP_BITS)
    begun = True
    while packed or (packed := next(source, b"")):
        if not begun:
            # Tape blocks pad with zeros behind the last member.
            packed = packed.lstrip(b"\0")
            if not packed:
                continue
            member, begun = zlib.decompressobj(_GZIP_BITS), True
        try:
            # At most FILE_PIECE at a time: zlib keeps the rest packed.
            piece = member.decompress(packed, FILE_PIECE)
        # zlib's message says nothing to a player.
        except zlib.error:
            raise OSError(0, "its compressed data is damaged") from None
        # A member may give nothing yet: its header was all there was.
        if piece:
            yield piece
        begun = not member.eof
        # After a member's end the next one begins; inside it is left what did not fit into
        # FILE_PIECE.
        packed = member.unused_data if member.eof else member.unconsumed_tail
    # A member was begun and its end never came.
    if begun:
        raise OSError(0, "its compressed data is cut short")


# In a wheel the pages lie inside the package.
_INSTALLED: Final = Path(__file__).parent / "specs"
_CLONE: Final = Path(__file__).parents[1] / "specs"

#: Beside this module in an installed program, beside the packages in a clone.
SPECS: Final = _INSTALLED if _INSTALLED.is_dir() else _CLONE
