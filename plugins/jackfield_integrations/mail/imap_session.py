"""A connection to an IMAP server with one mailbox open. Every call of the library runs on the connection's own thread,
so that a server that is slow keeps nobody else waiting. While nothing arrives, no thread waits."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from socket import SHUT_RDWR
from typing import Any, TypeVar

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientError

from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.mail.imap_criteria import Criteria
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets, tls_for

Result = TypeVar("Result")
_POLL_S = 30.0
"""Between two looks at a server that cannot tell of what arrives (IDLE, RFC 2177)."""
_GRACE_S = 2.0
"""For a sign-off."""


@record
class FetchedMail:
    """content: None: it is larger than the limit."""

    uid: int
    content: bytes | None


class _Client(IMAPClient):  # type: ignore[misc]  # the library has no types
    """Reads what is there without asking the socket first: a line may stand in the library's buffer already."""

    def _poll_socket(self, sock: object, timeout: float | None = None) -> list[object]:
        return [sock]

    def told_of_mails(self) -> bool:
        """Whether an answer has told of mails since this was asked last."""
        return self._imap.untagged_responses.pop("EXISTS", None) is not None


class ImapMailbox:
    """Every method raises `NodeError`, without secrets."""

    def __init__(
        self, client: IMAPClient, pool: ThreadPoolExecutor, values: DriverCredential, settings: IntegrationSettings
    ) -> None:
        self._client: Any = client  # the library is half typed
        self._pool = pool
        self._values = values
        self._settings = settings
        self._idles = self._idling = self._arrived = False
        self.validity = 0
        """UIDVALIDITY (RFC 3501 section 2.3.1.1): another one makes all UIDs mean other mails."""

    async def open(self, name: str) -> None:
        found: dict[bytes, Any] = await self._call(lambda: self._client.select_folder(name))
        self.validity = int(found.get(b"UIDVALIDITY") or 0)
        self._idles = bool(await self._call(lambda: self._client.has_capability("IDLE")))
        self._client.told_of_mails()

    async def search(self, criteria: Criteria) -> list[int]:
        """UIDs, ascending."""
        charset = None if _is_ascii(criteria) else "UTF-8"
        found: list[int] = await self._call(lambda: self._client.search(list(criteria), charset))
        return sorted(map(int, found))

    async def fetch(self, uid: int) -> FetchedMail | None:
        """The mail, unread as before; None: it has gone."""
        sizes = await self._call(lambda: self._client.fetch([uid], ["RFC822.SIZE"]))
        if uid not in sizes:
            return None
        if int(sizes[uid][b"RFC822.SIZE"]) > self._settings.max_bytes:
            return FetchedMail(uid, None)
        found = await self._call(lambda: self._client.fetch([uid], ["BODY.PEEK[]"]))
        return FetchedMail(uid, bytes(found[uid][b"BODY[]"])) if uid in found else None

    async def mark_read(self, uids: Sequence[int]) -> None:
        if uids:
            await self._call(lambda: self._client.add_flags(list(uids), [b"\\Seen"], silent=True))

    async def arrival(self, seconds: float) -> bool:
        """Wait so long at most for mails that arrive. Whether there may be some."""
        if not self._idles:
            await asyncio.sleep(min(seconds, _POLL_S))
            await self._call(self._client.noop)
            return True
        self._idling = True
        if not await self._call(self._begin_idle):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._readable()
        found = await self._call(self._end_idle)
        self._idling = False
        return found

    def _begin_idle(self) -> bool:
        """Whether the server has told of mails already, with the answers to earlier commands or at once: it tells but
        once."""
        before = bool(self._client.told_of_mails())
        self._client.idle()
        self._arrived = before or _tells(self._client.idle_check(timeout=0)) or self._client.told_of_mails()
        return self._arrived

    def _end_idle(self) -> bool:
        told = [*self._client.idle_check(timeout=0), *self._client.idle_done()[1]]
        return self._arrived or _tells(told)

    async def _readable(self) -> None:
        socket = self._client.socket()
        if isinstance(socket, ssl.SSLSocket) and socket.pending():
            return
        loop = asyncio.get_running_loop()
        news: asyncio.Future[None] = loop.create_future()

        def told() -> None:
            if not news.done():
                news.set_result(None)

        loop.add_reader(socket.fileno(), told)
        try:
            await news
        finally:
            loop.remove_reader(socket.fileno())

    async def close(self) -> None:
        """Sign off, if the server does not let us wait."""
        if not self._idling:
            with contextlib.suppress(NodeError, TimeoutError):
                async with asyncio.timeout(_GRACE_S):
                    await self._call(self._client.logout)
        with contextlib.suppress(OSError, AttributeError):  # the sign-off has closed it
            self._client.socket().shutdown(SHUT_RDWR)  # whatever its thread waits for fails
        self._pool.submit(_closed, self._client)  # on its thread: the library's files are locked while they are read
        self._pool.shutdown(wait=False)

    async def _call(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except (IMAPClientError, OSError, UnicodeError) as exc:
            raise NodeError(f"The mail server: {self._values.shown(exc)}.") from None


def _tells(responses: Sequence[object]) -> bool:
    return any(isinstance(one, tuple) and b"EXISTS" in one for one in responses)


def _closed(client: Any) -> None:
    with contextlib.suppress(OSError, AttributeError, IMAPClientError):
        client.shutdown()


def _is_ascii(criteria: Criteria) -> bool:
    return all(
        one.isascii() if isinstance(one, str) else _is_ascii(one) if isinstance(one, list) else True for one in criteria
    )


@contextlib.asynccontextmanager
async def opened(
    targets: Targets,
    values: DriverCredential,
    settings: IntegrationSettings,
    mailbox: str = "INBOX",
    *,
    verify: bool | None = None,
) -> AsyncIterator[ImapMailbox]:
    """A mailbox of a server that is signed in to. verify: the server's certificate; None: as the credential says.
    Raises `NodeError`."""
    host, port = values.needed("host"), values.port(993)
    if verify is None:
        verify = not values.flag("allowUnauthorizedCerts")
    tls = await tls_for(host, verify=verify) if values.flag("secure", default=True) else None
    pool = ThreadPoolExecutor(1, thread_name_prefix="jackfield-imap")

    def signed_in(address: str) -> IMAPClient:
        patience = SocketTimeout(settings.connect_timeout, settings.timeout)
        client = _Client(address, port, ssl=tls is not None, ssl_context=tls, timeout=patience)
        try:
            client.login(values.text("user"), values.text("password"))
        except BaseException:
            client.shutdown()
            raise
        return client

    async def connect(address: str) -> IMAPClient:
        return await asyncio.get_running_loop().run_in_executor(pool, signed_in, address)

    try:
        client = await targets.reach(values, host, port, connect, [IMAPClientError])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    box = ImapMailbox(client, pool, values, settings)
    try:
        await box.open(mailbox)
        yield box
    finally:
        await box.close()
