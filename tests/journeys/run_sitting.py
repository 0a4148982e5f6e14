"""Seats four people at four terminals as the first page says, and counts keys and seconds.

    python -m tests.journeys.run_sitting                # over loopback
    python -m tests.journeys.run_sitting --where lan    # two network namespaces, a cable between

The host has a namespace of its own for `lan`, the three friends another, so that the code is found
by multicast DNS over an address of a local network; that needs root. Seconds are those of the
program from the host's Enter to the first cards on all four screens, with no time between keys; the
last line adds four keys a second, for the host and then for the friends, who type at once.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.net.nearby import NEARBY_VARIABLE
from tests.journeys.terminals import Terminal

NAMES = ("Amara", "Banu", "Chandra", "Dilini")
CODE = re.compile(r"code of this table: (\d+-[a-z]+-[a-z]+)")
CARD = re.compile(r"│ ?(10|[7-9JQKA])[♠♥♦♣]")
CUT = "leaves the pack as it is"
HOST, FRIENDS = "p2p304-host", "p2p304-friends"
HOST_ADDRESS, FRIENDS_ADDRESS = "192.168.77.1", "192.168.77.2"


class Person:
    """Somebody at a terminal, whose keys are counted from the command on."""

    def __init__(self, place: Path, command: str, *, inside: str = "", every: bool = False) -> None:
        self.keys = len(f"p2p304 {command}") + 1
        prefix = f"ip netns exec {inside} " if inside else ""
        environment = {NEARBY_VARIABLE: ""} if every else {}
        self.terminal = Terminal(place, "--version", columns=100, rows=40, environment=environment)
        self.terminal.until_ended()
        self.began = time.monotonic()
        self.terminal.type(f"clear; {prefix}{sys.executable} -P -m cli.main {command}")
        self.terminal.press("Enter")

    def answers(self, question: str, said: str = "") -> None:
        """Wait for a question, and answer it with Enter behind it."""
        self.terminal.until_shows(question)
        if said:
            self.terminal.type(said)
        self.terminal.press("Enter")
        self.keys += len(said) + 1


def sit_down(place: Path, options: str, **namespaces: str) -> list[str]:
    """Seat all four; the lines of what came of it."""
    every = bool(namespaces)
    host = Person(place / "host", f"host {options}", inside=namespaces.get("host", ""), every=every)
    people = [host]
    try:
        host.answers("Your nickname", NAMES[0])
        code = CODE.search(host.terminal.until_shows("within ten minutes"))
        assert code is not None
        said = time.monotonic() - host.began
        people += [
            Person(place / name, "join", inside=namespaces.get("friends", ""), every=every)
            for name in NAMES[1:]
        ]
        for person, name in zip(people[1:], NAMES[1:], strict=True):
            person.answers("the invite:", code[1])
            person.answers("Your nickname", name)
        for person in people[1:]:
            shown = person.terminal.until(lambda text: "Which seat" in text or "One seat" in text)
            if "One seat" not in shown:
                person.answers("Which seat")
        for person in people:
            person.terminal.until_shows("Do you agree")
            person.terminal.press("y")
            person.keys += 1
        _cut(people)
        for person in people:
            person.terminal.until(lambda text: bool(CARD.search(text)))
        whole = time.monotonic() - host.began
        keys = [person.keys for person in people]
        return [
            f"the code after {said:.1f} s, first cards for all four after {whole:.1f} s",
            f"one code, {len(people)} commands, keys: {', '.join(map(str, keys))}",
            f"at four keys a second: {whole + (keys[0] + max(keys[1:])) / 4:.0f} s",
        ]
    finally:
        for person in people:
            person.terminal.close()


def _cut(people: list[Person]) -> None:
    """Wait for whoever is asked to cut the pack, who leaves it as it is."""
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        for person in people:
            text = person.terminal.text()
            if CUT in text:
                person.answers(CUT)
                return
            if CARD.search(text):
                return
        time.sleep(0.1)


@contextmanager
def namespaces() -> Iterator[None]:
    """Two network namespaces with a cable between them."""
    commands = (
        f"ip netns add {HOST}",
        f"ip netns add {FRIENDS}",
        f"ip link add sit0 netns {HOST} type veth peer name sit1 netns {FRIENDS}",
        f"ip -n {HOST} addr add {HOST_ADDRESS}/24 dev sit0",
        f"ip -n {FRIENDS} addr add {FRIENDS_ADDRESS}/24 dev sit1",
        *(f"ip -n {name} link set lo up" for name in (HOST, FRIENDS)),
        f"ip -n {HOST} link set sit0 up",
        f"ip -n {FRIENDS} link set sit1 up",
    )
    try:
        for command in commands:
            subprocess.run(command.split(), check=True, capture_output=True)
        yield
    finally:
        for name in (HOST, FRIENDS):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def main() -> int:
    """Seat them as the arguments say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--where", choices=("loopback", "lan"), default="loopback")
    where = parser.parse_args().where
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if where == "lan":
            with namespaces():
                lines = sit_down(place, "--lan", host=HOST, friends=FRIENDS)
        else:
            lines = sit_down(place, "")
    for line in (f"{where}:", *lines):
        print(f"  {line}" if line[-1] != ":" else line)  # noqa: T201 - a campaign prints
    return 0


if __name__ == "__main__":
    sys.exit(main())
