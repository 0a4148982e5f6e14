"""Command groups that import a command's module only when the command is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import click

from cli.children import imported
from cli.errors import OutputClosed, UserError


class Home(NamedTuple):
    """Where a command lives, and what the list of commands says about it."""

    module: str
    """The module, which holds the click command."""
    summary: str
    """Empty for a command that is not listed."""
    name: str = "command"
    """What the module calls it."""


def unknown(what: str, said: str, names: Iterable[str]) -> str:
    """Return that there is no command, or option, called so, and the nearest of `names`."""
    near = get_close_matches(said, names, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no {what} {said!r}{meant}"


class LazyGroup(click.Group):
    """A group whose list of commands is a table, in the table's order."""

    def __init__(
        self,
        *args: Any,
        homes: Mapping[str, Home],
        gone: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Set up a group with these commands; `gone` has a sentence for each that is no more."""
        super().__init__(*args, **options)
        self.homes = homes
        self._gone = gone or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click names it
        """Return the names of the commands that are listed, in the order of the table."""
        return [name for name, home in self.homes.items() if home.summary]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click names it
        cmd_name: str,
    ) -> click.Command | None:
        """Return the command of this name, imported now; None when there is none."""
        home = self.homes.get(cmd_name)
        if home is None:
            return None
        command = getattr(imported(home.module), home.name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{home.module}.{home.name} is no click command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does; raises UsageError for an unknown command, with the nearest name.

        "help" before a command, or alone, is what --help is behind it.
        """
        if args[0] == "help" and "help" not in self.homes:
            args = [*args[1:], "--help"]
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        if args[0] in self._gone:
            raise UserError(self._gone[args[0]])
        if args[0] not in self.homes and not args[0].startswith("-"):
            known = ("help", *self.list_commands(ctx))
            raise click.UsageError(unknown("command", args[0], known), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke as click does, and raise OutputClosed when a reader leaves.

        Click would exit with 1, a verdict's code.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise OutputClosed from error

    def format_commands(
        self,
        ctx: click.Context,
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.homes[name].summary) for name in self.list_commands(ctx)]
            )
