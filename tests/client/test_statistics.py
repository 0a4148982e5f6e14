"""Statistics of signed hands: counted once, in any order, by what all seats signed and no more."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from click.testing import CliRunner

from cli.commands.stats import command
from cli.conformance.mutations import ExpectedVerdicts
from cli.conformance.tables import Draft, OwnTable, sign_body, table_of
from cli.errors import ExitCode, UserError
from cli.seat.charter_text import game_of
from cli.statistics import Statistics
from cli.store.identity import IdentityStore
from cli.store.settings import SettingsFile
from p2p304.games import create_game
from protocol.encoding import decode, encode
from protocol.table.ledger import LedgerPhase
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.transcript.results import NotSigned, signed_results
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.contents import Action, DealShares, HandKeys, ShuffleStep
from protocol.wire.messages import open_ledger_message
from tests.client.highest_card import NAME
from tests.table.bus import Table, charter, named, signing_key

HANDS = Path(__file__).parents[2] / "specs" / "vectors" / "hands"
SAMPLE = 5


pytestmark = pytest.mark.usefixtures("highest_card")


def played(hands: int, *names: str) -> tuple[list[bytes], list[Any]]:
    """The transcripts of so many hands at one table, and what happened there."""
    agreed = charter(3, game=NAME)
    sessions = Table(create_game(NAME), 7, agreed=named(agreed, *names) if names else agreed)
    sessions.confirm()
    files: list[bytes] = []
    while len(files) < hands:
        sessions.run(sessions.all_played(len(files) + 1))
        files.append(hand_transcript(sessions.sessions[0].table_state, len(files)))
        while sessions.deliver():
            pass
        if sessions.sessions[0].match_winner is not None:
            sessions.confirm()
    return files, [*sessions.chairs[0].events]


def counted(files: list[bytes], bots: Mapping[bytes, str] = MappingProxyType({})) -> Statistics:
    results = (result for data in files for result in signed_results([data], game_of))
    return Statistics(results, bots)


@pytest.fixture(scope="module")
def few(highest_card: None) -> tuple[list[bytes], list[Any]]:
    return played(SAMPLE)


def agrees(files: list[bytes], events: list[Any]) -> None:
    """What is counted is what was played, in whatever order the files come, and how often."""
    found = counted(files)
    ended = [each for each in events if type(each).__name__ == "HandEnded"][: len(files)]
    assert found.hands == len(files)
    wins = [0, 0, 0]
    for each in ended:
        best = max(each.outcome.scores)
        alone = min(each.outcome.scores) != best
        for seat, score in enumerate(each.outcome.scores):
            wins[seat] += alone and score == best
    names = sorted(found.players.values(), key=lambda player: player.name)
    assert sorted(player.won for player in names) == sorted(wins)
    assert {player.hands for player in names} == {len(files)}
    matches = [each for each in events if type(each).__name__ == "MatchEnded"]
    over = [each for each in matches if events.index(each) < events.index(ended[-1]) + 3]
    assert sum(player.matches.done for player in names) == len(over)
    again = [*files, *files[::2]]
    random.Random(3).shuffle(again)
    assert counted(again).as_json() == found.as_json()


def test_what_is_counted_is_what_was_played_in_any_order_of_files(
    few: tuple[list[bytes], list[Any]],
) -> None:
    agrees(*few)


def test_a_file_that_was_changed_or_cut_counts_for_nothing(
    few: tuple[list[bytes], list[Any]],
) -> None:
    data = few[0][0]
    for wrong in (data[:-3], data[: len(data) // 2], b"", data[:400] + b"\0" + data[401:]):
        with pytest.raises(NotSigned):
            counted([wrong])
    for at in range(300, len(data) - 40, len(data) // 23):
        flipped = bytearray(data)
        flipped[at] ^= 1
        with pytest.raises(NotSigned):
            counted([bytes(flipped)])


def test_a_file_of_other_seats_than_its_game_has_is_none(
    few: tuple[list[bytes], list[Any]],
) -> None:
    whole = Draft.of(few[0][0])
    agreed = Charter.from_bytes(whole.records[0].payload)
    more = replace(agreed, seats=(*agreed.seats, SeatEntry(signing_key(9).public, "x", bytes(32))))
    (place, *_) = whole.places(b"L")
    lane, number, after, _, scores = decode(whole.records[place].payload)  # type: ignore[misc]
    leading = encode((lane, number, after, len(agreed.seats), scores))
    for draft in (whole.with_record(0, more.to_bytes()), whole.with_record(place, leading)):
        with pytest.raises(NotSigned, match="seat"):
            counted([draft.without(place + 1, len(draft.records)).to_bytes()])


def test_a_hand_without_a_signature_of_every_seat_is_not_counted() -> None:
    table = Table(create_game(NAME), 7)
    table.confirm()
    table.run(lambda: table.sessions[0].phase is LedgerPhase.SIGNING)
    open_hand = hand_transcript(table.sessions[0].table_state, 0)
    assert [*signed_results([open_hand], game_of)] == []


PROOFS = {HandKeys: "proof", ShuffleStep: "step", DealShares: "batch", Action: "proofs"}
"""The field of each content in which its proof stands, or that ends with it."""


def with_another_proof(draft: Draft, table: OwnTable, kind: type[Any]) -> Draft:
    """The draft in which one proof of a kind of message ends in another scalar, signed again."""
    for place in draft.places(b"M"):
        message = open_ledger_message(draft.records[place].payload, table.charter).message
        proof = getattr(message.content, PROOFS[kind]) if isinstance(message.content, kind) else ()
        if not proof:
            continue
        whole = proof if isinstance(proof, bytes) else proof[0]
        other: Any = whole[:-1] + bytes((whole[-1] ^ 1,))
        changed = other if isinstance(proof, bytes) else (other, *proof[1:])
        content = replace(message.content, **{PROOFS[kind]: changed})
        body = replace(message, content=content).to_bytes()
        again = sign_body(table, body, message.place.seat)
        judge = ExpectedVerdicts(draft.to_bytes(), trusted=True)
        return judge.relink(draft.with_record(place, again), table)
    raise AssertionError(f"no proof of {kind}")


@pytest.mark.parametrize("kind", PROOFS)
def test_a_hand_is_counted_as_its_seats_signed_it_whatever_its_proofs_are(
    kind: type[Any],
) -> None:
    whole, table = Draft.of((HANDS / "eight-card.p304").read_bytes()), table_of("eight-card")
    changed = with_another_proof(whole, table, kind).to_bytes()
    assert audit_bytes(changed, game_of).broken is not None
    as_signed, found = ([*signed_results([each], game_of)] for each in (whole.to_bytes(), changed))
    assert [each.outcome for each, _ in found] == [each.outcome for each, _ in as_signed] != []


def bot_of_ours(root: Path, seat: int) -> None:
    """Have the key of a seat be that of a bot that this machine started."""
    place = root / "tables" / ("5" * 32) / f"bot-{seat}"
    place.mkdir(parents=True, mode=0o700)
    seed = sha256(f"a{seat}".encode()).digest()
    assert IdentityStore(place).key(lambda _: seed).public == signing_key(seat).public


def test_a_bot_of_this_machine_is_told_and_found_by_its_name_and_as_it_is_called_at_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    (hand,), _ = played(1, "Harini's friend", "Bot Harini", "Bot 3")
    (tmp_path / "hand.p304").write_bytes(hand)
    bot_of_ours(tmp_path, 1)
    bot_of_ours(tmp_path, 2)
    runner, given = CliRunner(), str(tmp_path / "hand.p304")
    rows = runner.invoke(command, [given]).stdout.splitlines()
    assert any(row.startswith("Harini (bot)  ") for row in rows)
    assert any(row.startswith("Bot 3 (bot)  ") for row in rows)
    for name in ("Harini", "bot harini"):
        told = runner.invoke(command, [given, "--player", name]).stdout
        assert told.startswith("Harini (bot), key ")


def test_the_command_counts_saved_hands_as_a_table_by_player_and_for_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    SettingsFile(tmp_path).keep({"ascii": "yes"})
    runner = CliRunner()
    names = ("closed", "two-hands", "tamil4", "deal-of-41", "deals-of-400")
    hands = [str(HANDS / f"{name}.p304") for name in names]
    told = json.loads(runner.invoke(command, [*hands, "--json"]).stdout)
    assert told["hands"] >= 5
    assert told["refused"] == {}
    undertaken = [each for player in told["players"] for each in player["undertaken"]]
    assert {each["what"] for each in undertaken} >= {"bid"}
    assert {each["game"] for each in undertaken} >= {"304", "41", "400"}
    whole = runner.invoke(command, [hands[1]]).stdout
    assert whole.startswith("2 hands signed by all seats")
    first = told["players"][0]
    one = runner.invoke(command, [*hands, "--player", first["key"][:16]])
    assert f" played: {first['won']} won, {first['lost']} lost." in one.stdout
    nobody = runner.invoke(command, [*hands, "--player", "nobody at all"])
    assert nobody.exit_code != 0
    strange = tmp_path / "strange.p304"
    strange.write_bytes(b"p2p304 transcript 1\nnonsense")
    nothing = runner.invoke(command, [str(strange)], standalone_mode=False)
    assert nothing.return_value == ExitCode.UNUSABLE
    assert runner.invoke(command, hands, standalone_mode=False).return_value == ExitCode.DONE
    left_out = json.loads(runner.invoke(command, [str(strange), "--json"]).stdout)
    assert left_out["hands"] == 0
    assert [*left_out["refused"]] == [str(strange)]


def test_what_one_player_undertook_is_told_by_its_price_and_a_name_of_several_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P2P304_HOME", str(tmp_path))
    SettingsFile(tmp_path).keep({"ascii": "yes"})
    closed, other = (str(HANDS / f"{name}.p304") for name in ("closed", "deal-of-41"))
    told = CliRunner().invoke(command, [closed, "--player", "chandra"]).stdout
    assert "1 hand played: 1 won, 0 lost." in told
    assert re.search(r"\nBid in 304: made of tried\n  below 200 +1/1 +100%", told)
    (key,) = re.findall(r", key (\S+ \S+ \S+ \S+)\n", told)
    both = CliRunner().invoke(command, [closed, other, "--player", "chandra"]).exception
    assert isinstance(both, UserError)
    assert str(both).startswith("Several are called chandra, so name the key: ")
    assert key in str(both)


def test_a_folder_of_strange_files_is_counted_to_its_end_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    monkeypatch.setenv("P2P304_HOME", str(tmp_path / "home"))
    os.mkfifo(archive / "a-pipe.p304")
    zeros = gzip.compress(bytes(4 << 20))
    (archive / "b-zeros.p304.gz").write_bytes(zeros * 100)
    data = (HANDS / "closed.p304").read_bytes()
    (archive / "c-more.p304.gz").write_bytes(gzip.compress(data) + zeros * 100)
    (archive / "d.p304").write_bytes(data)
    tracemalloc.start()
    try:
        told = json.loads(CliRunner().invoke(command, [str(archive), "--json"]).stdout)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
    assert told["hands"] == 1
    names = ["a-pipe.p304", "b-zeros.p304.gz", "c-more.p304.gz"]
    assert [Path(each).name for each in told["refused"]] == names
    assert told["refused"][str(archive / names[0])] == "not a regular file"
    alone = CliRunner().invoke(command, [str(archive / names[0])]).exception
    assert isinstance(alone, OSError)
