"""Functions that processes of our own call: in turn, to their end, and no longer than wanted."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

import psutil
import pytest

from cli.workers import Worker, WorkerEnded, Workers


def doubled(number: int) -> int:
    if number < 0:
        raise ValueError("below nothing")
    return 2 * number


def own_id(_: int) -> int:
    return os.getpid()


def faces(given: MappingProxyType[int, str]) -> MappingProxyType[int, str]:
    return MappingProxyType({**given, 2: "TS"})


def ended_by(number: int) -> int:
    os.kill(os.getpid(), number)
    return number


def begun_for_ever(place: str) -> int:
    Path(place).touch()
    while True:
        time.sleep(60)


def code_of(_: int | str, code: int) -> int:
    return code


@pytest.fixture
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        yield worker


def test_calls_are_answered_one_after_the_other_by_one_process(worker: Worker) -> None:
    assert [worker.call(doubled, each) for each in (1, 2, 3)] == [2, 4, 6]
    assert worker.call(own_id, 0) == worker.call(own_id, 0) != os.getpid()
    with pytest.raises(ValueError, match="below nothing"):
        worker.call(doubled, -1)
    assert worker.call(doubled, 4) == 8


def test_read_only_mappings_are_sent_and_come_back(worker: Worker) -> None:
    assert worker.call(faces, MappingProxyType({1: "JS"})) == {1: "JS", 2: "TS"}


def test_what_nobody_can_import_there_is_told_and_the_next_call_is_answered(
    worker: Worker,
) -> None:
    with pytest.raises((AttributeError, TypeError)):
        worker.call(lambda: None)
    with pytest.raises(TypeError, match="cannot pickle"):
        worker.call(threading.Lock().acquire)  # type: ignore[arg-type]
    assert worker.call(doubled, 4) == 8


def test_the_end_of_whoever_asked_ends_the_process(worker: Worker) -> None:
    process = psutil.Process(worker.call(own_id, 0))
    worker.end()
    process.wait(timeout=300)
    assert worker.call(doubled, 1) == 2, "another one begins"


def test_a_process_that_ends_costs_its_one_call() -> None:
    numbers = [1, 2, signal.SIGKILL, signal.SIGTERM, 3]
    with closing(Workers(2)) as workers:
        found = [
            workers.submit(ended_by if number > 3 else doubled, number, lost=code_of)
            for number in numbers
        ]
        assert [each.result() for each in found] == [2, 4, -signal.SIGKILL, -signal.SIGTERM, 6]


def test_what_is_not_wanted_any_more_is_ended_whatever_it_computes(tmp_path: Path) -> None:
    place = tmp_path / "begun"
    with closing(Workers(1)) as workers:
        process = psutil.Process(workers.submit(own_id, 0, lost=code_of).result())
        endless, later = (
            workers.submit(begun_for_ever, str(each), lost=code_of)
            for each in (place, tmp_path / "later")
        )
        while not place.exists():
            time.sleep(0.01)  # another process is at work
    process.wait(timeout=300)
    for each in (endless, later):
        with pytest.raises(CancelledError):
            each.result()
    assert not (tmp_path / "later").exists()


def test_a_worker_that_was_ended_says_so(worker: Worker) -> None:
    with pytest.raises(WorkerEnded, match=f"exit code -{signal.SIGKILL:d}"):
        worker.call(ended_by, signal.SIGKILL)
