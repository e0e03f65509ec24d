"""The commands of an agent's manifest around a profile's life: `create`, `delete`, `pre_run`, `post_run`.

Each is run by `/bin/sh -c` in the profile's home and environment, one after another; the first that fails ends the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.errors import JackfieldError
from jackfield.api.ids import new_id
from jackfield.api.process_containers import ProcessContainers
from jackfield_profiles.launching.processes import Finished, ProcessStart, run_process
from jackfield_profiles.wiring.environment import hidden

SHELL = "/bin/sh"
KEPT = 16_384
"""Bytes of the end of a command's output that are looked at."""
_LONGEST_LINE = 500


class HookFailed(JackfieldError):
    """A command of the agent's manifest failed."""

    code = "HOOK_FAILED"
    title = "Hook failed"


async def run_hooks(
    when: str,
    commands: Sequence[str],
    *,
    home: Path,
    env: Mapping[str, str],
    timeout: float,
    grace: float,
    secrets: Sequence[str],
    containers: ProcessContainers,
) -> None:
    """timeout: seconds of each. Raises `HookFailed` with the last line that the command wrote; secrets are not in
    it."""
    for number, command in enumerate(commands, 1):
        start = ProcessStart((SHELL, "-c", command), home, env, None, timeout, grace, KEPT)
        ended = await run_process(start, await containers.open(f"hook-{new_id()}"))
        if ended.timed_out or ended.exit_code != 0:
            why = f"ran longer than {timeout:g} s" if ended.timed_out else f"ended with {ended.exit_code}"
            said = hidden(last_line(ended), secrets)
            raise HookFailed(f"The {when} command {number} of the agent {why}{f': {said}' if said else '.'}")


def last_line(ended: Finished) -> str:
    """Of the errors, else of the output."""
    for output in (ended.stderr, ended.stdout):
        lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
        if lines:
            return lines[-1][:_LONGEST_LINE]
    return ""
