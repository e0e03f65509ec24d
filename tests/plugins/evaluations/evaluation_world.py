"""Tables, workflows and evaluations of a daemon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from jackfield.api.jsontext import Json
from jackfield.testing.daemon import poll
from jackfield.testing.documents import chain, node


class World:
    """Tables, workflows and evaluations of one daemon."""

    def __init__(self, api: httpx.Client) -> None:
        self.api = api

    def table(self, name: str, rows: Sequence[dict[str, Any]], **columns: str) -> str:
        wanted = [{"name": each, "type": kind} for each, kind in columns.items()]
        made = self.post("/data-tables", {"name": name, "columns": wanted})
        if rows:
            self.post(f"/data-tables/{made['id']}/rows", {"data": list(rows)})
        return str(made["id"])

    def workflow(self, document: dict[str, Any]) -> str:
        return str(self.post("/workflows", document)["id"])

    def doubling(self, name: str = "double", factor: float = 2) -> str:
        """A workflow that gives `answer`, the row's `number` times the factor."""
        return self.workflow(doubling(name, factor))

    def evaluation(self, name: str, **definition: Any) -> dict[str, Any]:
        return self.post("/evaluations", {"name": name, **definition})

    def start(self, name: str, **body: Any) -> str:
        return str(self.post(f"/evaluations/{name}/runs", body)["id"])

    def run(self, name: str, **body: Any) -> dict[str, Any]:
        return self.ended(self.start(name, **body))

    def ended(self, run_id: str) -> dict[str, Any]:
        def over() -> dict[str, Any] | None:
            found = self.get(f"/evaluation-runs/{run_id}")
            return found if found["status"] != "running" else None

        return poll(over, f"the end of the run {run_id}", timeout=30)

    def rows(self, run_id: str) -> list[dict[str, Any]]:
        return list(self.get(f"/evaluation-runs/{run_id}/rows")["data"])

    def get(self, path: str) -> Any:
        answer = self.api.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> Any:
        answer = self.api.post(path, json=body)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()


def doubling(name: str = "double", factor: float = 2) -> dict[str, Any]:
    """See `World.doubling`."""
    row: Json = {"id": "a", "name": "answer", "type": "number", "value": f"={{{{ $json.number * {factor} }}}}"}
    fields: Json = {"assignments": {"assignments": [row]}, "options": {}}
    return chain(name, node("Start", "manualTrigger"), node("Answer", "set", fields, version=3.4))


EXACT = {"kind": "expression", "name": "exact", "expression": "={{ $json.output === $json.expected }}"}
