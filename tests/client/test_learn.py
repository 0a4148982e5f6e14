"""`p2p304 learn`: the prepared hand goes by the rules, and a learner who errs is told why."""

from __future__ import annotations

import asyncio

import pytest
from click.testing import CliRunner

from cli.commands.learn import command
from cli.errors import ExitCode
from cli.main import main
from cli.screen.desk import Mode
from cli.screen.layout import Layout
from cli.screen.learning import LEAVE, Classroom, LearnScreen
from cli.screen.preferences import PlaySettings
from p2p304.games import GAMES, create_game

SIZES = [(60, 20), (80, 24), (140, 45), (200, 50)]


class Pupil:
    """A learner who presses keys as soon as there is something to press them for."""

    def __init__(self) -> None:
        hand = GAMES["304"].first_hand()
        room = Classroom(create_game("304", hand.parameters), hand)
        self.screen = LearnScreen(room, PlaySettings())

    async def until(self, *modes: Mode) -> None:
        while self.screen.desk.mode not in modes or not (
            self.screen.room.table.choices or self.screen.desk.mode is not Mode.TABLE
        ):
            await asyncio.sleep(0)

    async def read(self) -> None:
        """Read the lesson that comes: each page is whole on every screen."""
        await self.until(Mode.LESSON)
        while self.screen.desk.mode is Mode.LESSON:
            _, page = self.screen.desk.told
            for size in SIZES:
                layout = Layout(*size)
                lines = (line[: layout.left + layout.width] for line in self.frame(*size))
                text = " ".join(" ".join(lines).split())
                assert " ".join(page.split()) in text
                assert "for more" not in text
            self.screen.press("enter")

    def frame(self, columns: int = 80, rows: int = 24) -> tuple[str, ...]:
        return self.screen.frame(columns, rows).text()

    def type(self, *keys: str) -> None:
        for key in keys:
            self.screen.press(key)


async def test_a_learner_plays_the_hand_to_its_end() -> None:
    pupil = Pupil()
    async with asyncio.TaskGroup() as group:
        playing = group.create_task(pupil.screen.run())
        answers = (
            ["1", "6", "0", "enter"], ["a", "h"], ["p"], ["k"], ["enter"], ["j", "c"], ["enter"],
            ["k", "s"], ["enter"], ["a", "h"], ["enter"], ["c", *["enter"] * 4, "y"],
        )  # fmt: skip
        for keys in answers:
            await pupil.read()
            pupil.type(*keys)
        await pupil.until(Mode.SUMMARY)
        assert "called Caps correctly" in "\n".join(pupil.frame())
        pupil.type("enter")
        await pupil.read()
        await playing
    assert pupil.screen.closed.is_set()


async def test_another_choice_is_answered_and_the_lesson_can_be_read_again() -> None:
    pupil = Pupil()
    playing = asyncio.create_task(pupil.screen.run())
    await pupil.read()
    assert pupil.screen.desk.notice == "Bid the least, 160: type 160 and Enter."
    pupil.screen.click("key p")
    assert pupil.screen.title() != ""
    assert pupil.screen.calls() == ""
    assert "nobody else has such cards" in pupil.screen.desk.notice
    assert pupil.screen.room.move.typed == "160"
    pupil.type("h")
    assert pupil.screen.desk.mode is Mode.LESSON
    await pupil.read()
    pupil.type("escape")
    assert pupil.screen.desk.notice == LEAVE
    pupil.type("y")
    assert pupil.screen.closed.is_set()
    playing.cancel()
    await asyncio.wait({playing})


def test_the_end_of_the_input_leaves_no_question_open(capsys: pytest.CaptureFixture[str]) -> None:
    with CliRunner().isolation(input="") as streams:
        assert main(["learn", "--plain"]) == ExitCode.UNUSABLE
        assert streams[0].getvalue().endswith(b"Your choice: \n")
    capsys.readouterr()


def test_it_is_learnt_in_lines_too_and_a_mistake_is_told() -> None:
    typed = ["what", "p", "160", "ah", "p", "k", "", "jc", "", "ks", "", "9c", "ah", ""]
    typed += ["caps", "9c", "caps", ""]
    done = CliRunner().invoke(command, ["--plain"], input="".join(f"{each}\n" for each in typed))
    assert done.exit_code == 0, done.output
    assert done.output.count("nobody else has such cards") == 2
    assert "That is none of the choices." in done.output
    assert done.output.count("Order, or Enter for the certain one") == 2
    assert "The indicator cuts: type ah." in done.output
    assert "called Caps correctly" in done.output
    assert "Your first hand is over" in done.output
