"""The client's secret: read where it is kept, at each use, so that a new one counts without a restart."""

from __future__ import annotations

import os
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield_oidc.settings import OidcProvider

LARGEST = 65536
"""Bytes of the file that are read."""


class ClientSecret:
    """Blocks: call `read` on a thread."""

    def __init__(self, context: PluginContext, provider: OidcProvider) -> None:
        self._context = context
        self._provider = provider

    def read(self) -> str:
        """Empty for a client without one. Raises `ConfigurationError` that says where it was looked for."""
        file, variable = self._provider.client_secret_file, self._provider.client_secret_env
        found = ""
        if file:
            found = _first_line(self._context.service.config_dir / Path(file).expanduser())
        elif variable:
            found = os.environ.get(variable, "")
            if not found:
                raise ConfigurationError(f"The variable {variable} (client_secret_env) is not set.")
        self._context.secrets.redact(found)
        return found


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = file.read(LARGEST).decode().strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"{path} (client_secret_file) cannot be read: {type(exc).__name__}.") from None
    if not found:
        raise ConfigurationError(f"{path} (client_secret_file) is empty.")
    return found
