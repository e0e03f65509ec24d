"""Ids of tool calls, which a client of Gemini may leave out: calls and results belong together by name and order."""

from __future__ import annotations

from hashlib import blake2s

from ...records import record
from ..model import Role


@record
class _OpenCall:
    id: str
    name: str
    made: bool  # the id, by us


class CallIds:
    """Of one request, fed in its order. An id that is made is the same in each later request of the conversation, as
    providers cache by what was there before."""

    def __init__(self) -> None:
        self._calls = 0
        self._role: Role = "user"
        self._open: list[_OpenCall] = []  # of the latest turn, without a result yet

    def turn(self, role: Role) -> None:
        """Another turn begins."""
        if role == "assistant" and self._role == "user":
            self._open.clear()
        self._role = role

    def called(self, given: str, name: str) -> str:
        self._calls += 1
        call_id = given or f"call_{self._calls}_{blake2s(name.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
        self._open.append(_OpenCall(call_id, name, not given))
        return call_id

    def answered(self, given: str, name: str) -> str:
        """The id of the call that this is the result of: by its id, by its name, by the order."""
        ranked = [*self._open]
        if not given:  # results of calls with ids most often have them too
            ranked.sort(key=lambda one: (one.name != name, not one.made))
        found = next((one for one in ranked if one.id == given), None) or next(
            (one for one in ranked if one.name == name or not given), None
        )
        if found is None:
            return given or f"result_{self._calls}_{name}"
        self._open.remove(found)
        return found.id
