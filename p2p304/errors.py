"""The one small hierarchy of errors of the rules."""

from __future__ import annotations


class GameError(Exception):
    """Anything that the rules library refuses. Nothing has changed when it is raised."""


class RulesError(GameError):
    """The rules forbid this action.

    `rule` names the section of the rules (such as "5.2" or "9.3") that forbids it; the message
    is one sentence that says what is forbidden and why.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.args[0]} (rule {self.rule})"


class ProfileError(GameError):
    """A profile or a house rule that does not exist, or that contradicts another one.

    `names` are what it is about, as far as that is known: an agreement's own words.
    """

    def __init__(self, message: str, *names: str) -> None:
        super().__init__(message)
        self.names = names


class TournamentError(GameError):
    """The rules of tournaments forbid this step, entry or setting.

    `rule` names the section of specs/tournament.md that forbids it, `match` the number of the match
    that it is about, where there is one.
    """

    def __init__(self, rule: str, message: str, *, match: int | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.match = match

    def __str__(self) -> str:
        return f"{self.args[0]} (tournament {self.rule})"


class NotationError(GameError):
    """Text that is no card, action, hand, match or tournament.

    `position` is the 0-based place in the text of what is wrong.
    """

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position

    def __str__(self) -> str:
        return f"{self.args[0]} (at character {self.position + 1})"
