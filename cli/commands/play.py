"""`p2p304 play`: a table with bots on this machine, with nothing to configure."""

from __future__ import annotations

import click

from cli.commands.display import Screen, screen_options
from cli.commands.opponents import Opponents, opponents_options
from cli.commands.options import PlayWishes, gather_options


@click.command("play")
@gather_options("wishes", PlayWishes)
@opponents_options
@screen_options
def command(wishes: PlayWishes, screen: Screen, opponents: Opponents) -> int:
    """Play with bots on this machine: nothing to configure, hints on h, rules on ?.

    Every card is masked and every move proved, as among people. The bots sit in this process, and
    each is shown what its own seat may know and nothing else: they cannot look at your cards, nor
    you at theirs. The key i makes a code for a friend on this machine, who takes the place of a
    bot, and an invite to watch.

    \b
    Examples:
      p2p304 play                         a match by the rules of pagat
      p2p304 play --hands 1               one hand
      p2p304 play --profile championship  other rules; 'p2p304 rules' lists them
      p2p304 play --game 400              another game
      p2p304 play --level beginner        bots that are easier to beat
      p2p304 play --level master --level club --think 1   better opponents, slower
      p2p304 play --set 'tokens_start = 3'  a short match
      p2p304 play --plain                 text, for screen readers and pipes
    """
    agreed = wishes.agreement
    # Imported only now: a wrong option needs none of these modules.
    from cli.commands.seating import run_command
    from cli.commands.table_series import play_with_bots  # what is wrong above is told first

    return run_command(play_with_bots(wishes, agreed, screen, opponents))
