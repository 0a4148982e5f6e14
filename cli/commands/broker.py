"""`p2p304 broker`: runs the embedded broker alone, or checks whether another broker serves."""

from __future__ import annotations

import json
from typing import Any, Final

import click

from cli.commands.options import json_option
from cli.commands.seating import login_options, run_command, with_credentials
from cli.errors import CheckFailed
from cli.local.sitting import SeatOptions
from cli.net.address import BrokerAddress
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import NO_CREDENTIALS, Credentials
from cli.net.probe import probe
from cli.net.transport import TransportError, Trouble
from cli.tasks import never
from protocol.wire.identity import FRAME_SIZES

# By the kind of trouble, since the probe ends at the first connection that fails.
#: What was tried when the connection failed.
_STEPS: Final = {
    Trouble.CREDENTIALS: "login",
    Trouble.ACCESS: "publish",
    Trouble.SIZE: "size",
    Trouble.CERTIFICATE: "certificate",
}


@click.group("broker", invoke_without_command=True)
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
    # The usual port of MQTT.
    default=1883,
    show_default=True,
    help="The port to listen at; 0 is any.",
)
@click.pass_context
def command(context: click.Context, host: str, port: int) -> int:
    """Run a broker on this machine until Ctrl-C: it passes sealed frames on, and keeps nothing.

    It speaks MQTT 3.1.1 without TLS and lets everybody in who reaches it: for one machine or a
    network of friends. Anywhere else use a broker with TLS, such as mosquitto. `p2p304 broker
    check` says whether a broker will do.

    \b
    Examples:
      p2p304 broker                             for this machine alone
      p2p304 broker --host 192.168.1.20         for the network at home
      p2p304 broker --port 0                    at any free port
      p2p304 broker check mqtts://broker.example.org
    """
    # click runs a group before its subcommand: `check` does the rest.
    if context.invoked_subcommand is not None:
        return 0
    # It serves until SIGTERM or Ctrl-C: both are ordinary ends.
    return run_command(_serve(host, port), left="")


async def _serve(host: str, port: int) -> None:
    """Run the embedded broker until this process is ended."""
    async with EmbeddedBroker(host, port) as broker:
        click.echo(f"The broker listens at {broker.address.format()}; Ctrl-C ends it.")
        await never()


@command.command("check")
@click.argument("url")
@login_options
@json_option
def check(url: str, options: SeatOptions, as_json: bool) -> int:
    """Try whether a broker will do for a table, before friends come.

    It makes two connections to the broker, and checks whether they are let in, may write and read
    a table's topic, and carry the largest frame. It measures the round trip, and looks for retained
    messages. Exit code: 1 if the broker will not do, 2 if it cannot be reached.

    \b
    Examples:
      p2p304 broker check mqtts://broker.example.org
      p2p304 broker check mqtts://broker.example.org --credentials club.txt
      p2p304 broker check wss://broker.example.org/mqtt --login
      p2p304 broker check mqtt://192.168.1.20 --json
    """
    address = BrokerAddress.parse(url)
    given = with_credentials(options).credentials or NO_CREDENTIALS
    return run_command(_check(address, given, as_json=as_json), left="")


async def _check(address: BrokerAddress, credentials: Credentials, *, as_json: bool) -> None:
    """Try a broker step by step, and print each result, or with `as_json` all together at the end.

    Raises CheckFailed if it will not do, TransportError if it cannot be reached now.
    """
    found: list[dict[str, Any]] = []
    lost: TransportError | None = None

    def tell(name: str, sentence: str, *, good: bool | None) -> None:
        """Note one result, and print it unless JSON is wanted; `good` None is neither right nor
        wrong.
        """
        found.append({"name": name, "good": good, "said": sentence})
        if not as_json:
            # 11 cells hold "certificate", the longest name.
            mark = {True: "ok", False: "NO", None: ""}[good]
            click.echo(f"{name:<11} {mark:<3} {sentence}")

    try:
        # A broker that refuses the largest frame would stop a table in the middle of a shuffle.
        async for each in probe(address, credentials, largest=max(FRAME_SIZES)):
            # Going on where something is wrong: all of it is told at once.
            tell(each.name, each.sentence, good=each.good)
    # Kept, as JSON and the sentence for people are printed first.
    except TransportError as error:
        lost = error
        # Every other trouble, such as no answer, is one of the connection itself.
        tell(_STEPS.get(error.trouble, "connection"), str(error), good=False)
    wrong = [each["said"] for each in found if each["good"] is False]
    if as_json:
        click.echo(json.dumps({"broker": address.format(), "fit": not wrong, "checks": found}))
    # A broker that was not reached may do well another time: that is no verdict.
    if lost is not None and lost.trouble.heals:
        raise lost  # it could not be examined
    if wrong:
        raise CheckFailed(f"{address.format()} will not do for a table: {wrong[-1]}")
    if not as_json:
        click.echo(f"{address.format()} will do for a table.")
