"""Pages in a real browser: `python -m tests.verifier.run_browser`, `make browser`.

Every saved hand of the specification, and a played one of every table that has none there, is
verified in Chromium, whole and with one byte changed, and its pictures are looked at for what
does not fit; pages are stepped through by keys, touch and slider, read without their script,
attacked. Behind a proxy that lets nothing through: no page may ask for anything. `--accept` keeps
pictures of three sizes beside the terminal's. Needs Debian's `chromium`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from itertools import product
from pathlib import Path
from typing import Any, Final

import click
from websockets.sync.client import ClientConnection, connect

from cli.auditing import audit_file, check_evidence_file
from cli.conformance.trials import DEFAULT
from cli.page.document import hand_data, page
from cli.page.table import table_of
from tests.journeys.text_processes import LASTING, Room
from tests.vectors.rehearsal import Rehearsal
from tests.verifier.pages import MARKUP, Parts, hostile

# --- chromium -------------------------------------------------------------------------------------

# A real browser without a window, driven over its debugging protocol: Debian's Chromium.

#: So that the browser itself asks nobody for anything.
QUIET: Final = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-features=OptimizationHints,MediaRouter,Translate,InterestFeedContentSuggestions",
)
PATIENCE: Final = 600.0  #: Seconds until a browser that says nothing is given up.
VIRTUAL_KEYS: Final = {
    "ArrowRight": 39, "ArrowLeft": 37, "PageDown": 34, "PageUp": 33, "Home": 36, "End": 35,
    " ": 32, "a": 65, "e": 69, "l": 76, "Tab": 9, "Enter": 13,
    "f": 70, "s": 83, "c": 67, "p": 80, "Escape": 27,
}  # fmt: skip


class Proxy:
    """A proxy that lets nothing through, and remembers who asked for what."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                met, _ = self._server.accept()
            except OSError:
                return
            with met:
                self.asked.append(met.recv(4_096).decode("latin-1").partition("\r\n")[0])

    def close(self) -> None:
        """Stop listening."""
        self._server.close()


class Browser:
    """One tab. `events` holds what the browser told since it was last looked at."""

    def __init__(self, process: subprocess.Popen[str], link: ClientConnection) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self._link = link
        self._number = 0
        self._tab: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._tab = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True
        )

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol, and return its result."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._tab is not None:
            asked["sessionId"] = self._tab
        self._link.send(json.dumps(asked))
        while True:
            said = json.loads(self._link.recv(timeout=PATIENCE))
            if said.get("id") != self._number:
                self.events.append(said)
                continue
            if "error" in said:
                raise RuntimeError(f"{method}: {said['error']}")
            return said["result"]

    def wait_for(self, method: str) -> None:
        """Wait for an event."""
        while not any(each.get("method") == method for each in self.events):
            self.events.append(json.loads(self._link.recv(timeout=PATIENCE)))

    def open(self, path: Path, *, width: int = 1280, height: int = 800) -> None:
        """Open a file at a size of the window."""
        self.visit(path.as_uri(), width=width, height=height)

    def visit(self, url: str, *, width: int = 1280, height: int = 800) -> None:
        """Open an address at a size of the window."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )  # fmt: skip
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def run(self, code: str) -> Any:
        """Return what JavaScript evaluates to; a promise is awaited."""
        said = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in said:
            raise RuntimeError(said["exceptionDetails"])
        return said["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until what JavaScript evaluates to is true, at a frame of the page."""
        self.run(
            "new Promise((done) => {"
            f"const look = () => {{ if ({condition}) done(); else requestAnimationFrame(look); }};"
            "look(); })"
        )

    def press(self, key: str) -> None:
        """Press a key, as a keyboard does."""
        text = {"text": key} if len(key) == 1 else {}
        code = VIRTUAL_KEYS[key]
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more
            )

    def swipe(self, way: int, selector: str) -> None:
        """Swipe an element by so many pixels."""
        x, y = self.middle(selector)
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + way, "y": y}]),
            ("touchEnd", []),
        ):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def click(self, selector: str) -> None:
        """Click on the middle of an element."""
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def middle(self, selector: str) -> list[float]:
        """Return where the middle of an element is."""
        found: list[float] = self.run(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
            f"(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        return found

    def drop(self, *paths: Path) -> None:
        """Drop files on the page."""
        data = {"items": [], "files": [*map(str, paths)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=200, y=200, data=data)

    def picture(self) -> bytes:
        """Return what the window shows, as WebP."""
        said = self.call("Page.captureScreenshot", format="webp", quality=60)
        return b64decode(said["data"])

    def requests(self) -> list[str]:
        """Return what was asked for since the page was opened, besides the page and its blobs."""
        urls = [
            each["params"]["request"]["url"]
            for each in self.events
            if each.get("method") == "Network.requestWillBeSent"
        ]
        return [each for each in urls if not each.startswith(("file:", "blob:", "data:"))]

    def complaints(self) -> list[str]:
        """Return what the page threw, was forbidden, or asked in a dialog."""
        kinds = ("Runtime.exceptionThrown", "Page.javascriptDialogOpening")
        return [json.dumps(each) for each in self.events if each.get("method") in kinds]


@contextmanager
def browser(more: Sequence[str] = ()) -> Iterator[tuple[Browser, Proxy]]:
    """Give a browser, and the proxy behind which it is."""
    command = shutil.which("chromium") or shutil.which("chromium-browser")
    assert command is not None, "there is no Chromium: apt-get install chromium"
    proxy = Proxy()
    with tempfile.TemporaryDirectory(prefix="p2p304-browser") as profile:
        process = subprocess.Popen(
            [
                *(command, "--headless=new", "--no-sandbox", "--disable-gpu", *QUIET, *more),
                *(f"--user-data-dir={profile}", "--remote-debugging-port=0"),
                *(f"--proxy-server=127.0.0.1:{proxy.port}", "about:blank"),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            link = connect(_address(process), max_size=None, proxy=None)
            yield Browser(process, link), proxy
        finally:
            process.terminate()
            process.wait()
            proxy.close()


def _address(process: subprocess.Popen[str]) -> str:
    for line in process.stderr:
        found = re.search(r"ws://\S+", line)
        if found is not None:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[0]
    raise RuntimeError("the browser did not start")


# --- run browser ----------------------------------------------------------------------------------

HANDS: Final = sorted((DEFAULT / "hands").glob("*.p304"))
#: Profiles whose saved hands have no tricks, or that have none.
PLAYED: Final = ("championship", "wikipedia", "card304-alpha")
EVIDENCE: Final = sorted((DEFAULT / "evidence").glob("*.p304e"))
PICTURES: Final = DEFAULT.parent / "screens" / "page"
SIZES: Final = ((360, 640), (1280, 800), (2560, 1440))
MOST_PAGE: Final = 700_000  #: Bytes of the page of a hand.
SHOWN: Final = DEFAULT / "hands" / "closed.p304"
REACHED: Final = (
    "((e) => e.type === 'button' ? e.ariaLabel ?? e.innerText : e.type)(document.activeElement)"
)
TOLD: Final = "document.querySelector('.told').innerText"
STATE: Final = "document.getElementById('trust').className"
STEP: Final = "Number(document.getElementById('felt').dataset.step)"
#: The judge of accessibility, which `make bundle` and `make browser` fetch.
AXE: Final = Path("build/bundler/node_modules/axe-core/axe.min.js")
FOUND: Final = """axe.run(document, {resultTypes: ['violations']}).then(({violations}) =>
  violations.flatMap(({id, nodes}) => nodes.map(({target}) => `${id}: ${target.join(' ')}`)))"""
ARRIVED: Final = (
    "Promise.all(document.getAnimations().map((each) => each.finished)).then(() => true)"
)
INKS: Final = (
    "['H', 'S', 'D', 'C'].map((suit) => getComputedStyle(document.querySelector("
    "`symbol.suit-${suit}`)).fill)"
)
#: Keys that lead to what is compared.
FACTS: Final = ("Home", "PageDown", "PageDown", "PageDown", "ArrowRight", "End")
WITHIN: Final = """(() => {
  const felt = document.getElementById('felt').getBoundingClientRect();
  const cards = [...document.querySelectorAll('.card')].map((c) => c.getBoundingClientRect());
  const across = (c) => c.left < felt.left - 1 || c.right > felt.right + 1;
  const out = (c) => across(c) || c.top < felt.top - 1 || c.bottom > felt.bottom + 1;
  const high = document.documentElement.scrollHeight;
  return {high, felt: felt.height, outside: cards.filter(out)};
})()"""
#: Whom the browser asks by itself, whatever page is open.
ITS_OWN: Final = (
    "google.com",
    "googleapis.com",
    "gvt1.com",
    "google.com:443",
    "googleapis.com:443",
)


class Trials:
    """One browser, and a folder for pages."""

    def __init__(self, tab: Browser, folder: Path) -> None:
        self.tab = tab
        self.folder = folder

    def written(self, name: str, data: bytes) -> Path:
        """Put a file where the browser reads it."""
        place = self.folder / name
        place.write_bytes(data)
        return place

    def verdict(self) -> dict[str, Any]:
        """Wait for the verdict on the page's own file, which comes unasked."""
        return self.settled("verdict")

    def settled(self, place: str) -> dict[str, Any]:
        """Wait for what a place of the page says of files."""
        shown = f"document.getElementById({place!r})"
        self.tab.until(f"![undefined, 'running'].includes({shown}.dataset.state)")
        found: dict[str, Any] = self.tab.run(f"({{...{shown}.dataset, text: {shown}.innerText}})")
        return found

    def dropped(self, *paths: Path) -> dict[str, Any]:
        """Drop files and wait for the verdict on the first."""
        self.tab.run("document.getElementById('given').dataset.state = 'running'")
        self.tab.drop(*paths)
        return self.settled("given")

    # --- the trials -------------------------------------------------------------------------------

    def every_hand_verifies_and_a_changed_byte_is_found(self) -> None:
        """Verify a hand of each table, then with a byte changed, as the audit of its bytes does."""
        chance = random.Random(304)
        played = []
        for profile in PLAYED:
            table = Rehearsal(f"page {profile}", "304", profile)
            table.play(1)
            played.append(self.written(f"{profile}.p304", table.transcript()))
        for path in (*HANDS, *played):
            whole = page(table_of([str(path)]))
            assert len(whole) < MOST_PAGE, (path, len(whole))
            data = path.read_bytes()
            self.tab.open(self.written(f"{path.stem}.html", whole))
            for again in (False, True):
                if again:
                    self.tab.run("document.getElementById('verdict').dataset.state = 'running'")
                    self.tab.run("document.querySelector('.verify').click()")
                said = self.verdict()
                assert said["state"] == "valid", (path, said)
                assert self.tab.run(STATE) == "valid"
            at = chance.randrange(200, len(data) - 100)
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            report = audit_file(str(self.written("changed.p304", changed))).report
            spoilt = whole.replace(b64encode(data), b64encode(changed))
            assert spoilt != whole
            self.tab.open(self.written("changed.html", spoilt))
            said = self.verdict()
            assert said["check"] == report.broken.check, (path, at, said["check"], report.broken)
            assert self.tab.run(STATE) == "invalid"
            assert self.tab.complaints() == []

    def what_is_forged_is_not_shown(self) -> None:
        """Change headline, points, tokens, a call, a card of a trick and the dealer in the page."""
        table = table_of([str(SHOWN)])
        sound = page(table)
        self.tab.open(self.written("sound.html", sound))
        assert self.verdict()["state"] == "valid"
        honest = [self.facts(key) for key in FACTS]
        (hand,) = table.hands
        forged = {**hand_data(hand, 0, scenes=True), "dealer": (hand.dealer + 1) % 4}
        scenes = json.loads(
            json.dumps(forged).replace("180", "280").replace('"9S"', '"2S"').replace("182", "1")
        )
        data = Parts(sound).block("data")
        told = {**json.loads(data), "hands": [scenes], "seats": [["South", "Zoe", False]] * 4}
        spoilt = sound.decode().replace(data, json.dumps(told).replace("<", "\\u003c"))
        headline = escape(hand.result)
        assert headline in spoilt
        spoilt = spoilt.replace(headline, "North-South failed 280: North-South pay 4 tokens.")
        self.tab.open(self.written("forged.html", spoilt.encode()))
        assert self.verdict()["state"] == "valid"
        assert [self.facts(key) for key in FACTS] == honest
        assert "failed 280" not in " ".join(honest)
        words = "document.querySelector('.theirs').innerText"
        assert self.tab.run(words).startswith("In the words of whoever made this page")

    def facts(self, key: str) -> str:
        """Return what is shown outside the maker's words, after a key."""
        self.tab.press(key)
        shown: str = self.tab.run(
            "[...document.querySelectorAll('header h1, #felt, .told, #score, #verdict')]"
            ".map((each) => each.textContent).join(' ').replace(/It took .* s/, '')"
        )
        return shown

    def it_is_stepped_through(self) -> None:
        """Step by keys, touch, slider and buttons, and play."""
        tab = self.tab
        whole = page(table_of([str(SHOWN)]))
        [hand] = Parts(whole).data["hands"]
        last = len(hand["words"]) - 1
        tab.open(self.written("steps.html", whole))
        assert self.verdict()["state"] == "valid"
        assert tab.run(STEP) == 1, "it opens at the first cards"
        tab.press("Home")
        marks = []
        while tab.run(STEP) != last:
            tab.press("PageDown")
            marks.append(tab.run(STEP))
        marks.pop()
        assert len(marks) == 8
        tab.press("Home")
        for key, where in (
            ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", marks[0]),
            ("PageDown", marks[1]), ("PageUp", marks[0]), ("End", last), ("ArrowRight", last),
            ("Home", 0), ("ArrowLeft", 0),
        ):  # fmt: skip
            tab.press(key)
            assert tab.run(STEP) == where, (key, where)
        seen, texts = [0], []
        while seen[-1] != last:
            tab.press("ArrowRight")
            seen.append(tab.run(STEP))
            texts.append(tab.run(TOLD))
        assert last - len(seen) > 20, "who is ready shows nothing new"
        assert {"North cuts", "North bids 180", "West plays 9♠"} <= {*texts}
        eyes = "document.getElementById('eyes').value"
        for key, name in (("a", "now"), ("a", "all"), ("e", "now"), ("e", "0"), ("e", "1")):
            tab.press(key)
            assert tab.run(eyes) == name
        for key, name in (("s", "story"), ("c", "score"), ("l", "rules"), ("p", "check")):
            tab.press(key)
            shown = (
                "[...document.querySelectorAll('.sheet')].filter((s) => !s.hidden).map((s) => s.id)"
            )
            assert tab.run(shown) == [f"sheet-{name}"]
        tab.press("Escape")
        assert tab.run(shown) == []
        tab.run("document.activeElement.blur()")
        tab.press("Home")
        tab.press(" ")
        tab.until(f"{STEP} !== 0")
        tab.press(" ")
        tab.press("Home")
        tab.click(".slider input")
        assert abs(tab.run(STEP) - last / 2) <= 1
        assert tab.run("document.querySelectorAll('.marks span').length") == len(marks)
        tab.run("document.activeElement.blur()")
        tab.press("Home")
        tab.open(self.folder / "steps.html", width=390, height=844)
        self.verdict()
        tab.swipe(-120, ".table")
        assert tab.run(STEP) == 2
        tab.swipe(120, ".table")
        assert tab.run(STEP) == 1
        assert tab.complaints() == []

    def it_is_reached_by_keyboard_and_named(self) -> None:
        """Look at what a screen reader is told, and how far the Tab key goes."""
        tab = self.tab
        tab.open(self.written("names.html", page(table_of([str(SHOWN)]))))
        self.verdict()
        tab.press("PageDown")
        tree = tab.call("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "slider", "checkbox", "combobox", "image", "link", "heading")
        seen = [each for each in tree if each.get("role", {}).get("value") in roles]
        assert len(seen) > 15
        unnamed = [each for each in seen if not each.get("name", {}).get("value")]
        assert unnamed == []
        held = tab.run("[...document.querySelectorAll('.seat')].map((s) => s.textContent)")
        assert any("jack of hearts" in each for each in held), held
        reached = set()
        for way in ("Tab", "p", "Tab"):
            tab.press(way)
            reached.add(tab.run(REACHED))
            for _ in range(20 if way == "Tab" else 0):
                tab.press(way)
                reached.add(tab.run(REACHED))
        assert {
            "Play", "Step back", "range", "select-one", "Story", "Close", "Verify again", "file",
        } <= reached, reached  # fmt: skip

    def axe_finds_nothing(self) -> None:
        """Let axe-core look at the table and at each sheet: light and dark, small and large."""
        tab = self.tab
        judge = AXE.read_text("utf-8")
        for hand in (SHOWN, DEFAULT / "hands" / "eight32.p304"):
            path = self.written("axe.html", page(table_of([str(hand)])))
            for scheme, (width, height) in product(("light", "dark"), SIZES[:2]):
                feature = {"name": "prefers-color-scheme", "value": scheme}
                tab.call("Emulation.setEmulatedMedia", features=[feature])
                tab.open(path, width=width, height=height)
                self.verdict()
                tab.run(f"{judge};true")
                for key in ("Home", "PageDown", "End", "f", "s", "c", "l", "p"):
                    tab.press(key)
                    tab.run(ARRIVED)
                    found = tab.run(FOUND)
                    assert found == [], (hand.stem, scheme, width, key, found)
        tab.call("Emulation.setEmulatedMedia", features=[])

    def four_colours_are_a_choice(self) -> None:
        """Give each suit a colour of its own, and two colours again."""
        tab = self.tab
        tab.open(self.written("colours.html", page(table_of([str(SHOWN)]))))
        self.verdict()
        tab.press("PageDown")
        for inks in (2, 4, 2):
            assert len({*tab.run(INKS)}) == inks
            tab.press("f")

    def it_fits_every_size(self, *, accept: bool) -> None:
        """Look at three sizes: nothing wider than the window, places as they should lie."""
        tab = self.tab
        path = self.written("sizes.html", page(table_of([str(SHOWN)])))
        for width, height in SIZES:
            tab.open(path, width=width, height=height)
            self.verdict()
            for _ in range(5):
                tab.press("PageDown")
            for _ in range(6):
                tab.press("ArrowRight")
            wide = tab.run("document.documentElement.scrollWidth")
            assert wide <= width, (width, wide)
            shown = tab.run(WITHIN)
            assert shown["high"] <= height, shown
            assert len(shown["outside"]) == 0, (width, height, shown["outside"])
            assert shown["felt"] > (0.55 if width < 600 else 0.7) * height, shown
            low = tab.run(
                "Math.min(...[...document.querySelectorAll('main > * button, header button')]"
                ".filter((b) => b.offsetParent).map((b) => b.getBoundingClientRect().height))"
            )
            assert low >= 44, low
            if accept:
                PICTURES.mkdir(exist_ok=True)
                (PICTURES / f"{width}x{height}.webp").write_bytes(tab.picture())
        pdf = tab.call("Page.printToPDF")["data"]
        assert b64decode(pdf).startswith(b"%PDF")

    def what_is_dropped_is_judged(self) -> None:
        """Drop hands, junk and attacks on the verifier alone; stop it."""
        tab = self.tab
        tab.open(self.written("empty.html", page(None)))
        assert self.dropped(SHOWN)["state"] == "valid"
        sound = SHOWN.read_bytes()
        name = table_of([str(SHOWN)]).seats[0].name
        markup = "<img>"
        assert len(name) == len(markup)
        named = sound.replace(name.encode(), markup.encode(), 1)
        said = self.dropped(self.written("<img src=x onerror=alert(1)>.p304", named))
        assert said["check"] == "signature"
        assert tab.run("document.body.textContent").count(markup) >= 1
        assert tab.run("document.querySelectorAll('img').length") == 0
        chance = random.Random(16)
        record = b"M" + (65_536).to_bytes(4, "big") + chance.randbytes(65_536)
        begun = sound[: sound.index(b"L\0\0")]
        for junk, check in (
            (chance.randbytes(16 << 20), "transcript.format"),
            (b"p2p304 transcript 1\n" + record * 256, "transcript.order"),
            (begun + record * 256, "transcript.order"),
            (b"p2p304 transcript 1\nC\0\0\x10\0" + b"\x91" * 4_096, "encoding.depth"),
            (b"", "transcript.incomplete"),
        ):
            said = self.dropped(self.written("junk.p304", junk))
            assert said["check"] == check, (check, said)
        for path in EVIDENCE:
            said = self.dropped(path)
            assert said["check"] == check_evidence_file(str(path)).check, (path, said)
            assert "convicts" in said["text"]
        self.dropped(*EVIDENCE, SHOWN)
        names = "document.querySelectorAll('#given details > summary bdi').length"
        tab.until(f"{names} === {len(EVIDENCE) + 1}")
        self.dropped(*EVIDENCE, self.written("junk.p304", b"junk"), SHOWN)
        count = len(EVIDENCE) + 2
        told = tab.run("document.getElementById('total').innerText")
        assert told == f"{count} of {count}: 1 invalid, {count - 1} valid."
        assert tab.run("document.querySelector('#given summary').innerText") == "junk.p304: Invalid"
        long_one = max(HANDS, key=lambda path: path.stat().st_size)
        tab.drop(long_one)
        bars = "[...document.querySelectorAll('progress')]"
        tab.until(f"{bars}.some((bar) => !bar.hidden && bar.value > 0)")
        tab.run("[...document.querySelectorAll('.stop')].find((each) => !each.hidden).click()")
        assert "Stopped" in tab.run("document.getElementById('given').innerText")
        assert self.dropped(SHOWN)["state"] == "valid"
        assert tab.complaints() == []

    def markup_in_every_text_does_nothing(self) -> None:
        """Open a page whose every text is an attack, and go through it."""
        tab = self.tab
        tab.open(self.written("hostile.html", page(hostile(table_of([str(SHOWN)])))))
        assert self.verdict()["state"] == "valid"
        for key in ("ArrowRight", "PageDown", "a", "End", "Home", "l"):
            tab.press(key)
        assert MARKUP in tab.run("document.body.textContent")
        assert tab.run("document.querySelectorAll('img, iframe, object, embed').length") == 0
        assert tab.complaints() == []

    def a_live_table_is_followed_and_verified(self) -> None:
        """The page of `watch --page` draws a hand while it is played, and asks its server alone."""
        asyncio.run(self.followed(self.tab, self.folder / "live"))

    async def followed(self, tab: Browser, folder: Path) -> None:
        """Watch a hand among bots from its beginning to its end, and verify it in the page."""
        async with Room(folder) as room:
            ends = (*LASTING, "--hands", "1", "--linger", "10")
            host = await room.run(
                "south", "host", "--name", MARKUP[:20], "--bots", "3", *ends, "--watch"
            )
            (invite,) = await host.invites(1)
            watching = await room.run("room", "watch", "--page", "--hands", "1", typed=(invite,))
            url = (await watching.said(r"The page, .*: (http\S+)"))[1]
            await watching.said("fingerprint")
            await asyncio.to_thread(tab.visit, url)
            over = "document.getElementById('live').dataset.state === 'over'"
            await asyncio.to_thread(tab.until, over)
            assert await watching.ended() == 0, watching.errors
        told = tab.run("document.getElementById('live').innerText")
        assert "no longer served" in told, told
        assert tab.run(STEP) == int(tab.run("document.querySelector('input[type=range]').max")) > 30
        counted = tab.run("document.getElementById('verified').innerText")
        assert re.search(r"has verified: \d\d+\.", counted), counted
        said = self.verdict()
        assert said["state"] == "valid", said
        assert tab.run(STATE) == "valid"
        assert tab.requests() == [url, f"{url}events"], tab.requests()
        blocked = "fetch('http://127.0.0.1:9/').then(() => 'asked', () => 'refused')"
        assert tab.run(blocked) == "refused"
        assert not tab.complaints(), tab.complaints()
        tab.events.clear()


def _of_the_browser(asked: str) -> bool:
    """Tell whether a line that the proxy read is one of the browser's own errands."""
    place = re.sub(r"^\w+ (?:\w+://)?", "", asked)
    return re.split(r"[/ ]", place)[0].endswith(ITS_OWN)


def main() -> int:
    """Run every trial; ends with 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="keep the pictures")
    accept = parser.parse_args().accept
    failed = 0
    with browser() as (tab, proxy), tempfile.TemporaryDirectory() as folder:
        trials = Trials(tab, Path(folder))
        steps: tuple[Callable[[], None], ...] = (
            trials.it_is_stepped_through,
            trials.it_is_reached_by_keyboard_and_named,
            trials.axe_finds_nothing,
            trials.four_colours_are_a_choice,
            partial(trials.it_fits_every_size, accept=accept),
            trials.what_is_forged_is_not_shown,
            trials.markup_in_every_text_does_nothing,
            trials.what_is_dropped_is_judged,
            trials.a_live_table_is_followed_and_verified,
            trials.every_hand_verifies_and_a_changed_byte_is_found,
        )
        for trial in steps:
            name = getattr(trial, "__name__", "it fits every size").replace("_", " ")
            try:
                trial()
            except (AssertionError, RuntimeError, TimeoutError) as error:
                failed += 1
                click.echo(f"FAILED {name}: {error!r}"[:2_000])
            else:
                asked = tab.requests()
                click.echo(
                    f"passed {name}" if not asked else f"FAILED {name}: it asked for {asked}"
                )
                failed += bool(asked)
        strange = [each for each in proxy.asked if not _of_the_browser(each)]
        click.echo(f"the proxy was asked by pages for {len(strange)} things: {strange}")
        failed += bool(strange)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
