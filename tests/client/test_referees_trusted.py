"""What a charter lets whom do is told before anybody agrees, and a referee's power asked about."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.audit import command as audit_command
from cli.commands.bot import command as bot_command
from cli.commands.join import command as join_command
from cli.errors import UserError
from cli.net.address import BrokerAddress
from cli.page.table import table_under
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Mode
from cli.screen.panels import overlay
from cli.screen.preferences import Around, Habits
from cli.screen.prompts import prompt_lines
from cli.screen.watching import WatchedTable
from cli.seat.bots import Agree, BotSeat
from cli.seat.channel import SealedLine
from cli.seat.charter_text import charter_lines, game_of, referee_lines, term_lines, whose
from cli.seat.driver import SeatDriver
from cli.seat.journal_reader import charter_in
from cli.seat.options import SeatOptions
from cli.seat.sitting import keep_setup, new_setup, new_table
from cli.store.identity import IdentityStore, KnownPeers, fingerprint
from cli.store.paths import table_directory
from cli.tasks import first
from p2p304.games import registered
from p2p304.seats import Seat
from protocol.errors import MalformedMessage
from protocol.wire import lobby
from protocol.wire.authenticate import open_message
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey
from protocol.wire.messages import SignedMessage
from protocol.wire.referee import REFEREE, referees_to_value
from protocol.wire.registrar import Registrar
from protocol.wire.terms import KNOWN_TERMS, Term
from tests.client.highest_card import ENTRY, NAME
from tests.client.moments import MOMENTS
from tests.client.text_person import Terminal, sitting
from tests.loopback import Wire
from tests.table.seating import signing_key
from tests.vectors.hands import SAVED_HANDS

RULED, CONTINUED = (SAVED_HANDS[name].table_of().charter for name in ("ruled", "continued"))
RULER = signing_key(1, "hidden").public
HEX = RULER.to_bytes().hex()
OPTION = f"--trust-referee {HEX}"
LETS = KNOWN_TERMS[REFEREE].lets


# --- told -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KNOWN_TERMS)
def test_every_term_is_told_with_what_it_lets_whom_do_wherever_a_charter_is_shown(
    name: str, tmp_path: Path
) -> None:
    (charter,) = (each for each in (RULED, CONTINUED) if name in {term.name for term in each.terms})
    known = KnownPeers(tmp_path)
    watched = WatchedTable(terms=term_lines)
    asyncio.run(watched.show(game_of(charter), charter))
    assert watched.desk.mode is Mode.RULING  # until it was read
    assert watched.table is not None
    panel = overlay(watched.table, watched.desk)
    assert panel is not None
    for lines in (
        tuple(charter_lines(charter, None, known)),
        tuple(whose(charter)),
        table_under(charter).rules,
        panel.lines,
    ):
        told = [line.strip() for line in lines]
        assert KNOWN_TERMS[name].means in told
        assert KNOWN_TERMS[name].lets in told


def test_a_referee_is_told_by_its_key_and_by_the_name_that_we_know_it_by(tmp_path: Path) -> None:
    known = KnownPeers(tmp_path)
    known.remember(RULED.referees[0], "Kamala")
    key = f"The referee's key: {fingerprint(RULED.referees[0])}"
    assert f"   {key}" in [*term_lines(RULED)]
    assert f"   {key} (known to you as Kamala)" in [*charter_lines(RULED, None, known)]


def test_an_audit_tells_the_terms_of_a_table_once_and_as_json() -> None:
    files = ["specs/vectors/hands/ruled.p304"] * 2
    said = CliRunner().invoke(audit_command, [*files, "--jobs", "1"], standalone_mode=False).output
    assert said.count(LETS) == 1
    done = CliRunner().invoke(
        audit_command, [files[0], "--json", "--jobs", "1"], standalone_mode=False
    )
    (told,) = json.loads(done.output)
    assert told["referees"] == [RULED.referees[0].to_bytes().hex()]
    assert [each["name"] for each in told["terms"]] == ["referee", "tournament"]
    assert LETS in told["terms"][0]["says"]


# --- asked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_lines_ask_for_a_yes_of_its_own_behind_the_charter(
    answer: str, tmp_path: Path
) -> None:
    terminal = Terminal(tmp_path)
    asking = asyncio.create_task(terminal.seat.confirm(RULED, RULED.referees))
    before = await terminal.said("Play under this charter? [y/n]")
    assert LETS in before
    terminal.type("y")
    await terminal.said("accept what is ruled with it? [y/n]")
    assert not asking.done()
    terminal.type(answer)
    assert await asking is (answer == "y")
    terminal.hang_up()


async def test_lines_without_a_terminal_are_refused_with_the_option_that_names_the_key(
    tmp_path: Path,
) -> None:
    person = sitting(tmp_path, alone=True)  # who else would be asked nothing at all
    person.type("y", "y")
    with pytest.raises(UserError, match=OPTION):
        await person.seat.confirm(RULED, (RULER,))
    assert LETS in person.said()
    assert await person.seat.confirm(RULED)  # whose referee was named
    person.end()


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_the_full_screen_asks_for_a_key_of_its_own_and_enter_is_none(answer: str) -> None:
    around = Around(charter_text=lambda each: tuple(term_lines(each)), referees=referee_lines)
    seat = ClientSeat(Habits(agree=True), around)
    asking = asyncio.create_task(seat.confirm(RULED, RULED.referees))
    seat.table = MOMENTS["02-auction"]().table
    await asyncio.sleep(0)
    assert LETS in "\n".join(seat.desk.charter)
    seat.press("y")
    for _ in range(3):
        await asyncio.sleep(0)
    assert seat.desk.mode is Mode.CHARTER
    assert LETS in "\n".join(seat.desk.charter)
    assert "accept what is ruled" in " ".join(prompt_lines(seat.table, seat.desk, 76)[1])
    seat.press("enter")
    assert seat.desk.mode is Mode.CHARTER
    seat.press(answer)
    assert await asking is (answer == "y")


@pytest.mark.parametrize("command", [join_command, bot_command])
def test_a_referee_is_named_by_its_key_and_a_word_that_is_none_is_refused(command: object) -> None:
    done = CliRunner().invoke(command, ["--trust-referee", "me"], standalone_mode=False)  # type: ignore[arg-type]
    assert "'me' is no key: 'p2p304 identity' shows one." in str(done.exception)


# --- a founder's hidden referee -------------------------------------------------------------------


@pytest.fixture
def game() -> Iterator[None]:
    with registered(NAME, ENTRY):
        yield


async def hidden(
    place: Path, options: SeatOptions, agree: Agree | None = None, term: str = REFEREE
) -> tuple[SeatDriver, bool]:
    """A guest whose founder puts its own referee into the charter: our driver, and whether it keeps
    that it agreed. Returns once it has signed something under the charter."""
    table, wire = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, ""), Wire()
    registrar = Registrar(
        table=table.watch.table,
        game=table.founding.game,
        profile=table.founding.profile,
        tokens=table.founding.tokens,
        terms=(Term(REFEREE, referees_to_value((RULER,))),),
    )
    for seat in (0, 2):
        registrar.take(
            lobby.Claim.make(
                table=table.watch.table,
                seat=Seat(seat),
                token=table.founding.tokens[seat],
                key=signing_key(seat),
                nickname=f"Founder {seat}",
                nonce=secrets.token_bytes(32),
            )
        )

    async def founder(line: SealedLine) -> None:
        async for frame in line.frames():
            payload = line.opened(frame)
            assert payload is not None
            if payload[:1] != lobby.PREFIX:
                charter = registrar.charter()
                assert charter is not None
                if isinstance(open_message(payload, charter), SignedMessage):
                    return
                continue
            claim = lobby.from_bytes(payload, seats=3, table=table.watch.table)
            if isinstance(claim, lobby.Claim):
                answer = registrar.take(claim)
                assert isinstance(answer, lobby.Board)
                changed = answer.charter.replace(REFEREE.encode(), term.encode())
                board = replace(answer, charter=changed).proved(table.founding.tokens)
                await line.send(lobby.to_bytes(board))

    setup = new_setup(table.invites[1], "Guest")
    async with wire.transport() as ours, wire.transport() as theirs:
        with keep_setup(place, setup) as journal:
            driver = SeatDriver(
                journal=journal,
                setup=setup,
                key=IdentityStore(place).key(secrets.token_bytes),
                transport=ours,
                player=BotSeat(1, agree=agree),
                directory=table_directory(place, setup.invite.table),
                options=options,
            )
            await first(driver.run(), founder(SealedLine(table.invites[0], theirs)))
            return driver, charter_in(journal)[1]


async def test_nothing_is_signed_at_a_table_whose_referee_was_not_named(
    game: None, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=OPTION):
        await hidden(tmp_path, SeatOptions())
    other = frozenset({signing_key(2, "hidden").public})
    with pytest.raises(UserError, match=OPTION):
        await hidden(tmp_path / "other", SeatOptions(trusted=other))


async def test_a_referee_that_was_named_or_accepted_counts_as_named_where_the_seat_goes_on(
    game: None, tmp_path: Path
) -> None:
    asked: list[tuple[PublicKey, ...]] = []

    async def agree(_: Charter, unnamed: tuple[PublicKey, ...]) -> bool:
        asked.append(unnamed)
        return True

    named = SeatOptions(trusted=frozenset({RULER}))
    for number, (options, agrees) in enumerate(((named, None), (SeatOptions(), agree))):
        driver, agreed = await hidden(tmp_path / str(number), options, agrees)
        assert agreed
        assert driver.options.trusted == {RULER}
    assert asked == [(RULER,)]
    with pytest.raises(UserError, match="You did not agree"):
        await hidden(tmp_path / "refused", SeatOptions(), lambda *_: asyncio.sleep(0, result=False))


async def test_a_term_that_the_program_does_not_know_is_refused_in_a_sentence(
    game: None, tmp_path: Path
) -> None:
    said = "has a term that this p2p304 does not keep .*'refereX' is not known"
    with pytest.raises(UserError, match=said):
        await hidden(tmp_path, SeatOptions(), term="refereX")


def test_no_two_programs_keep_a_term_that_one_of_them_does_not_know() -> None:
    data = RULED.to_bytes().replace(b"referee", b"refereX")
    with pytest.raises(MalformedMessage, match=r"charter\.term"):
        Charter.from_bytes(data)
