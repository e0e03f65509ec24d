"""`/openapi.json` says all that a generated client needs: a name for each call, each parameter, each answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel
from quart import Blueprint, Quart, Response

from jackfield.api.http import json_response, operation, read_query
from jackfield.api.paging import Clamped
from jackfield.core.building import build
from jackfield.core.tables import ServerSettings
from jackfield.http.dispatch import Counters
from jackfield.http.management.assembling import make_management
from jackfield.http.management.quartapp import make_quart
from jackfield.http.openapi.document import describe

ROOT = Path(__file__).resolve().parents[2]
VERB = re.compile(
    r"(n8n)?(Get|List|Create|Add|Update|Replace|Rename|Put|Delete|Remove|Revoke|Rotate|Clear|Upsert|Change|Transfer|"
    r"Start|Stop|Restart|Run|Execute|Cancel|Retry|Interrupt|Wait|Stream|Send|Answer|Begin|End|Share|Unshare|Clean|Test|"
    r"Check|Validate|Preview|Plan|Count|Import|Export|Activate|Deactivate|Publish|Unpublish|Duplicate|Restore|"
    r"Authorize|Fetch|Sync|Pin|Label|Move|Login|Logout|Refresh|Invite|Generate|Refuse|Drain|Resume|"
    r"Accept|Reject|Merge|Ask|Decide|Read|Finish|Renew|Reset|Hear|Make|Push|Pull)(?![a-z])",
)
"""A call begins with what it does."""
SILENT = {"POST /n8n/api/v1/projects/{project_id}/users"}
"""n8n answers them without a body."""


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return describe(make_management(build(tmp_path_factory.mktemp("api"), {}, {}), Counters()), "http://127.0.0.1")


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            yield f"{method.upper()} {path}", described


def test_every_operation_has_a_name_of_its_own(document: dict[str, Any]) -> None:
    names = [described["operationId"] for _, described in operations(document)]
    assert len(names) > 200
    assert sorted(names) == sorted(set(names))
    capital = {name: name[:1].upper() + name[1:] if not name.startswith("n8n") else name for name in names}
    assert not [name for name, said in capital.items() if not name.isalnum() or not VERB.match(said)]
    # One that is taken gets a number, so that a mistake would be no double.
    assert not [name for name in names if name[-1].isdigit()]


def test_every_answer_has_a_schema(document: dict[str, Any]) -> None:
    bare = [
        f"{where} {status}"
        for where, described in operations(document)
        for status, answer in described["responses"].items()
        if status.startswith("2")
        for kind, content in answer.get("content", {}).items()
        if not content.get("schema") and kind != "application/octet-stream"
    ]
    silent = [
        f"{where} {status}"
        for where, described in operations(document)
        if described["tags"] != ["not in Jackfield"] and where not in SILENT
        for status, answer in described["responses"].items()
        if status.startswith("2") and status != "204" and "content" not in answer
    ]
    assert not bare + silent


def test_a_strangers_operations_are_named_after_its_blueprint() -> None:
    """Two plugins may have views of one name, and neither changes the other's."""

    def stranger(name: str) -> Blueprint:
        made = Blueprint(name, __name__, url_prefix=f"/api/v1/{name}")

        @made.get("")
        @operation("Greet.", scope=None)
        async def list_greetings() -> None: ...

        @made.post("")
        @operation("Add.", scope=None, operation_id="sayHello")
        async def add() -> None: ...

        return made

    def ids(*names: str) -> list[str]:
        app: Quart = make_quart([], [(name, stranger(name)) for name in names], ServerSettings(), print)
        return [described["operationId"] for _, described in operations(describe(app, ""))][2:]

    assert ids("hello") == ["helloListGreetings", "helloSayHello"]
    assert ids("good-day", "hello") == ["goodDayListGreetings", "goodDaySayHello", *ids("hello")]


def test_a_query_is_read_by_its_model_alone() -> None:
    """`read_query` holds that the model is the operation's; whoever reads by hand reads what nobody has described."""
    by_hand = re.compile(r"\brequest\.(args|values|query_string)\b")
    pages = ("jackfield_forms/", "jackfield_ai/chat/", "jackfield_webhooks/calls/")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("src/jackfield", "plugins")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not any(page in str(path) for page in pages) and "from quart import" in (text := path.read_text())
        for number, line in enumerate(text.splitlines(), 1)
        if by_hand.search(line)
    ]
    assert [place.rpartition(":")[0] for place in found] == ["src/jackfield/api/http.py"], found


async def test_a_model_that_the_operation_does_not_name_is_not_read() -> None:
    class Named(BaseModel):
        page: Annotated[int, Clamped(1, 9)] = 1

    class Other(BaseModel):
        page: int = 1

    made = Blueprint("read", __name__)

    @made.get("/named")
    @operation("Read.", scope=None, query=Named)
    async def named() -> Response:
        return json_response(read_query(Named).page)

    @made.get("/other")
    @operation("Read.", scope=None, query=Named)
    async def other() -> Response:
        with pytest.raises(TypeError, match=r"read\.other reads Other"):
            read_query(Other)
        return json_response("refused")

    app = Quart("reading")
    app.register_blueprint(made)
    client = app.test_client()
    asked = [await (await client.get(f"/named{query}")).get_json() for query in ("", "?page=", "?page=20", "?page=-3")]
    assert asked == [1, 1, 9, 1]
    assert await (await client.get("/other")).get_json() == "refused"
