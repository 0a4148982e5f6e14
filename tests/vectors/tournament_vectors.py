"""Vectors of tournaments: the draw, and what follows from texts."""

from __future__ import annotations

from math import factorial

from cli.conformance.rehearsal import seeded
from tests.vectors.collect import Collector

CHAMPIONSHIP = "elimination tokens races 10 7 third 7"
CLUB = (
    "round-robin tokens race 7 ties wins head-to-head difference draw walk-over empty leavers lose"
)
IN_ORDER = "draw " + "00" * 32


def tournament() -> Collector:
    """Draws, elimination, round robins, and texts that are none."""
    found = Collector("tournament", "the draw, and what follows from a text (tournament 3 to 9)")
    _draws(found)
    _eliminations(found)
    _round_robins(found)
    _faults(found)
    return found


def _draws(found: Collector) -> None:
    chance = seeded("tournament")
    for entries in (2, 3, 5, 8, 20, 32):
        found.accept("tournament.draw", f"{entries} entries", entries=entries,
                     luck=chance(32).hex())  # fmt: skip
    found.accept("tournament.draw", "64 bytes", entries=32, luck=chance(64).hex())
    found.accept("tournament.draw", "the smallest number", entries=32, luck=bytes(32).hex())
    base = found.accept("tournament.draw", "the last number of 3! orders", entries=3, strange=True,
                        luck=_last(3).to_bytes(32, "big").hex())  # fmt: skip
    found.accept("tournament.draw", "the last number of 32! orders", entries=32, strange=True,
                 luck=_last(32).to_bytes(32, "big").hex())  # fmt: skip
    found.accept("tournament.draw", "the last of all numbers serves two entries", entries=2,
                 luck="ff" * 32, strange=True)  # fmt: skip
    for about, luck in (
        ("luck that would favour some orders", (_last(3) + 1).to_bytes(32, "big").hex()),
        ("31 bytes", "00" * 31),
        ("no luck", ""),
        ("1,025 bytes", "00" * 1025),
    ):
        found.reject(base, about, "tournament.rule", luck=luck)


def _last(entries: int) -> int:
    """The greatest number of 256 bits from which so many entries are drawn."""
    return (1 << 256) - (1 << 256) % factorial(entries) - 1


def _text(entries: int, system: str, *lines: str, seats: int = 4) -> list[str]:
    players = {4: "ab", 6: "abc", 8: "abcd"}[seats]
    named = [
        " ".join([f'entry "T{number}"', *(f'"{letter}{number}"' for letter in players)])
        for number in range(1, entries + 1)
    ]
    return [f"tournament 304 {seats}", system, *named, *lines, ""]


def _eliminations(found: Collector) -> None:
    read = "tournament.read"
    found.accept(read, "before the draw", text=_text(5, CHAMPIONSHIP))
    for entries in (2, 3, 4, 5, 8, 20, 32):
        found.accept(read, f"{entries} teams, nothing played",
                     text=_text(entries, CHAMPIONSHIP, IN_ORDER))  # fmt: skip
    for about, entries, facts in (
        ("a champion of 2", 2, ("1 10-9",)),
        ("a champion of 3, with a third without a match", 3, ("1 7-0", "2 3-10")),
        ("a champion of 5", 5, ("1 7-3", "2 0-7", "3 7-6", "4 1-7", "5 10-2")),
        ("the final before the match for third place", 4, ("1 7-3", "2 0-7", "4 10-9")),
    ):
        found.accept(read, about, text=_text(entries, CHAMPIONSHIP, IN_ORDER, *facts))
    for about, facts in (
        ("one did not come to a semi-final and may play for third place", ("1 absent 4", "2 7-0")),
        ("neither came to a semi-final", ("1 absent 1 4", "2 7-0")),
        ("neither came to the final", ("1 7-0", "2 7-0", "3 7-0", "4 absent 1 3")),
        ("disqualified in a semi-final", ("1 disqualified 4", "2 7-0")),
        ("withdrawn before the other finalist is known", ("1 7-0", "4 withdrawn 1")),
        ("withdrawn, and the other finalist is known", ("1 7-0", "2 0-7", "4 withdrawn 1")),
        ("withdrawn, and nobody comes to meet it", ("1 7-0", "2 absent 3 2", "4 withdrawn 1")),
        ("both losers have left", ("1 7-0", "2 withdrawn 2", "3 disqualified 4")),
    ):  # fmt: skip
        found.accept(read, about, text=_text(4, CHAMPIONSHIP, IN_ORDER, *facts), strange=True)
    other = "elimination hands races 5 4 3 third none"
    found.accept(read, "six seats, no match for third place", strange=True,
                 text=_text(9, other, IN_ORDER, "1 3-0", "2 withdrawn 1", seats=6))  # fmt: skip


def _round_robins(found: Collector) -> None:
    read = "tournament.read"
    for entries in (2, 3, 6, 7):
        found.accept(read, f"{entries} teams meet each other", text=_text(entries, CLUB, IN_ORDER))
    three = ("1 7-0", "2 7-0", "3 7-0")
    found.accept(read, "level in all but the draw", text=_text(3, CLUB, IN_ORDER, *three))
    uneven = ("1 7-6", "2 7-0", "3 7-0")
    found.accept(read, "parted by the difference", text=_text(3, CLUB, IN_ORDER, *uneven))
    four = ("1 7-6", "2 7-6", "3 0-7", "4 0-7", "5 7-6", "6 7-0")
    found.accept(read, "parted by head-to-head", text=_text(4, CLUB, IN_ORDER, *four))
    for leavers in ("lose", "vanish"):
        for walk_over in ("empty", "full"):
            system = CLUB.replace("empty", walk_over).replace("leavers lose", f"leavers {leavers}")
            facts = ("2 7-4", "3 absent 3", "6 absent 3 1", "1 withdrawn 4")
            found.accept(read, f"one has left, {walk_over}, {leavers}", strange=True,
                         text=_text(4, system, IN_ORDER, *facts))  # fmt: skip
    leaving = ("1 withdrawn 1", "2 disqualified 2")
    for facts in (leaving, leaving[::-1]):
        found.accept(read, ", then ".join(facts), strange=True,
                     text=_text(4, CLUB, IN_ORDER, *facts))  # fmt: skip


def _faults(found: Collector) -> None:
    whole = _text(4, CHAMPIONSHIP, IN_ORDER, "1 7-3")
    base = found.accept("tournament.read", "one match played", text=whole)
    club = found.accept("tournament.read", "two have met", text=_text(4, CLUB, IN_ORDER, "1 7-3"))
    replaced = (
        ("no head", 0, "Tournament 304 4"), ("a table of five", 0, "tournament 304 5"),
        ("teams of the wrong size", 0, "tournament 304 6"),
        ("a game of two words", 0, "tournament a b 4"),
        ("no system", 1, "swiss"), ("a race to 0", 1, CHAMPIONSHIP.replace("10", "0")),
        ("a race to 100", 1, CHAMPIONSHIP.replace("10", "100")),
        ("the last race twice", 1, CHAMPIONSHIP.replace("10 7", "7 7")),
        ("six races", 1, CHAMPIONSHIP.replace("10 7", "6 5 4 3 2 1")),
        ("a unit that nobody counts", 1, CHAMPIONSHIP.replace("tokens", "points")),
        ("a team twice", 3, 'entry "T1" "x" "y"'), ("a player twice", 3, 'entry "T2" "a1" "b2"'),
        ("a team of one", 3, 'entry "T2" "a2"'), ("a name of nothing", 3, 'entry "" "a2" "b2"'),
        ("a name with outer spaces", 3, 'entry "T2 " "a2" "b2"'),
        ("a name that turns letters round", 3, 'entry "T\u202e2" "a2" "b2"'),
        ("a long name", 3, f'entry "{"n" * 65}" "a2" "b2"'),
        ("luck in capitals", 6, "draw " + "AB" * 32), ("short luck", 6, "draw " + "00" * 31),
        ("luck that would favour some orders", 6, "draw " + "ff" * 32),
        ("a match that there is not", 7, "5 7-3"), ("a match too early", 7, "3 7-3"),
        ("nobody has won", 7, "1 6-3"), ("both have won", 7, "1 7-7"), ("too much", 7, "1 8-3"),
        ("a zero too many", 7, "1 7-03"), ("two spaces", 7, "1  7-3"),
        ("absent from another match", 7, "1 absent 2"),
        ("absent in the wrong order", 7, "1 absent 4 1"),
        ("absent twice", 7, "1 absent 1 1"), ("an entry that there is not", 7, "1 absent 5"),
        ("leaves in another match", 7, "1 withdrawn 2"),
        ("leaves in a later match", 7, "4 withdrawn 1"),
    )  # fmt: skip
    for about, at, line in replaced:
        found.reject(base, about, "tournament.text", text=[*whole[:at], line, *whole[at + 1 :]])
    for about, lines in (
        ("no last line break", whole[:-1]), ("an empty line", [*whole, ""]),
        ("a match twice", [*whole[:-1], "1 7-3", ""]), ("no entries", [*whole[:2], ""]),
        ("one entry", [*whole[:3], ""]), ("facts without a draw", [*whole[:6], "1 7-3", ""]),
        ("facts out of order", [*whole[:7], "2 7-3", "1 7-3", ""]),
        ("who has lost leaves", [*whole[:7], "1 7-3", "2 7-0", "3 7-0", "4 withdrawn 4", ""]),
        ("leaves twice", [*whole[:7], "1 withdrawn 4", "3 withdrawn 4", ""]),
        ("33 entries", _text(33, CHAMPIONSHIP)),
    ):  # fmt: skip
        found.reject(base, about, "tournament.text", text=lines)
    for about, lines in (
        ("a departure before a result", ["2 withdrawn 2", "1 7-3"]),
        ("a departure that names a later match", ["1 7-3", "4 withdrawn 3"]),
        ("no last tie-break", []),
    ):
        system = CLUB if lines else CLUB.replace("difference draw", "difference")
        found.reject(club, about, "tournament.text", text=_text(4, system, IN_ORDER, *lines))


CATEGORIES = (tournament,)
