"""MongoDB: finds and changes documents, and manages search indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeResult, NodeRun
from jackfield.api.nodes.items import all_pairs, repaired
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.running import made_at_once
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Items, Outputs
from jackfield_integrations.kinds import MONGO_DB
from jackfield_integrations.libraries import load
from jackfield_integrations.mongo.parameters import MongoParameters
from jackfield_integrations.node import IntegrationNode

if TYPE_CHECKING:
    from jackfield_integrations.mongo.session import MongoSession

_WRITES = frozenset({"findOneAndReplace", "findOneAndUpdate", "insert", "update"})


class MongoNode(IntegrationNode):
    """Before version 1.1 the first item alone is asked for, and before 1.3 all are written by its parameters. Inserts
    go together since 1.3, updates since 1.5."""

    kind = "mongoDb"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4, 1.5)
    description = NodeDescription(
        "MongoDB",
        "Finds, inserts and updates documents in MongoDB.",
        "network",
        credentials=(NodeCredential(MONGO_DB.name),),
        missing=lacking_library("pymongo", "mongodb"),
    )
    model = MongoParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[MongoParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        version = run.node.version or max(self.versions)
        opened = await self.opening(run, MONGO_DB)
        works = await load("mongo.work", "mongodb")

        def work(session: MongoSession) -> object:
            return works.MongoWork(run, session, version, self.settings.max_rows)

        async def one(session: MongoSession, index: int, wanted: MongoParameters) -> Items:
            made: Items = await works.MongoWork(run, session, version, self.settings.max_rows).one(index, wanted)
            return made

        if first.work not in _WRITES:
            asked = resolved if version >= 1.1 else resolved[:1]
            made = await self.through(run, asked, opened, one)
            return [made if version >= 1.1 else _of_all(run, made)]
        if version < 1.3:

            async def together() -> Outputs:
                async with self.slot(), opened as session:
                    return [_of_all(run, await works.written_by_the_first(work(session), first))]

            return await made_at_once(run, together, origin=all_pairs([run.items]))
        if first.work == "insert" or (first.work != "findOneAndReplace" and version >= 1.5):
            write = works.inserted if first.work == "insert" else works.updated
            async with self.slot(), opened as session:
                return [await write(work(session), resolved)]
        return [await self.through(run, resolved, opened, one)]


def _of_all(run: NodeRun, items: Items) -> Items:
    """Each paired with every input item."""
    origin = all_pairs([run.items])
    return [repaired(item, origin) for item in items]


def node(context: PluginContext) -> MongoNode:
    return MongoNode(context)
