"""A standing follows from the set of what was signed: nothing that is added changes a signed
result, or convicts who signed one thing. The whole walk is `make standings`."""

from __future__ import annotations

import random
from itertools import combinations

from protocol.tournament.acts import end
from protocol.tournament.record import TournamentRecord
from tests.table.championship import ORGANISER, shuffled
from tests.table.histories import (
    FINAL,
    FIRST,
    both_finals,
    check_steps,
    judged_by_a_player,
    of_play,
    record_of,
    sayings,
    standings,
)


def test_no_history_of_three_things_that_are_said_changes_what_was_signed() -> None:
    every = range(len(sayings().said))
    histories = [
        sum(1 << at for at in chosen) for size in range(4) for chosen in combinations(every, size)
    ]
    assert check_steps(standings(histories)) > 1_000


def test_long_histories_change_nothing_that_was_signed_as_they_grow() -> None:
    chance = random.Random(304)
    every = [*range(len(sayings().said))]
    histories = {0}
    for _ in range(20):
        chance.shuffle(every)
        histories |= {sum(1 << at for at in every[:size]) for size in range(len(every) + 1)}
    assert check_steps(standings(histories)) > 200


def test_a_history_is_one_record_and_one_standing_in_whatever_order_it_is_united() -> None:
    chance = random.Random(304)
    start, said = sayings()
    for _ in range(12):
        history = chance.getrandbits(len(said))
        whole = record_of(history)
        assert shuffled(whole, chance.randrange(1000)) == whole
        parts = [record_of(history & chance.getrandbits(len(said))) for _ in range(3)]
        for one, other in ((parts, whole), (parts[::-1], whole)):
            united = start
            for part in (*one, other):
                united = united.with_pieces(*part.raws)
            assert united == whole
        again = TournamentRecord.from_bytes(whole.to_bytes())
        assert whole.size == len(whole.to_bytes())
        assert judged_by_a_player(again).tournament == judged_by_a_player(whole).tournament


def test_an_end_of_any_history_changes_no_signed_result_of_one_that_goes_on() -> None:
    """Whatever the organiser has seen, or says it has, when it ends the tournament."""
    chance, ended, void = random.Random(304), 0, 0
    while not (ended > 20 and void > 20):
        history = chance.getrandbits(len(sayings().said))
        part = judged_by_a_player(record_of(history & chance.getrandbits(len(sayings().said))))
        if part.tournament is None or not part.tournament.finished:
            continue
        whole = record_of(history)
        before = judged_by_a_player(whole)
        after = judged_by_a_player(whole.with_pieces(end(part, ORGANISER)))
        assert after.convictions == before.convictions
        for number in (FIRST, FINAL):
            if of_play(before, number) is not None and not both_finals(history):
                assert of_play(after, number) == of_play(before, number), history
        assert after.tournament == (part if after.ended else before).tournament
        ended, void = ended + after.ended, void + (not after.ended)
