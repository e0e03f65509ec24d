"""Ids of tool calls, which a client of Gemini may leave out: calls and results belong together by name and order."""

from __future__ import annotations

from hashlib import blake2s

from ..model import Role


class CallIds:
    """Of one request, fed in its order. An id that is made is the same in each later request of the conversation, as
    providers cache by what was there before."""

    def __init__(self) -> None:
        self._calls = 0
        self._role: Role = "user"
        self._open: list[tuple[str, str]] = []  # id and name of the calls of the latest turn that have no result yet

    def turn(self, role: Role) -> None:
        """Another turn begins."""
        if role == "assistant" and self._role == "user":
            self._open.clear()
        self._role = role

    def called(self, given: str, name: str) -> str:
        self._calls += 1
        call_id = given or f"call_{self._calls}_{blake2s(name.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
        self._open.append((call_id, name))
        return call_id

    def answered(self, given: str, name: str) -> str:
        """The id of the call that this is the result of."""
        for fits in (lambda one: one[0] == given, lambda one: one[1] == name, lambda one: not given):
            found = next((one for one in self._open if fits(one)), None)
            if found is not None:
                self._open.remove(found)
                return found[0]
        return given or f"result_{self._calls}_{name}"
