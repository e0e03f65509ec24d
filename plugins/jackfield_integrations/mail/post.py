"""A connection to a mail server."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import AsyncIterator
from email.message import EmailMessage

import aiosmtplib

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.mail.composing import Envelope
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets, tls_for

_OWN_NAME = re.compile(r"[A-Za-z0-9.\-\[\]:]{1,255}")


class Post:
    """Sends mails."""

    def __init__(self, client: aiosmtplib.SMTP, values: DriverCredential) -> None:
        self._client = client
        self._values = values

    async def send(self, mail: EmailMessage, to: Envelope) -> dict[str, Json]:
        """The item that the node puts out. Raises `NodeError`."""
        try:
            refused, response = await self._client.send_message(mail, sender=to.sender, recipients=list(to.recipients))
        except aiosmtplib.SMTPRecipientsRefused as exc:
            said = "; ".join(
                self._values.shown(f"{one.recipient}: {one.code} {one.message}") for one in exc.recipients[:5]
            )
            raise NodeError(f"The mail server refuses every recipient: {said}.") from None
        except (aiosmtplib.SMTPException, OSError) as exc:
            raise NodeError(f"The mail was not sent: {self._values.shown(_said(exc))}.") from None
        except (ValueError, UnicodeError) as exc:
            raise NodeError(f"The mail cannot be written: {self._values.shown(exc)}.") from None
        return {
            "accepted": [name for name in to.recipients if name not in refused],
            "rejected": list(refused),
            "envelope": {"from": to.sender, "to": list(to.recipients)},
            "messageId": str(mail["Message-ID"]),
            "response": self._values.shown(response),
        }


def _said(error: Exception) -> str:
    return f"{error.code} {error.message}" if isinstance(error, aiosmtplib.SMTPResponseException) else str(error)


def _own_name(values: DriverCredential) -> str:
    name = values.text("hostName").strip() or socket.gethostname()
    return name if _OWN_NAME.fullmatch(name) else "localhost"


@contextlib.asynccontextmanager
async def connected(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings, verify: bool
) -> AsyncIterator[Post]:
    """A connection that is signed in. The sign-in goes through TLS, unless the credential says otherwise. Raises
    `NodeError`."""
    host = values.needed("host")
    secure = values.flag("secure", default=True)
    port = values.port(465)
    tls = await tls_for(host, verify=verify, authorities=values.text("caCertificate"))
    user = values.text("user")
    start_tls = False if secure or values.flag("disableStartTls") else (True if user else None)

    async def connect(address: str) -> aiosmtplib.SMTP:
        client = aiosmtplib.SMTP(
            hostname=address,
            port=port,
            use_tls=secure,
            start_tls=start_tls,
            tls_context=tls,
            local_hostname=_own_name(values),
            timeout=settings.timeout,
        )
        try:
            await client.connect()
            if user:
                await client.login(user, values.text("password"))
        except BaseException:
            client.close()
            raise
        return client

    client = await targets.reach(values, host, port, connect, [aiosmtplib.SMTPException, ValueError])
    try:
        yield Post(client, values)
    finally:
        with contextlib.suppress(aiosmtplib.SMTPException, OSError):
            await client.quit(timeout=settings.connect_timeout)
        client.close()
