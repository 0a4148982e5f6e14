"""The public state of a table: all its ledgers and their results; and the processing of a message.

Players and spectators hold the same value, whatever the order of messages. This module says which
ledger opens once others have ended: the setup of a match, then hand after hand, with the next deck
prepared while a hand is played. A message that fits is judged with all that follows from it: it may
close a round, end a ledger, open the next one, and so free held messages, which are then processed
as if they came now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from p2p304.disclosures import Disclosure
from p2p304.game import AnyGame, MatchState
from p2p304.seats import Seat, seat_after
from protocol.bounds import KEPT_HANDS, LEDGERS_AHEAD
from protocol.errors import LocalError, MalformedMessage, PeerFault, ProofError
from protocol.places import EPOCH, Lane, LedgerName
from protocol.table.events import (
    Contributed,
    Disclosed,
    Event,
    HandEnded,
    HandRuled,
    HandStarted,
    HandUnfinished,
    MatchEnded,
    RoundClosed,
    SecondOpinionDiffered,
)
from protocol.table.evidence import EQUIVOCATION, Conflict, KeyHistory
from protocol.table.hand import HandPlay
from protocol.table.ledger import (
    Early,
    Equivocation,
    Fits,
    Known,
    Ledger,
    Offered,
    Origin,
    OtherHistory,
    OutOfTurn,
    TooFarAhead,
)
from protocol.table.replica import (
    OUT_OF_TURN,
    AnyReplica,
    DeckReplica,
    HandReplica,
    LedgerReplica,
    MatchReplica,
    as_hand,
)
from protocol.table.rulings import MatchHand, Rulings, stops
from protocol.table.setups import DeckSetup, MatchSetup
from protocol.table.standing import (
    MatchStanding,
    at_point,
    check_continued,
    consequence,
    standing_after,
    stop_hand,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import RulingVerdict
from protocol.wire.messages import Agreement, SignedMessage, SignedRuling


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class TableState(NamedTuple):
    """The public state of a table. Immutable; an input that raises has changed nothing."""

    charter: Charter
    game: AnyGame
    replicas: Mapping[LedgerName, AnyReplica] = MappingProxyType({})
    #: Ledgers that cannot start yet, with the messages that are held for them.
    waiting: Mapping[LedgerName, Ledger] = MappingProxyType({})
    #: The match in play; None before its luck is drawn, and if a file does not tell it.
    match: MatchState | None = None
    #: The number of the newest open ledger of each lane that has one.
    newest: Mapping[Lane, int] = MappingProxyType({})
    counted: int = 0  #: How many hands have been counted towards a match.
    #: In how many of them cards were played. A hand is counted once every seat has signed its
    #: result or a ruling let it count, and not if a ruling made it void.
    played: int = 0
    #: The hands of the match in play; of the one that has just ended, until the next begins.
    match_hands: tuple[MatchHand, ...] = ()
    won: int | None = None  #: Who has won the match that has just ended, until the next begins.
    #: Whether no other match begins here: all confirmed to go on at another table, or named
    #: different seatings in every round of confirmations.
    closed: bool = False
    #: The number of the first hand after each setup of a match that is kept.
    first_hands: Mapping[int, int] = MappingProxyType({})
    #: The keys of all decks that are not void, to convict a seat that uses one in two.
    keys: KeyHistory = KeyHistory()
    rulings: Rulings = Rulings()  #: Those by which a referee stopped a hand.
    #: How many matches were over when each setup opened.
    matches: Mapping[int, int] = MappingProxyType({})
    #: Whether ledgers begin where a file states it (`at`), not once those before them have ended:
    #: then the file may begin in the middle of a match, and one ledger of each lane is kept.
    stated: bool = False
    #: Whether what is said of hidden cards is taken as its seats signed it, without proofs.
    trusted: bool = False
    #: Whether the last hand that ended in a file was the last one of its match, known or not.
    over: bool = False

    @classmethod
    def begin(cls, charter: Charter, game: AnyGame) -> TableState:
        """Return a table whose seats have not confirmed the charter yet.

        Raises LocalError if the game has another number of seats than the charter, or if no match
        can go on as the charter says: the game refuses it, or nobody stays of a side.
        """
        if game.seats != len(charter.seats):
            raise LocalError(f"{game.name} takes {game.seats} seats, not {len(charter.seats)}")
        try:
            check_continued(charter, game)
        # Our caller judged the charter already: to begin with a wrong one is its mistake.
        except ProofError as error:
            raise LocalError(f"no match goes on so: {error}") from None
        # TABLE 0 continues nothing (specs 5.1).
        return cls(charter, game).open_match_setup(())

    # --- from a file ------------------------------------------------------------------------------

    def at(self, origin: Origin) -> tuple[TableState, list[Event]]:
        """Judge the origin that a file states, and open its ledger behind those that the table
        has; return the table and the events.

        The other ledgers of its lane are dropped. The one event is HandStarted, for a hand. The
        match of the table is afterwards the one that the ledger belongs to, None if the file does
        not tell it.

        Raises MalformedMessage `match.dealer`, `match.scores`, `ledger.after`, `ledger.settled`,
        `transcript.order` or `transcript.missing`.
        """
        for holds, check, detail in _demands(origin, self):
            if not holds:
                raise MalformedMessage(check, detail)
        (lane, number), match, setup = origin.ledger, self.match, self.match_setup()
        # A file may begin in the middle of a match: of a hand that does not continue the setup the
        # match is then not known.
        if lane is Lane.HAND and self.hand() is None and setup is not None:
            match = match if origin.after[0] == setup.ledger.head else None
        # In a file only the newest ledger of each lane is needed, so that an audit takes little
        # memory.
        kept = {name: each for name, each in self.replicas.items() if name.lane is not lane}
        after = self._replace(match=match, replicas=kept).begin_ledger(origin)
        started = HandStarted(number, origin.leading, origin.scores)
        return after, [started] if lane is Lane.HAND else []

    def begin_ledger(self, origin: Origin) -> TableState:
        """Return the table with the ledger of `origin` open, with the messages that waited for it;
        whether it may start there is not checked.

        Raises LocalError for a hand without a deck that has the keys of all seats.
        """
        game, name, waiting = self.game, origin.ledger, self.waiting.get(origin.ledger)
        replica: AnyReplica
        match name.lane:
            case Lane.TABLE:
                # Other seatings can be named only after a match (specs 5.7).
                setup = MatchSetup(game.seats, another=name.number > 0)
                replica = LedgerReplica.open(self.charter, origin, setup, waiting)
            case Lane.DECK:
                preparing = DeckSetup(game.pack, game.seats, origin.leading, self.trusted)
                replica = LedgerReplica.open(self.charter, origin, preparing, waiting)
            case Lane.HAND:
                deck = self.deck_of(name.number)
                if deck is None or deck.machine.deck is None:
                    raise LocalError("a hand is played with a settled deck")
                play = HandPlay.start(game, origin, deck.machine.deck)
                replica = LedgerReplica.open(self.charter, origin, play, waiting, deck)
        return self._replace(
            replicas={**self.replicas, name: replica},
            # What waited for this ledger is in it now.
            waiting={key: each for key, each in self.waiting.items() if key != name},
            newest={**self.newest, name.lane: name.number},
        )

    def end_hand(
        self, hand: HandReplica, agreed: tuple[Agreement, ...]
    ) -> tuple[TableState, MatchStanding | None, list[Event]]:
        """End the newest hand of a file, `hand`; return the table, with its match and whether it is
        `over`, where the match stands for a charter that goes on with it, and the events.

        The hand ends by its ruling, else by the agreements `agreed`, else with its result, which
        some seats may not have signed.
        """
        standing = standing_after(self.charter, hand, self.game, agreed)
        if hand.ruling is not None:
            after, events = self._end_by(hand, hand.ruling)
            return after, standing, events
        if agreed:
            seats = tuple(each.seat for each in agreed)
            after, events = self, [HandUnfinished(hand.origin.ledger.number, seats)]
        else:
            after, events = self._count(hand)
        # No standing: the match is over, or no charter could go on with it.
        return after._replace(over=standing is None), standing, events

    def stop_by_ruling(self, ruling: SignedRuling, replica: AnyReplica) -> TableState:
        """Return the table after a ruling of a file stopped the hand `replica` at its present
        point; the match is changed later, by `end_hand`.

        Raises ProofError `ruling.point` or `ruling.verdict`.
        """
        hand, content = as_hand(replica), ruling.content
        # In a file the hand ends at the point: rounds behind it are void and do not stand there.
        if hand is None or not at_point(hand, content) or content.closed != len(hand.ledger.rounds):
            raise ProofError("ruling.point", "a ruling about something else")
        if hand.ledger.accepted:
            raise ProofError("ruling.point", "messages behind what was ruled")
        if not stops(content):
            raise ProofError("ruling.verdict", "it stops no hand")
        # Called for its error alone: the ruling must be possible (specs 5.8, no. 1).
        consequence(self.game, content, hand.origin, hand.machine.outcome)
        return self.with_replica(stop_hand(hand, ruling))

    def _end_by(self, hand: HandReplica, ruling: SignedRuling) -> tuple[TableState, list[Event]]:
        """Return the table, with its match and whether it is `over`, and the events after a ruling
        ended a hand of a file.

        The match is None afterwards if the file did not tell the match, or if the match is over.
        """
        number, outcome = ruling.content.hand, hand.machine.outcome
        after = consequence(self.game, ruling.content, hand.origin, outcome)
        match = None if after.over or self.match is None else after.match
        events: list[Event] = []
        # A redeal voids the result too; the other verdicts let it count.
        if outcome is not None and ruling.content.verdict != RulingVerdict.REDEAL:
            # Without scores: those of the match follow from the ruling, its penalty included.
            events.append(HandEnded(number, outcome, ()))
        # No void hands: none stands in the file.
        events.append(HandRuled(ruling, ()))
        if after.winner is not None:
            # A match that was lost has no scores, and an audit keeps no entries of its hands.
            scores = () if after.match is None else after.match.scores
            events.append(MatchEnded(after.winner, scores))
        return self._replace(match=match, over=after.over), events

    # --- looking ----------------------------------------------------------------------------------

    def hand(self, number: int | None = None) -> HandReplica | None:
        """Return the hand with the number `number`, None if it is forgotten, void or not open yet;
        without a number the newest hand, in play or settled, None before the first.
        """
        if number is None:
            number = self.newest.get(Lane.HAND, -1)  # no ledger has the number -1
        # By its lane, here and below: no other machine interprets it.
        return cast(HandReplica | None, self.replicas.get(LedgerName(Lane.HAND, number)))

    def deck_of(self, number: int) -> DeckReplica | None:
        """Return the setup of the deck with the number `number`; None if it is forgotten, void
        or not open yet.
        """
        return cast(DeckReplica | None, self.replicas.get(LedgerName(Lane.DECK, number)))

    def match_setup(self) -> MatchReplica | None:
        """Return the newest setup of a match; None if there is none."""
        name = LedgerName(Lane.TABLE, self.newest.get(Lane.TABLE, -1))
        return cast(MatchReplica | None, self.replicas.get(name))

    def standing(self, agreed: tuple[Agreement, ...] = ()) -> MatchStanding | None:
        """Return where the match stands, for a charter that goes on with it (specs 6.5).

        `agreed` are the agreements that ended the newest hand. None while that hand is in play, if
        the match is over, if a ruling let the match go on here, if the game refuses scores that
        the file states, and before the first hand of a table that goes on with no match.
        """
        return standing_after(self.charter, self.hand(), self.game, agreed)

    def setup_of(self, hand: int) -> int | None:
        """Return the number of the setup of the match to which hand number `hand` belongs: of the
        last match that began with this hand or a lower one, also for a hand yet to come; None if
        the table has forgotten it.
        """
        begun = (number for number, first in self.first_hands.items() if first <= hand)
        return max(begun, default=None)

    @property
    def match_over(self) -> bytes | None:
        """The head, 32 bytes, of the last hand of a match that is over, until another one
        begins; else None. The table of another seating is computed from it (specs 5.7, no. 5).
        """
        hand = self.hand()
        return None if self.won is None or hand is None else hand.head

    @property
    def hands_begun(self) -> int:
        """The number of the newest hand plus one; the count of hands unless a ruling moved the
        numbers on.
        """
        return self.newest.get(Lane.HAND, -1) + 1

    def forgotten(self, name: LedgerName) -> bool:
        """Return whether the table does not keep the ledger `name` although its number is used
        or skipped: the ledger ended long ago or is void.
        """
        top = self.rulings.top(name.lane, self.newest)
        return name not in self.replicas and name.number <= top

    @property
    def unsettled_replicas(self) -> tuple[AnyReplica, ...]:
        """The replicas whose open round awaits a message, sorted by lane (setup, deck, hand),
        then number.
        """
        awaiting = [name for name, each in self.replicas.items() if each.ledger.contributors]
        # Sorted, since the mapping tells only in which order the ledgers opened here.
        return tuple(self.replicas[name] for name in sorted(awaiting))

    def ledger(self, name: LedgerName) -> Ledger | None:
        """Return the ledger `name`, open, settled or not started.

        An empty one for the next number of the lane; None for later numbers, and for a forgotten
        ledger.
        """
        if name in self.replicas:
            return self.replicas[name].ledger
        if name in self.waiting:
            return self.waiting[name]
        # One ledger ahead: a faster peer may have opened it already. More is dropped (specs 5.2,
        # step 2).
        ahead = name.number - self.rulings.top(name.lane, self.newest)
        return Ledger(name) if 0 < ahead <= LEDGERS_AHEAD else None

    # --- going on ---------------------------------------------------------------------------------

    def with_replica(self, replica: AnyReplica) -> TableState:
        """Return the table with this replica in place of the one of its name."""
        return self._replace(replicas={**self.replicas, replica.origin.ledger: replica})

    def open_next(self) -> tuple[TableState, list[Event]]:
        """Count a settled hand, and open every ledger that can start: a match, a deck, a hand;
        return the table and the events.
        """
        after, events, hand = self, list[Event](), self.hand()
        # `counted` is the next number to count: a hand counts once.
        if hand is not None and hand.settled and after.counted == hand.origin.ledger.number:
            after, events = after._count(hand)
        setup = after.match_setup()
        assert setup is not None  # a table in play begins with one
        after = after._replace(closed=setup.settled and setup.machine.luck is None)
        if after.match is None and setup.machine.luck is not None:
            after, match = after.begin_match(setup.origin.ledger.number, setup.machine.luck)
            # Else it was prepared during the last hand of the match before, and no ruling made it
            # void.
            if after.newest.get(Lane.DECK, -1) < after.counted:
                after = after.open_next_of(Lane.DECK, (setup.ledger.head,), match.dealer)
        top = after.rulings.top(Lane.HAND, after.newest)
        # One hand at a time: the newest one has to be counted before the next opens.
        if after.match is not None and after.counted == top + 1:
            after, news = after._open_hand(after.match)
            events += news
        return after, events

    def begin_match(self, setup: int, luck: bytes) -> tuple[TableState, MatchState]:
        """Return the table with the match that begins after setup number `setup`, and that match;
        the entries of the last match are dropped.

        Its first dealer comes from `luck`, 32 bytes; but after setup 0 the match of the charter's
        term `continues` goes on, if there is one.
        """
        # The term is about match 0 alone; later matches begin by their luck (specs 5.3).
        continues = None if setup else self.charter.continues
        match = (
            self.game.new_match(luck)
            if continues is None
            else self.game.match_at(continues.dealer, continues.scores)
        )
        return self._replace(match=match, match_hands=(), won=None, over=False), match

    def _count(self, hand: HandReplica) -> tuple[TableState, list[Event]]:
        """Count the result of a settled hand towards the match; return the table and the events:
        HandEnded, MatchEnded if the match is won, and SecondOpinionDiffered for each proved
        statement that the open cards contradict.

        In play a won match opens the setup of the next, and old ledgers are forgotten; for a file
        neither is done. If a file does not tell the match before the hand, the table is unchanged
        and HandEnded has no scores.
        """
        outcome = hand.machine.outcome
        assert outcome is not None  # of any settled hand
        number, before = hand.origin.ledger.number, self.match
        events: list[Event] = [
            # The cards are open: a proof of something false would show a broken verifier (specs
            # 5.6).
            SecondOpinionDiffered(fact.seat, fact.round, str(fact.statement))
            for fact in hand.machine.second_opinion()
        ]
        if before is None:
            return self, [*events, HandEnded(number, outcome, ())]
        match = self.game.after_hand(before, outcome)
        won = match.winner
        events.append(HandEnded(number, outcome, match.scores))
        if won is not None:
            events.append(MatchEnded(won, match.scores))
        # No match until the next setup has its luck: no hand can open in between.
        after = self._replace(match=match if won is None else None, won=won)
        # Counting, keeping and forgetting are for play: an audit keeps one ledger of each lane.
        if self.stated:
            return after, events
        after = after._replace(
            # By the number: after a ruling numbers go on from the next million (specs 5.8, no. 3).
            counted=number + 1,
            # A bool counts as one.
            played=self.played + outcome.played,
            match_hands=(
                *self.match_hands,
                MatchHand(number, outcome, before.scores, match.scores),
            ),
        )
        if won is not None:
            after = after.open_match_setup((hand.ledger.head,))
        return after._forget(), events

    def _forget(self) -> TableState:
        """Return the table without old ledgers: the last KEPT_HANDS counted hands stay, with their
        decks and match setups, and all that is newer.

        With a referee, whose ruling may go back to any hand of a match, the ledgers of the last two
        matches stay.
        """
        # Some hands are kept for seats that return; older ones they get from transcripts.
        oldest = max(self.counted - KEPT_HANDS, 0)
        if self.charter.referees:
            oldest = min(oldest, *sorted(self.first_hands.values())[-2:])
        # There is always one: at first that of hand 0, later the oldest that was kept before.
        opening = self.setup_of(oldest)
        assert opening is not None
        least = {Lane.TABLE: opening, Lane.DECK: oldest, Lane.HAND: oldest}
        kept = {
            name: replica
            for name, replica in self.replicas.items()
            if name.number >= least[name.lane]
        }
        # Keys are never forgotten: see `KeyHistory`.
        first = {number: hand for number, hand in self.first_hands.items() if number >= opening}
        return self._replace(replicas=kept, first_hands=first)

    def open_match_setup(self, after: tuple[bytes, ...]) -> TableState:
        """Return the table with the setup of another match open, which continues the heads
        `after`: that of the last hand, () for the first setup.
        """
        # -1, so that no match was over when the first setup opens.
        before = self.matches.get(self.newest.get(Lane.TABLE, -1), -1)
        # `leading` means nothing for a TABLE and is 0 (specs 5.1).
        opened = self.open_next_of(Lane.TABLE, after, Seat(0))
        number = opened.newest[Lane.TABLE]
        first = {**self.first_hands, number: self.counted}
        return opened._replace(first_hands=first, matches={**self.matches, number: before + 1})

    def _open_hand(self, match: MatchState) -> tuple[TableState, list[Event]]:
        """Open the next hand of `match` and the deck after it; return the table and HandStarted.

        The table is unchanged, without events, while the hand's deck is not settled.
        """
        number = self.counted
        deck = self.deck_of(number)
        if deck is None or not deck.settled:
            return self, []
        # It continues the hand before it, or the setup of its match.
        setup = self.replicas[LedgerName(Lane.TABLE, self.newest[Lane.TABLE])]
        hand, first = self.hand(), self.first_hands[setup.origin.ledger.number]
        before = setup.ledger.head if hand is None or first == number else hand.head
        continued, scores = (before, deck.ledger.head), match.scores
        after = self.open_next_of(Lane.HAND, continued, match.dealer, scores)
        # The deck of the next hand is prepared while this one is played; in most games its dealer
        # is the next seat, who then shuffles last. It is as good a deck if another one deals.
        shuffler = seat_after(match.dealer, seats=self.game.seats)
        after = after.open_next_of(Lane.DECK, (deck.ledger.head,), shuffler)
        return after, [HandStarted(number, match.dealer, scores)]

    def open_next_of(
        self, lane: Lane, after: tuple[bytes, ...], leading: Seat, scores: tuple[int, ...] = ()
    ) -> TableState:
        """Return the table with the next ledger of a lane open, with the messages that waited for
        it.

        Args:
            lane: of the ledger; a hand needs its deck to be settled.
            after: the heads that the ledger continues, 32 bytes each.
            leading: the last shuffler of a deck, the dealer of a hand, 0 for a TABLE.
            scores: the match's before a hand.
        """
        name = LedgerName(lane, self.rulings.top(lane, self.newest) + 1)
        return self.begin_ledger(Origin(name, after, leading, scores))


class Received(NamedTuple):
    """The result of a message: the table after it, the verdict on its place (`offered`), the
    events, and the messages that were accepted, held ones included.
    """

    table_state: TableState
    offered: Offered
    events: tuple[Event, ...] = ()
    accepted: tuple[SignedMessage, ...] = ()
    #: Each disclosure with the hand as it was then: a slot may be no more a moment later.
    shown: tuple[tuple[Disclosure, HandPlay], ...] = ()
    #: That of a message which was held until this one came. What is here stands all the same.
    fault: PeerFault | None = None


def receive(table: TableState, signed: SignedMessage) -> Received:
    """Process a validly signed message of the table's charter, and return the result.

    A known or void message, or one too far ahead, changes nothing; an early one, or one of another
    history in the open round, is held without events. A message that fits is judged; if it
    completes its round, the next round and ledgers open, and held messages for them are processed.

    Raises PeerFault, with portable evidence, for a message that no honest seat signs: a wrong one,
    one out of turn, a second one for a place. Without evidence, for the seat of this message, if it
    completes keys that cancel. The fault of a held message is in the result instead.
    """
    name, seat = signed.place.ledger, signed.place.seat
    replica = table.replicas.get(name)
    ledger = table.ledger(name) if replica is None else replica.ledger
    # What is void blames nobody, two of it for one place neither (specs 5.8, no. 2).
    if ledger is None or table.rulings.behind(signed.place):
        # A forgotten ledger has all its messages, and a void one changes nothing (specs 5.2, no. 1;
        # 5.8, no. 2). Of a ledger further ahead no message is held (5.2, no. 2).
        here = replica is not None or table.forgotten(name)
        return Received(table, Known() if here else TooFarAhead())
    offered = ledger.offer(signed)
    match offered:
        case Known() | TooFarAhead():
            return Received(table, offered)
        case Early(kept) | OtherHistory(kept):
            if replica is None:
                return Received(table._replace(waiting={**table.waiting, name: kept}), offered)
            return Received(table.with_replica(replica._replace(ledger=kept)), offered)
        case Equivocation(earlier):
            evidence = Conflict(table.charter, earlier.raw, signed.raw)
            raise PeerFault(seat, EQUIVOCATION, (evidence.to_bytes(),))
        case OutOfTurn() | Fits():
            pass
    # In a ledger that waits to start `offer` finds all but an equivocation early.
    assert replica is not None
    if isinstance(offered, OutOfTurn):
        raise replica.fault(signed, OUT_OF_TURN)
    # Before the content: `keys.reused` convicts whatever its proof is (specs 5.2, steps 9 and 10).
    keys = table.keys.note(signed, table.charter)
    replica = replica.accept(signed)
    if replica.ledger.missing:
        after = table._replace(replicas={**table.replicas, name: replica}, keys=keys)
        return Received(after, offered, (Contributed(name, seat),), (signed,))
    try:
        closed, happened = replica.close()
    except ProofError as error:
        # A fault names some seat; without evidence it accuses none.
        raise PeerFault(seat, error.check) from None
    after = table._replace(replicas={**table.replicas, name: closed}, keys=keys)
    events = [RoundClosed(name, signed.place.round, closed.ledger.head), *happened]
    # Ledgers open when others have ended; in a file the next one is stated, not derived.
    if closed.settled and not table.stated:
        after, news = after.open_next()
        events += news
    machine = closed.machine
    shown = tuple(
        (each.disclosure, machine)
        for each in happened
        # Hands alone disclose: the second test is for the type.
        if isinstance(each, Disclosed) and isinstance(machine, HandPlay)
    )
    received = Received(after, offered, tuple(events), (signed,), shown)
    held = any(each.ledger.held for each in after.replicas.values())
    return _release(received) if held else received


def _release(received: Received) -> Received:
    """Process the messages that were held for the rounds that are open now, up to the first wrong
    one; those after it are dropped, since the seat stops there (specs 7.7).

    Return `received` with their results; the PeerFault of a wrong one is its `fault`.
    """
    # All are released before one is judged: judging one may close its round, and move the others.
    due: list[SignedMessage] = []
    for replica in received.table_state.unsettled_replicas:
        ledger, held = replica.ledger.release()
        if held:
            released = received.table_state.with_replica(replica._replace(ledger=ledger))
            received = received._replace(table_state=released)
            due += held
    for each in due:
        if received.fault is None:
            try:
                more = receive(received.table_state, each)
                # The verdict is that of the first message.
                received = Received(
                    more.table_state,
                    received.offered,
                    received.events + more.events,
                    received.accepted + more.accepted,
                    received.shown + more.shown,
                    more.fault,
                )
            # Returned, not raised: the message that opened this round was right and stands (CH22).
            except PeerFault as fault:
                received = received._replace(fault=fault)
    return received


# --- where the ledgers of a file may begin --------------------------------------------------------
# In play the next ledger follows from the state of the table; the origin that a file states is
# judged against the ledgers before it. A file may begin in the middle of a match: what it does not
# hold cannot be judged, and stands by the word of the seats that signed it.


def _demands(origin: Origin, table: TableState) -> Iterator[tuple[bool, str, str]]:
    """Yield what must hold of the origin of a file's next ledger, in the order of specs 6.2, L:
    whether it does, the check, and what is wrong if it does not. To be taken up to the first that
    does not hold.
    """
    (lane, number), after, leading, scores = (
        origin.ledger,
        origin.after,
        origin.leading,
        origin.scores,
    )
    hand, setup, match = table.hand(), table.match_setup(), table.match
    yield leading < table.game.seats, "match.dealer", "no such seat"
    # Only the last hand of a file may lack signatures, or have been ended.
    signed = hand is None or hand.settled
    yield signed, "ledger.settled", "a ledger after a hand without all signatures"
    if lane is Lane.TABLE:
        # One check for both (specs 6.2).
        yield leading == 0 and not scores, "match.dealer", "not an opening"
        # The first setup continues nothing, a later one the last hand before it.
        yield len(after) == (1 if number else 0), "ledger.after", "of an opening"
        if setup is not None:
            yield number == _due(setup, hand), "transcript.order", "setups in order"
            # A setup follows the end of a match, and nothing else.
            yield table.over, "transcript.order", "a match was not over"
            follows = hand is not None and after == (hand.head,)
            yield follows, "ledger.after", "an opening after another hand"
        return
    # A file may begin in the middle of a match, never without what its ledgers continue.
    if lane is Lane.DECK:
        deck = table.deck_of(table.newest.get(Lane.DECK, -1))
        yield setup is not None, "transcript.missing", "a deck without the setup of its match"
        assert setup is not None  # refused above
        yield not scores, "match.scores", "a deck has none"
        yield len(after) == 1, "ledger.after", "a deck continues one ledger"
        if deck is not None:
            yield number == _due(deck, hand), "transcript.order", "decks in order"
        if deck is not None and hand is not None and hand.ruling is not None:
            yield not table.over, "transcript.order", "a deck of a match that is over"
            # The ruling ended the match, and another setup lies between: the deck continues that
            # one.
            again = setup.origin.after == (hand.head,)
            continued = setup.head if again else hand.head
            yield after == (continued,), "ledger.after", "of a deck after a ruling"
            # After a ruling the next dealer shuffles last, and not the next seat (specs 5.8, no.
            # 4).
            right = match is None or leading == match.dealer
            yield right, "match.dealer", "the last shuffler"
        elif deck is not None:
            yield after == (deck.ledger.head,), "ledger.after", "of a deck"
            # It was prepared while the hand before was played: the seat after that hand's dealer
            # shuffles last, whoever deals now (specs 5.1).
            right = hand is None or leading == seat_after(
                hand.origin.leading, seats=table.game.seats
            )
            yield right, "match.dealer", "the last shuffler"
        # Of a later deck, with which a file begins, nothing before it is here to compare.
        elif number == 0:
            yield match is not None, "transcript.order", "the first deck after a match"
            assert match is not None  # refused above
            yield after == (setup.ledger.head,), "ledger.after", "of the first deck"
            yield leading == match.dealer, "match.dealer", "the last shuffler"
        return
    deck = table.deck_of(number)
    found = setup is not None and deck is not None
    yield found, "transcript.missing", "a hand without its opening or its deck"
    assert setup is not None  # refused above
    assert deck is not None
    yield len(after) == 2, "ledger.after", "a hand continues two ledgers"
    yield after[1] == deck.ledger.head, "ledger.after", "another deck"
    # The first hand of a match continues the setup, any other the hand before it.
    first = after[0] == setup.ledger.head
    if hand is not None:
        yield number == _due(hand, hand), "transcript.order", "hands in order"
        yield not table.over, "transcript.order", "a hand of a match that is over"
        newer = setup.origin.after == (hand.head,)
        # `newer`: a setup stands between the hands, so this one has to be the first of its match.
        yield first if newer else after[0] == hand.head, "ledger.after", "another hand"
    elif not setup.origin.ledger.number:
        # Under TABLE 0 only hand 0 is the first of a match.
        yield first is (number == 0), "ledger.after", "of the first hand"
    if match is not None:
        # Also where earlier hands are not here: the number of sides never changes in a match.
        yield len(scores) == len(match.scores), "match.scores", "another number of sides"
        # Earlier hands of the match may not be here: then the seats' word stands.
        if first or hand is not None:
            yield leading == match.dealer, "match.dealer", "the dealer"
            yield scores == match.scores, "match.scores", "before the hand"


def _due(before: AnyReplica, hand: HandReplica | None) -> int:
    """Return the number that a file's next ledger has in the lane of `before`: one more than
    that of `before`, but at least the first of the million of the newest hand, `hand`, or of the
    next million if a ruling stopped that hand.
    """
    rulings = 0
    if hand is not None:
        rulings = hand.origin.ledger.number // EPOCH + (hand.ruling is not None)
    # Numbers go on from the next million after each ruling that stopped (specs 5.8, no. 3).
    return max(before.origin.ledger.number + 1, rulings * EPOCH)
