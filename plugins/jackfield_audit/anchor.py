"""The end of the chain as this daemon has last seen it, in its own file. If somebody deletes the last records in the
database, everybody who still has the directory finds that out."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Sequence
from typing import Any

from jackfield.api.audit import stamp
from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged
from jackfield.api.files import read_private, write_private
from jackfield.api.resealing import Resealed, SealedValues
from jackfield.api.storage.audit import AuditHead
from jackfield_audit.chain import KEY

FILE = "audit-head.json"


class Anchor:
    """Its methods block."""

    def __init__(self, context: PluginContext) -> None:
        self._file = context.service.config_dir / FILE
        self._secrets = context.secrets

    def read(self) -> AuditHead | None:
        """None: there is no file. Raises `DataDamaged`, whose message names the file, when the file cannot be read or
        no key of this daemon has stamped it, and `ConfigurationError`."""
        content = read_private(self._file)
        if content is None:
            return None
        try:
            found: dict[str, Any] = json.loads(content)  # Any: whatever stands there
            head = AuditHead(int(found["number"]), bytes.fromhex(found["hash"]))
            mac = bytes.fromhex(found["mac"])
            keys = [self._secrets.key(KEY), *self._secrets.earlier_keys(KEY)]
            good = any(hmac.compare_digest(stamp(key, head.number, head.hash), mac) for key in keys)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as exc:
            raise self._damaged("is no JSON with number, hash and mac") from exc
        if not good:
            raise self._damaged("has no stamp of a key of this daemon")
        return head

    def write(self, head: AuditHead) -> None:
        """A damaged file is evidence: it is left as it is. Raises what `read` raises, and OSError."""
        self.read()
        self._put(head)

    def renew(self) -> bool:
        """Stamp it with the current key. False: there is none. Raises what `read` and `write` raise."""
        head = self.read()
        if head is not None:
            self._put(head)
        return head is not None

    def _put(self, head: AuditHead) -> None:
        mac = stamp(self._secrets.key(KEY), head.number, head.hash)
        told = {"number": head.number, "hash": head.hash.hex(), "mac": mac.hex()}
        write_private(self._file, json.dumps(told).encode())

    def _damaged(self, problem: str) -> DataDamaged:
        remedy = "Run `jackfield audit verify`, then move the file away: the daemon writes it anew."
        return DataDamaged(f"{self._file} {problem}: it does not show whether the audit log has lost its end. {remedy}")


class StampedEnd:
    """`jackfield.api.resealing.SealedValues`: without the keys of before, nobody could tell the stamp from a forged
    one."""

    name = "ends of the audit log"

    def __init__(self, context: PluginContext) -> None:
        self._anchor = Anchor(context)

    async def reseal(self) -> Resealed:
        try:
            return Resealed(int(await asyncio.to_thread(self._anchor.renew)))
        except DataDamaged as exc:
            return Resealed(0, (exc.message,))


def stamped_end(context: PluginContext) -> Sequence[SealedValues]:
    return [StampedEnd(context)]
