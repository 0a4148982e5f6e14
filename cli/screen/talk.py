"""When people at a table may write to each other: where it was agreed, and never during a hand."""

from __future__ import annotations

from typing import Any, Final

from p2p304.telling import AnyTelling

LONGEST: Final = 200
"""Characters of one message that a person writes."""

NOT_AGREED: Final = "Talk was not agreed at this table: 'p2p304 host --chat' makes one where it is."
MUTE: Final = "You said --mute: you neither write to the others nor read them."
NOT_NOW: Final = "No talk during a hand (rule 16, talk and violations)."


def why_no_talk(telling: AnyTelling, state: Any | None, *, mute: bool) -> str | None:
    """Return the sentence that refuses talk at this moment; None where it is allowed."""
    if not telling.talk_agreed:
        return NOT_AGREED
    if mute:
        return MUTE
    return None if state is None or telling.between_hands(state) else NOT_NOW
