"""Long, seeded campaigns over whole tables: `make campaign`.

Each part prints what it did and how much survived; anything unexpected ends it with an error that
names the seed. The suite runs a sample of every part (test_hands.py).
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from p2p304.errors import ProfileError
from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.profile import FOUR_SEATS, TOGGLES
from protocol.places import Lane, LedgerName
from protocol.table.events import SecondOpinionDiffered, SessionStopped
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from tests.campaigns.frame import asked, say
from tests.table.bus import Table, Weather
from tests.table.cheating import Snoop
from tests.table.test_same_cards import SteadyTable, check_hand

WEATHERS = {
    "loss": Weather(loss=0.3),
    "repeat": Weather(repeat=0.5, reorder=12),
    "2+2": Weather(cut=lambda step, one, other: step % 160 < 80 and (one % 2) != (other % 2)),
    "1+3": Weather(cut=lambda step, one, other: step % 160 < 80 and (one == 1) != (other == 1)),
}


def game_for(seed: int) -> Game304:
    """A profile with up to two house rules, by seed."""
    chance = random.Random(f"game {seed}")
    names = list(FOUR_SEATS)
    while True:
        toggles = chance.sample(list(TOGGLES), chance.choice((0, 0, 1, 2)))
        try:
            return Game304(named_profile(names[seed % len(names)], toggles))
        except ProfileError:
            continue


def same_cards(seed: int) -> str:
    """One hand: open cards agree, four transcripts are equal, the audit is valid."""
    table = SteadyTable(game_for(seed), seed)
    check_hand(table)
    audit_all(table)
    return str(table.sessions[0].table_state.hand() is not None)


def audit_all(table: Table) -> bytes:
    """The transcript of hand 0, which all seats write alike and anyone finds valid."""
    files = {hand_transcript(chair.session.table_state, 0) for chair in table.chairs}
    assert len(files) == 1, "the seats' transcripts differ"
    (data,) = files
    report = audit_bytes(data, lambda _: table.game)
    assert report.valid, report.broken
    return data


def agreed(table: Table) -> None:
    """Digests are equal and nobody was blamed or stopped."""
    assert not table.blamed()
    for lane in (Lane.DECK, Lane.HAND):
        name = LedgerName(lane, 0)
        heads = {chair.session.table_state.replicas[name].ledger.head for chair in table.chairs}
        assert len(heads) == 1
    for chair in table.chairs:
        wrong = (SecondOpinionDiffered, SessionStopped)
        assert not any(isinstance(event, wrong) for event in chair.events)


def weather(seed: int, kind: str) -> str:
    """One hand in bad weather."""
    table = SteadyTable(game_for(seed), seed, WEATHERS[kind]).begun()
    table.run(table.all_played(1), steps=200_000)
    agreed(table)
    audit_all(table)
    return kind


def restart(seed: int) -> str:
    """One hand in which any seat dies at some message and comes back with its journal."""
    chance = random.Random(f"restart {seed}")
    table = SteadyTable(game_for(seed), seed).begun()
    due = sorted(chance.sample(range(1, 400), 3))
    played = table.all_played(1)

    def until() -> bool:
        if due and table.step >= due[0]:
            due.pop(0)
            table.restart(chance.randrange(4))
        return played()

    table.run(until, steps=200_000)
    agreed(table)
    audit_all(table)
    return "restart"


def coalition(seed: int) -> str:
    """One hand in which every coalition tries to open every hidden card after every round."""
    table = SteadyTable(game_for(seed), seed)
    snoop = Snoop(table)
    table.confirm()
    played = table.all_played(1)

    def until() -> bool:
        snoop.look()
        return played()

    table.run(until, steps=200_000)
    assert not snoop.leaks, snoop.leaks[:3]
    assert snoop.tried > 100, "nothing was tried"
    return str(snoop.tried)


#: What each part does with a seed, and how many seeds the whole campaign has.
PARTS: dict[str, tuple[Callable[[int], str], int]] = {
    "same-cards": (same_cards, 1_000),
    "loss": (partial(weather, kind="loss"), 300),
    "repeat": (partial(weather, kind="repeat"), 300),
    "2+2": (partial(weather, kind="2+2"), 300),
    "1+3": (partial(weather, kind="1+3"), 300),
    "restart": (restart, 300),
    "coalitions": (coalition, 200),
}


def run(part: str, number: int, *, first: int = 0, jobs: int = 2) -> list[str]:
    """The results of a part for `number` seeds, spread over processes."""
    work, _ = PARTS[part]
    seeds = range(first, first + number)
    if jobs == 1:
        return [work(seed) for seed in seeds]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(work, seeds, chunksize=1))


def main() -> int:
    """Run the parts that are named, or all; each bounded by its number of seeds."""
    options = asked(
        __doc__, PARTS, share=(1.0, "how much of each, 0 to 1"), jobs=(2, "hands at a time")
    )
    for part in options.parts:
        number = max(1, round(PARTS[part][1] * options.share))
        begun = time.monotonic()
        results = run(part, number, jobs=options.jobs)
        took = time.monotonic() - begun
        note = ""
        if part == "coalitions":
            note = f", {sum(map(int, results)):,} attempts, 0 cards opened"
        say(f"{part}: {number} seeds in {took:.0f} s{note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
