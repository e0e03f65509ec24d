"""`jackfield scripts validate`, as an author uses it."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.proxy import RequestAttributes
from jackfield.cli.main import main
from jackfield_profiles.commands.condition_sample import CONDITION_REQUEST
from jackfield_proxy.routing.request_attributes import told as request_of

pytest.importorskip("rhai")
SCRIPTS = Path(__file__).resolve().parents[3] / "manifests" / "scripts"


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """`main` replaces the handler."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def validated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*files: Path) -> tuple[int, list[dict[str, Any]]]:
        with pytest.raises(SystemExit) as ended:
            main(["scripts", "validate", *map(str, files), "--json", "--config-dir", str(tmp_path / "config")])
        return int(str(ended.value.code or 0)), json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize(
    ("source", "line", "column", "severity", "said"),
    [
        ("let a = ;", 1, 9, "error", "Unexpected ';'"),
        ("// ctx.profile.nothing\nlet a = ctx.profile.modell;\n#{}", 2, 21, "error", "has no key modell"),
        ("let a = ctx.profle;\n#{}", 1, 13, "error", "ctx has no key profle"),
        ("#{ files: #{ x: json::encod(1) } }", 1, 23, "error", "Function not found: json::encod"),
        ('#{ files: #{ "../x": ctx.agent.id } }', 1, 1, "error", "stay under the profile's home"),
        ('#{ args: ["${API_KEY}", ctx.agent.id] }', 1, 1, "error", "a key must not be an argument"),
        ('throw "never, " + ctx.agent.id', 1, 1, "warning", "never, "),
        ("request.tokns > 5", 1, 9, "error", "request has no key tokns"),
        ("request.tokens", 1, 1, "error", "must be true or false"),
    ],
)
def test_a_mistake_is_told_with_its_place(
    source: str, line: int, column: int, severity: str, said: str, tmp_path: Path, validated: Any
) -> None:
    file = tmp_path / "mine.rhai"
    file.write_text(source)
    code, (view,) = validated(file)
    found = view["problems"][0]
    assert (found["line"], found["column"], found["severity"]) == (line, column, severity), view
    assert said in found["message"]
    assert code == (1 if severity == "error" else 0)


def test_a_condition_and_a_configuration_may_be_good(tmp_path: Path, validated: Any) -> None:
    condition, configuration = tmp_path / "long.rhai", tmp_path / "mine.rhai"
    condition.write_text("request.tokens > 1000 && !request.headers.is_empty()")
    configuration.write_text('#{ files: #{ "a.json": json::encode(ctx.prefs) } }')
    code, views = validated(condition, configuration)
    assert (code, [view["problems"] for view in views]) == (0, [[], []])


def test_shipped_scripts_are_good(validated: Any) -> None:
    code, views = validated(*sorted(SCRIPTS.glob("*.rhai")))
    assert [view for view in views if view["problems"]] == []
    assert code == 0


def test_the_request_of_a_condition_is_the_real_one() -> None:
    assert CONDITION_REQUEST.keys() == request_of(RequestAttributes()).keys()
