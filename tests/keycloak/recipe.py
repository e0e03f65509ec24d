"""The recipe for Keycloak of docs/logins.md, followed letter by letter but for the names of hosts."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from .server import PASSWORD

PAGE = Path(__file__).parents[2] / "docs" / "logins.md"


class Recipe:
    """keycloak, jackfield: addresses that stand in place of the page's."""

    def __init__(self, keycloak: str, jackfield: str) -> None:
        text = PAGE.read_text(encoding="utf-8").partition("### Keycloak\n")[2].partition("\n### ")[0]
        text = text.replace("https://keycloak.example.com", keycloak).replace("https://YOUR-HOST", jackfield)
        blocks: dict[str, str] = dict(re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL))
        self.client = blocks["json"]
        self.commands = blocks["sh"]
        self.settings = blocks["toml"]

    def follow(self, directory: Path, tools: Path) -> None:
        """Registers Jackfield, and leaves the secret in `directory`. tools: where kcadm.sh is."""
        (directory / "jackfield-client.json").write_text(self.client)
        env = os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(directory.parent),
            "KC_CLI_PASSWORD": PASSWORD,
        }
        (directory.parent / "kcadm").mkdir()
        subprocess.run(["sh", "-euc", self.commands], cwd=directory, env=env, check=True, timeout=300)
