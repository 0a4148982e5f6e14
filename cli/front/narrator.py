"""Events as notices: one sentence for each, which every front end shows in its own way.

Moves and results are told by a game's own sentences (`cli.front.story`). All other events have
their sentences here, together, with places for values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from cli.front.rulings import (
    challenge_sentence,
    contradiction_title,
    contradiction_words,
    ruled_sentence,
    ruling_sentence,
)
from cli.front.writing import Writer
from cli.returning import BEHIND, BEHIND_IN_SHORT, claims_in_short, claims_line
from cli.sanitize import safe_text
from cli.wording import capital, join_names
from p2p304.game import AnyGame
from p2p304.seats import Seat
from protocol.table.events import (
    ChallengeMade,
    ChatReceived,
    ClaimsOpen,
    EndProposed,
    EndUndone,
    Event,
    HandRuled,
    HandUnfinished,
    JournalBehind,
    RefereeBlamed,
    RulingHeard,
    SeatBlamed,
    SeatSuspected,
    SecondOpinionDiffered,
    SessionStopped,
    Waiting,
    WordsLeftOut,
)

# In one place and with named values, so that every front end says the same.
SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "waiting": "Waiting for {who} since {since}.",
        # Owed: what the rules want of them, which is more than a turn.
        "owed": "Waiting for {who} since {since}. Owed: {what}.",
        "talk": "{who} says: {words}",
        "words left out": "{who} writes more messages than fit here: the rest is not shown.",
        # `_notice_proposal` puts the names of these together.
        "end, nobody gone": "{who} agrees to end this hand unfinished, although nobody is gone.",
        "end, without you": (
            # A proposal that leaves the reader out: it may be an attempt to play on without a seat
            # that is there (attacks GO9).
            "{who} agrees to end this hand unfinished, without {gone}, and so without you."
        ),
        "end, as you do": "{who} agrees to end this hand unfinished, without {gone}, as you do.",
        "end, agree": (
            "{who} agrees to end this hand unfinished, without {gone}. {how} to agree, too; nothing"
            " happens unless all others do."
        ),
        "end, told": "{who} agrees to end this hand unfinished, without {gone}.",
        "end undone": (
            "The hand goes on: a player who had to agree to its end has played on, or the result is"
            " complete."
        ),
        "unfinished": "{who} agreed to end the hand here, unfinished: no result.",
        "unfinished, ruled": "The referee ended the hand here, unfinished: no result.",
        "blamed": "{who} broke the protocol ({check}); the proof is saved. Play stopped.",
        "suspected": "A message of {who} fails a check ({reason}); nobody is accused.",
        "stopped": "This seat signs nothing more: {reason}.",
        "defect": "With the cards open, {what} is false: a defect of p2p304, report it.",
        # Its title is a whole sentence.
        "contradiction": "{title} Play stopped.",
    }
)


class TableNotice(NamedTuple):
    """A sentence about a table, and a shorter one for small screens, or ""."""

    text: str
    short: str = ""
    stops: bool = False  #: Whether play has stopped with it.

    @property
    def brief(self) -> str:
        """The short sentence, or the long one if there is none."""
        return self.short or self.text


class Narrator:
    """The narrator of one table's events for one reader."""

    def __init__(
        self,
        game: AnyGame,
        writer: Writer,
        called: Callable[[Seat], str],
        *,
        seat: Seat | None = None,
        how_to_end: str = "",
    ) -> None:
        """Set up a narrator.

        Args:
            called: returns the name of a seat for this reader, such as "South (Ana)".
            seat: the reader's own seat, None for a spectator.
            how_to_end: how the reader agrees to an end, such as "Type end"; "" if it cannot.
        """
        self._game = game
        self._writer = writer
        self._called = called
        self._seat = seat
        self._how_to_end = how_to_end

    def notice(
        self,
        event: Event,
        *,
        since: str = "",
        owed: str = "",
        agreed: Iterable[tuple[Seat, ...]] = (),
    ) -> TableNotice | None:
        """Return the notice of an event; None for moves, results, and events that nobody reads.

        Args:
            since: the local time at which the waiting began.
            owed: the messages that the table awaits, in words.
            agreed: the seats of each agreement to end the hand that the reader signed.
        """
        match event:
            # Without seats a wait has ended, which needs no sentence.
            case Waiting(seats) if seats:
                # Names as the reader calls them, petnames included.
                who = " and ".join(map(self._called, seats))
                return _say("owed" if owed else "waiting", who=who, since=since, what=owed)
            case ChatReceived(seat, text):
                # A stranger's words (attacks CL6).
                words = safe_text(text, ascii_only=self._writer.ascii_only)
                return _say("talk", who=self._called(seat), words=words)
            case WordsLeftOut(seat):
                return _say("words left out", who=capital(self._called(seat)))
            case EndProposed():
                return self._notice_proposal(event, {*agreed})
            case EndUndone():
                return _say("end undone")
            case HandUnfinished(_, present):
                # Without anybody present it was a referee, who needs no seat to agree.
                named = capital(join_names(map(self._called, present))) if present else ""
                return _say("unfinished" if present else "unfinished, ruled", who=named)
            case ChallengeMade(seat, content, text):
                return TableNotice(challenge_sentence(capital(self._called(seat)), content, text))
            case RulingHeard(ruling):
                return TableNotice(ruling_sentence(self._game, ruling.content, self._writer))
            case HandRuled(ruling, void):
                return TableNotice(ruled_sentence(ruling.content, void))
            case ClaimsOpen(claims):
                size = self._writer.seats
                # A small screen has two lines for it.
                long = claims_line(claims, seats=size, called=self._called)
                return TableNotice(long, claims_in_short(claims, size))
            case JournalBehind():
                return TableNotice(BEHIND, BEHIND_IN_SHORT)
            case SeatSuspected(seat, reason):
                return _say("suspected", who=self._called(seat), reason=reason)
            # A check of the second opinion failed with all cards open: our own defect (attacks
            # CL13).
            case SecondOpinionDiffered(_, _, statement):
                return _say("defect", what=statement)
            case SeatBlamed(seat, check):
                blamed = _say("blamed", who=capital(self._called(seat)), check=check)
                # These three stop the screen. A suspicion halts play, too, but comes only where all
                # seats conspire (attacks G8).
                return blamed._replace(stops=True)
            case RefereeBlamed():
                title = contradiction_title(event)
                # The rulings themselves are too long for a small screen.
                short = SENTENCES["contradiction"].format(title=title)
                both = contradiction_words(self._game, event, self._writer)
                return TableNotice(f"{title} {both}", short, stops=True)
            case SessionStopped(reason):
                return _say("stopped", reason=reason)._replace(stops=True)
            case _:
                return None

    def _notice_proposal(self, event: EndProposed, agreed: set[tuple[Seat, ...]]) -> TableNotice:
        """Return the notice that a seat agrees to end the hand; `agreed` are the ends that we
        agreed to.
        """
        there = {*event.present}
        absent = [seat for seat in map(Seat, range(self._writer.seats)) if seat not in there]
        who = capital(self._called(event.seat))
        if not absent:
            return _say("end, nobody gone", who=who)
        which = "agree" if self._how_to_end else "told"
        # In this order: left out, already agreed, can agree, can only read.
        if self._seat is not None and self._seat not in there:
            which = "without you"
        elif event.present in agreed:
            which = "as you do"
        gone = join_names(map(self._called, absent))
        return _say(f"end, {which}", who=who, gone=gone, how=self._how_to_end)


def _say(sentence: str, **values: object) -> TableNotice:
    """Return a notice: the sentence of this name with its values."""
    return TableNotice(SENTENCES[sentence].format(**values))
