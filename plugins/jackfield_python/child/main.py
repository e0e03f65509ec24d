"""The start of the worker process, run by path with `python -I -S`: makes its folders packages, and serves."""

from __future__ import annotations

import sys
import types
from pathlib import Path


def as_packages(api: Path) -> None:
    """Make this folder and that of `jackfield.api` importable without running an `__init__`, which belongs to the
    daemon."""
    here = Path(__file__).parent
    folders = {
        "jackfield": api.parent,
        "jackfield.api": api,
        "jackfield_python": here.parent,
        "jackfield_python.child": here,
    }
    for name, folder in folders.items():
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    as_packages(Path(sys.argv[1]))
    from jackfield_python.child.serving import serve_runs

    serve_runs(*sys.argv[2:])
