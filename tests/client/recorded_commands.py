"""What a player wants at its table beside its turn, written down instead of done."""

from __future__ import annotations

from cli.front.player_commands import PlayerCommand
from protocol.topics.commands import Say


class RecordedCommands(list[PlayerCommand]):
    """All that was wanted, in its order."""

    async def do(self, wanted: PlayerCommand) -> None:
        """Write it down."""
        self.append(wanted)

    @property
    def words(self) -> list[str]:
        """What was said to the table."""
        return [each.text for each in self if isinstance(each, Say)]
