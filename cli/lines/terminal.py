"""A terminal asked for single lines before the full screen takes it over.

Nothing is read ahead and no thread waits on it, so that no key of the screen is ever lost.
"""

from __future__ import annotations

import asyncio
import os
import sys

from cli.lines.console import LONGEST_LINE, Console, InputEnded


class Terminal(Console):
    """Questions and answers on a terminal, a line at a time, read only while one is asked for."""

    async def line(self) -> str:
        """Return the next line without its end. Raises InputEnded."""
        if self._lines:
            self._question = ""
            return self._lines.popleft()
        data = await self._read_line()
        if not data:
            raise InputEnded
        self._question = ""
        first, *more = data.decode("utf-8", "replace").splitlines() or [""]
        self._lines.extend(more)
        return first

    async def _read_line(self) -> bytes:
        if sys.platform == "win32":
            return (await asyncio.to_thread(sys.stdin.readline)).encode()
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self._descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)
        return os.read(self._descriptor, LONGEST_LINE)  # a terminal gives a line at most
