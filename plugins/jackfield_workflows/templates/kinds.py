"""A template of a workflow: `workflow-templates.d/*.toml`, the registry's, our own, and those that packages bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.manifests import Manifest

Text = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


def _workflow(text: str) -> str:
    """Raises ValueError for what is no workflow."""
    found = document_of(text)
    nodes = found.get("nodes")
    if not isinstance(nodes, list) or not all(isinstance(node, dict) and _is_named(node) for node in nodes):
        raise ValueError("the workflow needs a list `nodes`, each with the texts `name` and `type`")
    return text


def _is_named(node: Mapping[str, Json]) -> bool:
    return all(isinstance(text := node.get(key), str) and text.strip() for key in ("name", "type"))


def document_of(text: str) -> Mapping[str, Json]:
    """Raises ValueError."""
    try:
        found = loads(text)
    except InvalidInput as exc:
        raise ValueError(f"the workflow is no JSON: {exc.message}") from None
    if not isinstance(found, dict):
        raise ValueError("the workflow must be a JSON object")  # noqa: TRY004 - pydantic reads a ValueError
    return found


class TemplateCredential(BaseModel):
    """A credential that a node of the template needs before it runs."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    node: Text
    kind: Text


class WorkflowTemplate(Manifest):
    """`category`: a word under which it is listed. `setup`: the work that remains to be done, a sentence each.
    `workflow`: the document as JSON, as the editor downloads it.
    """

    description: Text
    category: Text
    setup: Sequence[Text] = Field((), max_length=20)
    credentials: Sequence[TemplateCredential] = Field((), max_length=20)
    workflow: Annotated[str, AfterValidator(_workflow)]

    @property
    def document(self) -> Mapping[str, Json]:
        return document_of(self.workflow)
