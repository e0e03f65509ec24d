"""An agent that speaks the Agent Client Protocol and does as the message says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def write(**frame: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **frame}), flush=True)


def read() -> Any:
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)


def say(text: str) -> None:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    write(method="session/update", params={"sessionId": "s", "update": update})


def asked(content: str) -> str:
    given = {"path": "a", "content": content} if content else {"path": "a"}
    call = {"toolCallId": "c1", "kind": "edit", "title": "Write a file", "rawInput": given}
    options = [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    write(id=99, method="session/request_permission", params={"sessionId": "s", "toolCall": call, "options": options})
    while (frame := read()).get("id") != 99:
        pass
    outcome = frame["result"]["outcome"]
    return str(outcome.get("optionId", outcome["outcome"]))


def turn(text: str) -> str:
    word, _, rest = text.partition(" ")
    if word == "crash":
        print(rest or "the disk is gone", file=sys.stderr, flush=True)
        os._exit(3)
    elif word == "ask":
        say(asked("x" * int(rest or 0)))
    elif word == "long":
        print("{" + "x" * int(rest), flush=True)
        say("done")
    elif word == "large":
        for piece in ("begin ", "x" * int(rest), " end"):
            say(piece)
    elif word == "log":
        print("this is no JSON\n{nor this}", flush=True)
        say("done")
    elif word == "wait":
        while read().get("method") != "session/cancel":
            pass
        return "cancelled"
    elif word == "spawn":
        child = subprocess.Popen(["setsid", "sleep", "300"])
        say(str(child.pid))
    elif word == "sees":
        say(str(Path(rest).exists()))
    elif word == "env":
        say(os.environ[rest])
    else:
        for piece in text.split("|"):
            say(piece)
    return "end_turn"


def main(mode: str) -> None:
    if mode == "--version":
        print("1.0")
        sys.exit(0)
    if mode == "dies":
        print("no licence was found", file=sys.stderr, flush=True)
        sys.exit(2)
    if mode == "sleeps":
        time.sleep(60)
    while True:
        frame = read()
        result: dict[str, Any] = {}
        if frame.get("method") == "initialize" and mode == "refuses":
            write(id=frame["id"], error={"code": -32000, "message": "Log in first."})
            continue
        if frame.get("method") == "initialize":
            result = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
        elif frame.get("method") == "session/new":
            result = {"sessionId": "s"}
        elif frame.get("method") == "session/prompt":
            result = {"stopReason": turn(frame["params"]["prompt"][0]["text"])}
        if "method" in frame and "id" in frame:
            write(id=frame["id"], result=result)


main(sys.argv[1] if len(sys.argv) > 1 else "")
