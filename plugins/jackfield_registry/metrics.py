"""How often was synced since the start, for `/metrics`."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield_registry.ports import LocalRegistry


def metrics(context: PluginContext) -> Sequence[Metric]:
    """Zero as long as nobody has used the registry."""
    service = context.built_port(LocalRegistry)
    counts = {} if service is None else service.counts
    return [
        Metric("registry_syncs_total", "Syncs of the registry by result.", "counter", counts.get(result, 0), labels)
        for result in ("updated", "unchanged", "failed")
        for labels in ({"result": result},)
    ]
