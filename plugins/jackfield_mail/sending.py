"""One mail, or one look at the server. It loads `aiosmtplib` and `email`: import it when there is something to send."""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
from email.message import EmailMessage

import certifi

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, InvalidInput
from jackfield.api.mail import Letter, MailFailed, MailServerAway
from jackfield.api.mail.composing import Envelope, MailMistake, PartNames, envelope, message
from jackfield.api.mail.letters import mail_of
from jackfield.api.mail.smtp import FAILURES, NotDelivered, SmtpServer, closing, connect, deliver, said_by
from jackfield_mail.settings import MailSettings

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_MOST = 300
"""Characters of a server's words that are shown."""
_LEAVE = 2.0
"""Seconds to take leave of the server."""


async def send(context: PluginContext, settings: MailSettings, password: str, to: str, letter: Letter | None) -> None:
    """letter: None: connect and log in only. Raises `MailFailed` (`MailServerAway`), `ConfigurationError`,
    `InvalidInput`."""
    written = None if letter is None else await asyncio.to_thread(_written, settings, to, letter)
    server = await _server(context, settings, password)
    try:
        client = await connect(settings.host, server)
    except TimeoutError as exc:
        raise MailServerAway(
            f"{_at(settings)} does not answer: {_shown(context, settings, password, said_by(exc))}."
        ) from None
    except (OSError, *FAILURES) as exc:
        raise MailServerAway(
            f"{_at(settings)} lets nobody in: {_shown(context, settings, password, said_by(exc))}."
        ) from None
    async with closing(client, _LEAVE):
        if written is None:
            return
        try:
            await deliver(client, *written)
        except NotDelivered as exc:
            raise MailFailed(f"{_shown(context, settings, password, str(exc))}.") from None


def _written(settings: MailSettings, to: str, letter: Letter) -> tuple[EmailMessage, Envelope]:
    """Raises `InvalidInput`."""
    mail, names = mail_of(letter, settings.sender, to), PartNames()
    try:
        made = message(mail, (), names)
        made["Auto-Submitted"] = "auto-generated"  # RFC 3834: no absence note answers it
        return made, envelope(mail, names)
    except MailMistake as exc:
        raise InvalidInput(str(exc), details={"to": "is no address"}) from None


async def _server(context: PluginContext, settings: MailSettings, password: str) -> SmtpServer:
    """Raises `ConfigurationError`."""
    tls = await asyncio.to_thread(_tls, context, settings.ca_file)
    return SmtpServer(settings.used_port, settings.tls, tls, "", settings.username, password, settings.timeout)


def _tls(context: PluginContext, ca_file: str) -> ssl.SSLContext:
    if not ca_file:
        made = ssl.create_default_context(cafile=certifi.where())
        made.load_default_certs()
        return made
    path = context.service.config_dir / ca_file
    try:
        return ssl.create_default_context(cafile=path.expanduser())
    except OSError as exc:  # ssl.SSLError is one
        raise ConfigurationError(f"{path} (mail.ca_file) has no certificates: {type(exc).__name__}.") from None


def _at(settings: MailSettings) -> str:
    return f"The mail server {settings.host}, port {settings.used_port},"


def _shown(context: PluginContext, settings: MailSettings, password: str, said: str) -> str:
    """On one line, bounded, and without the password, which a server may quote, also as the login sends it."""
    for form in _forms(settings.username, password) if password else ():
        said = said.replace(form, "***")
    return _CONTROL.sub(" ", context.secrets.hide(said)).strip().rstrip(".")[:_MOST]


def _forms(user: str, password: str) -> tuple[str, ...]:
    """AUTH PLAIN (RFC 4616) and AUTH LOGIN send base64."""
    plain, login = (base64.b64encode(text.encode()).decode() for text in (f"\0{user}\0{password}", password))
    return plain, login, password
