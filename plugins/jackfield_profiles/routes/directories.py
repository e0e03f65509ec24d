"""`/api/directories`: a choice of working directories for the daemon's own user."""

from __future__ import annotations

import asyncio

from pydantic import ConfigDict, Field
from quart import Blueprint, Response

from jackfield.api.auth import OWNER
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, NotFound
from jackfield.api.http import operation, principal, read_query, success
from jackfield.api.schemas import Schema
from jackfield_profiles.directories import DirectoryLister
from jackfield_profiles.settings import DirectorySettings

_HERE = "jackfield_profiles.routes.directories"


class DirectoriesQuery(Schema):
    model_config = ConfigDict(extra="forbid")

    path: str | None = Field(None, max_length=4096, description="Absolute; default: the first of directories.roots.")


class DirectoryOut(Schema):
    """hidden: its name begins with a dot."""

    name: str
    path: str
    hidden: bool


class DirectoriesOut(Schema):
    """parent: null at a root. truncated: there are more than are listed."""

    path: str
    parent: str | None
    roots: list[str]
    entries: list[DirectoryOut]
    truncated: bool


class DirectoriesShown(Schema):
    success: bool
    data: DirectoriesOut


class DirectoryRoutes:
    """Names of other users' directories are none of other users' business."""

    def __init__(self, context: PluginContext) -> None:
        self._lister = DirectoryLister(context.settings(DirectorySettings), context.service.config_dir)

    @operation(
        "List the directories in a directory, for the daemon's own user",
        scope=None,
        query=f"{_HERE}:DirectoriesQuery",
        response=f"{_HERE}:DirectoriesShown",
        tags=("profiles",),
        errors=(NotFound, AccessDenied),
    )
    async def list_directories(self) -> Response:
        if principal().user_id != OWNER.user_id:
            raise AccessDenied("Directories are listed for the daemon's own user; type the path instead.")
        found = await asyncio.to_thread(self._lister.listing, read_query(DirectoriesQuery).path)
        entries = [{"name": one.name, "path": one.path, "hidden": one.hidden} for one in found.entries]
        return success(
            {
                "path": found.path,
                "parent": found.parent,
                "roots": list(found.roots),
                "entries": entries,
                "truncated": found.truncated,
            }
        )


def blueprint(context: PluginContext) -> Blueprint:
    made = Blueprint("directories", __name__, url_prefix="/api/directories")
    made.add_url_rule("", view_func=DirectoryRoutes(context).list_directories, methods=["GET"])
    return made
