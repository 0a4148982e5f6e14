"""What holds for all tests."""

from __future__ import annotations

import signal
import threading


def pytest_configure() -> None:
    """Children hear Ctrl-C also when whoever started the tests in the background had it ignored."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
