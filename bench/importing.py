"""`jackfield import n8n` with a thousand workflows, and with an export of 50 MB: python bench/importing.py

Each workflow has ten nodes and calls another one. Prints seconds, from the start of the command to its end.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from jackfield.testing.daemon import Daemon

WORKFLOWS = 1000
LARGE = 50_000_000
"""Bytes."""


def document(number: int, filling: str = "") -> dict[str, Any]:
    nodes = [
        {
            "id": f"n{index}", "name": f"Node {index}", "type": "n8n-nodes-base.set", "typeVersion": 3.4,
            "position": [index * 200, 0], "parameters": {"assignments": {"assignments": [
                {"id": "a", "name": "value", "value": f"={{{{ $json.value + '{filling}' }}}}", "type": "string"}]},
                "options": {}},
        }
        for index in range(8)
    ]  # fmt: skip
    hook = {"path": f"bench-{number}", "responseMode": "lastNode"}
    called = {"workflowId": {"__rl": True, "mode": "list", "value": f"Bench{min(number + 1, WORKFLOWS - 1) // 2:011}"}}
    for name, kind, parameters in (("Hook", "webhook", hook), ("Call", "executeWorkflow", called)):
        nodes.append({
            "id": name, "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": 1.1, "position": [0, 0],
            "parameters": parameters,
        })  # fmt: skip
    wires = {
        f"Node {index}": {"main": [[{"node": f"Node {index + 1}", "type": "main", "index": 0}]]} for index in range(7)
    }
    return {"id": f"Bench{number:011}", "name": f"Bench {number}", "nodes": nodes, "connections": wires, "settings": {}}


def seconds(daemon: Daemon, file: Path, *options: str) -> float:
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "import", "n8n", str(file), "--config-dir", str(daemon.config_dir), "--json", *options]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    taken = time.monotonic() - begun
    print(json.loads(done.stdout)["counts"], f"{file.stat().st_size / 1e6:.1f} MB", *options)
    return taken


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        few, many = Path(place) / "thousand.json", Path(place) / "large.json"
        few.write_text(json.dumps([document(number) for number in range(WORKFLOWS)]))
        filling = "x" * (LARGE // WORKFLOWS // 8)
        many.write_text(json.dumps([document(number, filling) for number in range(WORKFLOWS)]))
        daemon = Daemon(Path(place) / "daemon").start()
        try:
            print(f"1,000 workflows: {seconds(daemon, few):.1f} s")
            print(f"again: {seconds(daemon, few):.1f} s")
            print(f"50 MB: {seconds(daemon, many, '--source', 'large'):.1f} s")
        finally:
            daemon.close()


if __name__ == "__main__":
    main()
