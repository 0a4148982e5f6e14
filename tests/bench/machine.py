"""The machine that is measured, and what stands on it that playing does not need.

As a program it does nothing, and says for how long the machine kept it from doing that: it asks to
sleep for two milliseconds, again and again, until it is ended. What it oversleeps is the machine's
part in whatever waited at the same moment: the clock is the same in all processes.
"""

from __future__ import annotations

import asyncio
import os
import platform
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import click

from cli.store.paths import HOME_VARIABLE
from tests.forked import ROOT, command_of

LIBRARIES: Final = ("p2p304", "coincurve", "cryptography", "msgpack", "paho-mqtt", "amqtt")
NAP: Final = 0.002
WORTH_TELLING: Final = 0.0005
TOGETHER: Final = 64  #: Lines that are written at a time, so that writing is not what it does.


@asynccontextmanager
async def started(
    module: str, *arguments: str, home: Path, said: bytes = b""
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a module of the benchmark with pipes, its state in a new directory `home`, and tell it
    what is to be `said`; it is ended with the block."""
    home.mkdir(mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *command_of(f"tests.bench.{module}", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | {HOME_VARIABLE: str(home)},
    )
    process.stdin.write(said)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def machine() -> dict[str, Any]:
    """Return cores, processor, system, how many programs wanted one in the last minute, Python and
    libraries; no name of the machine or of anybody."""
    return {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "cores": os.cpu_count(),
        "cpu": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 1),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
    }


def _processor() -> str:
    known = Path("/proc/cpuinfo")  # of Linux; elsewhere what Python knows will do
    text = known.read_text("utf-8", "replace") if known.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()


def _nap() -> None:
    """Write a line, when it woke and how much too late, for every nap that was too long."""
    lines: list[str] = []
    before = time.monotonic()
    while True:
        time.sleep(NAP)  # what is measured is how late it ends
        now = time.monotonic()
        if now - before - NAP > WORTH_TELLING:
            lines.append(f"[{now:.6f}, {now - before - NAP:.6f}]")
        if len(lines) == TOGETHER:
            click.echo("\n".join(lines))
            lines.clear()
        before = time.monotonic()


if __name__ == "__main__":
    _nap()
