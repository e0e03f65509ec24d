"""The kinds of new plugins."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.records import record


@record
class ProjectKind:
    """A kind of plugins.

    summary: the description of its distribution.
    has_program: whether the distribution installs a program of its name."""

    summary: str
    has_program: bool = False


KINDS: Mapping[str, ProjectKind] = {
    "auth": ProjectKind("An authentication method for the API of Jackfield"),
    "login": ProjectKind("A directory of users who log in to Jackfield with a password"),
    "trigger": ProjectKind("A node for Jackfield that starts workflows when it is called"),
    "webhook-preset": ProjectKind("Verifies the webhook calls of one sender for Jackfield"),
    "node": ProjectKind("A node for workflows of Jackfield"),
    "agent": ProjectKind("A coding agent and its provider for Jackfield", has_program=True),
    "strategy": ProjectKind("A routing strategy for the proxies of Jackfield"),
    "registry-source": ProjectKind("A place from which Jackfield reads registries"),
    "sink": ProjectKind("Takes the records of what happens in Jackfield elsewhere"),
    "store": ProjectKind("A database for Jackfield"),
    "engine": ProjectKind("An engine that decides when executions of Jackfield go on"),
    "ui-page": ProjectKind("A page in the browser interface of Jackfield"),
}
"""KIND of `jackfield plugins new` -> what it is."""
LICENSES = ("MIT", "Apache-2.0", "BSD-3-Clause", "none")
"""SPDX names of the licences that a project may have; `none`: all rights reserved."""
