"""The outlines of the nodes that ask people about calls of tools; see `jackfield_ai.catalogue.REVIEWS`."""

from __future__ import annotations

from jackfield.api.ai import TOOL
from jackfield.api.context import PluginContext
from jackfield.api.nodes import REVIEW_FORM, NodeCatalog, NodeDescription, NodeOutline
from jackfield.api.records import record, replace


@record
class ReviewOutline:
    """A `NodeOutline`."""

    kind: str
    versions: tuple[float, ...]
    description: NodeDescription
    effect: bool = True


def review_outline(context: PluginContext, kind: str) -> ReviewOutline:
    """kind: of the node for review."""
    asking = kind.removesuffix(REVIEW_FORM)
    return described(kind, asking, context.port(NodeCatalog).outline(asking))


def described(kind: str, asking: str, base: NodeOutline | None) -> ReviewOutline:
    """base: the service's own node. None: no plugin brings it."""
    if base is None:
        missing = f"No plugin that is loaded brings the node type {asking}."
        return ReviewOutline(kind, (1,), _description(NodeDescription(asking, "", "ai", missing=missing)))
    return ReviewOutline(kind, tuple(base.versions), _description(base.description))


def _description(base: NodeDescription) -> NodeDescription:
    return replace(
        base,
        display_name=f"Human Review: {base.display_name}",
        summary=f"Asks a person over {base.display_name} before an agent's tool runs.",
        group="ai",
        inputs=0,
        outputs=("main",),
        trigger=False,
        provides=TOOL,
        accepts=(TOOL,),
        needs=(TOOL,),
        shapes=(),
        help="ai#human-review",
    )
