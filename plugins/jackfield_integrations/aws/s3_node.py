"""S3: buckets, folders and files of a server with S3's protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind
from jackfield.api.http_client import HttpClient
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.nodes.running import made_per_item
from jackfield.api.workflows import Items
from jackfield_integrations.aws.s3_parameters import S3Parameters
from jackfield_integrations.aws.s3_session import S3Place, S3Session, place_of_s3
from jackfield_integrations.aws.s3_work import OPERATIONS, S3Item
from jackfield_integrations.kinds import S3
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.secret_values import DriverCredential, credential


class S3Node(IntegrationNode):
    """Requests go through the HTTP client, so `nodes.http` says where they may go."""

    kind = "s3"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "S3", "Buckets and files of a server like S3.", "network", credentials=(NodeCredential(S3.name),)
    )
    model = S3Parameters
    credential_kind: CredentialKind = S3
    place: Callable[[DriverCredential], S3Place] = staticmethod(place_of_s3)

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[S3Parameters] = await run.resolve()
        sessions: list[S3Session] = []

        async def one(index: int, wanted: S3Parameters) -> Items:
            if not sessions:
                values = await credential(run, self.credential_kind)
                sessions.append(S3Session(self._context.port(HttpClient), values, self.place(values)))
            if wanted.work not in OPERATIONS:
                known = ", ".join(operation for resource, operation in OPERATIONS if resource == wanted.resource)
                raise NodeError(
                    f"The operation {wanted.operation} of {wanted.resource} is unknown; use one of {known}."
                )
            limits = self.settings.max_bytes, self.settings.max_rows
            asked = S3Item(run, sessions[0], wanted, run.items[index], index, *limits)
            return await OPERATIONS[wanted.work](asked)

        return [await made_per_item(run, resolved, one)]


def node(context: PluginContext) -> S3Node:
    return S3Node(context)
