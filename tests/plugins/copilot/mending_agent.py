"""An agent that speaks the Agent Client Protocol, and calls the daemon's tools as `calls.json` in its home says."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any

HOME = Path(os.environ["HOME"])


def write(**frame: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **frame}), flush=True)


def read() -> Any:
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)


def say(text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    write(method="session/update", params={"sessionId": "s", "update": update})


def ask(method: str, params: Any) -> Any:
    """The daemon's MCP server."""
    server = json.loads((HOME / "servers.json").read_text())["jackfield_tools"]
    headers = {
        "Authorization": server["headers"]["Authorization"].replace(
            "${JACKFIELD_TOOLS_TOKEN}", os.environ["JACKFIELD_TOOLS_TOKEN"]
        ),
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    asked = urllib.request.Request(server["url"], body, headers)
    with urllib.request.urlopen(asked, timeout=120) as answer:
        return json.loads(answer.read())


def permission() -> str:
    """What is chosen when the agent wants to do something of its own."""
    call = {"toolCallId": "c1", "kind": "execute", "title": "Remove everything", "rawInput": {}}
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    write(id=99, method="session/request_permission", params={"sessionId": "s", "toolCall": call, "options": options})
    while (frame := read()).get("id") != 99:
        pass
    return str(frame["result"]["outcome"]["optionId"])


def turn() -> None:
    told = []
    for name, arguments in json.loads((HOME / "calls.json").read_text()):
        if name == "permission":
            told.append({"permission": permission()})
        elif name == "tools":
            told.append(sorted(tool["name"] for tool in ask("tools/list", {})["result"]["tools"]))
        else:
            told.append(ask("tools/call", {"name": name, "arguments": arguments}))
    (HOME / "told.json").write_text(json.dumps(told))
    say("I have done it.")


def main() -> None:
    while True:
        frame = read()
        result: dict[str, Any] = {}
        if frame.get("method") == "initialize":
            result = {"protocolVersion": 1, "agentCapabilities": {}}
        elif frame.get("method") == "session/new":
            result = {"sessionId": "s"}
        elif frame.get("method") == "session/prompt":
            (HOME / "prompt.txt").write_text(frame["params"]["prompt"][0]["text"])
            turn()
            result = {"stopReason": "end_turn"}
        if "method" in frame and "id" in frame:
            write(id=frame["id"], result=result)


if sys.argv[1:] == ["--version"]:
    print("1.0")
else:
    main()
