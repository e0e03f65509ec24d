"""Every node of this plugin, by kind. A node's file is imported when the node is used first, so that a start costs
nothing."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer

MODULES: Mapping[str, str] = {
    "aggregate": "lists.aggregate",
    "code": "code_node",
    "compression": "files.compression",
    "convertToFile": "files.convert",
    "crypto": "data.crypto_node",
    "dateTime": "data.date_time",
    "compareDatasets": "comparing.node",
    "errorTrigger": "error_trigger",
    "executeWorkflow": "execute_workflow",
    "executeWorkflowTrigger": "execute_workflow_trigger",
    "extractFromFile": "files.extract",
    "filter": "filter_node",
    "function": "function_node",
    "functionItem": "function_item",
    "html": "data.html_node",
    "htmlExtract": "data.html_extract",
    "httpRequest": "http_request",
    "if": "if_node",
    "itemLists": "lists.item_lists",
    "jwt": "data.jwt_node",
    "limit": "lists.limit",
    "manualTrigger": "manual_trigger",
    "markdown": "data.markdown_node",
    "merge": "merging.node",
    "moveBinaryData": "files.move_binary_data",
    "noOp": "no_op",
    "readBinaryFile": "files.read_binary_file",
    "readBinaryFiles": "files.read_binary_files",
    "readWriteFile": "files.read_write",
    "removeDuplicates": "lists.remove_duplicates",
    "renameKeys": "lists.rename_keys",
    "respondToWebhook": "respond_to_webhook",
    "set": "set_node",
    "sort": "lists.sort",
    "splitInBatches": "loop_node",
    "splitOut": "lists.split_out",
    "spreadsheetFile": "files.spreadsheet_file",
    "start": "start",
    "stickyNote": "sticky_note",
    "stopAndError": "stop_and_error",
    "summarize": "lists.summarize",
    "switch": "switch_node",
    "wait": "wait_node",
    "writeBinaryFile": "files.write_binary_file",
    "xml": "data.xml_node",
}
"""Kind -> module of this package; it has a function `node(context)`."""


def node_types(context: PluginContext) -> list[NodeOffer]:
    """One offer per kind."""
    return [NodeOffer(kind, f"jackfield_nodes.{module}:node", (context,)) for kind, module in MODULES.items()]
