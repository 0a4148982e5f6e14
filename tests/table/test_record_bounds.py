"""A tournament's record stays bounded, readable and in step, whatever anybody signs or repeats."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from protocol.encoding import encode
from protocol.errors import MalformedMessage
from protocol.tournament.carrying import (
    MOST_EARLY,
    MOST_ENTERED,
    MOST_NAMES,
    MOST_SENT,
    PIECE,
    PREFIX,
    Carrier,
)
from protocol.tournament.draws import CaptainsDraw, contribution, draw_of
from protocol.tournament.judge import pruned
from protocol.tournament.pieces import (
    DrawRestart,
    EntryList,
    MatchResult,
    PieceContent,
    RulingKind,
    TeamEntry,
    TeamPlayer,
    TournamentRuling,
)
from protocol.tournament.record import MOST_ENTRIES, TournamentRecord
from protocol.tournament.signed_pieces import sign_piece
from protocol.wire.identity import SigningKey
from tests.table.championship import (
    ORGANISER,
    OTHER_REFEREE,
    REFEREE,
    Championship,
    latest_draw,
    player_key,
    stranger_entries,
)


def rulings(cup: Championship, by: SigningKey, count: int) -> list[bytes]:
    """Rulings about a draw that there never was."""
    seat = cup.charter.referees.index(by.public)
    return [
        sign_piece(
            TournamentRuling(
                cup.charter.digest,
                number.to_bytes(32, "big"),
                1,
                RulingKind.WALK_OVER,
                (1,),
            ),
            by,
            charter=cup.charter,
            seat=seat,
        )
        for number in range(count)
    ]


def payload(raw: bytes) -> bytes:
    """What carries a piece."""
    return PREFIX + encode((PIECE, raw), max_bytes=20_000)


def read_back(record: TournamentRecord) -> TournamentRecord:
    return TournamentRecord.from_bytes(record.to_bytes())


def test_what_strangers_enter_goes_when_the_list_is_there_and_keeps_nobody_out() -> None:
    cup = Championship(2)
    flood = stranger_entries(cup, MOST_ENTERED)
    cup.add(*flood)
    cup.entered()
    carrier = Carrier(cup.record)
    late = stranger_entries(cup, MOST_ENTERED + 1)[-1]
    carrier.receive(payload(late))
    assert carrier.record is cup.record  # too many already, and nobody has listed this one

    cup.listed()
    carrier.receive(payload(cup.record.raw_of(next(iter(cup.record.lists)))))
    assert len(carrier.record.names) == len(("charter", "list")) + 2 * 2
    listed = carrier.record
    carrier.receive(payload(late))
    assert carrier.record is listed
    cup.record = listed
    cup.draw()
    cup.play(1)
    assert cup.judged.tournament.champion == cup.match(1).teams[0]  # type: ignore[union-attr]  # drawn


@pytest.mark.parametrize("count", [9, 40])
def test_a_referee_who_restarts_without_end_leaves_a_file_that_reads_back(count: int) -> None:
    cup = Championship(8)
    cup.entered()
    cup.listed()
    cup.draw(absent={7})
    first = cup.judged.draw
    assert first is not None
    absent = [(place, other) for place in range(7) for other in range(place + 1, 8)]
    for gone in [(place,) for place in range(8)] + absent[: count - 8]:
        restart = DrawRestart(cup.charter.digest, first.draw.follows, gone)
        cup.add(sign_piece(restart, REFEREE, charter=cup.charter))
    said = contribution(latest_draw(cup.record), player_key(0, 0))
    assert said is not None
    cup.add(said)

    cup.record = pruned(cup.record)

    assert read_back(cup.record) == cup.record
    assert sum(isinstance(each.content, DrawRestart) for each in cup.record.pieces.values()) <= 32
    assert {each.check for each in cup.judged.convictions} == {"restart.twice"}


def test_restarts_of_draws_that_there_never_were_fill_nothing() -> None:
    cup = Championship(2).drawn()
    before = cup.judged
    for number in range(60):
        restart = DrawRestart(cup.charter.digest, number.to_bytes(32, "big"), (0,))
        cup.add(sign_piece(restart, REFEREE, charter=cup.charter))

    cup.record = pruned(cup.record)

    assert len(cup.record.names) <= len(before.record.names) + 32
    assert cup.judged.tournament == before.tournament


def test_records_of_more_names_than_a_payload_holds_come_to_one() -> None:
    cup = Championship(2)
    said = [*rulings(cup, REFEREE, 800), *rulings(cup, OTHER_REFEREE, 800)]
    assert len(said) > MOST_NAMES
    one = Carrier(cup.record.with_pieces(said[:-MOST_SENT]))
    other = Carrier(cup.record.with_pieces(said[MOST_SENT:]))
    for _ in range(3):
        for asks, answers in ((one, other), (other, one)):
            for payload in answers.receive(asks.hello()):
                asks.receive(payload)

    assert one.record == other.record == cup.record.with_pieces(said)
    assert len(one.hello()) < 16_000


def test_what_comes_too_early_waits_up_to_a_bound_and_the_oldest_goes_first() -> None:
    cup = Championship(2)
    early = [
        sign_piece(
            MatchResult(
                cup.charter.digest, bytes(32), 1, (1, 2), number.to_bytes(32, "big"), 0, bytes(32),
                (1, 0),
                key.public,
            ),
            key,
            charter=cup.charter,
        )
        for number in range(MOST_EARLY + 4)
        for key in [player_key(number % 2, number // 2 % 2)]
    ]  # fmt: skip
    carrier = Carrier(cup.record)
    for raw in early:
        carrier.receive(payload(raw))
    assert carrier.record is cup.record

    cup.entered()
    for raw in cup.record.raws:
        carrier.receive(payload(raw))

    assert carrier.record == cup.record.with_pieces(early[4:])


def of_one_slot(cup: Championship, kind: str, count: int) -> list[bytes]:
    """Return different pieces of one kind by one signer, which lead to nothing."""
    tournament, key = cup.charter.digest, player_key(0, 0)
    numbers = [number.to_bytes(32, "big") for number in range(count)]
    stranger = player_key(99, 0)
    pieces: dict[str, tuple[SigningKey, list[PieceContent]]] = {
        "entries": (
            stranger,
            [
                TeamEntry(tournament, "strangers", (TeamPlayer(stranger.public, "x", each),))
                for each in numbers
            ],
        ),
        "lists": (
            ORGANISER,
            [EntryList(tournament, ids) for ids in [*permutations(cup.record.entries)][:count]],
        ),
        "restarts": (REFEREE, [DrawRestart(tournament, each, (0,)) for each in numbers]),
        "results": (
            key,
            [
                MatchResult(
                    tournament, bytes(32), 1, (1, 2), each, 0, bytes(32), (1, 0), key.public
                )
                for each in numbers
            ],
        ),
    }
    signer, contents = pieces[kind]
    return [sign_piece(each, signer, charter=cup.charter) for each in contents]


@pytest.mark.parametrize(
    ("kind", "most"),
    [("entries", 8), ("lists", 8), ("restarts", 32), ("results", 64), ("rulings", 1_024)],
)
def test_a_record_keeps_so_many_pieces_of_one_signer_and_no_more(kind: str, most: int) -> None:
    cup = Championship(4)
    cup.entered()
    before = len(cup.record.names)
    one_more = most + 1
    if kind == "rulings":
        *pieces, last = rulings(cup, REFEREE, one_more)
    else:
        *pieces, last = of_one_slot(cup, kind, one_more)
    cup.add(*pieces)
    assert pruned(cup.record) == cup.record
    cup.add(last)
    assert len(pruned(cup.record).names) == before + most


def test_a_piece_that_is_repeated_changes_nothing() -> None:
    cup = Championship(2).drawn()
    cup.play(1)
    carrier = Carrier(cup.record)
    for raw in cup.record.raws:
        carrier.receive(payload(raw))

    assert carrier.record is cup.record


def test_a_record_of_more_entries_than_a_tournament_can_need_is_refused() -> None:
    cup = Championship(2)
    flood = stranger_entries(cup, MOST_ENTRIES + 1)
    assert len(cup.record.with_pieces(flood[1:]).names) == MOST_ENTRIES + 1
    with pytest.raises(MalformedMessage, match=r"record\.size"):
        cup.record.with_pieces(flood)


def test_entries_are_looked_up_once_however_many_lists_name_them() -> None:
    cup = Championship(4)
    cup.entered()
    digest = cup.charter.digest
    lists = [
        sign_piece(EntryList(digest, ids), ORGANISER, charter=cup.charter)
        for ids in permutations(cup.record.entries)
    ]
    record = cup.record.with_pieces(lists)
    assert len(record.draws) == len(lists)
    assert record.entries is record.entries


def test_of_restarts_without_end_so_many_draws_are_made_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cup = Championship(5)
    cup.entered()
    cup.listed()
    (follows,) = cup.record.lists
    restarts = [
        sign_piece(DrawRestart(cup.charter.digest, follows, gone), REFEREE, charter=cup.charter)
        for gone in permutations(range(5), 2)
    ]
    every = cup.record.with_pieces(restarts).draws
    assert len(every) == 1 + len(restarts)
    made = list[bytes]()

    def counted(*given: Any) -> CaptainsDraw:
        made.append(given[1])
        return draw_of(*given)

    monkeypatch.setattr("protocol.tournament.record.draw_of", counted)
    monkeypatch.setattr("protocol.tournament.record.MOST_DRAWS", 4)
    assert cup.record.with_pieces(restarts).draws == every[:4]
    assert made == [each.follows for each in every[:4]]
