"""The credentials of a trigger's node, without an execution."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.credentials import Credentials
from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeError
from jackfield.api.projects import reaching, run_reach
from jackfield.api.records import record
from jackfield.api.workflows import Node


@record
class NodeCredentials:
    """`CredentialAccess` of this node."""

    context: PluginContext
    node: Node
    workflow_id: str | None
    """The workflow whose project must have the credential, or share it."""

    async def credential(self, kind: str) -> Mapping[str, str]:
        with reaching(run_reach(self.workflow_id)):
            return await self.context.port(Credentials).values(self._id(kind), kind)

    async def authorization(self, kind: str) -> Authorization:
        with reaching(run_reach(self.workflow_id)):
            return await self.context.port(Credentials).authorization(self._id(kind), kind)

    def _id(self, kind: str) -> str:
        found = self.node.credential_id(kind)
        if found is None:
            raise NodeError(f"The node {self.node.name} has no stored credential of the kind {kind}; choose one.")
        return found
