"""Every node of this plugin, by kind. A node's file is imported when the node is used first, so that a start costs
nothing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.nodes.later_outlines import LaterOutlines

OUTLINES = Path(__file__).with_name("outlines.json")
MODULES: Mapping[str, str] = {
    "aggregate": "lists.aggregate",
    "code": "code.code_node",
    "compression": "files.compression",
    "convertToFile": "files.convert",
    "crypto": "data.crypto_node",
    "dateTime": "data.date_time",
    "debugHelper": "flow.debug_helper",
    "compareDatasets": "comparing.node",
    "editImage": "images.node",
    "errorTrigger": "flow.error_trigger",
    "executeWorkflow": "flow.execute_workflow",
    "executeWorkflowTrigger": "flow.execute_workflow_trigger",
    "executionData": "flow.execution_data",
    "extractFromFile": "files.extract",
    "filter": "flow.filter_node",
    "function": "code.function_node",
    "functionItem": "code.function_item",
    "html": "data.html_node",
    "htmlExtract": "data.html_extract",
    "httpRequest": "http.request_node",
    "if": "flow.if_node",
    "itemLists": "lists.item_lists",
    "jwt": "data.jwt_node",
    "langchain.modelSelector": "flow.model_selector",
    "limit": "lists.limit",
    "localFileTrigger": "files.local_file_trigger",
    "manualTrigger": "flow.manual_trigger",
    "markdown": "data.markdown.node",
    "merge": "merging.node",
    "moveBinaryData": "files.move_binary_data",
    "noOp": "flow.no_op",
    "readBinaryFile": "files.read_binary_file",
    "readBinaryFiles": "files.read_binary_files",
    "readWriteFile": "files.read_write",
    "removeDuplicates": "lists.remove_duplicates",
    "renameKeys": "fields.rename_keys",
    "respondToWebhook": "flow.respond_to_webhook",
    "set": "fields.set_node",
    "sort": "lists.sort",
    "splitInBatches": "flow.loop_node",
    "splitOut": "lists.split_out",
    "spreadsheetFile": "files.spreadsheet_file",
    "sseTrigger": "http.sse_trigger",
    "start": "flow.start",
    "stickyNote": "flow.sticky_note",
    "stopAndError": "flow.stop_and_error",
    "summarize": "lists.summarize",
    "switch": "flow.switch_node",
    "wait": "flow.wait_node",
    "writeBinaryFile": "files.write_binary_file",
    "xml": "data.xml.node",
}
"""Kind -> module of this package; it has a function `node(context)`."""


def node_types(context: PluginContext) -> list[NodeOffer]:
    """One offer per kind."""
    of = LaterOutlines(OUTLINES).of
    return [
        NodeOffer(kind, f"jackfield_nodes.{module}:node", (context,), outline=partial(of, kind))
        for kind, module in MODULES.items()
    ]
