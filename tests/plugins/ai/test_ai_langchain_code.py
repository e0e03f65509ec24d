"""LangChain Code: programs in the sandbox that ask the parts attached to their node."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node

from jackfield.api.ai import TOOL, ToolSpec
from jackfield.api.workflows import Document
from jackfield_ai.langchain_code.node import answers_of
from jackfield_ai.langchain_code.parts import AttachedParts

DEFAULT = """const { PromptTemplate } = require('@langchain/core/prompts');

const query = 'Tell me a joke';
const prompt = PromptTemplate.fromTemplate(query);

// If you are allowing more than one language model input connection (-1 or
// anything greater than 1), getInputConnectionData returns an array, so you
// will have to change the code below it to deal with that. For example, use
// llm[0] in the chain definition

const llm = await this.getInputConnectionData('ai_languageModel', 0);
let chain = prompt.pipe(llm);
const output = await chain.invoke();
return [ {json: { output } } ];"""
"""The program that n8n puts into a new node."""


def coded(source: str, *parts: tuple[dict[str, Any], str], single: bool = True, outputs: int = 1) -> Document:
    inputs = [{"type": kind, "required": True, "maxConnections": 1 if single else -1} for _, kind in parts]
    parameters = {
        "code": {"execute": {"code": source}},
        "inputs": {"input": [{"type": "main"}, *inputs]},
        "outputs": {"output": [{"type": "main"}] * outputs},
    }
    main = node("Code", "code", parameters, typeVersion=1)
    return flow(main, parts=[(part, kind, "Code") for part, kind in parts])


LLM = (model(), "ai_languageModel")


async def test_the_program_of_a_new_node(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "Ha!"}]
    found = await lab.items(coded(DEFAULT, LLM), {"x": 1})
    assert found[0]["output"]["content"] == "Ha!"
    assert found[0]["output"]["usage_metadata"] == {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    assert lab.asked[0]["messages"] == [{"role": "user", "content": "Tell me a joke"}]


async def test_each_question_is_asked_once(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": str(n)} for n in range(5)]
    source = """const llm = await this.getInputConnectionData('ai_languageModel', 0);
    const stamp = Date.now() + ':' + Math.random();
    const made = [];
    for (const word of ['a', 'b', 'b']) made.push((await llm.invoke(word + stamp)).text);
    const both = await Promise.all(['c', 'd'].map((word) => llm.invoke([['system', 'S'], ['human', word]])));
    return [{json: {made, both: both.map(String), stamp, year: new Date().getFullYear() > 2020}}];"""
    found = await lab.items(coded(source, LLM), {"x": 1})
    assert found[0]["made"] == ["0", "1", "2"]
    assert sorted(found[0]["both"]) == ["3", "4"]
    assert found[0]["year"] is True
    assert len(lab.asked) == 5
    assert {body["messages"][-1]["content"] for body in lab.asked[:3]} == {
        f"{word}{found[0]['stamp']}" for word in "ab"
    }


async def test_chains_of_prompts_and_parsers(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": '```json\n{"a": 1}\n```'}]
    source = """const { ChatPromptTemplate } = require('@langchain/core/prompts');
    const { JsonOutputParser } = require('@langchain/core/output_parsers');
    const { RunnableSequence } = require('@langchain/core/runnables');
    const { HumanMessage } = require('langchain/schema');
    const llm = await this.getInputConnectionData('ai_languageModel', 0);
    const prompt = ChatPromptTemplate.fromMessages([['system', 'You {{are}} {kind}.'], new HumanMessage('Hi'),
      ['placeholder', '{more}'], ['human', '{q}']]);
    const chain = RunnableSequence.from([{ kind: (x) => x.k, q: (x) => x.q }, prompt, llm, new JsonOutputParser()]);
    return await chain.invoke({ k: 'kind', q: $input.first().json.q });"""
    assert await lab.items(coded(source, LLM), {"q": "?"}) == [{"a": 1}]
    assert [(row["role"], row["content"]) for row in lab.asked[0]["messages"]] == [
        ("system", "You {are} kind."),
        ("user", "Hi\n?"),  # neighbours of one role are one message
    ]


async def test_tools_memories_and_splitters(lab: AiLab) -> None:
    source = """const [tool] = await this.getInputConnectionData('ai_tool', 0);
    const [memory] = await this.getInputConnectionData('ai_memory', 0);
    const [splitter] = await this.getInputConnectionData('ai_textSplitter', 0);
    const sum = await tool.invoke({ input: '2 + 3' });
    await memory.saveContext({ input: 'q' }, { output: 'a' });
    const { chat_history } = await memory.loadMemoryVariables({});
    let failed = '';
    try { await tool.call('import os') } catch (error) { failed = error.message }
    return { name: tool.name, sum, failed, said: chat_history.map((one) => [one._getType(), one.content]),
      parts: await splitter.splitText('aa|bb') };"""
    calculator = node("Calc", "toolCalculator", typeVersion=1)
    memory = node("Memory", "memoryBufferWindow", {"sessionIdType": "customKey", "sessionKey": "k"}, typeVersion=1.3)
    splitter = node("Split", "textSplitterCharacterTextSplitter", {"separator": "|", "chunkSize": 2}, typeVersion=1)
    parts = [(calculator, "ai_tool"), (memory, "ai_memory"), (splitter, "ai_textSplitter")]
    workflow = await lab.save(coded(source, *parts, single=False))
    outcome = await lab.ended(workflow, {"x": 1})
    assert outcome.status == "success", outcome.failure
    found = outcome.items[0]["json"]
    assert found["name"] == "calculator"
    assert found["sum"] == "5"
    assert "not arithmetic" in str(found["failed"])
    assert found["said"] == [["human", "q"], ["ai", "a"]]
    assert found["parts"] == ["aa", "bb"]


async def test_several_outputs_and_items_of_the_flow(lab: AiLab) -> None:
    source = "return [items.map((item) => ({ json: { n: item.json.n + 1 } })), [{ json: { rest: true } }]];"
    outcome = await lab.run(coded(source, outputs=2), {"n": 1}, {"n": 2})
    assert outcome.status == "success", outcome.failure
    record = (await lab.records())[-1]
    assert [[item["json"] for item in items] for items in record["outputs"]] == [
        [{"n": 2}, {"n": 3}],
        [{"rest": True}],
    ]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "no program"),
        ("require('axios')", "axios is not available"),
        ("\nthrow new Error('mine')", "mine"),
        ("return 3", "must return items"),
        ("await this.getInputConnectionData('ai_languageModel', 0); return []", "ai_languageModel"),
        (
            "let n = 0; const [c] = await this.getInputConnectionData('ai_tool'); while (true) await c.call({i: n++})",
            "ai.max_iterations",
        ),
    ],
)
async def test_what_a_program_cannot_do(lab: AiLab, source: str, said: str) -> None:
    tool = (node("Think", "toolThink", typeVersion=1.1), "ai_tool")
    document: Any = coded(source, tool, single=False)
    rows = document["nodes"][1]["parameters"]["inputs"]["input"]
    rows.append({"type": "ai_languageModel", "required": True, "maxConnections": 1})
    assert said in await lab.failure(document, {"x": 1})


async def test_many_questions_are_answered_some_at_a_time() -> None:
    at_once: list[int] = []

    class CountingTool:
        spec = ToolSpec("t", "", {})
        under_way = 0

        async def call(self, arguments: Any) -> Any:
            self.under_way += 1
            at_once.append(self.under_way)
            await asyncio.sleep(0)
            self.under_way -= 1
            return arguments["n"]

    asks: list[Any] = [{"part": f"{TOOL}.0", "method": "call", "input": {"n": number}} for number in range(200)]
    found = await answers_of(AttachedParts({TOOL: [CountingTool()]}), asks)
    assert found == [{"value": number} for number in range(200)]
    assert max(at_once) == 10
