"""Attacks that are no single lie: wrong seats, early shares, replays, deserters, leaks, defects."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from p2p304.rules304.agreement import named_profile
from p2p304.rules304.hand import Game304
from p2p304.rules304.state import Phase
from p2p304.seats import Seat
from protocol.bounds import MAX_EVIDENCE_BYTES
from protocol.cards.keys import HandSecret
from protocol.cards.secrets import Secrets
from protocol.cards.shares import prove_shares
from protocol.encoding import decode, encode
from protocol.errors import LocalError, MalformedMessage, PeerFault, ProofError
from protocol.group.scalar import SecretScalar
from protocol.places import Lane, LedgerName, Place
from protocol.seat.watcher import Watcher
from protocol.table.events import SeatBlamed, SeatSuspected, Send, Waiting
from protocol.table.evidence import (
    EQUIVOCATION,
    KEY_REUSE,
    Conflict,
    Fault,
    Prefix,
    check_conflict,
    evidence_from_bytes,
)
from protocol.table.judge_again import check_evidence, replay
from protocol.table.ledger import Origin
from protocol.table.replica import LedgerReplica
from protocol.topics.commands import Say
from protocol.topics.step import SessionStatus
from protocol.transcript.auditor import Report, audit_bytes, results
from protocol.transcript.file import MAGIC, TranscriptReader, hand_transcript, write_transcript
from protocol.wire import contents
from protocol.wire.contents import KINDS, Action, Chat, HandKeys
from protocol.wire.evidence_file import EvidenceKind, evidence_file
from protocol.wire.identity import Purpose, sign
from protocol.wire.messages import Message, open_ledger_message
from tests.bench.counting import OperationCounter
from tests.table.bus import (
    Colluders,
    Table,
    charter,
    flipped,
    notice,
    refused,
    seeded,
    signed,
    signing_key,
)
from tests.table.cheating import CheatTable, Moment, examined, hidden_from, resigned
from tests.table.tiny_game import TinyGame
from tests.table.walks import walk, walked

CLOSED = ("pagat", 42, "closed")
ALONE = ("pagat", 4, "alone")
#: Tests that look at this hand stay in one worker, which plays it once.
closed_hand = pytest.mark.xdist_group(" ".join(map(str, CLOSED)))


def first(hand: tuple[str, int, str], phase: Phase) -> Moment:
    """The first moment of a hand in this phase."""
    return next(each for each in walk(*hand) if each.state.phase is phase)


# --- whose turn it is ----------------------------------------------------------------------------


def wrong_seats() -> Iterator[Any]:
    alone = (Phase.CUT, Phase.AUCTION4, Phase.INDICATOR4, Phase.AUCTION8, Phase.DECLARE)
    for phase in (*alone, Phase.TRICK, Phase.INSPECT, Phase.COUNT):
        for step in (1, 2, 3) if phase is Phase.TRICK else (1 + phase % 3,):
            name = f"{phase.name.lower()} {step} seats on"
            yield pytest.param(phase, step, id=name, marks=closed_hand)


@pytest.mark.parametrize(("phase", "step"), list(wrong_seats()))
def test_who_is_not_awaited_is_refused_in_every_phase(phase: Phase, step: int) -> None:
    moment = first(CLOSED, phase)
    seat = Seat((moment.seat + step) % 4)
    if seat in moment.replica.ledger.missing:  # all who have cards to count are awaited at once
        assert phase is Phase.COUNT
        return
    wrong = Moment(moment.table, seat)
    assert wrong.check_of(Action(moment.legal[0]), told_to=moment.seat) == "turn.seat"


def test_the_partner_of_one_who_plays_alone_has_no_turn() -> None:
    moment = next(each for each in walk(*ALONE) if each.state.plays)
    partner = Seat((moment.state.maker + 2) % 4)
    slot = moment.state.hands[partner][0]
    content = Action(f"down {slot}")
    assert partner not in moment.replica.ledger.missing
    assert Moment(moment.table, partner).check_of(content) == "turn.seat"


# --- shares before their time --------------------------------------------------------------------


@closed_hand
@pytest.mark.parametrize("with_the_maker", [False, True])
def test_shares_of_the_second_batch_come_early_and_open_nothing(with_the_maker: bool) -> None:
    """A seat shows its shares before the indicator lies. No honest seat answers with its own."""
    moment = first(CLOSED, Phase.INDICATOR4)
    table, deck = moment.table.twin(), moment.machine.deck
    cheat = int(moment.seat) if with_the_maker else (moment.seat + 1) % 4
    table.silent = frozenset(range(4))
    replica = moment.replica
    undealt = [hidden.card for hidden in deck.slots.values() if hidden.owner is None][:12]
    place = Place(replica.origin.ledger, len(replica.ledger.rounds) + 1, Seat(cheat))
    occasion = replace(moment.occasion, place=place)
    batch = prove_shares(
        undealt,
        table.arguments(cheat)["secrets"].hand_secret(0),
        context=occasion.proof_context("DealShares"),
        entropy=seeded("early"),
    )
    content = contents.DealShares(batch.to_bytes())
    message = Message(table.charter.tag, place, occasion.previous, content)
    before = len(table.sent)
    table.publish(cheat, resigned(table.charter, message, content))
    table.settle(5)
    assert not table.blamed()
    for seat, raw in table.sent[before:]:
        if seat != cheat:
            assert not shares_in(table, raw)
    for members in ((cheat,), (cheat, (cheat + 2) % 4), (cheat, (cheat + 1) % 4, moment.seat)):
        assert hidden_from(table, members)
    # Whoever has said that cannot say what is right any more.
    table.silent = frozenset()
    honest = [seat for seat in range(4) if seat != cheat]
    table.run(lambda: table.halted(honest), steps=250)
    assert examined(table, cheat, None) == "ledger.equivocation"


def shares_in(table: Table, raw: bytes) -> bool:
    try:
        message = open_ledger_message(raw, table.charter)
    except MalformedMessage:
        return False  # a notice
    return isinstance(message.content, contents.DealShares)


def test_no_kind_of_message_asks_for_a_share_or_complains_of_one() -> None:
    """A list to be looked at when it grows: nobody can be asked to decrypt a chosen point."""
    assert {kind.name for kind in KINDS} == {
        *("Confirmation", "LuckOpening", "Reseating", "HandKeys", "ShuffleStep", "DealShares"),
        *("HandOverShares", "SortedHands", "Action", "ResultSignature"),
        *("Heads", "Chat", "UnfinishedAgreement", "Rematch", "Continuation"),
        *("Challenge", "ChallengeOpening", "Ruling"),
    }


@closed_hand
def test_no_dealt_card_ever_has_the_shares_of_all_seats() -> None:
    """In no transcript does an owner take its own lock off."""
    table = walked(*CLOSED)
    replica = table.replica(Lane.HAND)
    owned = [hidden for hidden in replica.machine.deck.slots.values() if hidden.owner is not None]
    assert len(owned) >= 28
    for hidden in owned:
        assert hidden.owner in hidden.locks


# --- a deal that was given up --------------------------------------------------------------------


def test_a_redeal_is_final_and_has_new_keys_and_new_cards() -> None:
    profile = "pagat; redeal_below = 100"
    moment = first((profile, 1, "passing"), Phase.AUCTION4)
    table, cheat = moment.table.twin(), int(moment.seat)
    table.style = "closed"  # type: ignore[attr-defined]
    redeal = next(text for text in moment.legal if text.startswith("redeal"))
    table.act(cheat, table.game.parse_action(redeal))
    table.run(
        lambda: all(
            chair.session.table_state.newest.get(Lane.HAND) == 1
            and chair.session.table_state.hand() is not None
            for chair in table.chairs
        )
    )
    replicas = table.sessions[0].table_state.replicas
    decks = [replicas[LedgerName(Lane.DECK, number)].machine.deck for number in (0, 1)]
    keys = [{half for each in deck.keys for half in each} for deck in decks]
    assert not keys[0] & keys[1]
    cards = [{point for each in deck.slots.values() for point in each.card} for deck in decks]
    assert not cards[0] & cards[1]
    # The old deal goes on for nobody.
    old = replicas[LedgerName(Lane.HAND, 0)]
    assert old.machine.outcome.scores == (0, 0)
    place = Place(old.origin.ledger, len(old.ledger.rounds), Seat(cheat))
    message = Message(table.charter.tag, place, old.ledger.head, Action("pass"))
    table.silent = frozenset({cheat})
    table.publish(cheat, resigned(table.charter, message, Action("pass")))
    honest = [seat for seat in range(4) if seat != cheat]
    table.run(lambda: table.halted(honest), steps=250)
    assert examined(table, cheat, None) == "turn.seat"


# --- results -------------------------------------------------------------------------------------


@closed_hand
def test_every_other_result_is_refused() -> None:
    table = walked(*CLOSED)
    replica = table.replica(Lane.HAND)
    *before, last = replica.ledger.rounds
    raws = tuple(each.raw for closed in before for each in closed)
    prefix = (replica.deck.prefix(), Prefix(replica.origin, raws))
    signing = replay(table.charter, table.game, prefix).hand()
    good = last[2]
    assert isinstance(good.content, contents.ResultSignature)
    true = good.content.scores
    others = [true[:1], (*true, 0), true[::-1] if true[0] != true[1] else (9, 9)]
    for place, step in ((place, step) for place in range(2) for step in (-2, -1, 1, 2)):
        others.append(tuple(each + step * (number == place) for number, each in enumerate(true)))
    for scores in others:
        wrong = resigned(table.charter, good, replace(good.content, scores=scores))
        with pytest.raises(PeerFault) as caught:
            signing.accept(open_ledger_message(wrong, table.charter))
        assert (caught.value.seat, caught.value.check) == (2, "result.scores")
    signing.accept(last[2])


# --- keys, rosters, old words ---------------------------------------------------------------------


class Opposite(Secrets):
    """Secrets whose keys are minus those of another seat: together the two know nothing more."""

    __slots__ = ("_other",)

    def __init__(self, other: Secrets, seed: bytes = bytes(32)) -> None:
        super().__init__(seed)
        self._other = other

    def hand_secret(self, deal: int) -> HandSecret:
        theirs = self._other.hand_secret(deal)
        return HandSecret(SecretScalar((-theirs.card).value), SecretScalar((-theirs.suit).value))


def test_partners_whose_keys_cancel_gain_nothing_and_disturb_nothing() -> None:
    class Cancelling(Table):
        def arguments(self, seat: int) -> dict[str, Any]:
            found = super().arguments(seat)
            if seat == 2:
                seed = seeded(f"seed {self.seed} 0")(32)
                found["secrets"] = Opposite(Secrets(seed), seed)
            return found

    table = Cancelling(TinyGame(4, target=100), 3).begun()
    table.run(lambda: table.sessions[0].table_state.hand() is not None)
    keys = table.sessions[0].table_state.hand().machine.deck.keys  # type: ignore[union-attr]
    assert all(one.to_bytes()[1:] == other.to_bytes()[1:] and one != other
               for one, other in zip(keys[0], keys[2], strict=True))  # fmt: skip
    assert hidden_from(table, (0, 2))
    table.run(table.all_played(1))
    assert not table.blamed()
    for lane in (Lane.DECK, Lane.HAND):
        name = LedgerName(lane, 0)
        assert len({each.session.table_state.replicas[name].ledger.head
                    for each in table.chairs}) == 1  # fmt: skip


def test_a_founder_who_shows_different_charters_starts_no_hand() -> None:
    """Seats 0 and 1 hold one charter, seat 2 another one, in which a name differs."""

    class Divided(Table):
        def arguments(self, seat: int) -> dict[str, Any]:
            found = super().arguments(seat)
            if seat == 2:
                agreed = found["charter"]
                entry = replace(agreed.seats[0], nickname="Amara")
                found["charter"] = replace(agreed, seats=(entry, *agreed.seats[1:]))
            return found

    table = Divided(TinyGame(3), 1).begun()
    table.run(lambda: table.now > 600)
    assert len({chair.session.charter.digest for chair in table.chairs}) == 2
    assert not table.blamed()
    for chair in table.chairs:
        assert chair.session.status is SessionStatus.PLAYING
        assert chair.session.table_state.newest == {Lane.TABLE: 0}  # no deck, no hand
        assert any(isinstance(each, Waiting) for each in chair.events)


def test_replays_of_everything_ever_said_change_nothing() -> None:
    """Of this hand, of hands before, of a deal attempt before, of another table."""

    class Elsewhere(Table):
        def arguments(self, seat: int) -> dict[str, Any]:
            found = super().arguments(seat)
            return {**found, "charter": replace(found["charter"], table=b"another table 16")}

    table = Table(TinyGame(3, target=100), 5)
    elsewhere = Elsewhere(TinyGame(3, target=100), 6)
    for each in (table, elsewhere):
        each.played()
    table.run(lambda: table.sessions[0].table_state.newest.get(Lane.HAND) == 1)
    table.deliver_all()
    heads = [{name: each.ledger.head for name, each in chair.session.table_state.replicas.items()}
             for chair in table.chairs]  # fmt: skip
    old = [raw for _, raw in table.sent + elsewhere.sent]
    assert len(old) > 100
    for raw in old:
        for chair in table.chairs:
            told = chair.session.receive(raw, now=table.now)
            assert all(isinstance(each, Send) for each in told), told
    for chair, before in zip(table.chairs, heads, strict=True):
        replicas = chair.session.table_state.replicas
        assert {name: each.ledger.head for name, each in replicas.items()} == before
    table.run(table.all_played(2))
    assert not table.blamed()


# --- who leaves ----------------------------------------------------------------------------------


def test_who_falls_silent_at_any_step_is_waited_for_and_never_blamed() -> None:
    """The last to open its luck, to share, to play, to sign: after each of its messages."""
    whole = Table(TinyGame(3, target=100), 3).played()
    said = sum(1 for seat, raw in whole.sent if seat == 1 and is_ledger(whole, raw))
    assert said > 12
    phases = set()
    for number in (0, 1, 2, 3, 4, 6, 10, said - 1):

        class Deserted(Table):
            left = number

            def publish(self, seat: int, envelope: bytes) -> None:
                if seat == 1:
                    if self.left <= 0:
                        return
                    self.left -= is_ledger(self, envelope)
                super().publish(seat, envelope)

        table = Deserted(TinyGame(3, target=100), 3).begun()
        table.run(lambda table=table: table.now > 60 or table.all_played(1)())  # type: ignore[misc]
        for seat in (0, 2):
            session, events = table.sessions[seat], table.chairs[seat].events
            assert session.status is SessionStatus.PLAYING
            assert not [each for each in events if isinstance(each, SeatBlamed | SeatSuspected)]
            if session.table_state.counted == 0:
                waits = [each for each in events if isinstance(each, Waiting)]
                assert waits[-1].seats == (1,)
                phases.add(session.phase.name)
                hidden_from(table, (1,))
    assert len(phases) >= 6, phases


def is_ledger(table: Table, raw: bytes) -> bool:
    try:
        open_ledger_message(raw, table.charter)
    except MalformedMessage:
        return False
    return True


# --- what is written and said --------------------------------------------------------------------


def test_evidence_holds_what_convicts_and_no_word_of_talk() -> None:
    def better(content: Any, message: Message) -> Any:
        if not isinstance(content, contents.ResultSignature):
            return None
        return replace(content, scores=(*content.scores[:-1], content.scores[-1] + 1))

    table = CheatTable(TinyGame(3, target=100), 0, better).begun()
    for seat in range(3):
        table.act(seat, Say(f"a private word of seat {seat}"))
    table.run(table.stopped)
    assert any(b"a private word" in raw for _, raw in table.sent)
    for blame in table.blamed():
        assert b"a private word" not in blame.evidence


# --- defects of our own --------------------------------------------------------------------------

WRONG = (ValueError, KeyError, RuntimeError, AssertionError, MemoryError, LocalError)


@closed_hand
@pytest.mark.parametrize("error", WRONG)
def test_a_defect_in_a_check_neither_accepts_nor_accuses(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks while a peer's proof is looked at is our fault, and nothing has changed."""
    moment = first(CLOSED, Phase.AUCTION8)
    later = next(each for each in walk(*CLOSED) if each.state.phase is Phase.TRICK)
    for each, name in ((moment, None), (later, "verify_equality")):
        table = each.table.twin()
        reader = (each.seat + 1) % 4
        session = table.sessions[reader]
        before = session.table_state
        raw = each.signed(each.said(each.legal[0]))

        def broken(*args: object, **options: object) -> None:
            raise error("planted")

        with monkeypatch.context() as patched:
            target = (
                "protocol.cards.statements.verify_equality"
                if name
                else "protocol.table.replica.round_digest"
            )
            patched.setattr(target, broken)
            with pytest.raises(error):
                session.receive(raw, now=table.now)
        assert session.table_state is before
        assert session.status is SessionStatus.PLAYING
        assert session.receive(raw, now=table.now)  # and without the defect it is a good message


# --- files ---------------------------------------------------------------------------------------


def test_a_transcript_cut_at_any_byte_is_never_valid() -> None:
    """Read byte by byte, the file is incomplete before its last one; audited, at every record."""
    table = Table(TinyGame(2, target=100), 1).played()
    data = hand_transcript(table.sessions[0].table_state, 0)
    reader = TranscriptReader()
    for place in range(len(data)):
        assert refused(reader.finish) == "transcript.incomplete"
        list(reader.feed(data[place : place + 1]))
    reader.finish()
    ends = [len(MAGIC)]
    while ends[-1] < len(data):
        ends.append(ends[-1] + 5 + int.from_bytes(data[ends[-1] + 1 : ends[-1] + 5], "big"))
    assert len(ends) > 20
    for end in (*ends[1:-1:6], ends[-1]):
        for cut in (end - 1, end):
            report = audit_bytes(data[:cut], lambda _: table.game)
            assert report.valid is (cut == len(data))


def test_an_audit_costs_for_each_hand_the_same() -> None:
    """Linear in messages: three hands cost no more than three times what one costs."""
    table = Table(TinyGame(3, target=100), 2).played(3)
    costs = []
    for hands in (1, 3):
        replicas = table.sessions[0].table_state.replicas
        names = [LedgerName(lane, hand) for hand in range(hands) for lane in (Lane.DECK, Lane.HAND)]
        ledgers = [replicas[name] for name in (LedgerName(Lane.TABLE, 0), *names)]
        data = b"".join(write_transcript(table.charter, ledgers))
        with OperationCounter() as count:
            assert audit_bytes(data, lambda _: table.game).valid
        costs.append(count.multiplications + count.base_multiplications + count.summed)
    assert 2.5 * costs[0] < costs[1] < 3.5 * costs[0]


def test_a_deck_that_one_seat_has_not_shuffled_is_no_deck() -> None:
    """Three agree that it is fine: neither the others' sessions nor an auditor go on with it."""
    table = Table(TinyGame(3, target=100), 1).played()
    replicas = table.sessions[0].table_state.replicas
    deck, hand = replicas[LedgerName(Lane.DECK, 0)], replicas[LedgerName(Lane.HAND, 0)]
    shufflers = [[each.place.seat for each in closed] for closed in deck.ledger.rounds[1:]]
    last = deck.origin.leading
    assert shufflers == [[(last + 1) % 3], [(last + 2) % 3], [last]]
    short = deck._replace(
        ledger=deck.ledger._replace(
            digests=deck.ledger.digests[:-1], rounds=deck.ledger.rounds[:-1]
        )
    )
    opening = replicas[LedgerName(Lane.TABLE, 0)]
    data = b"".join(write_transcript(table.charter, (opening, short, hand)))
    report = audit_bytes(data, lambda _: table.game)
    assert report.broken.check == "ledger.settled"
    raws = tuple(each.raw for closed in short.ledger.rounds for each in closed)
    started = Prefix(hand.origin, ())
    with pytest.raises(ProofError, match="a hand without its deck"):
        replay(table.charter, table.game, (Prefix(deck.origin, raws), started))


# --- evidence -------------------------------------------------------------------------------------

# Evidence and files that stand on their own: a stranger comes to the same verdict, and files of
# seats that all conspire convict nobody else.

AGREED = charter()
HAND = LedgerName(Lane.HAND, 0)
PREVIOUS = b"p" * 32


def said(seat: int, text: str, *, number: int = 0, previous: bytes = PREVIOUS) -> bytes:
    return signed(AGREED, HAND, number, seat, Action(text), previous=previous).raw


def keys(deck: int, seat: int, points: bytes) -> bytes:
    name = LedgerName(Lane.DECK, deck)
    return signed(AGREED, name, 0, seat, HandKeys(points, b"p" * 96), previous=PREVIOUS).raw


def conflict(first: bytes, second: bytes) -> Conflict:
    return Conflict(AGREED, first, second)


EQUIVOCATED = conflict(said(2, "bid 160"), said(2, "bid 170"))
FAULT = Fault(
    AGREED,
    "share.proof",
    (Prefix(Origin(HAND, (b"a" * 32,), Seat(1)), (said(0, "pass"), said(1, "pass"))),),
    said(2, "bid 5"),
)


def test_two_bodies_for_one_place_convict_their_signer() -> None:
    assert check_conflict(EQUIVOCATED) == (2, EQUIVOCATION)
    other_history = conflict(said(2, "bid 160"), said(2, "bid 160", previous=b"q" * 32))
    assert check_conflict(other_history) == (2, EQUIVOCATION)


def test_what_an_honest_seat_may_have_signed_convicts_nobody() -> None:
    pairs = [
        (said(2, "bid 160"), said(2, "bid 160")),
        (said(2, "bid 160"), said(3, "bid 170")),
        (said(2, "bid 160"), said(2, "bid 170", number=1)),
    ]
    for first, second in pairs:
        assert refused(check_conflict, conflict(first, second)) == "evidence.conflict"


def test_forged_foreign_or_spoken_messages_convict_nobody() -> None:
    honest = said(2, "bid 160")
    forged = flipped(said(2, "bid 170"), -1)
    elsewhere = signed(charter(3), HAND, 0, 2, Action("bid 170"), previous=PREVIOUS).raw
    chat = notice(AGREED, 2, Chat("bid 170"))
    for other in (forged, elsewhere, chat, b""):
        for pair in ((honest, other), (other, honest)):
            with pytest.raises(MalformedMessage):
                check_conflict(conflict(*pair))


@pytest.mark.parametrize("evidence", [EQUIVOCATED, FAULT], ids=["conflict", "fault"])
def test_evidence_round_trips(evidence: Conflict | Fault) -> None:
    assert evidence_from_bytes(evidence.to_bytes()) == evidence


def test_shapes_are_checked() -> None:
    row: Any = decode(FAULT.to_bytes(), max_bytes=MAX_EVIDENCE_BYTES)
    ledger = row[5][0]
    bad_ledgers = [
        (3, *ledger[1:]),
        (ledger[0], -1, *ledger[2:]),
        (*ledger[:2], (1,), *ledger[3:]),
        (*ledger[:3], 64, *ledger[4:]),
        (*ledger[:4], (b"",), ledger[5]),
        (*ledger[:5], (1,)),
        ledger[:5],
    ]
    bad = [(*row[:5], (each,), row[6]) for each in bad_ledgers]
    bad += [row[:-1], (*row, 1), (row[0], row[1], 3, *row[3:]), ("x", *row[1:])]
    for each in bad:
        data = encode(each, max_bytes=MAX_EVIDENCE_BYTES)
        assert refused(evidence_from_bytes, data).startswith("evidence.")


@pytest.mark.parametrize(
    ("lane", "after", "messages", "check"),
    [
        (3, (bytes(32),) * 3, (1,), "evidence.ledger"),
        (0, (bytes(32),) * 3, (1,), "evidence.shape"),
        (0, (bytes(32),) * 3, (b"",), "evidence.ledger"),
        (0, (bytes(31), 1), (b"",), "evidence.shape"),
    ],
    ids=["a lane first", "then types", "then digests", "types before sizes"],
)
def test_of_several_things_wrong_with_a_prefix_the_first_is_named(
    lane: int, after: tuple[bytes | int, ...], messages: tuple[bytes | int, ...], check: str
) -> None:
    prefix = (lane, 0, after, 0, (), messages)
    data = evidence_file(EvidenceKind.FAULT, charter().to_bytes(), "turn.seat", (prefix,), b"")
    assert refused(evidence_from_bytes, data) == check


# --- signed junk ----------------------------------------------------------------------------------


GAME = Game304(named_profile("pagat", ()))


def test_a_body_that_does_not_decode_makes_no_conflict() -> None:
    agreed = charter(game="304")
    name = LedgerName(Lane.HAND, 0)
    good = signed(agreed, name, 0, 2, Action("pass"), previous=bytes(32)).raw
    digest = agreed.digest
    bad = sign(signing_key(2), b"\xc1", purpose=Purpose.LEDGER, seat=Seat(2), charter=digest)
    for pair in ((good, bad.to_bytes()), (bad.to_bytes(), good)):
        assert refused(check_evidence, Conflict(agreed, *pair), GAME) == "evidence.conflict"


# --- files of colluders ---------------------------------------------------------------------------


START = GAME.new_match(bytes(32)).scores
ELSEWHERE = b"e" * 32


def audited(table: Colluders) -> Report:
    return audit_bytes(table.file(), lambda _: GAME)


def broken(table: Colluders) -> str:
    report = audited(table)
    assert not report.valid
    return report.broken.check


def whole_hand(**choices: Any) -> tuple[Colluders, LedgerReplica[Any], LedgerReplica[Any], Any]:
    """The first hand of a match: the seats, its deck, itself, and the match after it."""
    table = Colluders(GAME)
    opening = table.opening()
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(0, match.dealer, opening.ledger.head)
    hand = table.hand(deck, match.dealer, match.scores, opening.ledger.head, **choices)
    outcome: Any = hand.machine.outcome
    return table, deck, hand, GAME.after_hand(match, outcome)


def in_mid_match(
    scores: tuple[int, ...] = START,
) -> tuple[Colluders, LedgerReplica[Any], LedgerReplica[Any]]:
    """A hand in the middle of a match: the seats, the opening, and the hand."""
    table = Colluders(GAME)
    opening = table.opening()
    return table, opening, table.hand(table.deck(4, 1, ELSEWHERE), 2, scores, ELSEWHERE)


def test_a_first_deck_after_a_hand_in_mid_match_is_refused_by_name() -> None:
    table, opening, _ = in_mid_match()
    table.deck(0, 1, opening.ledger.head)
    assert broken(table) == "transcript.order"


def test_the_first_hand_of_a_first_match_is_hand_0() -> None:
    table = Colluders(GAME)
    opening = table.opening()
    match = GAME.new_match(opening.machine.luck)
    deck = table.deck(3, 1, ELSEWHERE)
    table.hand(deck, match.dealer, match.scores, opening.ledger.head)
    assert broken(table) == "ledger.after"


def test_scores_of_another_shape_are_refused_in_mid_match_too() -> None:
    for scores in ((), (1,), (*START, 5)):
        table, *_ = in_mid_match(scores)
        assert broken(table) == "match.scores"


def test_another_match_follows_no_hand_in_mid_match_that_ended_none() -> None:
    table, _, hand = in_mid_match()
    table.opening(1, (hand.ledger.head,))
    assert broken(table) == "transcript.order"


def test_what_a_lone_hand_does_not_tell_is_not_reported_as_checked() -> None:
    table, *_ = in_mid_match()
    report = audited(table)
    assert report.valid
    found = results(report)
    assert (found["match.dealer"], found["match.scores"]) == ("not known", "not known")
    assert found["result.signatures"] == "passed"
    whole, *_ = whole_hand()
    found = results(audited(whole))
    assert (found["match.dealer"], found["match.scores"]) == ("passed", "passed")


def test_missing_signatures_are_never_reported_as_checked() -> None:
    table, *_ = whole_hand(unsigned=(1, 3))
    report = audited(table)
    assert report.valid
    assert [hand.unconfirmed for hand in report.hands] == [(1, 3)]
    assert results(report)["result.signatures"] == "not known"


def test_nothing_follows_a_hand_without_all_its_signatures() -> None:
    table, deck, hand, match = whole_hand(unsigned=(2,))
    dealt = hand.origin.leading
    after = table.deck(1, (dealt + 1) % 4, deck.ledger.head)
    table.hand(after, match.dealer, match.scores, hand.ledger.head)
    assert broken(table) == "ledger.settled"


def test_keys_that_cancel_are_nobodys_crash() -> None:
    table = Colluders(GAME)
    table.secrets[2:] = [Opposite(each) for each in table.secrets[:2]]
    opening = table.opening()
    dealer = GAME.new_match(opening.machine.luck).dealer
    deck = table.deck(0, dealer, opening.ledger.head)
    assert broken(table) == "key.sum"
    watcher = Watcher(charter=table.charter, game=GAME)
    messages = [each for closed in opening.ledger.rounds for each in closed]
    events = [
        event for each in (*messages, *deck.ledger.accepted) for event in watcher.receive(each.raw)
    ]
    assert [event for event in events if isinstance(event, SeatSuspected)] == [
        SeatSuspected(Seat(3), "key.sum")
    ]


def test_no_order_of_ledgers_escapes_the_auditor() -> None:
    chance = random.Random(3)
    table, *_ = whole_hand()
    first = list(table.written)
    later = Colluders(GAME)
    opening = later.opening(1, (ELSEWHERE,))
    deck = later.deck(1, 2, ELSEWHERE)
    later.hand(deck, 1, START, opening.ledger.head)
    pool = [*first, *later.written]
    found = set()
    for _ in range(40):
        table.written = [chance.choice(pool) for _ in range(chance.randrange(1, 8))]
        report = audited(table)
        found.add(report.broken and report.broken.check)
    assert {"transcript.missing", "transcript.order", "ledger.after"} <= found


def test_one_key_in_two_decks_convicts_its_owner() -> None:
    points = b"\x02" + b"a" * 32 + b"\x03" + b"b" * 32
    swapped = points[33:] + points[:33]
    fresh = b"\x02" + b"c" * 32 + b"\x03" + b"d" * 32
    for reused in (points, swapped, points[:33] + fresh[33:]):
        assert check_conflict(conflict(keys(0, 1, points), keys(1, 1, reused))) == (1, KEY_REUSE)
    for one, other in (
        (keys(0, 1, points), keys(1, 1, fresh)),
        (keys(0, 1, points), keys(1, 2, points)),
    ):
        with pytest.raises(ProofError):
            check_conflict(conflict(one, other))
