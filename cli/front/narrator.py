"""Events as notices: one sentence for each, which every front end shows in its own way.

Moves and results are told by a game's own sentences (`cli.front.story`). All other events have
their sentences here: talk, ends, rulings and challenges of a referee (specs 5.8), going on at
another table without a seat (7.11), who is there, which is hearsay (7.10), and a seat that returns
and may not sign yet (7.5).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from cli.errors import UserError
from cli.front.writing import Writer
from cli.sanitize import safe_name, safe_text
from cli.wording import capital, hand_label, join_names
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat, place_name, seat_names
from p2p304.sentences import count_words
from protocol.places import Lane
from protocol.seat.view import SeatView, TableView
from protocol.table.events import (
    ChallengeMade,
    ChatReceived,
    ClaimsOpen,
    ContinuationAgreed,
    ContinuationProposed,
    ContinuationReady,
    ContinuationRefused,
    EndProposed,
    EndUndone,
    Event,
    HandRuled,
    HandUnfinished,
    HeadClaim,
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
from protocol.topics.substitute import seats_of
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, Continuation, Ruling, RulingVerdict


class Where(Enum):
    """The state of a seat's program as far as was heard."""

    HERE = "here"
    SILENT = "silent"  #: Nothing was heard of it for a while.
    LOST = "link lost"  #: The broker says that its connection was lost.
    AWAY = "left"  #: It said goodbye, and may come back.
    DONE = "done"  #: It said goodbye, having played as much as it was to play.


# A goodbye is a word of the seat's own; a lost connection is the broker's.
GONE: Final = frozenset({Where.AWAY, Where.DONE})
# Seat 0 makes the table, and may run the broker.
FOUNDER: Final = Seat(0)


class Seen(NamedTuple):
    """The last presence of a seat: its state, since when (monotonic seconds), and whether it
    says that it runs the broker.
    """

    where: Where
    since: float
    serves: bool = False


def presence_line(seat: Seat, name: str, seen: Seen, before: Seen | None) -> str:
    """Return the sentence for a change of a seat's presence; "" if the seat is here and was not
    heard of before.

    Args:
        seat: the seat; the founder's leaving may end the broker.
        name: its player's name, made safe to print.
        seen: its presence now.
        before: its presence before; None at first.
    """
    broker = " The broker ran in that program, and has ended with it." if seen.serves else ""
    match seen.where:
        case Where.HERE if before is None:
            # The first word of a seat is no change.
            return ""
        case Where.HERE:
            return f"{name} is here again."
        case Where.SILENT:
            return f"Nothing is heard of {name} any more."
        case Where.LOST:
            # "says": a broker can publish a will at its pleasure (attacks MQ22).
            return f"The broker says that the connection of {name} was lost."
        case Where.AWAY:
            return f"{name} has left, and may come back: 'p2p304 resume' goes on there.{broker}"
        # The host's end is the table's end for who has no other broker.
        case Where.DONE if seat == FOUNDER:
            return (
                f"The host, {name}, has ended the table: it has played as much as it wanted."
                f"{broker}"
            )
        case Where.DONE:
            return f"{name} has left: it has played as much as it wanted.{broker}"


def lost_broker(names: Mapping[Seat, str], seen: Mapping[Seat, Seen]) -> str:
    """Return a sentence naming the seat in whose program the lost broker ran; "" if no seat says
    that it runs one.
    """
    # At most one seat says so truthfully; the first that does is named.
    for seat, each in seen.items():
        if each.serves:
            gone = each.where in GONE
            return (
                f"The broker ran in {names[seat]}'s program, which has left: the table goes on when"
                " that player is back."
                if gone
                else f"The broker runs in {names[seat]}'s program, which may have ended."
            )
    return ""


def awaited_words(seats: Iterable[Seat], seen: Mapping[Seat, Seen]) -> str:
    """Return the presence of the awaited seats in words, if all have the same; "" if not, or if
    nothing was heard of them.
    """
    # One sentence for all of them, or none.
    found = {None if each is None else each.where for each in map(seen.get, seats)}
    if len(found) != 1:
        return ""
    (where,) = found
    if where is None:
        return ""
    # "Thinking": its program is here, so the player has not decided yet.
    return "here and thinking" if where is Where.HERE else where.value


# Said before anybody vouches (specs 7.5).
RISK: Final = (
    "Your journal may lack messages that you signed, because somebody put an older copy of it back,"
    " or because another copy of your seat plays. If you now sign a different message in place of"
    " one of them, the two messages convict you of cheating."
)
# Said once the seat finds that its journal is behind (the event JournalBehind).
BEHIND: Final = (
    "Your journal is an older copy, or another copy of your seat plays: the journal lacks messages"
    " that you signed later. The other seats send back those that they have. If one reached nobody,"
    " turns up later, and you signed a different one in its place, the two convict you. If you have"
    " the newer journal, leave now and put it back."
)


# Two lines of a screen of 24.
BEHIND_IN_SHORT: Final = (
    "Your journal is an older copy: what you sign now may convict you. If you have the newer one,"
    " leave and put it back."
)


def parse_vouched_seats(
    charter: Charter, names: Iterable[str], own: Seat | None = None
) -> frozenset[Seat]:
    """Return the seats that `names` give by place or nickname, in upper or lower case.

    Raises UserError for a name of no seat, of several, or of our `own` seat.
    """
    found = set()
    # By what the screen shows, in either case of letters: people type what they read.
    for name in names:
        wanted = name.strip().lower()
        seats = [
            Seat(seat)
            for seat, entry in enumerate(charter.seats)
            if wanted
            in (place_name(seat, len(charter.seats)).lower(), safe_name(entry.nickname).lower())
        ]
        # None, several or one's own: nobody vouches for what itself may have signed (specs 7.5).
        if len(seats) != 1 or seats[0] == own:
            every = seat_names(len(charter.seats))
            others = [each for seat, each in enumerate(every) if seat != own]
            raise UserError(
                f"No other player has that seat: --vouch takes one of {', '.join(others)}."
            )
        found.add(seats[0])
    return frozenset(found)


#: What is asked of referees whom the player has not named.
ACCEPTS: Final = "Do you trust this referee, and accept its rulings?"

_VERDICTS: Final = {
    RulingVerdict.NO_ACTION: "no action; the hand goes on",
    RulingVerdict.REDEAL: "a redeal; the hand is void, and the same dealer deals again",
    # What a penalty costs is fixed (specs 5.8).
    RulingVerdict.PENALTY: "a penalty of three tokens against {sides}",
    RulingVerdict.END: "the hand ends here, and nothing more is played at this table",
    RulingVerdict.DISQUALIFIED: "{sides} are disqualified, and have lost the match",
    RulingVerdict.WALK_OVER: "a walk-over: {sides} did not come, and have lost the match",
}


def ruling_sentence(
    game: AnyGame,
    ruling: Ruling,
    writer: Writer,
    names: Sequence[str] = (),
    who: str = "The referee",
) -> str:
    """Return a sentence: verdict, point and text of a ruling, made safe to print; `who` is its
    subject.

    The ruling's signature is good; bits for sides that the game does not have are ignored. Sides
    are called by `names` if there are any, which are safe to print.
    """
    named = names or [*map(writer.sentence, telling_of(game).sides())]
    # Bit i is side i of the scores (specs 3.5.18).
    against = [side for place, side in enumerate(named) if ruling.against >> place & 1]
    # "nobody": every bit is of a side that the game does not have.
    said = _VERDICTS[RulingVerdict(ruling.verdict)].format(sides=join_names(against or ["nobody"]))
    where = f"hand {hand_label(ruling.hand)}, round {ruling.closed}"
    # A referee's words are a stranger's text (attacks CL6).
    words = f' {who} says: "{safe_text(ruling.text)}"' if ruling.text else ""
    return f"{who} ruled on {where}: {said}.{words}"


def contradiction_title(blame: RefereeBlamed) -> str:
    """Return a short title: contradicting rulings of one referee, or of two, stopped the table."""
    # Counted from 1 for people.
    one, other = (each.referee + 1 for each in blame.rulings)
    # One referee that contradicts itself is convicted; two are not (attacks RF3, RF4).
    if one == other:
        return f"Referee {one} ruled twice where a referee rules once (ruling.twice)."
    return f"Referees {one} and {other} ruled against each other."


def contradiction_words(game: AnyGame, blame: RefereeBlamed, writer: Writer) -> str:
    """Return the title, and both contradicting rulings by the referees' places in the charter."""
    rulings = (
        # Counted from 1, as in the title.
        ruling_sentence(game, each.content, writer, who=f"Referee {each.referee + 1}")
        for each in blame.rulings
    )
    return " ".join((contradiction_title(blame), *rulings))


def contradiction_sentences(
    game: AnyGame, charter: Charter, blame: RefereeBlamed, writer: Writer
) -> str:
    """Return both contradicting rulings, that the table has stopped, and what its players can
    do.
    """
    said = contradiction_words(game, blame, writer)
    # In a tournament the match is still to be decided, in its record.
    if charter.tournament is None:
        return f"{said} Nothing more is played at this table: make another one."
    return (
        f"{said} Nothing more is played at this table: a referee decides match"
        f" {charter.tournament.match} in the tournament's record ('p2p304 tournament rule --help')."
    )


def challenge_sentence(name: str, challenge: Challenge, text: str | None) -> str:
    """Return the sentence that the player called `name` challenged, with its words if `text` is
    known.
    """
    where = f"hand {hand_label(challenge.hand)}, round {challenge.closed}"
    said = f"{name} challenges before the referee ({where})"
    # Until the hand is over nobody but the referee can read it (attacks RF14).
    return f"{said}." if text is None else f'{said}: "{safe_text(text)}"'


def ruled_sentence(ruling: Ruling, void: tuple[int, ...]) -> str:
    """Return the sentence that a hand has ended by a ruling, or that nothing of it counts, and
    that the later hands `void` are void.
    """
    later = f", {count_words(len(void), 'later hand')} too" if void else ""
    # Round 0: nothing of the hand was closed, so nothing of it is left.
    if not ruling.closed:
        # `and`: nothing follows if `later` is empty.
        return f"Nothing of hand {hand_label(ruling.hand)} counts{later and ', nor what followed'}."
    return (
        f"Hand {hand_label(ruling.hand)} has ended as the referee ruled; what was played behind"
        f" that point is void{later}."
    )


NOBODY_MISSING: Final = "Nobody is waited for: the hand can go on."
ASKED: Final = "A player asks you whether to go on without a seat: press + to answer."
BACK: Final = (
    "When that player is back, type substitute back: if all agree, the hand is dealt again."
)
BACK_THERE: Final = "at that table + and f, or 'substitute back' in lines, gives a bot's seat back"
HOW: Final = "type substitute bot, or substitute friend; the others are asked."


def asks(writer: Writer, content: Continuation, bots: Collection[Seat]) -> str:
    """Return the sentence on another player's proposal to go on at a new table: who proposes,
    which seats are left out, and who takes them. `bots` are the seats that bots hold now for
    players who left.
    """
    founder, gone = writer.seat(Seat(content.founder)), _left_seats(writer, content)
    anew = "the hand is dealt again at a new table, the scores stay."
    # Nobody else is left out: the seat that changes hands is a bot's.
    if not content.bots and set(gone) <= {*bots}:
        bot = f"the seat of the bot in {writer.join_seats(gone)}"
        return f"{capital(founder)} wants to give {bot} to a friend: {anew}"
    whom = f"a bot of {founder}'s" if content.bots else f"a friend of {founder}'s"
    without = f"{capital(founder)} wants to go on without {writer.join_seats(gone)}"
    return f"{without}: {whom} sits down, {anew}"


def question(writer: Writer, waiting: Iterable[Seat]) -> str:
    """Return the question to a player who wants to go on without the seats waited for."""
    gone = writer.join_seats(tuple(waiting))
    return f"Go on without {gone}, if all agree? b seats a bot, f invites a friend, n goes back."


def question_back(writer: Writer, bots: Iterable[Seat]) -> str:
    """Return the question to a player who wants to give the seats of bots to friends."""
    named = writer.join_seats(tuple(bots))
    return f"A friend for the bot in {named}, if all agree? This hand is dealt again then. (f/n)"


#: The events about going on at another table.
GoingOn = ContinuationProposed | ContinuationRefused | ContinuationAgreed | ContinuationReady


def news_of(writer: Writer, event: GoingOn, session: TableView) -> str:
    """Return the sentence for an event about going on elsewhere."""
    match event:
        # A proposal is known by its founder's word; the same from another seat agrees to it.
        case ContinuationProposed(seat, content) if seat != content.founder:
            without = writer.join_seats(_left_seats(writer, content))
            return f"{capital(writer.seat(seat))} agrees to go on without {without}."
        case ContinuationProposed(_, content):
            # A spectator is asked nothing, and its view does not tell which bots hold seats.
            bots = session.substituted_seats() if isinstance(session, SeatView) else ()
            return asks(writer, content, bots)
        # A seat that would be left out says that it is there, and the proposal is void (attacks
        # GO9).
        case ContinuationRefused(seat, content) if seat not in seats_of(content):
            who = capital(writer.seat(seat))
            if isinstance(session, SeatView):
                # We are the seat that was left out.
                if went := session.gone_on_without_us():
                    return left_out_words(writer, went)
                # All had agreed before it came back.
                if session.going_on() is not None:
                    return f"{who} is back, and too late: {BACK_THERE}."
            return f"{who} is back: the hand goes on, and nothing comes of the proposal."
        case ContinuationRefused(seat):
            return f"{capital(writer.seat(seat))} does not want to go on at another table."
        case ContinuationAgreed(content):
            if content.bots:
                # A bot is started at once; a friend has to come.
                return "All agree: the match goes on at a new table once the bot sits there."
            founder = capital(writer.seat(Seat(content.founder)))
            return f"All agree: {founder} invites a friend, and the match goes on at a new table."
        case ContinuationReady():
            return "Here is the charter of the new table."


def missing_words(writer: Writer, seats: tuple[Seat, ...]) -> str:
    """Return a sentence naming the seats that have yet to agree to go on, after we have; "" for
    none.
    """
    return f"You agree to go on; {writer.join_seats(seats)} must, too." if seats else ""


def left_out_words(writer: Writer, content: Continuation) -> str:
    """Return a sentence for the player without whom the others go on: where they are, and how
    the player gets the seat back.
    """
    founder = writer.seat(Seat(content.founder))
    if content.bots:
        return (
            f"The others go on at a new table, where a bot of {founder}'s has your seat. To have it"
            f" back, ask them for a code: {BACK_THERE}. Then type 'p2p304 join' and the code."
        )
    return (
        f"The others go on at a new table, to which {founder} invites a friend in your place. While"
        f" the seat is free, ask {founder} for the code; then type 'p2p304 join' and the code."
    )


def _left_seats(writer: Writer, content: Continuation) -> tuple[Seat, ...]:
    """Return the seats that a proposal leaves out."""
    # All whom the proposal does not name as staying.
    there = seats_of(content)
    return tuple(Seat(seat) for seat in range(writer.seats) if seat not in there)


# In one place and with named values, so that every front end says the same.
SENTENCES: Final[Mapping[str, str]] = {
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


class TableNotice(NamedTuple):
    """A sentence about a table, and a shorter one for small screens, or ""."""

    text: str
    short: str = ""
    stops: bool = False  #: Whether play has stopped with it.

    @property
    def brief(self) -> str:
        """The short sentence, or the long one if there is none."""
        return self.short or self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrator:
    """The narrator of one table's events for one reader."""

    game: AnyGame
    writer: Writer
    called: Callable[[Seat], str]  #: The name of a seat for this reader, such as "South (Ana)".
    seat: Seat | None = None  #: The reader's own; None for a spectator.
    how_to_end: str = ""  #: How the reader agrees to an end, such as "Type end"; "" if it cannot.

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
                who = join_names(map(self.called, seats))
                return _say("owed" if owed else "waiting", who=who, since=since, what=owed)
            case ChatReceived(seat, text):
                # A stranger's words (attacks CL6).
                words = safe_text(text, ascii_only=self.writer.ascii_only)
                return _say("talk", who=self.called(seat), words=words)
            case WordsLeftOut(seat):
                return _say("words left out", who=capital(self.called(seat)))
            case EndProposed():
                return self._notice_proposal(event, {*agreed})
            case EndUndone():
                return _say("end undone")
            case HandUnfinished(_, present):
                # Without anybody present it was a referee, who needs no seat to agree.
                named = capital(join_names(map(self.called, present))) if present else ""
                return _say("unfinished" if present else "unfinished, ruled", who=named)
            case ChallengeMade(seat, content, text):
                return TableNotice(challenge_sentence(capital(self.called(seat)), content, text))
            case RulingHeard(ruling):
                return TableNotice(ruling_sentence(self.game, ruling.content, self.writer))
            case HandRuled(ruling, void):
                return TableNotice(ruled_sentence(ruling.content, void))
            case ClaimsOpen(claims):
                return self._notice_claims(claims)
            case JournalBehind():
                return TableNotice(BEHIND, BEHIND_IN_SHORT)
            # A suspicion halts play, too: it comes only where all seats conspire (attacks G8).
            case SeatSuspected(seat, reason):
                return _say("suspected", stops=True, who=self.called(seat), reason=reason)
            # A check of the second opinion failed with all cards open: our own defect (attacks
            # CL13).
            case SecondOpinionDiffered(_, _, statement):
                return _say("defect", what=statement)
            case SeatBlamed(seat, check):
                return _say("blamed", stops=True, who=capital(self.called(seat)), check=check)
            case RefereeBlamed():
                both = contradiction_words(self.game, event, self.writer)
                # The rulings themselves are too long for a small screen.
                short = SENTENCES["contradiction"].format(title=contradiction_title(event))
                return TableNotice(both, short, stops=True)
            case SessionStopped(reason):
                return _say("stopped", stops=True, reason=reason)
            case _:
                return None

    def _notice_claims(self, claims: Sequence[HeadClaim]) -> TableNotice:
        """Return the notice on seats that claim messages which nobody has sent: who, up to which
        hand and round, and how to sign anyway with `resume --vouch`. The short one, for two lines
        of a small screen, names the seats by place.
        """
        places = [self.writer.seat(each.seat) for each in claims]
        claim, asked = ("claims", "is") if len(places) == 1 else ("claim", "are")
        where = ", ".join(
            f"{Lane(claim.head.lane).name.lower()} {hand_label(claim.head.number)},"
            f" round {claim.head.closed}"
            for claim in claims
        )
        # In quotes: where places have no points of the compass, "seat 3" is one.
        options = " ".join(f"--vouch '{place.lower()}'" for place in places)
        # Ready to copy into a shell, and without quotes that are not needed.
        brief = " ".join(f"--vouch {shlex.quote(place.lower())}" for place in places)
        return TableNotice(
            f"{join_names(self.called(each.seat) for each in claims)} {claim} to have messages"
            f" ({where}) that nobody has sent, and {asked} asked for them. You sign nothing until"
            " they come, since some may be yours. If you know that none is, leave, and type: p2p304"
            f" resume {options}",
            f"{join_names(places)} {claim} to have messages of yours: you sign nothing until they"
            f" come. To sign anyway, leave, and type 'p2p304 resume {brief}'.",
        )

    def _notice_proposal(self, event: EndProposed, agreed: set[tuple[Seat, ...]]) -> TableNotice:
        """Return the notice that a seat agrees to end the hand; `agreed` are the ends that we
        agreed to.
        """
        there = {*event.present}
        absent = [seat for seat in map(Seat, range(self.writer.seats)) if seat not in there]
        who = capital(self.called(event.seat))
        if not absent:
            return _say("end, nobody gone", who=who)
        which = "agree" if self.how_to_end else "told"
        # In this order: left out, already agreed, can agree, can only read.
        if self.seat is not None and self.seat not in there:
            which = "without you"
        elif event.present in agreed:
            which = "as you do"
        gone = join_names(map(self.called, absent))
        return _say(f"end, {which}", who=who, gone=gone, how=self.how_to_end)


def _say(sentence: str, *, stops: bool = False, **values: object) -> TableNotice:
    """Return a notice: the sentence of this name with its values, and whether play `stops`."""
    return TableNotice(SENTENCES[sentence].format(**values), stops=stops)
