"""The first hand of somebody who has never seen 304: auction, indicator, a cut face down, caps.

South is dealt all high hearts, and no diamond: it cuts a diamond with its indicator, which opens
trump, and then its cards are certain to win every trick that is left.
"""

from __future__ import annotations

from typing import Final

from p2p304.entry import FirstHand, Lesson, TaughtMove
from p2p304.seats import Seat

SOUTH, EAST, NORTH, WEST = map(Seat, range(4))

_FIRST: Final = ("JH 9H AH JC", "TC 8C 9S QH", "JS 7S QC 8H", "KC 8S JD KH")
#: What South, East, North and West get at first, and then.
_SECOND: Final = ("TH 9C AC KS", "7C TS QS 7H", "9D AD KD 7D", "AS TD QD 8D")

_BID: Final = Lesson(
    "1 of 9: bid",
    (
        "Enter turns the page of a lesson, h brings it back. Four players, two teams: North, across"
        " the table, is your partner. Everything goes round to the right: South, East, North,"
        " West.",
        "In every suit the jack is highest: J 30, 9 20, A 11, 10 10, K 3, Q 2, 8 and 7 nothing."
        " A suit is worth 76 points, the pack 304.",
        "With four cards you bid how many points your team will take. Who bids most chooses trump."
        " You have J 9 A of hearts: 61 points, and they win tricks. Bid the least, 160: type 160"
        " and Enter.",
    ),
    "It could be bid, but here 160 is enough: nobody else has such cards. Type 160 and Enter.",
)
_LAY: Final = Lesson(
    "2 of 9: choose trump",
    (
        "Nobody bid more: you are the maker. You lay one card face down. Its suit is trump, and"
        " nobody else knows it until it is shown.",
        "Such a card is called the indicator. It lies there and is not in your hand, so keep J and"
        " 9 to lead them. Lay the ace of hearts: choose it with the arrows and Enter, or type ah.",
    ),
    "Trump shall be hearts, of which you have most, and J and 9 are wanted in your hand: lay the"
    " ace of hearts.",
)
_EIGHT: Final = Lesson(
    "3 of 9: eight cards",
    (
        "Everybody has eight cards now, and may bid once more, from 250 upwards. That is rare."
        " Pass: press p.",
    ),
    "With eight cards only 250 or more can be bid, and your 160 stands without it. Press p.",
)
_CLOSED: Final = Lesson(
    "4 of 9: keep trump hidden",
    (
        "You may show the indicator now, or keep trump hidden. While it is hidden, who cannot"
        " follow a suit plays a card face down, and you alone look at it.",
        "You have no diamond: when diamonds are led you can cut with the indicator, face down."
        " Keep it hidden: press k.",
    ),
    "In this hand trump stays hidden, so that you see how it is cut face down. Press k.",
)
_WINDOW: Final = Lesson(
    "5 of 9: a window",
    (
        "Between two tricks everybody may claim something: that is a window. You have nothing to"
        " claim yet. Enter goes on.",
    ),
    "There is nothing to claim yet. Press Enter.",
)
_LEAD: Final = Lesson(
    "6 of 9: lead",
    (
        "You lead to the first trick. Whoever has the suit must follow it; the highest card of it"
        " wins, unless somebody cuts with a trump.",
        "With hidden trump the maker does not lead it first. The jack of clubs is the highest club:"
        " type jc.",
    ),
    "The jack of clubs wins for certain, unless somebody has no club: lead it.",
)
# Without a number: it comes after two tricks.
_GO_ON: Final = Lesson(
    "A trick won",
    ("Your team took the trick, and its points. Nothing to claim yet: Enter goes on.",),
    "There is nothing to claim yet. Press Enter.",
)
_PARTNER: Final = Lesson(
    "7 of 9: to your partner",
    (
        "Who wins a trick leads to the next. You have one spade: play it now, and hope that your"
        " partner wins. Then your partner leads to you. Type ks.",
    ),
    "That would be good cards too early: give your partner the lead with the king of spades.",
)
_CUT: Final = Lesson(
    "8 of 9: cut, face down",
    (
        "Diamonds were led, and West's jack is winning. You have none: you play a card face down."
        " Another card of your hand would only be thrown away.",
        "Only the indicator cuts while trump is hidden: play the ace of hearts from the table."
        " Type ah.",
    ),
    "That card would be lost, and the trick with it. The indicator cuts: type ah.",
)
# Without a number or words for another choice: the rules leave none.
_INSPECT: Final = Lesson(
    "Looking at the face-down cards",
    (
        "The trick is full, and you, the maker, look at what lies face down: your ace, and a heart"
        " of East's, who tried to cut as well.",
        "There is a trump among them: the cut is shown to all, and trump is open from now on."
        " Enter does it.",
    ),
)
_CAPS: Final = Lesson(
    "9 of 9: caps",
    (
        "Your team has won every trick. Now count: you have J 9 10 of hearts, and only K Q 8 of"
        " hearts are out. Three leads draw them all. Then your 9 and A of clubs are the highest"
        " clubs.",
        "So you are certain to win every trick, whatever anybody holds. Who is certain must say so"
        " at once: that is to call caps. In time it pays a token more; forgotten, it costs tokens."
        " The screen warns you, as at every table where hints are allowed.",
        "Press c. Enter takes card after card in the order that is certain; then y.",
    ),
    "Going on without a call would be Wrong Caps, although you win everything. Press c.",
)
_END: Final = Lesson(
    "Your first hand is over",
    (
        "East and West believed you: they conceded the rest. You bid 160 and made 304, and your"
        " caps were right and in time.",
        "At a table ? tells the rules of the moment, h gives a hint with its reason where only"
        " bots play, l shows the last trick, F1 all keys.",
        "Play a whole match now: p2p304 play. With friends: p2p304 host.",
    ),
)


def _others(*typed: str, first: Seat) -> tuple[TaughtMove, ...]:
    """Return moves without a lesson: the seat `first` makes the first of `typed`, the seat to
    its right the next, and so on round the table.
    """
    return tuple(TaughtMove(Seat((first + step) % 4), word) for step, word in enumerate(typed))


FIRST_HAND: Final = FirstHand(
    parameters="pagat",
    dealer=WEST,
    learner=SOUTH,
    deck=" ".join((*_FIRST, *_SECOND)),
    moves=(
        TaughtMove(NORTH, "cut 0"),
        TaughtMove(SOUTH, "160", _BID),
        # What the other seats do is fixed, too: the lesson tells of cards that must fall so.
        *_others("p", "p", "p", first=EAST),
        TaughtMove(SOUTH, "ah", _LAY),
        TaughtMove(SOUTH, "p", _EIGHT),
        *_others("p", "p", "p", first=EAST),
        TaughtMove(SOUTH, "k", _CLOSED),
        # "" is the Enter key, which goes on.
        TaughtMove(SOUTH, "", _WINDOW),
        *_others("", "", "", first=EAST),
        TaughtMove(SOUTH, "jc", _LEAD),
        *_others("7c", "qc", "kc", first=EAST),
        TaughtMove(SOUTH, "", _GO_ON),
        *_others("", "", "", first=EAST),
        TaughtMove(SOUTH, "ks", _PARTNER),
        *_others("9s", "js", "8s", first=EAST),
        TaughtMove(SOUTH, "", _GO_ON),
        *_others("", "", "", first=EAST),
        *_others("9d", "jd", first=NORTH),
        TaughtMove(SOUTH, "ah", _CUT),
        TaughtMove(EAST, "7h"),
        TaughtMove(SOUTH, "", _INSPECT),
        TaughtMove(SOUTH, "caps", _CAPS, order="jh 9h th 9c ac"),
        *_others("", "", "", first=EAST),
        TaughtMove(EAST, "accept"),
        TaughtMove(WEST, "accept"),
    ),
    end=_END,
)
