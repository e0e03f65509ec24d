"""By which public hosts, and with which credentials, each area of the daemon is reached."""

from __future__ import annotations

from jackfield.api.asgi import AREAS, Area

from .tables import EVERY, AreaSettings, DaemonSettings, ServerSettings


class PublicAreas:
    """As the settings have it. `daemon.remote_agents` opens every area to all public hosts."""

    def __init__(self, server: ServerSettings, daemon: DaemonSettings, areas: AreaSettings) -> None:
        named = {area: tuple(getattr(areas, area)) for area in AREAS}
        if daemon.remote_agents:
            named["ui"] = named["agents"] = (EVERY,)
        self._opens_agents = bool(named["agents"])
        every = {host.lower() for host in server.public_hosts}
        every.update(host for hosts in named.values() for host in hosts if host != EVERY)
        self._areas = {
            host: frozenset(area for area in AREAS if host in named[area] or EVERY in named[area]) for host in every
        }
        self._by_name = {host.encode(): areas for host, areas in self._areas.items()}
        self._methods = {
            area: frozenset(found)
            for area in AREAS
            if EVERY not in (found := getattr(areas, f"{area}_methods", [EVERY]))
        }

    @property
    def hosts(self) -> dict[str, frozenset[Area]]:
        """Public hosts and the areas that each of them reaches."""
        return dict(self._areas)

    @property
    def opens_agents(self) -> bool:
        """Whether public hosts reach agents, of this daemon or, in a fleet, of the one that was called."""
        return self._opens_agents

    def of(self, host: bytes) -> frozenset[Area] | None:
        """The areas that a host reaches, in lower case; None: it is no public host."""
        return self._by_name.get(host)

    def methods(self, area: Area) -> frozenset[str] | None:
        """Credentials that count there by a public host; None: all."""
        return self._methods.get(area)

    def missing(self, server: ServerSettings) -> list[str]:
        """Sentences of what a daemon that listens to other machines lacks so that they reach it, with the setting."""
        found = []
        if not self._areas:
            found.append(
                f"It listens on {server.host}, but only 127.0.0.1 and localhost name it: add its other names and "
                f"addresses, with the port (NAME:{server.port}), to server.public_hosts."
            )
        if not server.public_url:
            found.append("server.public_url is empty: addresses of webhooks are shown as this machine sees them.")
        closed = [area for area in AREAS if self._areas and not any(area in areas for areas in self._areas.values())]
        found += [f"No public host reaches the area {area}: see server.areas.{area}." for area in closed]
        if not server.trusted_proxies:
            found.append(
                "server.trusted_proxies is empty: behind a reverse proxy all callers have its address. It speaks no "
                "TLS itself: without a reverse proxy keys and passwords travel unencrypted."
            )
        return found
