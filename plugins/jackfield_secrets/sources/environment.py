"""Secrets in variables of the daemon's environment whose names begin in one way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.jsontext import Json
from jackfield.api.secret_sources import SecretMissing, SecretPlace, SecretSource
from jackfield_secrets.sources.options import EnvironmentOptions

_OURS = "JACKFIELD_"


def environment_source(context: PluginContext, options: EnvironmentOptions) -> SecretSource:
    """Raises `ConfigurationError` for a prefix that shows the daemon's own secrets."""
    prefix = options.prefix.upper()
    if _OURS.startswith(prefix) or prefix.startswith(_OURS):
        raise ConfigurationError(
            f"The prefix {options.prefix} would show the daemon's own variables ({_OURS}...); choose another one."
        )
    return EnvironmentSource(os.environ, options.prefix)


class EnvironmentSource:
    """The first name of a path is a variable's, without the prefix; others are fields of the JSON object in it."""

    def __init__(self, environment: Mapping[str, str], prefix: str) -> None:
        self._environment = environment
        self._prefix = prefix

    def place(self, path: Sequence[str]) -> SecretPlace:
        return SecretPlace(tuple(path[:1]), tuple(path[1:]))

    async def read(self, secret: tuple[str, ...]) -> Json:
        name = f"{self._prefix}{secret[0]}"
        if name not in self._environment:
            raise SecretMissing(f"The daemon's environment has no variable {name}.")
        return self._environment[name]

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        found = sorted(name for name in self._environment if name.startswith(self._prefix) and name != self._prefix)
        return [(name.removeprefix(self._prefix),) for name in found[:most]]

    async def test(self) -> str:
        return f"The environment has {len(await self.names(10_000))} variables that begin with {self._prefix}."
