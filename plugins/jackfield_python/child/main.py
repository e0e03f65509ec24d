"""The start of the worker process, run by path with `python -I -S`: makes this folder a package, and serves."""

from __future__ import annotations

import sys
import types
from pathlib import Path


def as_package() -> None:
    """Make this folder importable without running the package's `__init__`, which belongs to the daemon."""
    for name, folder in (("jackfield_python", 1), ("jackfield_python.child", 0)):
        package = types.ModuleType(name)
        package.__path__ = [str(Path(__file__).parents[folder])]
        sys.modules[name] = package


if __name__ == "__main__":
    as_package()
    from jackfield_python.child.serving import serve_runs

    serve_runs(*sys.argv[1:])
