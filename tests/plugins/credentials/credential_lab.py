"""The plugin over a store in memory, with the real guarded client and a clock that the test moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from node_fakes import KeepingContext
from quart import Quart

from jackfield.api import jsontext
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore
from jackfield_credentials.service import CredentialService


@dataclass
class Lab:
    context: KeepingContext
    clock: FakeClock
    store: MemoryStore
    app: Quart

    @property
    def service(self) -> CredentialService:
        return self.context.port(CredentialService)

    async def call(self, method: str, path: str, body: Any = ..., status: int = 200) -> Any:
        given = {} if body is ... else {"json": body}
        answer = await self.app.test_client().open(f"/api/v1{path}", method=method, **given)  # type: ignore[arg-type]
        text = await answer.get_data(as_text=True)
        assert answer.status_code == status, text
        return jsontext.loads(text) if text else None

    async def made(self, kind: str, values: Mapping[str, str]) -> str:
        found = await self.call("POST", "/credentials", {"name": "Mine", "kind": kind, "values": dict(values)}, 201)
        return str(found["id"])
