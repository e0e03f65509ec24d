"""The common part of the nodes of this room."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import LARGE, Json, loads
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeParameters
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.running import PassingNode
from jackfield.api.triggers.listening import ListeningBase, ListenRun
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets


class ConnectionTrigger(PassingNode, ListeningBase):
    """Base of a `ListeningNode` whose connection has a credential."""

    def __init__(
        self,
        context: PluginContext,
        kind: str,
        versions: Sequence[float],
        words: tuple[str, str],
        credential: CredentialKind,
        library: tuple[str, str],
        model: type[NodeParameters],
        further: Sequence[NodeCredential] = (),
    ) -> None:
        """words: title and summary. library: the package that is imported, and the extra that brings it. further:
        credentials beside that of the connection."""
        described = NodeDescription(
            *words,
            "trigger",
            inputs=0,
            trigger=True,
            credentials=(NodeCredential(credential.name), *further),
            missing=lacking_library(*library),
            help="triggers#listening",
        )
        super().__init__(kind, versions, described, model)
        self._context = context
        self._credential = credential

    @property
    def settings(self) -> IntegrationSettings:
        return self._context.settings(IntegrationSettings)

    def targets(self) -> Targets:
        return Targets(self.settings)

    async def values(self, run: ListenRun) -> DriverCredential:
        """Raises `NodeError`."""
        return DriverCredential(self._credential, await run.credentials.credential(self._credential.name))


async def json_or_text(text: str) -> Json:
    """The value where the text is JSON, else the text. A large one is read on a thread."""
    try:
        if len(text) >= LARGE:
            return await asyncio.to_thread(loads, text)
        return loads(text)
    except InvalidInput:
        return text
