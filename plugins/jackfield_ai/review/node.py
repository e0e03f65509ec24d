"""The node between an agent and its tools that asks a person about each call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    REVIEW_FORM,
    AttachedNode,
    NodeCatalog,
    NodeParameters,
    NodeResult,
    NodeRun,
    NodeType,
    NodeUnavailable,
)
from jackfield.api.nodes.fields import form_of
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.lists import CredentialAccess, ListQuestion, LoadedPage, listing_node
from jackfield.api.questions import APPROVAL
from jackfield.api.workflows import Node
from jackfield_ai.catalogue import REVIEWS
from jackfield_ai.review.kinds import described
from jackfield_ai.tools.reviewed import ReviewedTool
from jackfield_ai.tools.toolbox import tools_of

ASKS = "sendAndWait"
MESSAGE = (
    "=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ JSON.stringify($tool.parameters, null, 2) }}"
)


_SETTLED_LABELS = {"resource": "Resource", "operation": "Operation", "responseType": "Answer"}
"""As the services' own nodes have them."""


class NothingToAsk(NodeParameters):
    """Of a node whose service no plugin brings."""


class ReviewNode:
    """Asks as the service's own node does, with an approval and nothing else. Source: n8n's `hitl-tools.ts`."""

    def __init__(self, kind: str, base: NodeType | None) -> None:
        self.kind = kind
        self._base = base
        asking = kind.removesuffix(REVIEW_FORM)
        outline = described(kind, asking, base)
        self.versions: Sequence[float] = outline.versions
        self.description = outline.description
        self.effect = outline.effect
        self._settled: dict[str, Json] = {
            "resource": REVIEWS[asking],
            "operation": ASKS,
            "responseType": APPROVAL,
        }
        self._models = cache(self._model)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NothingToAsk if self._base is None else self._models(self._base.parameters(version))

    def _model(self, base: type[NodeParameters]) -> type[NodeParameters]:
        settled = self._settled

        class Reviewing(base):  # type: ignore[misc,valid-type]  # a class that is known only here
            """The service's parameters, of which those that choose what it does are settled."""

            chosen: ClassVar[Mapping[str, Json]] = settled

            @classmethod
            def completed(cls, parameters: Mapping[str, Json]) -> Mapping[str, Json]:
                written = parameters if parameters.get("message") is not None else {**parameters, "message": MESSAGE}
                found: Mapping[str, Json] = super().completed({**written, **cls.chosen})
                return found

        return Reviewing

    def form(self, version: float | None) -> Sequence[NodeField]:
        if self._base is None:
            return []
        names = {"message", *self._settled}
        fields = [one for one in form_of(self._base, version) if one.name not in names and self._counts(one)]
        hidden = [
            NodeField(name=name, control="hidden", label=_SETTLED_LABELS[name], default=value, expression=False)
            for name, value in self._settled.items()
        ]
        return [_MESSAGE_FIELD, *hidden, *fields]

    def _counts(self, field: NodeField) -> bool:
        """Whether what is settled lets the field be shown."""
        if field.when is None:
            return True
        shown = all(value in field.when.show.get(name, [value]) for name, value in self._settled.items())
        return shown and not any(value in field.when.hide.get(name, []) for name, value in self._settled.items())

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """As `ListingNode.listed`. Raises `NodeError`."""
        listing = listing_node(self._base)
        return None if listing is None else await listing.listed(question, access)

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        """Send the question: see `AttachedNode.ask`."""
        if self._base is None:
            raise NodeUnavailable(f"The node '{run.node.name}' cannot ask. {self.description.missing}")
        return await self._base.execute(run)

    async def supply(self, node: AttachedNode, item: int) -> object:
        return [ReviewedTool(node, tool) for tool in await tools_of(node, item)]


_MESSAGE_FIELD = NodeField(
    name="message",
    control="textarea",
    label="Message",
    help="The question, as the person reads it. $tool.name and $tool.parameters tell of the call.",
    default=MESSAGE,
    required=True,
    options={"rows": 3},
)


def review(context: PluginContext, kind: str) -> ReviewNode:
    catalog = context.find_port(NodeCatalog)
    return ReviewNode(kind, None if catalog is None else catalog.find(kind.removesuffix(REVIEW_FORM)))
