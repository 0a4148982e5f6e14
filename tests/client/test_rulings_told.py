"""What a referee's rulings do to the files of a seat, and the sentences that tell of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cli.front.course import Course, hand_rows, match_rows
from cli.front.rulings import challenge_sentence, ruled_sentence, ruling_sentence
from cli.front.story import Story
from cli.front.writing import Writer
from cli.screen import desk as desks
from cli.screen.desk import Desk, Mode
from cli.screen.input import press
from cli.screen.model import viewed
from cli.screen.overlays import at_the_end, ruled
from cli.screen.prompts import keys_line, prompt_lines
from cli.screen.render import render
from cli.screen.watching import WatchedTable
from cli.seat.sentences import narrator_for, told_in_line
from cli.seat.transcripts import HandFiles, transcript_path
from cli.store.hands import hand_file, hand_name, hand_names
from cli.store.paths import StoreError, make_table_directory, transcript_name
from cli.wording import hand_called, hand_label, short_label
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.places import EPOCH
from protocol.table.events import (
    ChallengeMade,
    HandRuled,
    HandStarted,
    HandUnfinished,
    RulingHeard,
)
from protocol.table.rulings import MatchHand
from protocol.topics.commands import CallReferee
from protocol.topics.referee import PenaltyOutcome
from protocol.transcript.auditor import audit_bytes
from protocol.wire.contents import Challenge, Ruling, RulingVerdict
from tests.client.moments import MOMENTS
from tests.table.refereed import GAME, played_to, refereed, ruling_at, tell, told


def test_the_file_of_a_stopped_hand_is_written_anew_and_void_ones_are_removed(
    tmp_path: Path,
) -> None:
    table = played_to(refereed(), 2, 2)
    session = table.chairs[0].session
    files = HandFiles(tmp_path)
    for number in (0, 1):
        files.save(session.table_state, number)
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL))
    (event,) = told(table, HandRuled)[0]
    files.keep(event, session)
    paths = [transcript_path(tmp_path, session.charter, number) for number in (0, 1)]
    assert [path.exists() for path in paths] == [True, False]
    assert files.written[-1] == paths[0]
    report = audit_bytes(paths[0].read_bytes(), lambda _: GAME)
    assert report.valid
    assert report.hands[0].ruling is not None
    table.run(table.all_played(EPOCH + 1))
    files.save_missing(session)
    assert transcript_path(tmp_path, session.charter, EPOCH).exists()


def test_a_seat_that_died_before_it_wrote_what_was_ruled_writes_it_when_it_comes_back(
    tmp_path: Path,
) -> None:
    table = played_to(refereed(), 2, 2)
    session = table.chairs[0].session
    before = HandFiles(tmp_path)
    for number in (0, 1):
        before.save(session.table_state, number)
    before.save_open(session)
    assert len([*tmp_path.iterdir()]) == 3
    tell(table, ruling_at(table, 0, 3, RulingVerdict.REDEAL))
    HandFiles(tmp_path).save_missing(session)  # the journal has the ruling, the files have not
    (path,) = tmp_path.iterdir()
    assert path == transcript_path(tmp_path, session.charter, 0)
    report = audit_bytes(path.read_bytes(), lambda _: GAME)
    assert report.valid
    assert report.hands[0].ruling is not None
    again = HandFiles(tmp_path)
    again.save_missing(session)
    assert again.written == []


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


def test_a_challenge_is_told_with_its_words_only_where_they_are_known() -> None:
    content = Challenge(0, 0, 3, 9, bytes(32), bytes(32), ())
    assert challenge_sentence("East", content, None).endswith("(hand 4, round 9).")
    told_words = challenge_sentence("East", content, "\x07they whispered")
    assert told_words.endswith('they whispered"')
    assert "\x07" not in told_words


def test_a_hand_that_nobody_but_the_referee_ended_is_told_so() -> None:
    table = refereed(confirmed=False)
    line = told_in_line(narrator_for(table.charter, table.game), HandUnfinished(0, ()))
    assert line.startswith("The referee ended the hand")


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
    referees = refereed()
    table = MOMENTS["02-auction"]().table
    signed = ruling_at(played_to(referees, 0, 3), 0, 3, RulingVerdict.PENALTY, against=1)
    desk = ruled(Desk(typed="16"), table, HandRuled(signed, ()))
    for key in "16pk":
        desk, deed = press(desk, table, key)
        assert deed is None
    screen = " ".join("\n".join(render(table, desk, 80, 24).text()).split())
    assert "a penalty of three tokens against North" in screen
    assert 'The referee says: "so ruled"' in screen
    assert at_the_end(desk, table).mode is Mode.RULING
    assert press(desk, table, "enter") == (replace(desk, mode=Mode.TABLE), None)


def test_that_play_goes_on_disturbs_nobody_who_writes_or_chooses() -> None:
    table = replace(MOMENTS["02-auction"]().table, referees=1)
    signed = ruling_at(played_to(refereed(), 0, 3), 0, 3, RulingVerdict.NO_ACTION)
    assert ruled(Desk(), table, RulingHeard(signed)).mode is Mode.RULING
    writing, _ = press(Desk(), table, "@")
    assert ruled(writing, table, RulingHeard(signed)) == writing
    stopped = ruling_at(played_to(refereed(), 0, 3), 0, 3, RulingVerdict.REDEAL)
    later = ruled(writing, table, HandRuled(stopped, ()))
    assert later.mode is Mode.CHALLENGE
    assert press(later, table, "escape")[0].mode is Mode.RULING


def test_who_only_looks_on_is_offered_no_key_of_the_players() -> None:
    table = replace(MOMENTS["02-auction"]().table, referees=1, seat=None, waiting=(Seat(1),))
    shown = [words for words, _ in keys_line(table, Desk())]
    assert not {"[@] referee", "[+] substitute"} & {*shown}


async def test_the_screen_of_a_referee_keeps_each_challenge_until_it_was_read() -> None:
    watched = WatchedTable()
    referees = refereed()
    await watched.show(MOMENTS["02-auction"]().table.game, referees.charter)
    known = referees.chairs[0].session.seen
    content = Challenge(0, 0, 3, 9, bytes(32), bytes(32), ())
    for _ in ("to the referee", "to all, after the hand"):
        await watched.tell(ChallengeMade(Seat(1), content, "they whispered"), known)
        assert "they whispered" in "\n".join(watched.frame(80, 24).text())
        watched.press("enter")
        assert watched.desk.mode is Mode.TABLE
    await watched.tell(ChallengeMade(Seat(1), content, "they whispered"), known)
    assert watched.desk.mode is Mode.TABLE


def test_a_match_with_a_penalty_in_it_is_told_to_its_end() -> None:
    table = MOMENTS["02-auction"]().table
    penalty = MatchHand(0, PenaltyOutcome((3, 0)), (0, 0), (3, 0))
    course = Course((penalty,), 0, (3, 0))
    told_rows = [*match_rows(table.game, course, Writer(4))]
    assert told_rows[0].startswith("North-South win the match after 0 hands: ")
    assert told_rows[1] == "What the referee ruled of hand 1 decided it."


def test_at_the_end_of_a_match_of_a_tournament_no_other_one_is_offered() -> None:
    table = MOMENTS["02-auction"]().table
    penalty = MatchHand(0, PenaltyOutcome((3, 0)), (0, 0), (3, 0))
    over = replace(table, match=Course((penalty,), 0, (3, 0)))
    usual, last = Desk(mode=Mode.MATCH), Desk(mode=Mode.MATCH, again=False)
    assert "again as you sit" in "\n".join(render(over, usual, 80, 24).text())
    screen = "\n".join(render(over, last, 80, 24).text())
    assert "The match is over. Enter leaves the table." in screen
    assert "again" not in screen
    assert press(last, over, "r") == (last, None)
    assert press(last, over, "enter")[1] is desks.Wish.CLOSE


def test_a_hand_after_a_ruling_is_called_by_its_place_since_and_never_by_its_number() -> None:
    table = MOMENTS["02-auction"]().table
    view = table.view()
    assert view is not None
    later = viewed(replace(table, number=0), EPOCH + 1, view)
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
    assert [hand_called(short_label(each)) for each in (0, 7, EPOCH, 3 * EPOCH + 11)] == [
        0, 7, EPOCH, 3 * EPOCH + 11,
    ]  # fmt: skip
    for nothing in ("", "0", "1.", ".1", "1.2.3", "-1", "one"):
        with pytest.raises(ValueError, match="a hand is called by a number"):
            hand_called(nothing)


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
