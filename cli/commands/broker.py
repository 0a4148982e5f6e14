"""`p2p304 broker`: the embedded broker alone."""

from __future__ import annotations

import asyncio

import click

from cli.commands.seating import run_until_ended
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker


@click.command("broker")
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address of this machine to listen at.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=1883,
    show_default=True,
    help="The port to listen at; 0 is any.",
)
def command(host: str, port: int) -> int:
    """Run a broker on this machine until Ctrl-C: it passes sealed frames on, and keeps nothing.

    It speaks MQTT 3.1.1 without TLS and lets everybody in who reaches it: for one machine or a
    network of friends. Anywhere else use a broker such as mosquitto, with TLS.

    \b
    Examples:
      p2p304 broker                             for this machine alone
      p2p304 broker --host 192.168.1.20         for the network at home
      p2p304 broker --port 0                    at any free port
    """
    return run_until_ended(_serve(host, port))


async def _serve(host: str, port: int) -> None:
    async with EmbeddedBroker(host, port) as broker:
        shown = f"[{host}]" if ":" in host else host
        address = BrokerAddress.parse(f"mqtt://{shown}:{broker.port}")
        click.echo(f"The broker listens at {address.format()}; Ctrl-C ends it.")
        await asyncio.Event().wait()
