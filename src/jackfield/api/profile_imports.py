"""Profiles and keys that another tool had, as they are taken over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .jsontext import Json

if TYPE_CHECKING:
    from .agents import Agent
    from .providers import Provider


class ProfileImports(Protocol):
    """The port: takes over profiles and keys that another tool had."""

    async def create(self, body: Mapping[str, Json]) -> Sequence[str]:
        """Make a profile as `POST /api/profiles` does. Gives warnings. Raises `NotFound`, `InvalidInput`,
        `Conflict`."""

    async def check(
        self, body: Mapping[str, Json], agents: Mapping[str, Agent], providers: Mapping[str, Provider]
    ) -> None:
        """Whether `create` would make it, once those agents and providers are here, by id. Nothing is made. Raises as
        `create`, but for what a hook does."""

    async def check_provider_key(self, key: str) -> None:
        """Raises as `put_provider_key`."""

    async def put_provider_key(self, provider_id: str, key: str) -> None:
        """Seal a key of a provider. Raises `InvalidInput` for what can be none."""

    async def stored_provider_key(self, provider_id: str) -> str | None:
        """The key that is sealed for the provider; None: there is none, whatever the environment has."""
