"""The signed results of hands, read from transcripts without verifying proofs.

The table reads them as in an audit. Only an audit shows that hidden cards were as proved; here the
signatures of all seats under the result stand for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.seats import Seat, Sides
from protocol.errors import LocalError, MalformedMessage, ProofError
from protocol.places import Digest, Lane, LedgerName
from protocol.table.events import HandEnded, HandRuled
from protocol.table.ledger import Origin
from protocol.table.replica import HandReplica, as_hand
from protocol.table.standing import Consequence, consequence
from protocol.transcript.auditor import Auditor
from protocol.wire.charter import Charter
from protocol.wire.contents import ResultSignature, RulingVerdict
from protocol.wire.messages import SignedRuling


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that was played to its end, or that a ruling stopped; `signed` if it has every
    seat's signature under its result.
    """

    charter: Charter
    number: int
    #: Of its ledger, as far as that has come: after the signatures, if they are there.
    head: Digest
    #: The head before the round of signatures, which rests on nobody's signing the result; the
    #: ruled head of a hand that a referee ended.
    played: Digest
    signed: bool
    dealer: Seat
    before: tuple[int, ...]  #: The match's scores before it.
    outcome: Any  #: The game's own; None of a hand that a referee ended before it was played out.
    sides: tuple[Sides, ...]  #: Who won together, as far as the end of the hand tells.
    #: That by which a referee ended it, which may void its result.
    ruling: SignedRuling | None = None

    @property
    def counts(self) -> bool:
        """Whether the hand has a result that no ruling made void."""
        ruling = self.ruling
        void = ruling is not None and ruling.content.verdict == RulingVerdict.REDEAL
        return self.outcome is not None and not void


class NotSigned(Exception):
    """The file is no transcript of hands that all seats signed, or states what its game refuses;
    the text says why.
    """


def match_after(hand: FinishedHand, game: AnyGame) -> Consequence:
    """Return the match after a hand with a result or a ruling, and the side that has won it, if
    any.

    Raises NotSigned if the game refuses the hand's scores, result or ruling.
    """
    try:
        if hand.ruling is not None:
            # Without the digests that it continues: a consequence needs dealer and scores alone.
            origin = Origin(LedgerName(Lane.HAND, hand.number), (), hand.dealer, hand.before)
            return consequence(game, hand.ruling.content, origin, hand.outcome)
        after = game.after_hand(game.match_at(hand.dealer, hand.before), hand.outcome)
    # Scores and rulings that a file states, and that the game refuses.
    except (GameError, ValueError, ProofError) as error:
        raise NotSigned(f"no match stands so ({error})") from None
    return Consequence(after, after.winner)


def signed_results(
    file: Iterable[bytes], game_of: Callable[[Charter], AnyGame]
) -> Iterator[tuple[FinishedHand, AnyGame]]:
    """Yield each hand of a transcript with a result that all seats signed and no ruling made void,
    with its game.

    `file` yields pieces; raises like `finished_hands`.
    """
    hands = finished_hands(file, game_of)
    return (each for each in hands if each[0].signed and each[0].counts)


def finished_hands(
    file: Iterable[bytes], game_of: Callable[[Charter], AnyGame]
) -> Iterator[tuple[FinishedHand, AnyGame]]:
    """Yield each hand of a transcript that has a result, signed or not, or was stopped by a ruling,
    with its game; hands in play or ended by agreement are left out.

    `file` yields pieces. Signatures and rules are checked, proofs are not. Raises NotSigned, after
    the hands before the error, if the file is no whole transcript that passes these checks or has
    more decks than an audit takes, and whatever `game_of` raises.
    """
    # Proofs take most of the time; all seats judged them before they signed the result.
    auditor = Auditor(game_of, trusted=True)
    try:
        for event in (event for piece in file for event in auditor.feed(piece)):
            # The events of its end come before the auditor leaves a hand.
            hand = as_hand(auditor.ledger)
            # Of a ruled hand both may come: it is yielded once.
            told = HandEnded if hand is None or hand.ruling is None else HandRuled
            if hand is not None and isinstance(event, told):
                yield _finish(hand), hand.machine.game
    # No transcript, or with more decks than an audit takes: both have no results for us.
    except (MalformedMessage, LocalError) as error:
        raise NotSigned(f"it is not as it was written ({error})") from None
    broken = auditor.finish().broken
    # The hands before it are whole.
    if broken is not None and broken.check != "ledger.settled":  # a hand in play
        raise NotSigned(f"it is not as it was written ({broken.check}: {broken.detail})")


def _finish(hand: HandReplica) -> FinishedHand:
    """Return the FinishedHand of a replica that has its result, or that a ruling ended."""
    origin, ledger = hand.origin, hand.ledger
    last = ledger.rounds[-1] if ledger.rounds else ()
    # One tells of all: the round of signatures closes when every seat has signed.
    signed = any(isinstance(each.content, ResultSignature) for each in last)
    # Results of tournaments name this head: no seat can hold it back by not signing (tournament
    # 12.2). A bool takes one off.
    played = ledger.digests[len(ledger.rounds) - signed]
    return FinishedHand(
        hand.charter,
        origin.ledger.number,
        ledger.head,
        played if hand.ruling is None else hand.head,
        signed,
        # Of a hand: its dealer.
        origin.leading,
        origin.scores,
        hand.machine.outcome,
        # One entry for each round: the last is what the end of the hand tells.
        hand.machine.sides[-1],
        hand.ruling,
    )
