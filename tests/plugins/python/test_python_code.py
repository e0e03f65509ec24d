"""Code nodes in Python: the names, what may be returned, where errors are, what is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from jackfield.api.scripts import ScriptData, ScriptError
from jackfield.testing.context import FakeContext
from jackfield_python import PythonPlugin
from jackfield_python import engine as engines
from jackfield_python.engine import PythonEngine
from jackfield_python.settings import PythonSettings
from jackfield_workers.pool import SharedWorkerPool

OTHER = {
    "runs": [
        {"outputs": [[{"json": {"old": True}}]], "params": {}},
        {"outputs": [[], [{"json": {"x": 1}, "binary": {"f": {}}}, {"json": {"x": 2}}]], "params": {"p": 5}},
    ],
    "output": 1,
}
SEEN: dict[str, Any] = {
    "nodes": {"Other": OTHER},
    "known": ["Other", "Idle"],
    "paired": {"Other": [[1, 1], [0, 0, 0]]},
    "workflow": {"id": "w1", "name": "Flow", "active": True},
    "execution": {"id": "e1", "mode": "test", "customData": {"was": "here"}},
    "variables": {"color": "red"},
    "environment": {"REGION": "eu"},
    "node": {
        "name": "Me", "id": "n1", "version": 2, "parameters": {"q": 1}, "context": {"c": 1}, "runIndex": 3,
        "previous": {"name": "Other", "outputIndex": 1, "runIndex": 0},
    },
}  # fmt: skip
NAMES: list[tuple[str, Any]] = [
    ("[i.json.name for i in items]", ["Ada", "Bob"]),
    ("[i['json']['name'] for i in _items]", ["Ada", "Bob"]),
    ("[i.json['name'] for i in _input.all()]", ["Ada", "Bob"]),
    ("[_input.first().json.name, _input.last().json.name, _input.item.json.name]", ["Ada", "Bob", "Ada"]),
    ("[_json.name, _json['name'], _json.get('no', 1), item.json.name, _item['json'].name]", ["Ada", "Ada", 1, "Ada", "Ada"]),  # noqa: E501
    ("[_json.tags[1].deep, _json.tags.to_py()[0], _json.to_py()['name']]", [1, "a", "Ada"]),
    ("[_('Other').first().json.x, _('Other').last().json.x, len(_('Other').all())]", [1, 2, 2]),
    ("[_('Other').all(0, 0)[0].json.old, _('Other').all(0)]", [True, []]),
    ("[_('Other').item.json.x, _('Other').itemMatching(1).json]", [2, {"old": True}]),
    ("[_('Other').isExecuted, _('Idle').isExecuted, _('Other').params.p]", [True, False, 5]),
    ("[_node['Other'].json.x, _node.Other.json['x'], _node['Other'].binary.f]", [1, 1, {}]),
    ("[len(_items('Other')), len(_items())]", [2, 2]),
    ("[_workflow.name, _execution.id, _execution.mode, _vars.color, _env['REGION']]", ["Flow", "e1", "test", "red", "eu"]),  # noqa: E501
    ("[_runIndex, _itemIndex, _parameter.q, _prevNode.name, _nodeVersion, _input.params.p]", [3, 0, 1, "Other", 2, 5]),
    ("[str(_now), str(_today), _now.year]", ["2023-11-14 23:13:20+01:00", "2023-11-14 00:00:00+01:00", 2023]),
    ("_execution.customData.getAll()", {"was": "here"}),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), NAMES)
async def test_the_names_of_n8n(run: Any, expression: str, expected: Any) -> None:
    assert (await run(f"return {expression}", **SEEN)).value == expected


VALUES: list[tuple[str, Any]] = [
    ("return [{'json': {'a': 1}}]", [{"json": {"a": 1}}]),
    ("return {'a': (1, 2), 'b': {3}, 'c': None, 'd': True}", {"a": [1, 2], "b": [3], "c": None, "d": True}),
    ("return {'nan': float('nan'), 1: 'key', None: 2}", {"nan": None, "1": "key", "null": 2}),
    ("import datetime\nreturn datetime.datetime(2024, 1, 2, 3, 4)", "2024-01-02T03:04:00"),
    ("from decimal import Decimal\nreturn [Decimal('1.5'), Decimal('2')]", [1.5, 2]),
    ("from collections import Counter, deque\nreturn [Counter('aab').most_common(1), deque([1])]", [[["a", 2]], [1]]),
    ("return b'hi'", "aGk="),
    ("return (n * 2 for n in range(3))", [0, 2, 4]),
    ("return '''two\nlines'''", "two\nlines"),
    ("return '\\ud800'", "?"),
    ("return 2 ** 70", float(2**70)),
    ("items = [{'json': {'n': len(items)}}]\nreturn items", [{"json": {"n": 2}}]),
    ("item.json.new = 1\nitem.json['other'] = 2\nreturn item.json.new + item['json'].other", 3),
    ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nreturn f(5)", 120),
    ("async def f():\n    return 2\nreturn await f()", 2),
    ("class A:\n    def __init__(self):\n        self.x = 1\nreturn A().x", 1),
    ("x = 1", None),
    ("", None),
]


@pytest.mark.parametrize(("source", "expected"), VALUES)
async def test_what_a_program_returns(run: Any, source: str, expected: Any) -> None:
    assert (await run(source)).value == expected


MODULES = [
    ("import hashlib\nreturn hashlib.sha256(b'x').hexdigest()[:8]", "2d711642"),
    ("from datetime import datetime\nreturn datetime.strptime('2024-05-06', '%Y-%m-%d').month", 5),
    ("from zoneinfo import ZoneInfo\nfrom datetime import datetime\nreturn str(datetime(2024, 7, 1, tzinfo=ZoneInfo('America/New_York')).utcoffset())", "-1 day, 20:00:00"),  # noqa: E501
    ("import datetime\nreturn datetime.datetime.fromtimestamp(1700000000).hour", 23),
    ("from urllib.parse import quote\nreturn quote('a b')", "a%20b"),
    ("import re, json, math, statistics\nreturn [re.sub('a', 'b', 'aa'), json.loads('[1]'), math.floor(1.5), statistics.mean([1, 3])]", ["bb", [1], 1, 2]),  # noqa: E501
    ("import base64, csv, io\nreturn [base64.b64encode(b'a').decode(), list(csv.reader(io.StringIO('a,b')))]", ["YQ==", [["a", "b"]]]),  # noqa: E501
    ("import xml.etree.ElementTree as ET\nreturn ET.fromstring('<a><b>1</b></a>').find('b').text", "1"),
    ("return ['ä'.encode('utf-16-le').hex(), 'é'.encode('cp1252').hex(), 'ü.de'.encode('idna').decode()]", ["e400", "e9", "xn--tda.de"]),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), MODULES)
async def test_modules_of_the_standard_library(run: Any, source: str, expected: Any) -> None:
    assert (await run(source)).value == expected


async def test_a_key_is_its_value_whatever_stands_beside_it(run: Any) -> None:
    colour = "from enum import Enum\n\nclass Colour(str, Enum):\n    RED = 'red'\n\n"
    assert (await run(f"{colour}return {{Colour.RED: 1}}")).value == {"red": 1}
    assert (await run(f"{colour}return {{Colour.RED: float('nan')}}")).value == {"red": None}


@pytest.mark.parametrize("source", ["import os", "from subprocess import run", "import numpy", "import urllib.request", "import jackfield", "from . import x"])  # fmt: skip  # noqa: E501
async def test_other_modules_are_refused_by_name(run: Any, source: str) -> None:
    with pytest.raises(
        ScriptError, match=r"not available in Code nodes\. Available are: abc, .*scripts\.python\.modules"
    ):
        await run(source)


async def test_a_refused_import_can_be_caught(run: Any) -> None:
    source = "try:\n    import ioc_finder\nexcept ImportError:\n    ioc_finder = None\nreturn ioc_finder is None"
    assert (await run(source)).value is True


ERRORS = [
    ("x = 1\n\ny = 1 / 0", "runtime", 3, "ZeroDivisionError: division by zero"),
    ("def f():\n    raise ValueError('no')\n\n\nf()", "runtime", 2, "ValueError: no"),
    ("import json\n\njson.loads('{')", "runtime", 3, "JSONDecodeError: "),
    ("x = '''a\nb\nc'''\nboom", "runtime", 4, "NameError: name 'boom'"),
    ("x = 1\nif x\n  y", "syntax", 2, "SyntaxError: "),
    ("return 1\n  return 2", "syntax", 2, "IndentationError: "),
    ("raise Exception('just this')", "runtime", 1, "just this"),
    ("_json.missing", "runtime", 1, "There is no field 'missing'; there are: name, tags."),
    ("_json['missing']", "runtime", 1, "There is no key 'missing'"),
    ("_('Nobody')\n_('Nobody').all()", "runtime", 2, "There is no node 'Nobody' in this workflow."),
    ("_('Idle').first()", "runtime", 1, "The node 'Idle' has not run"),
    ("return {'a': [1, print]}", "runtime", None, "the result.a[1] is of the type builtin_function_or_method"),
    ("a = []\na.append(a)\nreturn a", "runtime", None, "nested too deeply, or holds itself"),
    ("def f():\n    return f()\nf()", "runtime", 2, "RecursionError"),
    ("raise SystemExit(3)", "runtime", 1, "SystemExit: 3"),
    ("exit()", "runtime", 1, "ends with return"),
    ("open('x')", "runtime", 1, "A Code node has no files"),
    ("class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd()", "runtime", 4, "without a message"),  # noqa: E501
    ("return 'x' * (70 << 20)", "runtime", None, "more than the 64 MiB of data that it may"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "kind", "line", "message"), ERRORS)
async def test_errors_name_the_line_of_the_program(
    run: Any, source: str, kind: str, line: int | None, message: str
) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(source, known=["Other", "Idle"])
    error = caught.value
    assert (error.kind, error.line, error.item) == (kind, line, None), error.message
    assert message in error.message


async def test_once_per_item(run: Any) -> None:
    result = await run("return {'n': _json.name, 'i': _itemIndex, 'x': _('Other').item.json}", each=True, **SEEN)
    assert result.value == [{"n": "Ada", "i": 0, "x": {"x": 2}}, {"n": "Bob", "i": 1, "x": {"old": True}}]


async def test_once_per_item_names_the_item_that_failed(run: Any) -> None:
    source = "if _json.name == 'Bob':\n    raise Exception('bad')\nreturn _json"
    with pytest.raises(ScriptError) as caught:
        await run(source, each=True)
    assert (caught.value.message, caught.value.line, caught.value.item) == ("bad", 2, 1)
    result = await run(source, each=True, node={"onError": "continueRegularOutput"})
    assert result.value[1] == {"json": {"error": "bad (line 2)"}}


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "/etc/passwd", "../../../etc/passwd", ":/dev/zero", "", "x" * 9000, "a\0b"]
)
async def test_an_unknown_time_zone_is_utc(run: Any, zone: str) -> None:
    source = "import datetime\nreturn [str(_now.tzinfo), datetime.datetime.fromtimestamp(0).hour]"
    assert (await run(source, timezone=zone)).value == ["UTC", 0]


async def test_without_items(run: Any) -> None:
    assert (await run("return [_json, items, _input.first()]", input=[])).value == [{}, [], None]
    assert (await run("return 1", input=[], each=True)).value == []


async def test_what_is_printed_is_kept_within_bounds(make_engine: Callable[..., PythonEngine]) -> None:
    engine = make_engine(log_lines=3, log_length=10)
    source = "print('a', 1)\nprint('x' * 100)\nprint('no end', end='')\nprint()\nfor n in range(9): print(n)\nreturn 1"
    result = await engine.run(source, ScriptData(input=[]), each=False, timeout=20)
    assert result.logs == ("a 1", "x" * 10, "no end", "(more line"[:10])
    assert (await engine.run("print('open', end='')", ScriptData(input=[]), each=False, timeout=20)).logs == ("open",)


async def test_memory_across_executions_and_custom_data_come_back(run: Any) -> None:
    source = (
        "g = _getWorkflowStaticData('global')\ng.count = g.get('count', 0) + 1\n"
        "_getWorkflowStaticData('node')['x'] = [1]\n_execution.customData.set('k', 5)\n_input.context['c'] = 2\nreturn g.count"  # noqa: E501
    )
    result = await run(source, static={"global": {"count": 4}}, node={"context": {"c": 1}})
    assert (result.value, result.static, result.custom) == (5, {"global": {"count": 5}, "node": {"x": [1]}}, {"k": "5"})
    assert result.context == {"c": 2}
    with pytest.raises(ScriptError, match="needs 'global' or 'node'"):
        await run("_getWorkflowStaticData('other')")


async def test_large_data_goes_both_ways(run: Any) -> None:
    many = [{"json": {"n": number, "text": "x" * 500}} for number in range(20_000)]
    result = await run("return [{'json': {'n': i.json.n}} for i in items]", input=many)
    assert len(result.value) == 20_000


async def test_expressions_are_not_python(engine: PythonEngine) -> None:
    with pytest.raises(ScriptError, match="Expressions are JavaScript"):
        await engine.evaluate(["1"], ScriptData(input=[]), [0])


def test_only_the_standard_library_can_be_allowed() -> None:
    assert PythonSettings(modules=["json", "xml.dom"]).modules == ["json", "xml.dom"]
    with pytest.raises(ValidationError, match="numpy is no module of the standard library"):
        PythonSettings(modules=["numpy"])


async def test_the_setting_decides_what_may_be_imported(make_engine: Callable[..., PythonEngine]) -> None:
    engine = make_engine(modules=["urllib", "textwrap"])

    async def value(source: str) -> Any:
        return (await engine.run(source, ScriptData(input=[]), each=False, timeout=20)).value

    assert await value("import textwrap\nreturn textwrap.dedent('  a')") == "a"
    assert await value("import urllib\nreturn urllib.__name__") == "urllib"
    with pytest.raises(ScriptError, match="json is not available"):
        await value("import json")


async def test_the_plugin(tmp_path: Any) -> None:
    (table,) = PythonPlugin.settings
    assert (table.path, table.model) == ("scripts.python", PythonSettings)
    context = FakeContext(tmp_path)
    context.ports["ScriptWorkers"] = SharedWorkerPool()
    context.ports["PythonEngine"] = engines.engine(context)
    (engine,) = engines.engines(context)
    assert engine.language == "python"
    await engines.stop(context)
    with pytest.raises(ScriptError, match="stopping"):
        await engine.run("return 1", ScriptData(input=[]), each=False, timeout=5)
