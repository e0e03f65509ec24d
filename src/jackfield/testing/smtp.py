"""A real SMTP server in a test, which keeps the mails that it gets."""

from __future__ import annotations

import contextlib
import email
import email.policy
import socket
import ssl
import warnings
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

try:
    from aiosmtpd.controller import Controller
    from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
except ModuleNotFoundError as exc:
    raise ModuleNotFoundError(
        "jackfield.testing.smtp is a server by aiosmtpd: install it with pip install aiosmtpd.", name=exc.name
    ) from exc

from .daemon import HOST, free_port, poll

USER, PASSWORD = "ada", "mail-pass-word"


class Postbox:
    """Keeps the mails of a server; addresses that begin with `refused@` are refused."""

    def __init__(self) -> None:
        self.envelopes: list[Envelope] = []

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, to: str, options: list[str]
    ) -> str:
        if to.startswith("refused@"):
            return "550 no such user"
        envelope.rcpt_tos.append(to)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        self.envelopes.append(envelope)
        return "250 kept"

    def mail(self, index: int = -1) -> EmailMessage:
        return email.message_from_bytes(cast("bytes", self.envelopes[index].content), policy=email.policy.default)

    def arrived(self, to: str, count: int = 1, *, timeout: float = 20.0) -> EmailMessage:
        """The last mail to this address, once `count` have come. It blocks: not for a test on an event loop."""

        def found() -> list[int]:
            mine = [index for index, one in enumerate(self.envelopes) if to in one.rcpt_tos]
            return mine if len(mine) >= count else []

        return self.mail(poll(found, f"mail {count} to {to}", timeout=timeout)[-1])


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    """The mail's plain text or `html`."""
    body = mail.get_body((kind,))
    if body is None:
        raise AssertionError(f"the mail has no part {kind}")
    return str(body.get_content())


@contextlib.contextmanager
def smtp_server(postbox: Postbox, certificate: tuple[Path, Path] | None, *, login: bool = True) -> Iterator[int]:
    """The port of a server at `localhost`. certificate: with it STARTTLS is demanded. login: `USER` and `PASSWORD`."""
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*certificate)
    port = free_port()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a login without TLS
        made = Controller(
            postbox,
            hostname=HOST,
            port=port,
            tls_context=context,
            require_starttls=context is not None,
            authenticator=_authenticate if login else None,
            auth_required=login,
            auth_require_tls=context is not None,
        )
        made.start()
    try:
        yield port
    finally:
        made.stop()


@contextlib.contextmanager
def silent_server() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.create_server((HOST, 0)) as server:
        yield int(server.getsockname()[1])


def _authenticate(
    server: SMTP,
    session: Session,
    envelope: Envelope,
    mechanism: str,
    data: Any,  # the library has no type for it
) -> AuthResult:
    good = isinstance(data, LoginPassword) and data == LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=good, handled=False)
