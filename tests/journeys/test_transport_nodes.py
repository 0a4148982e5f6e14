"""Several addresses of one clustered broker: who loses one goes on at the next, by itself.

Nodes that share their topics are a cluster's matter (`make cluster`); here what one transport does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from cli.local.sitting import new_table, transport_for
from cli.net.address import AddressError, BrokerAddress, format_nodes, parse_nodes
from cli.net.broker import EmbeddedBroker
from cli.net.credentials import (
    Credentials,
    CredentialsError,
    Secret,
    credentials_from_file,
)
from cli.net.mqtt import MqttVersion
from cli.net.transport import LinkState, TransportError
from tests.journeys.running_brokers import (
    Behaviour,
    HostileBroker,
    Visit,
    carries,
    free_port,
    refused,
    saying,
    stall,
    transport,
    until,
)

ONE = BrokerAddress.parse("mqtts://one.example.org")
TWO = BrokerAddress.parse("mqtts://two.example.org:8884")
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def living() -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker() as broker:
        yield broker


async def test_an_address_that_never_answers_keeps_nobody_and_each_has_time_for_both_versions(
    living: EmbeddedBroker,
) -> None:
    tried: list[int] = []

    async def behave(visit: Visit) -> None:
        tried.append((await visit.packet()).body[6])
        await stall(visit)

    async with AsyncExitStack() as stack:
        silent = [await stack.enter_async_context(HostileBroker(behave)) for _ in range(4)]
        ports = [each.port for each in silent]
        await refused(transport(*ports), deadline=6.0)
        assert tried == [5, 4] * 4
        for deadline in (2.0, 40.0):  # half of it for each address: a busy machine needs more
            one = transport(ports[0], living.port)
            with suppress(TransportError):
                await one.open(deadline=deadline)
                break
        assert f":{living.port}" in one.status.sentence
        await one.close()


async def test_when_a_node_dies_the_next_is_joined_and_a_circle_is_gone_round(
    living: EmbeddedBroker,
) -> None:
    async with EmbeddedBroker() as first:
        one = transport(first.port, free_port(), living.port)
        await one.open()
        assert f":{first.port}" in one.status.sentence
    pauses = []
    async with asyncio.timeout(60):
        async for status in one.statuses():
            pauses += [] if status.retry_in is None else [status.retry_in]
            if status.state is LinkState.CONNECTED and f":{living.port}" in status.sentence:
                break
    assert sum(pauses) < 1.0
    async with transport(living.port) as two:
        await carries(one, two)
    await one.close()


async def test_a_node_that_passes_nothing_on_is_left_where_there_are_others(
    living: EmbeddedBroker,
) -> None:
    async def swallow(visit: Visit) -> None:
        await visit.welcome()
        await stall(visit)

    async with (
        HostileBroker(swallow) as frozen,
        transport(frozen.port, living.port, echo_deadline=0.2) as one,
    ):
        assert f":{frozen.port}" in one.status.sentence
        await one.send(b"into the void")
        await until(one, LinkState.CONNECTED, f":{living.port}")


REFUSING = saying(b"\x20\x02\x00\x04", b"\x20\x03\x00\x86\x00", after="connect")


async def test_each_seat_begins_at_another_node() -> None:
    called: list[int] = []

    def noting(node: int) -> Behaviour:
        async def behave(visit: Visit) -> None:
            called.append(node)
            await REFUSING(visit)

        return behave

    async with AsyncExitStack() as stack:
        brokers = [await stack.enter_async_context(HostileBroker(noting(n))) for n in range(3)]
        nodes = parse_nodes(",".join(f"mqtt://127.0.0.1:{each.port}" for each in brokers))
        table = new_table(nodes[0], "304", "pagat", other_nodes=nodes[1:])
        begun = []
        for invite in (*table.invites, table.watch):
            assert invite.nodes == nodes
            called.clear()
            await refused(transport_for(invite, version=MqttVersion.MQTT_5))
            assert {*called} == {0, 1, 2}
            begun.append(called[0])
    assert begun == [0, 1, 2, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "mqtts://a.example,",
        ",mqtts://a.example",
        "mqtts://a.example,,mqtts://b.example",
        "mqtts://a.example,mqtts://a.example:8883",
        ",".join(f"mqtts://{letter}.example" for letter in "abcde"),
        ",".join(f"mqtts://{letter * 60}.example" for letter in "abcd"),
    ],
)
def test_addresses_that_are_none_twice_or_too_many_are_refused(text: str) -> None:
    with pytest.raises(AddressError):
        parse_nodes(text)
    assert parse_nodes(format_nodes((ONE, TWO))) == (ONE, TWO)


# --- whose password it is -------------------------------------------------------------------------

MINE = Credentials(user="amara", password=Secret("hunter2"))


def test_a_password_goes_to_hosts_that_its_owner_named() -> None:
    with pytest.raises(CredentialsError, match=r"if you trust one\.example\.org, write"):
        MINE.check_hosts((ONE, BrokerAddress.parse("mqtts://one.example.org:9999")))
    with pytest.raises(CredentialsError, match=r"if you trust one\.example\.org, two"):
        MINE.check_hosts((ONE, TWO))
    named = MINE.meant_for((ONE,))
    named.check_hosts((ONE,))
    with pytest.raises(CredentialsError, match=r"if you trust two\.example\.org, write"):
        named.check_hosts((ONE, TWO))
    with pytest.raises(CredentialsError):
        named.check_hosts((TWO,))
    named.meant_for((TWO,)).check_hosts((ONE, TWO))
    Credentials(ca=Path("ca.crt")).check_hosts((ONE, TWO))
    with pytest.raises(CredentialsError):
        Credentials(certificate=Path("me.crt"), key=Path("me.key")).check_hosts((ONE, TWO))


def test_a_credentials_file_names_the_hosts_that_may_see_it(tmp_path: Path) -> None:
    path = tmp_path / "credentials"
    path.write_text("user = amara\npassword = hunter2\nhosts = One.example.org, two.example.org\n")
    path.chmod(0o600)
    found = credentials_from_file(path)
    assert found.hosts == ("one.example.org", "two.example.org")
    invite = new_table(ONE, "304", "pagat", other_nodes=(TWO,)).invites[1]
    transport_for(invite, found)
    with pytest.raises(CredentialsError):
        transport_for(invite.at((ONE, BrokerAddress.parse("evil.example"))), found)
    with pytest.raises(CredentialsError) as caught:
        transport_for(invite, MINE)
    assert "hunter2" not in str(caught.value)
