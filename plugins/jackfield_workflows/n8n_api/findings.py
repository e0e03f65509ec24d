"""The findings of an audit, in the form of n8n's reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.storage import Credential, StoredWorkflow
from jackfield.api.workflows import local_type

CATEGORIES = ("credentials", "database", "nodes", "filesystem", "instance")
RISKY = frozenset({
    "code", "function", "functionItem", "executeCommand", "ssh", "httpRequest", "langchain.code", "agent",
    "langchain.toolCode",
})  # fmt: skip
"""Kinds of nodes that run what somebody wrote, or call what somebody names."""
FILES = frozenset({"readBinaryFile", "readBinaryFiles", "readWriteFile", "writeBinaryFile", "localFileTrigger"})
SQL = frozenset({"postgres", "mySql", "microsoftSql", "snowflake", "questDb", "timescaleDb", "crateDb"})


class AuditFindings:
    """Places of each finding."""

    def __init__(self, days: int) -> None:
        """days: after which a workflow that did not run is abandoned."""
        self._days = days
        self._used: set[str] = set()
        self._live: set[str] = set()
        self._ran: set[str] = set()
        self._credentials: list[tuple[str, str]] = []
        self._places: dict[str, list[Json]] = {"nodes": [], "filesystem": [], "database": [], "instance": []}

    def add_workflow(self, stored: StoredWorkflow, *, ran: bool) -> None:
        """ran: lately."""
        nodes = stored.document.get("nodes")
        for node in nodes if isinstance(nodes, list) else ():
            if isinstance(node, dict):
                self._add_node(stored, node, ran)

    def _add_node(self, stored: StoredWorkflow, node: Mapping[str, Json], ran: bool) -> None:
        named = node.get("credentials")
        for one in named.values() if isinstance(named, dict) else ():
            ident = one.get("id") if isinstance(one, dict) else None
            if isinstance(ident, str):
                self._used.add(ident)
                self._live |= {ident} if stored.active else set()
                self._ran |= {ident} if ran else set()
        kind = local_type(str(node.get("type")))
        given = node.get("parameters")
        parameters = given if isinstance(given, dict) else {}
        place: Json = {
            "kind": "node",
            "workflowId": stored.id,
            "workflowName": stored.name,
            "nodeId": node.get("id"),
            "nodeName": node.get("name"),
            "nodeType": node.get("type"),
        }
        if kind in RISKY:
            self._places["nodes"].append(place)
        if kind in FILES:
            self._places["filesystem"].append(place)
        if kind in SQL and str(parameters.get("query", "")).startswith("="):
            self._places["database"].append(place)
        if kind == "webhook" and stored.active and parameters.get("authentication", "none") == "none":
            self._places["instance"].append(place)

    def add_credentials(self, rows: Iterable[Credential]) -> None:
        self._credentials += [(row.id, row.name) for row in rows]

    def report(self, categories: Sequence[str]) -> dict[str, Json]:
        """Reports of these categories that found something."""
        sections = {
            "credentials": [
                _section(
                    "Credentials not used in any workflow",
                    "No workflow uses these credentials.",
                    "Delete credentials that you do not need any more.",
                    self._unused(self._used),
                ),
                _section(
                    "Credentials not used in any active workflow",
                    "No active workflow uses these credentials.",
                    "Delete credentials that you do not need any more.",
                    self._unused(self._live),
                ),
                _section(
                    "Credentials not used in recently executed workflows",
                    f"No workflow that ran in the last {self._days} days uses these credentials.",
                    "Delete credentials that you do not need any more.",
                    self._unused(self._ran),
                ),
            ],
            "database": [
                _section(
                    "Expressions in queries of SQL nodes",
                    "An expression builds the query of these nodes, which may let a caller change it.",
                    "Pass values as query parameters.",
                    self._places["database"],
                )
            ],
            "nodes": [
                _section(
                    "Nodes that run code or commands, or call any address",
                    "These nodes do what their parameters say, with the rights of the daemon or of its sandbox.",
                    "Look at their parameters, above all where a caller's data get into them.",
                    self._places["nodes"],
                )
            ],
            "filesystem": [
                _section(
                    "Nodes that read or write files",
                    "These nodes read or write files of the machine.",
                    "Look at their paths.",
                    self._places["filesystem"],
                )
            ],
            "instance": [
                _section(
                    "Unprotected webhooks of active workflows",
                    "Anybody may call these webhooks.",
                    "Set an authentication.",
                    self._places["instance"],
                )
            ],
        }
        reports: dict[str, Json] = {}
        for category in categories:
            if found := [section for section in sections[category] if section["location"]]:
                reports[f"{category.title()} Risk Report"] = {"risk": category, "sections": found}  # type: ignore[dict-item]  # JSON
        return reports

    def _unused(self, used: set[str]) -> list[Json]:
        return [
            {"kind": "credential", "id": ident, "name": name} for ident, name in self._credentials if ident not in used
        ]


def _section(title: str, description: str, recommendation: str, location: list[Json]) -> dict[str, Json]:
    return {"title": title, "description": description, "recommendation": recommendation, "location": location}
