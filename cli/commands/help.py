"""`p2p304 help`: shows the guides as text in a terminal, one for each kind of reader."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
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

# One less than 80: some terminals wrap at the last column.
_WIDTH: Final = 79
# Marks of parts that are generated from the code.
_MARKER: Final = re.compile(r"<!-- .* -->")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]+\)")
# *word* or *two words*, and neither ** nor a star between letters.
_EMPHASIS: Final = re.compile(r"(?<![*\w])\*(\w[^*]*)\*(?!\*)")
# A list item, numbered or not.
_ITEM: Final = re.compile(r"(- |\d+\. )")


def plain(page: str, width: int = _WIDTH) -> str:
    """Return a page of Markdown as plain text, with paragraphs wrapped to `width` columns.

    Code keeps its lines, indented by four; a table's row becomes a line, with the rest of the row
    indented below.
    """
    # One iterator: a block of code takes its lines out of it, up to its end.
    lines = iter([line for line in page.splitlines() if not _MARKER.fullmatch(line)])
    found: list[str] = []
    words: list[str] = []

    def end_paragraph() -> None:
        """Wrap the words gathered so far as one paragraph."""
        if words:
            found.append(_wrap(" ".join(words), width))
            words.clear()

    for line in lines:
        if not line or line.startswith(("#", "|", "```")) or _ITEM.match(line):
            end_paragraph()
        # The first sign tells most lines apart; fences and the row under a head need the line.
        match line[:1], line:
            # The fences of the guides; the language behind one means nothing in plain text.
            case "`", "```pycon" | "```console" | "```python" | "```":
                # `next` finds an end: in pages of ours every fence is closed.
                code = "\n".join(iter(lambda: next(lines), "```"))
                found.append(textwrap.indent(code, "    "))
            case "#", _:
                title = line.lstrip("# ")
                found.append(f"{title}\n{('=' if line.startswith('# ') else '-') * len(title)}")
            # The row of dashes under a table's head is dropped.
            case "|", _ if not line.startswith("| ---"):
                found.append(_row(line, width))
            case "|", _:
                pass
            case "", _:
                found.append("")
            case _:
                words.append(line.strip())
    end_paragraph()
    return "\n".join(found) + "\n"


def _wrap(text: str, width: int) -> str:
    """Return a paragraph wrapped to `width`; the further lines of a list item are indented."""
    item = _ITEM.match(text)
    return textwrap.fill(
        _unmark(text),
        width,
        # Only a list item hangs; other paragraphs are flush.
        subsequent_indent=" " * len(item[0]) if item else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _row(line: str, width: int) -> str:
    """Return a row of a Markdown table: its first cell, and below it the others, indented."""
    first, *rest = (_unmark(cell.strip()) for cell in line.strip("|").split(" | "))
    return "\n".join(
        # Less the four columns of the indentation.
        [first, *(textwrap.indent(textwrap.fill(each, width - 4), "    ") for each in rest)]
    )


def _unmark(text: str) -> str:
    """Return text without the targets of links and the signs of emphasis; code is quoted."""
    return _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)).replace("**", "").replace("`", "'")


@click.command("help")
@click.argument("words", nargs=-1, metavar="[TOPIC | COMMAND]")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> int:
    """Show a guide, or the help of a command; without a name, list the guides.

    A guide is shown by the pager in a terminal, and as plain text elsewhere. Nothing is fetched:
    the guides come with the program.

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
    # One column less than there are, for terminals that wrap at the last one.
    text = plain(page, min(_WIDTH, shutil.get_terminal_size().columns - 1))
    if sys.stdout.isatty():
        # A pipe gets plain text; a pager would wait for keys.
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
