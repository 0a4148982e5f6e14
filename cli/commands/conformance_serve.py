"""`p2p304 conformance serve`: our own program behind the line protocol of specs/conformance.md."""

from __future__ import annotations

import sys

import click

from cli.conformance.answers import serve
from cli.errors import ExitCode


@click.command("serve")
def command() -> int:
    """Be the program under test: this implementation, behind the line protocol."""
    serve(sys.stdin, sys.stdout)
    return ExitCode.DONE
