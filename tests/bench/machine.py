"""The machine that is measured, and what stands on it that playing does not need."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any, Final

LIBRARIES: Final = (
    "p2p304",
    "coincurve",
    "cryptography",
    "msgpack",
    "aiomqtt",
    "paho-mqtt",
    "amqtt",
)


TOP: Final = Path(__file__).parents[2]
"""Where modules of tests are found by processes: they are started there."""


def own_process(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of the benchmark, in the folder TOP."""
    return (sys.executable, "-m", f"tests.bench.{module}", *arguments)


def machine() -> dict[str, Any]:
    """Return cores, processor, system, Python and libraries; no name of the machine or of
    anybody."""
    return {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "cores": cores(),
        "cpu": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": {name: _version(name) for name in LIBRARIES} | {"mosquitto": _mosquitto()},
    }


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


def load() -> float:
    """Return how many programs wanted a processor in the last minute; 0 where the system does not
    tell."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass  # not Linux: what Python knows will do
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _mosquitto() -> str:
    program = mosquitto_program()
    if program is None:
        return "not installed"
    said = subprocess.run(
        (program, "-h"), capture_output=True, text=True, check=False, timeout=10
    ).stdout
    first = said.partition("\n")[0]
    return first.rpartition(" ")[2] or "unknown"


def mosquitto_program() -> str | None:
    """Return where mosquitto is, if it is installed."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/sbin")


def resident_mb() -> float | None:
    """Return the megabytes of this process in memory; None without Linux's /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
