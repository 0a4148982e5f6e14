"""Sentences about rulings of a referee and challenges (specs 5.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cli.front.writing import Writer
from cli.sanitize import safe_text
from cli.wording import hand_label
from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.sentences import count_words
from protocol.table.events import RefereeBlamed
from protocol.wire.charter import Charter
from protocol.wire.contents import Challenge, Ruling, RulingVerdict

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
    said = _VERDICTS[RulingVerdict(ruling.verdict)].format(sides=" and ".join(against) or "nobody")
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
    """Return both contradicting rulings in words, by the referees' places in the charter."""
    return " ".join(
        # Counted from 1, as in the title.
        ruling_sentence(game, each.content, writer, who=f"Referee {each.referee + 1}")
        for each in blame.rulings
    )


def contradiction_sentences(
    game: AnyGame, charter: Charter, blame: RefereeBlamed, writer: Writer
) -> str:
    """Return both contradicting rulings, that the table has stopped, and what its players can
    do.
    """
    said = f"{contradiction_title(blame)} {contradiction_words(game, blame, writer)}"
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
