"""`sidekick`: an agent that says what it was given. It takes its prompt from standard input."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

VERSION = "1.0.0"


def answer(prompt: str, home: Path, key: str) -> str:
    """What it says, by the configuration that the script has made."""
    config = json.loads((home / ".sidekick/config.json").read_text())
    return f"{config['model']} at {config['endpoint']} {'with' if key else 'without'} a key: {prompt}"


def main() -> None:
    """The program."""
    if "--version" in sys.argv:
        said = f"sidekick {VERSION}"
    else:
        said = answer(sys.stdin.read().strip(), Path.home(), os.environ.get("SIDEKICK_KEY", ""))
    sys.stdout.write(f"{said}\n")
