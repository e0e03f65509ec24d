"""The trigger kind `chat`: which chats a document has, and why one may not go live."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.call_triggers import SuffixTrigger
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.streaming_nodes import NOTHING_STREAMS, streams_behind
from jackfield.api.triggers import (
    NodeTrigger,
    Registration,
    Start,
    Trigger,
    WorkflowChange,
    node_path,
    served_nodes,
)
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_ai.chat.mounts import LIVE, TEST, application

KIND = "chat"
NODES = ("langchain.chatTrigger",)
BASIC = "httpBasicAuth"
_PATH = re.compile(r"[A-Za-z0-9_.~-]{1,200}")


class ChatTrigger(SuffixTrigger, NodeTrigger):
    """Serves chatTrigger nodes. The trigger reads its nodes from the store with each message, so that nothing has to
    follow."""

    kind = KIND
    suffix = LIVE
    nodes = NODES

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._app = application(context)

    def idle(self, node: Node) -> str:
        """Only a public chat has an address in a live workflow."""
        return "" if is_public(node) else "the chat is not public; set its parameter public."

    async def serve_suffix(self, ident: str, scope: Scope, receive: Receive, send: Send, *, test: bool) -> None:
        """n8n's address of a chat."""
        path = f"/{TEST if test else LIVE}/{ident}"
        await self._app({**scope, "path": path, "raw_path": quote(path).encode()}, receive, send)

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(
                node.id, node.name, KIND, "POST", "/" + path, path if is_public(node) else "", authentication(node)
            )
            for node in served_nodes(workflow, NODES)
            if (path := path_of(node))
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        catalog = self._context.port(NodeCatalog)
        for node in served_nodes(workflow, NODES):
            place = node_path(workflow, node)
            found += [Problem(f"{place}.{where}", message) for where, message in _problems(node)]
            if streams(node) and is_public(node) and not streams_behind(node, workflow, catalog):
                found.append(Problem(f"{place}.parameters.options.responseMode", NOTHING_STREAMS))
            if is_public(node) and path_of(node) and await self._taken(workflow, path_of(node)):
                found.append(Problem(f"{place}.webhookId", "Another live workflow has a chat at this address already."))
        return found

    async def _taken(self, workflow: Workflow, path: str) -> bool:
        rows = await self._context.store.webhooks_by_path("/" + path, kind=KIND)
        return any(row.active and row.workflow_id != workflow.id for row in rows)

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        """A chat that is not public is in the editor alone."""
        return [
            Start(node.name, "A chat message" if is_public(node) else "A chat message in the editor")
            for node in served_nodes(workflow, NODES)
        ]

    async def follow(self, change: WorkflowChange) -> None:
        """Nothing is kept."""


def _problems(node: Node) -> Iterator[tuple[str, str]]:
    if not is_public(node):
        return
    if not path_of(node):
        yield "webhookId", "A public chat needs a webhookId of letters, digits, - _ . and ~."
    kind = authentication(node)
    if kind not in ("none", "basicAuth"):
        yield "parameters.authentication", "A public chat can have the authentication none or basicAuth."
    elif kind == "basicAuth" and node.credential_id(BASIC) is None:
        yield "credentials", f"basicAuth needs a stored credential of the kind {BASIC}."


def path_of(node: Node) -> str:
    """The chat's address below /chat; empty when it has none. n8n serves chats under their webhookId."""
    path = node.webhook_id or node.id
    return path if _PATH.fullmatch(path) and set(path) != {"."} else ""


def is_public(node: Node) -> bool:
    return node.parameters.get("public") is True


def authentication(node: Node) -> str:
    value = node.parameters.get("authentication", "none")
    return value if isinstance(value, str) else "unknown"


def options_of(node: Node) -> Mapping[str, Json]:
    found = node.parameters.get("options")
    return found if isinstance(found, dict) else {}


def mode_of(node: Node) -> str:
    """How a chat is answered: lastNode, responseNode, streaming."""
    found = options_of(node).get("responseMode", node.parameters.get("responseMode", "lastNode"))
    return found if isinstance(found, str) else "lastNode"


def streams(node: Node) -> bool:
    return mode_of(node) == "streaming"


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [ChatTrigger(context)]
