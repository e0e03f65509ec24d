"""Variables and credentials that have changed since an execution: nodes that use them would give something else now."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jackfield.api.context import PluginContext
from jackfield.api.workflows import Node, Workflow
from jackfield_workflows.saved.node_changes import parts_of, texts_of

_USE = re.compile(r"[$_]vars\b|(?<![\w.$])vars(?=\s*[.\[])")
"""Of variables: in expressions and JavaScript `$vars`, in Python `_vars`, in Rhai `vars`."""
_KEY = re.compile(r"""\s*(?:\?\.)?\s*\[\s*(?P<mark>["'`])(?P<key>[^"'`\\$]+)(?P=mark)\s*\]|\s*\??\.\s*(?P<name>\w+)""")


async def changed_outside(context: PluginContext, workflow: Workflow, since: int) -> frozenset[str]:
    """Names of nodes that use, themselves or by their parts, a changed credential or variable.

    It was changed since (Unix ms) or is no longer there. A node counts too that computes the name of a variable.
    """
    variables = {row.key: row.updated_at for row in await context.store.variables()}
    credentials: dict[str, int | None] = {}
    for ident in {ident for node in workflow.nodes.values() for ident in _credentials(node)}:
        found = await context.store.credential(ident)
        credentials[ident] = None if found is None else found.updated_at

    def changed(node: Node) -> bool:
        if any((at := credentials[ident]) is None or at >= since for ident in _credentials(node)):
            return True
        return any(key is None or key not in variables or variables[key] >= since for key in _variables(node))

    own = {name for name, node in workflow.nodes.items() if changed(node)}
    return frozenset(name for name in workflow.nodes if name in own or own.intersection(parts_of(workflow, name)))


def _credentials(node: Node) -> Iterator[str]:
    for kind in node.credentials:
        if ident := node.credential_id(kind):
            yield ident


def _variables(node: Node) -> Iterator[str | None]:
    """Keys of the variables that the parameters name; None: of one whose key is computed."""
    for text in texts_of(dict(node.parameters)):
        for use in _USE.finditer(text):
            named = _KEY.match(text, use.end())
            yield named and (named["key"] or named["name"])
