"""`p2p304 specs`: prints where the specification is."""

from __future__ import annotations

import click

from cli.errors import UserError
from cli.input_files import SPECS


@click.command("specs")
def command() -> None:
    """Print the folder of the specification, which comes with the program.

    It holds README.md, which says what each page fixes; test vectors, examples, and the guides that
    'p2p304 help' shows.

    \b
    Examples:
      p2p304 specs
      less "$(p2p304 specs)/README.md"
    """
    if not SPECS.is_dir():
        raise UserError("The specification is not there: install p2p304 again.")
    click.echo(str(SPECS))
