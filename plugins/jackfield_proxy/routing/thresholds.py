"""Whether the estimate of a request's length could be on the wrong side of a number that a rule names.

The estimate takes microseconds, a provider's own count a request to it. An own tokenizer would be right for one
vendor's models only, and its vocabulary alone takes more memory than a whole proxy may. So the estimate decides
wherever its error cannot matter, and the provider counts where it can.
"""

from __future__ import annotations

from jackfield_proxy.plan import ProxyPlan
from jackfield_proxy.routing.conditions import nested

LEAST, MOST = 0.5, 1.75
"""The true length lies between these multiples of the estimate.

They are measured with a vocabulary of 200,000. They hold for source code (0.56 to 1.45), Markdown, JSON and TOML (0.8
to 1.4), and logs (0.9 to 1.7). They also hold for prose in European and East Asian languages (0.5 to 0.8). Indic
scripts come out at a third, where the estimate is too high, and bare hexadecimal digits at twice.
"""


def thresholds_of(plan: ProxyPlan) -> tuple[int, ...]:
    """Every number that its `token_count` conditions name."""
    found = set()
    for rule in plan.rules:
        for one in nested(rule.condition):
            if one.get("type") == "token_count":
                found |= {value for name in ("min", "max") if isinstance(value := one.get(name), int)}
    return tuple(sorted(found))


def doubtful(tokens: int, thresholds: tuple[int, ...]) -> bool:
    """tokens: as estimated."""
    least, most = tokens * LEAST, tokens * MOST
    for threshold in thresholds:  # noqa: SIM110 - for one or two numbers a generator costs more than they do
        if least <= threshold <= most:
            return True
    return False
