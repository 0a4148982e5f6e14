"""Writes the digest of the page that is the verifier alone into the README, for `make bundle`."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from cli.page.document import page

README: Final = Path(__file__).parents[2] / "README.md"
STATED: Final = re.compile(r"(?<=SHA-256 of `p2p304 page --empty`: `)[0-9a-f]{64}(?=`)")


def main() -> None:
    """Write it where the README states it."""
    text, found = STATED.subn(sha256(page(None)).hexdigest(), README.read_text("utf-8"))
    assert found == 1, "the README does not state the digest"
    README.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
