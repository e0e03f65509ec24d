"""JSON-RPC 2.0 from both sides, without I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jackfield.api.agent_protocols import DialogueSteps, SendFrame
from jackfield.api.jsontext import Json
from jackfield_agent_sessions.protocols.fields import mapping, number, text

UNKNOWN_METHOD = -32601
Answered = Callable[[Mapping[str, Json]], DialogueSteps]
Failed = Callable[[str], DialogueSteps]
Asked = Callable[[Json, Mapping[str, Json]], DialogueSteps]
"""Of the request's id and its parameters."""
Told = Callable[[Mapping[str, Json]], DialogueSteps]


def nothing(_: object) -> DialogueSteps:
    return []


class JsonRpcPeer:
    """Our end of a connection. requests, notifications: what the other side may send, by method."""

    def __init__(self, requests: Mapping[str, Asked], notifications: Mapping[str, Told]) -> None:
        self._requests = requests
        self._notifications = notifications
        self._waiting: dict[int, tuple[Answered, Failed]] = {}
        self._last = 0

    def ask(self, method: str, params: Mapping[str, Json], answered: Answered, failed: Failed) -> SendFrame:
        """failed: told what the other side says of it."""
        self._last += 1
        self._waiting[self._last] = (answered, failed)
        return SendFrame({"jsonrpc": "2.0", "id": self._last, "method": method, "params": dict(params)})

    def received(self, frame: Mapping[str, Json]) -> DialogueSteps:
        """The effects of a message of the other side's."""
        method = text(frame, "method")
        if not method:
            return self._response(frame)
        params = mapping(frame, "params")
        if "id" not in frame:
            return self._notifications.get(method, nothing)(params)
        asked = self._requests.get(method)
        if asked is not None:
            return asked(frame["id"], params)
        error: dict[str, Json] = {"code": UNKNOWN_METHOD, "message": f"This client does not offer {method}."}
        return [SendFrame({"jsonrpc": "2.0", "id": frame["id"], "error": error})]

    def _response(self, frame: Mapping[str, Json]) -> DialogueSteps:
        answered, failed = self._waiting.pop(number(frame, "id") or 0, (nothing, nothing))
        error = mapping(frame, "error")
        return failed(described(error)) if error else answered(mapping(frame, "result"))


def notice(method: str, params: Mapping[str, Json]) -> SendFrame:
    """A notification of ours."""
    return SendFrame({"jsonrpc": "2.0", "method": method, "params": dict(params)})


def reply(id: Json, result: Mapping[str, Json]) -> Mapping[str, Json]:
    """The answer to a request of the other side's."""
    return {"jsonrpc": "2.0", "id": id, "result": dict(result)}


def described(error: Mapping[str, Json]) -> str:
    """With what the error's data say beyond its message."""
    data = error.get("data")
    more = (
        data
        if isinstance(data, str)
        else text(mapping(error, "data"), "details") or text(mapping(error, "data"), "message")
    )
    message = text(error, "message") or "It gives no reason."
    return f"{message}: {more}" if more and more not in message else message
