"""Keys from bodies of requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jackfield.api.clock import from_iso, iso
from jackfield.api.errors import InvalidInput
from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield_gateway.keys.virtual_key import PERIODS, KeyBudget, VirtualKey
from jackfield_gateway.schemas import KeyBudgetsBody, KeyChangeBody, NewKeyBody

_FIELDS = {
    "requests_per_minute": "requests",
    "tokens_per_minute": "tokens",
    "parallel_requests": "parallel",
}
_UNITS = ("usd", "tokens")


def new_virtual_key(body: NewKeyBody, now_ms: int) -> VirtualKey:
    """Without its secret. Raises `InvalidInput`."""
    return changed(VirtualKey(new_id(), "", "", body.label, now_ms), body, now_ms)


def require_profiles_or_null(body: KeyChangeBody) -> None:
    """An empty list says that the key is for none, and would open all to it. Raises `InvalidInput`."""
    if body.profiles is not None and not body.profiles:
        told = "names no profile; leave it out, or null, for the proxies of all profiles, and DELETE revokes a key"
        raise InvalidInput(f"profiles {told}.", details={"profiles": told})


def changed(key: VirtualKey, body: KeyChangeBody, now_ms: int) -> VirtualKey:
    """Raises `InvalidInput`."""
    given = body.model_fields_set
    changes: dict[str, Any] = {}  # Any: fields of a record, each with its own type
    for name in given & {"owner", "models", "profiles", "cache_seconds"}:
        empty: object = {"owner": "", "cache_seconds": 0.0}.get(name, ())
        value = getattr(body, name)
        changes[name] = empty if value is None else tuple(dict.fromkeys(value)) if isinstance(value, list) else value
    if body.label is not None:
        changes["label"] = body.label
    changes |= {ours: getattr(body, name) for name, ours in _FIELDS.items() if name in given}
    if "budgets" in given:
        changes["budgets"] = tuple(_budgets(body.budgets or KeyBudgetsBody()))
    if "expires_at" in given:
        changes["expires_at"] = None if body.expires_at is None else _expiry(body.expires_at, now_ms)
    return replace(key, **changes)


def _budgets(body: KeyBudgetsBody) -> Iterable[KeyBudget]:
    for period in PERIODS:
        one = getattr(body, period)
        for unit in _UNITS:
            most = getattr(one, unit, None)
            if most is not None:
                yield KeyBudget(period, "usd" if unit == "usd" else "tokens", most)


def _expiry(text: str, now_ms: int) -> int:
    try:
        moment = from_iso(text)
        iso(moment)  # what cannot be shown again is no time
    except (ValueError, OverflowError, OSError):
        raise InvalidInput("expires_at is not a time.", details={"expires_at": "must be ISO 8601"}) from None
    if moment <= now_ms:
        raise InvalidInput("expires_at is in the past.", details={"expires_at": "must be in the future"})
    return moment
