"""The one small hierarchy of errors of the rules."""

from __future__ import annotations


class GameError(Exception):
    """Anything that the rules library refuses. Nothing has changed when it is raised."""


class BrokenRuleError(GameError):
    """Raised for what a rule forbids. `rule` names its section; the message is one sentence with
    what is forbidden and why.
    """

    book = "rule"  #: What the section is one of, as the message says it.

    def __init__(self, rule: str, message: str) -> None:
        """Keep `rule`, the section that is broken; `message` says what it forbids and why."""
        super().__init__(message)
        self.rule = rule

    def __str__(self) -> str:
        """Return the message with its section: "... (rule 9.2)"."""
        return f"{self.args[0]} ({self.book} {self.rule})"


class RulesError(BrokenRuleError):
    """Raised for an action that the rules forbid, for settling a hand that is not over, and for a
    further hand of a match that was won. `rule` is such as "5.2" or "9.3".
    """


class ProfileError(GameError):
    """Raised for a game, profile, house rule or parameter that does not exist, for a value that a
    parameter cannot have, and for parts of an agreement that contradict each other.

    `names` are the parts of the agreement's text that caused it, as far as that is known.
    """

    def __init__(self, message: str, *names: str) -> None:
        """Keep `names`, the parts of the agreement's text that are wrong; `message` says what is
        wrong with them.
        """
        super().__init__(message)
        self.names = names


class TournamentError(BrokenRuleError):
    """Raised for a step, entry or setting that the rules of tournaments forbid. `rule` names the
    section of specs/tournament.md.
    """

    book = "tournament"


class NotationError(GameError):
    """Raised for text that is no card, action, hand or match.

    `position` is the 0-based place in the text of what is wrong.
    """

    def __init__(self, message: str, position: int = 0) -> None:
        """Keep `position`, the 0-based place of what is wrong in the text; `message` says what
        is wrong there.
        """
        super().__init__(message)
        self.position = position

    def __str__(self) -> str:
        """Return the message with the place of the fault, counted from 1: "... (at character
        5)".
        """
        return f"{self.args[0]} (at character {self.position + 1})"
