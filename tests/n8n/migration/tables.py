"""Data tables through n8n's public API, of n8n and of Jackfield."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import httpx

from .table_cases import COLUMNS, ROWS, TABLE


class Tables:
    """base: scheme, host and port."""

    def __init__(self, base: str, key: str) -> None:
        self.api = httpx.Client(base_url=f"{base}/api/v1", headers={"X-N8N-API-KEY": key}, trust_env=False, timeout=120)

    def fill(self, name: str = TABLE, rows: Sequence[Any] = ROWS) -> None:
        table = self.api.post("/data-tables", json={"name": name, "columns": COLUMNS})
        assert table.status_code == 201, table.text
        if rows:
            added = self.api.post(f"/data-tables/{table.json()['id']}/rows", json={"data": rows})
            assert added.status_code == 200, added.text

    def empty(self) -> None:
        for table in self.api.get("/data-tables").json()["data"]:
            assert self.api.delete(f"/data-tables/{table['id']}").status_code == 204

    def everything(self) -> dict[str, Any]:
        """Id -> name, columns and rows."""
        tables = self.api.get("/data-tables").json()["data"]
        return {
            table["id"]: {
                "name": table["name"],
                "columns": sorted((column["name"], column["type"]) for column in table["columns"]),
                "rows": [*self._rows(table["id"])],
            }
            for table in tables
        }

    def _rows(self, ident: str) -> Iterator[Any]:
        cursor: str | None = ""
        while cursor is not None:
            page = self.api.get(f"/data-tables/{ident}/rows", params={"limit": 250, "cursor": cursor} if cursor else {})
            assert page.status_code == 200, page.text
            yield from page.json()["data"]
            cursor = page.json()["nextCursor"]
