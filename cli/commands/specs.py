"""`p2p304 specs`: prints where the specification, its test vectors and its examples are."""

from __future__ import annotations

import click

from cli.errors import ExitCode, UserError
from cli.input_files import SPECS

CONTENTS = (
    ("README.md", "which page fixes what; begin here"),
    ("guide", "guides; 'p2p304 help' shows them"),
    ("rules.md", "304: states, actions, what each proves, the score"),
    ("second-implementation.md", "in which order to build another program"),
    ("threats.md", "what is prevented, and what is not"),
    ("vectors", "test vectors; 'p2p304 conformance vectors CMD' asks them"),
    ("examples", "a saved hand and its story"),
)


@click.command("specs")
@click.option("--path", is_flag=True, help="Print the folder's path and nothing else.")
def command(path: bool) -> int:
    """Say where the specification is: it comes with the program, with test vectors and examples.

    \b
    Examples:
      p2p304 specs                         the folder, and what is in it
      less "$(p2p304 specs --path)/README.md"
      p2p304 specs --path                  for scripts
    """
    if not SPECS.is_dir():
        raise UserError("The specification is not there: install p2p304 again.")
    click.echo(str(SPECS))
    if not path:
        for name, about in CONTENTS:
            click.echo(f"  {name:<26} {about}")
    return ExitCode.DONE
