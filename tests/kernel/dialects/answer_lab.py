"""A whole answer in the Chat dialect."""

from __future__ import annotations

from typing import Any


def completion(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "chatcmpl-7", "object": "chat.completion", "model": "served", "choices": [choice], **more}
