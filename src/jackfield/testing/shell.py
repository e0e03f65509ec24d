"""An agent that is a shell: whatever a test wants to see in a terminal it runs itself."""

from __future__ import annotations

from jackfield.testing.daemon import Daemon

_MANIFEST = """
id = "shell"
name = "Shell"
binary = "sh"
version_flag = "-c true"
[detect]
commands = ["sh -c true"]
[profile]
source_home = "{homes}/{{alias}}"
"""


def add_shell(daemon: Daemon) -> None:
    """Give a daemon that has not been started the agent `shell`, with its profiles' homes beside the configuration."""
    place = daemon.config_dir / "agents.d"
    place.mkdir()
    (place / "shell.toml").write_text(_MANIFEST.format(homes=daemon.directory / "homes"))
