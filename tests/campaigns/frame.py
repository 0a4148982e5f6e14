"""What the campaigns have in common: the options of the command line, and lines told at once."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable
from typing import Any


def asked(page: str | None, parts: Iterable[str] = (), **options: tuple[Any, str]) -> Namespace:
    """Read the options, each with its default (or its type, if that is None) and what it is.

    The names of `parts` come without an option; without any, it is all of them.
    """
    parser = ArgumentParser(description=page, formatter_class=RawDescriptionHelpFormatter)
    every = [*parts]
    if every:
        parser.add_argument("parts", nargs="*", choices=[*every, []], help="some; all if none")
    for name, (default, told) in options.items():
        unset = isinstance(default, type)
        kind, value = (default, None) if unset else (type(default), default)
        parser.add_argument(f"--{name}", type=kind, default=value, help=told)
    found = parser.parse_args()
    found.parts = found.parts or every if every else []
    return found


def say(*lines: str) -> None:
    """Write lines, at once."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
