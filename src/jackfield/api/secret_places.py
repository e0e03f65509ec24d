"""Where a plugin's setting keeps a secret: in a file or in a variable, and never in config.toml itself.

`jackfield config` shows lists of tables whole, so that a secret inside of one would be shown, too.
"""

from __future__ import annotations

import os
from pathlib import Path

from .context import PluginContext
from .errors import ConfigurationError

LARGEST = 65536
"""Bytes of the file that are read."""


class GivenSecret:
    """key: the setting without its end, such as `client_secret`: `client_secret_file` and `client_secret_env` name the
    place. file: relative to the configuration directory. Both empty: there is no secret."""

    def __init__(self, context: PluginContext, key: str, file: str, variable: str) -> None:
        self._context = context
        self._key = key
        self._file = file
        self._variable = variable

    def read(self) -> str:
        """As it is now, so that a new one counts without a restart; from then on logs hide it. Empty: there is none.
        It blocks: call it on a thread. Raises `ConfigurationError` that says where it was looked for."""
        found = ""
        if self._file:
            found = self._of_file(self._context.service.config_dir / Path(self._file).expanduser())
        elif self._variable:
            found = os.environ.get(self._variable, "").strip()
            if not found:
                raise ConfigurationError(f"The variable {self._variable} ({self._key}_env) is not set.")
        self._context.secrets.redact(found)
        return found

    def _of_file(self, path: Path) -> str:
        try:
            with path.open("rb") as file:
                found = file.read(LARGEST).decode().strip()
        except (OSError, UnicodeDecodeError) as exc:
            raise ConfigurationError(f"{path} ({self._key}_file) cannot be read: {type(exc).__name__}.") from None
        if not found:
            raise ConfigurationError(f"{path} ({self._key}_file) is empty.")
        return found
