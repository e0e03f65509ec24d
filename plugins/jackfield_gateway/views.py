"""Keys and their usage as the API tells them."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield_gateway.kept.tables import KeyUsageRow
from jackfield_gateway.limits.account import KeyAccount
from jackfield_gateway.limits.periods import date_of, day_of, end_of


def key_view(account: KeyAccount, now_ms: int) -> dict[str, Json]:
    key = account.key
    status = "revoked" if key.revoked_at is not None else "expired" if key.has_expired(now_ms) else "valid"
    return {
        "id": key.id,
        "prefix": key.prefix,
        "label": key.label,
        "owner": key.owner,
        "models": list(key.models),
        "profiles": list(key.profiles),
        "requests_per_minute": key.requests,
        "tokens_per_minute": key.tokens,
        "parallel_requests": key.parallel,
        "budgets": _budgets(account, now_ms),
        "cache_seconds": key.cache_seconds,
        "created_at": iso(key.created_at),
        "expires_at": _time(key.expires_at),
        "revoked_at": _time(key.revoked_at),
        "last_used_at": _time(account.last_used_ms),
        "in_flight": account.in_flight,
        "status": status,
    }


def usage_view(row: KeyUsageRow, accounts: Mapping[str, KeyAccount]) -> dict[str, Json]:
    account = accounts.get(row.key)
    return {
        "key": row.key,
        "label": account.key.label if account is not None else "",
        "owner": account.key.owner if account is not None else "",
        "day": date_of(row.day).isoformat() if row.day else None,
        "profile": row.profile,
        "provider": row.provider,
        "model": row.model,
        "requests": row.requests,
        "failures": row.failures,
        "cached": row.cached,
        "estimated": row.estimated,
        "unpriced": row.unpriced,
        "input_tokens": row.input,
        "output_tokens": row.output,
        "cache_read_tokens": row.cache_read,
        "cache_creation_tokens": row.cache_write,
        "estimated_tokens": row.reserved,
        "cost_usd": row.usd,
    }


def _budgets(account: KeyAccount, now_ms: int) -> list[Json]:
    found: list[Json] = []
    for budget in account.key.budgets:
        used, held = account.used(budget, now_ms)
        end = end_of(budget.period, day_of(now_ms))
        resets = None if end is None else end.isoformat(timespec="seconds")
        shown: dict[str, Json] = {"period": budget.period, "unit": budget.unit, "limit": budget.most}
        found.append({**shown, "used": used, "reserved": held, "resets_at": resets})
    return found


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else iso(milliseconds)
