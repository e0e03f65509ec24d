"""Syslog (RFC 5424) over UDP (RFC 5426), TCP (RFC 6587, octet counting) and TLS (RFC 5425)."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Sequence
from urllib.parse import urlsplit

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.tls import client_tls
from jackfield_log_streams.book import LogStream
from jackfield_log_streams.messages import StreamMessage, content
from jackfield_log_streams.senders.sending import SendFailed

PORTS = {"udp": 514, "tcp": 601, "tls": 6514}
_INFO, _WARNING = 6, 4
_LONGEST_DATAGRAM = 60_000
"""Bytes; IPv4 takes 65,507."""
_LONGEST_ID = 32


class SyslogSender:
    """One connection, which is opened again when it has ended. Over UDP nobody says what has come, and over TCP only
    the receiver's system."""

    def __init__(self, context: PluginContext, stream: LogStream, timeout: float) -> None:
        parts = urlsplit(stream.address)
        self._scheme, self._host = parts.scheme, parts.hostname or ""
        self._port = parts.port or PORTS.get(parts.scheme, 514)
        self._facility = stream.facility
        self._timeout = timeout
        self._here = socket.gethostname() or "-"
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, messages: Sequence[StreamMessage]) -> None:
        lines = [line(message, self._facility, self._here) for message in messages]
        try:
            async with asyncio.timeout(self._timeout):
                await (self._by_datagrams(lines) if self._scheme == "udp" else self._by_connection(lines))
        except TimeoutError:
            self._abort()
            raise SendFailed("The receiver did not take the batch in time.") from None
        except ssl.SSLError as exc:
            self._abort()
            raise SendFailed(f"TLS failed: {exc.reason or 'no reason was given'}.") from None
        except OSError as exc:
            self._abort()
            raise SendFailed(f"The connection failed: {exc.strerror or type(exc).__name__}.") from None
        except UnicodeError:
            raise SendFailed("The address has a host name that no system can look up.") from None

    async def close(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened[1].close()

    def _abort(self) -> None:
        """A receiver that takes nothing would keep the connection and its batch for as long as it likes."""
        opened, self._open = self._open, None
        if opened is not None:
            opened[1].transport.abort()

    async def _by_datagrams(self, lines: Sequence[bytes]) -> None:
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            asyncio.DatagramProtocol, remote_addr=(self._host, self._port)
        )
        try:
            for each in lines:
                transport.sendto(each[:_LONGEST_DATAGRAM])
                await asyncio.sleep(0)
        finally:
            transport.close()

    async def _by_connection(self, lines: Sequence[bytes]) -> None:
        reader, writer = self._open or (None, None)
        if reader is None or writer is None or reader.at_eof() or writer.is_closing():
            await self.close()
            tls = await asyncio.to_thread(client_tls, verify=True) if self._scheme == "tls" else None
            self._open = reader, writer = await asyncio.open_connection(self._host, self._port, ssl=tls)
        writer.write(b"".join(b"%d %s" % (len(each), each) for each in lines))
        await writer.drain()


def line(message: StreamMessage, facility: int, host: str) -> bytes:
    """A message without its frame."""
    priority = facility * 8 + (_WARNING if message.failed else _INFO)
    ident = "".join(letter for letter in message.event if "!" <= letter <= "~")[:_LONGEST_ID] or "-"
    return f"<{priority}>1 {iso(message.at)} {host} jackfield - {ident} - ".encode() + content(message)
