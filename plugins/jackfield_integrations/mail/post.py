"""A connection to a mail server, with a node's credential."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from email.message import EmailMessage
from typing import TYPE_CHECKING

from jackfield.api.jsontext import Json
from jackfield.api.mail.smtp import FAILURES, NotDelivered, SmtpServer, closing, connect, deliver
from jackfield.api.nodes import NodeError
from jackfield_integrations.mail.composing import Envelope
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets, tls_for

if TYPE_CHECKING:
    import aiosmtplib


class Post:
    """Sends mails."""

    def __init__(self, client: aiosmtplib.SMTP, values: DriverCredential) -> None:
        self._client = client
        self._values = values

    async def send(self, mail: EmailMessage, to: Envelope) -> dict[str, Json]:
        """The item that the node puts out. Raises `NodeError`."""
        try:
            made = await deliver(self._client, mail, to)
        except NotDelivered as exc:
            raise NodeError(f"{self._values.shown(str(exc))}.") from None
        return {
            "accepted": [name for name in to.recipients if name not in made.refused],
            "rejected": list(made.refused),
            "envelope": {"from": to.sender, "to": list(to.recipients)},
            "messageId": str(mail["Message-ID"]),
            "response": self._values.shown(made.response),
        }


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
    plain = values.flag("disableStartTls")
    server = SmtpServer(
        port,
        "implicit" if secure else "none" if plain else "starttls" if user else "offered",
        tls,
        values.text("hostName"),
        user,
        values.text("password"),
        settings.timeout,
    )

    async def reached(address: str) -> aiosmtplib.SMTP:
        return await connect(address, server)

    client = await targets.reach(values, host, port, reached, list(FAILURES))
    async with closing(client, settings.connect_timeout):
        yield Post(client, values)
