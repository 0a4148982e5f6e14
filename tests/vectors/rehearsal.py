"""Whole tables in memory, repeatable to the byte: the honest play that conformance starts from.

Every key, seed and nonce follows from the name of the table, so that two runs on two machines write
the same transcripts. Never for play: whoever knows the name knows all secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, Self

from cli.conformance.tables import SAVED, Draft, Drawn, body_of, saved_hand, sign_body
from p2p304.bots.players import random_player_for
from p2p304.game import AnyGame
from p2p304.games import agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.encoding import Value
from protocol.entropy import Entropy
from protocol.memory_table import MemoryTable
from protocol.places import EPOCH, Lane, LedgerName
from protocol.seat.session import Session
from protocol.table.standing import standing_after
from protocol.table.table import TableState
from protocol.topics.commands import EndUnfinished
from protocol.transcript.file import hand_transcript, write_transcript
from protocol.wire.contents import Ruling, RulingVerdict
from protocol.wire.messages import sign_ruling
from protocol.wire.terms import Term

#: What a seat does, from its session and the actions that the rules allow it; None is what its
#: player would do.
Choose = Callable[[Session, tuple[Any, ...]], Any]


class Rehearsal(MemoryTable):
    """A table whose seats hear each other at once and choose by seed.

    `choose` may take over the decisions of a seat; None leaves them to a random player.
    """

    def __init__(
        self,
        name: str,
        game: str = "304",
        agreement: str = "pagat",
        *,
        choose: dict[int, Choose] | None = None,
        before: Rehearsal | None = None,
        present: tuple[Seat, ...] = (),
        refereed: bool = False,
    ) -> None:
        """Set up the table called `name`, before anybody has confirmed its charter.

        It may go on with the match of a table `before`, with those `present` under their keys; the
        first of them seats bots in the other seats. A refereed one is a match of a tournament.
        """
        self.name = name
        profile = full_agreement(game, agreement)
        self.game: AnyGame = agreed_game(game, profile)
        drawn = Drawn(name, self.game.seats)
        self.table_key, self.table = drawn.table_key, drawn.table
        self.keys, self.nonces, self.secrets = drawn.keys, drawn.nonces, drawn.secrets
        self.referee = drawn.referee
        terms: tuple[Term, ...] = drawn.refereed if refereed else ()
        if before is not None:
            for seat in present:
                self.keys[seat] = before.keys[seat]
            terms = before.going_on(present)
        self.charter = drawn.charter(game, profile, terms)
        sessions = [
            Session(charter=self.charter, game=self.game, seat=Seat(seat), key=key, secrets=secrets)
            for seat, (key, secrets) in enumerate(zip(self.keys, self.secrets, strict=True))
        ]
        super().__init__(sessions)
        self._choose = choose or {}
        self._players = [self._player(drawn.draw) for _ in self.keys]

    def _player(self, draw: Entropy) -> Any:
        seed = int.from_bytes(draw(8), "big")
        return random_player_for(self.game, seed)

    def going_on(self, present: tuple[Seat, ...]) -> tuple[Term, ...]:
        """Return the terms of a charter by which those present go on after the first hand, or after
        the one that follows a ruling on it."""
        hand = self.table_state.hand(EPOCH) or self.table_state.hand(0)
        standing = standing_after(hand.charter, hand, self.game, self.sessions[0].agreed_end())
        others = (Seat(each) for each in range(self.game.seats) if each not in present)
        bots = tuple((seat, present[0]) for seat in others)
        return standing.terms(standing.going_on(present)._replace(bots=bots))

    @property
    def table_state(self) -> TableState:
        """What is public, as the first seat has it."""
        return self.sessions[0].table_state

    def rule(self, hand: int, rounds: int, verdict: RulingVerdict, against: int = 0) -> bytes:
        """Play until so many rounds of a hand are closed; then the referee rules, and all hear it.

        Returns the ruling's envelope.
        """
        while (open_hand := self.table_state.hand(hand)) is None or (
            len(open_hand.ledger.rounds) < rounds
        ):
            self.advance()
        self.deliver_all()
        ruling = self.ruled(hand, rounds, verdict, against)
        for seat in range(self.game.seats):
            self.call(seat, lambda session: session.receive(ruling, now=self.now))
        self.deliver_all()
        return ruling

    def ruled(self, hand: int, rounds: int, verdict: RulingVerdict, against: int = 0) -> bytes:
        """Return what the referee signs of a point that the first seat has come to."""
        found = self.table_state.hand(hand)
        head = bytes(found.ledger.digests[rounds])
        content = Ruling(hand, rounds, head, int(verdict), against, "")
        return sign_ruling(self.charter, content, self.referee).raw

    def end_unfinished(self, rounds: int, present: tuple[Seat, ...]) -> Rehearsal:
        """Play until so many rounds of the first hand are closed; then those present end it."""
        while (hand := self.table_state.hand()) is None or len(hand.ledger.rounds) < rounds:
            self.advance()
        self.deliver_all()  # who agrees before all of it has come agrees to an earlier end
        for seat in present:
            self.act(seat, EndUnfinished(present))
        self.deliver_all()
        return self

    def next_action(self, seat: int) -> Any:
        """See MemoryTable.chosen."""
        session = self.sessions[seat]
        legal = session.legal_actions()
        if not legal:
            return None
        choose = self._choose.get(seat)
        chosen = None if choose is None else choose(session, legal)
        if chosen is not None:
            return chosen
        return self._players[seat].choose(session.view())

    def transcript(self, hand: int = 0) -> bytes:
        """Return the transcript of one hand, as every seat writes it."""
        return hand_transcript(self.table_state, hand, self.sessions[0].agreed_end())

    def match_transcript(self, hands: Iterable[int]) -> bytes:
        """Return the transcript of several hands of one match, deck before hand."""
        wanted = list(hands)
        setup = self.table_state.setup_of(wanted[0])
        assert setup is not None
        names = [LedgerName(Lane.TABLE, setup)]
        for number in wanted:
            names += [LedgerName(Lane.DECK, number), LedgerName(Lane.HAND, number)]
        replicas = [self.table_state.replicas[name] for name in names]
        return b"".join(write_transcript(self.charter, replicas))


def always(*texts: str) -> Choose:
    """Take the first legal action whose text begins with one of these words, else the first."""

    def choose(session: Session, legal: tuple[Any, ...]) -> Any:
        written = [(session.game.format_action(each), each) for each in legal]
        for text in texts:
            for said, action in written:
                if said == text or said.startswith(text + " "):
                    return action
        return legal[0]

    return choose


def rather(*texts: str) -> Choose:
    """Take each of these once, as soon as it is legal: the first action whose text begins so."""
    left = list(texts)

    def choose(session: Session, legal: tuple[Any, ...]) -> Any:
        written = [(session.game.format_action(each), each) for each in legal]
        for text in left:
            for said, action in written:
                if said == text or said.startswith(text + " "):
                    left.remove(text)
                    return action
        return None

    return choose


# --- saved file -----------------------------------------------------------------------------------

# A saved hand as vectors change it: one message said otherwise, and signed again by its seat.

#: Where a body says of what kind it is and what it holds, and the kind of actions (3.4, 3.5).
KIND, CONTENT, ACTION = 5, 7, 8


class Acted(NamedTuple):
    """The content of an action."""

    text: str
    proofs: tuple[bytes, ...]
    commitments: tuple[bytes, ...]
    remixes: tuple[bytes, ...]
    salts: tuple[bytes, ...]


class SavedFile:
    """The file of a hand, and the table that played it; messages are named by their numbers."""

    def __init__(self, table: Rehearsal, whole: bytes) -> None:
        self.table = table
        self.whole: Final = whole
        self.draft = Draft.of(whole)
        self.messages = self.draft.places(b"M")

    @classmethod
    def kept(cls, name: str) -> Self:
        """Return a hand as its file has it; nothing is played."""
        return cls(SAVED_HANDS[name].table_of(), SAVED_HANDS[name].kept())

    def raw(self, number: int) -> bytes:
        """Return the envelope of a message."""
        return self.draft.records[self.messages[number]].payload

    def body(self, number: int) -> tuple[Any, ...]:
        """Return the body of a message."""
        return body_of(self.raw(number))

    def content(self, number: int) -> tuple[Any, ...]:
        """Return the content of a message."""
        content: tuple[Any, ...] = self.body(number)[CONTENT]
        return content

    def put(self, number: int, raw: bytes) -> bytes:
        """Return the file with another envelope."""
        return self.draft.with_record(self.messages[number], raw).to_bytes()

    def signed(self, number: int, body: bytes | tuple[Value, ...], by: int | None = None) -> bytes:
        """Return the file with another body, signed by the same seat or by another one."""
        return self.put(number, sign_body(self.table, body, self.raw(number)[2], by=by))

    def changed(self, number: int, at: int, item: Value, by: int | None = None) -> bytes:
        """Return the file with one field of a body changed."""
        body = self.body(number)
        return self.signed(number, (*body[:at], item, *body[at + 1 :]), by)

    def said(self, number: int, *content: Value) -> bytes:
        """Return the file with another content in one message."""
        return self.changed(number, CONTENT, content)

    def acted(self, number: int, **fields: Any) -> bytes:
        """Return the file with these parts of an action changed."""
        return self.said(number, *Acted(*self.content(number))._replace(**fields))

    def number_of(
        self, text: str = "", *, proofs: int | None = None, code: int = ACTION, nth: int = 0
    ) -> int:
        """Return the n-th message of a kind; of actions, that begins so with so many proofs."""
        fitting = (
            number
            for number in range(len(self.messages))
            if self.body(number)[KIND] == code
            and (code != ACTION or str(self.content(number)[0]).startswith(text))
            and (proofs is None or len(self.content(number)[1]) == proofs)
        )
        return [*fitting][nth]


# --- hands ----------------------------------------------------------------------------------------

# The saved hands that conformance starts from: small tables that together do most of what can be.
#
# Written to `specs/vectors/hands/` by `make vectors`; a rehearsal gives the same bytes again.

PRESENT: Final = (Seat(0), Seat(1), Seat(2))  #: Who ends a hand unfinished.


@dataclass(frozen=True, slots=True)
class SavedHand:
    """A table that is played again at will: its name, what it plays, how its seats decide."""

    name: str
    agreement: str
    about: str
    choose: Callable[[], dict[int, Choose]] = dict
    hands: int = 1
    game: str = "304"
    #: Closed rounds after which all but the last seat end the hand unfinished.
    ended_after: int | None = None
    #: Closed rounds of the first hand after which the referee fines the first side.
    ruled_after: int | None = None
    #: The name of the saved hand that was ended so, with whose match this one goes on.
    continues: str = ""

    def table_of(self) -> Rehearsal:
        """Return the table before its first hand, for its charter and its keys."""
        return Rehearsal(
            SAVED[self.name][0],
            self.game,
            self.agreement,
            choose=self.choose(),
            before=_rehearsed(self.continues) if self.continues else None,
            present=PRESENT if self.continues else (),
            refereed=self.ruled_after is not None,
        )

    def rehearsed(self) -> Rehearsal:
        """Return the table after its last hand, which is played once and kept."""
        return _rehearsed(self.name)

    def kept(self) -> bytes:
        """Return the file as it lies beside the specification."""
        return saved_hand(self.name)

    def transcript(self) -> bytes:
        """Return the file."""
        table = self.rehearsed()
        if self.ruled_after is not None:
            return table.match_transcript((0, EPOCH))
        return table.match_transcript(range(self.hands)) if self.hands > 1 else table.transcript()


def _all(*words: str) -> Callable[[], dict[int, Choose]]:
    return lambda: {seat: always(*words) for seat in range(4)}


def _rather(seats: int, *words: str) -> Callable[[], dict[int, Choose]]:
    """Return what a table does that does each of these once, whoever may."""
    return lambda: dict.fromkeys(range(seats), rather(*words))


def _bids(*hands: str) -> Callable[[], dict[int, Choose]]:
    """Return every seat bids this in the first hand, that in the second; and plays its last
    card."""

    def choose(session: Session, legal: tuple[Any, ...]) -> Any:
        said = hands[session.table_state.counted]
        written = {session.game.format_action(each): each for each in legal}
        return written.get(said, written.get("cut 17", legal[-1]))

    return lambda: dict.fromkeys(range(4), choose)


SAVED_HANDS: Final = {
    each.name: each
    for each in (
        SavedHand(
            "closed",
            "pagat",
            "closed trump: cards face down, hand-overs, inspections, a cut, a count",
        ),
        SavedHand("passed-out", "wikipedia", "four passes"),
        SavedHand(
            "redeal",
            "pagat; +redeal_private",
            "a redeal whose few points are proved without showing a card",
            _all("redeal", "pass"),
        ),
        SavedHand(
            "spoilt",
            "card304-alpha",
            "no cut, one circuit; a false call of spoilt trumps, both defenders answer",
        ),
        SavedHand(
            "eight-card", "card304", "an eight-card bid takes the indicator back; open trump"
        ),
        SavedHand(
            "two-hands", "wikipedia", "two hands of one match in one file", _all("pass"), hands=2
        ),
        SavedHand(
            "unfinished",
            "wikipedia",
            "a hand that three seats ended after two passes, without the fourth",
            _all("pass"),
            ended_after=4,
        ),
        SavedHand(
            "continued",
            "wikipedia",
            "the hand after it, dealt again at another table, with a bot for the fourth",
            _all("pass"),
            continues="unfinished",
        ),
        SavedHand(
            "ruled",
            "wikipedia",
            "a hand that a referee stopped after two passes, with a penalty, and the hand after it",
            _all("pass"),
            ruled_after=4,
        ),
        SavedHand(
            "deal-of-41",
            "floor_12",
            "a deal of 41: four bids of 3, thirteen tricks, seats that show once what they lack",
            _bids("bid 3"),
            game="41",
        ),
        SavedHand(
            "deals-of-400",
            "target_44",
            "two deals of 400 in one file: one thrown in, one played",
            _bids("bid 2", "bid 5"),
            hands=2,
            game="400",
        ),
        SavedHand("six24", "six24", "six seats, four cards each: a forced opening"),
        SavedHand("eight32", "eight32", "eight seats, four cards each"),
        SavedHand(
            "six36",
            "six36",
            "a partner is asked by its number; Partner Close Caps, which both partners sit out",
            _rather(6, "ask-seat", "bid 160", "bid pcc"),
        ),
        SavedHand(
            "tamil504",
            "tamil504; pre_show_card = in a trick too",
            "threes on top, six seats; cards are shown in turn",
            _rather(6, "show", "show"),
        ),
        SavedHand("tamil904", "tamil904", "twos and threes on top, eight seats, forty cards"),
        SavedHand(
            "tamil4", "tamil4", "four seats without caps; double", _rather(4, "bid 200", "double")
        ),
        SavedHand(
            "maharashtra",
            "maharashtra; +marriages; +last_trick",
            "a called partner; a score for each seat",
            _rather(4, "pass", "pass", "pass", "pass", "marriage"),
        ),
        SavedHand(
            "doso_viso",
            "doso_viso",
            "Half Court: four cards, a maker who names a card that it has not",
            _rather(4, "bid half_court"),
        ),
    )
}

#: The hands of the profiles of 304 beside the five for four seats, each called by its profile.
TABLES: Final = tuple(name for name, (_, weight) in SAVED.items() if not weight)


@cache
def _rehearsed(name: str) -> Rehearsal:
    saved = SAVED_HANDS[name]
    if saved.ended_after is not None:
        return saved.table_of().end_unfinished(saved.ended_after, PRESENT)
    table = saved.table_of()
    if saved.ruled_after is not None:
        table.rule(0, saved.ruled_after, RulingVerdict.PENALTY, against=1)
        table.play(EPOCH + 1)
        return table
    table.play(saved.hands)
    return table
