"""What a referee ruled, and who called one, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from cli.front.writing import Writer
from cli.hand_labels import hand_label
from cli.sanitize import safe_text
from p2p304.game import AnyGame
from p2p304.games import telling_of
from protocol.wire.contents import Challenge, Ruling, RulingVerdict

_VERDICTS = {
    RulingVerdict.NO_ACTION: "no action; the hand goes on",
    RulingVerdict.REDEAL: "a redeal; the hand is void, and the same dealer deals again",
    RulingVerdict.PENALTY: "a penalty of three tokens against {sides}",
    RulingVerdict.END: "the hand ends here, and nothing more is played at this table",
    RulingVerdict.DISQUALIFIED: "{sides} are disqualified, and have lost the match",
    RulingVerdict.WALK_OVER: "a walk-over: {sides} did not come, and have lost the match",
}


def ruling_sentence(
    game: AnyGame, ruling: Ruling, writer: Writer, names: Sequence[str] = ()
) -> str:
    """Return what was ruled of which point, and the referee's own words, made safe to print.

    `ruling` was heard with a good signature; bits of sides that the game has not are left out.
    The sides are called by `names`, where they have any that are safe to print.
    """
    named = names or [*map(writer.sentence, telling_of(game).sides())]
    against = [side for place, side in enumerate(named) if ruling.against >> place & 1]
    said = _VERDICTS[RulingVerdict(ruling.verdict)].format(sides=" and ".join(against) or "nobody")
    where = f"hand {hand_label(ruling.hand)}, round {ruling.closed}"
    words = f' The referee says: "{safe_text(ruling.text)}"' if ruling.text else ""
    return f"The referee ruled on {where}: {said}.{words}"


def challenge_sentence(name: str, challenge: Challenge, text: str | None) -> str:
    """Return that a seat of this name called the referee, and what it said where that is known."""
    where = f"hand {hand_label(challenge.hand)}, round {challenge.closed}"
    said = f"{name} challenges before the referee ({where})"
    return f"{said}." if text is None else f'{said}: "{safe_text(text)}"'


def ruled_sentence(ruling: Ruling, void: tuple[int, ...]) -> str:
    """Return that a hand ended by a ruling, and which later hands do not count."""
    ended = f"Hand {hand_label(ruling.hand)} has ended as the referee ruled"
    if not void:
        return f"{ended}; what was played behind that point is void."
    return f"{ended}; {len(void)} later hand{'s' if len(void) > 1 else ''} and all behind are void."
