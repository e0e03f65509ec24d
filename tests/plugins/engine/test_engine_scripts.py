"""What nodes get from scripts and credentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import orjson
import pytest
from engine_lab import Free, Lab, doc, ended, request

from jackfield.api.engine import Outcome
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.running import made_per_item
from jackfield.api.scripts import ExpressionError, ScriptData, ScriptError, ScriptResult
from jackfield.api.storage import Credential, Variable
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.engine import build
from jackfield_engine.loop.plans import FallbackPolicy
from jackfield_engine.settings import ExecutionsSettings


class FakeScripts:
    """Answers each source with its text and the item's index; notes what it was given."""

    language = "javaScript"

    def __init__(self) -> None:
        self.calls: list[tuple[Sequence[str], ScriptData, Sequence[int]]] = []
        self.runs: list[tuple[str, ScriptData, bool, float]] = []
        self.error: Exception | None = None
        self.meanwhile: Callable[[], object] = lambda: None
        self.result = ScriptResult([{"json": {"made": True}}])

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        self.calls.append((sources, data, items))
        self.meanwhile()
        if self.error is not None:
            raise self.error
        return [
            [
                ExpressionError("bad reference") if "bad" in source and item % 2 else f"{source.strip()}@{item}"
                for source in sources
            ]
            for item in items
        ]

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        self.runs.append((source, data, each, timeout))
        if self.error is not None:
            raise self.error
        return self.result

    async def close(self) -> None: ...


@pytest.fixture
def scripts(lab: Lab) -> FakeScripts:
    fake = FakeScripts()
    lab.scripts["javaScript"] = fake
    return fake


async def run(lab: Lab, parameters: dict[str, Any], *, kind: str = "resolve", items: int = 2) -> Outcome:
    workflow = lab.parse(doc(("Start", "webhook"), ("Mid", "pass"), ("A", kind, {"parameters": parameters})))
    given = [{"json": {"n": index}} for index in range(items)]
    return await ended(lab.engine().submit(request(workflow, items=given)))


async def test_all_sources_of_all_items_go_to_javascript_at_once(lab: Lab, scripts: FakeScripts) -> None:
    outcome = await run(lab, {"a": "={{ one() }}", "b": ["={{ two() }}", "={{ $json.n }}"], "c": "={{ one() }}"})
    assert len(scripts.calls) == 1
    sources, data, items = scripts.calls[0]
    assert [source.strip() for source in sources] == ["one()", "two()"]
    assert list(items) == [0, 1]
    assert [item["json"] for item in data.input] == [{}, {}]  # these sources read nothing of them
    assert [item["json"] for item in outcome.items] == [
        {"a": f"one()@{index}", "b": [f"two()@{index}", index], "c": f"one()@{index}"} for index in (0, 1)
    ]


async def test_an_item_whose_parameters_fail_leaves_the_others_theirs(lab: Lab, scripts: FakeScripts) -> None:
    async def each(run: NodeRun) -> Outputs:
        async def work(index: int, given: Free) -> Items:
            return [{"json": given.model_dump(), "pairedItem": {"item": index}}]

        return [await made_per_item(run, await run.resolve(), work)]

    lab.kind("each", each)
    parameters = {"parameters": {"a": "={{ bad() }}"}, "onError": "continueErrorOutput"}
    document = doc(("Start", "webhook"), ("A", "each", parameters), ("After", "pass"))
    given = [{"json": {"n": index}} for index in range(3)]
    execution = lab.engine().submit(request(lab.parse(document), items=given))
    await ended(execution)
    [_, record, _] = await lab.records(execution.id)
    fine, failed = record["outputs"]
    assert [item["json"] for item in fine] == [{"a": "bad()@0"}, {"a": "bad()@2"}]
    assert [item["json"]["n"] for item in failed] == [1]
    assert "bad reference" in failed[0]["json"]["error"]


async def test_without_javascript_sources_nothing_is_asked(lab: Lab, scripts: FakeScripts) -> None:
    await run(lab, {"a": "={{ $json.n }}"})
    assert scripts.calls == []


async def test_only_the_nodes_that_a_source_names_cross_over(lab: Lab, scripts: FakeScripts) -> None:
    await run(lab, {"a": "={{ f($('Start').all().length) }}"})
    data = scripts.calls[0][1]
    assert list(data.nodes) == ["Start"]
    assert data.nodes["Start"] == {
        "runs": [{"outputs": [[{"json": {"n": 0}}, {"json": {"n": 1}}]], "params": {}}],
        "output": 0,
    }
    assert data.paired == {}
    assert data.known == ["Start", "Mid", "A"]
    assert data.node["name"] == "A"
    assert data.node["previous"] == {"name": "Mid", "outputIndex": 0, "runIndex": 0}
    await run(lab, {"a": "={{ $(x).all() }}"})
    assert list(scripts.calls[1][1].nodes) == ["Start", "Mid"]


async def test_only_what_a_source_reads_crosses_over(lab: Lab, scripts: FakeScripts) -> None:
    await run(lab, {"a": "={{ f($json.n) }}", "b": "={{ f($('Start').item.json.n, $('Mid').item.json.gone) }}"})
    data = scripts.calls[0][1]
    assert data.input == [{"json": {"n": 0}}, {"json": {"n": 1}}]
    assert data.paired == {"Start": [[0, 0], [0, 1]], "Mid": [[0, 0], [0, 1]]}
    outputs = [data.nodes[name]["runs"][0]["outputs"] for name in ("Start", "Mid")]  # type: ignore[call-overload, index]
    assert outputs == [[[{"json": {"n": 0}}, {"json": {"n": 1}}]], [[{"json": {}}, {"json": {}}]]]


async def test_simple_expressions_never_leave_the_daemon(lab: Lab, scripts: FakeScripts) -> None:
    outcome = await run(lab, {"a": "={{ $json.none?.x ?? `item ${$json.n + 1}` }}"})
    assert [item["json"]["a"] for item in outcome.items] == ["item 1", "item 2"]
    assert scripts.calls == []


async def test_what_python_would_not_get_right_goes_to_javascript(lab: Lab, scripts: FakeScripts) -> None:
    outcome = await run(lab, {"a": "={{ ('ß' + $json.n).toUpperCase() }}", "b": "={{ 1 + $json.n }}"})
    assert [len(sources) for sources, _, _ in scripts.calls] == [2]
    assert outcome.failure is None


def milliseconds(text: object) -> int:
    """Since 1970, of a moment in ISO 8601."""
    return round(datetime.fromisoformat(str(text)).timestamp() * 1000)


async def test_now_is_the_clock_of_the_daemon_in_the_zone_of_the_workflow(lab: Lab, scripts: FakeScripts) -> None:
    outcome = await run(
        lab, {"a": "={{ $now.toISO() }}", "b": "={{ $now.toFormat('ZZ') }} {{ $('Mid').all().length }}"}
    )
    assert scripts.calls == []
    assert [milliseconds(item["json"].pop("a")) for item in outcome.items] == [lab.clock.now_ms()] * 2
    assert [item["json"] for item in outcome.items] == [{"b": "+00:00 2"}] * 2


async def test_facts_of_the_execution(lab: Lab, scripts: FakeScripts) -> None:
    await run(lab, {"a": "={{ f($now) }}"})
    data = scripts.calls[0][1]
    assert data.now_ms == lab.clock.now_ms()
    assert data.timezone == "UTC"
    assert data.workflow == {"id": None, "name": "W", "active": False}
    assert data.execution["mode"] == "production"
    resume = f"http://127.0.0.1:8765/webhook-waiting/{data.execution['id']}."
    assert str(data.execution["resumeUrl"]).startswith(resume)
    assert str(data.execution["resumeFormUrl"]).startswith(resume.replace("webhook-waiting", "form-waiting"))


async def test_variables_cross_over_when_they_are_named(lab: Lab, scripts: FakeScripts) -> None:
    await lab.store.put_variable(Variable("id", "key", "value", 0, 0))
    await run(lab, {"a": "={{ f($vars.key) }}"})
    assert scripts.calls[0][1].variables == {"key": "value"}


async def test_an_expression_error_names_parameter_and_item(lab: Lab, scripts: FakeScripts) -> None:
    outcome = await run(lab, {"x": {"y": ["={{ good() }}", "={{ bad() }}"]}})
    assert outcome.failure is not None
    assert outcome.failure.message == "The parameter x.y[1] of item 1 is not valid: bad reference"
    assert outcome.failure.item == 1


async def test_an_evaluation_beyond_its_limits_fails_the_node(lab: Lab, scripts: FakeScripts) -> None:
    scripts.error = ScriptError("It took too long.", kind="timeout")
    outcome = await run(lab, {"a": "={{ f() }}"})
    assert outcome.failure is not None
    assert "It took too long." in outcome.failure.message


async def test_expressions_without_a_javascript_engine(lab: Lab) -> None:
    outcome = await run(lab, {"a": "={{ f() }}"})
    assert outcome.failure is not None
    assert "no plugin provides it" in outcome.failure.message


async def test_parameters_of_a_node_without_items(lab: Lab, scripts: FakeScripts) -> None:
    seen: list[Any] = []

    async def look(run: NodeRun) -> Outputs:
        seen.append((await run.resolve(), (await run.resolve_first()).model_dump()))
        return [run.items]

    lab.kind("look", look)

    async def nothing(run: NodeRun) -> Outputs:
        return [[]]

    lab.kind("nothing", nothing)
    parameters = {"a": "={{ f() }}", "b": "={{ $json.n }}"}
    empty: dict[str, Any] = {"alwaysOutputData": True}
    document = doc(("Start", "webhook"), ("Mid", "nothing", empty), ("A", "look", {"parameters": parameters}))
    await ended(lab.engine().submit(request(lab.parse(document))))
    assert len(seen[0][0]) == 1
    assert seen[0][1] == {"a": "f()@0", "b": None}


# ---------------------------------------------------------------------------------------------------------- Code nodes


async def code(run: NodeRun) -> Outputs:
    result = await run.run_script("javaScript", "return $('Start').all()", each=False)
    return [result.value]  # type: ignore[list-item]


async def test_a_script_gets_its_data_and_keeps_the_nodes_memory(lab: Lab, scripts: FakeScripts) -> None:
    lab.settings = ExecutionsSettings(script_timeout=7)
    scripts.result = ScriptResult([{"json": {"made": True}}], context={"seen": 1})
    lab.kind("code", code)
    outcome = await run(lab, {}, kind="code")
    assert [item["json"] for item in outcome.items] == [{"made": True}]
    [(source, data, each, timeout)] = scripts.runs
    assert (source, each, timeout) == ("return $('Start').all()", False, 7)
    assert list(data.nodes) == ["Start"]


async def test_a_script_gets_and_leaves_the_memory_that_it_asks_for(lab: Lab, scripts: FakeScripts) -> None:
    async def remembering(run: NodeRun) -> Outputs:
        await run.run_script("javaScript", "return $getWorkflowStaticData('global')", each=False)
        return [run.items]

    lab.kind("remembering", remembering)
    scripts.result = ScriptResult([], static={"global": {"n": 1}, "node": {"own": True}}, custom={"who": "me"})
    await ended(
        lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "remembering"), ("B", "remembering")))))
    )
    first, second = (data for _, data, _, _ in scripts.runs)
    assert (first.static, first.execution["customData"]) == ({"global": {}, "node": {}}, {"who": "me"})
    assert second.static == {"global": {"n": 1}, "node": {}}


async def test_a_script_that_asks_for_no_memory_has_no_effect(lab: Lab, scripts: FakeScripts) -> None:
    lab.kind("code", code)
    await run(lab, {}, kind="code")
    assert scripts.runs[0][1].static == {}


async def test_a_script_error_tells_the_line(lab: Lab, scripts: FakeScripts) -> None:
    lab.kind("code", code)
    scripts.error = ScriptError("x is not defined", line=3)
    outcome = await run(lab, {}, kind="code")
    assert outcome.failure is not None
    assert outcome.failure.message == "x is not defined [line 3]"


async def test_an_unknown_language(lab: Lab) -> None:
    lab.kind("code", code)
    outcome = await run(lab, {}, kind="code")
    assert outcome.failure is not None
    assert "'javaScript' is not available" in outcome.failure.message


# --------------------------------------------------------------------------------------------------------- credentials


def credential_user(seen: list[Any]) -> Any:
    async def use(run: NodeRun) -> Outputs:
        seen.append(await run.credential("httpHeaderAuth"))
        return [run.items]

    return use


async def use_credential(lab: Lab, reference: Any) -> tuple[list[Any], Outcome, list[str]]:
    seen: list[Any] = []
    lab.kind("use", credential_user(seen))
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "use", {"credentials": reference})))
    context = lab.context()
    outcome = await ended(build(context).submit(request(workflow)))
    return seen, outcome, context.secrets.redacted


async def keep_credential(lab: Lab, kind: str, values: dict[str, str]) -> None:
    sealed = lab.context().secrets.seal(orjson.dumps(values))
    await lab.store.put_credential(Credential("c1", "Key", kind, sealed, 0, 0))


async def test_a_credential_is_opened_and_its_values_are_hidden(lab: Lab) -> None:
    await keep_credential(
        lab, "httpHeaderAuth", {"name": "X-Key", "value": "secret-value", "allowedHosts": "a.example"}
    )
    seen, outcome, hidden = await use_credential(lab, {"httpHeaderAuth": {"id": "c1", "name": "Key"}})
    assert outcome.status == "success"
    assert seen == [{"name": "X-Key", "value": "secret-value", "allowedHosts": "a.example"}]
    assert "secret-value" in hidden
    assert "a.example" not in hidden


async def test_a_credential_without_hosts_says_so(lab: Lab) -> None:
    await keep_credential(lab, "httpHeaderAuth", {"name": "X-Key", "value": "secret-value"})
    seen, _, _ = await use_credential(lab, {"httpHeaderAuth": {"id": "c1"}})
    assert seen[0]["allowedHosts"] == ""


@pytest.mark.parametrize(
    ("kept", "reference", "message"),
    [
        (None, {}, "names no stored credential"),
        (None, {"httpHeaderAuth": "by name"}, "names no stored credential"),
        (None, {"httpHeaderAuth": {"id": "c1"}}, "does not exist any more"),
        ("httpBasicAuth", {"httpHeaderAuth": {"id": "c1"}}, "does not exist any more"),
    ],
)
async def test_a_credential_that_cannot_be_used(lab: Lab, kept: str | None, reference: Any, message: str) -> None:
    if kept is not None:
        await keep_credential(lab, kept, {"user": "u", "password": "p"})
    _, outcome, _ = await use_credential(lab, reference)
    assert outcome.failure is not None
    assert message in outcome.failure.message


async def test_a_credential_of_another_key(lab: Lab) -> None:
    await lab.store.put_credential(Credential("c1", "Key", "httpHeaderAuth", b"foreign", 0, 0))
    _, outcome, _ = await use_credential(lab, {"httpHeaderAuth": {"id": "c1"}})
    assert outcome.failure is not None
    assert "another encryption key" in outcome.failure.message


async def test_a_failed_node_passes_its_input_on_and_keeps_its_error(lab: Lab) -> None:
    async def half(run: NodeRun) -> Outputs:
        raise NodeError("half of it failed", item=1)

    lab.kind("half", half)
    document = doc(
        ("Start", "webhook"),
        ("Half", "half", {"onError": "continueRegularOutput"}),
        ("A", "resolve", {"parameters": {"e": "={{ $json.error }}", "n": "={{ $json.n }}"}}),
    )
    execution = lab.engine().submit(request(lab.parse(document)))
    outcome = await ended(execution)
    assert outcome.items[0]["json"] == {"e": None, "n": 1}
    [_, record, _] = await lab.records(execution.id)
    assert (record["status"], record["error"]) == ("failed", {"message": "half of it failed", "itemIndex": 1})


async def test_now_is_the_same_on_both_sides(lab: Lab, scripts: FakeScripts) -> None:
    scripts.meanwhile = lambda: lab.clock.set_wall(5)
    outcome = await run(lab, {"a": "={{ $now.toISO() }}", "b": "={{ f($now) }}"}, items=1)
    assert milliseconds(outcome.items[0]["json"]["a"]) == scripts.calls[0][1].now_ms == lab.clock.now_ms() - 5000


async def test_after_python_gave_up_the_next_run_goes_to_javascript_at_once(lab: Lab, scripts: FakeScripts) -> None:
    workflow = lab.parse(
        doc(("Start", "webhook"), ("A", "resolve", {"parameters": {"a": "={{ $json.s.toUpperCase() }}"}}))
    )
    engine = lab.engine()
    asked = []
    for text in ("ß", "s", "s", "s", "ß", "s", "s", "s", "ß", "s", "s", "s"):
        outcome = await ended(engine.submit(request(workflow, items=[{"json": {"s": text}}])))
        assert outcome.failure is None
        asked.append(len(scripts.calls))
        scripts.calls.clear()
    assert asked == [1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0]


def test_fallbacks_grow() -> None:
    fallback = FallbackPolicy()
    lengths = []
    for _ in range(9):
        fallback.given_up()
        lengths.append(fallback.left)
    assert lengths == [1, 2, 4, 8, 16, 32, 64, 64, 64]
    fallback.length = 0
    fallback.given_up()
    assert fallback.left == 1


async def evaluating(run: NodeRun) -> Outputs:
    """What a part of the node is told by a model."""
    found = await run.evaluate({"a": "={{ $fromAI('q') || 1 }}"}, item=0, extra={"$fromAIArguments": {"q": 5}})
    return [[{"json": found}]]


async def test_further_variables_are_javascripts(lab: Lab, scripts: FakeScripts) -> None:
    lab.kind("tell", evaluating)
    outcome = await run(lab, {}, kind="tell", items=1)
    assert scripts.calls[0][1].extra == {"$fromAIArguments": {"q": 5}}
    assert outcome.items[0]["json"] == {"a": "$fromAI('q') || 1@0"}
