"""SSH: runs commands on another machine, and moves files there and back."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.files import file_of
from jackfield.api.nodes.items import new_items
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Items
from jackfield_integrations.files import bounded_chunks
from jackfield_integrations.form import SSH
from jackfield_integrations.kinds import SSH_PASSWORD, SSH_PRIVATE_KEY
from jackfield_integrations.libraries import load
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text
from jackfield_integrations.remote.file_server import checked_path, file_name, with_download
from jackfield_integrations.secret_values import credential

if TYPE_CHECKING:
    from jackfield_integrations.remote.ssh_actions import SshActions


class SshOptions(Parameters):
    file_name: Text = Field("", description="Another name for the file.")


class SshParameters(Parameters):
    ui_fields: ClassVar[UiFields] = SSH

    authentication: Literal["password", "privateKey"] = "password"
    resource: Literal["command", "file"] = "command"
    operation: Literal["execute", "upload", "download"] | None = None
    command: Text = Field("", description="The command for the other machine's shell.")
    cwd: Text = Field("/", description="The directory to run it in.")
    path: Text = Field(
        "",
        description="The file to download, or the directory to upload to.",
        json_schema_extra=needed({"resource": ["file"], "operation": ["upload", "download", "", None]}),
    )
    binary_property_name: Text = "data"
    options: SshOptions = Field(default_factory=SshOptions)

    def action(self) -> str:
        return self.operation or ("execute" if self.resource == "command" else "upload")


def in_directory(command: str, directory: str) -> str:
    """The command, run there. `~` is the home directory."""
    if not directory.strip():
        return command
    if directory == "~" or directory.startswith("~/"):
        rest = directory[2:]
        return f"cd ~/{shlex.quote(rest) if rest else ''} && {command}"
    return f"cd -- {shlex.quote(directory)} && {command}"


class SshNode(IntegrationNode):
    """An exit code other than 0 is an answer, not a failure, as in n8n."""

    kind = "ssh"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "SSH",
        "Runs commands on other machines, and moves files.",
        "network",
        scopes=(MACHINE_WRITE,),
        credentials=(
            NodeCredential(SSH_PASSWORD.name, when={"authentication": ("", "password")}),
            NodeCredential(SSH_PRIVATE_KEY.name, when={"authentication": ("privateKey",)}),
        ),
        missing=lacking_library("asyncssh", "ssh"),
    )
    model = SshParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[SshParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        kind = SSH_PASSWORD if first.authentication == "password" else SSH_PRIVATE_KEY
        values = await credential(run, kind)
        ssh = await load("remote.ssh_actions", "ssh")

        async def one(actions: SshActions, index: int, parameters: SshParameters) -> Items:
            if parameters.action() == "execute":
                if not parameters.command.strip():
                    raise NodeError("The parameter command is empty.")
                return new_items([await actions.command(in_directory(parameters.command, parameters.cwd))], index)
            return await self._file(run, actions, index, parameters)

        return [await self.through(run, resolved, ssh.connected(self.targets, values, self.settings), one)]

    async def _file(self, run: NodeRun, actions: SshActions, index: int, wanted: SshParameters) -> Items:
        item, field, path = run.items[index], wanted.binary_property_name, checked_path(wanted.path, "path")
        async with actions.files() as server:
            if wanted.action() == "download":
                return [await with_download(run, server, item, index, path, field, wanted.options.file_name)]
            file = file_of(item, field, index)
            name = file_name(wanted.options.file_name or file.get("fileName") or field, "fileName")
            chunks = bounded_chunks(run, item, field, index, self.settings.max_bytes)
            await server.write(posixpath.join(path, name), chunks)
        return new_items([{"success": True}], index)


def node(context: PluginContext) -> SshNode:
    return SshNode(context)
