"""The optional term of a charter by which a table goes on with the match of another one.

Somebody has left for good, and those present go on without it: the term names the table before, the
point of its newest hand, who stays, and where the match stands. All seats sign it with the charter.
Specified in specs/06-files.md, 6.5.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

from p2p304.seats import Seat
from protocol.encoding import Value
from protocol.errors import MalformedMessage

CONTINUES: Final = "continues"
FEWEST_STAY: Final = 2  #: As many as can end a hand by agreement.

# As for the fields of messages (specs/03-encodings.md, 3.6).
# Not imported from there: `contents` imports the charter, and the charter this module.
_DIGEST: Final = 32
_MOST_NUMBER: Final = (1 << 32) - 1
_MOST_CLOSED: Final = 4_096
_MOST_SCORES: Final = 64
_SCORES: Final = range(-(1 << 31), (1 << 31) + 1)  # 2^31 too: a range leaves out its end


class HandPoint(NamedTuple):
    """A point of a hand: the hand's number, how many rounds are closed, and the digest (32
    bytes) after them.
    """

    hand: int
    closed: int
    digest: bytes


class Continues(NamedTuple):
    """The term of a charter by which its table goes on with the match of another table; `charter`
    is the digest, 32 bytes, of that table's charter.

    `point` is the end of what counts there: where its newest hand was ended unfinished, which is
    dealt again, or where nothing but signatures of its result were missing. The seats in `present`
    stay, each under its key. `dealer` and `scores` are those of the next hand.
    """

    charter: bytes
    point: HandPoint
    present: tuple[Seat, ...]
    dealer: Seat
    scores: tuple[int, ...]
    #: Each seat that a bot takes, in order, and who of those who stay seats it.
    bots: tuple[tuple[Seat, Seat], ...] = ()

    def to_value(self) -> Value:
        """Return the term's value in a charter, an array: charter, point, a bit for each seat in
        `present`, dealer, scores, bots.
        """
        # A bit for each seat that stays: a set has one encoding.
        present = sum(1 << seat for seat in self.present)
        # A plain tuple: an encoding takes no NamedTuple.
        point = (self.point.hand, self.point.closed, self.point.digest)
        return (self.charter, point, present, self.dealer, self.scores, self.bots)

    @staticmethod
    def from_value(value: Value, seats: int) -> Continues:
        """Return the term from its value in a charter of `seats` seats.

        Raises MalformedMessage `charter.term`, whose detail says what is wrong.
        """
        match value:
            case (
                bytes(charter),
                (int(hand), int(closed), bytes(digest)),
                int(bits),
                int(dealer),
                tuple(given),
                tuple(rows),
            ):
                pass
            case _:
                raise _wrong("it has other fields")
        if len(charter) != _DIGEST or len(digest) != _DIGEST:
            raise _wrong("a digest has 32 bytes")
        if not 0 <= hand <= _MOST_NUMBER or not 0 <= closed <= _MOST_CLOSED:
            raise _wrong("no point of a hand")
        # Not all of them: then nobody has left, and the old table goes on.
        if not 0 <= bits < (1 << seats) - 1 or bits.bit_count() < FEWEST_STAY:
            raise _wrong("two seats or more stay, and not all")
        present = tuple(Seat(seat) for seat in range(seats) if bits >> seat & 1)
        # By type, since True would count as 1.
        scores = tuple(each for each in given if type(each) is int and each in _SCORES)
        if not 0 <= dealer < seats or len(scores) != len(given) or len(scores) > _MOST_SCORES:
            raise _wrong("no dealer, or no scores")
        bots = tuple(_bot(row) for row in rows)
        # Ascending, each once: one set of bots has one encoding.
        if any(one >= other for (one, _), (other, _) in pairwise(bots)):
            raise _wrong("bots stand by seat, each once")
        others = frozenset(map(Seat, range(seats))) - frozenset(present)
        # A bot takes the place of somebody who left, and answers to somebody who stays.
        if any(seat not in others or by not in present for seat, by in bots):
            raise _wrong("who stays seats a bot where nobody stays")
        point = HandPoint(hand, closed, digest)
        return Continues(charter, point, present, Seat(dealer), scores, bots)


def _bot(row: Value) -> tuple[Seat, Seat]:
    """Return the seat that a bot takes, and the seat that seats the bot.

    Raises MalformedMessage `charter.term` for another shape than two integers.
    """
    match row:
        case (int(seat), int(by)):
            return Seat(seat), Seat(by)
        case _:
            raise _wrong("a bot is two seats")


def _wrong(why: str) -> MalformedMessage:
    """Return the error for a value of the term that is wrong; `why` is the reason."""
    return MalformedMessage("charter.term", f"{CONTINUES!a}: {why}")
