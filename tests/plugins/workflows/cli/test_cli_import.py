"""`jackfield workflow import`, `export`, `list`, `validate` over the store, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cli_lab import CliLab, document, file_of


def test_an_import_creates_inactive_workflows_and_says_their_ids(cli: CliLab, run: Any, tmp_path: Path) -> None:
    found = run("import", file_of(tmp_path, document(name="One", active=True, id="WkxX0x1PXLgQ8Yro")))
    assert found.exit_code == 0
    status, workflow_id, name, *_ = found.stdout.split()
    assert (status, name) == ("created", "One")
    assert "was active where it comes from" in found.stderr
    stored = cli.store._workflows[workflow_id].current
    assert (stored.name, stored.active, stored.version) == ("One", False, 1)


def test_foreign_ids_never_overwrite(cli: CliLab, run: Any, tmp_path: Path) -> None:
    for name in ("One", "Two"):
        run("import", file_of(tmp_path, document(name=name, id="1")))
    assert sorted(saved.current.name for saved in cli.store._workflows.values()) == ["One", "Two"]


def test_an_export_can_be_imported_again_as_a_new_version(cli: CliLab, run: Any, tmp_path: Path) -> None:
    workflow_id = run("import", file_of(tmp_path, document(name="One"))).stdout.split()[1]
    exported = json.loads(run("export", workflow_id).stdout)
    assert exported["id"] == workflow_id
    again = run("import", file_of(tmp_path, {**exported, "name": "Renamed"}))
    assert again.stdout.split()[:2] == ["updated", workflow_id]
    assert cli.store._workflows[workflow_id].current.version == 2
    assert len(cli.store._workflows) == 1


def test_an_id_of_another_installation_is_kept(cli: CliLab, run: Any, tmp_path: Path) -> None:
    workflow_id = "01a1fffb-b183-79db-a66b-56f712d8ef6e"
    assert run("import", file_of(tmp_path, document(id=workflow_id))).stdout.split()[:2] == ["created", workflow_id]
    assert list(cli.store._workflows) == [workflow_id]


def test_a_list_is_imported_as_a_whole_or_not_at_all(cli: CliLab, run: Any, tmp_path: Path) -> None:
    flow = file_of(tmp_path, [document(name="Good"), {"name": "Bad", "nodes": 5}])
    found = run("import", flow)
    assert found.exit_code == 1
    assert found.stderr.split()[0] == "skipped"
    assert "nodes: The nodes of a workflow must be a list" in found.stderr
    assert cli.store._workflows == {}
    partial = run("import", flow, "--partial")
    assert partial.exit_code == 1
    assert [saved.current.name for saved in cli.store._workflows.values()] == ["Good"]


def test_directories_several_files_and_standard_input(cli: CliLab, run: Any, tmp_path: Path) -> None:
    file_of(tmp_path, document(name="A"), "all/a.json")
    file_of(tmp_path, document(name="B"), "all/below/b.json")
    one = file_of(tmp_path, document(name="C"), "c.json")
    found = run("import", tmp_path / "all", one, "-", stdin=json.dumps([document(name="D"), document(name="E")]))
    assert found.exit_code == 0, found.output
    assert [saved.current.name for saved in cli.store._workflows.values()] == list("ABCDE")


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(cli: CliLab, run: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    found = run("import", broken, tmp_path / "missing.json", file_of(tmp_path, document(name="Good")))
    assert found.exit_code == 1
    assert "broken.json: It is not valid JSON." in found.stderr
    assert "missing.json: It cannot be read: No such file or directory." in found.stderr
    assert [saved.current.name for saved in cli.store._workflows.values()] == ["Good"]


def test_export_of_all_into_a_directory(run: Any, tmp_path: Path) -> None:
    for name in ("Über/../weird", "Plain"):
        run("import", file_of(tmp_path, document(name=name)))
    (tmp_path / "out").mkdir()
    assert run("export", "--all", "-o", tmp_path / "out").exit_code == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert [name[:6] for name in names] == ["ber-we", "plain-"]
    assert len(json.loads(run("export", "--all").stdout)) == 2


def test_export_needs_ids_or_all(run: Any) -> None:
    assert run("export").exit_code == 2
    assert run("export", "x", "--all").exit_code == 2
    unknown = run("export", "01a1fffb-b183-79db-a66b-56f712d8ef6e")
    assert (unknown.exit_code, unknown.stdout) == (1, "")


def test_list(run: Any, tmp_path: Path) -> None:
    assert run("list").stderr == "There is no workflow.\n"
    workflow_id = run("import", file_of(tmp_path, document(("A", "pass"), name="One"))).stdout.split()[1]
    assert run("list").stdout.split() == [workflow_id, "-", "2", "nodes", "One"]
    assert [row["name"] for row in json.loads(run("list", "--json").stdout)] == ["One"]


def test_list_of_more_than_a_page(run: Any, tmp_path: Path) -> None:
    run("import", file_of(tmp_path, [document(name=f"n{number}") for number in range(150)]))
    assert len(json.loads(run("list", "--json").stdout)) == 150


def test_validate_names_unknown_types_as_warnings(run: Any, tmp_path: Path) -> None:
    found = run("validate", file_of(tmp_path, document(("A", "telegram"))))
    assert found.exit_code == 0
    assert "warning: nodes[1].type" in found.stdout
    assert "n8n-nodes-base.telegram" in found.stdout


def test_validate_lists_errors_with_their_paths(cli: CliLab, run: Any, tmp_path: Path) -> None:
    wrong = document(("A", "pass"))
    wrong["connections"]["Start"]["main"][0][0]["node"] = "Nobody"
    found = run("validate", file_of(tmp_path, [document(), wrong]), "-", stdin="[")
    assert found.exit_code == 1
    assert "flow.json[1]: error: connections.Start.main[0][0].node: There is no node Nobody" in found.stdout
    assert "standard input: It is not valid JSON." in found.stdout
    assert "3 checked, there are errors." in found.stderr
    assert cli.store._workflows == {}


CREDENTIAL = {
    "id": "1",
    "name": "Shop",
    "type": "httpBasicAuth",
    "data": {"user": "ada", "password": "horse-battery-9"},
}


def test_an_export_of_credentials_is_refused_as_a_whole(cli: CliLab, run: Any, tmp_path: Path) -> None:
    encrypted = {**CREDENTIAL, "data": "U2FsdGVkX19zb21l"}
    for body in ([CREDENTIAL, CREDENTIAL], [encrypted], CREDENTIAL):
        found = run("import", file_of(tmp_path, body, "credentials.json"), "--partial")
        assert (found.exit_code, found.stdout) == (1, "")
        assert "credentials.json: This is an export of credentials" in found.stderr
        assert "jackfield import n8n" in found.stderr
        assert "horse-battery" not in found.output
    assert cli.store._workflows == {}


def test_a_file_with_workflows_and_credentials_is_refused(cli: CliLab, run: Any, tmp_path: Path) -> None:
    both = file_of(tmp_path, [document(name="Good"), CREDENTIAL])
    found = run("import", both)
    assert found.exit_code == 1
    assert "This is a credential" in found.stderr
    assert "horse-battery" not in found.output
    assert cli.store._workflows == {}
    assert run("import", both, "--partial").exit_code == 1
    assert [saved.current.name for saved in cli.store._workflows.values()] == ["Good"]


def test_an_export_of_credentials_is_no_valid_workflow(run: Any, tmp_path: Path) -> None:
    found = run("validate", file_of(tmp_path, [CREDENTIAL]))
    assert found.exit_code == 1
    assert "error: body: This is a credential" in found.stdout
