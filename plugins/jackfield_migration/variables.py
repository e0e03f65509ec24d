"""Variables of n8n."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield.api.storage import Variable
from jackfield.api.workflows import Problem
from jackfield_migration.bundle import BundleDocument
from jackfield_migration.identities import foreign_id
from jackfield_migration.report import Result, Status, Told

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LONGEST_KEY = 128
LONGEST_VALUE = 65_536
"""Characters."""


class VariableImport:
    """A variable is known by its key; one that is here with another value gets n8n's."""

    def __init__(self, context: PluginContext, told: Told, *, dry_run: bool) -> None:
        self._context = context
        self._told = told
        self._dry_run = dry_run

    async def run(self, sources: Sequence[BundleDocument]) -> list[Result]:
        if not sources:
            return []
        here = {each.key: each for each in await self._context.store.variables()}
        results = [await self._one(source, here) for source in sources]
        if not self._dry_run and any(result.status in ("created", "updated") for result in results):
            self._context.events.publish("workflows", "variables.changed", {})
        return results

    async def _one(self, source: BundleDocument, here: dict[str, Variable]) -> Result:
        key, value = str(source.document.get("key") or ""), source.document.get("value")
        text = value if isinstance(value, str) else "" if value is None else str(value)
        status: Status
        problems: list[Problem] = []
        try:
            status = await self._kept(key, text, here)
        except JackfieldError as exc:
            status = "refused" if isinstance(exc, InvalidInput) else "failed"
            problems.append(Problem("key", exc.message))
        own = here[key].id if key in here and not problems else None
        result = Result(
            "variable", key[:LONGEST_KEY], foreign_id(source.document), source.origin, status, own, problems=problems
        )
        if status in ("created", "updated"):
            self._told(result)
        return result

    async def _kept(self, key: str, value: str, here: dict[str, Variable]) -> Status:
        """Raises `JackfieldError`."""
        if not _KEY.fullmatch(key) or len(key) > LONGEST_KEY or len(value) > LONGEST_VALUE:
            raise InvalidInput(
                f"A variable needs a key of letters, digits and _, and a value of at most {LONGEST_VALUE} characters."
            )
        now, old = self._context.clock.now_ms(), here.get(key)
        if old is not None and old.value == value:
            return "unchanged"
        new = replace(old, value=value, updated_at=now) if old else Variable(new_id(), key, value, now, now)
        if not self._dry_run:
            await self._context.store.put_variable(new)
        here[key] = new
        return "updated" if old else "created"
