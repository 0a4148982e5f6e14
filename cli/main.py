"""The `p2p304` program: its commands, and the one place that turns errors into exit codes."""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from typing import Final

import click

from cli.errors import ExitCode, OutputClosed, verdict_on
from cli.lazy import Home, LazyGroup, unknown
from protocol.errors import InternalFault

# Two groups of commands live in one module.
_GROUPS: Final = "cli.commands.groups"
# In the order of the list in the help; with the summaries here, that list imports no command.
COMMANDS: Final = {
    "learn": Home("cli.commands.learn", "Learn 304: a first hand, each choice explained."),
    "play": Home("cli.commands.play", "Play with bots, here and now."),
    "host": Home("cli.commands.host", "Make a table for friends, and play."),
    "join": Home("cli.commands.join", "Join a table by its code, and play."),
    "resume": Home("cli.commands.resume", "Go on with an unfinished table."),
    "demo": Home("cli.commands.demo", "Watch a hand being played."),
    "watch": Home("cli.commands.watch", "Watch a table, and check every message."),
    "tables": Home("cli.commands.tables", "List the tables on this machine."),
    "settings": Home("cli.commands.settings", "Show or change your settings, for every table."),
    "identity": Home("cli.commands.identity", "Show who you are, and whom you know."),
    "replay": Home("cli.commands.replay", "Step through a saved hand."),
    "review": Home("cli.commands.review", "List the decisions of a hand that cost most."),
    "rules": Home("cli.commands.rules", "Show the rules of a profile, or compare two."),
    "audit": Home("cli.commands.audit", "Check saved hands, or evidence, without trusting anyone."),
    "page": Home("cli.commands.page", "Write saved hands as a page that any browser verifies."),
    "tournament": Home(_GROUPS, "Tournaments that nobody has to trust.", "tournament"),
    "stats": Home("cli.commands.stats", "Count signed hands: bids, caps, partners."),
    "bot": Home("cli.commands.bot", "Have a bot take a seat."),
    "broker": Home("cli.commands.broker", "Run a broker on this machine, or check another one."),
    "help": Home("cli.commands.help", "Show a guide: for players, hosts, organisers, auditors."),
    "specs": Home("cli.commands.specs", "Say where the specification is."),
    "conformance": Home(_GROUPS, "Try another program against the protocol.", "conformance"),
}
# For whoever starts the program for the first time.
_FIRST: Final = ("learn", "play", "host", "join")
# At the end of the list: players need none of them.
_FOR_DEVELOPERS: Final = ("bot", "broker", "specs", "conformance")

# click speaks of types and intervals; these are the sentences that players meet.
#: What click says, and what it means.
_PLAIN_ENGLISH: Final = (
    (r"is not a valid integer( range)?", "is not a whole number"),
    (r"is not a valid float( range)?", "is not a number"),
    (r"is not in the range x>=(\S+)", r"is less than \1"),
    (r"is not in the range x<=(\S+)", r"is more than \1"),
    (r"is not in the range (\S+)<=x<=(\S+)", r"is not from \1 to \2"),
    (r"Got unexpected extra argument", "unexpected extra argument"),
)
#: What an internal fault means to whoever plays.
_NOBODY: Final = (
    # An internal fault: our own check failed, so nothing convicts a seat (attacks CL13).
    "the program found a mistake in its own work ({}): nobody at the table is accused, and nothing"
    " was signed or lost; 'p2p304 resume' tries once more"
)
#: The module that writes a log, looked up in `sys.modules`: without `--log` it is not imported.
_LOG: Final = "cli.logfile"
# U+2011: textwrap breaks at "-", and would cut an option's name in two.
_UNBROKEN: Final = "\u2011"  #: The hyphen at which no line is broken.
_STDIN, _STDERR = 0, 2  #: The descriptors of two streams, as POSIX has them.
# A choice, a dozen lines: click's errors may list every choice there is.
MOST_CELLS: Final = 1000  #: How long the sentence of an error may be, in cells of the terminal.


class Program(LazyGroup):
    """The command group of `p2p304`: an introduction, the commands, and apart those for
    developers.
    """

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands into a help, in three sections: to begin with, other
        commands, and those for developers; imports none of them.
        """
        listed = self.list_commands(ctx)
        others = [name for name in listed if name not in (*_FIRST, *_FOR_DEVELOPERS)]
        for title, prefix, names in (
            ("To begin, type", "p2p304 ", _FIRST),
            ("Commands", "", others),
            ("For developers", "", _FOR_DEVELOPERS),
        ):
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{prefix}{name}", self.homes[name].summary) for name in names]
                )

    def first_page(self, ctx: click.Context) -> str:
        """Return the text of `p2p304` without arguments, which fits one screen of 80 by 24."""
        listed = HelpFormatter()
        self.format_commands(ctx, listed)
        # Three sections, with an empty line between: the third is told in one line, for room.
        begin, commands, _ = listed.getvalue().strip("\n").split("\n\n")
        title = str(self.help).partition("\n")[0]
        apart = f"For developers: {', '.join(_FOR_DEVELOPERS)}. Of any: p2p304 COMMAND --help."
        return f"{title}\n{begin}\n\n{commands}\n{apart}"


class HelpFormatter(click.HelpFormatter):
    """Breaks the lines of a help between words, and no word at its hyphens."""

    def write_text(self, text: str) -> None:
        """Write a paragraph, with no line broken at a hyphen."""
        # Replaced before click wraps, and put back in `getvalue`.
        super().write_text(text.replace("-", _UNBROKEN))

    def write_dl(
        self,
        rows: Iterable[tuple[str, str]],
        # These two defaults are click's.
        col_max: int = 30,
        col_spacing: int = 2,
    ) -> None:
        """Write a list of names and their meanings, with no meaning broken at a hyphen.

        `col_max` and `col_spacing` are the most cells of the names and the cells behind them, as
        for click.
        """
        kept = [(name, meaning.replace("-", _UNBROKEN)) for name, meaning in rows]
        super().write_dl(kept, col_max, col_spacing)

    def getvalue(self) -> str:
        """Return all of the help that was written so far, with usual hyphens again."""
        return super().getvalue().replace(_UNBROKEN, "-")


# For all commands: click makes each context's formatter of this class.
click.Context.formatter_class = HelpFormatter


@click.group(
    "p2p304",
    cls=Program,
    homes=COMMANDS,
    # 100 columns are a choice: click's 80 would break more sentences on wide terminals.
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="p2p304", message="p2p304 %(version)s")
@click.option(
    "--log",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    # A process that we start finds the log by the environment alone.
    # Written out, and not `cli.logfile.VARIABLE`: without `--log` that module is not imported.
    envvar="P2P304_LOG",
    help="Write a log for a bug report into FILE; it holds no secret.",
)
@click.pass_context
def program(context: click.Context, log: str | None) -> None:
    """304, the card game of Sri Lanka, among people who do not trust each other.

    \b
    Examples:
      p2p304 play                      play with bots
      p2p304 host --lan                a table for friends in the house
      p2p304 rules pagat wikipedia     where two profiles differ
      p2p304 audit hand.p304           check a saved hand, trusting nobody
      p2p304 help                      guides, from the first hand to a tournament
      p2p304 COMMAND --help            more about a command, with examples
      p2p304 --log FILE host --lan     write a log for a bug report

    \b
    Exit codes:
      0  done                        2    wrong usage, unreadable or unreachable
      1  a check failed              130  interrupted with Ctrl-C
      70 a defect of p2p304 itself   141  the reader of the output has gone

    \b
    Completion of commands and options with the Tab key:
      bash   echo 'eval "$(_P2P304_COMPLETE=bash_source p2p304)"' >> ~/.bashrc
      zsh    echo 'eval "$(_P2P304_COMPLETE=zsh_source p2p304)"' >> ~/.zshrc
      fish   echo '_P2P304_COMPLETE=fish_source p2p304 | source' \\
               > ~/.config/fish/completions/p2p304.fish
    """
    # A line that is only completed begins no log.
    if log is not None and not context.resilient_parsing:
        from pathlib import Path

        from cli.logfile import begin

        # Without the command's arguments: an invite may be among them.
        begin(Path(log), f"p2p304 {context.invoked_subcommand}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments` (by default those of the process) and return the exit code.

    Everything that a command raises ends here, as one sentence on the error stream; a defect of
    ours with its traceback.
    """
    code = _run(arguments)
    # Asked of `sys.modules`: whoever writes no log does not import it.
    if (log := sys.modules.get(_LOG)) is not None:
        log.ended(code)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command that `arguments` name, and return the exit code; print the sentence of an
    error that ends it.
    """
    if not _streams_are_open():
        return ExitCode.OUTPUT_CLOSED
    for stream in (sys.stdout, sys.stderr):
        # Another stream in its place, such as a StringIO, may have no encoding to set.
        if isinstance(stream, io.TextIOWrapper):  # a name that it cannot write is no defect
            stream.reconfigure(errors="replace")
    try:
        # Not standalone: click would print the errors, and exit, itself.
        result = program.main(arguments, prog_name="p2p304", standalone_mode=False)
        # Here, so that a closed pipe is met by the handler below and not at the interpreter's end.
        sys.stdout.flush()
    # Abort: Ctrl-C, or the end of the input at a question of click's.
    except click.Abort as stop:
        return _ended_early(stop)
    # The command line was wrong: a sentence, and the exit code of wrong usage.
    except click.ClickException as error:
        # A group without a command, which click makes an error since 8.2.
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            click.echo(_first_page_of(error), err=True)
        else:
            click.echo(_usage(error), err=True)
        return ExitCode.UNUSABLE
    # The reader went: no defect, and nothing is left to tell it.
    except (BrokenPipeError, OutputClosed):
        # What is still buffered would raise once more when the interpreter flushes it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OUTPUT_CLOSED
    except Exception as error:  # noqa: BLE001 - the last stop: every error becomes a sentence here
        return _fail(error)
    # A command may return nothing; click passes on what it returns.
    return result if isinstance(result, int) else ExitCode.DONE


def _first_page_of(error: click.exceptions.NoArgsIsHelpError) -> str:
    """Return what is printed for a group that was called without a command: the first page of
    the program, or the help of another group.
    """
    context = error.ctx
    # click raises this error only within a context.
    assert context is not None
    command = context.command
    return command.first_page(context) if isinstance(command, Program) else context.get_help()


def _usage(error: click.ClickException) -> str:
    """Return a line for a wrong command line: what is wrong, with the nearest option if one is
    unknown, and which `--help` lists what is right.
    """
    said = error.format_message().strip().rstrip(".").replace("\n", " ")
    # In our own words, with the nearest name.
    if isinstance(error, click.NoSuchOption):
        said = unknown("option", error.option_name, error.possibilities or ())
    for clumsy, plain in _PLAIN_ENGLISH:
        said = re.sub(clumsy, plain, said)
    # It follows "p2p304: ", so it begins small.
    said = said[:1].lower() + said[1:]
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context is not None else "p2p304"
    # `cli.lazy.unknown` begins so for a command, for which click has no error of its own.
    listed = "commands" if said.startswith("there is no command") else "options"
    # "...; did you mean '--seed'?" needs no end.
    end = "" if said.endswith("?") else ";"
    return _complaint(f"{said}{end} '{command} --help' lists the {listed}")


def _complaint(sentence: str) -> str:
    """Return the line that is printed for an error: "p2p304: ", then its sentence, cut and made
    safe for a terminal.
    """
    from cli.sanitize import safe_text  # only who fails pays for its tables

    return f"p2p304: {safe_text(sentence, cells=MOST_CELLS)}"


def _streams_are_open() -> bool:
    """Return whether there is a standard output; say so on the error stream if there is none.

    A standard input or error stream that is closed is replaced by the null device, so that no file
    opened later takes its descriptor.
    """
    # Python sets a stream to None if its descriptor was closed by who started us (`<&-`).
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return True
    # The lowest free number is given: the last one opened is beyond the three of the streams.
    while (beyond := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(beyond)
    sys.stdin = sys.stdin or os.fdopen(_STDIN)
    sys.stderr = sys.stderr or os.fdopen(_STDERR, "w")
    if sys.stdout is None:
        # Told on the error stream, if there is one: a command that cannot answer must not act.
        click.echo("p2p304: there is no output to write to: it is closed", err=True)
        return False
    return True


def _ended_early(stop: click.Abort) -> ExitCode:
    """Print what ended the program, and return its exit code: UNUSABLE if the input ended at a
    question, else INTERRUPTED, for Ctrl-C.
    """
    # click makes the same Abort of both; the cause tells which.
    if isinstance(stop.__cause__ or stop.__context__, EOFError):
        click.echo()  # the question's line is open
        click.echo("p2p304: the input ended before the question was answered", err=True)
        return ExitCode.UNUSABLE
    click.echo("p2p304: interrupted", err=True)
    return ExitCode.INTERRUPTED


def _fail(error: Exception) -> ExitCode:
    """Print the sentence of an error, or a traceback for a defect of ours; return the exit code."""
    # The log gets the traceback also of an error that is told in one sentence.
    if (log := sys.modules.get(_LOG)) is not None:
        log.failed(error)
    verdict = verdict_on(error)
    if verdict is not None:
        click.echo(_complaint(verdict.sentence), err=True)
        return verdict.code
    # A defect: the only case in which a user sees a traceback.
    traceback.print_exception(error)
    # It is told first that nobody is accused, since the lines above name a check (attacks CL13).
    if isinstance(error, InternalFault):
        click.echo(f"p2p304: {_NOBODY.format(error.check)}", err=True)
    click.echo("p2p304: this is a defect of p2p304; please report the lines above", err=True)
    return ExitCode.DEFECT


if __name__ == "__main__":
    # The code goes to the shell here alone; tests call `main`.
    sys.exit(main())
