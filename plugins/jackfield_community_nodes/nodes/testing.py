"""Tries credentials by the request that their kind in the package names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeError
from jackfield_community_nodes.nodes.masking import Mask
from jackfield_community_nodes.nodes.serving import PackageRequests
from jackfield_community_nodes.packages import InstalledPackage, root_of
from jackfield_community_nodes.processes.pools import PackageFailed, PackageProcesses


class _NoCredentials:
    """The values stand in the question already."""

    async def credential(self, kind: str) -> Mapping[str, str]:
        raise NodeError(f"A test has no other credential, such as {kind}.")

    async def authorization(self, kind: str) -> Authorization:
        raise NodeError(f"A test has no other credential, such as {kind}.")


async def tested(context: PluginContext, package: InstalledPackage, file: str, values: Mapping[str, str]) -> str:
    """The report of it. Raises `NodeError`."""
    requests = PackageRequests(context, _NoCredentials(), ())
    message = {"kind": "test", "file": file, "values": dict(values)}
    try:
        await context.port(PackageProcesses).ask(
            root_of(context, package), package.name, message, partial(requests.serve)
        )
    except PackageFailed as exc:
        raise NodeError(Mask(values.values()).masked(exc.failure.message)) from None
    return "The service accepts the credential."
