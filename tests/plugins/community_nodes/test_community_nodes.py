"""Through the real daemon, with a registry and a service on loopback and a package of our own of each kind."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from npm_double import NpmDouble, Service, doubles, needs_node

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node
from jackfield_migration.exporting import n8n_type

pytestmark = needs_node
ACME = "n8n-nodes-acme"


class Site:
    """A daemon that has the package, and whatever it talks to."""

    def __init__(self, daemon: Daemon, npm: NpmDouble, service: Service, url: str) -> None:
        self.daemon, self.npm, self.service, self.url = daemon, npm, service, url
        self.api = daemon.admin(timeout=60)

    def credential(self, kind: str, **values: str) -> str:
        answer = self.api.post("/credentials", json={"name": kind, "kind": kind, "values": values})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def run(self, kind: str, parameters: dict[str, Any], items: list[Any] | None = None, **more: Any) -> dict[str, Any]:
        document = chain("Acme", node("Start", "manualTrigger"), node("Acme", kind, parameters))
        document["nodes"][1] |= {"type": f"{ACME}.{kind}", **more}  # type: ignore[index]
        given = {"workflow": document, "inputData": items or [{"json": {"n": 1}}]}
        started = self.api.post("/workflows/run", json=given)
        assert started.status_code == 200, started.text
        return dict(self.api.get(f"/executions/{started.json()['executionId']}").json())

    def items(self, kind: str, parameters: dict[str, Any], items: list[Any] | None = None, **more: Any) -> list[Any]:
        found = self.run(kind, parameters, items, **more)
        assert found["status"] == "success", found["error"]
        return list(found["nodes"]["Acme"][0]["outputs"][0])

    def json(self, kind: str, parameters: dict[str, Any], items: list[Any] | None = None, **more: Any) -> list[Any]:
        return [item["json"] for item in self.items(kind, parameters, items, **more)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with doubles() as (npm, service, url):
        settings = (
            f'[community_nodes]\nregistry = "{npm.url}"\nmemory = 96\nbuffers = 256\ntimeout = 3\n'
            f'[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
        )
        daemon = Daemon(tmp_path_factory.mktemp("community"), settings=settings).start()
        try:
            made = Site(daemon, npm, service, url)
            assert ACME not in made.api.get("/node-types").text
            made.added = made.api.post("/community-nodes", json={"name": ACME})  # type: ignore[attr-defined]
            assert made.added.status_code == 201, made.added.text + daemon.tail()  # type: ignore[attr-defined]
            yield made
        finally:
            daemon.close()


def test_it_is_pinned_with_all_that_it_needs(site: Site) -> None:
    row = site.api.get("/community-nodes").json()["data"][0]
    assert (row["name"], row["version"]) == (ACME, "1.2.0")
    assert row["integrity"] == site.npm.integrity(ACME, "1.2.0")
    found = {one["path"]: (one["version"], one["integrity"]) for one in row["dependencies"]}
    assert found == {
        "node_modules/left-helper": ("1.4.0", site.npm.integrity("left-helper", "1.4.0")),
        "node_modules/middle-helper": ("2.0.5", site.npm.integrity("middle-helper", "2.0.5")),
        "node_modules/middle-helper/node_modules/left-helper": ("2.0.1", site.npm.integrity("left-helper", "2.0.1")),
    }
    assert not Path("/tmp/acme-was-here").exists()  # its script of npm would have made it
    assert [problem.partition(":")[0] for problem in row["problems"]] == ["lib/nodes/Acme/AcmeBroken.node.js"]


def test_parameters_are_as_the_description_says(site: Site) -> None:
    parameters = {
        "text": "={{ $json.n }}!",
        "shelf": {"__rl": True, "mode": "url", "value": "https://acme.example/shelf/top9"},
        "rows": {"row": [{"name": "={{ $json.n }}"}]},
        "url": "not shown",
    }
    found = site.json("acme", parameters, [{"json": {"n": 4}}, {"json": {"n": 5}}])
    assert found[0] == {
        "text": "left 1: 4!", "middle": "left 2: middle 4!", "shelf": "top9", "options": {},
        "rows": [{"name": 4, "count": 7}], "hidden": "is hidden", "timezone": "UTC", "name": "Acme", "evaluated": 5,
    }  # fmt: skip
    assert found[1]["text"] == "left 1: 5!"


def test_requests_go_through_the_daemon(site: Site) -> None:
    ident = site.credential("acmeApi", apiKey="key-of-acme", url=site.url)
    signed = site.credential("acmeSignedApi", secret="very-secret")
    credentials = {"acmeApi": {"id": ident, "name": "acmeApi"}, "acmeSignedApi": {"id": signed, "name": "x"}}

    def sent(operation: str, path: str) -> Any:
        parameters = {"operation": operation, "url": f"{site.url}{path}"}
        return site.json("acme", parameters, credentials=credentials)[0]

    told = sent("get", "/echo")
    assert (told["method"], told["path"], told["body"]) == ("POST", "/echo?a%5B0%5D=1&a%5B1%5D=2&b=x%20y", '{"n":1}')
    assert told["headers"] == {"authorization": "Bearer key-of-acme", "content-type": "application/json"}
    assert sent("old", "/echo")["body"] == "a=%C3%A9&b=2"
    told = sent("fetch", "/echo")
    assert (told["status"], told["method"], told["body"]) == (200, "PUT", '{"n":1}')
    told = sent("raw", "/echo?x=1")
    assert (told["path"], told["body"], told["headers"]["x-raw"]) == ("/echo?x=1", "raw body", "yes")
    assert len(sent("signed", "/echo")["headers"]["x-signature"]) == 64
    assert sent("values", "/")["retries"] == 3


def test_failures_name_the_item_and_go_on(site: Site) -> None:
    found = site.run("acme", {"operation": "fail", "text": "={{ $json.n }}"}, [{"json": {"n": 1}}, {"json": {"n": 2}}])
    assert found["status"] == "failed"
    assert found["error"]["message"] == "It fails with 1"
    items = site.items("acme", {"operation": "fail", "text": "b"}, onError="continueRegularOutput")
    assert items[0]["json"] == {"error": "It fails with b"}
    parameters = {"operation": "batch", "url": f"{site.url}/refused"}
    assert site.run("acme", parameters)["error"]["message"] == "The resource you are requesting could not be found"
    assert "10.9.8.7" in site.run("acme", {"operation": "batch", "url": "http://10.9.8.7:9/"})["error"]["message"]


def test_secrets_are_in_no_error_and_no_workflow_is_started(site: Site) -> None:
    ident = site.credential("acmeApi", apiKey="key-of-acme", url=site.url)
    found = site.run("acme", {"operation": "tell"}, credentials={"acmeApi": {"id": ident, "name": "acmeApi"}})
    assert found["error"]["message"] == "The key is ***."
    assert "executeWorkflow" in site.run("acme", {"operation": "start"})["error"]["message"]


def test_files_are_read_and_kept(site: Site) -> None:
    file = {"data": "aGVsbG8=", "mimeType": "text/plain", "fileName": "a.txt"}
    items = site.items("acme", {"operation": "file"}, [{"json": {}, "binary": {"data": file}}])
    assert items[0]["json"] == {"length": 5, "type": "text/plain"}
    assert items[0]["binary"]["kept"]["data"] == "aGVsbG8="
    assert items[0]["binary"]["loud"]["data"] == "SEVMTE8="
    assert items[0]["binary"]["loud"]["fileName"] == "loud.txt"


@pytest.mark.parametrize("operation", ["loop", "exit", "eat", "hoard"])
def test_a_package_that_misbehaves_ends_alone(site: Site, operation: str) -> None:
    found = site.run("acme", {"operation": operation})
    assert found["status"] == "failed"
    wanted = {"loop": "community_nodes.timeout", "hoard": "allocation failed"}.get(operation, "package ended")
    assert wanted in found["error"]["message"]
    assert site.json("acme", {"text": "on"})[0]["text"] == "left 1: on"


def test_nothing_leads_out_of_the_sandbox(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = site.json("acmeEscape", {"port": server.getsockname()[1]})[0]
    assert found["readFile"].startswith("refused: ENOENT")
    assert found["readSecret"].startswith("refused: ENOENT")
    assert found["home"].startswith("refused: ENOENT")
    assert not {"root", "home", "var", "run"} & set(found["list"].split(","))
    assert found["write"] == "refused: EROFS"
    assert found["spawn"].startswith("refused") or "uid=" in found["spawn"]  # inside, where nothing is to be had
    assert found["environment"] == "JACKFIELD_CONTAINER"  # the mark of what holds it, no secret
    assert found["processes"] <= 3
    assert found["socket"] == "refused: ECONNREFUSED"
    assert found["request"].startswith("refused")
    assert "10.9.8.7" in found["request"]
    assert found["other"].startswith("refused: The node has no credential of the kind httpBasicAuth")


def test_declarative_nodes_send_what_they_describe(site: Site) -> None:
    ident = site.credential("acmeApi", apiKey="key-of-acme", url=site.url)
    credentials = {"acmeApi": {"id": ident, "name": "acmeApi"}}
    parameters = {
        "operation": "create", "customer": "={{ 'c' + $json.n }}", "article": "pen", "more": {"note": "n", "dry": True},
        "tags": {"tag": [{"name": "a"}, {"name": "b", "value": "no"}]},
    }  # fmt: skip
    told = site.json("acmeOrders", parameters, credentials=credentials)[0]
    assert (told["method"], told["path"]) == ("POST", "/customers/c1/orders?dry_run=true")
    assert told["body"] == (
        '{"line":{"article":"PEN"},"note":"n","tags":[{"name":"a","value":"a:yes"},{"name":"b","value":"b:no"}]}'
    )
    assert told["headers"]["authorization"] == "Bearer key-of-acme"
    listed = site.json("acmeOrders", {"operation": "list", "limit": 3}, credentials=credentials)
    assert listed == [{"id": number, "label": f"order {number}"} for number in range(3)]
    invoice = site.items("acmeOrders", {"operation": "invoice"}, credentials=credentials)[0]
    assert invoice["binary"]["invoice"]["mimeType"] == "application/pdf"
    shown = site.json("acmeOrders", {"operation": "shown"}, [{"json": {"n": 3}}], credentials=credentials)[0]
    assert shown["body"] == '{"item":{"n":3},"parameter":"none"}'


def test_the_editor_knows_it(site: Site) -> None:
    found = {row["kind"]: row for row in site.api.get("/node-types").json()["data"] if row["kind"].startswith(ACME)}
    assert set(found) == {f"{ACME}.{name}" for name in ("acme", "acmeOrders", "acmeEscape")}  # no trigger
    assert site.api.get(f"/node-types/{ACME}.acmeTool").status_code == 200  # in the hands of an agent
    kind = site.api.get("/credential-kinds/acmeApi").json()
    assert [(field["name"], field["secret"]) for field in kind["fields"]] == [
        ("apiKey", True), ("url", False), ("retries", False),
    ]  # fmt: skip
    ident = site.credential("acmeApi", apiKey="key-of-acme", url=site.url)

    def listed(name: str, **more: str) -> Any:
        given = {"version": "1", "credential": ident, "values": json.dumps({"text": "mine"}), **more}
        answer = site.api.get(f"/node-types/{ACME}.acme/lists/{name}", params=given)
        assert answer.status_code == 200, answer.text
        return answer.json()

    colours = listed("options.getColours")
    assert [row["label"] for row in colours["data"]] == ["Red", "Of mine"]
    shelves = listed("search.searchShelves", search="oak")
    assert [row["value"] for row in shelves["data"]] == ["oak-top", "low"]
    assert site.api.get(f"/node-types/{ACME}.acme/lists/options.absent").status_code == 404
    form = site.api.get(f"/node-types/{ACME}.acme").json()["forms"][0]["fields"]
    told = {field["name"]: field for field in form}
    assert told["password"]["control"] == "secret"
    assert told["shelf"]["load"] == {"name": "search.searchShelves", "searchable": True}


def test_an_export_has_the_name_that_n8n_knows() -> None:
    assert n8n_type(f"jackfield.{ACME}.acme") == f"{ACME}.acme"
    assert n8n_type("jackfield.@acme/n8n-nodes-acme.acme") == "@acme/n8n-nodes-acme.acme"
    assert n8n_type("jackfield.set") == "n8n-nodes-base.set"


def test_credentials_are_tried_as_the_package_says(site: Site) -> None:
    good = site.credential("acmeApi", apiKey="key-of-acme", url=site.url)
    bad = site.credential("acmeApi", apiKey="wrong-key-of-acme", url=site.url)
    assert site.api.post(f"/credentials/{good}/test").json()["valid"] is True
    told = site.api.post(f"/credentials/{bad}/test").json()
    assert told["valid"] is False
    assert "401" in told["message"]


def test_a_workflow_says_which_package_it_needs(site: Site) -> None:
    document = chain("Other", node("Start", "manualTrigger"), node("Other", "other"))
    document["nodes"][1]["type"] = "@other/n8n-nodes-other.other"  # type: ignore[index,call-overload]
    found = site.api.post("/workflows/validate", json=document).json()
    told = [problem["message"] for problem in found["problems"] if problem["path"] == "nodes[1].type"]
    wanted = (
        "The node type @other/n8n-nodes-other.other is not installed; the node cannot run. It is in the npm package "
        "@other/n8n-nodes-other; add that with: jackfield community-nodes add @other/n8n-nodes-other"
    )
    assert told == [wanted]


@pytest.mark.parametrize("kind", ["@other/n8n-nodes-other.other", "n8n-nodes-mcp.mcpClient"])
def test_import_and_failed_run_name_the_command(site: Site, kind: str) -> None:
    document = chain("Other", node("Start", "manualTrigger"), node("Other", "other"))
    document["nodes"][1] |= {"type": kind}  # type: ignore[index,operator]
    command = f"jackfield community-nodes add {kind.rpartition('.')[0]}"
    imported = site.api.post("/workflows/import", json=document)
    assert command in imported.text
    started = site.api.post("/workflows/run", json={"workflow": document, "inputData": [{"json": {}}]})
    assert started.status_code == 200, started.text
    told = site.api.get(f"/executions/{started.json()['executionId']}").json()
    assert told["status"] == "failed"
    assert command in told["error"]["message"]


@pytest.mark.parametrize(
    ("name", "status", "word"),
    [
        ("n8n-nodes-absent", 404, "no package n8n-nodes-absent"),
        ("n8n-nodes-base", 400, "n8n's own package"),
        ("left-helper", 400, "no package of nodes"),
        ("../n8n-nodes-x", 400, "no name of an npm package"),
        (ACME, 409, "there already"),
    ],
)
def test_names_that_are_refused(site: Site, name: str, status: int, word: str) -> None:
    answer = site.api.post("/community-nodes", json={"name": name})
    assert (answer.status_code, word in answer.text) == (status, True), answer.text


def test_only_administrators_change_packages(site: Site) -> None:
    made = site.api.post("/api-keys", json={"name": "k", "scopes": ["workflows:read", "workflows:write"]})
    assert made.status_code == 201, made.text
    key = httpx.Client(base_url=f"{site.daemon.base_url}/api/v1", headers={"X-API-Key": made.json()["key"]})
    with key:
        assert key.get("/community-nodes").status_code == 200
        assert key.post("/community-nodes", json={"name": "n8n-nodes-x"}).status_code == 403
        assert key.delete(f"/community-nodes/{ACME}").status_code == 403
