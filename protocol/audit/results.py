"""What the seats of a table signed of its hands, read from transcripts without their proofs.

Every envelope is opened under its seat's key, every message continues the history before it, the
rules allow every action, and the result is the one that every seat has signed. Whether hidden cards
were what was proved of them an audit alone tells: here their owners' signatures under the result
stand for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.seats import Seat, Sides
from protocol.audit.transcript import FileEnds, LedgerBegins, LedgerEnds, Said, TranscriptReader
from protocol.errors import MalformedMessage, PeerFault
from protocol.ledger.ledger import Origin, round_digest
from protocol.places import Digest, Lane
from protocol.wire.authenticate import open_ledger_message
from protocol.wire.charter import Charter
from protocol.wire.contents import Action, ResultSignature
from protocol.wire.messages import SignedMessage


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that was played to its end; `signed` if every seat has signed its result too."""

    charter: Charter
    number: int
    head: Digest
    played: Digest
    """The head before the round of signatures, which rests on nobody's signing the result."""
    signed: bool
    dealer: Seat
    before: tuple[int, ...]
    """The match's scores before it."""
    outcome: Any
    """The game's own."""
    sides: tuple[Sides, ...]
    """Who won together, as far as the end of the hand tells."""


class NotSigned(Exception):
    """The file is no transcript of hands that all seats signed; the text says why."""


def signed_results(
    data: bytes, game_of: Callable[[Charter], AnyGame]
) -> Iterator[tuple[FinishedHand, AnyGame]]:
    """Yield the hands of a transcript whose results all seats have signed, as `finished_hands`."""
    return (each for each in finished_hands(data, game_of) if each[0].signed)


def finished_hands(
    data: bytes, game_of: Callable[[Charter], AnyGame]
) -> Iterator[tuple[FinishedHand, AnyGame]]:
    """Yield the hands of a transcript that came to a result, each with its game.

    Signatures are checked, proofs are not. Raises NotSigned where the file is none, or is not as it
    was signed; what `game_of` raises.
    """
    reader = TranscriptReader()
    charter: Charter | None = None
    game: AnyGame | None = None
    origin: Origin | None = None
    said: list[SignedMessage] = []
    ended = False
    try:
        for entry in reader.feed(data):
            match entry:
                case Charter():
                    charter, game = entry, game_of(entry)
                case LedgerBegins(begun):
                    origin, said = begun, []
                case Said(raw) if charter is not None:
                    said.append(open_ledger_message(raw, charter))
                case LedgerEnds(head) if charter is not None and origin is not None:
                    assert game is not None
                    heads, said = _closed(charter, origin, said, head)
                    if origin.ledger.lane is Lane.HAND:
                        found = _result(charter, game, origin, said, heads)
                        if found is not None:
                            yield found, game
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
) -> FinishedHand | None:
    """Return the result of a hand, None where it came to none."""
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
    if not game.is_over(state):
        return None
    outcome = game.settle(state)
    if any(scores != outcome.scores for scores in signatures.values()):
        raise NotSigned("another result was signed than follows from the hand")
    number = origin.ledger.number
    played = heads[-2] if signatures else heads[-1]
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
    )
