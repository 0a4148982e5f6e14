"""`p2p304 help`: shows the guides as text in a terminal, one for each kind of reader."""

from __future__ import annotations

from typing import Final

import click

from cli.errors import ExitCode, UserError
from cli.input_files import SPECS

#: The topics, each the name of a page below `specs/guide`, and what it is about.
GUIDES: Final = {
    "player": "learn, join, resume, end or fill a table that lost a player",
    "host": "make tables; brokers, the local network, clusters",
    "organiser": "run a tournament, or referee it",
    "auditor": "check and read hands, without trusting anyone",
    "implementer": "write another program; use the rules from Python",
    "game-maker": "add a game",
}


@click.command("help")
@click.argument("words", nargs=-1, metavar="[TOPIC | COMMAND]")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> int:
    """Show a guide, or the help of a command; without a name, list the guides.

    A guide is shown by the pager in a terminal. Nothing is fetched: the guides come with the
    program.

    \b
    Examples:
      p2p304 help                the guides
      p2p304 help player         how to learn, join, resume and end a table
      p2p304 help host           brokers, the local network, clusters
      p2p304 help audit          the same as 'p2p304 audit --help'
    """
    if not words:
        click.echo("Guides, each shown by 'p2p304 help TOPIC':\n")
        for name, about in GUIDES.items():
            click.echo(f"  {name:<12} {about}")
        click.echo("\nCommands: 'p2p304 --help' lists them, 'p2p304 COMMAND --help' explains one.")
    elif len(words) == 1 and words[0] in GUIDES:
        _show(words[0])
    else:
        program = ctx.find_root().command
        # click would exit the process; so errors and exit codes stay with `cli.main`.
        program.main([*words, "--help"], prog_name="p2p304", standalone_mode=False)
    return ExitCode.DONE


def _show(topic: str) -> None:
    """Print the guide on a topic, through a pager if the output is a terminal. Raises UserError
    if the guide is not there.
    """
    try:
        page = (SPECS / "guide" / f"{topic}.md").read_text("utf-8")
    # A package without its data, or a page that somebody removed.
    except OSError as error:
        raise UserError("The guides are not there: install p2p304 again.") from error
    # Marks of the parts that are generated from the code are for their generator.
    lines = [line for line in page.splitlines() if not line.startswith("<!--")]
    # click's pager is none where the output is no terminal.
    click.echo_via_pager("\n".join(lines))
