"""The HTML of a page: one file, which loads nothing and runs nothing but its own script.

Every text goes through `escape` or stands in JSON without a `<`. The policy in the head allows the
script and the style by their digests, and a worker made from the page's own bytes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final

from cli.page.recorded import PageHand, Words, hand_article
from cli.page.tree import element, markup

# Words, styles and scripts lie beside this module.
FOLDER: Final = Path(__file__).parent
# 1 is the data of pages saved before, which held drawn scenes of every hand.
FORMAT: Final = 2  #: Of the data that the script reads, for whoever else reads a saved page.
# Games that the verifier in JavaScript judges; others are shown and not judged.
KNOWN: Final = ("304", "41", "400")  #: The games that the page's verifier knows.


@dataclass(frozen=True, slots=True)
class PageSeat:
    """A seat of the page: its place, a nickname that is safe to show, and whether the name
    imitates another.
    """

    place: str
    name: str
    doubtful: bool


@dataclass(frozen=True, slots=True)
class PageFile:
    """A transcript in the page, and the hands in it."""

    name: str
    data: bytes  #: Its bytes, unpacked if the file was compressed.
    hands: tuple[PageHand, ...]


@dataclass(frozen=True, slots=True)
class PageTable:
    """The content of a page about one table: its charter, its seats and its files."""

    title: str
    game: str
    rules: tuple[str, ...]  #: Lines for people: the rules, and the terms of the charter.
    charter: str  #: Its fingerprint.
    seats: tuple[PageSeat, ...]
    files: tuple[PageFile, ...]

    @property
    def judged(self) -> bool:
        """Whether the verifier in the page knows the table's game."""
        return self.game in KNOWN

    @property
    def hands(self) -> tuple[PageHand, ...]:
        """The hands of all files, in the order of the files."""
        return tuple(hand for file in self.files for hand in file.hands)


def page(table: PageTable | None, *, live: bool = False) -> bytes:
    """Return the HTML file of a table's page; without a table, of the verifier alone.

    The script of a `live` page gets hands from the server of the page, and connects to nothing
    else.
    """
    words = page_words()
    style, script, worker = (_build(name) for name in ("page.css", "page.js", "worker.js"))
    if table is None:
        title, body = words["title_empty"], [f"<p>{escape(words['empty_intro'])}</p>"]
    else:
        # A live page has the title of one, however many hands it has by now.
        kind = "title_live" if live else "title_match" if len(table.hands) > 1 else "title"
        title = f"{words[kind]}: {table.title}"
        body = [*(_live(words) if live else ()), *_page_parts(table, words)]
    # A live page alone calls back, and only the server that it came from (attacks CL19).
    connect = "; connect-src 'self'" if live else ""
    # By digest: no other script runs and no other style applies (attacks CL19).
    policy = (
        f"worker-src blob:; script-src '{_digest(script)}'; style-src '{_digest(style)}'{connect}"
    )
    data = {**_data(table), "live": True} if live else _data(table)
    parts = [
        *_opening(title, policy, style),
        f"</header><main>{''.join(body)}",
        # Empty until the script fills it: nothing on the page says "verified" by itself (attacks
        # CL18).
        f'<section id="check"><h2>{escape(words["check"])}</h2><div id="checking"></div>',
        f"<h3>{escape(words['limits_title'])}</h3>",
        markup(element("ul", *(element("li", each) for each in words["limits"]))),
        "</section></main>",
        # Blocks that no browser runs, in an order that the script knows.
        _data_block("data", "application/json", _json(data)),
        *(
            # Base64, whose letters cannot end a block.
            _data_block(f"file{number}", "text/plain", b64encode(file.data).decode())
            for number, file in enumerate(table.files if table else ())
        ),
        # The verifier as text: the script makes a worker of it, so that the page needs no second
        # file.
        _data_block("worker", "text/plain", worker),
        f"<script>{script}</script></body></html>\n",
    ]
    return "".join(parts).encode()


def _opening(title: str, policy: str, style: str) -> tuple[str, ...]:
    """Return the beginning of a file up to its first heading, under this content policy and
    style.
    """
    # Nothing is loaded, no form is sent, no base can be moved (attacks CL19).
    strict = f"default-src 'none'; base-uri 'none'; form-action 'none'; {policy}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        # In the page itself, since a file that is opened has no headers.
        f'<meta http-equiv="Content-Security-Policy" content="{strict}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # A link that is followed does not tell the address, which holds the token of a live page.
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(title)}</title><style>{style}</style></head><body>",
        f"<header><h1>{escape(title)}</h1>",
    )


@cache
def page_words() -> Words:
    """Return the English sentences of the page by their names."""
    words: Words = json.loads((FOLDER / "words.json").read_text("utf-8"))
    return words


@cache
def _build(name: str) -> str:
    """Return the text of a built file that a page needs: `page.css`, `page.js` or `worker.js`."""
    # Bundled beforehand, and compared in tests: no node is needed to write a page.
    return (FOLDER / "built" / name).read_text("utf-8")


def _digest(text: str) -> str:
    """Return the digest of a script or style as a content policy names it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _data_block(name: str, kind: str, text: str) -> str:
    """Return a script block that no browser runs, with the id `name`, the type `kind` and this
    text.

    Raises ValueError if the text would end the block.
    """
    # A browser ends a script block at these, whatever the block's type is.
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError(f"the block {name} would end its script")
    return f'<script type="{kind}" id="{name}">{text}</script>\n'


def _json(data: Any) -> str:
    """Return data as JSON that may stand inside HTML; the same data always give the same text."""
    # Sorted and without spaces: the same hands give the same bytes, and the same SHA-256.
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    # These three could begin markup inside a block.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(table: PageTable | None) -> Mapping[str, Any]:
    """Return what the page's script reads: format, files, seats, hands, and whether the verifier
    knows the game; without a table only the format and empty lists.
    """
    if table is None:
        return {"format": FORMAT, "files": [], "seats": [], "hands": []}
    return {
        "format": FORMAT,
        "judged": table.judged,
        "files": [{"name": file.name, "size": len(file.data)} for file in table.files],
        "seats": [[seat.place, seat.name, seat.doubtful] for seat in table.seats],
        "hands": [
            # Scenes are for games that the verifier cannot replay; else it draws them itself.
            hand_data(hand, number, scenes=not table.judged)
            for number, file in enumerate(table.files)
            for hand in file.hands
        ],
    }


def hand_data(hand: PageHand, file: int, *, scenes: bool) -> Mapping[str, Any]:
    """Return the JSON of a hand for the page's script; `file` is the number of the page's file that
    holds it.

    It has the hand's words, and with `scenes` its scenes, for a game that the verifier does not
    know.
    """
    told = {"file": file, "number": hand.number, "words": hand.words}
    if not scenes:
        return told
    return told | {
        "dealer": hand.dealer,
        "before": hand.before,
        "deeds": hand.deeds,
        "steps": hand.steps,
    }


def _live(words: Words) -> Iterator[str]:
    """Yield the two paragraphs of a live page, about the hand and about what is verified, that
    its script rewrites.
    """
    yield f'<p id="live" role="status">{escape(words["live_begins"])}</p>'
    yield f'<p id="verified">{escape(words["live_verifies"])}</p>'


def _page_parts(table: PageTable, words: Words) -> Iterator[str]:
    """Yield the parts of a page in the words of the program that writes it, which no verifier
    checks.
    """
    yield f'<section id="words"><h2>{escape(words["words"])}</h2>'
    yield f'<p class="mark">{escape(words["unverified"])}</p>'
    # Without JavaScript the page reads as text.
    yield f"<noscript><p>{escape(words['no_script'])}</p></noscript>"
    yield f'<div id="understand"><h3>{escape(words["story"])}</h3>'
    for hand in table.hands:
        yield markup(hand_article(hand, words))
    yield f'</div><div id="agreed"><h3>{escape(table.title)}</h3>'
    yield f'<p>{escape(words["charter"].format(table.charter))}</p><ul class="players">'
    for seat in table.seats:
        doubt = f" <em>({escape(words['doubtful'])})</em>" if seat.doubtful else ""
        # <bdi>: a name written from right to left must not turn the words beside it round.
        yield f"<li><b>{escape(seat.place)}</b> <bdi>{escape(seat.name)}</bdi>{doubt}</li>"
    yield "</ul>"
    yield markup(element("ul", *(element("li", each) for each in table.rules)))
    yield "</div></section>"
