"""A Model Selector gives each item the model of the first rule that fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from ai_lab import AiLab, flow, node

LM = "ai_languageModel"


def rule(place: int, operation: str = "", left: str = "={{ $json.tier }}", right: str = "") -> dict[str, Any]:
    """Without an operation: for every item."""
    operator = {"type": "string", "operation": operation}
    rows = [{"id": "a", "leftValue": left, "rightValue": right, "operator": operator}] if operation else []
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    return {"modelIndex": place, "conditions": {"options": options, "combinator": "and", "conditions": rows}}


def selecting(rules: Sequence[Mapping[str, Any]], models: Sequence[str] = ("small", "large")) -> Any:
    """A chain that asks the model that the rules choose; the models are attached from the last input to the first."""
    chain = node("Ask", "chainLlm", {"promptType": "define", "text": "={{ $json.tier }}"}, typeVersion=1.7)
    selector = node("Choose", "modelSelector", {"numberInputs": len(models), "rules": {"rule": list(rules)}})
    document: Any = flow(chain, parts=[(selector, LM, "Ask")])
    for place, name in reversed(list(enumerate(models))):
        credentials = {"openAiApi": {"id": "openAiApi", "name": "c"}}
        parameters = {"model": {"__rl": True, "mode": "id", "value": name}}
        document["nodes"].append(node(f"M{name}", "lmChatOpenAi", parameters, typeVersion=1.2, credentials=credentials))
        document["connections"][f"M{name}"] = {LM: [[{"node": "Choose", "type": LM, "index": place}]]}
    return document


async def test_each_item_gets_the_model_of_the_first_rule_that_fits(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says += [lambda seen: {"text": f"from {seen.json['model']}"}] * 3
    rules = [rule(2, "equals", right="gold"), rule(1, "regex", right="^[a-z]+$"), rule(2)]
    made = await lab.items(selecting(rules), {"tier": "free"}, {"tier": "gold"}, {"tier": "silver"})
    assert [one["text"] for one in made] == ["from small", "from large", "from small"]


async def test_a_rule_behind_the_one_that_fits_may_name_a_model_that_is_not_attached(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says += [{"text": "yes"}]
    assert (await lab.items(selecting([rule(1), rule(3)]), {"tier": "free"}))[0]["text"] == "yes"
    assert [asked["model"] for asked in lab.asked] == ["small"]


async def test_the_number_of_models_and_that_of_a_rule_may_be_expressions(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says += [{"text": "yes"}]
    document = selecting([{**rule(1), "modelIndex": "={{ $json.tier === 'gold' ? 2 : 1 }}"}])
    parameters = next(one for one in document["nodes"] if one["name"] == "Choose")["parameters"]
    parameters["numberInputs"] = "={{ 1 + 1 }}"
    assert (await lab.items(document, {"tier": "gold"}))[0]["text"] == "yes"
    assert [asked["model"] for asked in lab.asked] == ["large"]


async def test_a_selector_chooses_among_selectors(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    document = selecting([rule(1, "notEmpty")])
    document["nodes"].append(node("Outer", "modelSelector", {"rules": {"rule": [rule(1)]}}))
    document["connections"]["Outer"] = {LM: [[{"node": "Ask", "type": LM, "index": 0}]]}
    document["connections"]["Choose"] = {LM: [[{"node": "Outer", "type": LM, "index": 0}]]}
    lab.says += [{"text": "yes"}]
    assert (await lab.items(document, {"tier": "x"}))[0]["text"] == "yes"
    assert [asked["model"] for asked in lab.asked] == ["small"]


async def test_tokens_count_for_the_model_that_answered(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says += [{"text": "dear"}]
    await lab.items(selecting([rule(2)]), {"tier": "gold"})
    (record,) = [one for one in await lab.records() if one["node"] == "Ask"]
    assert record["context"]["tokenUsage"] == {"input": 7, "output": 3}


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ([], "The node 'Choose' has no rules; add one under Rules."),
        ([rule(3)], "The parameter rules.rule[0].modelIndex of 'Choose' names model 3, but 2 are attached"),
        ([rule(0)], "modelIndex"),
        ([rule(1, "equals", right="gold")], "No rule of 'Choose' fits item 0"),
        ([rule(1, "equals", left="={{ 5 }}", right="gold")], "Condition 0 of item 0: the left value is a number"),
    ],
)
async def test_failures_name_the_selector_and_the_remedy(lab: AiLab, rules: list[dict[str, Any]], told: str) -> None:
    await lab.credential("openAiApi")
    assert told in await lab.failure(selecting(rules), {"tier": "free"})
    assert lab.asked == []
