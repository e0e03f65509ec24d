"""The work of `jackfield profiles` when the daemon runs elsewhere: as `profile_work`, through that daemon's API."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import segment
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

LONGEST_RUN = 86_400.0
"""Seconds: the most that a run may take, which the removal of a profile's home waits for."""


def default_provider(daemon: DaemonClient) -> str:
    """Raises `InvalidInput`: the daemon does not tell its default."""
    raise InvalidInput(f"Name a provider with --provider; the daemon at {daemon.base} does not tell its default.")


def key_prompt(daemon: DaemonClient, provider_id: str) -> str | None:
    """The words in which a person is asked; None: no key is needed."""
    provider = daemon.ask("GET", f"/api/providers/{segment(provider_id)}").data
    if not provider["auth"]["required"]:
        return None
    return str(provider["auth"]["prompt"] or f"API key for {provider['name']}")


def create(daemon: DaemonClient, given: Mapping[str, Json]) -> dict[str, Json]:
    made = daemon.ask("POST", "/api/profiles", body={k: v for k, v in given.items() if v is not None}).data
    home = daemon.ask("GET", _path(str(made["alias"]))).data["profile_home"]
    return {"alias": made["alias"], "home": home, "warnings": _warnings(made)}


def change(
    daemon: DaemonClient, alias: str, asked: dict[str, Json], named: Mapping[str, Json], unset: Collection[str]
) -> dict[str, Json]:
    """named: variables that are set; unset: those that are removed. The daemon knows the value behind a mask."""
    if named or unset:
        present = daemon.ask("GET", _path(alias)).data["env"]
        asked["env"] = {name: value for name, value in {**present, **named}.items() if name not in unset}
    made = daemon.ask("PATCH", _path(alias), body=asked).data
    return {"alias": alias, "changed": [*sorted(asked)], "warnings": _warnings(made)}


def delete(daemon: DaemonClient, alias: str, purge: bool, force: bool) -> dict[str, Json]:
    query = {"purge": str(purge).lower(), "force": str(force).lower()}
    answer = daemon.ask("DELETE", _path(alias), query=query, timeout=LONGEST_RUN)
    return {"alias": alias, "warnings": list(answer.warnings)}


def deletion(daemon: DaemonClient, alias: str, purge: bool, force: bool) -> dict[str, Json]:
    query = {"purge": str(purge).lower(), "force": str(force).lower()}
    return {"alias": alias, "dryRun": True, "removes": daemon.ask("GET", f"{_path(alias)}/deletion", query=query).data}


def put_provider_key(daemon: DaemonClient, provider: str, key: str | None, remove: bool) -> None:
    path = f"/api/providers/{segment(provider)}/key"
    if remove:
        daemon.ask("DELETE", path)
    elif key:
        daemon.ask("PUT", path, body={"api_key": key})


def _path(alias: str) -> str:
    return f"/api/profiles/{segment(alias)}"


def _warnings(made: Mapping[str, Any]) -> list[Json]:  # Any: JSON of an answer
    return [str(made["warning"])] if made.get("warning") else []
