"""The guard that says who may see and send a form: its own authentication, its addresses, its own pages.

Forms are public and have no session. But a browser may send a stored password, or reach a daemon that only its own
machine reaches. So a page of another site may not send a form in its user's name.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.credentials import Credentials
from jackfield.api.errors import AccessDenied, WebhookUnauthorized
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Node
from jackfield_forms.pages import options_of

CREDENTIAL = "httpBasicAuth"
_CHALLENGE = 'Basic realm="form", charset="UTF-8"'
_ROBOT = re.compile(r"bot\b|bot/|crawl|spider|slurp|facebookexternalhit|preview|headlesschrome", re.IGNORECASE)


def authentication(parameters: Mapping[str, Json]) -> str:
    """none or basicAuth; anything else is refused."""
    value = parameters.get("authentication", parameters.get("incomingAuthentication", "none"))
    return value.removeprefix("=") if isinstance(value, str) else "none" if value is None else "unknown"


def networks(parameters: Mapping[str, Json]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network] | None:
    """None: every address. Raises ValueError for what is no list of addresses."""
    written = options_of(parameters).get("ipWhitelist")
    if written in (None, ""):
        return None
    parts = written.split(",") if isinstance(written, str) else [str(written)]
    return [ipaddress.ip_network(part.strip(), strict=False) for part in parts if part.strip()]


def check_own_page(headers: Mapping[str, str]) -> None:
    """Raises `AccessDenied` for a form that a page of another site sent. headers: lower-case names."""
    site = headers.get("sec-fetch-site")
    if site == "same-origin" or (site in (None, "none") and "origin" not in headers):
        return
    origin = urlsplit(headers.get("origin", ""))
    default = {"http": ":80", "https": ":443"}.get(origin.scheme, "")
    own = headers.get("host", "").lower()
    if site is None and own and own in (origin.netloc.lower(), origin.netloc.lower().removesuffix(default)):
        return
    raise AccessDenied("A form is sent from its own page only.")


def check_caller(node: Node, client: str, headers: Mapping[str, str]) -> None:
    """Raises `AccessDenied` for an address that may not call, or a robot that is to be ignored."""
    try:
        allowed = networks(node.parameters)
    except ValueError:
        allowed = []
    if allowed is not None and not _within(client, allowed):
        raise AccessDenied("This address may not use the form.")
    if options_of(node.parameters).get("ignoreBots") is True and _ROBOT.search(headers.get("user-agent", "")):
        raise AccessDenied("This form does not answer robots.")


def _within(client: str, allowed: list[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    try:
        address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address in network for network in allowed)


async def check_password(context: PluginContext, node: Node, headers: Mapping[str, str]) -> None:
    """Raises `WebhookUnauthorized`; a form whose credential cannot be used is closed."""
    kind = authentication(node.parameters)
    if kind == "none":
        return
    values = await _values(context, node) if kind == "basicAuth" else None
    given = _given(headers.get("authorization", ""))
    if values is None or given is None:
        raise _refused()
    right_name = hmac.compare_digest(given[0], values[0].encode())
    right_password = hmac.compare_digest(given[1], values[1].encode())
    if not (right_name and right_password):
        raise _refused()


async def _values(context: PluginContext, node: Node) -> tuple[str, str] | None:
    ident = node.credential_id(CREDENTIAL)
    if ident is None:
        return None
    try:
        found = await context.port(Credentials).values(ident, CREDENTIAL)
    except NodeError:
        context.log.warning("A form has no usable credential; it is closed.", extra={"node": node.name})
        return None
    user, password = found.get("user", ""), found.get("password", "")
    return (user, password) if user and password else None


def _given(header: str) -> tuple[bytes, bytes] | None:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        user, colon, password = base64.b64decode(encoded.strip().encode("ascii"), validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return None
    return (user, password) if colon else None


def _refused() -> WebhookUnauthorized:
    return WebhookUnauthorized(
        "This form needs a user name and a password.", headers=[("WWW-Authenticate", _CHALLENGE)]
    )
