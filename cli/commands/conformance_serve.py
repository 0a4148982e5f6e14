"""`p2p304 conformance serve`: our own program behind the line protocol of specs/conformance.md."""

from __future__ import annotations

import sys

import click

from cli.conformance.answers import serve
from cli.errors import ExitCode


@click.command("serve")
def command() -> int:
    """Answer as a program under test: CMD 'p2p304 conformance serve' tries this program itself."""
    serve(sys.stdin, sys.stdout)
    return ExitCode.DONE
