"""Whole hands among real sessions: one history, nobody blamed, whatever bus and restarts do."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from p2p304.seats import Seat, seat_after
from protocol.cards.secrets import Secrets
from protocol.errors import LocalError
from protocol.places import Lane, LedgerName, Place
from protocol.seat.session import Session
from protocol.table.events import (
    ClaimsOpen,
    Event,
    HandUnfinished,
    Persist,
    PublishingDue,
    SeatBlamed,
    SecondOpinionDiffered,
    Send,
    SessionStopped,
    Waiting,
)
from protocol.table.evidence import evidence_from_bytes
from protocol.table.judge_again import check_evidence
from protocol.table.ledger import LedgerPhase, Origin
from protocol.topics.commands import Confirm, EndUnfinished
from protocol.topics.step import SessionStatus
from protocol.wire.contents import Action, HandKeys
from protocol.wire.messages import Notice, SignedMessage, open_message
from tests.long import long, sample
from tests.table.bus import LIAR, US, Table, Weather, envelope, in_a_hand, seeded, signing_key
from tests.table.tiny_game import Open, Play, TinyGame


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
        hand = session.table_state.hand()
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
    hands = [chair.session.table_state.hand() for chair in table.chairs]
    return [hand.machine.state for hand in hands if hand and hand.machine.state.phase == phase]


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


def test_what_was_seen_stays_as_it_was_whatever_happens_later() -> None:
    table = played(3, 1)
    session, at_the_end = table.sessions[0], table.sessions[0].snapshot

    def seen() -> tuple[Any, ...]:
        table_state = at_the_end.table_state
        moment = at_the_end.hand(), at_the_end.view(), at_the_end.awaited_seats
        return (*moment, table_state.match_hands)

    before = seen()
    table.run(table.all_played(2))
    assert session.hand() != before[0]
    assert seen() == before
    with pytest.raises(AttributeError):
        setattr(at_the_end, "game", None)  # noqa: B010 - a checker would refuse it anywhere else


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


# --- whoever is awaited ---------------------------------------------------------------------------


def test_that_nobody_is_waited_for_any_more_is_told_at_once() -> None:
    table = Table(TinyGame(3, target=100), 1)
    table.tick(10.0)
    table.tick(10.0)
    table.deliver_all()
    assert [each.seats for each in table.heard(0, Waiting)] == [(1, 2)]
    table.act(1, Confirm())
    table.deliver_all()
    assert table.sessions[0].awaited_others() == {2}
    table.act(2, Confirm())
    table.deliver_all()
    assert table.sessions[0].awaited_others() == frozenset()
    assert table.heard(0, Waiting)[-1].seats == ()
    many = len(table.heard(0, Waiting))
    table.tick(100.0)
    table.deliver_all()
    assert len(table.heard(0, Waiting)) == many  # we alone are missing


# --- early faults ---------------------------------------------------------------------------------


CHEAT, LAST = 1, 2
HONEST = (0, LAST)


class SlowToSign(Table):
    """A table where one seat signs no result before it is told the time."""

    def handle(self, seat: int, events: list[Event]) -> None:
        hand = self.sessions[seat].table_state.hand()
        if seat == LAST and hand is not None and hand.machine.phase is LedgerPhase.SIGNING:
            events = [event for event in events if not isinstance(event, PublishingDue)]
        super().handle(seat, events)

    def last_is_awaited(self) -> bool:
        """Tell whether the result lacks that seat's signature alone."""
        hand = self.sessions[LAST].table_state.hand()
        signing = hand is not None and hand.machine.phase is LedgerPhase.SIGNING
        return hand is not None and signing and hand.ledger.missing == (LAST,)


def keys_of_the_deck_after_next(table: Table) -> bytes:
    """Keys with a wrong proof for a deck that opens with the next hand: all that its beginning
    rests on is known before the last seat has signed this one."""
    public = table.sessions[CHEAT].table_state
    deck, hand = public.deck_of(1), public.hand()
    assert deck.settled
    assert public.match is not None
    dealer = table.game.after_hand(public.match, hand.machine.outcome).dealer
    name = LedgerName(Lane.DECK, 2)
    origin = Origin(name, (deck.ledger.head,), seat_after(dealer, seats=table.game.seats))
    wrong = HandKeys(b"\2" * 66, b"p" * 96)
    root = origin.root(table.charter.digest)
    return envelope(table.charter, name, 0, CHEAT, wrong, previous=root).to_bytes()


def test_the_last_signature_under_a_result_leaves_though_it_shows_that_a_seat_cheated() -> None:
    table = SlowToSign(TinyGame(3, target=100), 3).begun()
    table.run(table.last_is_awaited)
    table.deliver_all()
    table.publish(CHEAT, keys_of_the_deck_after_next(table))
    table.deliver_all()
    assert not table.blamed()

    table.call(LAST, lambda session: session.tick(now=table.now))
    table.deliver_all()
    assert {each.seat for each in table.blamed()} == {CHEAT}
    for seat in HONEST:
        chair = table.chairs[seat]
        assert chair.session.table_state.counted == 1, "the hand that all have signed counts"
        (blamed,) = [each for each in chair.events if isinstance(each, SeatBlamed)]
        found = check_evidence(evidence_from_bytes(blamed.evidence), table.game)
        assert (found.seat, found.check) == (CHEAT, blamed.check)
        table.restart(seat)
        assert table.sessions[seat].table_state.counted == 1, "and is in the journal"
        assert table.sessions[seat].status is not SessionStatus.HALTED

    watcher, told = table.watched()
    assert watcher.halted
    assert watcher.table_state.counted == 1
    assert [each.seat for each in told if isinstance(each, SeatBlamed)] == [Seat(CHEAT)]


# --- patience -------------------------------------------------------------------------------------


PATIENCE = 1.0
MOMENT = 0.1


class PatientTable(Table):
    """A table of patient seats; a moment passes with every choice."""

    patience = PATIENCE

    def arguments(self, seat: int) -> dict[str, Any]:
        return {**super().arguments(seat), "patience": self.patience}

    def choose(self, seat: int) -> bool:
        self.now += MOMENT
        return super().choose(seat)


def decks(table: Table) -> dict[Place, set[bytes]]:
    """The ids of all that was ever published about decks."""
    found: dict[Place, set[bytes]] = {}
    for _, raw in table.sent:
        message = open_message(raw, table.charter)
        if isinstance(message, SignedMessage) and message.place.ledger.lane is Lane.DECK:
            found.setdefault(message.place, set()).add(message.id)
    return found


def deck_messages(table: Table, number: int) -> int:
    """How many messages about that deck were published."""
    return sum(place.ledger.number == number for place in decks(table))


def started(seats: int = 3) -> PatientTable:
    """A table whose first hand has begun: its deck, that all waited for, is there."""
    table = PatientTable(TinyGame(seats, target=100), 7).begun()
    table.run(lambda: any(chair.session.legal_actions() for chair in table.chairs))
    return table


def test_the_deck_is_made_in_a_pause_one_round_at_a_time() -> None:
    table = started()
    table.run(lambda: not table.flying)
    seats = len(table.chairs)
    rounds = []
    for _ in range(2 * seats):
        before = deck_messages(table, 1)
        table.tick(PATIENCE / 2)
        assert deck_messages(table, 1) == before
        table.tick(PATIENCE)
        table.deliver_all()
        rounds.append(deck_messages(table, 1) - before)
    assert rounds == [seats, *[1] * seats, *[0] * (seats - 1)]


# --- waiting decks --------------------------------------------------------------------------------


HANDS = 2
SEATS = 3
LIFE = 50  #: Steps between two deaths.


def patient_hands(
    patience: float, *, deaths: bool = False, weather: Weather | None = None
) -> Table:
    table = PatientTable(TinyGame(SEATS, target=100), 11, weather)
    table.patience = patience
    table.confirm()
    done, step = table.all_played(HANDS), 0
    while not done():
        step += 1
        table.run(lambda until=table.step + LIFE: done() or table.step >= until)  # type: ignore[misc]
        if deaths:
            table.restart(step % SEATS)
    return table


def test_seats_that_die_while_a_deck_waits_sign_each_place_once() -> None:
    rough = Weather(loss=0.05, repeat=0.1, reorder=4)
    table = patient_hands(1.0, deaths=True, weather=rough)
    assert not table.blamed()
    calm = decks(patient_hands(0.0))
    for place, ids in decks(table).items():
        assert len(ids) == 1
        if place.ledger.number < HANDS:
            assert ids == calm[place]


# --- returning ------------------------------------------------------------------------------------


def test_a_claim_that_no_message_backs_is_told_by_name_and_nothing_is_signed() -> None:
    table = in_a_hand()
    table.boasts = True
    table.restart(US)
    said = len(table.sent)
    table.run(lambda: table.now > 120)
    session = table.sessions[US]
    assert session.status is SessionStatus.RETURNING
    assert [claim.seat for claim in session.open_claims()] == [LIAR]
    (event,) = table.heard(US, ClaimsOpen)
    assert [(each.seat, each.head.lane) for each in event.claims] == [(LIAR, Lane.HAND)]
    assert (LIAR,) in {each.seats for each in table.heard(US, Waiting)}
    assert session.awaited_others() == {LIAR}
    ours = [open_message(raw, table.charter) for seat, raw in table.sent[said:] if seat == US]
    assert ours
    assert all(isinstance(each, Notice) for each in ours)
    assert not table.blamed()


def test_with_the_players_word_a_claim_holds_nobody() -> None:
    table = in_a_hand()
    table.boasts = True
    table.restart_vouching(US, frozenset({Seat(LIAR)}))
    table.run(table.all_played(1))
    assert not table.blamed()
    assert not table.heard(US, ClaimsOpen)


def test_a_journal_with_its_records_in_another_order_is_refused() -> None:
    table = in_a_hand()
    journal = table.chairs[US].journal
    later = next(place for place, raw in enumerate(journal) if raw != journal[0] and place > 8)
    for records in ([journal[later]], [*journal, journal[0]], [b"junk", *journal]):
        with pytest.raises(LocalError, match="the journal holds what does not"):
            Session(**table.arguments(US)).resume(records, entropy=seeded("again"))


def test_a_session_begins_with_the_key_and_the_seats_of_its_charter() -> None:
    given = in_a_hand().arguments(US)
    with pytest.raises(LocalError, match="does not hold our key"):
        Session(**{**given, "key": signing_key(9)})
    with pytest.raises(LocalError, match="seats, not"):
        Session(**{**given, "game": TinyGame(2, target=100)})


# --- restored journals ----------------------------------------------------------------------------


HAND = LedgerName(Lane.HAND, 0)


class Deaf(Table):
    """The seats 1 and 2 do not hear each other while `parted` holds."""

    parted = False

    def publish(self, seat: int, envelope: bytes) -> None:
        self.weather.cut = lambda step, one, other: self.parted and 0 not in (one, other)
        super().publish(seat, envelope)


def dealing(table: Table) -> bool:
    return all(chair.session.table_state.hand() is not None for chair in table.chairs)


def ahead() -> tuple[Deaf, int]:
    """Seat 0 has acted, and the others, who keep its message, have not closed the round before.

    With it, how long seat 0's journal was before that round.
    """
    for seed in range(200):
        table = Deaf(TinyGame(3, target=100), seed).begun()
        table.run(partial(dealing, table))
        kept = len(table.chairs[0].journal)
        table.parted = True
        table.flying = [each for each in table.flying if 0 in each[:2]]
        while table.flying:
            table.deliver()
        hands = [chair.session.table_state.hand() for chair in table.chairs]
        if None in hands or not table.sessions[0].legal_actions():
            continue
        assert [each and each.machine.phase for each in hands][1:] == [LedgerPhase.DEALING] * 2
        table.choose(0)
        while table.flying:
            table.deliver()
        return table, kept
    raise AssertionError("seat 0 was never the first to act")


def signed_by(table: Table, seat: int) -> list[SignedMessage]:
    """The different ledger messages that a seat has sent."""
    messages = [open_message(raw, table.charter) for who, raw in table.sent if who == seat]
    return [each for each in messages if not isinstance(each, Notice) and each.place.seat == seat]


def test_an_older_journal_learns_what_the_others_keep_and_could_not_accept_yet() -> None:
    table, kept = ahead()
    (acted,) = [each for each in signed_by(table, 0) if isinstance(each.content, Action)]
    table.restart(0, kept)
    session = table.sessions[0]
    for _ in range(12):
        table.tick(2.0)
        while table.flying:
            table.deliver()
            if session.legal_actions():  # it may choose again, and otherwise than it did
                replica = session.table_state.replicas[HAND]
                assert len(replica.ledger.rounds) > acted.place.round
    table.parted = False
    table.run(table.all_played(1))
    places: dict[object, set[bytes]] = {}
    for each in signed_by(table, 0):
        places.setdefault(each.place, set()).add(each.id)
    assert all(len(bodies) == 1 for bodies in places.values())
    assert not table.blamed()
