"""The counts of a port's admission so far, for `/metrics`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from jackfield.api.diagnosis import Metric
from jackfield.api.records import record

from .callers import KINDS


@record
class ConnectionCounts:
    """open: by kind of caller; refused and timed_out: by reason."""

    open: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    timed_out: Mapping[str, int] = field(default_factory=dict)
    displaced: int = 0
    malformed: int = 0

    def metrics(self, port: str) -> Sequence[Metric]:
        """port: `daemon`, or the name of a proxy's."""
        about = "Open connections by kind of caller: owner, another user of this machine, address, proxy."
        found = [
            Metric("connections", about, "gauge", self.open.get(kind, 0), {"port": port, "kind": kind})
            for kind in KINDS
        ]
        about = "Connections that were refused, by the limit that was in the way."
        found += [
            Metric("connections_refused_total", about, "counter", self.refused.get(reason, 0), _by(port, reason))
            for reason in ("total", "user", "address", "files")
        ]
        about = "Connections that were closed since a request did not arrive in time, or none came."
        found += [
            Metric("connections_timed_out_total", about, "counter", self.timed_out.get(reason, 0), _by(port, reason))
            for reason in ("first_byte", "head", "request", "idle")
        ]
        about = "Connections without a request that gave way to newer ones."
        found.append(Metric("connections_displaced_total", about, "counter", self.displaced, {"port": port}))
        about = "Requests that were refused as malformed, and their connections closed."
        found.append(Metric("requests_malformed_total", about, "counter", self.malformed, {"port": port}))
        return found


def _by(port: str, reason: str) -> Mapping[str, str]:
    return {"port": port, "reason": reason}
