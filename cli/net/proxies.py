"""The HTTP proxy on the way to a broker over websockets, as the settings of this machine name it.

`wss://` and `ws://` to hosts beyond the local network go through it, by the method CONNECT; nothing
else does. Its password goes to it alone and is in no sentence; where the proxy fails, the proxy is
what is told, and not the broker behind it.
"""

from __future__ import annotations

import asyncio
import re
import socket
from base64 import b64encode
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from cli.net.address import BrokerAddress
from cli.net.credentials import Secret
from cli.net.transport import TransportError, Trouble

LONGEST_ANSWER: Final = 16_384
_SETTINGS: Final = {"wss": ("wss", "socks", "https"), "ws": ("ws", "socks", "https", "http")}
"""Whose proxy is taken for a scheme, the first that is set."""

_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})[ \r]")
_UNSPOKEN: Final = ("https", "socks", "socks4", "socks4a", "socks5", "socks5h")
_INSTEAD: Final = (
    "set wss_proxy to an address such as http://proxy.example.org:3128, or name the broker's host"
    " in no_proxy"
)


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, and which setting names it. `login` is `user:password`."""

    host: str
    port: int
    setting: str
    login: Secret | None = None

    def format(self) -> str:
        """Return the proxy's address and where that stands, without what it asks of us."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"The proxy http://{host}:{self.port} ({self.setting})"


def proxy_for(address: BrokerAddress) -> Proxy | None:
    """Return the proxy between us and a broker; None where there is none.

    Raises TransportError where a proxy is set that we cannot speak to.
    """
    if not address.scheme.websocket or address.near:
        return None
    if proxy_bypass(f"{address.host}:{address.port}"):
        return None
    named = getproxies()
    for kind in _SETTINGS[address.scheme.value]:
        if named.get(kind):
            return _proxy(named[kind], setting=f"{kind}_proxy")
    return None


def _proxy(text: str, *, setting: str) -> Proxy:
    """Read `http://[user:password@]host[:port]`; the scheme may be left out."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        raise _no_proxy(setting, "is no address of a proxy") from None
    if setting == "socks_proxy" or parts.scheme != "http":
        kind = "socks" if setting == "socks_proxy" else parts.scheme
        spoken = f"a {kind} proxy" if kind in _UNSPOKEN else "no http:// proxy"
        raise _no_proxy(setting, f"names {spoken}, and p2p304 speaks to http:// ones alone")
    if not parts.hostname or not parts.netloc.isascii() or not parts.netloc.isprintable():
        raise _no_proxy(setting, "is no address of a proxy")
    return Proxy(parts.hostname, port or 80, setting, _login(parts))


def _login(parts: SplitResult) -> Secret | None:
    if parts.username is None:
        return None
    return Secret(f"{unquote(parts.username)}:{unquote(parts.password or '')}")


def _no_proxy(setting: str, why: str) -> TransportError:
    return TransportError(Trouble.PROXY, f"The setting {setting} {why}: {_INSTEAD}.")


async def open_tunnel(proxy: Proxy, address: BrokerAddress, *, deadline: float) -> socket.socket:
    """Open a connection to the broker through its proxy, within `deadline` seconds.

    Raises TransportError with a sentence on what is wrong with the proxy.
    """
    try:
        async with asyncio.timeout(deadline):
            connection = await _dial(proxy)
            try:
                await _pass(connection, proxy, address)
            except BaseException:
                connection.close()
                raise
            return connection
    except TimeoutError:
        why = f"did not answer within {deadline:g} seconds"
    except socket.gaierror:
        why = "is on a machine whose name nobody knows"
    except ConnectionRefusedError:
        why = "is not there: nothing listens at that address"
    except ConnectionError:
        why = "ended the connection before it answered"
    except OSError as error:
        why = f"cannot be reached ({error.strerror or error})"
    raise TransportError(
        Trouble.PROXY, f"{proxy.format()} {why}: check that setting, and the network."
    )


async def _dial(proxy: Proxy) -> socket.socket:
    loop = asyncio.get_running_loop()
    last: OSError = OSError("it has no address")
    found = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    for family, kind, number, _, where in found:
        connection = socket.socket(family, kind, number)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, where)
        except OSError as error:
            connection.close()
            last = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise last


async def _pass(connection: socket.socket, proxy: Proxy, address: BrokerAddress) -> None:
    """Ask for the way to the broker; TransportError where the proxy does not give it."""
    loop = asyncio.get_running_loop()
    host = f"[{address.host}]" if ":" in address.host else address.host
    lines = [f"CONNECT {host}:{address.port} HTTP/1.1", f"Host: {host}:{address.port}"]
    if proxy.login is not None:
        login = b64encode(proxy.login.reveal().encode()).decode("ascii")
        lines.append(f"Proxy-Authorization: Basic {login}")
    await loop.sock_sendall(connection, "\r\n".join((*lines, "", "")).encode("ascii"))
    answer = b""
    while b"\r\n\r\n" not in answer and len(answer) <= LONGEST_ANSWER:
        chunk = await loop.sock_recv(connection, 4_096)
        if not chunk:
            break
        answer += chunk
    status = _STATUS.match(answer)
    if status is None:
        why = "does not speak HTTP: check that setting"
    elif 200 <= (code := int(status[1])) < 300:
        if answer.endswith(b"\r\n\r\n"):  # the broker speaks after us, never before
            return
        why = "does not speak HTTP as a proxy does: check that setting"
    else:
        why = _why_not_passed(code, address)
    raise TransportError(Trouble.PROXY, f"{proxy.format()} {why}.")


def _why_not_passed(code: int, address: BrokerAddress) -> str:
    where = address.format()
    match code:
        case 407:
            return "asks for a user and a password, or refuses those in that setting: check them"
        case 502 | 503 | 504:
            return f"cannot reach {where} (HTTP {code}): check the broker's address, or try later"
        case _:
            return f"does not let us through to {where} (HTTP {code}): ask the one who runs it"
