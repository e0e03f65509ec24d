"""A plan and what follows from it for every request."""

from __future__ import annotations

from jackfield_proxy.child.serving.plugins import kinds_of
from jackfield_proxy.plan import ProxyPlan
from jackfield_proxy.routing.choosing import scripts_of
from jackfield_proxy.routing.kinds import BUILT_IN
from jackfield_proxy.routing.thresholds import thresholds_of


class CompiledPlan:
    """scripts: paths of those that rules name; thresholds: numbers of tokens that rules ask for."""

    def __init__(self, plan: ProxyPlan) -> None:
        self.plan = plan
        self.kinds = kinds_of(plan.plugins) if plan.plugins else BUILT_IN
        self.scripts = tuple(sorted(scripts_of(plan)))
        self.thresholds = thresholds_of(plan)
