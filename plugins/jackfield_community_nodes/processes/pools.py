"""The processes of every package: each has its own, none is shared."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield.api.process_containers import ProcessContainers, ProcessLimits
from jackfield.api.records import record
from jackfield.api.script_workers import ScriptWorkers, WorkerKind, Workers
from jackfield.api.scripts import ScriptError
from jackfield_community_nodes.processes.commands import (
    NO_SANDBOX,
    NodeProgram,
    command,
    node_program,
    problem_of_sandbox,
)
from jackfield_community_nodes.processes.worker import PackageRequest, PackageStart, PackageWorker, Serve
from jackfield_community_nodes.settings import CommunityNodesSettings


@record
class PackageFailure:
    """How a package's code failed. item: index of the input item, None: it named none."""

    message: str
    name: str = ""
    description: str = ""
    item: int | None = None


class PackageFailed(Exception):
    def __init__(self, failure: PackageFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class PackageProcesses:
    """Starts processes when they are needed. A package that changes gets new ones."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(CommunityNodesSettings)
        self._pools: dict[Path, Workers[PackageRequest]] = {}
        self._program: NodeProgram | None = None

    async def ask(self, root: Path, package: str, message: dict[str, Any], serve: Serve) -> Any:
        """The answer of `main.js`; Any: JSON that the package made. `root`: where its `node_modules` is. Raises
        `PackageFailed` for what its code throws, `NodeError` for all else."""
        try:
            answer = await self._pool(root, package).call(
                PackageRequest(await asyncio.to_thread(orjson.dumps, message), serve), self._settings.timeout
            )
        except ScriptError as exc:
            raise (NodeUnavailable if exc.kind == "crash" else NodeError)(exc.message) from None
        found = await asyncio.to_thread(orjson.loads, answer)
        if "failure" in found:
            raise PackageFailed(_failure(found["failure"]))
        return found.get("result")

    def _pool(self, root: Path, package: str) -> Workers[PackageRequest]:
        if root not in self._pools:
            settings = self._settings
            kind = WorkerKind(
                partial(self._started, root, package),
                settings.workers,
                settings.max_waiting,
                settings.max_wait,
                settings.uses,
                work="node",
            )
            self._pools[root] = self._context.port(ScriptWorkers).workers(kind)
        return self._pools[root]

    async def _started(self, root: Path, package: str) -> PackageWorker:
        settings = self._settings
        program = await self.program()
        limits = ProcessLimits(memory=(settings.memory + settings.buffers) << 20, processes=settings.processes)
        container = await self._context.port(ProcessContainers).open(f"community-{new_id()}", limits)
        start = PackageStart(
            container,
            command(program, root, package, settings),
            settings.max_message << 20,
            settings.max_calls,
            settings.start_timeout,
            settings.idle,
        )
        return await PackageWorker.start(start)

    async def program(self) -> NodeProgram:
        """Node.js, behind a sandbox that works. Only success is remembered. Raises `ScriptError`."""
        if self._program is None:
            found = await node_program(self._settings)
            if self._settings.sandbox == "bubblewrap":
                reason = await asyncio.to_thread(problem_of_sandbox, found)
                if reason is not None:
                    raise ScriptError(NO_SANDBOX.format(reason=reason), kind="crash")
            self._program = found
        return self._program

    async def forget(self, root: Path) -> None:
        """End the processes of a package that is gone; what runs there fails."""
        pool = self._pools.pop(root, None)
        if pool is not None:
            await pool.close()

    async def close(self) -> None:
        await asyncio.gather(*(pool.close() for pool in self._pools.values()))
        self._pools.clear()


def _failure(given: Any) -> PackageFailure:  # Any: what the process said
    told = given if isinstance(given, dict) else {}
    item = told.get("item")
    return PackageFailure(
        str(told.get("message") or "The node failed without a message."),
        str(told.get("name") or ""),
        str(told.get("description") or ""),
        item if isinstance(item, int) and not isinstance(item, bool) else None,
    )


async def stop(context: PluginContext) -> None:
    await context.port(PackageProcesses).close()
