"""Where things are kept: ours alone, under no name of others, over nothing of the user's."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.bounds import LARGEST_LOG
from cli.errors import StoreError, UserError
from cli.local.records import forget_table, table_records
from cli.local.transcripts import save_evidence
from cli.logfile import HEADING, LogFile, begin, ended, failed
from cli.main import main
from cli.net.broker import EmbeddedBroker
from cli.net.transport import TransportError, Trouble
from cli.output_files import prepare_file, write_file
from cli.store.paths import (
    HOME_VARIABLE,
    home,
    make_home,
    make_table_directory,
    strangers_in,
    table_directory,
    tables,
    transcript_name,
)
from protocol.transcript.auditor import Auditor, Report
from tests.forked import run_program
from tests.journeys.running_brokers import transport

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


# --- files of the user's --------------------------------------------------------------------------


HAND = Path(__file__).parents[2] / "specs" / "examples" / "hand.p304"


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", ["north/thesis.txt", "hand-1.p304", ".hidden"])
def test_a_demonstration_writes_into_no_folder_that_holds_anything(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine", "utf-8")
    assert main(["demo", "--hands", "1", "--out", str(tmp_path / "games")]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert contents(tmp_path) == {f"games/{name}": "mine"}


def foreign(path: Path, kind: str, elsewhere: Path) -> None:
    elsewhere.write_text("mine", "utf-8")
    if kind == "file":
        path.write_text("mine", "utf-8")
    else:
        path.symlink_to(elsewhere if kind == "link" else elsewhere.parent / "dangling")


FOREIGN = pytest.mark.parametrize("kind", ["file", "link", "dangling"])


@FOREIGN
def test_what_comes_to_a_place_while_the_work_is_done_stays(kind: str, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "page.html", tmp_path / "elsewhere"
    prepare_file(path)
    foreign(path, kind, elsewhere)
    before = contents(tmp_path)
    with pytest.raises(UserError, match="is there already"):
        write_file(path, b"ours")
    assert contents(tmp_path) == before
    assert path.is_symlink() == (kind != "file")


@FOREIGN
@pytest.mark.parametrize(
    "words",
    [
        ("page", str(HAND), "-o"),
        ("replay", str(HAND), "--export"),
        ("conformance", "vectors", "false", "--every", "9999", "--report"),
        ("conformance", "vectors", "false", "--every", "9999", "--junit"),
        ("audit", str(HAND), "--save-evidence"),
    ],
)
def test_no_command_writes_over_what_is_there(
    words: tuple[str, ...], kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made.svg"
    foreign(path, kind, tmp_path / "elsewhere")
    before = contents(tmp_path)
    assert main([*words, str(path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("words", [("page", str(HAND), "-o"), ("replay", str(HAND), "--export")])
def test_a_link_that_is_made_during_the_work_is_not_followed(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, elsewhere = tmp_path / "made.svg", tmp_path / "elsewhere"
    audited = Auditor.finish

    def meanwhile(auditor: Auditor) -> Report:
        foreign(path, "link", elsewhere)
        return audited(auditor)

    monkeypatch.setattr(Auditor, "finish", meanwhile)
    assert main([*words, str(path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert elsewhere.read_text("utf-8") == "mine"


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(UserError, match="cannot be written: File too large"):
            write_file(tmp_path / "new", bytes(101))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("seat", [0, 9, 63])
def test_evidence_against_any_seat_of_a_charter_is_known_as_ours(tmp_path: Path, seat: int) -> None:
    save_evidence(tmp_path, seat, b"\x96\xafp2p304 evidence and what it says")
    assert strangers_in(tmp_path) == ()


def test_evidence_replaces_evidence_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "evidence-seat-2.p304e"
    evidence = b"\x96\xafp2p304 evidence and what it says"
    for _ in range(2):
        assert save_evidence(tmp_path, 2, evidence) == path
    path.write_text("mine", "utf-8")
    with pytest.raises(Exception, match="is there already"):
        save_evidence(tmp_path, 2, evidence)
    assert path.read_text("utf-8") == "mine"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match="is there already"):
        save_evidence(tmp_path, 2, evidence)


def test_a_table_with_a_strange_file_in_it_is_not_removed(tmp_path: Path) -> None:
    directory = make_table_directory(tmp_path / "home", TABLE)
    (directory / "bot-1").mkdir(mode=0o700)
    for name in ("bot-1/output.txt", f"{TABLE.hex()}-000000.p304", "journal.123.new"):
        (directory / name).write_text("ours", "utf-8")
    (directory / "bot-1" / "notes.txt").write_text("mine", "utf-8")
    before = contents(directory)
    (record,) = table_records(tmp_path / "home")
    with pytest.raises(Exception, match=r"bot-1/notes\.txt, which p2p304 did not write"):
        forget_table(record)
    assert contents(directory) == before
    (directory / "bot-1" / "notes.txt").unlink()
    forget_table(record)
    assert not directory.exists()


@pytest.mark.skipif(os.name != "posix", reason="a system without these modes")
def test_every_new_directory_above_the_home_is_ours_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_home(tmp_path / "a" / "b" / "home")
    finally:
        os.umask(before)
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "home"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700] * 3


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


# --- log ------------------------------------------------------------------------------------------

# `p2p304 --log FILE`: what a report of a bug needs, in a file of ours alone, and nothing else.


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    ended(0)


def logged(path: Path) -> str:
    return path.read_bytes().removeprefix(HEADING).decode()


def fail_with(secret: str) -> None:
    kept = secret  # a value of a variable, which no traceback may show
    raise RuntimeError(f"something is wrong with {len(kept)} letters")


def test_versions_connections_and_errors_are_in_it_and_no_values_of_variables(
    tmp_path: Path,
) -> None:
    path = tmp_path / "report.log"
    begin(path, "p2p304 join")

    async def connect() -> None:
        async with EmbeddedBroker() as broker, transport(broker.port):
            pass

    asyncio.run(connect())
    logging.getLogger("asyncio").error("Task exception was never retrieved")
    try:
        fail_with("".join(("ge", "heim")))
    except RuntimeError as error:
        failed(error)
    ended(70)
    text = logged(path)
    assert "p2p304 join begins: p2p304 0" in text
    assert "websockets 1" in text
    assert "connected: Connected to mqtt://127.0.0.1" in text
    assert "closed: " in text
    assert "Task exception was never retrieved" in text
    assert "in fail_with\n" in text
    assert "RuntimeError: something is wrong with 6 letters" in text
    assert "geheim" not in text
    assert text.endswith(": ends with 70\n")


@pytest.mark.skipif(os.name != "posix", reason="modes and links are those of POSIX")
def test_it_is_ours_alone_and_the_second_run_appends_to_it(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    before = os.umask(0)
    try:
        begin(path, "p2p304 host")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    ended(0)
    begin(path, "p2p304 resume")
    ended(0)
    assert path.read_bytes().count(HEADING) == 1
    assert "p2p304 host begins" in logged(path)
    assert "p2p304 resume begins" in logged(path)


def test_what_no_log_of_ours_is_stays_as_it_is(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("three years of work\n")
    thesis.chmod(0o600)
    empty = tmp_path / "empty"
    empty.touch(mode=0o600)
    link = tmp_path / "link"
    link.symlink_to(thesis)
    for path in (thesis, empty, link, tmp_path, tmp_path / "missing" / "report.log"):
        with pytest.raises(UserError, match="name another file"):
            begin(path, "p2p304 host")
    assert thesis.read_text() == "three years of work\n"
    assert empty.read_bytes() == b""
    assert not (tmp_path / "missing").exists()


def test_a_terminal_that_shows_it_obeys_nobody(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    begin(path, "p2p304 host")
    failed(TransportError(Trouble.LOST, "gone \x1b[2J\x9b31m \u202e away"))
    assert not {"\x1b", "\x9b", "\u202e"} & set(logged(path))
    assert "gone \\x1b[2J" in logged(path)


def test_what_others_do_does_not_fill_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    file = LogFile(path)
    os.truncate(path, LARGEST_LOG)  # as after a long time
    file.emit(logging.LogRecord("cli", logging.INFO, "", 0, "one more", None, None))
    file.close()
    assert path.stat().st_size == LARGEST_LOG


def test_processes_that_the_command_starts_write_into_it_too(tmp_path: Path) -> None:
    path = tmp_path / "report.log"
    demo = ("demo", "--hands", "1", "--seed", "304")
    variables = {**os.environ, HOME_VARIABLE: str(tmp_path)}
    done = run_program("--log", str(path), *demo, variables=variables, directory=tmp_path)
    assert done.returncode == 0, done.stderr
    begun = [line for line in logged(path).splitlines() if " begins: " in line]
    assert [line.partition(": p2p304 ")[2].split()[0] for line in begun].count("bot") == 4
    assert "p2p304 demo begins" in logged(path)
