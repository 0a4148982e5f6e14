"""Rulings: what a referee may do and signs, and what seats and screens make of it."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.commands.screen import result_lines
from cli.commands.tournament_bots import enter_teams, home_of
from cli.commands.tournament_play import WantedRuling, seen, sign_once
from cli.commands.tournament_record import Terms
from cli.errors import UserError
from cli.front.narrator import ruled_sentence, ruling_sentence
from cli.front.story import Story, hand_rows
from cli.front.writing import Writer
from cli.local.sitting import SeatOptions, keep_setup, new_setup, new_table
from cli.local.transcripts import HandFiles, transcript_path
from cli.net.address import BrokerAddress
from cli.page.table import table_under
from cli.screen.clientseat import ClientSeat
from cli.screen.desk import Desk, Mode
from cli.screen.footer import keys_line, prompt_lines
from cli.screen.input import press
from cli.screen.model import after_view
from cli.screen.overlays import at_the_end, overlay, show_ruling
from cli.screen.preferences import PlaySettings, ScreenTexts
from cli.screen.render import render
from cli.screen.watching import WatchedTable
from cli.seat.bots import Agree, BotSeat
from cli.seat.channel import SealedLine
from cli.seat.charter_text import charter_lines, game_of, referee_lines, term_lines, whose
from cli.seat.driver import AfterMatch, SeatDriver
from cli.seat.sentences import TableStopped
from cli.seat.setup import ENDLESS, charter_in
from cli.store.hands import hand_file, hand_name, hand_names
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import StoreError, make_table_directory, transcript_name
from cli.tasks import first
from cli.tournament.folder import TournamentFolder
from cli.tournament.match_seat import sit_down, table_of
from cli.wording import hand_label, hand_number, short_label
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from p2p304.tournament.tournament import Elimination, Unit
from protocol.errors import MalformedMessage
from protocol.places import EPOCH
from protocol.seat.view import SeatView
from protocol.seat.watcher import Watcher
from protocol.table.events import ChallengeMade, Event, HandRuled, HandStarted
from protocol.table.rulings import MatchHand
from protocol.table.standing import PenaltyOutcome
from protocol.table.table import TableState
from protocol.topics.commands import CallReferee
from protocol.topics.referee import apply_ruling
from protocol.transcript.auditor import audit_bytes
from protocol.wire import lobby
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, Ruling, RulingVerdict
from protocol.wire.identity import PublicKey, SigningKey
from protocol.wire.messages import SignedMessage, SignedRuling, open_message, sign_ruling
from protocol.wire.terms import KNOWN_TERMS, REFEREE, Term, referees_to_value
from tests.client.highest_card import NAME
from tests.client.moments import MOMENTS
from tests.client.text_person import Terminal, sitting
from tests.loopback import Wire, driver_on
from tests.table.bus import (
    GAME,
    REFEREES,
    refereed,
    refereed_at,
    ruling_at,
    signing_key,
    tell,
    told,
)
from tests.table.championship import (
    OTHER_REFEREE,
    Championship,
    new_charter,
)
from tests.table.championship import REFEREE as CUP_REFEREE
from tests.table.test_tournament_results import MatchTable
from tests.vectors.rehearsal import SAVED_HANDS

# --- whom a charter trusts ------------------------------------------------------------------------


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
    known = PeersFile(tmp_path)
    watched = WatchedTable(terms=term_lines)
    asyncio.run(watched.show(game_of(charter), charter))
    assert watched.desk.mode is Mode.RULING  # until it was read
    panel = overlay(watched.table, watched.desk)
    for lines in (
        tuple(charter_lines(charter, None, known)),
        tuple(whose(charter)),
        table_under(charter).rules,
        panel.lines,
    ):
        told = [line.strip() for line in lines]
        assert KNOWN_TERMS[name].means in told
        assert KNOWN_TERMS[name].lets in told


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
    await terminal.said("accept its rulings? [y/n]")
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
    around = ScreenTexts(charter_text=lambda each: tuple(term_lines(each)), referees=referee_lines)
    seat = ClientSeat(PlaySettings(agree=True), around)
    asking = asyncio.create_task(seat.confirm(RULED, RULED.referees))
    seat.table = MOMENTS["02-auction"]().table
    await asyncio.sleep(0)
    assert LETS in "\n".join(seat.desk.told)
    seat.press("y")
    for _ in range(3):
        await asyncio.sleep(0)
    assert seat.desk.mode is Mode.CHARTER
    assert LETS in "\n".join(seat.desk.told)
    assert "accept its rulings" in " ".join(prompt_lines(seat.table, seat.desk, 76)[1])
    seat.press("enter")
    assert seat.desk.mode is Mode.CHARTER
    seat.press(answer)
    assert await asking is (answer == "y")


# --- a founder's hidden referee -------------------------------------------------------------------


async def hidden(
    place: Path, options: SeatOptions, agree: Agree | None = None, term: str = REFEREE
) -> tuple[SeatDriver, bool]:
    """A guest whose founder puts its own referee into the charter: our driver, and whether it keeps
    that it agreed. Returns once it has signed something under the charter."""
    table, wire = new_table(BrokerAddress.parse("mqtt://127.0.0.1"), NAME, ""), Wire()
    registrar = lobby.Registrar(
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
        async for frame in line.transport.frames():
            payload = line.open(frame)
            if payload[:1] != lobby.PREFIX:
                charter = registrar.charter()
                if isinstance(open_message(payload, charter), SignedMessage):
                    return
                continue
            claim = lobby.from_bytes(payload, seats=3, table=table.watch.table)
            if isinstance(claim, lobby.Claim):
                answer = registrar.take(claim)
                changed = answer.charter.replace(REFEREE.encode(), term.encode())
                board = replace(answer, charter=changed).with_proofs(table.founding.tokens)
                await line.send(lobby.to_bytes(board))

    setup = new_setup(table.invites[1], "Guest")
    async with wire.transport() as ours, wire.transport() as theirs:
        with keep_setup(place, setup) as journal:
            driver = driver_on(ours, place, journal, setup, BotSeat(1, agree=agree), options)
            await first(driver.run(), founder(SealedLine(table.invites[0], theirs)))
            return driver, charter_in(journal.records())[1]


async def test_nothing_is_signed_at_a_table_whose_referee_was_not_named(
    highest_card: None, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=OPTION):
        await hidden(tmp_path, SeatOptions())
    other = frozenset({signing_key(2, "hidden").public})
    with pytest.raises(UserError, match=OPTION):
        await hidden(tmp_path / "other", SeatOptions(trusted=other))


async def test_a_referee_that_was_named_or_accepted_counts_as_named_where_the_seat_goes_on(
    highest_card: None, tmp_path: Path
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
    highest_card: None, tmp_path: Path
) -> None:
    said = "has a term that this p2p304 does not keep .*'refereX' is not known"
    with pytest.raises(UserError, match=said):
        await hidden(tmp_path, SeatOptions(), term="refereX")


def test_no_two_programs_keep_a_term_that_one_of_them_does_not_know() -> None:
    data = RULED.to_bytes().replace(b"referee", b"refereX")
    with pytest.raises(MalformedMessage, match=r"charter\.term"):
        Charter.from_bytes(data)


# --- what was ruled -------------------------------------------------------------------------------


def test_the_file_of_a_stopped_hand_is_written_anew_void_ones_go_and_so_it_is_after_a_death(
    tmp_path: Path,
) -> None:
    table = refereed_at(2, 2)
    session = table.chairs[0].session
    paths = [transcript_path(tmp_path, session.charter, number) for number in (0, 1)]
    files = HandFiles(tmp_path)
    for number in (0, 1):
        files.save(session.table_state, number)
    files.save_open(session)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 3
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL))
    (event,) = told(table, HandRuled)[0]
    files.keep(event, session)
    assert files.transcripts[-1] == paths[0]
    after = paths[0].read_bytes()
    report = audit_bytes(after, lambda _: GAME)
    assert report.valid
    assert report.hands[0].ruling is not None
    for path, data in before.items():  # as if we had died before: the journal has the ruling
        path.write_bytes(data)
    for written in ((paths[0],), ()):
        again = HandFiles(tmp_path)
        again.save_missing(session)
        assert again.transcripts == written
        assert [*tmp_path.iterdir()] == [paths[0]]
        assert paths[0].read_bytes() == after
    table.run(table.all_played(EPOCH + 1))
    files.save_missing(session)
    assert transcript_path(tmp_path, session.charter, EPOCH).exists()


def test_every_verdict_is_told_in_a_sentence_that_acts_on_no_screen() -> None:
    game = agreed_game("304", full_agreement("304", "championship"))
    writer = Writer(4)
    for verdict in RulingVerdict:
        content = Ruling(1, 7, bytes(32), int(verdict), 0b01, "\x1b[2J done")
        line = ruling_sentence(game, content, writer)
        assert line.startswith("The referee ruled on hand 2, round 7: ")
        assert "\x1b" not in line
        assert "done" in line
    assert "North" in ruling_sentence(game, Ruling(0, 1, bytes(32), 2, 1, ""), writer)
    assert ruled_sentence(Ruling(0, 1, bytes(32), 1, 0, ""), (1, 2)).count("2 later hands") == 1
    assert [hand_label(each) for each in (0, EPOCH, 2 * EPOCH + 4)] == [
        "1",
        "1 after ruling",
        "5 after ruling 2",
    ]


def test_a_key_calls_the_referee_with_words_that_are_no_other_keys() -> None:
    table = MOMENTS["02-auction"]().table
    assert "[@] referee" not in [words for words, _ in keys_line(table, Desk())]
    assert press(Desk(), table, "@")[0].notice == "This table has no referee."
    ruled = replace(table, referees=1)
    assert ("[@] referee", "key @") in keys_line(ruled, Desk())
    desk, deed = press(Desk(), ruled, "@")
    for key in "look ?":
        desk, deed = press(desk, ruled, key)
        assert deed is None
    assert "To the referee: look ?_" in prompt_lines(ruled, desk, 80)[1]
    assert press(desk, ruled, "escape") == (Desk(), None)
    assert press(desk, ruled, "enter") == (Desk(), CallReferee("look ?"))


def test_a_ruling_lies_on_the_screen_until_it_was_read_while_play_goes_on() -> None:
    table = MOMENTS["02-auction"]().table
    signed = ruling_at(refereed_at(0, 3), 0, 3, RulingVerdict.PENALTY, against=1)
    desk = show_ruling(Desk(typed="16"), table, HandRuled(signed, ()))
    for key in "16pk":
        desk, deed = press(desk, table, key)
        assert deed is None
    screen = " ".join("\n".join(render(table, desk, 80, 24).text()).split())
    assert "a penalty of three tokens against North" in screen
    assert 'The referee says: "so ruled"' in screen
    assert at_the_end(desk, table).mode is Mode.RULING
    assert press(desk, table, "enter") == (replace(desk, mode=Mode.TABLE), None)


async def test_the_screen_of_a_referee_keeps_each_challenge_until_it_was_read() -> None:
    watched = WatchedTable()
    referees = refereed()
    await watched.show(MOMENTS["02-auction"]().table.game, referees.charter)
    known = referees.chairs[0].session.snapshot
    content = Challenge(0, 0, 3, 9, bytes(32), bytes(32), ())
    for _ in ("to the referee", "to all, after the hand"):
        await watched.tell(ChallengeMade(Seat(1), content, "they whispered"), known)
        assert "they whispered" in "\n".join(watched.frame(80, 24).text())
        watched.press("enter")
        assert watched.desk.mode is Mode.TABLE
    await watched.tell(ChallengeMade(Seat(1), content, "they whispered"), known)
    assert watched.desk.mode is Mode.TABLE


def test_a_hand_after_a_ruling_is_called_by_its_place_since_and_never_by_its_number() -> None:
    table = MOMENTS["02-auction"]().table
    view = table.view()
    later = after_view(replace(table, number=0), EPOCH + 1, view)
    assert "".join(later.news).startswith("Hand 2 after ruling: ")
    screen = "\n".join(render(later, Desk(), 80, 24).text())
    assert "hand 2 after ruling" in screen
    story = Story(table.game, Writer(4))
    started = HandStarted(2 * EPOCH, Seat(1), (10, 10))
    assert "Hand 1 after ruling 2: East deals." in [*story.tell(started, {})]
    hand = MatchHand(EPOCH, PenaltyOutcome((3, -3)), (10, 10), (13, 7))
    rows = [*hand_rows(table.game, (hand,), Writer(4))]
    assert rows[1].startswith(" 1.1  ")
    assert not any(str(EPOCH) in each for each in (*later.news, screen, *rows))
    assert [hand_number(short_label(each)) for each in (0, 7, EPOCH, 3 * EPOCH + 11)] == [
        0, 7, EPOCH, 3 * EPOCH + 11
    ]  # fmt: skip
    for nothing in ("", "0", "1.", ".1", "1.2.3", "-1", "one"):
        with pytest.raises(ValueError, match="a hand is called by a number"):
            hand_number(nothing)


def test_a_hand_after_a_ruling_is_found_by_the_name_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    table = bytes(range(16))
    path = make_table_directory(tmp_path, table) / transcript_name(table, EPOCH + 2)
    path.write_bytes(b"")
    assert hand_name(path) == "00010203/1.3"
    assert hand_names("00010203/") == ["00010203/1.3"]
    assert hand_file("00010203/1.3") == hand_file("00010203/1000003") == str(path)
    with pytest.raises(StoreError, match="nor hand 4 after ruling of"):
        hand_file("00010203/1.4")


# --- ruled seats ----------------------------------------------------------------------------------

# Seats at the table of a match, over a wire, when a referee stops the hand that they play.

pytestmark = pytest.mark.timeout(240)
TERMS = Terms("304", None, (), "4", "none", None, None)
RULING_KEY = SigningKey(b"R" * 32)


class Late(BotSeat):
    """Answers at the moment at which it hears that the hand was stopped."""

    def __init__(self, seed: int, asked: asyncio.Queue[tuple[int, SeatDriver]]) -> None:
        super().__init__(seed, self._hear)
        self.driver: SeatDriver
        self.refusals: list[str] = []
        self._asked = asked
        self._ruled = asyncio.Event()

    async def decide(self, session: SeatView) -> Any:
        """Wait for a ruling, and do then what was allowed before."""
        hand = session.hand()
        action = session.legal_actions()[0]
        await self._asked.put((hand.number, self.driver))
        await self._ruled.wait()
        return action

    async def refused(self, reason: str) -> None:
        """Note that it was refused what it was asked for."""
        self.refusals.append(reason)

    def _hear(self, event: Event, _: SeatView) -> None:
        if isinstance(event, HandRuled):
            self._ruled.set()


async def test_what_was_due_of_a_hand_that_a_referee_stops_is_asked_no_more(tmp_path: Path) -> None:
    ours, urls = RULING_KEY.public, ("mqtt://127.0.0.1:1",)
    charter = TERMS.charter("Cup", ours, (ours,), urls)
    folder, wire = enter_teams(2, tmp_path, charter, RULING_KEY), Wire()
    match = (judged := folder.judged_record).tournament.matches[0]  # type: ignore[union-attr]  # drawn
    table = table_of(judged, match)
    asked: asyncio.Queue[tuple[int, SeatDriver]] = asyncio.Queue()
    async with AsyncExitStack() as stack:
        players = []
        for team, place in ((1, 1), (2, 1), (1, 2), (2, 2)):
            home = home_of(tmp_path, team, place)
            key = IdentityStore(home).key(secrets.token_bytes)
            journal, setup, options = sit_down(folder, judged, match, home, key, SeatOptions())
            stack.enter_context(journal)
            player, transport = Late(team, asked), wire.transport()
            await stack.enter_async_context(transport)
            player.driver = driver_on(transport, home, journal, setup, player, options)
            players.append(player)
        runs = [asyncio.create_task(each.driver.run()) for each in players]
        number, driver = await asked.get()
        assert number == 0
        state, redeal = driver.session.table_state, RulingVerdict.REDEAL
        content = ruling_about(state, redeal, 0, "", hand=None, closed=None)
        stranger = await stack.enter_async_context(wire.transport())
        line = SealedLine(folder.invite(table.table), stranger)
        await line.send(sign_ruling(table, content, RULING_KEY).raw)
        while number != EPOCH:
            number, _ = await asked.get()
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
    assert not any(player.refusals for player in players)


async def test_a_walk_over_before_the_first_hand_is_told_to_its_end(tmp_path: Path) -> None:
    rules = full_agreement("304", "championship")
    system = Elimination((4,), None, Unit.TOKENS)
    cup = Championship(2, new_charter(system, brokers=(), profiles=(rules,))).drawn()
    charter = table_of(cup.judged, cup.match(1))
    table = MatchTable(cup, charter, agreed_game("304", rules))
    session = table.chairs[0].session
    point = ruling_about(
        session.table_state, RulingVerdict.WALK_OVER, 2, "", hand=None, closed=None
    )
    tell(table, sign_ruling(charter, point, CUP_REFEREE))
    screen, person = ClientSeat(PlaySettings()), sitting(tmp_path)
    await screen.begin(lambda: session.snapshot)
    await person.seat.begin(lambda: session.snapshot)
    after = AfterMatch(ENDLESS)
    for event in table.chairs[0].events:
        await screen.tell(event, session.snapshot)
        await person.seat.tell(event, session.snapshot)
        after.hear(event, session)
    assert "East-West did not come" in "\n".join(screen.frame(80, 24).text())
    screen.press("enter")
    assert "North-South win the match: " in "\n".join(screen.frame(80, 24).text())
    assert "North-South win the match" in "\n".join(result_lines(after.endings, session.snapshot))
    assert "North-South win the match" in person.said()
    assert "Hand  North-South" not in person.said()


# --- what a referee signs -------------------------------------------------------------------------


def ruling_about(
    state: TableState,
    verdict: RulingVerdict,
    against: int,
    text: str,
    *,
    hand: int | None,
    closed: int | None,
) -> Ruling:
    """What a referee says with the command, of sides in place of teams."""
    teams = ("one", "other")
    named = tuple(team for side, team in enumerate(teams) if against >> side & 1)
    word = verdict.name.lower().replace("_", "-")
    return WantedRuling(1, word, named, hand, closed, text).at(state, teams)


def test_a_ruling_is_about_the_newest_point_or_an_earlier_one_that_was_seen() -> None:
    state = refereed_at(1, 3).chairs[0].session.table_state
    penalty = RulingVerdict.PENALTY
    newest = ruling_about(state, penalty, 1, "why", hand=None, closed=None)
    assert (newest.hand, newest.closed) == (1, 3)
    earlier = ruling_about(state, penalty, 1, "", hand=0, closed=2)
    assert (earlier.hand, earlier.closed) == (0, 2)
    for hand, closed in ((1, 4), (2, None), (2, 0)):
        with pytest.raises(UserError, match="has not come to that point"):
            ruling_about(state, penalty, 1, "", hand=hand, closed=closed)


def test_before_the_first_hand_a_team_that_never_comes_can_lose(tmp_path: Path) -> None:
    table = refereed(confirmed=False)
    state = table.chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.WALK_OVER, 1, "", hand=None, closed=None)
    ruling = sign_once(state, content, REFEREES[0], tmp_path)
    assert apply_ruling(state, ruling) is not None
    redeal = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    with pytest.raises(UserError):
        sign_once(state, redeal, REFEREES[0], tmp_path / "elsewhere")


def test_what_was_signed_is_on_the_disk_and_a_second_ruling_is_refused(tmp_path: Path) -> None:
    table = refereed_at(0, 3)
    state = table.chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    ruling = sign_once(state, content, REFEREES[0], tmp_path)
    (path,) = tmp_path.glob("*.p304r")
    assert path.read_bytes() == ruling.raw
    assert sign_once(state, content, REFEREES[0], tmp_path) == ruling
    for verdict, against, closed in (
        (RulingVerdict.NO_ACTION, 0, 3),
        (RulingVerdict.PENALTY, 1, 3),
        (RulingVerdict.END, 0, 2),
    ):
        other = ruling_about(state, verdict, against, "", hand=0, closed=closed)
        with pytest.raises(UserError, match=r"convict you of ruling\.twice"):
            sign_once(state, other, REFEREES[0], tmp_path)
    tell(table, ruling)
    after = table.chairs[0].session.table_state
    assert sign_once(after, content, REFEREES[0], tmp_path) == ruling
    assert table.chairs[0].session.table_state.rulings.signed == (ruling,)


def test_a_ruling_of_another_referee_takes_no_memory_of_ours(tmp_path: Path) -> None:
    state = refereed_at(0, 3, referees=2).chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.REDEAL, 0, "", hand=None, closed=None)
    other = ruling_about(state, RulingVerdict.END, 0, "", hand=None, closed=None)
    sign_once(state, content, REFEREES[0], tmp_path)
    sign_once(state, other, REFEREES[1], tmp_path)
    with pytest.raises(UserError, match=r"convict you of ruling\.twice"):
        sign_once(state, other, REFEREES[0], tmp_path)


def test_what_cannot_be_ruled_is_not_signed(tmp_path: Path) -> None:
    state = refereed_at(0, 3).chairs[0].session.table_state
    content = ruling_about(state, RulingVerdict.PENALTY, 0, "", hand=None, closed=None)
    with pytest.raises(UserError, match="walk-over name a team, --against"):
        sign_once(state, content, REFEREES[0], tmp_path)
    assert not [*tmp_path.iterdir()]


class Contradicted(NamedTuple):
    """A match whose two referees have ruled against each other."""

    cup: Championship
    folder: TournamentFolder
    table: Charter
    rulings: tuple[SignedRuling, SignedRuling]


def contradicted(tmp_path: Path) -> Contradicted:
    agreed = full_agreement("304", "championship")
    system = Elimination((7,), None)
    charter = new_charter(system, profiles=(agreed,), brokers=("mqtt://127.0.0.1:1",))
    cup = Championship(2, charter).drawn()
    folder = TournamentFolder.make(tmp_path / "cup", cup.record, bytes(range(32)))
    table = table_of(cup.judged, cup.match(1))
    state = Watcher(charter=table, game=game_of(table), referee=CUP_REFEREE).table_state
    one, other = (
        sign_ruling(table, ruling_about(state, verdict, 1 << side, "", hand=None, closed=None), by)
        for side, (verdict, by) in enumerate(
            ((RulingVerdict.WALK_OVER, CUP_REFEREE), (RulingVerdict.DISQUALIFIED, OTHER_REFEREE))
        )
    )
    return Contradicted(cup, folder, table, (one, other))


async def stopped_seat(found: Contradicted, root: Path, wire: Wire, *, again: bool) -> str:
    """Why the first seat stops, which others tell, or its own journal when it comes back."""
    cup, folder = found.cup, found.folder
    key = cup.keys[found.table.seats[0].key]
    journal, setup, _ = sit_down(folder, cup.judged, cup.match(1), root, key, SeatOptions())
    try:
        async with wire.transport() as transport, wire.transport() as theirs:
            options = SeatOptions(linger=0.0)
            driver = driver_on(transport, root, journal, setup, BotSeat(0), options, key)
            run = asyncio.create_task(driver.run())
            line = SealedLine(setup.invite, theirs)
            while not again and not run.done():
                for each in found.rulings:
                    await line.send(each.raw)
                await asyncio.sleep(0.05)  # until it has come to hear
            with pytest.raises(TableStopped) as stopped:
                await run
    finally:
        journal.close()
    return str(stopped.value)


@pytest.mark.timeout(120)
async def test_referees_who_rule_against_each_other_are_both_told_also_to_who_comes_back(
    tmp_path: Path,
) -> None:
    found, wire = contradicted(tmp_path), Wire()
    told = await stopped_seat(found, tmp_path / "home", wire, again=False)
    assert "Referees 1 and 2 ruled against each other. Referee 1 ruled on hand 1" in told
    assert "a walk-over: North-South did not come, and have lost the match." in told
    assert "Referee 2 ruled on hand 1, round 0: East-West are disqualified" in told
    assert "a referee decides match 1 in the tournament's record" in told
    assert await stopped_seat(found, tmp_path / "home", wire, again=True) == told


@pytest.mark.timeout(60)
async def test_a_referee_learns_from_the_table_that_rulings_contradict_each_other(
    tmp_path: Path,
) -> None:
    found, wire = contradicted(tmp_path), Wire()
    invite = found.folder.invite(found.table.table)
    async with wire.transport() as transport, wire.transport() as theirs:
        looking = seen(SealedLine(invite, transport), (found.table,), OTHER_REFEREE)
        run = asyncio.create_task(looking)
        line = SealedLine(invite, theirs)
        while not run.done():
            for each in found.rulings:
                await line.send(each.raw)
            await asyncio.sleep(0.05)
        with pytest.raises(TableStopped, match="Referees 1 and 2 ruled against each other"):
            await run
