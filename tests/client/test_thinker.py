"""The process in which bots and hints think: questions in, answers out, and nothing that hangs."""

from __future__ import annotations

import io
import pickle
import struct
import subprocess
import sys
import threading
from types import MappingProxyType
from typing import Any

import pytest

from cli.front.assistant import hint
from cli.front.writing import Writer
from cli.thinker import Decision, Thinker, answered, main
from p2p304.bots.advice import Advice
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable
from tests.client.highest_card.rules import Highest

GAME = create_game("41")


def question(*, seconds: float = 0, game: Any = GAME, level: str = "beginner") -> Decision:
    """What the first seat is to do that has a choice which is no cut."""
    deck = list(game.pack)
    SeededRandomness(2).shuffle(deck)
    table = OpenTable(game, deck, SeededRandomness(1), checks=False)
    while True:
        (seat, *_) = game.contributors(table.state)
        legal = game.legal_actions(table.view(seat))
        if len(legal) > 1 and type(legal[0]).__name__ != "Cut":
            return Decision(game, table.view(seat), 7, level, seconds)
        table.act(seat, legal[0])


def of_another(asked: Decision) -> Decision:
    """What a seat is to do whose turn it is not."""
    game = asked.game
    return asked._replace(view=OpenTable(game, game.pack, SeededRandomness(1)).view(None))


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


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were begun to think in."""
    found: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            found.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return found


# --- its process ----------------------------------------------------------------------------------


def test_each_question_is_answered_in_turn_and_the_end_of_the_pipe_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = question()
    first, wrong, second = answers(
        monkeypatch, packed(asked) + packed(of_another(asked)) + packed(asked)
    )
    assert first == second == answered(asked)
    assert isinstance(wrong, ValueError), "it is not that seat's turn"


@pytest.mark.parametrize("kept", [0, 2, 40])
def test_a_pipe_that_ends_amid_a_question_ends_it_too(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    assert answers(monkeypatch, packed(question())[:kept]) == []


def test_what_cannot_be_imported_there_is_left_to_whoever_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = b"\x80\x04\x8c\x0bno_such_mod\x94\x8c\x04Game\x94\x93\x94."
    assert answers(monkeypatch, struct.pack(">I", len(gone)) + gone) == [None]


def test_the_process_knows_what_bots_know_before_it_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cli.thinker"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "p2p304.bots.search.player" in done.stderr


@pytest.mark.parametrize("name", [("304", "pagat"), ("304", "doso_viso"), ("400", "")])
def test_a_process_apart_thinks_as_this_one_does(
    name: tuple[str, str], begun: list[subprocess.Popen[bytes]]
) -> None:
    asked = question(game=create_game(*name))
    with Thinker() as thinker:
        thinker.begin()
        assert thinker.ask(asked) == thinker.ask(asked) == answered(asked)
        with pytest.raises(ValueError, match="no legal action"):
            thinker.ask(of_another(asked))
        thinker.begin()
        (process,) = begun
        assert process.poll() is None
    assert process.poll() is not None


def test_a_process_that_was_killed_is_not_missed(begun: list[subprocess.Popen[bytes]]) -> None:
    asked = question()
    with Thinker() as thinker:
        first = thinker.ask(asked)
        begun[0].kill()
        begun[0].wait()
        assert thinker.ask(asked) == thinker.ask(asked) == first
    assert len(begun) == 2, "another one thinks instead"


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
        other = threading.Thread(target=thinker.ask, args=(question(level=Slow("beginner")),))
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


def test_a_game_that_no_other_process_can_have_is_thought_about_here() -> None:
    class Own(Highest):
        """A game that cannot be packed: it is known nowhere else."""

    asked = question(game=Own())
    with Thinker() as thinker:
        assert thinker.ask(asked).action in asked.game.legal_actions(asked.view)


# --- its clock ------------------------------------------------------------------------------------


class Ticking:
    """Time that passes with every look at it."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


def test_thought_ends_when_the_clock_says_so() -> None:
    brief, long = Ticking(), Ticking()
    few = answered(question(seconds=0.1), brief)
    many = answered(question(seconds=10.0), long)
    assert few.choices
    assert sum(each.visits for each in few.choices) < sum(each.visits for each in many.choices)
    assert brief.now < long.now


class Late:
    """Time that stands still until it was asked for so often, and then is over."""

    def __init__(self, after: int) -> None:
        self.after, self.asked = after, 0

    def __call__(self) -> float:
        self.asked += 1
        return 0.0 if self.asked <= self.after else 1_000.0


@pytest.mark.parametrize(
    ("profile", "phases"),
    [
        ("pagat", {"AUCTION8", "TRICK"}),
        ("six24", {"AUCTION4", "TRICK"}),
        ("maharashtra", {"TRICK"}),
    ],
)
def test_no_decision_of_a_master_goes_on_once_the_time_is_over(
    profile: str, phases: set[str]
) -> None:
    game, most = create_game("304", profile), 6
    ended = set()
    for seed in range(4):
        deck = list(game.pack)
        SeededRandomness(seed).shuffle(deck)
        table = OpenTable(game, deck, SeededRandomness(seed), dealer=Seat(seed % 4), checks=False)
        while table.state.awaiting and not table.state.tricks:
            seat = table.state.awaiting[0]
            clock = Late(most)
            advice = answered(Decision(game, table.view(seat), seed, "master", 0.4), clock)
            assert clock.asked <= most + 3, table.state.phase
            if clock.asked > most:
                ended.add(table.state.phase.name)
            table.act(seat, advice.action)
    assert ended >= phases


def test_a_hint_says_what_a_bot_would_do_and_nothing_out_of_turn() -> None:
    asked = question()

    def ask(decision: Decision) -> Advice:
        return answered(decision._replace(level="random"))

    assert hint(GAME, asked.view, Writer(4), ask).startswith("A bot would ")
    with pytest.raises(ValueError, match="no legal action"):
        hint(GAME, of_another(asked).view, Writer(4), ask)
