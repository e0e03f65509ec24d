"""The part of a workflow that runs offline behind one of its triggers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from ..cases import TRIGGER, Document

OFFLINE = frozenset(
    {
        "aggregate", "code", "compareDatasets", "convertToFile", "dateTime", "extractFromFile", "filter", "function",
        "functionItem", "html", "htmlExtract", "if", "itemLists", "limit", "markdown", "merge", "moveBinaryData",
        "noOp", "removeDuplicates", "renameKeys", "set", "sort", "splitInBatches", "splitOut", "stopAndError",
        "summarize", "switch", "xml", "crypto", "executionData", "spreadsheetFile",
    }
)  # fmt: skip
PASSING = frozenset({"wait", "respondToWebhook"})
TRIGGERS = frozenset({"start", "webhook", "cron", "interval", "emailReadImap"})
CLOCK_OR_CHANCE = re.compile(
    r"new Date\(\)|new Date(?![\w(])|Date\.now|\$now|\$today|DateTime\.(?:now|local|utc)|Math\.random"
    r"|moment\(|getCurrentDate"
    r'|"random"|randomUUID|randomBytes|"generate"|\$execution|\$workflow|\$env|\$vars|\$parameter|\.params\b'
    r"|getWorkflowStaticData|\$nodeId|\$webhookId|[rR]esume(?:Webhook)?Url|SeenInPreviousExecutions"
)
ELSEWHERE = re.compile(r"""require\(|httpRequest|fetch\(|\$binary|getBinaryData|"language": "python""")
"""What a program takes from outside."""
LOOP = "splitInBatches"
Links = Mapping[str, Sequence[Sequence[Document]]]


def kind_of(node: Document) -> str:
    return str(node["type"]).rpartition(".")[2]


def parts(document: Document, sample: Document) -> Iterator[tuple[str, Document]]:
    """(name of the trigger, workflow) of each trigger. Nodes that cannot run give `sample` instead."""
    nodes = {node["name"]: node for node in document["nodes"] if kind_of(node) != "stickyNote"}
    links = {
        name: [[to for to in output or () if to["type"] == "main" and to["node"] in nodes] for output in kinds["main"]]
        for name, kinds in document["connections"].items()
        if name in nodes and kinds.get("main")
    }
    for name, node in nodes.items():
        if is_trigger(node) and not node.get("disabled") and any(links.get(name, ())):
            part = _behind(name, nodes, links, sample)
            if part is not None:
                yield name, {**part, "settings": _settings(document)}


def is_trigger(node: Document) -> bool:
    kind = kind_of(node)
    return kind.endswith("Trigger") or kind in TRIGGERS


def runs_here(node: Document) -> bool:
    """Whether both engines run this node offline, with the same result each time."""
    if kind_of(node) not in OFFLINE or not node["type"].startswith("n8n-nodes-base."):
        return False
    text = json.dumps(node.get("parameters") or {})
    return not CLOCK_OR_CHANCE.search(text) and not ELSEWHERE.search(text) and '"reset"' not in text


def _behind(trigger: str, nodes: Mapping[str, Document], links: Links, sample: Document) -> Document | None:
    """None where nothing is left to compare."""
    forward = _without_endless(trigger, nodes, links)
    reached = [name for name in nodes if name in forward]
    if not any(runs_here(nodes[name]) and kind_of(nodes[name]) != "noOp" for name in reached):
        return None
    made = [{**TRIGGER, "name": trigger}]
    made += [_stood_in(nodes[name], sample) for name in reached if name != trigger]
    return {
        "name": "compared",
        "nodes": made,
        "connections": {n: {"main": found} for n, found in forward.items() if found},
    }


def _without_endless(trigger: str, nodes: Mapping[str, Document], links: Links) -> dict[str, list[list[Document]]]:
    """The links of all nodes behind the trigger, without those that close a circle on which no node counts rounds."""
    forward: dict[str, list[list[Document]]] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        forward[name] = kept = []
        for output in links.get(name, ()):
            kept.append([])
            for to in output:
                back = to["node"] in (*path, name)
                circle = (*path, name)[(*path, name).index(to["node"]) :] if back else ()
                if (back and not any(kind_of(nodes[one]) == LOOP for one in circle)) or is_trigger(nodes[to["node"]]):
                    continue
                kept[-1].append(dict(to))
                if to["node"] not in forward:
                    visit(to["node"], (*path, name))

    visit(trigger, ())
    return forward


def _stood_in(node: Document, sample: Document) -> Document:
    if runs_here(node):
        return {key: value for key, value in node.items() if key not in ("credentials", "retryOnFail", "webhookId")}
    kept = {key: node[key] for key in ("id", "name", "position", "disabled") if key in node}
    if kind_of(node) in PASSING:
        return {**kept, "type": "n8n-nodes-base.noOp", "typeVersion": 1, "parameters": {}}
    given = {"mode": "raw", "jsonOutput": json.dumps(sample), "options": {}}
    return {**kept, "type": "n8n-nodes-base.set", "typeVersion": 3.4, "parameters": given}


def _settings(document: Document) -> Document:
    given = document.get("settings") or {}
    return {name: given[name] for name in ("executionOrder", "timezone") if name in given}
