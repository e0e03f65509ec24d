"""No node lets an item that failed come out as if it had succeeded, where the workflow goes on after errors.

Every registered node that takes items runs with three items. One of them has an expression that fails, or all fail:
there is no credential, no server answers. A node that n8n fails as a whole passes its input on, as in n8n; each such
node stands in a list below.

And none changes an item that it was given: the node before gave the same one.
"""

from __future__ import annotations

import copy
import socket
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

import pytest

from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeType
from jackfield.api.nodes.items import carries_error
from jackfield.api.workflows import Item, OnError
from jackfield.testing.context import FakeContext, made
from jackfield.testing.node_runs import FakeNodeRun, NodeOutcome, items
from jackfield.testing.store import MemoryStore
from jackfield_integrations.settings import IntegrationSettings
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.library import read

GOES_ON: Sequence[OnError] = ("continueRegularOutput", "continueErrorOutput")
ITEMS = items({"id": 0}, {"id": 1}, {"id": 2})
WHOLE = "n8n asks for the first item's parameters outside of its loop, so that the node fails as a whole"
FIRST_ONLY: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("aggregate", "compareDatasets", "compression", "itemLists", "limit", "merge", "readBinaryFiles"),
            *("removeDuplicates", "sort", "splitInBatches", "splitOut", "stopAndError", "summarize", "wait", "xml"),
            *("langchain.code", "langchain.memoryChatRetriever"),
        ),
        WHOLE,
    ),
    "form": "a page is made once, with the first item's parameters, outside of any loop",
    "switch": "from version 2 on the first item tells how many outputs there are, and n8n has none for its error",
}
"""An expression that fails for the first item: kind -> why the input is passed on."""
ANY_ITEM: Mapping[str, str] = {
    "evaluation": "n8n passes items on where nothing is evaluated",
    "filter": "n8n discards the item without an error",
    "if": "n8n sends the item to false without an error",
    "itemLists": "n8n has no loop that goes on after errors",
    "mqtt": "n8n has no loop that goes on after errors",
    "moveBinaryData": "n8n has no loop that goes on after errors",
    "rabbitmq": "n8n has no loop that goes on after errors",
    "splitOut": "n8n has no loop that goes on after errors",
    "removeDuplicates": "n8n has no loop that goes on after errors for what it remembers",
}
"""The same for any item."""
NO_CREDENTIAL: Mapping[str, str] = dict.fromkeys(
    ("crypto", "ftp", "ldap", "mongoDb", "mqtt", "mySql", "postgres", "rabbitmq", "redis", "ssh"),
    "n8n reads the credential before its loop",
)
NO_SERVER: Mapping[str, str] = dict.fromkeys(
    ("mongoDb", "mqtt", "rabbitmq", "redis", "ssh"), "n8n connects before its loop"
)
READS: Mapping[str, Sequence[Mapping[str, Json]]] = {
    "crypto": ({"action": "hmac", "value": "x"}, {"action": "sign", "value": "x"}, {"action": "encrypt", "value": "x"}),
    "executeWorkflow": ({"mode": "each"}, {"mode": "once"}),
    "ftp": ({"path": "/a"}, {"protocol": "sftp", "path": "/a"}),
    "graphql": ({"endpoint": "http://127.0.0.1:9/", "query": "{a}", "authentication": "headerAuth"},),
    "httpRequest": (
        {"url": "http://127.0.0.1:9/", "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth"},
    ),
    "if": ({"conditions": {"conditions": []}},),
    "mySql": ({"operation": "executeQuery", "query": "select 1"},),
    "postgres": (
        {"operation": "executeQuery", "query": "select 1"},
        {"operation": "executeQuery", "query": "select 1", "options": {"queryBatching": "independently"}},
    ),
    "redis": ({"operation": "get", "key": "a"},),
    "rssFeedRead": ({"url": "http://127.0.0.1:9/"},),
    "sqlite": ({"operation": "executeQuery", "query": "select 1", "database": "a.db"},),
    "ssh": ({"command": "true"}, {"authentication": "privateKey", "command": "true"}),
}
"""Parameters with which a node's work begins; a node that is not here runs with its defaults."""


class Unreachable:
    """`HttpClient` without a network."""

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        raise NodeError("No server answers.")


class Anything(dict[str, Any]):
    """A mapping that has one value under every key."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self._value = value

    def __contains__(self, key: object) -> bool:
        return True

    def __getitem__(self, key: str) -> Any:
        return self._value


class Bare:
    """`Authorization` that adds nothing."""

    kind = "test"
    allowed_hosts = ""

    async def apply(self, call: HttpCall) -> HttpCall:
        return call

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        return None


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> list[NodeType]:
    """Every registered node that takes items and runs in turn."""
    settings = IntegrationSettings(allowed_hosts=["127.0.0.1"], connect_timeout=5)
    ports = {"HttpClient": Unreachable(), "Store": MemoryStore()}
    context = FakeContext(tmp_path_factory.mktemp("nodes"), tables=[settings], ports=ports)
    found: list[NodeType] = []
    for point in entry_points(group="jackfield"):
        plugin = point.load()(context)
        if hasattr(plugin, "jackfield_nodes"):
            found += made(plugin.jackfield_nodes())
    assert len(found) > 200
    return [node for node in found if node.description.inputs and not node.description.trigger]


def operations(kind: str) -> list[Mapping[str, Json]]:
    """Of the service's node of this kind."""
    file = SHIPPED / f"{kind.replace('/', '__')}.toml"
    described = read(file).operations if file.exists() else []
    return [{"resource": one.resource, "operation": one.operation, **one.when} for one in described]


def parameter_sets(kind: str) -> Sequence[Mapping[str, Json]]:
    return READS.get(kind) or operations(kind) or ({},)


def runs(
    nodes: list[NodeType], most: int | None = None, **given: object
) -> Iterator[tuple[NodeType, Mapping[str, Json], FakeNodeRun]]:
    """Every node with each of its sets of parameters, at most so many, in both ways of going on."""
    for node in nodes:
        for parameters in parameter_sets(node.kind)[:most]:
            for on_error in GOES_ON:
                run = FakeNodeRun(node, parameters, ITEMS, on_error=on_error, **given)  # type: ignore[arg-type]
                yield node, parameters, run


def succeeded(run: FakeNodeRun, outcome: NodeOutcome) -> set[int]:
    """The input items that came out at an output for items that did not fail, without an error."""
    regular = outcome.outputs[: run.type.outputs(run.node)]
    return {
        reference.item
        for output, made in enumerate(regular)
        for item, references in zip(made, outcome.origins(output), strict=True)
        if not carries_error(item)
        for reference in references
    }


class Expressions:
    """The parameters per item; those of the item `bad` have an expression that fails."""

    def __init__(self, parameters: Mapping[str, Json], bad: int) -> None:
        self._parameters = parameters
        self._bad = bad
        self.failed = False

    def __call__(self, item: Item) -> Mapping[str, Json]:
        if item["json"].get("id") != self._bad:
            return self._parameters
        self.failed = True
        raise NodeError("There is no such node.", item=self._bad)


@pytest.mark.parametrize("bad", [0, 1])
async def test_an_item_whose_expression_fails_comes_out_with_an_error(nodes: list[NodeType], bad: int) -> None:
    allowed = {**ANY_ITEM, **NO_SERVER, **(FIRST_ONLY if bad == 0 else {})}
    silent: dict[str, object] = {}
    for node, parameters, run in runs(nodes, 1, **credentials()):
        run.parameters = expressions = Expressions(parameters, bad)
        outcome = await run.outcome()
        whole = outcome.error is not None and outcome.error.item == bad
        if expressions.failed and (whole or bad in succeeded(run, outcome)):
            silent.setdefault(node.kind, (run.on_error, parameters, outcome.outputs))
    assert {kind: silent[kind] for kind in silent.keys() - allowed.keys()} == {}


def credentials() -> dict[str, object]:
    """Of every kind, for a server that does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    keys = ("hmacSecret", "signPrivateKey", "encryptionPassphrase", "user", "username", "database")
    values = {"host": "127.0.0.1", "port": port, **dict.fromkeys(keys, "a")}
    return {"credentials": Anything(values), "authorizations": Anything(Bare())}


async def test_no_item_succeeds_without_a_credential(nodes: list[NodeType]) -> None:
    silent: dict[str, object] = {}
    for node, parameters, run in runs(nodes, 3):
        outcome = await run.outcome()
        if run.credential_reads and succeeded(run, outcome):
            silent.setdefault(node.kind, (run.on_error, parameters, outcome.outputs))
    assert {kind: silent[kind] for kind in silent.keys() - NO_CREDENTIAL.keys()} == {}


async def test_no_item_succeeds_without_a_server(nodes: list[NodeType]) -> None:
    silent: dict[str, object] = {}
    for node, parameters, run in runs(nodes, 3, **credentials()):
        outcome = await run.outcome()
        if node.description.group == "network" and run.credential_reads and succeeded(run, outcome):
            silent.setdefault(node.kind, (run.on_error, parameters, outcome.outputs))
    assert {kind: silent[kind] for kind in silent.keys() - NO_SERVER.keys()} == {}


async def test_no_node_changes_an_item_that_it_was_given(nodes: list[NodeType]) -> None:
    files = {"data": {"data": "e30=", "mimeType": "application/json", "fileName": "a.json"}}
    rows: list[Any] = [
        {"json": {"id": place, "name": "a", "data": {"b": [{"c": 1}]}}, "binary": files, "pairedItem": {"item": place}}
        for place in range(3)
    ]
    before = copy.deepcopy(rows)
    changed: dict[str, object] = {}
    for node in nodes:
        for parameters in parameter_sets(node.kind)[:2]:
            others = [rows] if node.description.inputs > 1 else []
            run = FakeNodeRun(node, parameters, rows, others, on_error="continueRegularOutput", **credentials())  # type: ignore[arg-type]
            assert run.items[0] is rows[0]
            await run.outcome()
            if rows != before:
                changed.setdefault(node.kind, parameters)
                rows[:] = copy.deepcopy(before)
    assert changed == {}
