"""Reserves sit in a match, words keep others' entries out of the organiser's copy."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from protocol.bounds import MOST_OF_A_WORD
from protocol.errors import LocalError
from protocol.tournament.acts import call_reserve, enter, list_entries
from protocol.tournament.carrying import Carrier
from protocol.tournament.judge import prune
from protocol.tournament.pieces import (
    LineupChange,
    RulingKind,
    TeamEntry,
    prove,
    proved_word,
    sign_piece,
    words_of,
)
from protocol.tournament.record import TournamentRecord, match_charters
from protocol.wire.identity import PublicKey, SigningKey
from tests.table.championship import (
    ORGANISER,
    REFEREE,
    RESERVE,
    Championship,
    new_charter,
    player_key,
    shuffled,
    signed_by_another,
    stranger_entries,
)


def drawn(teams: int = 4) -> Championship:
    return Championship(teams, reserves=True).drawn()


def team_of(cup: Championship, match: int, side: int = 0) -> int:
    return int(cup.match(match).teams[side].split()[1])


def seated(cup: Championship, match: int) -> list[PublicKey]:
    return [each.key for each in cup.table(match).seats]


def test_an_entry_counts_once_its_reserve_has_signed_it_too() -> None:
    cup = Championship(2, reserves=True)
    entry = cup.entry(0)
    for place in (0, 1):
        cup.add(enter(cup.record, entry, player_key(0, place)))
    assert not cup.record.entries
    cup.add(enter(cup.record, entry, player_key(0, RESERVE)))
    assert [*cup.record.entries.values()] == [entry]


def test_a_reserve_sits_from_a_match_on_once_captain_and_reserve_have_signed() -> None:
    cup = drawn()
    team = team_of(cup, 1)
    before = seated(cup, 1)
    cup.add(call_reserve(cup.judged, player_key(team, 0), f"player {team} 1"))
    assert seated(cup, 1) == before
    cup.called(team)
    own = [player_key(team, 0).public, player_key(team, RESERVE).public]
    assert seated(cup, 1)[::2] == own
    assert seated(cup, 1)[1::2] == before[1::2]
    cup.add(*cup.result(cup.match(1), (1, 0), by=(2, 1)))  # the reserve signs
    cup.play(2)
    assert cup.match(1).outcome is not None
    assert seated(cup, 4)[::2] == own
    assert not cup.judged.convictions


def test_a_result_counts_by_whichever_line_ups_and_of_two_of_them_once() -> None:
    cup = drawn()
    team, other = team_of(cup, 1), team_of(cup, 1, 1)
    early = cup.result(cup.match(1), (1, 0))
    cup.called(team)
    cup.add(*early)  # it was played before
    assert cup.outcome(1)
    late = cup.result(replace(cup.match(1), outcome=None), (0, 1))
    cup.add(*late)
    assert cup.judged.disputed_results.keys() == {1}
    convicted = {(each.check, each.key) for each in cup.judged.convictions}
    signers = (player_key(team, 0).public, player_key(other, 0).public)
    assert convicted == {("result.twice", key) for key in signers}


def test_who_does_not_sit_signs_no_result_for_the_team() -> None:
    cup = drawn()
    team = team_of(cup, 1)
    signed = cup.result(cup.match(1), (1, 0))
    cup.add(signed[1], signed_by_another(cup, signed[0], player_key(team, RESERVE)))
    assert cup.match(1).outcome is None
    assert len(cup.judged.ignored) == 2


@pytest.mark.parametrize("count", [31, 60])
def test_changes_of_one_captain_are_kept_whole_and_alike_in_whatever_order_copies_unite(
    count: int,
) -> None:
    """So many as an honest captain can sign, one for each match, and more."""
    cup = drawn()
    keys = [player_key(0, place) for place in (0, RESERVE)]
    terms = (cup.charter.digest, cup.judged.head or b"")
    changes = [
        LineupChange(*terms, number, number % 2, keys[0].public, keys[1].public)
        for number in range(1, 1 + count)
    ]
    signed = [sign_piece(each, key, charter=cup.charter) for each in changes for key in keys]
    whole = prune(cup.record.with_pieces(*signed))
    kept = [each.id for each in whole.of(LineupChange)]
    assert len(kept) == 2 * len({*kept}) == 2 * min(count, 32)
    for seed in range(3):
        random.Random(seed).shuffle(signed)
        record = cup.record
        for at in range(0, len(signed), 20):
            record = prune(record.with_pieces(*signed[at : at + 20]), record)
        assert record == whole


def test_a_team_that_changes_without_end_takes_back_no_result() -> None:
    """A result does not rest on the changes that are here."""
    cup = drawn()
    team = team_of(cup, 1)
    cup.called(team)
    cup.add(*cup.result(cup.match(1), (0, 1)))
    before = cup.judged.tournament
    captain, reserve = player_key(team, 0), player_key(team, RESERVE)
    for match in range(1, 5):
        for place in (0, 1):
            change = LineupChange(
                cup.charter.digest, cup.judged.head or b"", match, place,
                captain.public, reserve.public,
            )  # fmt: skip
            cup.sign(change, captain, reserve)
    assert cup.judged.tournament == before
    assert shuffled(cup.record, 3) == cup.record


def test_nobody_else_calls_a_reserve() -> None:
    cup = drawn()
    team, other = team_of(cup, 1), team_of(cup, 1, 1)
    with pytest.raises(LocalError):
        call_reserve(cup.judged, player_key(team, 1), f"player {team} 0")
    with pytest.raises(LocalError):
        call_reserve(cup.judged, player_key(team, 0), f"player {other} 0")
    with pytest.raises(LocalError):
        call_reserve(Championship(2).drawn().judged, player_key(0, 0), "player 0 1")
    cup.add(call_reserve(cup.judged, player_key(other, 0), f"player {other} 0"))
    with pytest.raises(LocalError, match="changed already"):
        call_reserve(cup.judged, player_key(other, 0), f"player {other} 1")
    before = seated(cup, 1)
    head = cup.judged.head or b""
    for captain, reserve, place in (
        (player_key(team, 1), player_key(team, RESERVE), 0),  # by a player
        (player_key(other, 0), player_key(team, RESERVE), 0),  # a reserve of others
        (player_key(team, 0), player_key(other, 1), 0),  # a player of others
        (player_key(team, 0), player_key(team, RESERVE), 3),  # a place that there is not
    ):
        change = LineupChange(cup.charter.digest, head, 1, place, captain.public, reserve.public)
        cup.sign(change, captain, reserve)
    assert seated(cup, 1) == before


def test_a_referee_who_is_a_reserve_rules_in_no_match_of_its_team() -> None:
    reserve = player_key(0, RESERVE)
    charter = new_charter(referees=(reserve.public, REFEREE.public))
    cup = Championship(4, charter, reserves=True).drawn()
    own = next(number for number in (1, 2) if "team 0" in cup.match(number).teams)
    assert reserve.public in cup.table(3 - own).referees
    for table in match_charters(cup.state, cup.match(own)):
        assert reserve.public not in table.referees
    cup.ruled_against_the_rules(own, RulingKind.WALK_OVER, cup.match(own).teams[0], by=reserve)
    assert cup.match(own).outcome is None


# Words


def entry_with(cup: Championship, team: int, word: str) -> TeamEntry:
    return prove(cup.entry(team), word)


def sent(cup: Championship, entry: TeamEntry, *keys: SigningKey) -> list[bytes]:
    other = Carrier(TournamentRecord.start(cup.record.raws[0]))
    return [payload for key in keys for payload in other.add(enter(other.record, entry, key))]


def test_an_entry_with_a_word_is_taken_and_signed_by_its_players() -> None:
    cup = Championship(2)
    words = words_of(cup.charter, ORGANISER)
    assert words == words_of(cup.charter, ORGANISER)  # nothing is kept
    assert len({*words}) == 32
    carrier = Carrier(cup.record, words)
    entry = entry_with(cup, 0, words_of(cup.charter, ORGANISER)[1])
    for payload in sent(cup, entry, player_key(0, 0), player_key(0, 1)):
        carrier.receive(payload)
    assert [*carrier.record.entries.values()] == [entry]
    assert proved_word(entry, words) == 2


def test_an_entry_without_a_word_or_with_the_proof_of_another_is_not_taken() -> None:
    cup = Championship(2)
    words = words_of(cup.charter, ORGANISER)
    carrier = Carrier(cup.record, words)
    mine = entry_with(cup, 0, words[0])
    foreign = words_of(new_charter(id=b"the next one 304"), ORGANISER)[0]
    for entry in (
        cup.entry(1),
        entry_with(cup, 1, "a" * 16),
        entry_with(cup, 1, foreign),
        replace(cup.entry(1), proof=mine.proof),  # which everybody may read
        replace(mine, serial=1),
    ):
        captain = next(key for key in cup.keys.values() if key.public == entry.players[0].key)
        for payload in sent(cup, entry, captain):
            carrier.receive(payload)
    assert carrier.record == cup.record
    with pytest.raises(LocalError):
        prove(mine, "no word")


def test_a_word_enters_so_many_teams_and_an_entry_that_is_listed_needs_none() -> None:
    cup = Championship(2)
    words = words_of(cup.charter, ORGANISER)
    carrier = Carrier(cup.record, words)
    for serial in range(MOST_OF_A_WORD + 3):
        entry = prove(replace(cup.entry(0), serial=serial), words[4])
        for payload in sent(cup, entry, player_key(0, 0)):
            carrier.receive(payload)
    assert len(carrier.record.pieces) == 1 + MOST_OF_A_WORD

    cup.entered()
    listed = list_entries(cup.record, ORGANISER, tuple(cup.record.entries))
    fresh = Carrier(TournamentRecord.start(cup.record.raws[0]), words)
    for payload in Carrier(cup.record).add(listed):
        fresh.receive(payload)
    asked = fresh.hello()
    for payload in Carrier(cup.record).receive(asked):
        fresh.receive(payload)
    assert fresh.record.entries == cup.record.entries


def test_a_thousand_invented_teams_enter_no_copy_that_asks_for_a_word() -> None:
    cup = Championship(2)
    carrier = Carrier(cup.record, words_of(cup.charter, ORGANISER))
    sender = Carrier(TournamentRecord.start(cup.record.raws[0]))
    for raw in stranger_entries(cup, 1_000):
        for payload in sender.add(raw):
            carrier.receive(payload)
    assert carrier.record == cup.record
    entry = entry_with(cup, 0, words_of(cup.charter, ORGANISER)[0])
    for payload in sent(cup, entry, player_key(0, 0), player_key(0, 1)):
        carrier.receive(payload)
    assert [*carrier.record.entries.values()] == [entry]


def test_what_comes_again_costs_no_look_at_any_word_and_what_is_new_one() -> None:
    def looks() -> int:
        return proved_word.cache_info().misses

    cup = Championship(2)
    words = words_of(cup.charter, ORGANISER)
    proved_word.cache_clear()
    carrier = Carrier(cup.record, words)
    payloads = [
        payload
        for team in range(2)
        for payload in sent(
            cup, entry_with(cup, team, words[team]), player_key(team, 0), player_key(team, 1)
        )
    ]
    for payload in payloads:
        carrier.receive(payload)
    before = looks()
    for payload in 20 * payloads:
        carrier.receive(payload)
    assert looks() == before == 2
    for payload in sent(cup, cup.entry(1), player_key(1, 0)):
        carrier.receive(payload)
    assert looks() == before + 1
