"""What many tests of tables begin with."""

from __future__ import annotations

import pytest

from tests.table.championship import Championship


@pytest.fixture
def cup() -> Championship:
    """A tournament of four teams, which have drawn."""
    return Championship(4).drawn()
