"""Pages taken apart as a browser does: elements, blocks of data, text without a script."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from cli.page.document import PageSeat, PageTable

VOID: Final = {"meta", "line", "polyline", "br", "input"}
#: What would run, if it were read as markup.
MARKUP: Final = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'<!--"


ASKED: Final = """
import { readFileSync } from 'node:fs';
const m = await import(process.argv[1]);
const asked = JSON.parse(readFileSync(0, 'utf-8'));
console.log(JSON.stringify(%s));
"""


def of_module(node: str, module: Path, code: str, asked: Any) -> list[Any]:
    """What an expression makes of a module, `m`, and what it is asked."""
    command = [node, "--input-type=module", "-e", ASKED % code, module.as_uri()]
    given = json.dumps(asked)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


class Parts(HTMLParser):
    """The parts of one page."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        #: Scripts and styles with what they hold.
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.text = ""
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page.decode())
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.raw.append((tag, dict(attrs), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag, tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] in ("script", "style"):
            tag, attributes, held = self.raw[-1]
            self.raw[-1] = (tag, attributes, held + data)
        else:
            self.text += data

    @property
    def names(self) -> set[str]:
        """The names of all elements."""
        return {name for name, _ in self.elements}

    def block(self, name: str) -> str:
        """Return a block of data."""
        return next(held for _, given, held in self.raw if given.get("id") == name)

    @property
    def data(self) -> dict[str, Any]:
        """What the script reads."""
        read: dict[str, Any] = json.loads(self.block("data"))
        return read


def hostile(table: PageTable) -> PageTable:
    """A table with markup in every text that it has, and that its hands have."""

    def spoilt(value: Any) -> Any:
        match value:
            case str():
                return MARKUP + value
            case tuple():
                return tuple(map(spoilt, value))
            case list():
                return [*map(spoilt, value)]
            case dict():
                return {key: spoilt(each) for key, each in value.items()}
            case _:
                return value

    files = []
    for file in table.files:
        hands = [
            replace(hand, **{name: spoilt(getattr(hand, name)) for name in hand.__slots__})
            for hand in file.hands
        ]
        files.append(replace(file, name=spoilt(file.name), hands=tuple(hands)))
    return PageTable(
        title=spoilt(table.title),
        game=table.game,
        rules=spoilt(table.rules),
        charter=spoilt(table.charter),
        seats=tuple(PageSeat(MARKUP, MARKUP, doubtful=True) for _ in table.seats),
        files=tuple(files),
    )
