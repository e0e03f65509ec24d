"""A hook of MkDocs: the reference of `jackfield.api`, one page for each group of its modules, under `reference/`.

mkdocstrings reads the modules without importing them. The pages stay out of the search, which finds the guides first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

API = Path(__file__).resolve().parents[1] / "src" / "jackfield" / "api"
RHAI_GUIDE = API.parents[2] / "rhai-python" / "docs" / "rhai.md"
FOLDER = "reference"
GROUPS = {
    "plugins": ("Plugins and hooks", "plugin hooks context extensions settings errors version diagnosis clock records"),
    "workflows": (
        "Workflows and executions",
        "workflows engine history expressions scripts run_rights saved_documents failure_reports data_tables",
    ),
    "nodes": ("Nodes", "nodes form_fields form_rows credentials http_client binary databases ai questions"),
    "triggers": ("Triggers and webhooks", "triggers call_triggers webhooks registrations resume streaming"),
    "http": ("Routes and the management API", "http asgi schemas paging multipart management own_calls browser"),
    "people": ("People and rights", "auth node_rules roles logins login_groups projects tool_scopes approvals"),
    "agents": (
        "Agents",
        "agents agent_protocols agent_screens agent_sessions profiles profile_tools terminals providers proxy gateway",
    ),
    "commands": ("Commands", "cli daemon daemon_commands daemon_requests"),
    "telemetry": ("Events and telemetry", "events event_reach telemetry usage execution_counts time_spreads"),
    "stores": (
        "Stores, buses and hosts",
        "storage store_forms store_moves store_copies bus bus_drivers hosts memos sql",
    ),
}
"""Page -> its title, and its modules. A module that no group names stands under `helpers`."""
HELPERS = ("helpers", "Helpers")
HEAD = """---
search:
  exclude: true
---
# {title}

{lead}

"""
LEAD = "A plugin imports these modules. [Plugins](../plugins.md) shows them at work."


def modules() -> list[str]:
    """The public modules and packages of `jackfield.api`."""
    found = (path for path in API.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file())
    return sorted(path.stem for path in found if not path.stem.startswith("_"))


def pages() -> Iterator[tuple[str, str]]:
    """(name below `docs/`, text) of each."""
    left = set(modules())
    for name, (title, listed) in GROUPS.items():
        members = [module for module in listed.split() if module in left]
        left -= set(members)
        yield f"{FOLDER}/{name}.md", page(title, members)
    name, title = HELPERS
    yield f"{FOLDER}/{name}.md", page(title, sorted(left))
    head = HEAD.format(title="The Python package rhai", lead=RHAI)
    yield f"{FOLDER}/rhai.md", head + rhai_guide() + directive("rhai")


RHAI = """The package `rhai-python` runs scripts in Rhai from Python, without a daemon.
[Scripts in Rhai](../rhai.md) describes the language."""


def rhai_guide() -> str:
    """The package's own page without its title. It names `register_fn`, which mkdocstrings leaves out: a stub has its
    overloads alone."""
    return RHAI_GUIDE.read_text(encoding="utf-8").partition("\n")[2].lstrip() + "\n"


def page(title: str, members: list[str]) -> str:
    return HEAD.format(title=title, lead=LEAD) + "\n".join(directive(f"jackfield.api.{member}") for member in members)


def directive(module: str) -> str:
    return f"::: {module}\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Called by MkDocs when it has found the files that are there."""
    for name, text in pages():
        files.append(File.generated(config, name, content=text))
    return files
