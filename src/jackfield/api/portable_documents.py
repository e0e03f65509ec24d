"""Ports to things that go from one environment to the next as JSON documents. Secrets stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from .auth import Principal
from .jsontext import Json


class PortableDocuments(Protocol):
    """Things of one kind, each under a name that is the same in every environment."""

    async def documents(self) -> Mapping[str, Mapping[str, Json]]:
        """All that the current reach has, by name, without secrets. Raises `StoreUnavailable`."""

    async def put(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        """Make it, or change it to this. The fields that a document does not have stay as they are. Raises
        `JackfieldError`; then nothing has changed."""


class PortableEvaluations(PortableDocuments, Protocol):
    """The port: evaluations by name, without their runs."""


class PortableProfiles(PortableDocuments, Protocol):
    """The port: profiles of this host by alias, without keys, variables, ports and paths of the host."""
