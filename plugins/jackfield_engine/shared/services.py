"""The services that all executions of the embedded engine share."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.hosts import Hosts
from jackfield.api.node_rules import RunNodeRules
from jackfield.api.projects import ProjectAccess, whole_store
from jackfield.api.records import record
from jackfield.api.resume import ResumeLinks
from jackfield.api.storage import Store
from jackfield.api.tracing import Tracer, active_tracer
from jackfield_engine.loop.plans import Plans
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.begun import BegunNotes
from jackfield_engine.shared.ended import EndedElsewhere
from jackfield_engine.shared.figures import EngineFigures
from jackfield_engine.shared.known_lives import KnownLives
from jackfield_engine.shared.lease import Lease, daemon_name
from jackfield_engine.shared.static_data import StaticData
from jackfield_engine.shared.store_clock import StoreClock
from jackfield_engine.shared.timers import Timers
from jackfield_engine.shared.variables import Variables, allowed_environment


@record
class Services:
    context: PluginContext
    store: Store
    clock: Clock
    store_clock: StoreClock
    settings: ExecutionsSettings
    plans: Plans
    timers: Timers
    variables: Variables
    static: StaticData
    environment: Mapping[str, str]
    links: ResumeLinks
    begun: BegunNotes
    lease: Lease
    hosts: Hosts
    ended: EndedElsewhere
    figures: EngineFigures
    projects: ProjectAccess | None
    """None: there are none."""
    node_rules: RunNodeRules | None
    """None: nobody has such rules."""
    tracer: Tracer | None
    """None: nobody takes spans."""

    def takes(self) -> bool:
        """Whether this daemon begins executions."""
        return self.hosts.takes("flows")


def build_services(context: PluginContext) -> Services:
    """Once the ports are assembled."""
    settings = context.settings(ExecutionsSettings)
    return Services(
        context=context,
        store=whole_store(context.store),
        clock=context.clock,
        store_clock=StoreClock(context.clock),
        settings=settings,
        plans=Plans(context, settings.cached_workflows),
        timers=Timers(context.clock),
        variables=Variables(context, settings.variables_ttl),
        static=StaticData(whole_store(context.store), settings.max_static_data),
        environment=allowed_environment(settings.allowed_environment),
        links=ResumeLinks(context),
        begun=BegunNotes(context.service.config_dir, context.log),
        lease=Lease(
            whole_store(context.store),
            context.clock,
            context.log,
            daemon_name(settings.daemon, context.service.config_dir, context.service.worker),
            settings.lease,
            KnownLives(context.service.config_dir, context.log, context.service.worker),
        ),
        hosts=context.port(Hosts),
        ended=EndedElsewhere(context),
        figures=context.port(EngineFigures),
        projects=context.find_port(ProjectAccess),
        node_rules=context.find_port(RunNodeRules),
        tracer=active_tracer(context),
    )
