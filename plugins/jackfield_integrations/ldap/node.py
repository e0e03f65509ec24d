"""LDAP: searches, compares and changes entries of a directory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.nodes.items import all_failed, new_items
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.records import record
from jackfield.api.workflows import Items
from jackfield_integrations.kinds import LDAP
from jackfield_integrations.ldap.filters import escaped, filled, plain
from jackfield_integrations.ldap.parameters import LdapAttribute, LdapParameters
from jackfield_integrations.node import IntegrationNode

if TYPE_CHECKING:
    from jackfield_integrations.ldap.session import LdapSession

Row = dict[str, Json]
_CHANGES = {"add": "MODIFY_ADD", "replace": "MODIFY_REPLACE", "delete": "MODIFY_DELETE"}


@record
class LdapItem:
    run: NodeRun
    session: LdapSession
    wanted: LdapParameters
    index: int

    @property
    def dn(self) -> str:
        return self.wanted.needed("dn", self.wanted.dn)

    async def text(self, written: str) -> str:
        """A filter's part, with the values of its expressions. Raises `NodeError`."""

        async def evaluated(templates: Mapping[str, Json]) -> dict[str, Json]:
            return await self.run.evaluate(templates, item=self.index)

        return await filled(written, evaluated)


async def compare(asked: LdapItem) -> list[Row]:
    attribute = asked.wanted.needed("id", asked.wanted.id)
    result = await asked.session.compare(asked.dn, attribute, asked.wanted.value)
    return [{"dn": asked.dn, "attribute": attribute, "result": result}]


async def create(asked: LdapItem) -> list[Row]:
    attributes = {row.id: _values(row) for row in asked.wanted.attributes.attribute}
    await asked.session.create(asked.dn, attributes)
    return [{"dn": asked.dn, "result": "success"}]


async def delete(asked: LdapItem) -> list[Row]:
    await asked.session.delete(asked.dn)
    return [{"dn": asked.dn, "result": "success"}]


async def rename(asked: LdapItem) -> list[Row]:
    target = asked.wanted.needed("targetDn", asked.wanted.target_dn)
    await asked.session.rename(asked.dn, target)
    return [{"dn": target, "result": "success"}]


async def update(asked: LdapItem) -> list[Row]:
    changes: dict[str, list[tuple[str, Sequence[str]]]] = {}
    told: list[Json] = []
    for operation, code in _CHANGES.items():
        for row in getattr(asked.wanted.attributes, operation):
            values = [] if operation == "delete" and row.value == "" else _values(row)
            changes.setdefault(row.id, []).append((code, values))
            told.append({"operation": operation, "modification": {"type": row.id, "values": [*values], "buffers": []}})
    await asked.session.update(asked.dn, changes)
    return [{"dn": asked.dn, "result": "success", "changes": told}]


def _values(row: LdapAttribute) -> list[str]:
    given = row.value if isinstance(row.value, list) else [row.value]
    return [_text(value) for value in given]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return "" if value is None else str(value)


async def search(asked: LdapItem) -> list[Row]:
    wanted, options = asked.wanted, asked.wanted.options
    base = wanted.needed("baseDN", wanted.base_dn)
    chosen = await asked.text(wanted.search_for)
    if chosen == "custom":
        found = await asked.text(wanted.custom_filter)
    else:
        attribute = wanted.needed("attribute", wanted.attribute)
        found = f"(&{chosen}({escaped(attribute)}={await asked.text(wanted.search_text)}))"
    most = None if wanted.return_all else wanted.limit
    return await asked.session.search(base, plain(found), options.scope, options.attributes, options.page_size, most)


OPERATIONS: Mapping[str, Callable[[LdapItem], Awaitable[list[Row]]]] = {
    "compare": compare,
    "create": create,
    "delete": delete,
    "rename": rename,
    "search": search,
    "update": update,
}


class LdapNode(IntegrationNode):
    """Referrals to other servers are not followed."""

    kind = "ldap"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "LDAP",
        "Searches and changes the entries of a directory.",
        "network",
        credentials=(NodeCredential(LDAP.name),),
        missing=lacking_library("ldap3", "ldap"),
    )
    model = LdapParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[LdapParameters] = await run.resolve()
        if not resolved:
            return [[]]
        opened = await self.opening(run, LDAP)

        async def one(session: LdapSession, index: int, wanted: LdapParameters) -> Items:
            return new_items(await OPERATIONS[wanted.operation](LdapItem(run, session, wanted, index)), index)

        try:
            return [await self.through(run, resolved, opened, one)]
        except NodeError as exc:
            if exc.item is not None:
                raise
            return [all_failed(run, exc)]  # there is no connection: as in n8n, every item says so


def node(context: PluginContext) -> LdapNode:
    return LdapNode(context)
