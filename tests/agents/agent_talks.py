"""An agent session of a real agent, as a client of the API has it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from agents_lab import Lab

PATIENCE = 60.0


@dataclass
class Talk:
    """messages: by id, as last told."""

    lab: Lab
    id: str
    revision: int = 0
    state: str = "starting"
    messages: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def begin(cls, lab: Lab, alias: str, **more: Any) -> Talk:
        made = lab.data(lab.api.post("/api/agent-sessions", json={"profile_alias": alias, **more}))
        assert made["state"] == "idle"
        return cls(lab, made["id"])

    @property
    def path(self) -> str:
        return f"/api/agent-sessions/{self.id}"

    def shown(self) -> Any:
        return self.lab.data(self.lab.api.get(self.path))

    def say(self, text: str) -> None:
        self.lab.data(self.lab.api.post(f"{self.path}/messages", json={"text": text}))

    def until(self, *states: str) -> None:
        """Follow the session until it is in one of these states."""
        deadline = time.monotonic() + PATIENCE
        while True:
            params = {"since": str(self.revision), "wait": "5"}
            found = self.lab.data(self.lab.api.get(f"{self.path}/messages", params=params))
            self.revision, self.state = found["revision"], found["state"]
            self.messages |= {one["id"]: one for one in found["messages"]}
            if self.state in states:
                return
            assert time.monotonic() < deadline, self.told()

    def told(self) -> list[Any]:
        return [self.messages[number]["message"] for number in sorted(self.messages)]

    def of(self, kind: str) -> list[Any]:
        return [message for message in self.told() if message["type"] == kind]

    def answer(self, kind: str) -> None:
        """Choose the option of this kind in the open request for a permission."""
        (asked,) = [one for one in self.of("permission") if one["state"] == "open"]
        option = next(one["id"] for one in asked["options"] if one["kind"] == kind)
        self.lab.data(self.lab.api.post(f"{self.path}/permissions/{asked['id']}", json={"option": option}))

    def interrupt(self) -> None:
        self.lab.data(self.lab.api.post(f"{self.path}/interrupt"))

    def end(self) -> Any:
        answer = self.lab.api.delete(self.path)
        assert answer.status_code == 200, answer.text
        return self.shown()
