"""Workflows: documents, executions and the run loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.context import PluginContext, WorkflowReader
    from jackfield.api.engine import Engine


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_workflows.settings import WorkflowsSettings
    from jackfield_workflows.settings_executions import ExecutionsSettings

    return [SettingsTable("workflows", WorkflowsSettings), SettingsTable("executions", ExecutionsSettings)]


@hookimpl
def jackfield_workflow_reader(context: PluginContext) -> WorkflowReader:
    from jackfield_workflows.reader import CachedReader

    return CachedReader(context)


@hookimpl
def jackfield_engine(context: PluginContext) -> Engine:
    from jackfield_workflows.engine import build

    return build(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_workflows.api import blueprints

    return blueprints(context)


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_workflows.cli.commands import workflow

    return [workflow]


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    from jackfield_workflows.retention import prune_forever
    from jackfield_workflows.settings_executions import ExecutionsSettings

    context.spawn("retention", prune_forever(context, context.settings(ExecutionsSettings)))
