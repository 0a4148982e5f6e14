"""A test that fails in a loop over cases tells which one it was at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cases import cases


class Wordless:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise ValueError("no words")


def looked_at(*rows: tuple[str, object]) -> None:
    for place, (text, _more) in enumerate(rows):
        for sign in ("", "x"):
            with pytest.raises(ValueError):
                int(f"{text}{sign}")
        assert not place


def test_a_failure_in_loops_names_the_case_of_each() -> None:
    with pytest.raises(pytest.fail.Exception) as caught:
        looked_at(("4", Wordless()), ("b", 0))
    outer, inner = cases(caught)
    assert ": place = 0, text = '4', _more = <Wordless instance at 0x" in outer
    assert inner.endswith(": sign = ''")


def test_a_failure_behind_a_loop_names_no_case_of_it() -> None:
    with pytest.raises(AssertionError) as caught:
        looked_at(("a", 0), ("b", 0))
    assert [each.partition(": ")[2] for each in cases(caught)] == [
        "place = 1, text = 'b', _more = 0"
    ]


def called(*acts: Callable[[], object]) -> None:
    for act in acts:
        act()


def test_a_function_is_told_by_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        called(lambda: 1, lambda: 1 // 0)
    line = caught.traceback[-1].frame.code.firstlineno + 1
    assert next(cases(caught)).endswith(f": act = what line {line} does")
