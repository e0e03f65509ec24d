"""SMTP: a connection that is logged in, and a mail that goes through it. It loads `aiosmtplib`."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from email.message import EmailMessage
from typing import Literal

import aiosmtplib

from ..records import record
from .composing import Envelope

FAILURES = (aiosmtplib.SMTPException, ValueError)
"""Errors of a connection that cannot be made, beside OSError."""
_OWN_NAME = re.compile(r"[A-Za-z0-9.\-\[\]:]{1,255}")


class NotDelivered(Exception):
    """The text is a sentence for people, with the server's own words, which may quote what the server was sent."""


@record
class SmtpServer:
    """A server, and how to log in there.

    `encryption`: `implicit` TLS from the first byte, `starttls` demanded, `offered`: STARTTLS where the server has it,
    or `none`. `own_name`: in the greeting; empty or not usable: the host name. `user`: empty: no login. `timeout`: of
    each step, in seconds.
    """

    port: int
    encryption: Literal["implicit", "starttls", "offered", "none"]
    tls: ssl.SSLContext
    own_name: str
    user: str
    password: str
    timeout: float


@record
class Delivery:
    """`refused`: the recipients that the server does not take. `response`: its answer to the mail."""

    refused: Mapping[str, object]
    response: str


async def connect(address: str, server: SmtpServer) -> aiosmtplib.SMTP:
    """A client that is logged in. address: the host to connect to. Raises one of `FAILURES`, OSError."""
    client = aiosmtplib.SMTP(
        hostname=address,
        port=server.port,
        use_tls=server.encryption == "implicit",
        start_tls={"starttls": True, "offered": None}.get(server.encryption, False),
        tls_context=server.tls,
        local_hostname=_own_name(server.own_name),
        timeout=server.timeout,
    )
    try:
        await client.connect()
        if server.user:
            await client.login(server.user, server.password)
    except BaseException:
        client.close()
        raise
    return client


@contextlib.asynccontextmanager
async def closing(client: aiosmtplib.SMTP, timeout: float) -> AsyncIterator[aiosmtplib.SMTP]:
    """Takes leave of the server at the end, for which it has `timeout` seconds."""
    try:
        yield client
    finally:
        with contextlib.suppress(aiosmtplib.SMTPException, OSError):
            await client.quit(timeout=timeout)
        client.close()


async def deliver(client: aiosmtplib.SMTP, mail: EmailMessage, to: Envelope) -> Delivery:
    """Raises `NotDelivered`, also when every recipient is refused."""
    try:
        refused, response = await client.send_message(mail, sender=to.sender, recipients=list(to.recipients))
    except aiosmtplib.SMTPRecipientsRefused as exc:
        said = "; ".join(f"{one.recipient}: {one.code} {one.message}" for one in exc.recipients[:5])
        raise NotDelivered(f"The mail server refuses every recipient: {said}") from None
    except (aiosmtplib.SMTPException, OSError) as exc:
        raise NotDelivered(f"The mail was not sent: {said_by(exc)}") from None
    except (ValueError, UnicodeError) as exc:
        raise NotDelivered(f"The mail cannot be written: {exc}") from None
    return Delivery(refused, response)


def said_by(error: BaseException) -> str:
    """An error's words, the server's own where it has given some."""
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return f"{error.code} {error.message}"
    return str(error) or type(error).__name__


def _own_name(name: str) -> str:
    found = name.strip() or socket.gethostname()
    return found if _OWN_NAME.fullmatch(found) else "localhost"
