"""Loads the modules that need an optional library."""

from __future__ import annotations

import asyncio
from importlib import import_module
from types import ModuleType

from jackfield.api.credentials import CredentialKind
from jackfield.api.nodes import NodeUnavailable
from jackfield.api.nodes.libraries import library_remedy

SESSIONS = {
    "ldap": ("ldap.session", "ldap"),
    "postgres": ("sql.postgres_session", "postgres"),
    "mySql": ("sql.mysql_session", "mysql"),
    "redis": ("redis_session", "redis"),
    "mongoDb": ("mongo.session", "mongodb"),
    "imap": ("mail.imap_session", "imap"),
    "mqtt": ("messaging.mqtt_session", "mqtt"),
    "rabbitmq": ("messaging.rabbit_session", "rabbitmq"),
    "kafka": ("messaging.kafka_session", "kafka"),
}
"""Kind -> the module that opens a session, and the extra that it needs."""


async def load(module: str, extra: str) -> ModuleType:
    """This module of the package, imported on a thread. Raises `NodeUnavailable` that names the extra to install."""
    try:
        return await asyncio.to_thread(import_module, f"jackfield_integrations.{module}")
    except ImportError as exc:
        name = (exc.name or "").partition(".")[0]
        if name == "jackfield_integrations":
            raise
        raise NodeUnavailable(library_remedy(name or extra, extra)) from None


async def sessions_of(kind: CredentialKind) -> ModuleType:
    """The module whose `opened` makes sessions with this kind of credential. Raises `NodeUnavailable`."""
    return await load(*SESSIONS[kind.name])
