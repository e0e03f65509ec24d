"""The end of the chain as this daemon has last seen it, in a file of its own: whoever deletes the last records in the
database is found out by whoever still has the directory."""

from __future__ import annotations

import hmac
import json
from typing import Any

from jackfield.api.audit import stamp
from jackfield.api.context import PluginContext
from jackfield.api.files import read_private, write_private
from jackfield.api.storage.audit import AuditHead
from jackfield_audit.chain import KEY

FILE = "audit-head.json"


class Anchor:
    """Its methods block."""

    def __init__(self, context: PluginContext) -> None:
        self._file = context.service.config_dir / FILE
        self._secrets = context.secrets

    def read(self) -> AuditHead | None:
        """None: there is none, or it is of another key."""
        content = read_private(self._file)
        try:
            found: dict[str, Any] = json.loads(content or b"{}")  # Any: whatever stands there
            head = AuditHead(int(found["number"]), bytes.fromhex(found["hash"]))
            mac = bytes.fromhex(found["mac"])
        except (ValueError, KeyError, TypeError):
            return None
        keys = [self._secrets.key(KEY), *self._secrets.earlier_keys(KEY)]
        good = any(hmac.compare_digest(stamp(key, head.number, head.hash), mac) for key in keys)
        return head if good else None

    def write(self, head: AuditHead) -> None:
        """Raises OSError."""
        mac = stamp(self._secrets.key(KEY), head.number, head.hash)
        told = {"number": head.number, "hash": head.hash.hex(), "mac": mac.hex()}
        write_private(self._file, json.dumps(told).encode())
