"""Figures for `/metrics`."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.audit import OUTCOMES
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield_audit.chain import AuditChain


def metrics(context: PluginContext) -> Sequence[Metric]:
    chain = context.port(AuditChain)
    told = "Records that this daemon has written into the audit log."
    return [
        *(
            Metric("audit_records_total", told, "counter", chain.recorded[outcome], {"outcome": outcome})
            for outcome in OUTCOMES
        ),
        Metric(
            "audit_records_lost_total", "Acts whose record the store did not take; the caller got an error.", "counter",
            chain.lost,
        ),
        Metric(
            "audit_logins_withheld_total", "Refused logins that name no user and were more than audit.strangers.",
            "counter", chain.strangers.withheld,
        ),
        Metric(
            "audit_records_waiting", "Records that wait for the store.", "gauge", chain.waiting,
        ),
    ]  # fmt: skip
