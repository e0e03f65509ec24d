"""Templates: presets of a profile, found as manifests are (`templates.d`, the registry, shipped ones, packages)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.manifests import ManifestLibraries
from jackfield.api.similar_names import did_you_mean
from jackfield_profiles.manifest_kind import TEMPLATES
from jackfield_profiles.template_fit import require_agent
from jackfield_profiles.template_manifests import ProfileTemplate


class TemplateCatalog:
    """Every template that a manifest describes."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def all(self) -> Mapping[str, ProfileTemplate]:
        return await self._context.port(ManifestLibraries).of(TEMPLATES).all()

    async def find(self, id: str) -> ProfileTemplate:
        """Raises `NotFound`."""
        every = await self.all()
        if id not in every:
            known = ", ".join(every)
            raise NotFound(
                f"There is no template {id[:100]}; there are: {known}{did_you_mean(id, every)}",
                code="TEMPLATE_NOT_FOUND",
                details={"template": f"one of {known}"},
            )
        return every[id]

    def warnings(self) -> Sequence[str]:
        return self._context.port(ManifestLibraries).of(TEMPLATES).warnings()

    async def applied(self, body: Json) -> Json:
        """The body of a request with what its `template` adds; a field that it names itself stays as it is. Raises
        `NotFound`, `InvalidInput`."""
        if not isinstance(body, dict) or not isinstance(name := body.get("template"), str):
            return body
        template = await self.find(name)
        require_agent(template.id, template.agent_id, body.get("agent_id"))
        return {**template.fields, **body}


def shown(template: ProfileTemplate) -> dict[str, Json]:
    """As the API and the command line show it."""
    return {
        "id": template.id,
        "name": template.title,
        "description": template.description,
        "agent_id": template.agent_id,
        "profile": template.fields,
    }
