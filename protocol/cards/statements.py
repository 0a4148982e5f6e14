"""What the rules state about hidden cards, and what proves it: one small table.

    IsCard       the card half opens to the card           one batch proof for all of an action
    AllOfSuit    the suit half opens to the suit           one batch proof for all slots
    NotCard      the card half differs from the card       `protocol.proofs.inequality`, one list
    NoneOfSuit   the suit half differs from the suit       `protocol.proofs.inequality`, one list
    SuitsDiffer  the suit halves of two cards differ       `protocol.proofs.inequality`, one list
    AnyOf        one of several of the last two            `protocol.proofs.inequality`, many lists
    PointsBelow  the cards' rows add up to a low sum       `prove_score_below`

Every slot that a statement names must be masked under the prover's keys alone. The verifier takes
slots, cards, keys and suits from its own state: a proof is bytes with nothing else in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from p2p304.cards import Card, Slot
from p2p304.seats import Seat
from p2p304.statements import (
    AllOfSuit,
    AnyOf,
    IsCard,
    NoneOfSuit,
    NotCard,
    PointsBelow,
    Statement,
    SuitsDiffer,
    holds,
)
from protocol import labels
from protocol.cards.deck import Deck, ProvenShuffle, read_card
from protocol.cards.keys import CARD_BYTES, HandSecret, MaskedCard, SeatKeys, cards_from_bytes
from protocol.entropy import Entropy
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.group.constants import card_point, score_unit, suit_point
from protocol.group.layout import LayoutReader, join
from protocol.group.point import GENERATOR, Point, add, multiply
from protocol.group.scalar import SCALAR_BYTES, Scalar
from protocol.proofs.batch_dleq import (
    BatchEquality,
    equality_bytes,
    prove_equality,
    verify_equality,
)
from protocol.proofs.ciphersuite import SECP256K1
from protocol.proofs.context import ProofContext
from protocol.proofs.disjunction import prove_any, verify_any
from protocol.proofs.inequality import (
    Comparison,
    DistinctionProof,
    prove_distinction,
    verify_distinction,
)
from protocol.proofs.relation import GENERATOR_INDEX, LinearRelation, RelationBuilder
from protocol.proofs.shuffle import (
    Ciphertext,
    ShuffleProof,
    ShuffleStatement,
    prove_shuffle,
    shuffle_cards,
    verify_shuffle,
)

# --- a proof that a seat's hidden cards count fewer points together than a limit ------------------
#
# The seat shuffles, under its own keys, a public table of the whole pack whose rows hold each card
# and its points `(G, CARD + X_card, points·V + X_suit)`, and proves the shuffle. Each hidden card
# is then shown to equal one row in its card half (the rows lie in an order that only the seat
# knows, so their numbers tell nothing), and the rows' points, added up while masked, to be one of
# the sums below the limit, without saying which: a disjunction over the sums that so many cards can
# have. Looking a masked card up in a shuffled table is "mix and match" (Jakobsson and Juels 2000);
# one shuffle of the pack takes the place of a disjunction over all cards for every card.


# Packs have at most some dozens of cards: two bytes are plenty for a row's number.
_ROW_BYTES: Final = 2
# A challenge and a response for each branch.
_SUM_SCALARS: Final = 2


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The points of every card of the pack, in the pack's order."""

    pack: tuple[Card, ...]
    points: tuple[int, ...]

    @classmethod
    def of(cls, pack: Sequence[Card], points: Mapping[Card, int]) -> ScoreTable:
        """Return the table of `pack`; raises `LocalError` for a card without points or with
        fewer than 0.
        """
        # -1 for a card without points: refused like one with fewer than 0.
        values = tuple(points.get(card, -1) for card in pack)
        if any(value < 0 for value in values):
            raise LocalError("every card of the pack counts 0 points or more")
        return cls(tuple(pack), values)

    def sums(self, cards: int) -> tuple[int, ...]:
        """Return every total of points that `cards` different cards of the pack can have,
        ascending.

        (0,) for no cards; empty for more cards than the pack has.
        """
        reachable: list[set[int]] = [{0}, *[set() for _ in range(cards)]]
        for value in self.points:
            # Downwards, so that no card is counted twice.
            for taken in range(cards, 0, -1):
                reachable[taken] |= {total + value for total in reachable[taken - 1]}
        return tuple(sorted(reachable[cards]))

    def masked_rows(self, keys: SeatKeys) -> tuple[Ciphertext, ...]:
        """Return a row for each card of the pack, masked under `keys`, a seat's, with the public
        randomness 1: mask, card, points.
        """
        return tuple(
            (GENERATOR, add(card_point(card), keys.card), _points_under(keys.suit, value))
            for card, value in zip(self.pack, self.points, strict=True)
        )


@dataclass(frozen=True, slots=True)
class ScoreProof:
    """The proof that cards count few points: the shuffled score table and its argument, the row
    of each card in it (`places`), and the proofs that the cards are these rows and that the
    rows' points add up to a low sum.
    """

    rows: tuple[Ciphertext, ...]
    shuffle: ShuffleProof
    places: tuple[int, ...]
    same_cards: bytes
    low_sum: bytes

    def to_bytes(self) -> bytes:
        """Return the fields in order; the number of a row takes 2 bytes, big-endian."""
        return b"".join(
            [
                *[join(row) for row in self.rows],
                self.shuffle.to_bytes(),
                *[place.to_bytes(_ROW_BYTES, "big") for place in self.places],
                self.same_cards,
                self.low_sum,
            ]
        )

    @staticmethod
    def size(table: ScoreTable, *, cards: int, limit: int) -> int:
        """Return the number of bytes of a proof that `cards` hidden cards count fewer points
        than `limit`.
        """
        rows = len(table.pack)
        branches = sum(1 for total in table.sums(cards) if total < limit)
        return (
            ProvenShuffle.size(rows)
            + cards * _ROW_BYTES
            # 1: the cards' halves alone are compared with the rows', under one key.
            + equality_bytes(1)
            + branches * _SUM_SCALARS * SCALAR_BYTES
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, table: ScoreTable, cards: int, limit: int) -> ScoreProof:
        """Return the proof that `data` encodes, for `cards` hidden cards and this limit.

        Raises `MalformedMessage` with `score.type`, `score.length`, `score.place` (no row of the
        table), `shuffle-proof.length`, `point.*` or `scalar.*`.
        """
        size = len(table.pack)
        rows_end = size * CARD_BYTES
        shuffle_end = rows_end + ShuffleProof.size(size)
        places_end = shuffle_end + cards * _ROW_BYTES
        cards_end = places_end + equality_bytes(1)
        # A caller's mistake alone: what a message holds is bytes (specs 6.3).
        if type(data) is not bytes:
            raise MalformedMessage("score.type", type(data).__name__)
        # The whole length first: nothing is decoded of a proof of another shape.
        if len(data) != cls.size(table, cards=cards, limit=limit):
            raise MalformedMessage("score.length", f"{len(data)} bytes")
        rows = cards_from_bytes(data[:rows_end], count=size)
        places = tuple(
            int.from_bytes(data[start : start + _ROW_BYTES], "big")
            for start in range(shuffle_end, places_end, _ROW_BYTES)
        )
        if any(place >= size for place in places):
            raise MalformedMessage("score.place", "beyond the table")
        same_cards, low_sum = data[places_end:cards_end], data[cards_end:]
        # Read for the check alone: a scalar has one spelling (attacks.md, FS8).
        count = (len(data) - places_end) // SCALAR_BYTES
        LayoutReader("score", data[places_end:], points=0, scalars=count).scalars(count)
        shuffle = ShuffleProof.from_bytes(data[rows_end:shuffle_end], cards=size)
        return cls(rows, shuffle, places, same_cards, low_sum)


def prove_score_below(
    table: ScoreTable,
    hidden: Sequence[MaskedCard],
    faces: Sequence[Card],
    limit: int,
    secret: HandSecret,
    *,
    context: ProofContext,
    entropy: Entropy,
) -> ScoreProof:
    """Return a proof that `hidden`, whose cards are `faces`, count fewer than `limit` points
    together.

    Raises `LocalError` if they count as many or more.

    Args:
        table: the points of every card of the pack.
        hidden: masked under the keys of `secret` alone.
        faces: their cards, in the same order.
        limit: above 0.
        secret: behind the seat's keys.
        context: of the message, with the part that is this claim's.
        entropy: gives order, masks and nonces.
    """
    keys = secret.keys()
    values = dict(zip(table.pack, table.points, strict=True))
    total = sum(values[face] for face in faces)
    if total >= limit:
        raise LocalError("the cards count too many points: the statement is false")
    before = table.masked_rows(keys)
    rows, shuffle_secret = shuffle_cards(before, keys, entropy)
    shuffle = prove_shuffle(
        ShuffleStatement(tuple(keys), before, rows),
        shuffle_secret,
        context=context,
        purpose=labels.SCORE_SHUFFLE_PURPOSE,
        entropy=entropy,
    )
    # The permutation leads from a new place to the old one; a card is looked up the other way.
    place_of = {
        table.pack[origin]: place for place, origin in enumerate(shuffle_secret.permutation)
    }
    places = tuple(place_of[face] for face in faces)
    same_cards = prove_equality(
        _same_cards(hidden, rows, places, keys),
        (secret.card,),
        # Bound to the shuffle: the rows of another one cannot be put under these numbers.
        session=_rows_session(context, shuffle, places),
        entropy=entropy,
    )
    below = [each for each in table.sums(len(faces)) if each < limit]
    low_sum = prove_any(
        _sum_relations(rows, places, keys, below),
        below.index(total),
        (secret.suit,),
        session=context.session_identifier(labels.SCORE_SUM_PURPOSE),
        entropy=entropy,
    )
    return ScoreProof(rows, shuffle, places, same_cards, low_sum)


def verify_score_below(
    table: ScoreTable,
    hidden: Sequence[MaskedCard],
    limit: int,
    keys: SeatKeys,
    proof: ScoreProof,
    *,
    context: ProofContext,
) -> None:
    """Verify that `hidden`, masked under `keys` alone, count fewer than `limit` points together.

    Raises `ProofError` with `score.places` (a row twice, or another number of cards), `score.limit`
    (no total lies below), `shuffle.*`, `score.rows` (a card is not its row) or `score.sum`.
    """
    # One row for two cards would count a cheap card twice, and a dear one never.
    if len(set(proof.places)) != len(hidden) or len(proof.places) != len(hidden):
        raise ProofError("score.places")
    below = [each for each in table.sums(len(hidden)) if each < limit]
    if not below:
        raise ProofError("score.limit")
    verify_shuffle(
        ShuffleStatement(tuple(keys), table.masked_rows(keys), proof.rows),
        proof.shuffle,
        context=context,
        purpose=labels.SCORE_SHUFFLE_PURPOSE,
    )
    verify_equality(
        _same_cards(hidden, proof.rows, proof.places, keys),
        proof.same_cards,
        session=_rows_session(context, proof.shuffle, proof.places),
        check="score.rows",
    )
    try:
        verify_any(
            _sum_relations(proof.rows, proof.places, keys, below),
            proof.low_sum,
            session=context.session_identifier(labels.SCORE_SUM_PURPOSE),
        )
    # The check of the proof system goes into the detail: vectors name the statement that failed.
    except ProofError as error:
        raise ProofError("score.sum", error.check) from None


def _points_under(key: Point, value: int) -> Point:
    """Return `value` points masked under `key` with randomness 1: `value·V + key`."""
    # 0 times a point is no Point.
    return add(multiply(score_unit(), Scalar(value)), key) if value else key


def _rows_session(context: ProofContext, shuffle: ShuffleProof, places: Sequence[int]) -> bytes:
    """Return the session identifier, 32 bytes, of the proof that cards are rows, bound to the
    shuffle and to the rows' numbers `places`.
    """
    return context.session_identifier(
        labels.SCORE_ROWS_PURPOSE,
        shuffle.to_bytes(),
        b"".join(place.to_bytes(_ROW_BYTES, "big") for place in places),
    )


def _same_cards(
    hidden: Sequence[MaskedCard],
    rows: Sequence[Ciphertext],
    places: Sequence[int],
    keys: SeatKeys,
) -> BatchEquality:
    """Return the statement that each hidden card is its row: `B - B_row = x_card·(A - A_row)`."""
    pairs = [(card, rows[place]) for card, place in zip(hidden, places, strict=True)]
    return BatchEquality(
        keys=(keys.card,),
        bases=tuple((card.mask, row[0]) for card, row in pairs),
        images=(tuple((card.card, row[1]) for card, row in pairs),),
    )


def _sum_relations(
    rows: Sequence[Ciphertext], places: Sequence[int], keys: SeatKeys, sums: Sequence[int]
) -> list[LinearRelation[Point]]:
    """Return a relation for each total in `sums`: the points of the rows at `places` add up to it.

    `X_suit = x·G` and `Σ B_points - total·V = x·Σ A`.
    """
    relations = []
    for total in sums:
        builder = RelationBuilder(SECP256K1)
        secret = builder.scalar()
        builder.equation([builder.element(keys.suit)], [(secret, GENERATOR_INDEX)])
        masks = [(secret, builder.element(rows[place][0])) for place in places]
        halves = [builder.element(rows[place][2]) for place in places]
        image = [(half, 1) for half in halves]
        # V is declared for a total above 0 alone (specs 4.11): nothing depends on 0 times V.
        if total:
            image.append((builder.element(score_unit()), -total))
        builder.equation(image, masks)
        relations.append(builder.relation())
    return relations


@dataclass(frozen=True, slots=True)
class Openings:
    """All `IsCard` statements of one action, which one proof shows together."""

    slots: tuple[Slot, ...]
    cards: tuple[Card, ...]


#: What one proof shows.
Claim = Openings | AllOfSuit | NotCard | NoneOfSuit | SuitsDiffer | AnyOf | PointsBelow


def claims_of(statements: Sequence[Statement]) -> tuple[Claim, ...]:
    """Return the claims to be proved for the statements of one action: all its openings (IsCard)
    first, as one claim, then each other statement in order; () for no statements.

    Left out is what is true because it is about no slots, and an AnyOf with such an alternative.
    """
    openings = [each for each in statements if isinstance(each, IsCard)]
    claims: list[Claim] = []
    if openings:
        claims.append(
            Openings(tuple(each.slot for each in openings), tuple(each.card for each in openings))
        )
    claims += [each for each in statements if not isinstance(each, IsCard) and _needed(each)]
    return tuple(claims)


def prove_statements(
    deck: Deck,
    seat: Seat,
    secret: HandSecret,
    statements: Sequence[Statement],
    *,
    points: Mapping[Card, int],
    context: ProofContext,
    entropy: Entropy,
) -> tuple[bytes, ...]:
    """Return a proof for each of `claims_of(statements)`, in order, by `seat` about its own hidden
    cards.

    `points` are the cards' points, which only PointsBelow uses. Raises `LocalError` for a false
    statement, but false openings (IsCard, AllOfSuit) give a proof that every verifier refuses;
    `ProofError` with `deck.*` for cards that are not under the seat's keys alone.
    """
    return tuple(
        # Its number is bound in: no proof serves for another claim of the message.
        _prove(deck, seat, secret, claim, points, context.part(number), entropy)
        for number, claim in enumerate(claims_of(statements))
    )


def verify_statements(
    deck: Deck,
    seat: Seat,
    statements: Sequence[Statement],
    proofs: Sequence[bytes],
    *,
    points: Mapping[Card, int],
    context: ProofContext,
) -> None:
    """Verify that `proofs` show all statements of an action of `seat`.

    Raises `MalformedMessage` for bytes that are no proof, and `ProofError` with `statement.count`,
    `deck.*`, `opening.proof`, `suit-opening.proof`, `card-distinction.proof`, `distinction.proof`,
    `alternatives.proof`, `score.*` or `shuffle.*`.

    Args:
        deck: the deck when the round of the action opened, before any of its disclosures.
        seat: the actor's.
        statements: those of the action.
        proofs: in the order of `claims_of(statements)`.
        points: the cards' points by the game, which only PointsBelow uses.
        context: that of the message with the proofs.
    """
    claims = claims_of(statements)
    if len(proofs) != len(claims):
        raise ProofError("statement.count", f"{len(proofs)} proofs for {len(claims)} claims")
    for number, (claim, proof) in enumerate(zip(claims, proofs, strict=True)):
        _verify(deck, seat, claim, proof, points, context.part(number))


def _needed(statement: Claim) -> bool:
    """Tell whether a statement needs a proof: False if it is true because it, or an alternative
    of an AnyOf, is about no slots. A PointsBelow about no slots is true only for a limit above
    0.
    """
    match statement:
        case AnyOf(alternatives):
            return all(alternative.slots for alternative in alternatives)
        case PointsBelow(slots, limit):  # no cards count 0 points, which is not below 0
            return bool(slots) or limit <= 0
        case _:
            return bool(statement.slots)


#: For what purpose each claim about one half of the cards is proved, and by which name its check
#: fails.
_SHOWN: Final = {
    Openings: (labels.OPENING_PURPOSE, "opening.proof"),
    AllOfSuit: (labels.SUIT_OPENING_PURPOSE, "suit-opening.proof"),
    NotCard: (labels.CARD_DISTINCTION_PURPOSE, "card-distinction.proof"),
    NoneOfSuit: (labels.DISTINCTION_PURPOSE, "distinction.proof"),
    SuitsDiffer: (labels.DISTINCTION_PURPOSE, "distinction.proof"),
    AnyOf: (labels.ALTERNATIVES_PURPOSE, "alternatives.proof"),
}
# The card half for a card, the suit half for a suit: each proof is under one key.
_OF_CARDS: Final = (Openings, NotCard)


def _prove(
    deck: Deck,
    seat: Seat,
    secret: HandSecret,
    claim: Claim,
    points: Mapping[Card, int],
    context: ProofContext,
    entropy: Entropy,
) -> bytes:
    """Return the proof of one claim; raises as `prove_statements` does."""
    if isinstance(claim, PointsBelow):
        slots, limit = claim.slots, claim.limit
        return prove_score_below(
            ScoreTable.of(deck.pack, points),
            deck.under(seat, slots),
            # Read anew: a deck holds the faces that all know, not those of one seat.
            [read_card(deck, slot, seat, secret, entropy=entropy) for slot in slots],
            limit,
            secret,
            context=context,
            entropy=entropy,
        ).to_bytes()
    purpose, _ = _SHOWN[type(claim)]
    session = context.session_identifier(purpose)
    own = secret.card if isinstance(claim, _OF_CARDS) else secret.suit
    if isinstance(claim, Openings | AllOfSuit):
        # All openings of an action in one proof, which is as long as that of one card.
        statement = _openings(deck, seat, claim)
        return prove_equality(statement, (own,), session=session, entropy=entropy)
    # Of one list, number 0, nothing is hidden.
    lists, known, keys = _comparisons(deck, seat, claim), 0, deck.keys[seat]
    if isinstance(claim, AnyOf):
        known = _true_alternative(deck, seat, secret, claim.alternatives, entropy)
    key = keys.card if isinstance(claim, _OF_CARDS) else keys.suit
    return prove_distinction(lists, known, key, own, session=session, entropy=entropy).to_bytes()


def _verify(
    deck: Deck,
    seat: Seat,
    claim: Claim,
    proof: bytes,
    points: Mapping[Card, int],
    context: ProofContext,
) -> None:
    """Verify the proof of one claim; raises as `verify_statements` does."""
    keys = deck.keys[seat]
    if isinstance(claim, PointsBelow):
        table, limit = ScoreTable.of(deck.pack, points), claim.limit
        hidden = deck.under(seat, claim.slots)
        score = ScoreProof.from_bytes(proof, table=table, cards=len(hidden), limit=limit)
        verify_score_below(table, hidden, limit, keys, score, context=context)
        return
    purpose, check = _SHOWN[type(claim)]
    if isinstance(claim, Openings | AllOfSuit):
        statement, count = _openings(deck, seat, claim), equality_bytes(1) // SCALAR_BYTES
        # "opening" for suits, too: both proofs have one shape, so the bytes fail in the same ways.
        # Reduced scalars only: a second spelling would be a second name for one message
        # (attacks.md, FS8).
        LayoutReader("opening", proof, points=0, scalars=count).scalars(count)
        session = context.session_identifier(purpose)
        verify_equality(statement, proof, session=session, check=check)
        return
    lists = _comparisons(deck, seat, claim)
    verify_distinction(
        lists,
        keys.card if isinstance(claim, _OF_CARDS) else keys.suit,
        DistinctionProof.from_bytes(proof, counts=[len(each) for each in lists]),
        session=context.session_identifier(purpose),
        check=check,
    )


def _openings(deck: Deck, seat: Seat, claim: Openings | AllOfSuit) -> BatchEquality:
    """Return the statement that `B - P = x·A` for each slot: of its card half and its card, or of
    its suit half and the suit.
    """
    hidden = deck.under(seat, claim.slots)
    keys = deck.keys[seat]
    match claim:
        case Openings(_, cards):
            key = keys.card
            faces = zip(hidden, cards, strict=True)
            images = tuple((each.card, card_point(card)) for each, card in faces)
        case AllOfSuit(_, suit):
            key = keys.suit
            images = tuple((each.suit, suit_point(suit)) for each in hidden)
    return BatchEquality((key,), tuple((each.mask,) for each in hidden), (images,))


def _comparisons(
    deck: Deck, seat: Seat, statement: NotCard | NoneOfSuit | SuitsDiffer | AnyOf
) -> list[tuple[Comparison, ...]]:
    """Return the lists of comparisons of which one holds, mostly one alone: for each slot, its card
    half differs from a card, or its suit half from a suit or from the suit half of another slot.
    """
    if isinstance(statement, AnyOf):
        return [one for each in statement.alternatives for one in _comparisons(deck, seat, each)]
    hidden = deck.under(seat, statement.slots)
    match statement:
        case NotCard(_, card):
            point = card_point(card)
            return [tuple(Comparison((c.mask,), (c.card, point)) for c in hidden)]
        case NoneOfSuit(_, suit):
            point = suit_point(suit)
            return [tuple(Comparison((c.mask,), (c.suit, point)) for c in hidden)]
        case SuitsDiffer(_, other_slot):
            (other,) = deck.under(seat, (other_slot,))
            return [tuple(Comparison((c.mask, other.mask), (c.suit, other.suit)) for c in hidden)]
        case _:
            assert_never(statement)


def _true_alternative(
    deck: Deck,
    seat: Seat,
    secret: HandSecret,
    alternatives: Sequence[NoneOfSuit | SuitsDiffer],
    entropy: Entropy,
) -> int:
    """Return the number, from 0, of the first alternative that is true by the seat's own cards;
    raises `LocalError` if none is.
    """
    slots = {slot for each in alternatives for slot in each.slots}
    slots |= {each.other for each in alternatives if isinstance(each, SuitsDiffer)}
    faces = {slot: read_card(deck, slot, seat, secret, entropy=entropy) for slot in slots}
    for number, each in enumerate(alternatives):
        # The first of several serves as well as another: the proof hides which it is of.
        if holds(each, faces):
            return number
    raise LocalError("none of the alternatives is true")
