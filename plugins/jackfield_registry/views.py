"""How the registry's state is shown, by the API and the command line."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.registry import RegistryStatus


def status_view(status: RegistryStatus) -> dict[str, Json]:
    """The registry's state as a client sees it; a field without a value is left out."""
    shown: dict[str, Json] = {
        "channel": status.channel,
        "commit": status.commit,
        "last_sync": status.last_sync,
        "cached": status.cached,
        "agents": status.agents,
        "providers": status.providers,
        "scripts": status.scripts,
    }
    optional: dict[str, Json] = {
        "pinned": status.pinned,
        "updated": status.updated,
        "artifacts_downloaded": status.artifacts_downloaded,
    }
    return shown | {name: value for name, value in optional.items() if value is not None}
