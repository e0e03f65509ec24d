"""How the nodes of the flow show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words
from jackfield_nodes.conditions.form import OPERATIONS

_RULES: Case = {"mode": "rules"}
_EXPRESSION: Case = {"mode": "expression"}
SWITCH: UiFields = {
    "mode": Ui(
        choices={
            "rules": ("Rules", "Each rule has conditions and an output."),
            "expression": ("Expression", "An expression gives the number of the output."),
        },
        help="How the output of an item is found.",
    ),
    "output": Ui("number", label="Output", when=_EXPRESSION, help="The number of the output, from 0 on."),
    "numberOutputs": Ui(label="Number of outputs", when=_EXPRESSION, help="How many outputs the node has."),
    "outputsAmount": Ui(label="Number of outputs", when=_EXPRESSION, help="How many outputs the node has."),
    "rules": Ui(
        label="Rules", when=_RULES, options={"add": "Add rule"}, help="An item takes the first rule that fits."
    ),
    "looseTypeValidation": Ui(
        label="Convert types",
        when={**_RULES, "@version": {"_cnd": {"gte": 3.1}}},
        help="Converts values of other types before they are compared.",
    ),
    "dataType": Ui(
        label="Type of the value",
        when=_RULES,
        choices={"boolean": "True or false", "dateTime": "Date and time", "number": "Number", "string": "Text"},
        help="The type that both sides of a rule have.",
    ),
    "value1": Ui(label="Value", when=_RULES, help="The value that all rules compare."),
    "options": Ui(when=_RULES),
    "fallbackOutput": Ui(
        when=_RULES,
        choices={-1: "None", 0: "0", 1: "1", 2: "2", 3: "3"},
        help="The output of items that no rule fits.",
    ),
}
SWITCH_OPTIONS: UiFields = {
    "fallbackOutput": Ui(
        choices={
            "none": ("None", "Items that no rule fits are dropped."),
            "extra": ("Extra output", "Gives those items their own output."),
        },
        help="Where items go that no rule fits.",
    ),
    "allMatchingOutputs": Ui(
        label="Send to all that match", help="An item goes to the output of every rule that fits."
    ),
    "looseTypeValidation": Ui(label="Convert types", when={"@version": 3}),
    "renameFallbackOutput": Ui(
        label="Name of the extra output", when={"fallbackOutput": "extra"}, help="The label of that output."
    ),
}
BLOCK_RULE: UiFields = {
    "renameOutput": Ui(label="Rename output", help="Gives the rule's output a name."),
    "outputKey": Ui(label="Output name", when={"renameOutput": True}, help="The label of the rule's output."),
}
COMPARISON_RULE: UiFields = {
    "value1": Ui("hidden"),
    "operation": Ui(choices=OPERATIONS),
    "value2": Ui(label="Compared with", hide={"operation": ["isEmpty", "isNotEmpty"]}),
    "output": Ui("number", when={"@version": 1}),
    "outputKey": Ui(label="Output name", when={"@version": 2}),
}
MODEL_SELECTOR: UiFields = {
    "numberInputs": Ui(label="Number of models", help="How many models you can attach."),
    "rules": Ui(label="Rules", options={"add": "Add rule"}, help="The first rule that fits chooses the model."),
}
MODEL_RULE: UiFields = {"modelIndex": Ui(label="Model", help="The model's place among those attached, from 1 on.")}

LOOP: UiFields = {"batchSize": Ui(label="Batch size", help="How many items each round of the loop gets.")}
LOOP_OPTIONS: UiFields = {"reset": Ui(help="Begins a new loop with the items that come in now.")}

_UNITS: Mapping[Scalar, Words] = {"seconds": "Seconds", "minutes": "Minutes", "hours": "Hours", "days": "Days"}
_INTERVAL: Case = {"resume": "timeInterval"}
_CALL: Case = {"resume": ["webhook", "form"]}
_LIMITED: Case = {**_CALL, "limitWaitTime": True}
WAIT: UiFields = {
    "resume": Ui(
        label="Resume",
        choices={
            "timeInterval": "After a time",
            "specificTime": "At a date and time",
            "webhook": "When its address is called",
            "form": "When a form is sent",
        },
        help="When the workflow goes on.",
    ),
    "amount": Ui(label="Wait for", when=_INTERVAL, help="How long to wait, in the unit below."),
    "unit": Ui(when=_INTERVAL, choices={"milliseconds": "Milliseconds", **_UNITS}, help="The unit of that time."),
    "dateTime": Ui("date", label="Date and time", when={"resume": "specificTime"}),
    "limitWaitTime": Ui(label="Limit the wait", when=_CALL, help="Goes on after a time even when no call has come."),
    "limitType": Ui(
        label="Limit",
        when=_LIMITED,
        choices={"afterTimeInterval": "After a time", "atSpecifiedTime": "At a date and time"},
        help="When the wait ends at the latest.",
    ),
    "resumeAmount": Ui(label="At most", when={**_LIMITED, "limitType": "afterTimeInterval"}, help="In the unit below."),
    "resumeUnit": Ui(
        label="Unit",
        when={**_LIMITED, "limitType": "afterTimeInterval"},
        choices=_UNITS,
        help="The unit of that time.",
    ),
    "maxDateAndTime": Ui("date", label="At the latest", when={**_LIMITED, "limitType": "atSpecifiedTime"}),
}

STOP: UiFields = {
    "errorType": Ui(
        choices={"errorMessage": "Message", "errorObject": "Object"}, help="Whether the error is a text or an object."
    ),
    "errorMessage": Ui("textarea", label="Message", when={"errorType": "errorMessage"}, help="The error's text."),
    "errorObject": Ui("json", label="Object", when={"errorType": "errorObject"}),
}
DEBUG: UiFields = {
    "category": Ui(
        label="Do",
        choices={
            "doNothing": "Nothing",
            "throwError": "Fail with an error",
            "oom": "Use up the memory (not available)",
            "randomData": "Random data (not available)",
        },
    ),
    "throwErrorMessage": Ui("textarea", label="Message", when={"category": "throwError"}, help="The error's text."),
}
STICKY: UiFields = {
    "content": Ui("textarea", options={"rows": 6}, help="The note's text, in Markdown."),
    "color": Ui("color"),
}

EXECUTE_WORKFLOW: UiFields = {
    "source": Ui(
        choices={
            "database": "A saved workflow",
            "parameter": "JSON below",
            "localFile": "A file",
            "url": "A URL (not available)",
        },
        help="Where the workflow is.",
    ),
    "workflowId": Ui("workflow", label="Workflow", when={"source": "database"}, help="The saved workflow that is run."),
    "workflowJson": Ui("json", label="Workflow as JSON", when={"source": "parameter"}),
    "workflowPath": Ui(label="Path of the file", when={"source": "localFile"}),
    "workflowInputs": Ui("mapper", when={"source": "database", "@version": {"_cnd": {"gte": 1.2}}}),
    "mode": Ui(choices={"once": "Once with all items", "each": "Once per item"}, help="How often the workflow is run."),
}
SUB_WORKFLOW_OPTIONS: UiFields = {
    "waitForSubWorkflow": Ui(label="Wait for the workflow", help="Without it, the node's own items go on at once."),
}
EXECUTE_TRIGGER: UiFields = {
    "inputSource": Ui(
        label="Input fields",
        choices={
            "workflowInputs": "Define fields below",
            "jsonExample": "From a JSON example",
            "passthrough": "Accept everything",
        },
        help="How you tell which fields callers fill.",
    ),
    "workflowInputs": Ui(
        label="Fields",
        when={"inputSource": "workflowInputs"},
        options={"add": "Add field"},
        help="The fields that callers fill, with their types.",
    ),
    "jsonExample": Ui("json", when={"inputSource": "jsonExample"}),
}
TYPES: Mapping[Scalar, Words] = {
    "string": "Text",
    "number": "Number",
    "boolean": "True or false",
    "array": "List",
    "object": "Object",
    "any": "Any",
}
INPUT_FIELD: UiFields = {"type": Ui(choices=TYPES, help="The type of the field's values.")}
EXECUTION_DATA: UiFields = {
    "operation": Ui(choices={"save": "Save for search"}),
    "dataToSave": Ui(label="Data to save", options={"add": "Add data"}, help="Notes by which you find the execution."),
}

_WITH: Case = {"respondWith": ["json", "text"]}
RESPOND: UiFields = {
    "respondWith": Ui(
        choices={
            "firstIncomingItem": "The first item",
            "allIncomingItems": "All items",
            "json": "JSON",
            "text": "Text",
            "binary": "A file",
            "redirect": "A redirect",
            "jwt": "A JWT",
            "noData": "No body",
        },
        help="The body of the answer to the call.",
    ),
    "responseBody": (
        Ui("json", label="Body", when={"respondWith": "json"}, help="The JSON that is answered."),
        Ui("textarea", label="Body", when={"respondWith": "text"}, help="The text that is answered."),
    ),
    "redirectURL": Ui(when={"respondWith": "redirect"}, placeholder="https://example.com/thanks"),
    "responseDataSource": Ui(
        label="File",
        when={"respondWith": "binary"},
        choices={"automatically": "The item's first file", "set": "Of a field"},
        help="Which file of the item is answered.",
    ),
    "inputFieldName": Ui(label="File field", when={"respondWith": "binary", "responseDataSource": "set"}),
    "payload": Ui("json", label="Claims", when={"respondWith": "jwt"}),
    "enableResponseOutput": Ui(
        label="Output for the answer",
        when={"@version": {"_cnd": {"gte": 1.4}}},
        help="Adds a second output that gives the answer as it was sent.",
    ),
}
RESPOND_OPTIONS: UiFields = {
    "responseCode": Ui(label="Status code"),
    "responseHeaders": Ui(label="Headers", options={"add": "Add header"}, help="Further headers of the answer."),
    "responseKey": Ui(label="Put into a field", when={"/respondWith": ["firstIncomingItem", "allIncomingItems"]}),
    "enableStreaming": Ui(label="Stream", when={"@version": {"_cnd": {"gte": 1.5}}}),
}
