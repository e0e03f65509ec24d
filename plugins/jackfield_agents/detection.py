"""Which agents are installed. Each program is asked once; it is asked again when it has changed, and after a while when
it failed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence

from jackfield.api.agents import Agent, Detection
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield_agents.cache import ProgramAnswer, ProgramAnswerCache
from jackfield_agents.plans import Attempt, DetectionPlan, plan
from jackfield_agents.probing import environment, probe
from jackfield_agents.scratch import scratch_home
from jackfield_agents.settings import AgentSettings

CACHE = "cache/agent-detections.json"
PATIENCE = 4
"""How many times the limit a program gets that was too slow among others, once, alone and with nobody waiting."""


class Detector:
    """Detections of all agents of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(AgentSettings)
        self.cache = ProgramAnswerCache(context.service.config_dir / CACHE)
        self._turns = asyncio.Semaphore(self._settings.detection_parallel)
        self._alone = asyncio.Lock()
        self._asking: dict[Attempt, asyncio.Task[None]] = {}
        self._slow: dict[Attempt, asyncio.Task[None]] = {}
        self._last: dict[str, Detection] = {}
        self.problems: dict[str, Sequence[str]] = {}
        """Agent -> what hindered its detection last time, a sentence each; only agents with any."""

    async def detect(self, agents: Sequence[Agent]) -> Mapping[str, Detection]:
        """id -> what is found, in the order given. Programs that have not answered in time are asked on, and an event
        tells their versions."""
        plans = await asyncio.to_thread(self._plans, agents)
        if waiting := self._asked_now(plans):
            telling = self._context.spawn("detect rest", self._told_when_all(plans, waiting))
            await asyncio.wait([telling], timeout=self._settings.detection_wait)
        return self._detections(plans)

    async def located(self, agent: Agent) -> Detection:
        """The answers that are known without waiting for a program; those that are not known yet are asked
        meanwhile."""
        plans = await asyncio.to_thread(self._plans, [agent])
        if waiting := self._asked_now(plans):
            self._context.spawn("detect rest", self._told_when_all(plans, waiting))
        return self._detections(plans)[agent.id]

    def _asked_now(self, plans: Sequence[DetectionPlan]) -> list[asyncio.Task[None]]:
        return [
            self._ask(attempt, plan.variables)
            for plan in plans
            for attempt in plan.attempts
            if not self._is_known(attempt)
        ]

    async def _told_when_all(self, plans: Sequence[DetectionPlan], waiting: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.wait(waiting)
        await self._save()
        self._detections(plans)
        slow = [self._slow[attempt] for plan in plans for attempt in plan.attempts if attempt in self._slow]
        if slow:
            self._context.spawn("detect slow ones", self._told_when_slow(plans, slow))

    async def _told_when_slow(self, plans: Sequence[DetectionPlan], slow: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.wait(slow)
        self._detections(plans)

    def _detections(self, plans: Sequence[DetectionPlan]) -> Mapping[str, Detection]:
        """As of now; listeners hear what has changed since the last look."""
        found = {plan.agent_id: self._detection(plan) for plan in plans}
        self._tell(found)
        return found

    def _plans(self, agents: Sequence[Agent]) -> list[DetectionPlan]:
        self.cache.refresh()
        env = environment(os.environ)
        return [plan(agent, env) for agent in agents]

    def _is_known(self, attempt: Attempt) -> bool:
        known = self._answer(attempt)
        if known is None or known.failure is None:
            return known is not None
        age = abs(self._context.clock.now_ms() - known.checked_ms)
        return age < self._settings.detection_retry * 1000

    def _answer(self, attempt: Attempt) -> ProgramAnswer | None:
        """The answer of the program, as it is now."""
        known = self.cache.get(attempt.command)
        same = known is not None and (known.path, known.mtime_ns, known.size) == (
            attempt.path,
            attempt.mtime_ns,
            attempt.size,
        )
        return known if same else None

    def _ask(self, attempt: Attempt, variables: Mapping[str, str]) -> asyncio.Task[None]:
        """One task however many want to know; it goes on when they have gone."""
        asking = self._asking.get(attempt)
        if asking is None:
            asking = self._asking[attempt] = self._context.spawn("detect", self._asked(attempt, variables))
            asking.add_done_callback(lambda _: self._asking.pop(attempt, None))
        return asking

    async def _asked(self, attempt: Attempt, variables: Mapping[str, str]) -> None:
        async with self._turns:
            answer = await self._answered(attempt, variables, self._settings.detection_timeout)
        self.cache.put(attempt.command, answer)
        if answer.timed_out and attempt not in self._slow:
            self._slow[attempt] = self._context.spawn("detect slow", self._asked_alone(attempt, variables))
            self._slow[attempt].add_done_callback(lambda _: self._slow.pop(attempt, None))

    async def _asked_alone(self, attempt: Attempt, variables: Mapping[str, str]) -> None:
        async with self._alone:
            answer = await self._answered(attempt, variables, self._settings.detection_timeout * PATIENCE)
        self.cache.put(attempt.command, answer)
        await self._save()

    async def _answered(self, attempt: Attempt, variables: Mapping[str, str], timeout: float) -> ProgramAnswer:
        started = self._context.clock.monotonic()
        env = environment(os.environ)
        async with scratch_home(variables, env) as scratch:
            outcome = await probe(attempt.argv, timeout, scratch)
        if outcome.failure is not None and not outcome.timed_out:
            # It may be a shim that finds its tool by the user's home.
            outcome = await probe(attempt.argv, timeout, env)
        return ProgramAnswer(
            path=attempt.path,
            mtime_ns=attempt.mtime_ns,
            size=attempt.size,
            failure=outcome.failure,
            version=outcome.version,
            took_ms=round((self._context.clock.monotonic() - started) * 1000),
            checked_ms=self._context.clock.now_ms(),
            timed_out=outcome.timed_out,
        )

    async def _save(self) -> None:
        try:
            await asyncio.to_thread(self.cache.save)
        except JackfieldError as exc:
            # It is a cache: without it programs are asked again after a restart.
            self._context.log.warning("Detections are not kept: %s", exc.message)

    def _detection(self, plan: DetectionPlan) -> Detection:
        answers = [(attempt.command, self._answer(attempt)) for attempt in plan.attempts]
        good = [answer for _, answer in answers if answer is not None and answer.failure is None]
        # A program that is there and has not answered yet, or was too slow on a busy machine, is installed.
        open_ones = [attempt for attempt, (_, answer) in zip(plan.attempts, answers, strict=True) if _is_open(answer)]
        there = any(attempt.path == plan.binary_path for attempt in open_ones)
        failed = [f"`{command}` {answer.failure}" for command, answer in answers if answer and answer.failure]
        self.problems.pop(plan.agent_id, None)
        if problems := [*plan.problems, *(failed if not good else ())]:
            self.problems[plan.agent_id] = problems
        version = next((answer.version for answer in good if answer.version), None)
        return Detection(bool(good) or plan.marked or there, version, plan.binary_path)

    def _tell(self, found: Mapping[str, Detection]) -> None:
        """The first look is no news."""
        for agent_id, detection in found.items():
            before, self._last[agent_id] = self._last.get(agent_id), detection
            if before not in (None, detection):
                news = {"id": agent_id, "installed": detection.installed, "version": detection.version}
                self._context.events.publish("agents", "agent_detected", news)


def _is_open(answer: ProgramAnswer | None) -> bool:
    """Whether it may still succeed."""
    return answer is None or answer.timed_out
