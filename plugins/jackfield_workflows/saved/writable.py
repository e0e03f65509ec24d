"""Whether workflows may be changed here at all."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.environments import Environment


def check_writable(context: PluginContext) -> None:
    """Raises `Conflict` where workflows, with their tags and folders, come from a repository alone. Switching them on
    and off is nobody's but the environment's own."""
    environment = context.find_port(Environment)
    if environment is not None:
        environment.check_writable()
