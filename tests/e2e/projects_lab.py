"""Two people and an administrator at one daemon: what Bob has is in his project, and nobody else's."""

from __future__ import annotations

from typing import Any

import httpx

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, set_fields, webhook

PASSWORD = "correct-horse-battery"
MARK = "BOBSOWN"
"""Stands in everything that is Bob's."""


class Person:
    """A user with a session. api: with what they may do."""

    def __init__(self, lab: ProjectLab, name: str, role: str = "member") -> None:
        made = lab.admin.post("/users", json={"username": name, "password": PASSWORD, "role": role})
        assert made.status_code == 201, made.text
        self.name = name
        self.id = str(made.json()["id"])
        self.daemon = lab.daemon
        asked = {"username": name, "password": PASSWORD}
        self.token = str(lab.daemon.client().post("/api/v1/auth/login", json=asked).json()["token"])
        self.api = self.client()

    def client(self, project: str = "", base: str = "/api/v1", **headers: str) -> httpx.Client:
        """project: the only one that requests are about."""
        told = {"Authorization": f"Bearer {self.token}", **headers}
        if project:
            told["X-Jackfield-Project"] = project
        client = self.daemon.client(headers=told)
        client.base_url = httpx.URL(self.daemon.base_url + base)
        return client

    def key(self, *, projects: list[str] | None = None, scopes: list[str] | None = None) -> httpx.Client:
        body = {"name": "k", **({"projects": projects} if projects else {}), **({"scopes": scopes} if scopes else {})}
        made = self.api.post("/api-keys", json=body)
        assert made.status_code == 201, made.text
        client = self.daemon.client(headers={"X-API-Key": made.json()["key"]})
        client.base_url = httpx.URL(self.daemon.base_url + "/api/v1")
        return client


class ProjectLab:
    """`ann` is in the project `a`, `bob` in `b`; everybody is in the shared one."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.admin = daemon.admin()
        self.ann, self.bob = Person(self, "ann"), Person(self, "bob")
        self.a, self.b = self.project("Team A", self.ann), self.project(f"Team {MARK}", self.bob)

    def project(self, name: str, *people: Person, role: str = "project:editor") -> str:
        made = self.admin.post("/projects", json={"name": name})
        assert made.status_code == 201, made.text
        ident = str(made.json()["id"])
        for person in people:
            self.join(ident, person, role)
        return ident

    def join(self, project: str, person: Person, role: str = "project:editor") -> None:
        self.admin.put(f"/projects/{project}/members/{person.id}", json={"role": role}).raise_for_status()


def made(answer: httpx.Response) -> dict[str, Any]:
    """The body of a 201."""
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def echo(name: str, path: str, **values: str) -> dict[str, Any]:
    """A workflow that answers its call with these values."""
    return chain(name, webhook(path, responseMode="lastNode"), set_fields("Set", **values))


def manual(name: str, *nodes: dict[str, Any]) -> dict[str, Any]:
    """A workflow that is started by hand, with its nodes in a row."""
    return chain(name, node("Start", "manualTrigger"), *nodes)


def outcome(answer: httpx.Response) -> dict[str, Any]:
    """What became of an execution by hand."""
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
