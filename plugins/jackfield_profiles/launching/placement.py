"""Where an agent without a terminal runs: on a host that has its profile, the labels that are wanted, and the most free
slots."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.hosts import Host, HostCalls, HostReply, Hosts, HostUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.placed_things import PlacedThings
from jackfield.api.profiles import HeadlessRequest, HeadlessResult, Profiles, has_profile
from jackfield_profiles import aliases
from jackfield_profiles.launching.replies import result_of

HOST = "host"
"""The method of a principal that is another host, which asks for a workflow."""
WORKFLOWS = Principal("owner", "owner", "admin", HOST)


def labels_in(text: str) -> list[str]:
    """Of a query: labels with commas between them."""
    return [label for part in text.split(",") if (label := part.strip())]


class NoHost(Conflict):
    """No host can run this agent now."""

    code = "NO_HOST"


def require_labels(host: Host, labels: Sequence[str]) -> None:
    """Raises `NoHost`."""
    if not host.has_labels(labels):
        raise NoHost(f"The host {host.name} lacks some of the labels {', '.join(labels)}; name another one, or none.")


class AgentPlacement:
    """Chooses hosts, and runs agents there. One per daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._hosts = context.port(Hosts)
        self._things = PlacedThings(context, "profile")
        self._begun: Counter[str] = Counter()
        """Runs that this daemon has on other hosts: they tell of their slots once a second only."""

    async def run(self, alias: str, request: HeadlessRequest, labels: Sequence[str]) -> HeadlessResult:
        """See `Profiles.run`. Raises `NoHost`, `HostUnavailable` when the host is lost with the run."""
        async with self.place(alias, labels) as chosen:
            if chosen.name == self._hosts.here.name:
                return await self._context.port(Profiles).run(alias, request)
            return await self._run_at(chosen, alias, request)

    @asynccontextmanager
    async def place(self, alias: str, labels: Sequence[str], key: str = "") -> AsyncIterator[Host]:
        """The host for a run, which takes as long as this is held. key: the same key gives the same host, which knows
        the run. That holds as long as the same hosts have the profile and the labels and take work. Raises `NoHost`;
        `HostUnavailable` when nobody has the profile, and somebody does not answer; `NotFound`, `AccessDenied` for one
        that the current reach may not start.
        """
        if not await self._things.may(alias, "start"):  # here, as another host lets in whatever this one asks for
            raise aliases.unknown(alias)
        if not self._hosts.others and not labels and self._hosts.takes("agents"):
            yield self._hosts.here
            return
        chosen = self._best(await self._candidates(alias, labels), alias, labels, key)
        if chosen.name == self._hosts.here.name:
            yield chosen
            return
        self._begun[chosen.name] += 1
        try:
            yield chosen
        finally:
            self._begun[chosen.name] -= 1
            self._begun += Counter()  # those with none are forgotten

    async def _candidates(self, alias: str, labels: Sequence[str]) -> list[Host]:
        """Raises `HostUnavailable` when nobody has the profile, and somebody does not answer; `NotFound` when all
        answer."""
        here = self._hosts.here
        profiles = self._context.port(Profiles)
        has = await has_profile(profiles, alias)
        fits = has and here.takes("agents") and here.has_labels(labels)
        found = [here] if fits else []
        if not self._hosts.others:
            others: Sequence[Host] = []
        else:
            try:
                others = await self._context.port(HostCalls).find("profile", alias)
            except HostUnavailable:
                if not found:
                    raise
                others = []
        if not has and not others:
            await profiles.find(alias)  # which raises
        return [*found, *(host for host in others if host.takes("agents") and host.has_labels(labels))]

    def _best(self, candidates: Sequence[Host], alias: str, labels: Sequence[str], key: str) -> Host:
        """With the most slots free; among equals this one, then the first by name. Raises `NoHost`."""
        if not candidates:
            wanted = f" and the labels {', '.join(labels)}" if labels else ""
            raise NoHost(f"No host that takes work has the profile {alias}{wanted}; `jackfield hosts list` shows them.")
        if key:
            return max(candidates, key=lambda host: _digest(f"{key}\n{alias}\n{host.name}"))
        return max(candidates, key=self._free)

    def _free(self, host: Host) -> int:
        slots = host.slots.get("agents")
        return 0 if slots is None else slots.total - max(slots.used, self._begun[host.name])

    async def _run_at(self, host: Host, alias: str, request: HeadlessRequest) -> HeadlessResult:
        path = f"/api/profiles/{alias}/run"
        reply = await self._context.port(HostCalls).call(host, "POST", path, WORKFLOWS, body=_body(request))
        return result_of(_data(host, reply))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _body(request: HeadlessRequest) -> Json:
    key = None if request.key is None else _digest(request.key)
    told: dict[str, Json] = {
        "prompt": request.prompt,
        "args": list(request.args),
        "timeout": request.timeout,
        "working_dir": request.working_dir,
        "key": key,
        "depth": request.depth or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _data(host: Host, reply: HostReply) -> Mapping[str, Json]:
    """Of an answer in the envelope. Raises the host's error."""
    found = reply.data if isinstance(reply.data, dict) else {}
    data = found.get("data")
    if isinstance(data, dict):
        return data
    message, code = found.get("error"), found.get("code")
    if isinstance(message, str):
        raise JackfieldError(message, code=code if isinstance(code, str) else None)
    raise HostUnavailable(f"The host {host.name} answered with {reply.status}, and not as this version does.")
