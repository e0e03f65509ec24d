"""Secrets that let us in at a source, from where the settings say that they are."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.secret_places import GivenSecret
from jackfield.api.secret_sources import SourceUnavailable


class SourceSecret:
    """Read anew each time: others renew it. file wins over the variable."""

    def __init__(self, context: PluginContext, key: str, file: str, variable: str) -> None:
        """key: of the options, without its end. Raises `ConfigurationError` when neither place is named."""
        if not file and not variable:
            raise ConfigurationError(f"{key} has neither a file nor a variable of the environment; name one.")
        self._given = GivenSecret(context, key, file, variable)

    async def read(self) -> str:
        """Raises `SourceUnavailable`."""
        try:
            return await asyncio.to_thread(self._given.read)
        except ConfigurationError as exc:
            raise SourceUnavailable(exc.message) from None
