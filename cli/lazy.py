"""Command groups that import a command's module only when the command is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import click

from cli.children import import_uncollected
from cli.errors import OutputClosed


class Home(NamedTuple):
    """The module that holds a command, and its line in the list of commands."""

    module: str  #: The module, which holds the click command.
    summary: str  #: Empty for a command that is not listed.
    name: str = "command"  #: What the module calls it.


def unknown(what: str, said: str, names: Iterable[str]) -> str:
    """Return a clause that there is no `what`, such as "command" or "option", called `said`; it
    asks whether the name in `names` that is most like it was meant, if one is like it.
    """
    near = get_close_matches(said, names, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no {what} {said!r}{meant}"


class LazyGroup(click.Group):
    """A click group that imports a command's module when the command is called.

    The list of commands is a table, and is shown in the table's order.
    """

    def __init__(
        self,
        *args: Any,
        homes: Mapping[str, Home],
        **options: Any,
    ) -> None:
        """Set up a group with the commands of `homes`, none of which is imported yet; other
        arguments are click's.
        """
        # click's own table stays empty: names come from `homes`.
        super().__init__(*args, **options)
        self.homes = homes

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click names it
        """Return the names of the commands that have a summary, in the order of `homes`; the
        others can be called, but are not listed.
        """
        # Commands without a summary can be called, but are not shown.
        return [name for name, home in self.homes.items() if home.summary]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click names it
        cmd_name: str,
    ) -> click.Command | None:
        """Return the command of this name, whose module is imported now; None if `homes` has no
        such name.
        """
        home = self.homes.get(cmd_name)
        # click then says that there is no such command.
        if home is None:
            return None
        # Only here is the command's module read: a start costs what its command needs, and no
        # search for garbage in code that stays.
        command: click.Command = getattr(import_uncollected(home.module), home.name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return what click finds in `args`: the command's name, the command, and its arguments.

        Unless the group has a command `help`, `help COMMAND` is read as `COMMAND --help`, and
        `help` alone prints the group's help and exits. Raises UsageError, with the nearest name,
        for an unknown command.
        """
        # `p2p304 tournament help new` is what people type who know other programs.
        if args[0] == "help" and "help" not in self.homes:
            args = [*args[1:], "--help"]
            # Nothing stood behind it: the help of the group itself.
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        # An unknown option is click's to name, which knows them.
        if args[0] not in self.homes and not args[0].startswith("-"):
            raise click.UsageError(unknown("command", args[0], self.list_commands(ctx)), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke the command like click, but raise OutputClosed when the reader of the output
        leaves.

        Click would exit with 1, which is our exit code of a failed check.
        """
        try:
            return super().invoke(ctx)
        # click would exit with 1, which is the code of a failed check.
        except BrokenPipeError as error:
            raise OutputClosed from error

    def format_commands(
        self,
        ctx: click.Context,
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the list of commands, each with its summary, into a help; imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, self.homes[name].summary) for name in self.list_commands(ctx)]
            )
