"""A signed ledger: rounds of messages chained by digests, and the phases of its machine (specs 5.1,
5.2).

A round has a set of contributors that the caller states; it closes when each has contributed once.
The digest of a round is a hash over the digest before it and the ids of its messages in seat order.
So equal digests mean equal histories, in whatever order, and however often, messages arrived.

The ledger judges places, not content. A message with an unknown previous digest blames nobody: its
author may have been shown a fork. Two different signed bodies of one seat for one place are the
only proof of a fork.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, Self

from p2p304.seats import Seat
from protocol import labels
from protocol.bounds import MAX_NUMBER, MAX_ROUND, MAX_SEATS, ROUND_WINDOW
from protocol.cards.secrets import Secrets
from protocol.encoding import Value, digest, encode
from protocol.errors import LocalError, MalformedMessage
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.context import MessageContext
from protocol.table.events import Event
from protocol.wire.contents import (
    Action,
    Confirmation,
    Content,
    DealShares,
    HandKeys,
    HandOverShares,
    Head,
    LuckOpening,
    Reseating,
    ResultSignature,
    ShuffleStep,
    SortedHands,
)
from protocol.wire.fields import HASH_BYTES
from protocol.wire.messages import SignedMessage

# --- the machine of one ledger: its phases, which messages each awaits, and what may follow -------
#
# A machine is public and immutable. Players, spectators and auditors run the same machines, so that
# there is one code path for verdicts. It judges a message when it arrives, against the state at the
# start of the round, and changes that state when the round closes, in seat order.


class LedgerPhase(Enum):
    """What the open round of a ledger is for. A ledger is in one phase during one round."""

    CONFIRMING = "confirming the charter"
    DRAWING = "drawing luck"
    KEYING = "making keys"
    SHUFFLING = "shuffling"
    DEALING = "dealing"
    HANDING_OVER = "handing over"
    SORTING = "sorting"
    ACTING = "acting"
    SIGNING = "signing the result"
    SETTLED = "settled"


#: The kinds of message that fit each phase. Of the two for CONFIRMING a seat sends a Reseating to
#: play another match in other seats, and else a Confirmation (specs 5.7).
AWAITED: Final[Mapping[LedgerPhase, tuple[type[Content], ...]]] = {
    LedgerPhase.CONFIRMING: (Confirmation, Reseating),
    LedgerPhase.DRAWING: (LuckOpening,),
    LedgerPhase.KEYING: (HandKeys,),
    LedgerPhase.SHUFFLING: (ShuffleStep,),
    LedgerPhase.DEALING: (DealShares,),
    LedgerPhase.HANDING_OVER: (HandOverShares,),
    LedgerPhase.SORTING: (SortedHands,),
    LedgerPhase.ACTING: (Action,),
    LedgerPhase.SIGNING: (ResultSignature,),
    LedgerPhase.SETTLED: (),
}

#: In these a person decides what its seat contributes, so the session waits for a command; the
#: message of every other phase it makes by itself.
DECIDED: Final = frozenset({LedgerPhase.CONFIRMING, LedgerPhase.ACTING})

_IN_HAND: Final = frozenset(
    {
        LedgerPhase.DEALING,
        LedgerPhase.HANDING_OVER,
        LedgerPhase.SORTING,
        LedgerPhase.ACTING,
        LedgerPhase.SIGNING,
    }
)

#: What may follow when the round of a phase closes. What is not listed does not happen.
NEXT: Final[Mapping[LedgerPhase, frozenset[LedgerPhase]]] = {
    # Again while the seats name different seatings; settled at once if no match follows here (specs
    # 5.7, no. 4).
    LedgerPhase.CONFIRMING: frozenset(
        {LedgerPhase.DRAWING, LedgerPhase.CONFIRMING, LedgerPhase.SETTLED}
    ),
    LedgerPhase.DRAWING: frozenset({LedgerPhase.SETTLED}),
    LedgerPhase.KEYING: frozenset({LedgerPhase.SHUFFLING}),
    LedgerPhase.SHUFFLING: frozenset({LedgerPhase.SHUFFLING, LedgerPhase.SETTLED}),
    # What follows within a hand is the game's business.
    LedgerPhase.DEALING: _IN_HAND,
    LedgerPhase.HANDING_OVER: _IN_HAND,
    LedgerPhase.SORTING: _IN_HAND,
    LedgerPhase.ACTING: _IN_HAND,
    LedgerPhase.SIGNING: frozenset({LedgerPhase.SETTLED}),
    LedgerPhase.SETTLED: frozenset(),
}


class LedgerMachine(Protocol):
    """The machine of a ledger: it interprets the messages of one lane."""

    @property
    def phase(self) -> LedgerPhase:
        """The phase of the open round."""
        ...

    @property
    def contributors(self) -> tuple[Seat, ...]:
        """The seats that contribute to the open round, in seat order; empty when the ledger has
        ended.
        """
        ...

    def take(self, content: Content, context: MessageContext) -> Self:
        """Judge one contribution, of a kind that the phase awaits, and return the machine with it.

        Raises ProofError or MalformedMessage, whose `check` names the failed check.
        """
        ...

    def close(self) -> tuple[Self, tuple[Event, ...]]:
        """Apply the complete round; return the machine in its next round, and the events.

        Raises ProofError `key.sum` or `deck.start` if the keys of all seats cancel.
        """
        ...

    def contribute(self, context: MessageContext, secrets: Secrets) -> Content:
        """Return the message of the context's seat for the open round; in a round of confirmations
        always the Confirmation of the present seating, never a Reseating.

        Raises LocalError in a round of actions.
        """
        ...


@dataclass(frozen=True, slots=True)
class Origin:
    """The start of a ledger: what its signatures rest on besides the charter (specs 5.1).

    `after` are the digests, 32 bytes each, that the ledger continues: the head of the ledger before
    it, for a hand also the head of its deck; none for TABLE 0. `leading` is the last shuffler of a
    deck, the dealer of a hand, 0 for a TABLE. `scores` are the match's before a hand, else empty.
    """

    ledger: LedgerName
    after: tuple[bytes, ...]
    leading: Seat
    scores: tuple[int, ...] = ()

    def root(self, charter: bytes) -> Digest:
        """Return the ledger's root, the digest (32 bytes) before its first round; `charter` is
        the charter's digest.
        """
        return Digest(
            digest(
                labels.LEDGER_ROOT,
                charter,
                # Dealer and scores are hashed: who was told others signs nothing that fits (specs
                # 5.1).
                bytes((self.ledger.lane, self.leading)),
                self.ledger.number.to_bytes(4, "big"),
                encode((self.scores, self.after)),
            )
        )

    @property
    def follows_digests(self) -> bool:
        """Whether `after` has at most two entries, and each of its entries 32 bytes."""
        # Two: a hand continues the hand before it and its deck.
        return len(self.after) <= 2 and all(len(each) == HASH_BYTES for each in self.after)

    def to_value(self) -> Value:
        """Return the origin as transcripts and evidence files hold it: lane, number, `after`,
        `leading`, `scores`.
        """
        lane, number = self.ledger
        # `int`: an encoding takes no IntEnum, only what decodes to itself.
        return (int(lane), number, self.after, self.leading, self.scores)

    @classmethod
    def from_value(cls, value: Value, *, shape: str, place: str) -> Origin:
        """Return the origin in a file's value, without judging whether the ledger starts there.

        Raises MalformedMessage with the check `shape` for fields of other types, and with `place`
        for a lane, number or seat out of range; the caller checks `follows_digests` afterwards.
        """
        match value:
            case (int(lane), int(number), tuple(after), int(leading), tuple(given)):
                pass
            case _:
                raise MalformedMessage(shape)
        # Ranges after the first types, then the items: the order of specs 6.2 and 6.4.
        # A tuple of lanes: before Python 3.12 an int that is no member of an enum raises at `in`.
        if lane not in tuple(Lane) or not (0 <= number <= MAX_NUMBER and 0 <= leading < MAX_SEATS):
            raise MalformedMessage(place)
        # One by one, since a pattern cannot judge items of any number; `type`, since True is an
        # int.
        links = tuple(each for each in after if type(each) is bytes)
        scores = tuple(each for each in given if type(each) is int)
        # An item of another type was dropped.
        if (len(links), len(scores)) != (len(after), len(given)):
            raise MalformedMessage(shape)
        return cls(LedgerName(Lane(lane), number), links, Seat(leading), scores)


#: The key by which messages stand in seat order: equal histories must have equal digests (CH4).
BY_SEAT: Final = attrgetter("place.seat")


def round_digest(previous: Digest, number: int, messages: Iterable[SignedMessage]) -> Digest:
    """Return the digest, 32 bytes, after round `number` (from 0) with these messages, in any
    order; `previous` is the digest before it.
    """
    ordered = sorted(messages, key=BY_SEAT)
    # One field for both (specs 5.1): with 1 and 32 bytes neither runs into the other.
    entries = (bytes((each.place.seat,)) + each.id for each in ordered)
    return Digest(digest(labels.LEDGER_ROUND, previous, number.to_bytes(4, "big"), *entries))


# --- what may become of a message that is offered ----------------------------------------------


@dataclass(frozen=True, slots=True)
class Fits:
    """The message belongs in the open round, and its place is free: judge its content, then
    accept it.
    """


@dataclass(frozen=True, slots=True)
class Known:
    """The message is here already, perhaps with another signature, or its place is void or its
    ledger forgotten: ignore it.
    """


@dataclass(frozen=True, slots=True)
class Early:
    """The message is for a later round, or for a ledger that has not started; `ledger` is the
    ledger that holds it until then.
    """

    ledger: Ledger


@dataclass(frozen=True, slots=True)
class OtherHistory:
    """The message continues another history than ours: exchange heads, and blame nobody.

    `ledger` keeps it as a stray if it is of the open round, and is unchanged if it is of a closed
    one.
    """

    ledger: Ledger


@dataclass(frozen=True, slots=True)
class TooFarAhead:
    """The message is for a round or a ledger too far ahead to be held: ignore it."""


@dataclass(frozen=True, slots=True)
class OutOfTurn:
    """The message continues our history, but its seat does not contribute to that round."""


@dataclass(frozen=True, slots=True)
class Equivocation:
    """The seat signed another body, `earlier`, for the same place; the two are evidence."""

    earlier: SignedMessage


Offered = Fits | Known | Early | OtherHistory | TooFarAhead | OutOfTurn | Equivocation

_PlaceMap = Mapping[tuple[int, Seat], SignedMessage]


# A named tuple, since every message replaces it: a dataclass takes several times as long.
class Ledger(NamedTuple):
    """The messages of one ledger as far as one seat has them. Immutable.

    While the ledger cannot start yet, `digests` is empty, `contributors` is None, and messages of
    all rounds are held. `contributors` are the seats of the open round; empty once the ledger has
    ended.
    """

    name: LedgerName
    #: Those, 32 bytes each, after no round, which is the root, after the first, and so on.
    digests: tuple[Digest, ...] = ()
    rounds: tuple[tuple[SignedMessage, ...], ...] = ()  #: The closed ones, each in seat order.
    contributors: tuple[Seat, ...] | None = None
    accepted: tuple[SignedMessage, ...] = ()  #: Those of the open round, in the order of arrival.
    #: Those of rounds that are not open yet: what became of them is seen then.
    held: _PlaceMap = MappingProxyType({})
    #: Those of the open round that continue another history than ours: what shows that a seat
    #: signed two for one place, if it did.
    strays: _PlaceMap = MappingProxyType({})

    @property
    def head(self) -> Digest:
        """The digest, 32 bytes, after the last closed round; the root before the first. Raises
        LocalError before the ledger starts.
        """
        if not self.digests:
            raise LocalError(f"ledger {self.name} has not started")
        return self.digests[-1]

    @property
    def messages(self) -> tuple[SignedMessage, ...]:
        """All accepted messages: of the closed rounds, then of the open one."""
        return (*(each for closed in self.rounds for each in closed), *self.accepted)

    @property
    def missing(self) -> tuple[Seat, ...]:
        """The contributors whose message of the open round has not been accepted yet; () before
        the ledger starts.
        """
        present = {each.place.seat for each in self.accepted}
        # `or`: None before the ledger starts.
        return tuple(seat for seat in self.contributors or () if seat not in present)

    def offer(self, signed: SignedMessage) -> Offered:
        """Return the verdict on the place of a validly signed message of this ledger: the first of
        Known or Equivocation, TooFarAhead, Early, OtherHistory, OutOfTurn and Fits that applies.
        The content is not looked at, and this ledger is unchanged.

        The order of calls is `LedgerReplica.open`, then for every message `offer` and, if it fits,
        `LedgerReplica.accept`, which judges its content; `LedgerReplica.close` when no seat is
        missing.
        """
        place, closed = signed.place, len(self.rounds)
        if place.round < closed:
            ours = self.rounds[place.round]
        else:
            ours = self.accepted if place.round == closed else ()
        # Held and stray ones too: they are half of the evidence of a fork.
        key = (place.round, place.seat)
        accepted = next((each for each in ours if each.place.seat == place.seat), None)
        earlier = accepted or self.held.get(key) or self.strays.get(key)
        # First: two messages for one place convict whatever else is wrong with the second.
        if earlier is not None:
            # The id is of the body: another signature under it is the same message (CH9).
            return Known() if earlier.id == signed.id else Equivocation(earlier)
        # Bounded memory against numbers far ahead (CH12). MAX_ROUND is about a message of our own:
        # a peer's with such a round does not decode.
        if place.round >= closed + ROUND_WINDOW or place.round > MAX_ROUND:
            return TooFarAhead()
        # Its history cannot be compared before the rounds below it are closed: keep it unjudged.
        if place.round > closed or self.contributors is None:
            return Early(self._replace(held={**self.held, key: signed}))
        if signed.previous != self.digests[place.round]:
            if place.round < closed:  # no place to keep it: every stray must be bounded
                return OtherHistory(self)
            return OtherHistory(self._replace(strays={**self.strays, key: signed}))
        # Its digest is ours, so its author knew that this round was not its own: this convicts.
        if place.round < closed or place.seat not in self.contributors:
            return OutOfTurn()
        return Fits()

    def release(self) -> tuple[Ledger, tuple[SignedMessage, ...]]:
        """Return the ledger without the messages that were held for the open round, and these
        messages, in seat order, to be offered again.
        """
        number = len(self.rounds)
        # A key is a round and a seat.
        due = tuple(self.held[key] for key in sorted(self.held) if key[0] == number)
        rest = {key: each for key, each in self.held.items() if key[0] != number}
        return self._replace(held=rest), due

    def early(self, seat: Seat) -> tuple[SignedMessage, ...]:
        """Return the messages of a seat that are not accepted yet, oldest round first: held for
        a later round, or strays of another history.
        """
        # No place is in both: whoever has a message there already is Known or convicts (`offer`).
        kept = {**self.strays, **self.held}
        return tuple(kept[key] for key in sorted(kept) if key[1] == seat)

    # --- anti-entropy -----------------------------------------------------------------------------

    def heads(self) -> Head:
        """Return our head of this ledger, one entry of the notice Heads: the number of closed
        rounds, the digest after them, and a bit for each seat whose message of the open round is
        accepted.

        Raises LocalError before the ledger starts.
        """
        # So that a peer sends us the other messages of the open round, and not these.
        present = sum(1 << each.place.seat for each in self.accepted)
        return Head(
            lane=int(self.name.lane),  # a field takes no IntEnum
            number=self.name.number,
            closed=len(self.rounds),
            digest=self.head,
            present=present,
        )

    def lacks(self, head: Head) -> bool:
        """Return whether the peer at `head` claims a message of this ledger that we lack.

        True as well if the peer's history differs from ours, and before the ledger starts here.
        """
        # A claim is enough to ask: nothing is believed before the messages are here.
        if head.closed >= len(self.digests):
            return True
        # It has fewer rounds: only another history makes it interesting.
        if head.closed < len(self.rounds):
            return head.digest != self.digests[head.closed]
        mine = self.heads()
        # In `present`: a bit that the peer has and we have not.
        return head.digest != mine.digest or bool(head.present & ~mine.present)

    def messages_after(self, head: Head) -> tuple[SignedMessage, ...]:
        """Return the messages that the peer at `head` lacks, oldest first; none if it has closed
        more rounds than we have, or before the ledger starts here.

        If its history differs, return all our messages, so that it finds one that contradicts its
        own: rounds that both have closed, newest first; among them the strays, messages of the open
        round that continue another history than ours; then our later rounds, oldest first.
        """
        if head.closed >= len(self.digests):
            return ()
        if head.digest != self.digests[head.closed]:
            # The newest common rounds first: a late fork must be among the first 64 messages
            # (CH33).
            both, mine = self.rounds[: head.closed], self.rounds[head.closed :]
            parted = [each for closed in reversed(both) for each in closed]
            strays = [self.strays[key] for key in sorted(self.strays)]
            # An answer has 64 messages (specs 7.6): behind the first few the strays, which are of
            # the open round, are still in it. That the few are ROUND_WINDOW, else a count of
            # rounds, is a choice.
            parted[ROUND_WINDOW:ROUND_WINDOW] = strays
            parted += [each for closed in mine for each in closed]
            return (*parted, *self.accepted)
        messages = [each for closed in self.rounds[head.closed :] for each in closed]
        return tuple(each for each in (*messages, *self.accepted) if lacks(head, each.place))


def lacks(head: Head, place: Place) -> bool:
    """Return whether a peer with this head lacks the message at `place` of its ledger: one of a
    round behind the peer's open one, or of the open one if the head does not mark its seat.
    """
    if place.round == head.closed:
        # `present` has a bit for each message of the open round that the peer holds.
        return not head.present >> place.seat & 1
    return place.round > head.closed
