"""`/api/profile-templates`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue
from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.http import operation, success
from jackfield_profiles.templates import TemplateCatalog, shown

_HERE = "jackfield_profiles.routes.templates"


class TemplateOut(BaseModel):
    """agent_id: of the only agent that it is for; null: for every one. profile: fields of a new profile."""

    model_config = ConfigDict(defer_build=True)

    id: str
    name: str
    description: str
    agent_id: str | None
    profile: dict[str, JsonValue]


class TemplateList(BaseModel):
    """warnings: files that cannot be used."""

    model_config = ConfigDict(defer_build=True)

    success: bool
    data: list[TemplateOut]
    warnings: list[str] = []


def blueprint(context: PluginContext) -> Blueprint:
    made = Blueprint("profile_templates", __name__, url_prefix="/api/profile-templates")

    @operation(
        "List templates of profiles",
        operation_id="listProfileTemplates",
        scope=None,
        response=f"{_HERE}:TemplateList",
        tags=("profiles",),
    )
    async def list_templates() -> Response:
        catalog = TemplateCatalog(context)
        found = [shown(template) for template in (await catalog.all()).values()]
        return success(found, warnings=catalog.warnings())

    made.add_url_rule("", view_func=list_templates, methods=["GET"])
    return made
