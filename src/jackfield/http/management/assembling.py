"""The management API put together, on a thread: it imports the web framework and everybody's routes."""

from __future__ import annotations

from quart import Blueprint, Quart

from jackfield.api.audit import AuditLog
from jackfield.api.projects import ProjectAccess
from jackfield.core.kernel import Kernel
from jackfield.core.tables import ServerSettings

from .. import system
from ..dispatch import Counters
from ..hosts import routes as host_routes
from .loading import lacks_means
from .quartapp import make_quart


def make_management(kernel: Kernel, counters: Counters) -> Quart:
    """Every plugin's blueprints and the kernel's own routes. Raises `ConfigurationError` for a mistake of ours, and an
    error that `lacks_means`; a stranger's blueprint with a mistake is left out and reported."""
    plugins = kernel.plugins
    given = list(plugins.each("jackfield_blueprints", Blueprint, passing=lacks_means))
    own = [made for name, made in given if plugins.plugins[name].is_own]
    kernels = system.blueprint(kernel, lambda: app, counters)
    app = make_quart(
        [*own, kernels, host_routes.blueprint(kernel)],
        [(name, made) for name, made in given if not plugins.plugins[name].is_own],
        kernel.settings.get(ServerSettings),
        lambda name, mistake: plugins.report(name, f"its routes are left out: {mistake.rstrip('.')}"),
        (lambda: kernel.ports.find(AuditLog), lambda: kernel.ports.find(ProjectAccess)),
    )
    return app
