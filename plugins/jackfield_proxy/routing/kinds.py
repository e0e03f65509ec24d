"""The strategies and conditions that a process knows, and conditions made of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from jackfield.api.proxy import RequestAttributes, RoutingCondition, RoutingStrategy, Rule, TargetHealth
from jackfield.api.records import record
from jackfield_proxy.routing.conditions import CONDITIONS, Stored, inner
from jackfield_proxy.routing.strategies import CONDITIONAL, STRATEGIES

GRAMMAR = ("all", "any", "not", "script")


def _nobody(_text: str) -> None:
    pass


@record
class RoutingKinds:
    """strategies: by their names in lower case; conditions: by type. complain: hears of the mistakes of a plugin's
    code.
    """

    strategies: Mapping[str, RoutingStrategy] = field(default_factory=dict)
    conditions: Mapping[str, RoutingCondition] = field(default_factory=dict)
    complain: Callable[[str], None] = _nobody

    @classmethod
    def of(
        cls,
        strategies: Iterable[RoutingStrategy],
        conditions: Iterable[RoutingCondition],
        complain: Callable[[str], None] = _nobody,
    ) -> RoutingKinds:
        """Of two with one name the first counts."""
        known: dict[str, RoutingStrategy] = {}
        types: dict[str, RoutingCondition] = {}
        for strategy in strategies:
            known.setdefault(strategy.name.lower(), strategy)
        for condition in conditions:
            types.setdefault(condition.type, condition)
        return cls(known, types, complain)

    def strategy(self, name: str) -> RoutingStrategy:
        """`Conditional` where there is none of this name."""
        return self.strategies.get(name.lower(), CONDITIONAL)

    def ordered(self, strategy: RoutingStrategy, fitting: Sequence[Rule], health: TargetHealth) -> Sequence[Rule]:
        """Never empty, if `fitting` is not; what the strategy has made up is left out."""
        known = set(map(id, fitting))
        try:
            given = [rule for rule in strategy.order(fitting, health) if id(rule) in known]
        except Exception as exc:
            self.complain(f"the strategy {strategy.name} failed ({type(exc).__name__}: {exc}); Conditional decides")
            given = []
        return given or CONDITIONAL.order(fitting, health)

    def holds(self, condition: Stored, attributes: RequestAttributes) -> bool:
        """A condition of a type that nobody knows does not hold."""
        kind = str(condition.get("type"))
        if kind in GRAMMAR:
            return self._composed(kind, condition, attributes)
        found = self.conditions.get(kind)
        try:
            return found is not None and bool(found.holds(condition, attributes))
        except Exception as exc:
            self.complain(f"the condition {kind} failed ({type(exc).__name__}: {exc}) and does not hold")
            return False

    def _composed(self, kind: str, condition: Stored, attributes: RequestAttributes) -> bool:
        """kind: of `GRAMMAR`."""
        if kind == "all":
            return all(self.holds(one, attributes) for one in inner(condition))
        if kind == "any":
            return any(self.holds(one, attributes) for one in inner(condition))
        if kind == "not":
            negated = condition.get("condition")
            return isinstance(negated, dict) and not self.holds(negated, attributes)
        return attributes.scripts.get(str(condition.get("path")), False)


BUILT_IN = RoutingKinds.of(STRATEGIES, CONDITIONS)
