"""A live page and its events, served over HTTP to browsers, read-only.

A connection carries one request: GET or HEAD of the page or of its events. A request with another
Host than the served address, or without the token, gets neither. So a page of another site whose
name leads here (DNS rebinding) names another host, and one that asks across origins is recognised
by its headers and lacks the token. All readers are sent one history, so that a slow reader costs no
memory; it is dropped. Reasons: specs/decisions/025.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from http import HTTPStatus
from ipaddress import ip_address
from types import TracebackType
from typing import Final, Self

from websockets.http11 import Request
from websockets.server import ServerProtocol

from cli.bounds import (
    GOODBYE,
    MOST_CONNECTIONS,
    MOST_HISTORY,
    MOST_REQUEST,
    PAGE_BEAT,
    READER_PIECE,
    READER_WITHIN,
)
from cli.errors import UserError
from cli.net.address import LOOPBACK, bracketed
from cli.tasks import happens

_COMMON: Final = (
    # The first two leave no page in a cache, and end a connection with its one request; the others
    # keep pages of other sites from reading, framing or learning the address (decisions 025).
    "Cache-Control: no-store",
    "Connection: close",
    "Cross-Origin-Opener-Policy: same-origin",
    "Cross-Origin-Resource-Policy: same-origin",
    "Referrer-Policy: no-referrer",
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
)
# Answers without a page need no source at all.
_STRICT: Final = "default-src 'none'; frame-ancestors 'none'"
# A browser that comes before the table does looks again by itself.
_EARLY: Final = (
    b'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">'
    b"<title>p2p304</title><p>No table is known yet: this page looks again each second.</p></html>"
)


class _RefusedError(Exception):
    """A request that is answered with a status alone."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class PageServer:
    """A server of one page and its events, while its context is open, for one event loop."""

    def __init__(self, address: str = LOOPBACK, *, patience: float = READER_WITHIN) -> None:
        """Set up a server. `address` is an IP address of this machine; raises UserError for any
        other text, and for one that stands for all or many. `patience` is the seconds for a
        request, and for each piece that a reader takes.
        """
        try:
            found = ip_address(address)
        except ValueError:
            raise UserError(f"{address!r} is no IP address: name one of this machine.") from None
        # All addresses, or a group's, would have no one Host to compare with.
        if found.is_unspecified or found.is_multicast:
            raise UserError(f"{address} is not one address: name one of this machine.")
        self.address = address
        self.page: bytes | None = None  #: The page, once there is one.
        self._host = bracketed(address)
        self._patience = patience
        # 192 bits (decisions 025): guessing is hopeless.
        self._token = secrets.token_urlsafe(24)
        #: The names, with the port, that a request may give as Host; empty before it serves.
        self._hosts: tuple[str, ...] = ()
        self._history: deque[bytes] = deque()
        #: The numbers of the kept events that begin chapters, counted from the first ever.
        self._chapters: deque[int] = deque()
        # The number of the oldest event that is kept: readers count on.
        self._first = self._size = 0
        self._news = asyncio.Event()
        self._over = False
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The address of the page, once the context was entered; whoever knows it can read the
        page, by the token in it.
        """
        return f"http://{self._hosts[0]}/{self._token}/"

    @property
    def readers(self) -> int:
        """The number of open connections, those for the page as those for its events."""
        return len(self._connections)

    async def __aenter__(self) -> Self:
        """Start to serve; raises UserError if the address cannot be used."""
        try:
            self._server = await asyncio.start_server(
                self._met,
                self.address,
                # Any free port: `url` tells which.
                0,
                # The most that `readuntil` takes.
                limit=MOST_REQUEST,
            )
        except OSError as error:
            why = error.strerror or type(error).__name__
            # `from None`: the sentence holds all that the system said.
            raise UserError(f"No page can be served at {self.address}: {why}.") from None
        port = self._server.sockets[0].getsockname()[1]
        # Both names lead to this machine alone.
        named = (self._host, "localhost") if ip_address(self.address).is_loopback else (self._host,)
        self._hosts = tuple(f"{each}:{port}" for each in named)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Send readers the rest of the history, for at most a second, and stop."""
        # Nobody new first, then the farewell to those who are there.
        self._server.close()
        self._over = True
        self._wake()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=GOODBYE)
            for task in late:
                task.cancel()
            # Until they have ended; how says nothing.
            await asyncio.gather(*late, return_exceptions=True)

    def publish(self, event: bytes, *, chapter: bool = False) -> None:
        """Send every reader an event, one line of text; raises ValueError for several lines.

        With `chapter` the event begins a chapter: of a history that is too long the oldest chapters
        are dropped, but never the last.
        """
        # A line is the unit of server-sent events.
        if b"\n" in event:
            raise ValueError("an event is one line")
        if chapter:
            self._chapters.append(self._first + len(self._history))
        self._history.append(event)
        self._size += len(event)
        # At least one chapter stays: a page that begins in the middle of a hand shows nothing.
        while self._size > MOST_HISTORY and len(self._chapters) > 1:
            self._chapters.popleft()
            while self._first < self._chapters[0]:
                self._size -= len(self._history.popleft())
                self._first += 1
        self._wake()

    def _wake(self) -> None:
        """Wake every reader that waits for news."""
        # A new event for the next news: each reader waits for the one that it saw.
        news, self._news = self._news, asyncio.Event()
        news.set()

    # --- one connection ---------------------------------------------------------------------------

    def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Start to serve a new connection, or refuse it if there are too many."""
        if len(self._connections) >= MOST_CONNECTIONS:
            # Refused without reading: reading is what costs.
            writer.write(_head(503, _STRICT))
            writer.close()
            return
        # Kept in a set: asyncio itself keeps only weak references to tasks.
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, and close it whatever happens."""
        try:
            await self._answer(reader, writer)
            writer.close()
            async with asyncio.timeout(self._patience):
                await writer.wait_closed()
        except (OSError, TimeoutError):
            pass  # it went, or was too slow
        finally:
            # Whatever happened: a reader that hangs keeps no socket.
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request with the page, the events or a refusal; before there is a page,
        with one that asks again each second.
        """
        try:
            request, body = await self._request(reader)
            wanted = self._requested_part(request)
        except _RefusedError as refused:
            await self._send(writer, _head(refused.status, _STRICT))
            return
        if wanted == "":
            page = _EARLY if self.page is None else self.page
            # `frame-ancestors` alone: the page brings its own policy in a meta element, which
            # cannot say this.
            await self._send(writer, _head(200, "frame-ancestors 'none'", "text/html", len(page)))
            await self._send(writer, page if body else b"")
            return
        await self._send(writer, _head(200, _STRICT, "text/event-stream"))
        if body:
            await self._tell(writer)

    async def _request(self, reader: asyncio.StreamReader) -> tuple[Request, bool]:
        """Return a request, and whether it is a GET rather than a HEAD; raises _RefusedError for
        another method, and for what is malformed, too long or too slow.
        """
        try:
            async with asyncio.timeout(self._patience):
                # No body is read: none of the methods has one.
                head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise _RefusedError(431) from None
        except asyncio.IncompleteReadError:
            # The client went in the middle of its request.
            raise _RefusedError(400) from None
        except TimeoutError:
            raise _RefusedError(408) from None
        method = head.partition(b" ")[0]
        if method not in (b"GET", b"HEAD"):
            raise _RefusedError(405)
        # The library reads GET alone; HEAD has the same form.
        reading = ServerProtocol()
        reading.receive_data(b"GET" + head.removeprefix(method))
        match reading.events_received():
            case [Request() as request]:
                return request, method == b"GET"
        # A stranger's bytes, which are no request.
        raise _RefusedError(400)

    def _requested_part(self, request: Request) -> str:
        """Return which part is requested, "" for the page or "events"; raises _RefusedError for
        another Host, origin, token or part.
        """
        headers = request.headers
        hosts = headers.get_all("Host")
        # DNS rebinding: another site's name may lead here, but its Host shows it (decisions 025).
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise _RefusedError(421)
        # A page of another site asks. Programs that are no browsers send neither header.
        origins, sites = headers.get_all("Origin"), headers.get_all("Sec-Fetch-Site")
        if {*origins} - {f"http://{hosts[0]}"} or {*sites} - {"same-origin", "none"}:
            raise _RefusedError(403)
        # "/TOKEN/PART": the "" stands for the part where the path has none.
        _, token, *rest = (*request.path.split("/", 2), "")
        # A path may hold any bytes, which compare_digest takes only as bytes.
        given = token.encode("utf-8", "surrogateescape")
        # In constant time, so that the answer's delay tells no letters.
        if not secrets.compare_digest(given, self._token.encode()) or rest[0] not in ("", "events"):
            raise _RefusedError(404)
        return rest[0]

    async def _tell(self, writer: asyncio.StreamWriter) -> None:
        """Send the history from its oldest event, then every new event, and a comment after a
        long silence, until the server stops or the reader is so slow that its next event was
        dropped.
        """
        # From the oldest: whoever comes late sees the hand whole.
        at = self._first
        while True:
            # Taken before reading the history, so that nothing between is missed.
            news = self._news
            while at < self._first + len(self._history):
                if at < self._first:
                    return  # so slow that it was forgotten
                event = self._history[at - self._first]
                at += 1
                # An event stream's form: "data: ", the line, and an empty line.
                await self._send(writer, b"data: " + event + b"\n\n")
            if self._over:
                return
            if not await happens(news, within=PAGE_BEAT):
                # A comment of the event stream: browsers drop it.
                await self._send(writer, b":\n\n")

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Send data in pieces. Raises TimeoutError if the reader does not take a piece in time,
        OSError if it has gone.
        """
        for start in range(0, len(data), READER_PIECE):
            # Each piece has its own time: a slow line is served, a stopped one dropped.
            async with asyncio.timeout(self._patience):
                writer.write(data[start : start + READER_PIECE])
                await writer.drain()


def _head(status: int, policy: str, kind: str = "text/plain", size: int | None = None) -> bytes:
    """Return the head of an HTTP answer with this status and content security policy.

    `kind` is the type of its content, `size` the length in bytes; None leaves that out, for a
    content without an end. Other statuses than 200 have no content.
    """
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *_COMMON,
        f"Content-Security-Policy: {policy}",
        f"Content-Type: {kind}; charset=utf-8",
    ]
    # A refused method must be told what is allowed (RFC 9110, 15.5.6).
    if status == 405:
        lines.append("Allow: GET, HEAD")
    # Refusals have no body.
    if status != 200:
        size = 0
    if size is not None:
        lines.append(f"Content-Length: {size}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
