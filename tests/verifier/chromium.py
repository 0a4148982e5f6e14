"""A real browser without a window, driven over its debugging protocol: Debian's Chromium."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from websockets.sync.client import ClientConnection, connect

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
"""So that the browser itself asks nobody for anything."""
PATIENCE: Final = 600.0
"""Seconds until a browser that says nothing is given up."""
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
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
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
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"ws://\S+", line)
        if found is not None:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[0]
    raise RuntimeError("the browser did not start")
