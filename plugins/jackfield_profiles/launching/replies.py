"""The result of a run as another host tells it: the inverse of `views.run`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from jackfield.api.hosts import HostUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.profiles import HeadlessResult
from jackfield.api.proxy import ProxyFailure
from jackfield.api.usage import Cost, RunUsage, Tokens


def result_of(told: Mapping[str, Json]) -> HeadlessResult:
    """Raises `HostUnavailable` for what another version has told."""
    try:
        return HeadlessResult(
            exit_code=_whole(told["exit_code"]),
            output=str(told["output"]),
            errors=str(told["errors"]),
            timed_out=told["timed_out"] is True,
            duration_ms=_whole(told["duration_ms"]),
            result=_text(told.get("result")),
            session=_text(told.get("session")),
            data=told.get("data"),
            usage=_usage(told.get("usage")),
            proxy_error=_proxy_error(told.get("proxy_error")),
            output_cut=_whole(told.get("output_cut", 0)),
            errors_cut=_whole(told.get("errors_cut", 0)),
        )
    except (KeyError, TypeError, ValueError):
        raise HostUnavailable("The host tells of the run in another form than this version; update both.") from None


def _whole(given: Json) -> int:
    if not isinstance(given, int):
        raise TypeError
    return given


def _text(given: Json) -> str | None:
    return given if isinstance(given, str) else None


def _texts(given: Json) -> list[str]:
    return [str(one) for one in given] if isinstance(given, list) else []


def _number(part: Mapping[str, Json], name: str) -> float:
    found = part[name]
    if not isinstance(found, int | float):
        raise TypeError
    return found


def _usage(told: Json) -> RunUsage | None:
    if told is None:
        return None
    if not isinstance(told, dict):
        raise TypeError
    tokens, cost = told["tokens"], told["cost"]
    if not (isinstance(tokens, dict) and isinstance(cost, dict)):
        raise TypeError
    parts = ("input_cost", "output_cost", "cache_creation_cost", "cache_read_cost")
    known = {name.removesuffix("_cost"): _number(cost, name) for name in parts}
    return RunUsage(
        Tokens(
            _whole(tokens["input_tokens"]),
            _whole(tokens["output_tokens"]),
            _whole(tokens["cache_creation_input_tokens"]),
            _whole(tokens["cache_read_input_tokens"]),
        ),
        Cost(**known, other=max(_number(cost, "total_cost") - sum(known.values()), 0.0)),
        _texts(told["models"]),
        _texts(told["unpriced"]),
        _text(told["prices_as_of"]),
    )


def _proxy_error(told: Json) -> ProxyFailure | None:
    if not isinstance(told, dict):
        return None
    return ProxyFailure(
        time_ms=round(datetime.fromisoformat(str(told["time"])).timestamp() * 1000),
        status=_whole(told["status"]),
        message=str(told["message"]),
        provider=_text(told["provider"]) or "",
        model=_text(told["model"]) or "",
        attempts=_whole(told["attempts"]),
    )
