"""Keeps the process of one proxy: starts it, watches it, starts it again when it crashes.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from jackfield.api.admission.counts import ConnectionCounts
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.proxy import ProxyAddress
from jackfield.api.records import replace
from jackfield_proxy.daemon import health, scripts
from jackfield_proxy.daemon.addresses import ProxyAddressBook, free_port
from jackfield_proxy.daemon.crashes import Crashes
from jackfield_proxy.daemon.frontend import ProxyFrontend
from jackfield_proxy.daemon.logfile import ProxyLogFile
from jackfield_proxy.daemon.permissions import ProcessPermissions
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.daemon.subjects import ProxySubject, reached_at
from jackfield_proxy.daemon.takeover import ConnectionTakeover, DescriptorBudget
from jackfield_proxy.messages import FromChild, ToChild
from jackfield_proxy.plan import ProxyPlan
from jackfield_proxy.settings import ProxySettings

Status: TypeAlias = Literal["stopped", "starting", "running", "unhealthy", "restarting", "failed"]
UP = frozenset({"running", "unhealthy"})
APPLY_SECONDS = 10.0
"""Until a proxy must have taken a new plan."""
UNHEALTHY_AFTER, KILLED_AFTER = 2, 6
"""Health checks in a row without an answer."""
REFRESH_EVERY = 6
"""Health checks; then the supervisor looks at keys and addresses again, as it does not hear of every change of them."""


class ProxySupervisor:
    """`status`: see `Status`. One of `start`, `stop` and `push` runs at a time."""

    def __init__(
        self,
        context: PluginContext,
        subject: ProxySubject,
        addresses: ProxyAddressBook,
        budget: DescriptorBudget,
    ) -> None:
        self.alias = alias = subject.name
        self.status: Status = "stopped"
        self.restarts = 0
        self.connections = ConnectionCounts()
        self.started_ms: int | None = None
        self._context = context
        self._settings = context.settings(ProxySettings)
        self._subject = subject
        self._addresses = addresses
        self._log = ProxyLogFile(
            context.service.config_dir / "logs" / "proxy" / f"{alias}.log", self._settings.log_limit
        )
        self._lock = asyncio.Lock()
        self._settled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._process: ProxyProcess | None = None
        self._plan: ProxyPlan | None = None
        self._wanted = False
        self._listens = False
        self._token = ""
        self._port = 0
        self._last_line = ""
        self._frontend = ProxyFrontend(context, subject, addresses, budget)

    # -- what the others see

    def view(self, *, enabled: bool) -> dict[str, Json]:
        """Of a profile's proxy."""
        up = self.status in UP
        account = self._subject.account(self.alias)
        return {
            "profile": self.alias,
            "enabled": enabled,
            "port": self._port if up else None,
            "pid": self._process.pid if up and self._process is not None else None,
            "status": self.status,
            "restarts": self.restarts,
            "started_at": iso(self.started_ms) if up and self.started_ms is not None else None,
            "requests": account.records.count,
            "budgets": cast("Json", account.budgets.view()),
            "error": self.failure,
        }

    @property
    def failure(self) -> str | None:
        """The last line of its log, when it has failed."""
        return self._last_line if self.status == "failed" else None

    @property
    def address(self) -> ProxyAddress:
        return ProxyAddress(f"http://{self._subject.host}:{self._port}", self._token)

    async def tail(self, lines: int) -> Sequence[str]:
        return await asyncio.to_thread(self._log.tail, lines)

    # -- what the others want

    async def start(self) -> None:
        """Until it runs. Raises `InvalidInput` when the profile has no proxy, `JackfieldError` (500) with the last line
        of the log when it fails."""
        async with self._lock:
            task = await self._begun()
        await self._until_settled(task)

    async def over(self) -> None:
        """Until nothing keeps it alive any more. Raises `JackfieldError` where it has failed."""
        if self._task is not None:
            await asyncio.wait([self._task])
        if self.status == "failed":
            raise JackfieldError(f"The proxy of {self.alias} failed: {self._last_line}", code="PROXY_FAILED")

    async def reserve(self) -> ProxyAddress:
        """Its address and token, or those that it is going to have. Raises `NotFound`."""
        wanted = await self._subject.wanted()
        async with self._lock:
            self._token = self._token or await self._subject.token()
            if self.status in ("stopped", "failed"):
                self._port = wanted.port or self._port or await self._addresses.port(self.alias)
            if not self._port:
                self._port = await asyncio.to_thread(free_port)
                await self._addresses.keep(self.alias, self._port)
            return self.address

    async def restart(self) -> None:
        """Its token stays, and so does a port that nobody has chosen; connections wait. Raises as `start`."""
        async with self._lock:
            token = self._token
            await self._stop()
            self._token = token
            try:
                await self._start()
            finally:
                if self._task is None:  # none comes for those that wait
                    self._frontend.close()

    async def stop(self) -> None:
        async with self._lock:
            self._frontend.close()
            await self._stop()
            self._frontend.close()  # a start that was under way may have opened it
            self._token, self._port = "", 0

    async def push(self) -> None:
        """Tell a running proxy what has changed. Requests in flight go on as they began; another port needs a new
        process."""
        async with self._lock:
            if not self._wanted or self._process is None or self._plan is None:
                return
            wanted = await self._subject.wanted()
            if wanted.missing:
                return
            if wanted.port and wanted.port != self._port:
                token = self._token
                self._frontend.close()
                await self._stop()
                self._token = token
                await self._start()
                return
            plan = await self._subject.plan(self._token, self._plan.port)
            if plan != self._plan:
                self._plan = plan
                if not await self._process.apply(plan, APPLY_SECONDS):
                    self._context.log.warning("The proxy of %s did not take its new configuration.", self.alias)

    # -- starting and stopping

    async def _start(self) -> None:
        await self._until_settled(await self._begun())

    async def _begun(self) -> asyncio.Task[None] | None:
        """The watch that keeps it alive from now on; None: it runs. Raises `InvalidInput`."""
        if self.status in UP:
            return None
        wanted = await self._subject.wanted()
        if wanted.missing:
            raise InvalidInput(wanted.missing, code="PROXY_NOT_CONFIGURED")
        if self._task is None or self._task.done():
            self._wanted, self._listens, self.restarts = True, False, 0
            self._token = self._token or await self._subject.token()
            self._become("starting")
            self._task = self._context.spawn(f"proxy {self.alias}", self._keep_alive())
        return self._task

    async def _until_settled(self, task: asyncio.Task[None] | None) -> None:
        """Raises `JackfieldError` unless it runs. Nobody else waits for that: a proxy that starts can be stopped."""
        if task is not None:
            settling = asyncio.create_task(self._settled.wait())
            await asyncio.wait({settling, task}, return_when=asyncio.FIRST_COMPLETED)
            settling.cancel()
        if not self._wanted:
            raise JackfieldError(f"The proxy of {self.alias} was stopped while it started.", code="PROXY_STOPPED")
        if self.status not in UP:
            raise JackfieldError(f"The proxy of {self.alias} failed: {self._last_line}", code="PROXY_FAILED")

    async def _stop(self) -> None:
        self._wanted = False
        task, process = self._task, self._process
        if process is not None:
            await process.stop(self._settings.stop_grace + 1.0)
        if task is not None:
            await asyncio.wait([task], timeout=1.0 if process is not None else 0)
            task.cancel()
            await asyncio.wait([task])
        self._task = self._process = None
        await self._frontend.settled()
        if self.status != "stopped":
            self._become("stopped")
        await self._subject.settled()

    # -- the life of processes

    async def _keep_alive(self) -> None:
        crashes = Crashes()
        while True:
            began = self._context.clock.monotonic()
            try:
                await self._one_life()
            except (JackfieldError, OSError) as exc:
                await self._say(
                    exc.message if isinstance(exc, JackfieldError) else f"cannot be started: {exc.strerror}"
                )
            if not self._wanted:
                return
            now = self._context.clock.monotonic()
            pause = crashes.pause(now, now - began) if self._listens else None
            if pause is None:
                if self._listens:
                    await self._say("crashed five times within a minute, and is not started again")
                self._become("failed")
                self._frontend.fail()
                return
            self.restarts += 1
            self._become("restarting")
            await self._frontend.wait(pause)

    async def _one_life(self) -> None:
        """Until the process has ended. Raises OSError, `JackfieldError`."""
        wanted = await self._subject.wanted()
        self._port = await self._frontend.open(wanted.port, self._port)
        # The process loads its modules while its plan is made.
        process, takeover = await self._frontend.begin()
        self._process, self._plan, self._last_line = process, None, ""
        logging = asyncio.create_task(process.log(self._keep))
        checking = asyncio.create_task(self._check(process))
        ending = self._context.spawn("end of a proxy", self._end(process, takeover))
        permissions = ProcessPermissions(self._context, self._subject.account)
        try:
            self._plan = await self._subject.plan(self._token, self._port)
            await process.send(ToChild(plan=self._plan))
            await self._listen_to(process, permissions)
            code = await process.wait()
        finally:
            checking.cancel()
            process.kill()
            permissions.abandon()
            await asyncio.wait([checking, logging, ending], timeout=1.0)
            logging.cancel()
            self._process = None
            self.connections = ConnectionCounts()
        # The last words of a process that never listened say more than its exit code.
        if self._wanted and (self._listens or not self._last_line):
            await self._say(f"the process {process.pid} has ended with {'signal' if code < 0 else 'code'} {abs(code)}")

    async def _end(self, process: ProxyProcess, takeover: ConnectionTakeover | None) -> None:
        """Its clients learn of the end as soon as it has ended, whatever it has left to be read."""
        await process.wait()
        self._frontend.end(takeover, wanted=self._wanted)

    async def _listen_to(self, process: ProxyProcess, permissions: ProcessPermissions) -> None:
        try:
            async with asyncio.timeout(self._settings.start_timeout) as limit:
                async for message in process.messages():
                    if message.listening is not None:
                        limit.reschedule(None)
                        self._runs()
                    elif message.failed is None:  # why is in the log
                        await self._take(process, permissions, message)
        except TimeoutError:
            await self._say(f"did not start within {self._settings.start_timeout:g} s; raise proxy.start_timeout")
            process.kill()  # nobody waits for a process that may never end
        except ValueError as exc:
            await self._say(f"is stopped: {exc}")
            process.kill()

    def _runs(self) -> None:
        self._listens = True
        self.started_ms = self._context.clock.now_ms()
        self._become("running")

    async def _take(self, process: ProxyProcess, permissions: ProcessPermissions, message: FromChild) -> None:
        if (asked := message.permission) is not None:
            permissions.ask(asked, process)
        elif message.made is not None:
            await permissions.keep(message.made)
        elif message.connections is not None:
            self.connections = message.connections
        elif message.served is not None:
            await permissions.settle(message.served)
            await self._tell_budget(process)
        elif (question := message.question) is not None:
            self._context.spawn("condition script", scripts.answer(self._context, question, process, self._keep))

    async def _tell_budget(self, process: ProxyProcess) -> None:
        """When a budget has come to its end, or to a new period."""
        refusal = self._subject.refusal()
        if self._plan is not None and refusal != self._plan.refusal:
            self._plan = replace(self._plan, refusal=refusal)
            await process.send(ToChild(plan=self._plan))

    async def _check(self, process: ProxyProcess) -> None:
        missed = rounds = 0
        while True:
            await asyncio.sleep(self._settings.health_interval)
            if self.status not in UP:
                continue
            healthy = await health.answers(reached_at(self._subject.host), self._port, self._settings.health_timeout)
            missed = 0 if healthy else missed + 1
            if missed == UNHEALTHY_AFTER:
                self._become("unhealthy")
            elif missed == KILLED_AFTER:
                await self._say("does not answer, and is killed")
                process.kill()
            elif healthy and self.status == "unhealthy":
                self._become("running")
            rounds += 1
            if rounds % REFRESH_EVERY == 0:
                self._context.spawn("refresh", self._refresh())

    async def _refresh(self) -> None:
        try:
            await self.push()
        except JackfieldError as exc:
            self._context.log.warning("The proxy of %s keeps its configuration: %s", self.alias, exc.message)

    # -- telling

    def _become(self, status: Status) -> None:
        before, self.status = self.status, status
        if status in ("running", "failed", "stopped"):
            self._settled.set()
        elif status in ("starting", "restarting"):
            self._settled.clear()
        if before == status:
            return
        data = {"profile": self.alias, "status": status, "previous": before}
        publish = self._context.events.publish
        publish("proxy", "proxy_status_changed", data)
        if status == "running" and before != "unhealthy":
            publish("proxy", "proxy_started", {"profile": self.alias, "port": self._port})
        elif status in ("stopped", "failed"):
            publish("proxy", "proxy_stopped", {"profile": self.alias, "status": status})

    async def _say(self, text: str) -> None:
        self._context.log.warning("The proxy of %s %s", self.alias, text)
        await self._keep([f"{iso(self._context.clock.now_ms())} {text}"])

    async def _keep(self, lines: list[str]) -> None:
        """Into the log file. A log that cannot be written stops nothing."""
        hidden = [self._context.secrets.hide(line) for line in lines]
        self._last_line = hidden[-1]
        try:
            await asyncio.to_thread(self._log.append, hidden)
        except (OSError, JackfieldError) as exc:
            self._context.log.warning("The log of the proxy of %s cannot be written: %s", self.alias, exc)
