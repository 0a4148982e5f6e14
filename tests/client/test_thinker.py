"""The process in which bots and hints think: questions in, answers out, and nothing that hangs."""

from __future__ import annotations

import io
import pickle
import struct
import subprocess
import sys
import threading
from types import MappingProxyType

import pytest

from cli.front.assistant import hint
from cli.front.writing import Writer
from cli.thinker import Decision, Thinker, answered, main
from p2p304.bots.advice import Advice
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.table.tiny_game import TinyGame

GAME = create_game("41")


def asked(*, turn: bool = True) -> Decision:
    """What the seat is to do that cuts, or another one meanwhile."""
    table = OpenTable(GAME, GAME.pack, SeededRandomness(1))
    (seat,) = GAME.contributors(table.state)
    view = table.view(seat if turn else Seat((seat + 1) % 4))
    return Decision(GAME, view, seed=1, level="random", seconds=0)


class Packer(pickle.Pickler):
    """Packs a question as a seat does."""

    def reducer_override(self, given: object) -> object:
        return (dict, (dict(given),)) if type(given) is MappingProxyType else NotImplemented


def packed(question: object) -> bytes:
    buffer = io.BytesIO()
    Packer(buffer).dump(question)
    return struct.pack(">I", len(buffer.getvalue())) + buffer.getvalue()


def answers(monkeypatch: pytest.MonkeyPatch, said: bytes) -> list[object]:
    """What the process answers to what comes over its pipe, until the pipe ends."""
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said)))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
    main()
    found, rest = [], out.getvalue()
    while rest:
        (length,) = struct.unpack(">I", rest[:4])
        found.append(pickle.loads(rest[4 : 4 + length]))
        rest = rest[4 + length :]
    return found


def test_each_question_is_answered_in_turn_and_the_end_of_the_pipe_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = asked()
    first, wrong, second = answers(
        monkeypatch, packed(question) + packed(asked(turn=False)) + packed(question)
    )
    assert first == second == answered(question)
    assert isinstance(wrong, ValueError), "it is not that seat's turn"


def test_the_process_knows_what_bots_know_before_it_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cli.thinker"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "p2p304.bots.search.player" in done.stderr


def test_a_process_that_was_begun_before_is_the_one_that_is_asked() -> None:
    with Thinker() as thinker:
        thinker.begin()
        begun = thinker._process
        assert begun is not None
        assert thinker.ask(asked()) == answered(asked())
        thinker.begin()
        assert thinker._process is begun
    assert begun.poll() is not None


def test_beginning_does_not_wait_for_what_is_being_asked() -> None:
    asking, answer = threading.Event(), threading.Event()

    class Slow(str):
        """A level that takes long to be sent."""

        __slots__ = ()

        def __reduce__(self) -> tuple[type[str], tuple[str]]:
            asking.set()
            answer.wait()
            return str, ("beginner",)

    with Thinker() as thinker:
        other = threading.Thread(
            target=thinker.ask, args=(asked()._replace(level=Slow("beginner")),)
        )
        other.start()
        asking.wait()
        beginning = threading.Thread(target=thinker.begin)
        beginning.start()
        beginning.join(60)
        waits = beginning.is_alive()
        answer.set()
        other.join()
        beginning.join()
    assert not waits


@pytest.mark.parametrize("kept", [0, 2, 40])
def test_a_pipe_that_ends_amid_a_question_ends_it_too(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    assert answers(monkeypatch, packed(asked())[:kept]) == []


def test_what_cannot_be_imported_there_is_left_to_whoever_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = b"\x80\x04\x8c\x0bno_such_mod\x94\x8c\x04Game\x94\x93\x94."
    assert answers(monkeypatch, struct.pack(">I", len(gone)) + gone) == [None]


def test_a_game_that_no_other_process_can_have_is_thought_about_here() -> None:
    class Own(TinyGame):
        """A game that cannot be packed: it is known nowhere else."""

    game = Own(2, target=3)
    table = OpenTable(game, game.pack, SeededRandomness(1))
    seat = game.contributors(table.state)[0]
    question = Decision(game, table.view(seat), seed=1, level="random", seconds=0)
    with Thinker() as thinker:
        found = thinker.ask(question)
    assert found.action in game.legal_actions(table.view(seat))


def test_a_hint_says_what_a_bot_would_do_and_nothing_out_of_turn() -> None:
    question = asked()

    def ask(decision: Decision) -> Advice:
        return answered(decision._replace(level="random"))

    assert hint(GAME, question.view, Writer(4), ask).startswith("A bot would ")
    with pytest.raises(ValueError, match="no legal action"):
        hint(GAME, asked(turn=False).view, Writer(4), ask)
