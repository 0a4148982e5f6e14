"""`p2p304 page`: writes saved hands as one HTML file that shows and verifies them in any
browser.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

import click

from cli.commands.options import HandFile
from cli.errors import UserError
from cli.input_files import transcripts_of
from cli.output_files import prepare_file, write_file
from cli.page.document import page
from cli.page.table import table_of
from cli.sanitize import safe_text

# Two names, so that an empty page never replaces the one of a hand.
USUAL: Final = "hand.html"
USUAL_EMPTY: Final = "verifier.html"


@click.command("page")
@click.argument("files", nargs=-1, metavar="FILE...", type=HandFile())
@click.option("-o", "--output", metavar="PAGE", help="The file to write.  [default: hand.html]")
@click.option("--empty", is_flag=True, help="Write the verifier alone; drop any hand on it.")
def command(files: tuple[str, ...], output: str | None, empty: bool) -> None:
    """Write saved hands of one table as one HTML page, for anybody with a browser.

    The page verifies the hand when it is opened, and shows the table, the auction, the tricks and
    the result. Send it by mail: it needs no server. It shows a game that its verifier does not
    know, but does not judge it.

    Each FILE is a transcript, the short name of a hand of this machine, or a folder of transcripts;
    several hands of one table make one match. All are audited before the page is written.

    A page cannot prove whose the keys are, and its maker also made the verifier in it. To judge
    pages of other people, write a verifier of your own with --empty, and drop their hands on it.
    Its SHA-256 is printed, and must be the one in the README.

    \b
    Examples:
      p2p304 page 88d17ccd/1                hand 1 of a table, as hand.html
      p2p304 page match/ -o match.html      all hands of one match
      p2p304 page hand.p304 -o hand.html
      p2p304 page --empty -o verifier.html  the verifier alone
      p2p304 page --empty -o - | sha256sum  is it the one of the README?

    Keys of the page: arrows step, Page keys go by tricks, Space plays. a shows all cards opened at
    the end, or only those public at the moment; f gives each suit its own colour; s, c, l and p
    open story, score, rules and proofs. Without JavaScript the page reads as text, also on paper.
    """
    if empty and files:
        raise UserError("--empty writes the verifier alone: name no files with it.")
    if not empty and not files:
        raise UserError("Name a transcript, or a hand of this machine, such as 88d17ccd/1.")
    named = output or (USUAL_EMPTY if empty else USUAL)
    place = Path(named)
    # Before hands are audited and the page is made: a place that cannot be written is told at once.
    if named != "-":
        prepare_file(place)
    # The audit is in here: no page is made of what was not verified.
    table = None if empty else table_of(tuple(transcripts_of(files)))
    made = page(table)
    if named == "-":
        # Bytes: text would be recoded on Windows, and the printed SHA-256 would be another one.
        sys.stdout.buffer.write(made)
        return
    write_file(place, made)
    # The README names that of the empty page, so anybody can compare a verifier (attacks CL18).
    click.echo(f"{named}: {len(made):,} bytes, SHA-256 {sha256(made).hexdigest()}")
    if table is not None and not table.judged:
        click.echo(
            f"The page's verifier does not know the game {safe_text(table.game)}: the page shows"
            " the hand, but cannot verify it."
        )
