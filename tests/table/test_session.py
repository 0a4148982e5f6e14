"""Whole hands among real sessions: one history, nobody blamed, whatever bus and restarts do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from p2p304.game import Step
from p2p304.seats import Seat
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.events import (
    ActionTaken,
    HandUnfinished,
    Persist,
    PublishingDue,
    ResultReached,
    SecondOpinionDiffered,
    Send,
    SessionStopped,
    Waiting,
)
from protocol.table.machine import Phase
from protocol.topics.commands import Confirm, EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import audit_bytes
from protocol.transcript.file import hand_transcript
from protocol.wire.authenticate import open_message
from protocol.wire.contents import LuckOpening, ResultSignature
from protocol.wire.messages import Notice, SignedMessage
from tests.long import long, sample
from tests.table.bus import Table, Weather
from tests.table.cheating import resigned
from tests.table.tiny_game import Open, Play, TinyAction, TinyGame, TinyState


def played(seats: int, seed: int, hands: int = 1, weather: Weather | None = None) -> Table:
    return Table(TinyGame(seats, target=100), seed, weather).played(hands)


def playing(table: Table) -> bool:
    """Whether somebody may play a card now."""
    return any(
        isinstance(action, Play)
        for chair in table.chairs
        for action in chair.session.legal_actions()
    )


def check_agreement(table: Table, hands: int) -> None:
    """All seats hold the same history and the same journal of it, and nobody was blamed."""
    assert not table.blamed()
    for number in range(hands):
        for lane in (Lane.HAND, Lane.DECK):
            replicas = [
                chair.session.table_state.replicas[LedgerName(lane, number)]
                for chair in table.chairs
            ]
            assert len({replica.ledger.head for replica in replicas}) == 1
            assert len({replica.prefix() for replica in replicas}) == 1
    for chair in table.chairs:
        assert not any(isinstance(each, SecondOpinionDiffered) for each in chair.events)
        assert not any(isinstance(each, SessionStopped) for each in chair.events)


class Showing(Table):
    """Seats that show what happened before they publish what they owe, as drivers do."""

    owed = 0

    def deliver(self) -> bool:
        if not self.flying:
            return False
        _, reader, envelope = self.flying.pop(0)
        session = self.sessions[reader]
        heard = session.receive(envelope, now=self.now)
        said = {raw for _, raw in self.sent}
        assert all(
            each.envelope in said or isinstance(open_message(each.envelope, self.charter), Notice)
            for each in heard
            if isinstance(each, Send)
        )
        published = len(self.sent)
        self.handle(reader, heard)
        if any(isinstance(each, PublishingDue) for each in heard):
            told = sum(isinstance(each, Send) for each in heard)
            self.owed += len(self.sent) - published - told
        return True


@pytest.mark.parametrize("seed", sample(range(3), [0]))
def test_what_is_owed_can_be_published_after_what_happened_was_shown(seed: int) -> None:
    table = Showing(TinyGame(3, target=100), seed).played()
    check_agreement(table, 1)
    assert table.owed > 10, "what is owed comes after what happened"


@pytest.mark.parametrize("seed", sample(range(3), [0]))
def test_a_whole_match_has_its_winner_and_the_next_deck_is_ready_before_each_hand(
    seed: int,
) -> None:
    table = Table(TinyGame(3, target=4), seed).begun()
    table.run(lambda: all(table.matches(seat) for seat in range(3)))
    assert len({tuple(table.matches(seat)) for seat in range(3)}) == 1
    hands = len(table.hands(0))
    check_agreement(table, hands)
    dealers = [table.replica(Lane.HAND, number).origin.leading for number in range(hands)]
    assert all((after - before) % 3 == 1 for before, after in pairwise(dealers))
    # Another match needs another confirmation, and starts from where the first one ended.
    assert table.sessions[0].phase is Phase.CONFIRMING
    table.confirm()
    table.run(table.all_played(hands + 1))
    check_agreement(table, hands + 1)


WEATHERS = {
    "loss of 30 percent": Weather(loss=0.3),
    "everything twice and overtaken": Weather(repeat=0.5, reorder=12),
    "all of it": Weather(loss=0.2, repeat=0.3, reorder=20),
    "a partition 1+2 that heals": Weather(
        cut=lambda step, sender, reader: step % 120 < 60 and (sender == 0) != (reader == 0)
    ),
}


@pytest.mark.parametrize("name", sample(WEATHERS, ["all of it", "a partition 1+2 that heals"]))
@pytest.mark.parametrize("seed", sample(range(2), [0]))
def test_bad_weather_delays_and_changes_nothing(name: str, seed: int) -> None:
    table = played(3, seed, hands=2, weather=WEATHERS[name])
    check_agreement(table, 2)


@pytest.mark.parametrize("seed", sample(range(6), [0]))
def test_a_restart_at_any_message_repeats_the_same_bytes(seed: int) -> None:
    table = Table(TinyGame(3, target=100), seed).begun()
    restarts = 0

    def until() -> bool:
        nonlocal restarts
        if table.step % (17 + seed) == 0:
            restarts += 1
            table.restart(table.chance.randrange(3))
        return table.all_played(1)()

    table.run(until)
    assert restarts > 2
    check_agreement(table, 1)
    check_nobody_contradicted_itself(table)


def check_nobody_contradicted_itself(table: Table) -> None:
    """Whatever was ever sent: one body for each place."""
    bodies: dict[Any, bytes] = {}
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        if not isinstance(message, Notice):
            assert bodies.setdefault(message.place, message.id) == message.id


@pytest.mark.parametrize("back", [1, 20, *long(2, 5)])
def test_an_older_journal_is_noticed_and_never_signed_against(back: int) -> None:
    table = Table(TinyGame(3, target=100), back).begun()
    table.run(lambda: table.step == 60)
    journal = len(table.chairs[1].journal)
    assert journal > back
    table.restart(1, journal - back)
    table.run(table.all_played(1))
    check_agreement(table, 1)
    check_nobody_contradicted_itself(table)


@pytest.mark.parametrize("kept", [0, *long(3, 40)])
def test_a_journal_hands_behind_is_made_good_by_the_peers(kept: int) -> None:
    """The seed and the charter are enough: everything else comes back from the others."""
    table = Table(TinyGame(3, target=100), kept, Weather(loss=0.1)).played(2)
    before = table.sessions[1].view(0)
    table.restart(1, kept)
    table.run(table.all_played(3))
    check_agreement(table, 3)
    check_nobody_contradicted_itself(table)
    after = table.sessions[1].view(0)
    assert dict(after.faces) == dict(before.faces)


def test_a_restarted_seat_signs_nothing_before_all_others_have_answered() -> None:
    table = Table(TinyGame(3, target=100), 1).begun()
    table.run(lambda: table.step == 40)
    table.part(2)
    table.restart(1)
    before = len(table.chairs[1].journal)
    table.run(lambda: table.now > 200)
    chair = table.chairs[1]
    assert chair.session.status is SessionStatus.RETURNING
    ours = [open_message(raw, table.charter) for raw in chair.journal[before:]]
    assert not any(not isinstance(each, Notice) and each.place.seat == 1 for each in ours)
    assert any(isinstance(each, Waiting) and each.seats == (2,) for each in chair.events)
    with pytest.raises(LocalError):
        chair.session.act(Confirm(), now=table.now)
    table.heal()
    table.run(table.all_played(1))
    check_agreement(table, 1)


def test_everything_is_persisted_before_it_is_sent() -> None:
    table = played(3, 5)
    for chair in table.chairs:
        persisted: set[bytes] = set()
        for event in chair.events:
            match event:
                case Persist(record):
                    persisted.add(record)
                case Send(envelope):
                    message = open_message(envelope, table.charter)
                    assert isinstance(message, Notice) or envelope in persisted


def test_silence_is_waiting_and_never_more() -> None:
    table = Table(TinyGame(3, target=100), 3).begun()
    table.run(lambda: table.step == 30)
    table.part(2, hearing=True)
    table.run(lambda: table.now > 3_000)
    for seat in (0, 1):
        waits = table.heard(seat, Waiting)
        assert waits
        assert waits[-1].seats == (2,)
        assert len(waits) < 10
    assert not table.blamed()
    table.heal()
    table.run(table.all_played(1))
    check_agreement(table, 1)


def test_an_owner_who_is_silent_at_the_count_is_waited_for_like_any_other() -> None:
    """Nobody can open for it (specs/decisions/030); those present may end the hand."""
    table = Table(TinyGame(3, target=100), 0).begun()
    counting = partial(hands_in, table, "count")
    table.run(lambda: len(counting()) == 3)
    (silent, *_) = counting()[0].awaiting
    table.part(silent, hearing=True)
    table.run(lambda: table.now > 100)
    present = tuple(Seat(seat) for seat in range(3) if seat != silent)
    for seat in present:
        session = table.sessions[seat]
        hand = session.table_state.hand
        assert hand.ledger.missing == (silent,)
        assert session.legal_actions() == ()
        with pytest.raises(LocalError, match="not our turn"):
            session.act(Open(()), now=table.now)
        waits = table.heard(seat, Waiting)
        assert waits[-1].seats == (silent,)
    for seat in present:
        table.act(seat, EndUnfinished(present))
    table.run(lambda: not table.flying)
    for seat in present:
        assert any(
            isinstance(each, HandUnfinished) and each.present == present
            for each in table.chairs[seat].events
        )
    assert not table.blamed()


def hands_in(table: Table, phase: str) -> list[Any]:
    """The states of the newest hand, of the seats that see it in this phase."""
    hands = [chair.session.table_state.hand for chair in table.chairs]
    return [hand.machine.state for hand in hands if hand and hand.machine.state.phase == phase]


def test_with_a_signature_missing_the_result_is_there_but_unconfirmed() -> None:
    class Unsigned(Table):
        lost = True

        def publish(self, seat: int, envelope: bytes) -> None:
            message = open_message(envelope, self.charter)
            signature = not isinstance(message, Notice) and isinstance(
                message.message.content, ResultSignature
            )
            if not (self.lost and seat == 2 and signature):
                super().publish(seat, envelope)

    table = Unsigned(TinyGame(3, target=100), 4).begun()
    table.run(lambda: table.now > 100)
    for seat in (0, 1):
        reached = table.heard(seat, ResultReached)
        assert len(reached) == 1
        assert sum(reached[0].outcome.scores) == 3
        assert not table.hands(seat)
        hand = table.hand(seat)
        assert hand.ledger.missing == (2,)
    table.lost = False
    table.run(table.all_played(1))
    check_agreement(table, 1)


def test_a_choice_that_is_not_ours_to_make_raises_and_changes_nothing() -> None:
    table = Table(TinyGame(3, target=100), 2)
    session = table.sessions[0]
    for choice in (Play(0, None), EndUnfinished((Seat(0), Seat(1)))):  # type: ignore[arg-type]
        before = session.table_state
        with pytest.raises(LocalError):
            session.act(choice, now=0.0)
        assert session.table_state is before
    table.confirm()
    with pytest.raises(LocalError):
        session.act(Confirm(), now=0.0)
    table.run(lambda: playing(table))
    (seat,) = [each for each in range(3) if table.sessions[each].legal_actions()]
    session = table.sessions[seat]
    true = session.legal_actions()[0]
    false = next(card for card in table.game.pack if card != true.card)
    before = session.table_state
    with pytest.raises(LocalError):
        session.act(Play(true.slot, false), now=0.0)
    assert session.table_state is before
    table.run(table.all_played(1))
    check_agreement(table, 1)


def confirmed(session: Session) -> list[Send]:
    """What a session sends after its player has confirmed."""
    events = [*session.act(Confirm(), now=0.0), *session.tick(now=0.0)]
    return [each for each in events if isinstance(each, Send)]


def test_our_own_key_used_elsewhere_stops_us() -> None:
    table = Table(TinyGame(3, target=100), 2).begun()
    twin = Session(**table.arguments(0))
    other_secrets = Session(**{**table.arguments(0), "secrets": Secrets(bytes(32))})
    own = confirmed(twin)
    assert table.sessions[0].receive(own[0].envelope, now=0.0) == []
    foreign = confirmed(other_secrets)
    events = table.sessions[0].receive(foreign[0].envelope, now=0.0)
    reason = "our own key signed what this seat did not (ledger.equivocation)"
    assert events == [SessionStopped(reason)]
    assert table.sessions[0].status is SessionStatus.HALTED
    assert table.sessions[0].receive(own[0].envelope, now=0.0) == []
    assert table.sessions[0].receive(foreign[0].envelope, now=0.0) == []


def test_our_own_key_used_before_us_stops_us_too() -> None:
    table = Table(TinyGame(3, target=100), 2)
    twin = Session(**table.arguments(0))
    (sent,) = confirmed(twin)
    events = table.sessions[0].receive(sent.envelope, now=0.0)
    assert [type(each) for each in events] == [SessionStopped]
    assert table.sessions[0].status is SessionStatus.HALTED


def test_a_wrong_message_under_our_own_key_is_called_wrong() -> None:
    """Not that somebody else has the key: a program of ours may have made it before a restart."""
    table = Table(TinyGame(3, target=100), 2).begun()
    table.run(lambda: playing(table))
    luck = next(
        each
        for each in map(partial(open_message, charter=table.charter), table.chairs[0].journal)
        if isinstance(each, SignedMessage)
        and each.place.seat == 0
        and isinstance(each.message.content, LuckOpening)
    )
    wrong = resigned(table.charter, luck.message, LuckOpening(bytes(32)))
    before = table.chairs[0].journal.index(luck.raw)
    table.restart(0, before)
    events = table.sessions[0].receive(wrong, now=table.now)
    reason = "our own key signed a message that is wrong (luck.opening) and that this seat does not"
    assert events == [SessionStopped(f"{reason} have")]


# --- asking the game ------------------------------------------------------------------------------


class CountingGame(TinyGame):
    """Counts what it is asked to apply for play: not what lists of choices and frames take."""

    def __init__(self, seats: int, target: int) -> None:
        super().__init__(seats, target)
        self.asked: Counter[tuple[TinyState, Seat, TinyAction]] = Counter()

    def apply(self, state: TinyState, seat: Seat, action: TinyAction) -> Step[TinyState]:
        self.asked[state, seat, action] += 1
        return super().apply(state, seat, action)

    def legal_actions(self, view: Any) -> Any:
        return TinyGame(self.seats, self.target).legal_actions(view)

    def largest_actions(self, state: TinyState, seat: Seat) -> Iterable[TinyAction]:
        return ()


class CountingTable(Table):
    """Every seat has a game of its own."""

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "game": CountingGame(3, target=100)}


def test_a_game_is_asked_once_what_an_action_leads_to() -> None:
    """By each seat, its own actions included, and by an audit. Those who act at once are asked for
    alone, and again after one another."""
    table = CountingTable(TinyGame(3, target=100), 6).played()
    auditing = CountingGame(3, target=100)
    transcript = hand_transcript(table.sessions[0].table_state, 0)
    assert audit_bytes(transcript, lambda _: auditing).valid
    hand = table.sessions[0].table_state.hand_of(0)
    taken = table.heard(0, ActionTaken)
    rounds = [len(each.messages) for each in hand.ledger.rounds]
    for game in (auditing, *(chair.session.game for chair in table.chairs)):
        assert isinstance(game, CountingGame)
        assert set(game.asked.values()) == {1}
        assert (
            len(taken) <= sum(game.asked.values()) <= len(taken) + sum(n for n in rounds if n > 1)
        )
    assert all(each.step is not None for each in taken)
