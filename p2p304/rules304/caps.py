"""The verdicts on caps (RULES 13.5 and 13.6)."""

from __future__ import annotations

from p2p304.rules304.choices import CapsModel
from p2p304.rules304.scoring import NO_CAPS, CapsVerdict
from p2p304.rules304.state import State


def caps_verdicts(state: State) -> tuple[CapsVerdict, CapsVerdict]:
    """The verdict on each team's caps in a hand that is over."""
    if state.profile.caps_model is CapsModel.OFF:
        return NO_CAPS
    return NO_CAPS
