"""Libraries of extras that a node needs. Whether one is installed is asked without importing it."""

from __future__ import annotations

from importlib.util import find_spec


def lacking_library(package: str, extra: str) -> str:
    """For `NodeDescription.missing`: why a node cannot run whose library is not installed, with the remedy. Empty: it
    is installed. package: the top name that is imported, such as `asyncssh`; extra: of jackfield, which brings it."""
    return "" if find_spec(package) is not None else library_remedy(package, extra)


def library_remedy(package: str, extra: str) -> str:
    """The sentence about a library that is not installed."""
    return f"This node needs the package {package}; install jackfield[{extra}]."
