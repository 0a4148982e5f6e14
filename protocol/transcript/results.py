"""What the seats of a table signed of its hands, read from transcripts without their proofs.

Every envelope is opened under its seat's key, every message continues the history before it, the
rules allow every action, and the result is the one that every seat has signed. Whether hidden cards
were what was proved of them an audit alone tells: here their owners' signatures under the result
stand for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.seats import Seat, Sides
from protocol import labels
from protocol.encoding import digest
from protocol.errors import MalformedMessage, PeerFault, ProofError
from protocol.places import Digest, Lane, LedgerName
from protocol.table.ledger import Origin, round_digest
from protocol.table.rulings import stops
from protocol.table.standing import Consequence, consequence
from protocol.transcript.auditor import Auditor
from protocol.transcript.file import (
    FileEnds,
    LedgerBegins,
    LedgerEnds,
    Said,
    Stopped,
    TranscriptReader,
)
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, ResultSignature, RulingVerdict
from protocol.wire.messages import SignedMessage, SignedRuling, open_ledger_message, open_ruling


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that was played to its end, or that a referee ended; `signed` if every seat has signed
    its result too."""

    charter: Charter
    number: int
    head: Digest
    played: Digest
    """The head before the round of signatures, which rests on nobody's signing the result; the
    ruled head of a hand that a referee ended."""
    signed: bool
    dealer: Seat
    before: tuple[int, ...]
    """The match's scores before it."""
    outcome: Any
    """The game's own; None of a hand that a referee ended before it was played out."""
    sides: tuple[Sides, ...]
    """Who won together, as far as the end of the hand tells."""
    ruling: SignedRuling | None = None
    """That by which a referee ended it, which may void its result."""

    @property
    def counts(self) -> bool:
        """Whether it has a result that no ruling has voided."""
        ruling = self.ruling
        void = ruling is not None and ruling.content.verdict == RulingVerdict.REDEAL
        return self.outcome is not None and not void


class NotSigned(Exception):
    """The file is no transcript of hands that all seats signed; the text says why."""


def match_after(hand: FinishedHand, game: AnyGame) -> Consequence:
    """Return how a match stands after a hand, and who has won it by then.

    Raises NotSigned where no match goes on so.
    """
    try:
        if hand.ruling is not None:
            origin = Origin(LedgerName(Lane.HAND, hand.number), (), hand.dealer, hand.before)
            return consequence(game, hand.ruling.content, origin, hand.outcome)
        after = game.after_hand(game.match_at(hand.dealer, hand.before), hand.outcome)
    except (GameError, ValueError, ProofError) as error:
        raise NotSigned(f"no match stands so ({error})") from None
    return Consequence(after, after.winner)


def signed_results(
    file: Iterable[bytes], game_of: Callable[[Charter], AnyGame]
) -> Iterator[tuple[FinishedHand, AnyGame]]:
    """Yield the hands of a transcript whose results all seats have signed, as `finished_hands`, but
    for those that a ruling has voided."""
    hands = finished_hands(file, game_of)
    return (each for each in hands if each[0].signed and each[0].counts)


def finished_hands(
    file: Iterable[bytes], game_of: Callable[[Charter], AnyGame]
) -> Iterator[tuple[FinishedHand, AnyGame]]:
    """Yield the hands of a transcript that came to a result, or that a referee ended, each with its
    game.

    `file` gives its pieces, once more for a hand that a referee ended.
    Signatures are checked, proofs are not, but where they tell whether a hand that a referee ended
    had its result. Raises NotSigned where the file is none, or is not as it
    was signed; what `game_of` raises.
    """
    reader = TranscriptReader()
    charter: Charter | None = None
    game: AnyGame | None = None
    origin: Origin | None = None
    said: list[SignedMessage] = []
    ruling: SignedRuling | None = None
    ended = False
    try:
        for entry in (entry for piece in file for entry in reader.feed(piece)):
            match entry:
                case Charter():
                    charter, game = entry, game_of(entry)
                    if len(charter.seats) != game.seats:
                        raise NotSigned("it has another number of seats than its game")
                case LedgerBegins(begun) if game is not None:
                    if begun.leading >= game.seats:
                        raise NotSigned("a ledger begins at a seat that the game has not")
                    origin, said, ruling = begun, [], None
                case Said(raw) if charter is not None:
                    said.append(open_ledger_message(raw, charter))
                case Stopped(raw) if charter is not None:
                    ruling = open_ruling(raw, charter)
                case LedgerEnds(head) if charter is not None and origin is not None:
                    assert game is not None
                    heads, said = _closed(charter, origin, said, head)
                    if origin.ledger.lane is Lane.HAND:
                        found = _result(charter, game, origin, said, heads, ruling)
                        if found is not None:
                            yield _as_ruled(found, file, game_of), game
                case FileEnds():
                    ended = True
                case _:
                    pass
        reader.finish()
    except (MalformedMessage, PeerFault) as error:
        raise NotSigned(f"it is not as it was written ({error})") from None
    except GameError as error:
        raise NotSigned(f"the rules do not allow it ({error})") from None
    if not ended:
        raise NotSigned("its end is missing")


def _closed(
    charter: Charter, origin: Origin, said: list[SignedMessage], end: Digest
) -> tuple[list[Digest], list[SignedMessage]]:
    """Return the heads and the messages of the closed rounds, after which the head is `end`: of
    all, or of all but an open one. Raises NotSigned for another history."""
    head = origin.root(charter.digest)
    heads = [head]
    closed: list[SignedMessage] = []
    rounds = [*_rounds(said)]
    for number, messages in enumerate(rounds):
        for each in messages:
            fits = each.place.ledger == origin.ledger and each.place.round == number
            if not fits or each.message.previous != head:
                raise NotSigned("a message continues another history")
        after = round_digest(head, number, messages)
        if head == end and number == len(rounds) - 1:
            return heads, closed
        head, closed = after, closed + messages
        heads.append(head)
    if head != end:
        raise NotSigned("a ledger does not end as its seats signed it")
    return heads, closed


def _rounds(said: list[SignedMessage]) -> Iterator[list[SignedMessage]]:
    found: dict[int, list[SignedMessage]] = {}
    for each in said:
        found.setdefault(each.place.round, []).append(each)
    yield from (found[number] for number in sorted(found))


def _result(
    charter: Charter,
    game: AnyGame,
    origin: Origin,
    said: list[SignedMessage],
    heads: list[Digest],
    ruling: SignedRuling | None,
) -> FinishedHand | None:
    """Return the result of a hand, None where it came to none and no referee ended it."""
    state = game.start(origin.leading, origin.scores).state
    signatures: dict[Seat, tuple[int, ...]] = {}
    for messages in _rounds(said):
        for each in messages:
            match each.message.content:
                case Action(text):
                    action = game.parse_action(text)
                    state = game.apply(state, each.place.seat, action).state
                case ResultSignature(scores):
                    signatures[each.place.seat] = scores
                case _:
                    pass
    if not game.is_over(state) and ruling is None:
        return None
    outcome = game.settle(state) if game.is_over(state) else None
    if outcome is not None and any(scores != outcome.scores for scores in signatures.values()):
        raise NotSigned("another result was signed than follows from the hand")
    number = origin.ledger.number
    played = heads[-2] if signatures else heads[-1]
    if ruling is not None:
        played = _ruled_head(origin.ledger, heads, ruling)
    signed = len(signatures) == len(charter.seats)
    return FinishedHand(
        charter,
        number,
        heads[-1],
        played,
        signed,
        origin.leading,
        origin.scores,
        outcome,
        game.sides(state),
        ruling,
    )


def _as_ruled(
    hand: FinishedHand, file: Iterable[bytes], game_of: Callable[[Charter], AnyGame]
) -> FinishedHand:
    """Return a hand without its result if a referee ended it before cards were opened that the end
    of play calls for: then the result was not there yet."""
    if hand.ruling is None or hand.outcome is None:
        return hand
    auditor = Auditor(game_of)
    for piece in file:
        for _ in auditor.feed(piece):
            pass
    report = auditor.finish()
    void = hand.ruling.content.verdict == RulingVerdict.REDEAL
    there = any(each.number == hand.number and each.outcome is not None for each in report.hands)
    return hand if void or there else replace(hand, outcome=None)


def _ruled_head(ledger: LedgerName, heads: list[Digest], ruling: SignedRuling) -> Digest:
    """Return what the next deck continues after a hand that a referee ended with this head; raises
    NotSigned for a ruling about another point."""
    content = ruling.content
    here = (content.hand, content.closed, content.digest) == (
        ledger.number,
        len(heads) - 1,
        heads[-1],
    )
    if not (here and stops(content)):
        raise NotSigned("a ruling is about something else")
    return Digest(digest(labels.LEDGER_RULED, heads[-1], ruling.id))
