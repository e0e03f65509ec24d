"""Nodes that need no service: fields, branches, lists, files, code, waiting, HTTP, answers and sub-workflows."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class NodesPlugin(Plugin):
    """The first nodes: fields, branches, code, waiting, HTTP, answers, sub-workflows, triggers started by hand."""

    name = "nodes"
    settings = (
        SettingsTable("nodes.files", "jackfield_nodes.files.settings:FilesSettings"),
        SettingsTable("nodes.http", "jackfield_nodes.http.settings:HttpSettings"),
        SettingsTable("nodes.images", "jackfield_nodes.images.settings:ImageSettings"),
        SettingsTable("nodes.merge", "jackfield_nodes.merging.settings:MergeSettings"),
    )
    provides = {"jackfield.api.http_client:HttpClient": "jackfield_nodes.http.client:GuardedClient"}

    jackfield_nodes = later("jackfield_nodes.catalogue:node_types")
