"""Workflows: documents, validation, the management API and its commands."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import TYPE_CHECKING, cast

from jackfield.api.context import WorkflowReader
from jackfield.api.object_references import load
from jackfield.api.plugin import Plugin, SettingsTable, hookimpl, later, when_built
from jackfield.api.shared_workflows import PeerChanges

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield_workflows.saved.peers import WorkflowsOfPeers

ATTENTION = "jackfield_workflows.activation.attention"
NAMES = "jackfield_workflows.activation.rule_names"
PEERS = "jackfield_workflows.saved.peers"
OLD_DOCUMENTS = "jackfield_workflows.documents.old_documents:seal_old_documents"


class WorkflowsPlugin(Plugin):
    """Workflows: documents, validation, the management API and its commands."""

    name = "workflows"
    settings = (
        SettingsTable("workflows", "jackfield_workflows.settings:WorkflowsSettings"),
        SettingsTable("node_types", "jackfield_workflows.settings:NodeTypesSettings"),
    )
    commands = (
        "jackfield_workflows.cli.commands:workflow",
        "jackfield_workflows.cli.executions:execution",
        "jackfield_workflows.cli.variables:variable",
        "jackfield_workflows.cli.tags:tag",
    )
    provides = {
        WorkflowReader: "jackfield_workflows.documents.reader:CachedReader",
        "jackfield.api.saved_documents:SavedDocuments": "jackfield_workflows.saved.port:SavedDocumentsPort",
        "jackfield.api.shared_workflows:PeerChanges": f"{PEERS}:WorkflowsOfPeers",
        "jackfield.api.run_rights:RunRights": "jackfield_workflows.saved.starting:StartRights",
        "jackfield.api.node_rules:ProjectNodeRules": "jackfield_workflows.saved.moving:MovingRules",
        "jackfield.api.node_rules:RunNodeRules": "jackfield_workflows.activation.run_rules:RunRules",
    }
    parts = (
        "jackfield_workflows.saved.changes:WorkflowChanges",
        "jackfield_workflows.saved.following:Following",
        "jackfield_workflows.saved.confirming:Confirming",
        "jackfield_workflows.saved.folders:FolderChanges",
        "jackfield_workflows.activation.trigger_calls:TriggerCalls",
        f"{ATTENTION}:Attention",
    )

    def start(self) -> None:
        """See to what an earlier version has stored."""
        if not self.context.service.worker:
            work = cast("Callable[[PluginContext], Coroutine[object, object, None]]", load(OLD_DOCUMENTS))
            self.context.spawn("old documents", work(self.context))
            self.context.spawn("attention", self._watch())
            self.context.spawn("names of node types", self._look_at_names())
        if not self.context.store.exclusive:
            self.context.spawn("peers", self._follow_peers())

    async def _watch(self) -> None:
        """Behind the start, and its modules on a thread."""
        await _loaded(ATTENTION)
        watch = cast("Callable[[PluginContext], Coroutine[object, object, None]]", load(f"{ATTENTION}:watch"))
        await watch(self.context)

    async def _look_at_names(self) -> None:
        """The same."""
        import asyncio  # as above

        await asyncio.to_thread(import_module, NAMES)
        cast("Callable[[PluginContext], None]", load(f"{NAMES}:warn"))(self.context)

    async def _follow_peers(self) -> None:
        """The same."""
        await _loaded(PEERS)
        peers = self.context.port(PeerChanges)
        if peers.shared:
            await cast("WorkflowsOfPeers", peers).run()

    jackfield_manifest_kinds = later("jackfield_workflows.templates.manifest_kind:KINDS")
    jackfield_sealed_values = later("jackfield_workflows.documents.resealing:sealed_values")
    jackfield_findings = later(f"{NAMES}:findings")
    jackfield_metrics = hookimpl(when_built(f"{ATTENTION}:Attention", f"{ATTENTION}:metrics"))
    jackfield_blueprints = later("jackfield_workflows.blueprints:blueprints")


async def _loaded(module: str) -> None:
    import asyncio  # here: `--help` loads this module, and awaits nothing

    await asyncio.to_thread(import_module, module)
