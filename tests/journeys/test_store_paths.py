"""Where things are kept: ours alone, and never under a name that somebody chose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.store.paths import (
    StoreError,
    home,
    make_home,
    make_table_directory,
    table_directory,
    tables,
    transcript_name,
)

TABLE = bytes(range(16))
posix = pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")


@posix
def test_directories_that_are_links_or_open_to_others_are_refused(tmp_path: Path) -> None:
    root = make_home(tmp_path / "home")
    (tmp_path / "other").mkdir()
    (root / "tables").symlink_to(tmp_path / "other")
    with pytest.raises(StoreError, match="a link"):
        make_table_directory(root, TABLE)
    (root / "tables").unlink()
    (root / "tables").mkdir(mode=0o755)
    (root / "tables").chmod(0o755)
    with pytest.raises(StoreError, match="chmod 700"):
        make_table_directory(root, TABLE)
    root.chmod(0o777)
    with pytest.raises(StoreError, match="write into"):
        make_home(root)


def test_a_home_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot be made: .*\. Set P2P304_HOME to a folder"):
        make_home(tmp_path / "file" / "home")
    with pytest.raises(StoreError, match="is no directory: move it away"):
        make_home(tmp_path / "file")


def test_names_of_files_come_from_digits_alone(tmp_path: Path) -> None:
    assert table_directory(tmp_path, TABLE) == tmp_path / "tables" / TABLE.hex()
    assert transcript_name(TABLE, 7) == f"{TABLE.hex()}-000007.p304"
    for table in (b"../../x", b"", bytes(15), bytes(17)):
        with pytest.raises(ValueError, match=r"16 bytes|table id"):
            table_directory(tmp_path, table)
        with pytest.raises(ValueError, match="table id"):
            transcript_name(table, 1)
    with pytest.raises(ValueError, match="table id"):
        transcript_name(TABLE, -1)


def test_tables_on_this_machine_are_those_with_a_proper_name(tmp_path: Path) -> None:
    root = tmp_path / "home"
    assert tables(root) == ()
    make_table_directory(root, bytes(16))
    make_table_directory(root, TABLE)
    for name in ("CON", "x" * 32, TABLE.hex().upper(), TABLE.hex() + "0"):
        (root / "tables" / name).mkdir(exist_ok=True)
    (root / "tables" / ("f" * 32)).write_text("a file")
    assert tables(root) == (bytes(16), TABLE)


def test_the_home_is_where_the_variable_says(tmp_path: Path) -> None:
    assert home({"P2P304_HOME": str(tmp_path)}) == tmp_path
    assert home({}).name == "p2p304"
    with pytest.raises(StoreError, match="absolute"):
        home({"P2P304_HOME": "here"})
