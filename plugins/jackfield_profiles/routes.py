"""`/api/profiles`.

Source: agent-daemon.md 'Endpoints'; decisions.md 'Profiles'.
"""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response, request

from jackfield.api.context import PluginContext
from jackfield.api.http import operation, read_json, read_model, read_query, success
from jackfield.api.profiles import HeadlessRequest
from jackfield_profiles import views
from jackfield_profiles.hook_routes import HookRoutes
from jackfield_profiles.parts import Parts
from jackfield_profiles.provider_routes import ProviderKeyRoutes
from jackfield_profiles.settings import ProfilesSettings

TAGS = ("profiles",)
_SCHEMAS = "jackfield_profiles.schemas"


class ProfileRoutes:
    """Views on profiles; whoever passes the gate may call them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _parts(self) -> Parts:
        return self._context.port(Parts)

    @operation(
        "List profiles", scope=None, query=f"{_SCHEMAS}:ListQuery", response=f"{_SCHEMAS}:ProfileList", tags=TAGS
    )
    async def list_profiles(self) -> Response:
        agent = request.args.get("agent")
        found = await self._parts.profiles.all()
        shown = [views.item(profile) for profile in found if agent in (None, "", profile.agent_id)]
        return success(shown, warnings=self._parts.profiles.warnings())

    @operation(
        "Create a profile",
        scope=None,
        request=f"{_SCHEMAS}:ProfileBody",
        response=f"{_SCHEMAS}:CreatedShown",
        tags=TAGS,
    )
    async def create_profile(self) -> Response:
        from jackfield_profiles.creating import NewProfile
        from jackfield_profiles.schemas import ProfileBody

        body = await read_model(ProfileBody)
        created = await self._parts.creating.create(NewProfile(**body.model_dump()))
        alias = created.profile.alias
        data = {"alias": alias, "message": f"The profile {alias} was created."}
        if created.warnings:
            data["warning"] = " ".join(created.warnings)
        return success(data)

    @operation("Read a profile", scope=None, response=f"{_SCHEMAS}:ProfileShown", tags=TAGS)
    async def get_profile(self, alias: str) -> Response:
        profile = await self._parts.profiles.find(alias)
        return success(views.detail(profile, has_key=await self._parts.keys.has_own(alias)))

    @operation(
        "Change a profile",
        scope=None,
        request=f"{_SCHEMAS}:ProfileChange",
        response=f"{_SCHEMAS}:ProfileShown",
        tags=TAGS,
    )
    async def patch_profile(self, alias: str) -> Response:
        from jackfield_profiles.schemas import ProfileChange

        body = await read_model(ProfileChange)
        changed = await self._parts.changing.change(alias, body.model_dump(exclude_unset=True))
        data = views.detail(changed.profile, has_key=await self._parts.keys.has_own(alias))
        if changed.warnings:
            data["warning"] = " ".join(changed.warnings)
        return success(data)

    @operation(
        "Delete a profile",
        scope=None,
        query=f"{_SCHEMAS}:DeleteQuery",
        response=f"{_SCHEMAS}:MessageShown",
        tags=TAGS,
    )
    async def delete_profile(self, alias: str) -> Response:
        from jackfield_profiles.schemas import DeleteQuery

        asked = read_query(DeleteQuery)
        left = await self._parts.deleting.delete(alias, purge=asked.purge, force=asked.force)
        return success({"message": f"The profile {alias} was deleted."}, warnings=left)

    @operation(
        "Show the environment that a profile runs with, secrets masked",
        scope=None,
        response=f"{_SCHEMAS}:EnvironmentShown",
        tags=TAGS,
    )
    async def get_environment(self, alias: str) -> Response:
        profile = await self._parts.profiles.find(alias)
        return success(dict(await self._parts.launcher.environment(profile)))

    @operation(
        "Run a profile's agent without a terminal",
        scope=None,
        request=f"{_SCHEMAS}:RunBody",
        response=f"{_SCHEMAS}:RunShown",
        tags=TAGS,
    )
    async def run_profile(self, alias: str) -> Response:
        from jackfield.api.http import parse_model
        from jackfield_profiles.schemas import RunBody

        profile = await self._parts.profiles.find(alias)
        body = parse_model(RunBody, await read_json() if await request.get_data(cache=True) else {})
        asked = HeadlessRequest(
            prompt=body.prompt, args=tuple(body.args), timeout=body.timeout, working_dir=body.working_dir
        )
        return success(views.run(await self._parts.launcher.run(profile, asked)))


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    profiles, hooks, keys = ProfileRoutes(context), HookRoutes(context), ProviderKeyRoutes(context)
    made = Blueprint("profiles", __name__, url_prefix="/api")
    one = "/profiles/<alias>"
    for method, path, view in (
        ("GET", "/profiles", profiles.list_profiles),
        ("POST", "/profiles", profiles.create_profile),
        ("GET", one, profiles.get_profile),
        ("PATCH", one, profiles.patch_profile),
        ("DELETE", one, profiles.delete_profile),
        ("GET", f"{one}/env", profiles.get_environment),
        ("POST", f"{one}/run", profiles.run_profile),
        ("GET", f"{one}/hooks", hooks.get_hooks),
        ("POST", f"{one}/hooks", hooks.add_hook),
        ("DELETE", f"{one}/hooks/<event>/<int:index>", hooks.remove_hook),
        ("POST", f"{one}/hooks/import", hooks.import_hooks),
        ("GET", f"{one}/hooks/export", hooks.export_hooks),
        ("GET", "/providers/<provider_id>/key", keys.get_key),
        ("PUT", "/providers/<provider_id>/key", keys.put_key),
        ("DELETE", "/providers/<provider_id>/key", keys.remove_key),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    limit = context.settings(ProfilesSettings).body_limit

    @made.before_request
    async def bound() -> None:
        request.max_content_length = min(limit, request.max_content_length or limit)

    return [made]
