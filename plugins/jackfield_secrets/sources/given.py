"""Secrets that let us in at a source, from where the settings say that they are."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.secret_sources import SourceUnavailable

_LONGEST = 65_536
"""Bytes of a file."""


class GivenSecret:
    """Read anew each time: others renew it. file wins over the variable."""

    def __init__(self, context: PluginContext, what: str, file: str, variable: str) -> None:
        """what: for messages. Raises `ConfigurationError` when neither is named."""
        if not file and not variable:
            raise ConfigurationError(f"{what} has neither a file nor a variable of the environment; name one.")
        self._context = context
        self._what = what
        self._file = file
        self._variable = variable

    async def read(self) -> str:
        """Raises `SourceUnavailable`."""
        text = (await asyncio.to_thread(self._of_file) if self._file else os.environ.get(self._variable, "")).strip()
        if not text:
            where = f"the file {self._file}" if self._file else f"the variable {self._variable}"
            raise SourceUnavailable(f"{self._what} is empty: fill {where}.")
        self._context.secrets.redact(text)
        return text

    def _of_file(self) -> str:
        try:
            with Path(self._file).open("rb") as file:
                return file.read(_LONGEST).decode()
        except OSError as exc:
            raise SourceUnavailable(f"{self._what} cannot be read: {exc.strerror} ({self._file}).") from None
        except UnicodeDecodeError:
            raise SourceUnavailable(f"{self._what} is no text ({self._file}).") from None
