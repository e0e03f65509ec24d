"""The work of `jackfield api-key` with a daemon that runs elsewhere: as `key_work`, with the caller's keys."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.daemon_commands import identified, segment
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.management import ManagementClient

PATH = "/api-keys"


def create(
    config_dir: Path, username: str | None, name: str, scopes: tuple[str, ...], expires: str | None
) -> dict[str, Json]:
    _refuse(username)
    body: dict[str, Json] = {"name": name}
    if scopes:
        body["scopes"] = list(scopes)
    if expires:
        body["expiresAt"] = expires
    with ManagementClient(config_dir) as daemon:
        made: dict[str, Json] = daemon.ask("POST", PATH, body=body)
    return {"user": None, **made}


def listed(config_dir: Path, username: str | None) -> list[dict[str, Json]]:
    _refuse(username)
    with ManagementClient(config_dir) as daemon:
        return [{**row, "user": None} for row in daemon.rows(PATH)]


def delete(config_dir: Path, username: str | None, named: str) -> None:
    _refuse(username)
    with ManagementClient(config_dir) as daemon:
        daemon.ask("DELETE", f"{PATH}/{segment(identified(list(daemon.rows(PATH)), named, 'key'))}")


def _refuse(username: str | None) -> None:
    """Raises `InvalidInput`: the API gives everybody their own keys alone."""
    if username:
        raise InvalidInput("--user works on the daemon's directory; unset JACKFIELD_DAEMON_ENDPOINT.")
