"""Makes the engine, if it was chosen; Temporal's library is imported then alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.offers import load_driver
from jackfield_engine_temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from jackfield_engine_temporal.engine import TemporalEngine

_MISSING = (
    "The engine temporal needs the package temporalio; install jackfield[temporal], or set engine.name to embedded."
)


def temporal_engine(context: PluginContext) -> TemporalEngine:
    """Raises `ConfigurationError` without the library, or for files of TLS that do not go together."""
    settings = context.settings(TemporalSettings)
    if settings.api_key:
        context.secrets.redact(settings.api_key)
    if bool(settings.cert_file) != bool(settings.key_file):
        raise ConfigurationError(
            "engine.temporal.cert_file and engine.temporal.key_file belong together; set both, or none of them."
        )
    made = cast("type[TemporalEngine]", load_driver("jackfield_engine_temporal.engine:TemporalEngine", _MISSING))
    return made(context, settings)
