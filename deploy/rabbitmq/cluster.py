"""A three-node RabbitMQ cluster with its MQTT plugin, on loopback, in a private directory.

    python deploy/rabbitmq/cluster.py                     runs it until Ctrl-C
    python deploy/rabbitmq/cluster.py --certificates DIR  with TLS: server.crt, server.key, ca.crt

Ports, cookie, user and password are its own; nothing of a RabbitMQ that this machine may run is
touched. What is started is ended by its process id, and the directory goes with it. The nodes have
the settings of `table.conf`. Needs rabbitmq-server (Debian: apt-get install rabbitmq-server).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

HERE: Final = Path(__file__).resolve().parent
NODES: Final = 3
USER: Final = "tables"
STARTING: Final = 600.0
ENDING: Final = 20.0


def server() -> str | None:
    """Return the program that starts a node, or None where RabbitMQ is not installed."""
    # Debian's command of that name insists on a user and a home of its own; this one does not.
    return shutil.which("rabbitmq-server", path="/usr/lib/rabbitmq/bin") or shutil.which(
        "rabbitmq-server"
    )


class ClusterError(Exception):
    """A node did not come up; the sentence holds the end of what it said."""


class Cluster:
    """The nodes 0, 1 and 2. Use it in a `with` block, which starts and ends all of them.

    `urls` are the nodes' addresses, `credentials` is a file as `p2p304 --credentials` reads it.
    """

    def __init__(self, *, certificates: Path | None = None) -> None:
        self._place = Path(tempfile.mkdtemp(prefix="p2p304-rabbitmq-"))
        self._certificates = certificates
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        ports = _free_ports(3 * NODES + 1)
        self._epmd_port, *rest = ports
        self._mqtt, self._amqp, self._dist = rest[::3], rest[1::3], rest[2::3]
        self.credentials = self._place / "credentials"

    @property
    def urls(self) -> tuple[str, ...]:
        """One address a node."""
        start = "mqtt://127.0.0.1" if self._certificates is None else "mqtts://localhost"
        return tuple(f"{start}:{port}" for port in self._mqtt)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start all nodes; raises ClusterError where one does not come up."""
        self._write_files()
        self._run("epmd", "epmd", "-address", "127.0.0.1", "-port", f"{self._epmd_port}")
        self._wait("epmd", self._epmd_port)
        # The first one alone, or two of them may each found a cluster of its own.
        self.start_node(0)
        for node in range(1, NODES):
            self._start(node)
        for node in range(1, NODES):
            self._wait(_name(node), self._mqtt[node])

    def start_node(self, node: int) -> None:
        """Start a node, for the first time or after its end, and wait until it lets clients in."""
        self._start(node)
        self._wait(_name(node), self._mqtt[node])

    def kill_node(self, node: int) -> None:
        """kill -9 of a node's virtual machine."""
        self._kill(_name(node))

    def pause_node(self, node: int) -> None:
        """Stop a node as a machine that hangs: its connections stay open and say nothing."""
        os.killpg(self._processes[_name(node)].pid, signal.SIGSTOP)

    def accepted(self, node: int) -> int:
        """Return how many clients the node has let in since the cluster began."""
        log = self._place / "log" / f"{_name(node)}@localhost.log"
        text = log.read_text("utf-8", "replace") if log.exists() else ""
        return text.lower().count("accepting mqtt connection")

    def stop(self) -> None:
        """End every process that was started, and remove the directory."""
        for name in list(self._processes):
            self._kill(name)
        shutil.rmtree(self._place, ignore_errors=True)

    # --- files ------------------------------------------------------------------------------------

    def _write_files(self) -> None:
        password = secrets.token_urlsafe(24)
        self._private(".erlang.cookie", secrets.token_hex(20), mode=0o400)
        self._private("enabled_plugins", "[rabbitmq_mqtt].\n")
        self._private("definitions.json", json.dumps(_definitions(password)))
        own_authority = ""
        if self._certificates is not None:
            own_authority = f"ca = {self._certificates.resolve() / 'ca.crt'}\n"
        self._private(
            "credentials",
            f"user = {USER}\npassword = {password}\nhosts = 127.0.0.1, localhost\n{own_authority}",
        )
        for node in range(NODES):
            self._private(f"{_name(node)}.conf", self._settings(node))

    def _settings(self, node: int) -> str:
        lines = [(HERE / "table.conf").read_text("utf-8")]
        lines.append(f"listeners.tcp.1 = 127.0.0.1:{self._amqp[node]}")
        if self._certificates is None:
            lines.append(f"mqtt.listeners.tcp.1 = 127.0.0.1:{self._mqtt[node]}")
        else:
            held = self._certificates.resolve()
            lines += [
                "mqtt.listeners.tcp = none",
                f"mqtt.listeners.ssl.1 = 127.0.0.1:{self._mqtt[node]}",
                f"ssl_options.cacertfile = {held / 'ca.crt'}",
                f"ssl_options.certfile = {held / 'server.crt'}",
                f"ssl_options.keyfile = {held / 'server.key'}",
                "ssl_options.versions.1 = tlsv1.3",
                "ssl_options.versions.2 = tlsv1.2",
            ]
        lines.append(f"load_definitions = {self._place / 'definitions.json'}")
        lines.append("cluster_formation.peer_discovery_backend = classic_config")
        lines += [
            f"cluster_formation.classic_config.nodes.{1 + other} = {_name(other)}@localhost"
            for other in range(NODES)
        ]
        return "\n".join(lines) + "\n"

    def _private(self, name: str, text: str, mode: int = 0o600) -> None:
        path = self._place / name
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)

    # --- processes --------------------------------------------------------------------------------

    def _start(self, node: int) -> None:
        found = server()
        if found is None:
            raise ClusterError("rabbitmq-server is not installed (apt-get install rabbitmq-server)")
        self._run(_name(node), found, node=node)

    def _run(self, name: str, *command: str, node: int = 0) -> None:
        place = self._place
        with (place / f"{name}.out").open("ab") as output:
            self._processes[name] = subprocess.Popen(
                command,
                cwd=place,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a group of its own, which ends as one
                env={
                    "PATH": os.environ.get("PATH", os.defpath),
                    "HOME": str(place),
                    "LANG": "C.UTF-8",
                    "ERL_EPMD_ADDRESS": "127.0.0.1",
                    "ERL_EPMD_PORT": f"{self._epmd_port}",
                    "RABBITMQ_NODENAME": f"{_name(node)}@localhost",
                    "RABBITMQ_DIST_PORT": f"{self._dist[node]}",
                    "RABBITMQ_MNESIA_BASE": str(place / "data"),
                    "RABBITMQ_LOG_BASE": str(place / "log"),
                    "RABBITMQ_ENABLED_PLUGINS_FILE": str(place / "enabled_plugins"),
                    "RABBITMQ_CONFIG_FILE": str(place / f"{_name(node)}.conf"),
                    "RABBITMQ_CONF_ENV_FILE": os.devnull,
                    "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
                        "-kernel inet_dist_use_interface {127,0,0,1} +S 1:1"
                        " +sbwt none +sbwtdcpu none +sbwtdio none"
                    ),
                },
            )

    def _wait(self, name: str, port: int) -> None:
        def there() -> bool:
            if self._processes[name].poll() is not None:
                raise ClusterError(f"{name} ended at once: {self._said(name)}")
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        if not _within(STARTING, there):
            raise ClusterError(f"{name} is not up after {STARTING:g} s: {self._said(name)}")

    def _said(self, name: str) -> str:
        return (self._place / f"{name}.out").read_text("utf-8", "replace")[-2_000:]

    def _kill(self, name: str) -> None:
        """kill -9 of the process and of all that it started."""
        process = self._processes.pop(name, None)
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(ENDING)


def _name(node: int) -> str:
    return f"table{1 + node}"


def _definitions(password: str) -> dict[str, object]:
    """Return one user, who may make its own subscriptions and speak on the tables' topics alone.

    The plugin names a client's queue mqtt-subscription-…, and turns / in a topic into a dot.
    """
    salt = secrets.token_bytes(4)
    hashed = salt + hashlib.sha256(salt + password.encode()).digest()
    queues = "^mqtt-subscription-.*"
    return {
        "vhosts": [{"name": "/"}],
        "users": [
            {
                "name": USER,
                "password_hash": base64.b64encode(hashed).decode(),
                "hashing_algorithm": "rabbit_password_hashing_sha256",
                "tags": "",
            }
        ],
        "permissions": [
            {
                "user": USER,
                "vhost": "/",
                "configure": queues,
                "write": f"{queues}|^amq\\.topic$",
                "read": f"{queues}|^amq\\.topic$",
            }
        ],
        "topic_permissions": [
            {
                "user": USER,
                "vhost": "/",
                "exchange": "amq.topic",
                "write": "^p2p304\\.[0-9a-f]{32}$",
                "read": "^p2p304\\.[0-9a-f]{32}$",
            }
        ],
    }


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def _within(seconds: float, there: Callable[[], bool]) -> bool:
    ends = time.monotonic() + seconds
    while not there():
        if time.monotonic() > ends:
            return False
        time.sleep(0.1)  # between two looks; other programs' files tell nobody
    return True


def say(line: str) -> None:
    """Write a line for whoever started this, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the cluster until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(description="A RabbitMQ cluster of three nodes on loopback.")
    parser.add_argument("--certificates", type=Path, help="server.crt, server.key and ca.crt")
    arguments = parser.parse_args()
    if server() is None:
        say("rabbitmq-server is not installed (apt-get install rabbitmq-server)")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Cluster(certificates=arguments.certificates) as cluster:
        brokers = " ".join(f"--broker {url}" for url in cluster.urls)
        say(f"p2p304 host {brokers} --credentials {cluster.credentials}")
        say("Ctrl-C ends all three nodes.")
        with suppress(KeyboardInterrupt):
            signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
