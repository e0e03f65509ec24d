"""`jackfield approvals`: list, show, answer."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence

import click

from jackfield.api.cli import Columns, CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

PATH = "/approvals"
COLUMNS: Columns = {
    "ID": "id", "KIND": "kind", "STATE": "state", "SINCE": "askedAt", "UNTIL": "until", "WORKFLOW": "workflow",
    "PROFILE": "profile", "ASKS": "title",
}  # fmt: skip
SHOWN = (
    "id", "kind", "state", "title", "message", "workflow", "node", "executionId", "profile", "tool", "askedBy",
    "sessionId", "host", "askedAt", "until", "url", "input", "cut", "options", "fields", "answer", "answeredBy",
    "closedAt",
)  # fmt: skip
approval_argument = click.argument("approval", shell_complete=completed(PATH, key="id", about="title"))


@click.group(cls=CommandGroup)
def approvals() -> None:
    """Approvals: list, show and answer what executions and agents ask."""


@approvals.command("list")
@click.option("--kind", type=click.Choice(["question", "form", "permission"]), help="Only such.")
@click.option(
    "--state",
    type=click.Choice(["open", "answered", "withdrawn", "expired", "all"]),
    default="open",
    show_default=True,
    help="Only such; of questions of executions only open ones are listed.",
)
@daemon_command
def list_approvals(call: DaemonCall, kind: str | None, state: str) -> None:
    """List what is asked, the newest first."""
    query = {"state": state} | ({"kind": kind} if kind else {})
    call.table(COLUMNS, call.daemon.rows(PATH, query), "Nobody asks for anything.")


@approvals.command()
@approval_argument
@daemon_command
def show(call: DaemonCall, approval: str) -> None:
    """Show APPROVAL: what is asked, and which answers there are."""
    found = call.ask("GET", f"{PATH}/{segment(approval)}")
    if call.as_json:
        call.fields(found)
    else:
        call.fields({name: _told(name, found[name]) for name in SHOWN if found.get(name) not in (None, "", [], False)})


@approvals.command()
@approval_argument
@click.argument("option", required=False)
@click.option("--note", help="A reason, which some agents pass on to their models.")
@click.option("--field", "fields", multiple=True, metavar="KEY=VALUE", help="A field of a form; repeatable.")
@daemon_command
def answer(call: DaemonCall, approval: str, option: str | None, note: str | None, fields: Sequence[str]) -> None:
    """Answer APPROVAL with OPTION, the id of one that is offered, such as yes, no, allow or reject."""
    body: dict[str, Json] = {"option": option or "", "note": note or "", "fields": _values(fields)}
    found = call.ask("POST", f"{PATH}/{segment(approval)}", body=body)
    if call.as_json:
        call.fields(found)
    else:
        click.echo(f"The answer {option} was given." if option else "The form was sent.")


def _told(name: str, value: Json) -> Json:
    """As a person reads it. The arguments of an agent are JSON, in which nothing looks like another line or is not
    seen."""
    if name == "input":
        return _visible(json.dumps(value, ensure_ascii=False, indent=2))
    if name in ("options", "fields") and isinstance(value, list):
        told = _option if name == "options" else _field
        return "\n".join(told(each) for each in value if isinstance(each, dict))
    return value


def _visible(text: str) -> str:
    return "".join(
        one if one == "\n" or unicodedata.category(one) not in ("Cc", "Cf", "Zl", "Zp") else f"\\u{ord(one):04x}"
        for one in text
    )


def _option(option: Mapping[str, Json]) -> str:
    return f"{option.get('id')}: {option.get('label')}"


def _field(field: Mapping[str, Json]) -> str:
    options = field.get("options")
    choices = ", ".join(map(str, options)) if isinstance(options, list) else ""
    told = [field.get("label"), field.get("kind"), "required" if field.get("required") else "", choices]
    return f"{field.get('key')}: " + "; ".join(str(each) for each in told if each)


def _values(fields: Sequence[str]) -> dict[str, Json]:
    """One that is repeated is a list. Raises `InvalidInput`."""
    found: dict[str, list[Json]] = {}
    for text in fields:
        key, sign, value = text.partition("=")
        if not sign:
            raise InvalidInput("A field is written KEY=VALUE.", details={"field": text})
        found.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}
