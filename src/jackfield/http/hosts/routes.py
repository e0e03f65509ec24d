"""`/api/hosts`."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.errors import Conflict
from jackfield.api.hosts import Host, HostsAdministration
from jackfield.api.http import operation, success
from jackfield.core.kernel import Kernel

_SCHEMAS = "jackfield.http.schemas"
_TAGS = ("hosts",)


def blueprint(kernel: Kernel) -> Blueprint:
    made = Blueprint("hosts", __name__, url_prefix="/api/hosts")

    def hosts() -> HostsAdministration:
        return kernel.hosts

    @made.get("")
    @operation("List the daemons that share the store", scope=None, response=f"{_SCHEMAS}:HostList", tags=_TAGS)
    async def list_hosts() -> Response:
        here = kernel.hosts.here.name
        return success([shown(host, here) for host in await hosts().all()])

    @made.post("/<name>/drain")
    @operation(
        "Let a host take no new work, and hand over what has not begun",
        scope="admin",
        response=f"{_SCHEMAS}:HostDone",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def drain_host(name: str) -> Response:
        await hosts().drain(name, draining=True)
        return success({"name": name, "draining": True})

    @made.post("/<name>/resume")
    @operation(
        "Let a host that is drained take work again",
        scope="admin",
        response=f"{_SCHEMAS}:HostDone",
        tags=_TAGS,
        errors=(Conflict,),
    )
    async def resume_host(name: str) -> Response:
        await hosts().drain(name, draining=False)
        return success({"name": name, "draining": False})

    return made


def shown(host: Host, here: str) -> dict[str, object]:
    """A host as the API shows it. here: the name of the host that answers."""
    return {
        "name": host.name,
        "address": host.address,
        "here": host.name == here,
        "state": state_of(host),
        "roles": list(host.roles),
        "labels": list(host.labels),
        "slots": {role: {"used": slots.used, "total": slots.total} for role, slots in host.slots.items()},
        "version": host.version,
        "draining": host.draining,
        "renewed_ms_ago": host.renewed_ms,
    }


def state_of(host: Host) -> str:
    if not host.alive:
        return "gone"
    return "draining" if host.draining else "ready"
