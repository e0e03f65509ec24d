"""How the registry's state is shown, by the API and the command line."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.registry import RegistryStatus
from jackfield_registry.ports import RegistryOffer


def offer_view(offer: RegistryOffer) -> dict[str, Json]:
    """As `GET /api/registry/offer` gives it."""
    return {
        "before": offer.before,
        "commit": offer.commit,
        "sequence": offer.sequence,
        "added": list[Json](offer.added),
        "changed": list[Json](offer.changed),
        "removed": list[Json](offer.removed),
    }


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
