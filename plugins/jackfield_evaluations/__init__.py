"""Evaluations: rows of a data table that run through a workflow or an agent, scored, counted and compared."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later, when_built


class EvaluationsPlugin(Plugin):
    """Evaluations: rows of a data table that run through a workflow or an agent, scored, counted and compared."""

    name = "evaluations"
    settings = (SettingsTable("evaluations", "jackfield_evaluations.settings:EvaluationsSettings"),)
    commands = ("jackfield_evaluations.cli.evaluate:evaluate", "jackfield_evaluations.cli.commands:evaluation")
    provides = {
        "jackfield.api.portable_documents:PortableEvaluations": "jackfield_evaluations.portable:EvaluationDocuments"
    }
    parts = (
        "jackfield_evaluations.book:EvaluationBook",
        "jackfield_evaluations.running.runs:EvaluationRuns",
    )
    first_process_only = True

    jackfield_nodes = later("jackfield_evaluations.nodes.catalogue:node_types")
    jackfield_triggers = later("jackfield_evaluations.nodes.catalogue:triggers")
    jackfield_blueprints = later("jackfield_evaluations.http.blueprints:blueprints")
    start = deferred("jackfield_evaluations.running.upkeep:start")
    stop = when_built("jackfield_evaluations.running.runs:EvaluationRuns", "jackfield_evaluations.running.upkeep:stop")
