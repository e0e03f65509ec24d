"""FTP: lists, fetches, stores, renames and deletes files over FTP or SFTP, through one connection per run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import new_items, pairs
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.running import made_at_once
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Items, Outputs
from jackfield_integrations.files import bounded_chunks
from jackfield_integrations.form import FTP_OPTIONS, FTP_UI
from jackfield_integrations.kinds import FTP, SFTP
from jackfield_integrations.libraries import load
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text
from jackfield_integrations.remote.file_server import FileServer, checked_path, with_download
from jackfield_integrations.secret_values import credential


class FtpOptions(Parameters):
    ui_fields: ClassVar[UiFields] = FTP_OPTIONS

    folder: bool = Field(False, description="Delete a directory.")
    recursive: bool = Field(False, description="Delete a directory with all that is in it.")
    create_directories: bool = Field(False, description="Make the new path's directories.")


class FtpParameters(Parameters):
    ui_fields: ClassVar[UiFields] = FTP_UI

    protocol: Literal["ftp", "sftp"] = "ftp"
    operation: Literal["delete", "download", "list", "rename", "upload"] = "download"
    path: Text = Field(
        "",
        description="A file or directory of the server.",
        json_schema_extra=needed({"operation": ["delete", "download", "upload"]}),
    )
    old_path: Text = Field("", json_schema_extra=needed({"operation": ["rename"]}))
    new_path: Text = Field("", json_schema_extra=needed({"operation": ["rename"]}))
    recursive: bool = False
    binary_data: bool = Field(True, description="Whether a file of the item is uploaded, or the text fileContent.")
    binary_property_name: Text = "data"
    file_content: Text = ""
    options: FtpOptions = Field(default_factory=FtpOptions)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


class FtpNode(IntegrationNode):
    """The first item says which protocol is spoken."""

    kind = "ftp"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "FTP",
        "Moves files over FTP and SFTP.",
        "network",
        credentials=(
            NodeCredential(FTP.name, when={"protocol": ("", "ftp")}),
            NodeCredential(SFTP.name, when={"protocol": ("sftp",)}),
        ),
        # With one of both it runs for one of both protocols.
        missing=lacking_library("aioftp", "ftp") and lacking_library("asyncssh", "ssh"),
    )
    model = FtpParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[FtpParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        plain = first.protocol == "ftp"
        values = await credential(run, FTP if plain else SFTP)
        servers = await load("remote.ftp_server" if plain else "remote.sftp_server", "ftp" if plain else "ssh")

        async def one(server: FileServer, index: int, parameters: FtpParameters) -> Items:
            return await self._one(run, server, index, parameters)

        async def work() -> Outputs:
            return [await self.through(run, resolved, servers.served(self.targets, values, self.settings), one)]

        return await made_at_once(run, work, origin=pairs(range(len(resolved))))

    async def _one(self, run: NodeRun, server: FileServer, index: int, wanted: FtpParameters) -> Items:
        options = wanted.options
        match wanted.operation:
            case "list":
                path = checked_path(wanted.path or "/", "path")
                return new_items(await server.listing(path, recursive=wanted.recursive), index)
            case "download":
                item, field = run.items[index], wanted.binary_property_name
                return [await with_download(run, server, item, index, wanted.path, field, "")]
            case "delete":
                path = checked_path(wanted.path, "path")
                await server.remove(path, folder=options.folder, recursive=options.recursive)
            case "rename":
                old, new = checked_path(wanted.old_path, "oldPath"), checked_path(wanted.new_path, "newPath")
                await server.rename(old, new, make_directories=options.create_directories)
            case "upload":
                await server.write(checked_path(wanted.path, "path"), self._upload(run, index, wanted))
        return new_items([{"success": True}], index)

    def _upload(self, run: NodeRun, index: int, wanted: FtpParameters) -> AsyncIterator[bytes]:
        if not wanted.binary_data:
            return _once(wanted.file_content.encode("utf-8", "replace"))
        item, limit = run.items[index], self.settings.max_bytes
        return bounded_chunks(run, item, wanted.binary_property_name, index, limit)


def node(context: PluginContext) -> FtpNode:
    return FtpNode(context)
