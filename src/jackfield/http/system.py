"""The kernel's own routes: metrics, OpenAPI and its page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from quart import Blueprint, Quart, Response

from jackfield.api.diagnosis import Metric
from jackfield.api.errors import StoreUnavailable
from jackfield.api.http import operation, success
from jackfield.api.version import __version__
from jackfield.core.kernel import Kernel

from .counting import counted
from .dispatch import Counters
from .openapi.document import describe
from .openapi.kept import KeptDescription

_OF_PROJECTS = frozenset({"workflow", "profile", "key"})
"""Labels that name what belongs to projects."""


def blueprint(kernel: Kernel, app: Callable[[], Quart], counters: Counters) -> Blueprint:
    """app is given late: it needs the blueprint first."""
    system = Blueprint("system", __name__)

    @system.get("/metrics")
    @operation(
        "Prometheus metrics, text exposition format 0.0.4.",
        operation_id="getMetrics",
        scope=None,
        tags=["health"],
        media=("text/plain",),
    )
    async def metrics() -> Response:
        told = await _told(kernel)
        return Response(exposition(kernel, counters, told), content_type="text/plain; version=0.0.4; charset=utf-8")

    description = KeptDescription(lambda: describe(app(), kernel.service.public_url))

    @system.get("/openapi.json")
    @operation(
        "This API as OpenAPI 3.1.",
        operation_id="getOpenapi",
        scope=None,
        response="jackfield.http.schemas:DescriptionShown",
        tags=["documentation"],
        media=("application/json",),
    )
    async def openapi() -> Response:
        return Response((await description.made()).document, content_type="application/json")

    @system.get("/docs")
    @operation("This API as a page.", operation_id="getDocs", scope=None, tags=["documentation"], media=("text/html",))
    async def docs() -> Response:
        page = Response((await description.made()).page, content_type="text/html; charset=utf-8")
        page.headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
        )
        page.headers["X-Content-Type-Options"] = "nosniff"
        return page

    @system.get("/api/plugins")
    @operation(
        "List the plugins and what is wrong with those that failed",
        operation_id="listPlugins",
        scope=None,
        response="jackfield.http.schemas:PluginsAnswer",
        tags=["daemon"],
    )
    async def plugins() -> Response:
        return success(plugin_views(kernel))

    return system


def plugin_views(kernel: Kernel) -> list[dict[str, str]]:
    """Every plugin, by name, as `jackfield plugins --json` has them. A secret that an error repeats is masked."""
    names = ("name", "status", "distribution", "version", "error")
    found = sorted(kernel.plugins.plugins.values(), key=lambda plugin: plugin.name)
    return [{name: kernel.redactor(getattr(plugin, name)) for name in names} for plugin in found]


async def _told(kernel: Kernel) -> Callable[[Metric], bool]:
    """Which samples the caller gets: those of one workflow, profile or key are for who sees every project."""
    try:
        sees_all = await kernel.projects.rights() is None
    except StoreUnavailable:
        sees_all = False
    return _everything if sees_all else _of_nobody


def _everything(metric: Metric) -> bool:
    return True


def _of_nobody(metric: Metric) -> bool:
    return _OF_PROJECTS.isdisjoint(metric.labels)


def exposition(kernel: Kernel, counters: Counters, told: Callable[[Metric], bool] = _everything) -> str:
    """Counters and gauges as Prometheus reads them, of all processes of the daemon together."""
    whole = counted(kernel, counters)
    if kernel.workers is not None:
        whole = kernel.workers.added_up(whole)
    lines = [
        "# HELP jackfield_info Version of the daemon.",
        "# TYPE jackfield_info gauge",
        f'jackfield_info{{version="{__version__}"}} 1',
        "# HELP jackfield_http_requests_total Answered requests by status.",
        "# TYPE jackfield_http_requests_total counter",
    ]
    lines += [f'jackfield_http_requests_total{{status="{s}"}} {n}' for s, n in sorted(whole.answers.items())]
    lines += [
        "# HELP jackfield_http_request_seconds_total Time spent on requests, in seconds.",
        "# TYPE jackfield_http_request_seconds_total counter",
        f"jackfield_http_request_seconds_total {whole.seconds:.6f}",
        "# HELP jackfield_executions Executions in the daemon's processes by state.",
        "# TYPE jackfield_executions gauge",
    ]
    for state, count in sorted(whole.executions.items()):
        lines.append(f'jackfield_executions{{state="{state}"}} {count}')
    lines += [
        "# HELP jackfield_plugins_failed Plugins that failed to load or start.",
        "# TYPE jackfield_plugins_failed gauge",
        f"jackfield_plugins_failed {len(kernel.plugins.failures())}",
    ]
    lines += samples([metric for metric in whole.metrics if told(metric)])
    return "\n".join(lines) + "\n"


def samples(metrics: Sequence[Metric]) -> list[str]:
    """The plugins' samples; those of one name stand together below its help."""
    lines: list[str] = []
    for name, group in groupby(sorted(metrics, key=lambda metric: metric.name), lambda metric: metric.name):
        for place, metric in enumerate(group):
            if place == 0:
                lines += [f"# HELP jackfield_{name} {metric.help}", f"# TYPE jackfield_{name} {metric.kind}"]
            labels = ",".join(f'{key}="{_label(value)}"' for key, value in sorted(metric.labels.items()))
            value = _number(metric.value)
            sample = f"jackfield_{name}_{metric.part}" if metric.part else f"jackfield_{name}"
            lines.append(f"{sample}{{{labels}}} {value}" if labels else f"{sample} {value}")
    return lines


def _number(value: float) -> str:
    """All digits: a counter that is rounded stands still, and then leaps."""
    return str(int(value)) if value == int(value) else repr(value)


def _label(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
