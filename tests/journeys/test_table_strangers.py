"""One who has the table key but no seat: it injects, replays, retains and wills, for nothing."""

from __future__ import annotations

import asyncio
import secrets

from cli.invite import Invite
from cli.local.bot_processes import AT_ONCE
from cli.net.packets import PacketCutter, PacketType
from p2p304.games import full_agreement
from p2p304.seats import Seat
from protocol.errors import MalformedMessage
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.envelope import Purpose, sign
from protocol.wire.identity import FRAME_SIZES, Seal, SigningKey
from tests.journeys.running_brokers import (
    Mosquitto,
    connect_packet,
    needs_mosquitto,
    publish_packet,
    subscribe_packet,
)
from tests.journeys.text_processes import Room, played, transcripts

pytestmark = needs_mosquitto


class Stranger:
    """Holds the invite to watch and disturbs as well as it can, until it is stopped."""

    def __init__(self, invite: Invite, broker: Mosquitto) -> None:
        self.invite = invite
        self.broker = broker
        self.seal = Seal(invite.table_key, invite.table)
        self.key = SigningKey(secrets.token_bytes(32))
        self.heard = 0
        self.published = 0
        self.kinds: set[str] = set()

    async def disturb(self) -> None:
        """Answer every frame with forgeries and replays; every connection breaks and wills."""
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.broker.port)
            topic, will = self.seal.topic.encode(), self._sealed(b"L" + b"\x00" * 40)
            left = b"".join(len(each).to_bytes(2, "big") + each for each in (topic, will))
            retained = connect_packet(flags=0x26, extra=left)
            writer.write(retained + subscribe_packet(self.seal.topic))
            await self._visit(reader, writer)
            writer.transport.abort()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        cutter, mine = PacketCutter(limit=200_000), set[bytes]()
        skipped = 2 + len(self.seal.topic)
        heard = 0
        while heard < 40 and (piece := await reader.read(65_536)):
            for packet in cutter.feed(piece):
                frame = packet.body[skipped:]
                if packet.kind is not PacketType.PUBLISH or frame in mine:
                    continue
                heard += 1
                self.heard += 1
                for answer, retain in self._answers(frame):
                    mine.add(answer)
                    self.published += 1
                    flags = 1 if retain else 0
                    writer.write(publish_packet(self.seal.topic, answer, newer=False, flags=flags))
            await writer.drain()

    def _answers(self, frame: bytes) -> list[tuple[bytes, bool]]:
        """What is published after a frame of somebody: the frame again, and worse."""
        answers = [(frame, True)]
        if self.heard % 10 == 1:
            junk = bytes((PROTOCOL_VERSION,)) + secrets.token_bytes(FRAME_SIZES[0] - 1)
            answers += [(junk, False), (secrets.token_bytes(70_000), False), (b"", True)]
        try:
            payload = self.seal.open(frame).payload
        except MalformedMessage:
            return answers
        message = lobby.from_bytes(payload, seats=4, table=self.invite.table)
        if message is not None:
            self.kinds.add(type(message).__name__)
        if isinstance(message, lobby.Claim):
            answers += [(self._sealed(each), True) for each in self._lies(message)]
        elif message is None:
            flipped = bytearray(payload)
            flipped[-1] ^= 1
            answers += [(self._sealed(bytes(flipped)), False)]
            answers += [(self._sealed(self._forged(payload)), False)]
        return answers

    def _lies(self, claim: lobby.Claim) -> list[bytes]:
        """A charter with this claimant among strangers, a refusal, the seat claimed again."""
        others = [
            SeatEntry(
                SigningKey(secrets.token_bytes(32)).public, f"X{seat}", secrets.token_bytes(32)
            )
            for seat in range(4)
        ]
        others[claim.seat] = claim.entry
        charter = Charter(self.invite.table, "304", full_agreement("304"), tuple(others))
        token = secrets.token_bytes(16)
        taken = lobby.Taken(self.invite.table, claim.seat, claim.entry.nonce, lobby.Clash.SEAT)
        again = lobby.Claim.make(
            table=self.invite.table,
            seat=Seat(claim.seat),
            token=token,
            key=self.key,
            nickname="Xavier",
            nonce=secrets.token_bytes(32),
        )
        messages: list[lobby.LobbyMessage] = [
            lobby.Board.of(charter),
            lobby.Board.of(charter, (token,) * 4),
            taken.proved(token),
            again,
            lobby.Inquiry(self.invite.table, claim.seat, False),
        ]
        return [lobby.to_bytes(each) for each in messages]

    def _forged(self, payload: bytes) -> bytes:
        """The body of a message under a stranger's signature."""
        seat = Seat(payload[1] % 4)
        return sign(
            self.key, payload[-200:], purpose=Purpose.LEDGER, seat=seat, charter=bytes(32)
        ).to_bytes()

    def _sealed(self, payload: bytes) -> bytes:
        return self.seal.seal(payload, seat=secrets.randbelow(4), entropy=secrets.token_bytes)


async def test_a_stranger_with_the_table_key_disturbs_nothing(
    room: Room, broker: Mosquitto
) -> None:
    url = f"mqtt://127.0.0.1:{broker.port}"
    ends = ("--hands", "1", "--linger", "2")
    host = await room.run("south", "host", "--name", "Amara", "--broker", url, "--watch", *ends)
    *invites, watch = await host.invites(4)
    stranger = Stranger(Invite.parse(watch), broker)
    disturbing = asyncio.create_task(stranger.disturb())
    bots = [
        await room.run(f"bot{seat}", "bot", *ends, *AT_ONCE, typed=(invite,))
        for seat, invite in enumerate(invites)
    ]
    for bot in bots:
        bot.close_input()
    for process in (host, *bots):
        assert await process.ended() == 0, process.errors
        assert process.errors == ""
        assert not list(process.home.glob("tables/*/evidence*"))
    assert not disturbing.done()
    disturbing.cancel()
    kept = transcripts(host.home)
    assert played(host.home) == 1
    assert all(transcripts(bot.home) == kept for bot in bots)
    assert "Xavier" not in host.text
    assert "broke the protocol" not in host.text
    assert stranger.published > 2 * stranger.heard > 60
    assert {"Claim", "Board"} <= stranger.kinds
