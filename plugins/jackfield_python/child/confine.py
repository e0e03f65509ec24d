"""How the process of one run is confined before it reads its request."""

from __future__ import annotations

import os
import resource
import time

from jackfield.api.confinement import die_with, keep_descriptors, limit, seal, size_now


def confine(run: int, parent: int, timezone: str, memory: int, seconds: int) -> None:
    """For the rest of the process's life.

    `run`: the only descriptor that stays beside 1 and 2. `memory`: bytes beyond those that the process has. `seconds`:
    of processor time. The process ends if anything of this cannot be done.
    """
    die_with(parent)
    os.environ.clear()
    os.environ["TZ"] = timezone
    time.tzset()
    keep_descriptors(1, 2, run)
    limit({resource.RLIMIT_AS: size_now() + memory, resource.RLIMIT_CPU: seconds})
    seal()
