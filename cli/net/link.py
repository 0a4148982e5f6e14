"""The link to a broker: TCP, TLS or websocket, bounded, abortable.

Everything is asyncio's: no thread waits for a broker that never answers. TransportError says in one
sentence what went wrong, because libraries say "Operation timed out" to a plain client on a TLS
port and in many other cases.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import ssl
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from cli.bounds import (
    CHUNK,
    EYEBALLS_DELAY,
    LONGEST_PROXY_ANSWER,
    MAX_PACKET,
    PROXY_DEADLINE,
    WEBSOCKET_CHUNK,
)
from cli.net.address import BrokerAddress, bracketed
from cli.net.credentials import Credentials, Secret
from cli.net.transport import TransportError, Trouble

# The HTTP proxy on the way to a broker over websockets, as the settings of this machine name it.
#
# `wss://` and `ws://` to hosts beyond the local network go through it, by the method CONNECT;
# nothing else does. Its password goes to it alone and is in no sentence; where the proxy fails, the
# proxy is what is told, and not the broker behind it.

# The specific setting first, then in the order of RFC 6455, 4.1: socks before https before http. We
# speak no socks, and say so, since to dial past a proxy is not what the user set.
#: Whose proxy is taken for a scheme, the first that is set.
_SETTINGS: Final = {"wss": ("wss", "socks", "https"), "ws": ("ws", "socks", "https", "http")}

# The reason behind the code may be missing, and with it, in some servers, the blank.
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})[ \r]")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, and the setting that names it. `login` is `user:password`."""

    host: str
    port: int
    setting: str
    login: Secret | None = None  #: None: the proxy is asked without a user.


def proxy_for(address: BrokerAddress) -> Proxy | None:
    """Return the proxy to use for a broker, by the environment; None for none.

    Raises TransportError for a proxy of a kind that we cannot use.
    """
    # Plain MQTT is no HTTP, and a proxy does not know the local network.
    if not address.scheme.websocket or address.near:
        return None
    # Settings of the system, no_proxy among them.
    if proxy_bypass(f"{address.host}:{address.port}"):
        return None
    named = getproxies()
    setting = next((each for each in _SETTINGS[address.scheme.value] if named.get(each)), None)
    if setting is None:
        return None
    # The scheme may be left out.
    text = named[setting] if "://" in named[setting] else f"http://{named[setting]}"
    # Not told: the error's text holds the setting, and in it a password.
    with suppress(ValueError):
        parts = urlsplit(text)
        # Plain characters, as those of a broker's address.
        plain = parts.netloc.isascii() and parts.netloc.isprintable()
        # A socks setting may have no scheme in its text.
        if setting != "socks" and parts.scheme == "http" and parts.hostname and plain:
            login = None
            if parts.username is not None:
                # Percent signs stand for characters that a URL cannot hold.
                login = Secret(f"{unquote(parts.username)}:{unquote(parts.password or '')}")
            # Port 80, as HTTP has it. 0, which is no port to connect to, counts as none.
            return Proxy(parts.hostname, parts.port or 80, f"{setting}_proxy", login)
    raise TransportError(
        Trouble.PROXY,
        f"The setting {setting}_proxy names no proxy of the form http://host:port, and p2p304"
        " speaks to no other: set wss_proxy to such an address, or name the broker's host in"
        " no_proxy.",
    )


async def _tunnel(proxy: Proxy, address: BrokerAddress) -> socket.socket:
    """Return a connection to the broker through its proxy (HTTP CONNECT).

    Raises TransportError if the proxy cannot be reached, or refuses.
    """
    named = f"The proxy http://{bracketed(proxy.host)}:{proxy.port} ({proxy.setting})"
    lines = [f"CONNECT {address.netloc} HTTP/1.1", f"Host: {address.netloc}"]
    if proxy.login is not None:
        login = b64encode(proxy.login.reveal().encode()).decode("ascii")
        lines.append(f"Proxy-Authorization: Basic {login}")
    try:
        async with asyncio.timeout(PROXY_DEADLINE):
            reader, writer = await asyncio.open_connection(
                proxy.host, proxy.port, happy_eyeballs_delay=EYEBALLS_DELAY
            )
            # The transport ends in any case: what has passed gets a descriptor of its own.
            try:
                # Two empty parts: the last line's end, and the empty line after the head.
                writer.write("\r\n".join((*lines, "", "")).encode("ascii"))
                answer = b""
                # Bounded, since whoever answers may send without end.
                while b"\r\n\r\n" not in answer and len(answer) <= LONGEST_PROXY_ANSWER:
                    chunk = await reader.read(4_096)
                    if not chunk:
                        break
                    answer += chunk
                status = _STATUS.match(answer)
                code = int(status[1]) if status else 0
                # Any 2xx opens a tunnel (RFC 9110, 9.3.6). Bytes after the head would be lost, as
                # TLS begins on a bare socket: the broker speaks after us, never before.
                if 200 <= code < 300 and answer.endswith(b"\r\n\r\n"):
                    return socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno()))
            finally:
                writer.transport.abort()
    # The proxy fails, and not the broker behind it.
    except OSError as error:
        told = error.strerror or str(error) or "no answer in time"
        raise TransportError(
            Trouble.PROXY,
            f"{named} cannot be reached ({told}): check that setting, and the network.",
        ) from error
    match code:
        case _ if code < 300:
            why = "does not speak HTTP as a proxy does: check that setting"
        # Proxy Authentication Required (RFC 9110, 15.5.8).
        case 407:
            why = "asks for a user and a password, or refuses those in that setting: check them"
        case _:
            why = (
                f"does not connect us to {address.format()} (HTTP {code}): check that address, try"
                " later, or ask the one who runs the proxy"
            )
    raise TransportError(Trouble.PROXY, f"{named} {why}.")


# Several packets may come in one message of a websocket.
MAX_MESSAGE: Final = 4 * MAX_PACKET
# Not from `getLogger`: nothing that a broker writes reaches the user's log.
SILENT: Final = logging.Logger("cli.net.silent", level=logging.CRITICAL + 1)


class Link:
    """A two-way stream of bytes to a broker: TCP, with or without TLS, plain or in binary websocket
    messages (MQTT 5.0, section 6).
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._websocket: ClientProtocol | None = None

    async def begin_websocket(self, url: str) -> None:
        """Open a websocket on the connection; raises OSError, and ends the link, if there is none.

        It follows no redirect: the credentials are for the host of the address alone, and its path
        comes with an invite, which may make that host redirect.
        """
        # Without compression, as sealed frames do not become smaller, and without a user agent, as
        # nothing about this program is told to the broker.
        websocket = self._websocket = ClientProtocol(
            parse_uri(url),
            subprotocols=[Subprotocol("mqtt")],
            max_size=MAX_MESSAGE,
            logger=SILENT,
        )
        websocket.send_request(websocket.connect())
        self._writer.write(b"".join(websocket.data_to_send()))
        try:
            while websocket.state is State.CONNECTING:
                chunk = await self._reader.read(CHUNK)
                if chunk:
                    _feed(websocket, chunk)
                # A port that speaks something else hangs up, or answers otherwise.
                if not chunk or websocket.handshake_exc is not None:
                    raise ConnectionError("it opens no websocket")
        # BaseException: a cancellation, too, leaves no connection behind.
        except BaseException:
            self.abort()
            raise

    async def read(self) -> bytes:
        """Return some bytes, at most 64 KiB, or 256 KiB of a websocket. Raises OSError for a broken
        link, and at its end.
        """
        size = CHUNK if self._websocket is None else WEBSOCKET_CHUNK
        while chunk := await self._reader.read(size):
            _acknowledge_at_once(self._writer.transport)
            if self._websocket is None:
                return chunk
            if found := self._unwrap(self._websocket, chunk):
                return found
            # Closed by the broker, or because of what it sent.
            if self._websocket.state is not State.OPEN:
                break
            # What waits is read without a pause, and empty frames and pings cost more than bytes.
            await asyncio.sleep(0)
        raise ConnectionError("the broker ended it")

    def _unwrap(self, websocket: ClientProtocol, chunk: bytes) -> bytes:
        """Return the bytes of MQTT in websocket data, and write the answers to pings and to a
        close.
        """
        _feed(websocket, chunk)
        frames = [each for each in websocket.events_received() if isinstance(each, Frame)]
        self._writer.write(b"".join(websocket.data_to_send()))
        # A broker that pings and reads nothing would fill our memory with answers.
        if self._writer.transport.get_write_buffer_size() > MAX_MESSAGE:
            raise ConnectionError("the broker does not read what it asked for")
        # MQTT in websockets is binary (MQTT 5.0, 6).
        if any(each.opcode is Opcode.TEXT for each in frames):
            raise ConnectionError("the broker sent text on a binary websocket")
        return b"".join(each.data for each in frames if each.opcode in (Opcode.BINARY, Opcode.CONT))

    async def write(self, data: bytes) -> None:
        """Write all of `data`, waiting while the broker does not read. Raises OSError for a broken
        link.
        """
        if self._websocket is not None:
            if self._websocket.state is not State.OPEN:
                raise ConnectionError("the websocket is closed")
            self._websocket.send_binary(data)
            data = b"".join(self._websocket.data_to_send())
        self._writer.write(data)
        await self._writer.drain()

    def abort(self) -> None:
        """End the connection now, without waiting for anything."""
        self._writer.transport.abort()


def _feed(websocket: ClientProtocol, chunk: bytes) -> None:
    """Let the library read a broker's bytes; raises ConnectionError where it fails."""
    try:
        websocket.receive_data(chunk)
    except Exception as error:
        # The library asserts, and encodes, what strangers wrote.
        raise ConnectionError("the broker's websocket is broken") from error


async def open_link(address: BrokerAddress, credentials: Credentials) -> Link:
    """Connect to `address`, through a proxy if there is one.

    Raises OSError, or TransportError with a sentence where another thing than the broker fails.
    """
    # Before dialling: a bad file is told without the network.
    tls = tls_context(credentials) if address.scheme.encrypted else None
    # A password goes over the internet encrypted or not at all (attacks MQ10).
    if address.exposed and credentials.password is not None:
        raise TransportError(
            # No trouble of its own: as with a bad certificate, a person must change something.
            Trouble.CERTIFICATE,
            f"{address.format()} is not encrypted and your password would be readable on the way:"
            " use mqtts:// or wss://.",
        )
    proxy = proxy_for(address)
    through = None if proxy is None else await _tunnel(proxy, address)
    # A connection that is there already is given without a place.
    there = (address.host, address.port) if through is None else (None, None)
    reader, writer = await asyncio.open_connection(
        *there,
        sock=through,
        # What waits unread: asyncio reads on until it is twice as much.
        limit=MAX_PACKET,
        ssl=tls,
        # The name that the certificate must bear, also for an IP address.
        server_hostname=address.host if tls else None,
        happy_eyeballs_delay=EYEBALLS_DELAY,
    )
    link = Link(reader, writer)
    if address.scheme.websocket:
        await link.begin_websocket(f"{address.scheme.value}://{address.netloc}{address.path}")
    return link


def why_unreached(where: str, error: OSError) -> tuple[Trouble, str]:
    """Return what is wrong where somebody cannot be reached, and what to do."""
    told = (error.strerror or str(error) or "unknown reason").rstrip(".")
    # The most special first: all are kinds of OSError.
    match error:
        case TimeoutError():
            return Trouble.TIMEOUT, (
                f"{where} did not let us in in time: check the address, the network and the"
                " firewall. The port may be one for TLS (mqtts://), or the broker is overloaded."
            )
        case ssl.SSLCertVerificationError():
            advice = (
                "check the address, or name the broker's own authority as 'ca' in the credentials"
                " file"
            )
            # The usual cause on a machine without a battery for its clock.
            if "expired" in error.verify_message or "not yet valid" in error.verify_message:
                advice = "check the clock of this machine first"
            told = error.verify_message.rstrip(".")
            return Trouble.CERTIFICATE, (
                f"The certificate of {where} is not trusted ({told}): {advice}."
            )
        case ssl.SSLError():
            return Trouble.CERTIFICATE, (
                f"{where} and we cannot agree on TLS ({error.reason}): the port may be one without"
                " TLS, or the broker may ask for a client certificate."
            )
        case socket.gaierror():
            return Trouble.UNREACHABLE, (
                f"No machine is known by the name in {where}: check it, and the network."
            )
        case ConnectionRefusedError():
            return Trouble.UNREACHABLE, (
                f"Nothing listens at {where}: check the port, and whether the broker runs."
            )
        # Also PacketError: no answer, or none that a broker gives.
        case ConnectionError():
            return Trouble.PROTOCOL, (
                f"{where} does not speak as a broker does ({told}): the port may be one for TLS"
                " (mqtts://), or without it, for websockets, or of another service, or the broker"
                " is full, or asks for a client certificate."
            )
        case _:
            return Trouble.UNREACHABLE, (
                f"{where} cannot be reached ({told}): check the address and the network."
            )


def _acknowledge_at_once(transport: asyncio.BaseTransport) -> None:
    """Keep the kernel from delaying its acknowledgement of received data by 40 ms.

    A broker with Nagle's algorithm on (mosquitto by default) holds its next message until then.
    asyncio switches the algorithm off for what we send. Linux forgets the option, so it is set
    after every read; other systems do not have it.
    """
    connection: socket.socket = transport.get_extra_info("socket")
    if hasattr(socket, "TCP_QUICKACK") and not transport.is_closing():
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def tls_context(credentials: Credentials) -> ssl.SSLContext:
    """Return a TLS context (1.2 or later) that verifies certificate and host name, with our
    certificate if any.

    Raises TransportError if a certificate file cannot be used.
    """
    # Errors of OpenSSL name no file, so we note which one is read.
    file = credentials.ca
    try:
        context = ssl.create_default_context(cafile=credentials.ca)
        # Older versions are broken; Python's default may allow them.
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if credentials.certificate is not None:
            file, locked = credentials.certificate, credentials.key_password
            # An empty password keeps OpenSSL from asking on the terminal behind our back.
            context.load_cert_chain(
                credentials.certificate,
                credentials.key,
                password=locked.reveal() if locked is not None else "",
            )
    except (OSError, ssl.SSLError) as error:
        # OSError for files, SSLError for what is in them.
        raise TransportError(
            Trouble.CERTIFICATE,
            f"The certificate files cannot be used ({error.strerror or error.__class__.__name__},"
            f" {error.filename or file}): check that they exist and belong together.",
        ) from error
    return context
