"""Writes the parts of the documentation that the code knows best: every setting, every endpoint, every error code,
every difference from n8n, and what scripts in Rhai can call.

`python docs/generate.py` rewrites them between their marks; `--check` only says whether they are up to date.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path

import rhai_reference
import setting_reference

from jackfield.api import errors
from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.scripts import SCRIPT_ENGINES, ScopedScripts
from jackfield.cli.runtime import Runtime
from jackfield.testing.daemon import Daemon
from jackfield_mcp.catalogue import TOOLS
from jackfield_profiles.commands.script_checking import ScriptChecks

DOCS = Path(__file__).resolve().parent
FIRST_VERSIONS = setting_reference.FirstVersions(DOCS / "settings-since.json")


def settings() -> str:
    """The settings as `jackfield config --format markdown` prints them, each with an anchor and its first version."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "jackfield", "config", "--format", "markdown", "--config-dir", directory]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=env)  # noqa: S603 - our own program
    return setting_reference.with_anchors(run.stdout, FIRST_VERSIONS)


def endpoints() -> str:
    """A table of every operation that a running daemon describes."""
    with tempfile.TemporaryDirectory() as directory:
        daemon = Daemon(Path(directory))
        try:
            document = daemon.start().client().get("/openapi.json").raise_for_status().json()
        finally:
            daemon.close()
    lines = ["| Method | Path | Name | Scope | What it does |", "| --- | --- | --- | --- | --- |"]
    for path, methods in sorted(document["paths"].items()):
        for method, described in sorted(methods.items()):
            scope = described.get("x-scope", "public").replace("any", "any credential")
            name = described["operationId"]
            lines.append(f"| {method.upper()} | `{path}` | `{name}` | {scope} | {described['summary']} |")
    return "\n".join(lines)


def error_codes() -> str:
    """A table of the error tree."""
    lines = ["| Status | Code | Default message |", "| --- | --- | --- |"]
    found = {(error.status, error.code): error for error in error_classes(JackfieldError)}
    for (status, code), error in sorted(found.items()):
        message = " ".join((error.__doc__ or "").split("\n\n")[0].split())
        lines.append(f"| {status} | `{code}` | {message} |")
    return "\n".join(lines)


def error_classes(parent: type[JackfieldError]) -> Iterator[type[JackfieldError]]:
    """The class and everything below it, as far as callers see it."""
    if parent not in (errors.ConfigurationError, errors.RouteConflict):
        yield parent
    for child in parent.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from error_classes(child)


def differences() -> str:
    """What Jackfield does unlike n8n, by family, from the list that the comparison with n8n checks."""
    files = sorted((DOCS.parent / "tests/n8n/differences").glob("*.toml"))
    listed = [entry for file in files for entry in tomllib.loads(file.read_text(encoding="utf-8"))["difference"]]
    lines = ["| Family | Cases | Reason |", "| --- | --- | --- |"]
    for entry in listed:
        cases = "<br>".join(f"`` {case} ``".replace("|", "\\|") for case in entry["cases"])
        lines.append(f"| {entry['family']} | {cases} | {entry['reason']} |")
    return "\n".join(lines)


def script_variables() -> Mapping[str, Json]:
    """What a script of a shipped agent is given."""

    async def work(context: PluginContext) -> Mapping[str, Json]:
        engine = context.extensions(SCRIPT_ENGINES)["rhai"]
        if not isinstance(engine, ScopedScripts):
            raise TypeError("the engine for Rhai runs no scripts of their own")
        samples = await ScriptChecks(context, engine).samples(await context.port(Agents).find("claude"))
        return samples[0].ctx

    with tempfile.TemporaryDirectory() as directory:
        return Runtime().run_in(Path(directory), "profiles", work)


def mcp_tools() -> str:
    """A table of the tools of the daemon's MCP server."""
    lines = ["| Tool | Scopes | | What it does |", "| --- | --- | --- | --- |"]
    for tool in TOOLS:
        marks = {"reads": tool.reads, "destructive": tool.destroys, "outward": tool.outward}
        scopes = ", ".join(f"`{scope}`" for scope in tool.scopes)
        marked_so = ", ".join(word for word, holds in marks.items() if holds)
        lines.append(f"| `{tool.name}` | {scopes} | {marked_so} | {tool.description} |")
    return "\n".join(lines)


PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("configuration.md", settings),
    "endpoints": ("api.md", endpoints),
    "errors": ("api.md", error_codes),
    "mcp-tools": ("mcp.md", mcp_tools),
    "differences": ("n8n.md", differences),
    **{name: ("rhai.md", write) for name, write in rhai_reference.parts(script_variables)},
}


def marked(name: str, text: str, content: str) -> str:
    """The text with this content between the part's marks."""
    start, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    before, rest = text.split(start, 1)
    return f"{before}{start}\n\n{content.strip()}\n\n{end}{rest.split(end, 1)[1]}"


def require_every_plugin() -> None:
    """Tables of a plugin that was added after the installation would be dropped. Ends the program then."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]["entry-points"]
    missing = set(project["jackfield"]) - {found.name for found in entry_points(group="jackfield")}
    if missing:
        sys.exit(f"Not installed: {', '.join(sorted(missing))}. Run pip install -e . again.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when something is out of date")
    check = parser.parse_args().check
    require_every_plugin()
    stale = []
    for name, (file, generate) in PARTS.items():
        page = DOCS / file
        present = page.read_text()
        wanted = marked(name, present, generate())
        if wanted != present:
            stale.append(f"{file}: {name}")
            if not check:
                page.write_text(wanted)
    if FIRST_VERSIONS.is_stale():
        stale.append("settings-since.json")
        if not check:
            FIRST_VERSIONS.write()
    for name in stale:
        sys.stdout.write(f"{'out of date' if check else 'written'}: {name}\n")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
