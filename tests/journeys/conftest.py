"""Where processes play: a room with their homes, and a mosquitto of the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.journeys.running_brokers import Mosquitto, mosquitto
from tests.journeys.text_processes import Room


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with mosquitto(tmp_path) as running:
        yield running
