"""Where services send their events."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.http_client import is_loopback
from jackfield.api.triggers.subscribing import PATH
from jackfield.api.workflows import Node

_IDENT = re.compile(r"[A-Za-z0-9_.~-]{1,200}")


def ident_of(node: Node) -> str:
    """The first segment of its address, n8n's `webhookId`; empty: it has none that can be one."""
    found = node.webhook_id or node.id
    return found if _IDENT.fullmatch(found) and set(found) != {"."} else ""


def event_url(context: PluginContext, ident: str, *, test: bool = False) -> str:
    """Where a service sends its events."""
    segment = "webhook-test" if test else "webhook"
    return f"{context.service.public_url}/{segment}/{quote(ident, safe='~')}/{PATH}"


def reachable(context: PluginContext) -> bool:
    """Whether services may reach this daemon: the operator has said where, or its own address is no loopback."""
    return context.service.addressed or not is_loopback(urlsplit(context.service.public_url).hostname or "")
