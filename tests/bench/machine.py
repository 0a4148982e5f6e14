"""The machine that is measured, and what stands on it that playing does not need."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from cli.store.paths import HOME_VARIABLE

LIBRARIES: Final = ("p2p304", "coincurve", "cryptography", "msgpack", "aiomqtt", "amqtt")
TOP: Final = Path(__file__).parents[2]
"""Where modules of tests are found by processes: they are started there."""


async def started(
    module: str, *arguments: str, home: Path | None = None
) -> asyncio.subprocess.Process:
    """Run a module of the benchmark with pipes, its state in a new directory `home`."""
    if home is not None:
        home.mkdir(mode=0o700)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"tests.bench.{module}", *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=TOP,
        env=os.environ | ({} if home is None else {HOME_VARIABLE: str(home)}),
    )


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
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass  # not Linux: what Python knows will do
    return platform.processor() or platform.machine()
