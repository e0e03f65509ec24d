"""Keys that `jackfield login` has got, each for the daemon at one address. They are files of mode 0600 below
`daemon-logins` of the configuration directory. All of it blocks."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from .errors import ConfigurationError
from .files import private_directory, read_private, remove_private, write_private
from .records import record

DIRECTORY = "daemon-logins"


@record
class CommandCredential:
    """address: scheme, host and port of the daemon. key_id: by which the daemon revokes it. expires_at: ISO 8601;
    empty: never."""

    address: str
    username: str
    key: str
    key_id: str
    expires_at: str


def command_credential(config_dir: Path, address: str) -> CommandCredential | None:
    """None: nobody has logged in there. Raises `ConfigurationError` that names a damaged file."""
    path = _path(config_dir, address)
    content = read_private(path)
    if content is None:
        return None
    try:
        found = json.loads(content)
        names = ("address", "username", "key", "keyId", "expiresAt")
        values = [found[name] for name in names]
    except (ValueError, KeyError, TypeError):
        values = []
    if not values or not all(isinstance(value, str) and value.isascii() for value in (values[0], values[2], values[3])):
        raise ConfigurationError(f"{path} is damaged. Delete it, and log in again with `jackfield login`.")
    return CommandCredential(*(str(value) for value in values))


def keep_credential(config_dir: Path, one: CommandCredential) -> None:
    """In place of an earlier one. Raises `ConfigurationError`."""
    private_directory(config_dir / DIRECTORY)
    content = {
        "address": one.address,
        "username": one.username,
        "key": one.key,
        "keyId": one.key_id,
        "expiresAt": one.expires_at,
    }
    write_private(_path(config_dir, one.address), json.dumps(content).encode())


def forget_credential(config_dir: Path, address: str) -> None:
    """Raises `ConfigurationError`."""
    remove_private(_path(config_dir, address))


def damaged_credentials(config_dir: Path) -> list[Path]:
    """Files that hold no login any more."""
    damaged = []
    for path in sorted((config_dir / DIRECTORY).glob("*.json")):
        try:
            address = str(json.loads(read_private(path) or b"")["address"])
            if path != _path(config_dir, address) or command_credential(config_dir, address) is None:
                damaged.append(path)
        except (ValueError, KeyError, TypeError, ConfigurationError):
            damaged.append(path)
    return damaged


def _path(config_dir: Path, address: str) -> Path:
    digest = hashlib.sha256(address.rstrip("/").lower().encode()).hexdigest()[:32]
    return config_dir / DIRECTORY / f"{digest}.json"
