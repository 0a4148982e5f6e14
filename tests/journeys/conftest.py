"""Where processes play: a room with their homes, and a mosquitto of the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.journeys.running_brokers import Mosquitto, make_certificates, mosquitto
from tests.journeys.text_processes import Room


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an authority, a server's and a client's certificate lie, with their keys."""
    place = tmp_path_factory.mktemp("certificates")
    try:
        make_certificates(place)
    except FileNotFoundError:
        pytest.skip("openssl is not installed, so there are no certificates to test with")
    return place


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with Room(tmp_path) as there:
        yield there


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with mosquitto(tmp_path) as running:
        yield running
