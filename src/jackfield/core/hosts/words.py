"""A host's description of itself, as the store keeps it."""

from __future__ import annotations

import hashlib
import re
import socket
from collections.abc import Mapping
from pathlib import Path

from jackfield.api import jsontext
from jackfield.api.context import Service
from jackfield.api.errors import InvalidInput
from jackfield.api.hosts import ROLES, Host, Slots
from jackfield.api.jsontext import Json
from jackfield.api.storage.hosts import StoredHost

EVENTS = "/internal/hosts/events"
"""Path at which hosts ask each other what has happened. From outside there is nothing."""
_EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
_LONGEST = 58
"""Characters of the machine's name that count."""


def default_name(directory: Path) -> str:
    """The machine's name, and four digits that tell its configuration directories apart."""
    machine = re.sub(r"[^a-z0-9.-]+", "-", socket.gethostname().lower())[:_LONGEST].strip(".-")
    digits = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:4]
    return f"{machine}-{digits}" if machine else f"host-{digits}"


def default_address(service: Service) -> str:
    host = socket.gethostname() if service.host in _EVERY_ADDRESS else service.host
    return f"http://[{host}]:{service.port}" if ":" in host else f"http://{host}:{service.port}"


def about(host: Host) -> str:
    """The description that the others read, see `host_of`."""
    slots = {role: [found.used, found.total] for role, found in host.slots.items()}
    told = {
        "address": host.address,
        "roles": list(host.roles),
        "labels": list(host.labels),
        "slots": slots,
        "version": host.version,
    }
    return jsontext.dumps(told).decode()


def host_of(stored: StoredHost) -> Host:
    """A host of another version may say more, or less."""
    try:
        found = jsontext.loads(stored.entry.about.encode())
    except InvalidInput:
        found = None
    told: Mapping[str, Json] = found if isinstance(found, dict) else {}
    roles, slots = _texts(told.get("roles")), told.get("slots")
    return Host(
        name=stored.entry.name,
        address=str(told.get("address", "")),
        roles=[role for role in ROLES if role in roles],
        labels=_texts(told.get("labels")),
        slots={str(role): made for role, given in slots.items() if (made := _slots(given))}
        if isinstance(slots, dict)
        else {},
        version=str(told.get("version", "")),
        draining=stored.draining,
        alive=stored.alive,
        renewed_ms=stored.age_ms,
        id=stored.entry.id,
    )


def _texts(given: Json) -> list[str]:
    return [str(one) for one in given] if isinstance(given, list) else []


def _slots(given: Json) -> Slots | None:
    match given:
        case [int(used), int(total)]:
            return Slots(used, total)
    return None
