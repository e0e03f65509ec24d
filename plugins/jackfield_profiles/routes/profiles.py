"""`/api/profiles`.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response, request

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.hosts import Hosts
from jackfield.api.http import (
    is_from_network,
    json_response,
    operation,
    parse_model,
    principal,
    read_json,
    read_query,
    success,
)
from jackfield.api.profile_tools import reach_of
from jackfield.api.profiles import HeadlessRequest
from jackfield.api.records import replace
from jackfield_profiles import views
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.launching.placement import HOST, labels_in, require_labels
from jackfield_profiles.ports import HeadlessRuns, ProfileChanges, ProfileCreation, ProfileLaunching, ProfileRemoval
from jackfield_profiles.routes import directories, templates
from jackfield_profiles.routes.bodies import DeleteQuery, ProfileRunBody, ProfileRunQuery
from jackfield_profiles.routes.hooks import HookRoutes
from jackfield_profiles.routes.provider_keys import ProviderKeyRoutes
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.schemas import ListQuery
from jackfield_profiles.settings import ProfilesSettings
from jackfield_profiles.storage.profiles import ProfileStore

TAGS = ("profiles",)
_SCHEMAS = "jackfield_profiles.schemas"
_BODIES = "jackfield_profiles.routes.bodies"


class ProfileRoutes:
    """Views on profiles; whoever passes the gate may call them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _store(self) -> ProfileStore:
        return self._context.port(ProfileStore)

    async def _has_key(self, alias: str) -> bool:
        return await self._context.port(KeyStore).has_own(alias)

    @operation(
        "List profiles", scope=None, query=f"{_SCHEMAS}:ListQuery", response=f"{_SCHEMAS}:ProfileList", tags=TAGS
    )
    async def list_profiles(self) -> Response:
        agent = read_query(ListQuery).agent
        found = await self._store.all()
        shown = [views.item(profile) for profile in found if agent in (None, profile.agent_id)]
        return success(shown, warnings=self._store.warnings())

    @operation(
        "Create a profile",
        scope=None,
        request=f"{_SCHEMAS}:ProfileBody",
        response=f"{_SCHEMAS}:CreatedShown",
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def create_profile(self) -> Response:
        created = await self._context.port(ProfileCreation).create_from(await read_json())
        alias = created.profile.alias
        data = {"alias": alias, "message": f"The profile {alias} was created."}
        if created.warnings:
            data["warning"] = " ".join(created.warnings)
        return success(data)

    @operation("Read a profile", scope=None, response=f"{_SCHEMAS}:ProfileShown", tags=TAGS, errors=(Conflict,))
    async def get_profile(self, alias: str) -> Response:
        profile = await self._store.find(alias)
        return success(views.detail(profile, has_key=await self._has_key(alias)))

    @operation(
        "Change a profile",
        operation_id="updateProfile",
        scope=None,
        request=f"{_SCHEMAS}:ProfileChange",
        response=f"{_SCHEMAS}:ProfileShown",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def patch_profile(self, alias: str) -> Response:
        changed = await self._context.port(ProfileChanges).change_from(alias, await read_json())
        data = views.detail(changed.profile, has_key=await self._has_key(alias))
        if changed.warnings:
            data["warning"] = " ".join(changed.warnings)
        return success(data)

    @operation(
        "Delete a profile",
        scope=None,
        query=f"{_BODIES}:DeleteQuery",
        response=f"{_SCHEMAS}:MessageShown",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def delete_profile(self, alias: str) -> Response:
        asked = read_query(DeleteQuery)
        left = await self._context.port(ProfileRemoval).delete(alias, purge=asked.purge, force=asked.force)
        return success({"message": f"The profile {alias} was deleted."}, warnings=left)

    @operation(
        "Tell what a profile's deletion would remove; nothing is removed",
        operation_id="planProfileDeletion",
        scope=None,
        query=f"{_BODIES}:DeleteQuery",
        response=f"{_SCHEMAS}:DeletionShown",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def plan_deletion(self, alias: str) -> Response:
        asked = read_query(DeleteQuery)
        planned = await self._context.port(ProfileRemoval).plan(alias, purge=asked.purge, force=asked.force)
        return success(views.removal(planned))

    @operation(
        "Show the environment that a profile runs with, secrets masked",
        operation_id="getProfileEnvironment",
        scope=None,
        response=f"{_SCHEMAS}:EnvironmentShown",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def get_environment(self, alias: str) -> Response:
        profile = await self._store.find(alias)
        return success(dict(await self._context.port(ProfileLaunching).environment(profile)))

    @operation(
        "Run a profile's agent without a terminal",
        scope=None,
        query=f"{_BODIES}:ProfileRunQuery",
        request=f"{_BODIES}:ProfileRunBody",
        response=f"{_SCHEMAS}:ProfileRunShown",
        tags=TAGS,
        errors=(Conflict,),
        body_optional=True,
    )
    async def run_profile(self, alias: str) -> Response:
        profile = await self._store.find(alias)
        require_labels(self._context.port(Hosts).here, labels_in(read_query(ProfileRunQuery).labels))
        body = parse_model(ProfileRunBody, await read_json() if await request.get_data(cache=True) else {})
        settings = self._context.settings(RunSettings)
        asked = HeadlessRequest(
            prompt=body.prompt,
            args=tuple(body.args),
            timeout=body.timeout,
            working_dir=body.working_dir,
            # Keys of callers are not those of executions, which are lists.
            key=None if body.key is None else f"run {alias} {body.key}",
            sandbox=settings.network_sandbox if is_from_network() else "off",
            depth=max(body.depth, 0 if (reach := reach_of(principal())) is None else reach.depth + 1),
        )
        if principal().method == HOST:
            asked = replace(
                asked,
                kind="workflow",
                key=None if body.key is None else f"workflow {body.key}",
                sandbox=settings.workflow_sandbox,
            )
        result = await self._context.port(HeadlessRuns).run(profile, asked)
        shown = views.run(result)
        if not result.timed_out:
            return success(shown)
        told = f"The run of {alias} did not end in time and was stopped; give it a longer timeout."
        if result.proxy_error is not None:
            told += f" Its proxy's last error: {result.proxy_error.message}"
        return json_response({"success": False, "error": told, "code": "RUN_TIMED_OUT", "data": shown})


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
        ("GET", f"{one}/deletion", profiles.plan_deletion),
        ("GET", f"{one}/env", profiles.get_environment),
        ("POST", f"{one}/run", profiles.run_profile),
        ("GET", f"{one}/hooks", hooks.get_hooks),
        ("POST", f"{one}/hooks", hooks.add_hook),
        ("DELETE", f"{one}/hooks/<event>/<int:index>", hooks.remove_hook),
        ("POST", f"{one}/hooks/import", hooks.import_hooks),
        ("POST", f"{one}/hooks/check", hooks.check_hooks),
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

    return [made, directories.blueprint(context), templates.blueprint(context)]
