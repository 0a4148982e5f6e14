"""The link to a broker: TCP, TLS or websocket, opened within a deadline, bounded, abortable.

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
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from cli.bounds import CHUNK, EYEBALLS_DELAY, LONGEST_PROXY_ANSWER, MAX_PACKET, WEBSOCKET_CHUNK
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
#: Kinds of proxies that an error calls by their name; we speak none of them.
_UNSPOKEN: Final = ("https", "socks", "socks4", "socks4a", "socks5", "socks5h")
_INSTEAD: Final = (
    "set wss_proxy to an address such as http://proxy.example.org:3128, or name the broker's host"
    " in no_proxy"
)


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, and the setting that names it. `login` is `user:password`."""

    host: str
    port: int
    setting: str
    login: Secret | None = None  #: None: the proxy is asked without a user.

    def format(self) -> str:
        """Return the proxy's address and the setting that names it, without the login."""
        return f"The proxy http://{bracketed(self.host)}:{self.port} ({self.setting})"


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
    for kind in _SETTINGS[address.scheme.value]:
        if named.get(kind):
            return _proxy(named[kind], setting=f"{kind}_proxy")
    return None


def _proxy(text: str, *, setting: str) -> Proxy:
    """Return the proxy in `http://[user:password@]host[:port]`; the scheme may be left out."""
    why = "is no address of a proxy"
    # Not told: the error's text holds the setting, and in it a password.
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        # A socks setting may have no scheme in its text.
        kind = "socks" if setting == "socks_proxy" else parts.scheme
        if kind != "http":
            spoken = f"a {kind} proxy" if kind in _UNSPOKEN else "no http:// proxy"
            why = f"names {spoken}, and p2p304 speaks to http:// ones alone"
        # Plain characters, as those of a broker's address.
        elif parts.hostname and parts.netloc.isascii() and parts.netloc.isprintable():
            login = None
            if parts.username is not None:
                # Percent signs stand for characters that a URL cannot hold.
                login = Secret(f"{unquote(parts.username)}:{unquote(parts.password or '')}")
            # Port 80, as HTTP has it. 0, which is no port to connect to, counts as none.
            return Proxy(parts.hostname, parts.port or 80, setting, login)
    raise TransportError(Trouble.PROXY, f"The setting {setting} {why}: {_INSTEAD}.")


async def _tunnel(proxy: Proxy, address: BrokerAddress) -> socket.socket:
    """Return a connection to the broker through its proxy (HTTP CONNECT).

    Raises OSError if the proxy cannot be reached, TransportError if it refuses.
    """
    where = address.netloc
    lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
    if proxy.login is not None:
        login = b64encode(proxy.login.reveal().encode()).decode("ascii")
        lines.append(f"Proxy-Authorization: Basic {login}")
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
        if why := _why_not_passed(answer, address):
            raise TransportError(Trouble.PROXY, f"{proxy.format()} {why}.")
        return socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno()))
    finally:
        writer.transport.abort()


def _why_not_passed(answer: bytes, address: BrokerAddress) -> str:
    """Return why a proxy's answer to CONNECT opens no tunnel; "" if it opens one."""
    status, where = _STATUS.match(answer), address.format()
    if status is None:
        return "does not speak HTTP: check that setting"
    match int(status[1]):
        # Any 2xx opens a tunnel (RFC 9110, 9.3.6). Bytes after the head would be lost, as TLS
        # begins on a bare socket: the broker speaks after us, never before.
        case code if 200 <= code < 300:
            whole = answer.endswith(b"\r\n\r\n")
            return "" if whole else "does not speak HTTP as a proxy does: check that setting"
        # Proxy Authentication Required (RFC 9110, 15.5.8).
        case 407:
            return "asks for a user and a password, or refuses those in that setting: check them"
        # The three of a proxy that fails behind itself.
        case 502 | 503 | 504 as code:
            return f"cannot reach {where} (HTTP {code}): check the broker's address, or try later"
        case code:
            return f"does not let us through to {where} (HTTP {code}): ask the one who runs it"


def _why_no_tunnel(error: OSError, deadline: float) -> str:
    """Return why a proxy cannot be reached."""
    # The most special first: all are kinds of OSError.
    match error:
        case TimeoutError():
            return f"did not answer within {deadline:g} seconds"
        case socket.gaierror():
            return "is on a machine whose name is not known here"
        case ConnectionRefusedError():
            return "is not there: nothing listens at that address"
        case ConnectionError():
            return "ended the connection before it answered"
        case _:
            return f"cannot be reached ({error.strerror or error})"


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
        """Open a websocket on the connection; raises InvalidHandshake if there is none.

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
        while websocket.state is State.CONNECTING and websocket.handshake_exc is None:
            chunk = b""
            # A port that hangs up is an end: it speaks something else.
            with suppress(ConnectionError):
                chunk = await self._reader.read(CHUNK)
            if chunk:
                _feed(websocket, chunk)
            else:
                websocket.receive_eof()
        if websocket.handshake_exc is not None:
            raise websocket.handshake_exc

    async def read(self) -> bytes:
        """Return some bytes, at most 64 KiB, or 256 KiB of a websocket; empty at the end. Raises
        OSError for a broken link.
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
        return b""

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


async def open_link(address: BrokerAddress, credentials: Credentials, *, deadline: float) -> Link:
    """Connect to `address`, through a proxy if there is one, within `deadline` seconds.

    Raises TransportError with a sentence on what is wrong and what to do.
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
    proxy, through = proxy_for(address), None
    with ExitStack() as opened:
        try:
            async with asyncio.timeout(deadline):
                if proxy is not None:
                    through = opened.enter_context(await _tunnel(proxy, address))
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
                opened.callback(link.abort)
                if address.scheme.websocket:
                    await link.begin_websocket(
                        f"{address.scheme.value}://{address.netloc}{address.path}"
                    )
        except InvalidHandshake as error:
            raise TransportError(
                Trouble.PROTOCOL,
                f"{address.format()} does not speak MQTT over websockets: check the port and the"
                " path.",
            ) from error
        except OSError as error:
            if proxy is not None and through is None:
                # The proxy fails, and not the broker behind it.
                why = f"{proxy.format()} {_why_no_tunnel(error, deadline)}"
                raise TransportError(
                    Trouble.PROXY, f"{why}: check that setting, and the network."
                ) from error
            raise TransportError(*_why_unreached(error, address, deadline)) from error
        # It stays open.
        opened.pop_all()
        return link


def _why_unreached(error: OSError, address: BrokerAddress, deadline: float) -> tuple[Trouble, str]:
    """Return what is wrong where a broker cannot be reached, and what to do."""
    where = address.format()
    # The most special first: all are kinds of OSError.
    match error:
        case TimeoutError():
            return Trouble.TIMEOUT, (
                f"{where} did not answer within {deadline:g} seconds: check the address, the"
                " network and the firewall."
            )
        case ssl.SSLCertVerificationError():
            return Trouble.CERTIFICATE, _why_no_trust(where, error)
        case ssl.SSLError():
            return Trouble.CERTIFICATE, (
                f"{where} and we cannot agree on TLS ({error.reason or 'unknown reason'}): the port"
                " may be one without TLS, or the broker may ask for a client certificate."
            )
        case socket.gaierror():
            return Trouble.UNREACHABLE, (
                f"No machine named {address.host} is known: check the address and the network."
            )
        case ConnectionRefusedError():
            return Trouble.UNREACHABLE, (
                f"Nothing listens at {where}: check the port, and whether the broker runs."
            )
        case ConnectionError():
            plain = "without TLS, or " if address.scheme.encrypted else ""
            return Trouble.PROTOCOL, (
                f"{where} ended the connection at once: the port may be {plain}of another service,"
                " or a firewall is in the way."
            )
        case _:
            return Trouble.UNREACHABLE, (
                f"{where} cannot be reached ({error.strerror or error}): check the address and the"
                " network."
            )


def _acknowledge_at_once(transport: asyncio.BaseTransport) -> None:
    """Keep the kernel from delaying its acknowledgement of received data by 40 ms.

    A broker with Nagle's algorithm on (mosquitto by default) holds its next message until then.
    asyncio switches the algorithm off for what we send. Linux forgets the option, so it is set
    after every read; other systems do not have it.
    """
    connection: socket.socket = transport.get_extra_info("socket")
    # A unix socket has no such option.
    if not transport.is_closing() and connection.family in (socket.AF_INET, socket.AF_INET6):
        option = getattr(socket, "TCP_QUICKACK", None)
        if option is not None:
            connection.setsockopt(socket.IPPROTO_TCP, option, 1)


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


def _why_no_trust(where: str, error: ssl.SSLCertVerificationError) -> str:
    """Return the sentence on why a broker's certificate is not trusted, and what to do."""
    reason = (error.verify_message or "unknown reason").rstrip(".")
    advice = "check the address, or name the broker's own authority as 'ca' in the credentials file"
    # The usual cause on a machine without a battery for its clock.
    if "expired" in reason or "not yet valid" in reason:
        advice = "check the clock of this machine first"
    return f"The certificate of {where} is not trusted ({reason}): {advice}."
