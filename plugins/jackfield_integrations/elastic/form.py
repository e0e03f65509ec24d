"""Options of Elasticsearch's requests, which go into its query as they are, as the form shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from jackfield.api.nodes.forms import Control, FieldChoice, NodeField
from jackfield.api.nodes.labels import label_of

_EXPANDED = ("all", "closed", "hidden", "none", "open")
_REFRESH = ("true", "wait_for", "false")
_Kind = tuple[Control, JsonValue, Sequence[str]]
_SWITCH: _Kind = ("switch", False, ())
_ON: _Kind = ("switch", True, ())
_TEXT: _Kind = ("text", "", ())
_JSON: _Kind = ("json", "", ())


def _number(default: int = 0) -> _Kind:
    return ("number", default, ())


def _chosen(choices: Sequence[str], default: str) -> _Kind:
    return ("select", default, choices)


def _fields(named: Mapping[str, _Kind]) -> list[NodeField]:
    return [
        NodeField(
            name=name,
            control=control,
            label=label_of(name.strip("_")),
            default=default,
            choices=[FieldChoice(value=value, label=label_of(value)) for value in choices],
        )
        for name, (control, default, choices) in named.items()
    ]


BULK = _fields({"bulkOperation": _SWITCH})
GET = _fields({"_source_excludes": _TEXT, "_source_includes": _TEXT, "stored_fields": _SWITCH})
SEARCH = _fields(
    {
        "allow_no_indices": _ON,
        "allow_partial_search_results": _ON,
        "batched_reduce_size": _number(512),
        "ccs_minimize_roundtrips": _ON,
        "docvalue_fields": _TEXT,
        "expand_wildcards": _chosen(_EXPANDED, "open"),
        "explain": _SWITCH,
        "ignore_throttled": _ON,
        "ignore_unavailable": _SWITCH,
        "max_concurrent_shard_requests": _number(5),
        "pre_filter_shard_size": _number(1),
        "query": _JSON,
        "queryParameters": _JSON,
        "request_cache": _SWITCH,
        "routing": _TEXT,
        "search_type": _chosen(("dfs_query_then_fetch", "query_then_fetch"), "query_then_fetch"),
        "seq_no_primary_term": _SWITCH,
        "sort": _TEXT,
        "_source_excludes": _TEXT,
        "_source_includes": _TEXT,
        "stats": _TEXT,
        "stored_fields": _SWITCH,
        "terminate_after": _number(),
        "timeout": ("text", "1m", ()),
        "track_scores": _SWITCH,
        "track_total_hits": _number(10_000),
        "version": _SWITCH,
    }
)
CREATE = _fields({"bulkOperation": _SWITCH, "pipeline": _TEXT, "refresh": _chosen(_REFRESH, "false")})
UPDATE = _fields({"bulkOperation": _SWITCH, "refresh": _chosen(_REFRESH, "false")})
CREATE_MORE = _fields({"documentId": _TEXT, "routing": _TEXT, "timeout": ("text", "1m", ())})
INDEX_CREATE = _fields(
    {
        "aliases": _JSON,
        "include_type_name": _SWITCH,
        "mappings": _JSON,
        "master_timeout": ("text", "1m", ()),
        "settings": _JSON,
        "timeout": ("text", "30s", ()),
        "wait_for_active_shards": ("text", "1", ()),
    }
)
INDEX_GET = _fields(
    {
        "allow_no_indices": _ON,
        "expand_wildcards": _chosen(_EXPANDED, "all"),
        "flat_settings": _SWITCH,
        "ignore_unavailable": _SWITCH,
        "include_defaults": _SWITCH,
        "local": _SWITCH,
        "master_timeout": ("text", "1m", ()),
    }
)
