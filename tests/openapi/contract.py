"""Generated requests to every operation of the daemon's description; each answer is held against it.

`Subject` is a daemon with one object of every kind, so that half of the requests reach something.
"""

from __future__ import annotations

import copy
import stat
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import httpx
import requests
import schemathesis
from completeness import IMPORT, Described
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from jackfield.testing.daemon import USERNAME, Daemon

CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
PATIENCE = 60.0
"""Seconds within which an operation answers."""
AGENT = """
id = "echoing"
name = "Echoing"
binary = "{program}"
version_flag = "--version"
[detect]
commands = ["{program}"]
[profile]
source_home = "{homes}/{{alias}}"
"""
WORKFLOW = {
    "name": "Answers",
    "nodes": [
        {
            "id": "1",
            "name": "Webhook",
            "type": "n8n-nodes-base.webhook",
            "typeVersion": 2,
            "position": [0, 0],
            "parameters": {"path": "answers", "httpMethod": "POST"},
        }
    ],
    "connections": {},
}
ENDS_TOKENS = (
    "/api/v1/auth/logout",
    "/api/v1/auth/refresh",
    "/api/v1/auth/password",
    "/api/v1/auth/sessions",
    "/api/v1/auth/sessions/{session_id}",
)
CREDENTIAL = {"name": "one", "kind": "httpBasicAuth", "values": {"user": "a", "password": "b"}}
NEW_PASSWORD = "another-horse-battery"


class Subject:
    """The daemon under test. Nothing that a request makes it run does anything: its one agent prints its input,
    whatever arguments it gets."""

    def __init__(self, directory: Path) -> None:
        home = directory / "home"
        home.mkdir()
        self.daemon = Daemon(directory, env={"HOME": str(home)})
        program = directory / "echoing"
        program.write_text("#!/bin/sh\nexec cat\n")
        program.chmod(stat.S_IRWXU)
        agents = self.daemon.config_dir / "agents.d"
        agents.mkdir()
        (agents / "echoing.toml").write_text(AGENT.format(program=program, homes=directory / "homes"))
        self.daemon.start()
        self.api = self.daemon.client()
        self.renew()
        self._makers: Mapping[str, Callable[[], str]] = {
            "alias": self._profile,
            "session_id": self._session,
            "workflow_id": self._workflow,
            "ident": self._webhook,
            "execution_id": self._execution,
            "variable_id": lambda: self._made("/api/v1/variables", {"key": self._name(), "value": "1"}),
            "credential_id": lambda: self._made("/api/v1/credentials", CREDENTIAL),
            "key_id": lambda: self._made("/api/v1/api-keys", {"name": "one"}),
            "user_id": lambda: self._made(
                "/api/v1/users", {"username": self._name(), "password": NEW_PASSWORD, "role": "viewer"}
            ),
            "agent_id": lambda: "echoing",
            "provider_id": lambda: "anthropic",
            "version": lambda: "1",
            "number": lambda: "1",
            "tag_id": lambda: self._made("/api/v1/tags", {"name": self._name()}),
            "project_id": lambda: "jackfield",
            "absent": lambda: "insights",
            "event": lambda: "Stop",
        }
        self._names = 0
        self.own = {USERNAME, str(self.api.get("/api/v1/auth/me", headers=self.headers("/api/v1")).json()["id"])}
        """What the administrator who sends the requests is called in paths."""

    def spare(self, case: Any) -> None:
        """Another user takes the place of that administrator, who would be locked out by a change."""
        given = case.path_parameters or {}
        if case.method.upper() != "GET" and given.get("user_id") in self.own:
            case.path_parameters = {**given, "user_id": self._makers["user_id"]()}

    def renew(self) -> None:
        """A token that counts, whatever the last request did to the present one."""
        self.token = self.daemon.login()

    def known(self, operation: Any, path: str) -> dict[str, str]:
        """Values of the path's parameters that name something."""
        names = [parameter.name for parameter in operation.path_parameters]
        found = {name: self._makers[name]() for name in names if name in self._makers}
        if "kind" in names:
            found["kind"] = "httpBasicAuth" if "credential" in path else "set"
        if "index" in names:
            found["index"] = "0"
        return found

    def _name(self) -> str:
        self._names += 1
        return f"made{self._names}"

    def _post(self, path: str, body: object) -> Any:
        answer = self.api.post(path, json=body, headers=self.headers(path))
        assert answer.is_success, f"POST {path} answered {answer.status_code}: {answer.text}"
        return answer.json()

    def headers(self, path: str) -> dict[str, str]:
        """Outside /api/v1 the daemon's own user needs no credential."""
        return {"Authorization": f"Bearer {self.token}"} if path.startswith(("/api/v1", "/n8n/api/v1")) else {}

    def _made(self, path: str, body: object) -> str:
        return str(self._post(path, body)["id"])

    def _profile(self) -> str:
        body = {"agent_id": "echoing", "alias": self._name(), "provider_id": "self", "model": "none"}
        return str(self._post("/api/profiles", body)["data"]["alias"])

    def _session(self) -> str:
        return str(self._post("/api/terminal/sessions", {"profile_alias": self._profile()})["data"]["session_id"])

    def _workflow(self) -> str:
        return self._made("/api/v1/workflows", WORKFLOW)

    def _webhook(self) -> str:
        answer = self.api.get("/api/v1/webhooks", headers=self.headers("/api/v1"))
        if not (rows := answer.json()["data"]):
            self._post(f"/api/v1/workflows/{self._workflow()}/activate", {})
            return self._webhook()
        return str(rows[0]["id"])

    def _execution(self) -> str:
        return str(self._post("/api/v1/workflows/run", {"workflow": WORKFLOW})["executionId"])


class Contract:
    """What was sent, and what was wrong with the answers."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.document: dict[str, Any] = subject.api.get("/openapi.json").raise_for_status().json()
        self.operations: list[Any] = []  # those of schemathesis have no public type
        self.take(self.document)
        self.sent: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.broken: dict[str, str] = {}
        """Operation and what is wrong -> the first request that shows it."""
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._session = requests.Session()
        self._session.trust_env = False

    def take(self, document: dict[str, Any], paths: Collection[str] = ()) -> None:
        """Hold the answers against this document; paths: against these of it alone."""
        described = copy.deepcopy(document)
        self._described = Described(document)
        # Whom a request comes from is not generated.
        del described["components"]["securitySchemes"]
        for methods in described["paths"].values():
            for operation in methods.values():
                operation.pop("security", None)
        self.schema = schemathesis.openapi.from_dict(described)
        found = [operation.ok() for operation in self.schema.get_all_operations()]
        self.operations = [operation for operation in found if not paths or operation.path in paths]

    def hold(self, examples: int, *, budget: float = float("inf")) -> None:
        """Send this many requests to each operation, the same ones in every run; one each when more than `budget`
        seconds have gone."""
        begun = time.monotonic()
        for operation in self.operations:
            known = self.subject.known(operation, operation.path)
            kinds = [operation.as_strategy(generation_mode=mode) for mode in MODES]
            if known:
                kinds += [operation.as_strategy(generation_mode=mode, path_parameters=known) for mode in MODES]
            late = time.monotonic() - begun > budget
            self._run(operation.label, st.one_of(kinds), 1 if late else examples)

    def _run(self, label: str, cases: st.SearchStrategy[Any], examples: int) -> None:
        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases, stranger=st.integers(0, 7).map(lambda drawn: drawn == 7))
        def send(case: Any, stranger: bool) -> None:
            self.send(label, case, stranger=stranger)

        send()

    def send(self, label: str, case: Any, *, stranger: bool = False) -> requests.Response | None:
        """The answer, if any, which is held against the description. stranger: with a credential that nobody has."""
        path = case.operation.path
        if path.endswith("/wait"):  # asks for patience of up to ten minutes
            case.query = {**(case.query or {}), "timeout": 0.05}
        self.subject.spare(case)
        headers = {"Authorization": "Bearer nobody"} if stranger else self.subject.headers(path)
        prepared = case.as_transport_kwargs(base_url=self.subject.daemon.base_url, headers=headers)
        self.sent[label] += 1
        try:
            answer = self._session.request(**prepared, timeout=PATIENCE, stream=True, allow_redirects=False)
        except requests.RequestException as exc:
            self._note(label, f"no answer: {type(exc).__name__}", case, str(exc))
            return None
        with answer:
            self.statuses[answer.status_code] += 1
            self.seconds[label] += answer.elapsed.total_seconds()
            self._judge(label, case, answer)
        if path in ENDS_TOKENS:
            self.subject.renew()
        return answer

    def _judge(self, label: str, case: Any, answer: requests.Response) -> None:
        checks = CHECKS
        if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            checks = [status_code_conformance, content_type_conformance]
            answer.raw.close()
            answer._content = b""  # the stream never ends
        if (
            answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR
            and answer.status_code != httpx.codes.NOT_IMPLEMENTED
        ):
            self._note(label, f"answers {answer.status_code}", case, answer.text)
        try:
            case.validate_response(answer, checks=checks)
        except FailureGroup as group:
            for failure in group.exceptions:
                self._note(label, f"{answer.status_code}: {failure.title}", case, str(failure))
        self._find_undescribed(label, case, answer)

    def _find_undescribed(self, label: str, case: Any, answer: requests.Response) -> None:
        operation = case.operation
        described = self._described.answer(operation.path, operation.method, answer.status_code)
        if described is None:
            return
        for header in self._described.unknown_headers(described, iter(answer.headers)):
            self._note(label, f"{answer.status_code}: header {header} is not described", case, answer.headers[header])
        if answer.headers.get("Content-Type") != "application/json" or (operation.path == IMPORT and not answer.ok):
            return
        for name in self._described.unknown_fields(described, answer.json()):
            self._note(label, f"{answer.status_code}: field {name} is not described", case, answer.text)

    def _note(self, label: str, title: str, case: Any, text: str) -> None:
        self.broken.setdefault(f"{label}: {title}", f"{case.as_curl_command()}\n{text[:2000]}")

    def report(self) -> str:
        """Everything that is wrong, at most one request for each."""
        return "\n\n".join(f"{what}\n{shown}" for what, shown in sorted(self.broken.items()))
