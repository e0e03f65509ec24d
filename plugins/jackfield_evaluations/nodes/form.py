"""How the nodes of evaluations show their parameters."""

from __future__ import annotations

from pydantic import JsonValue

from jackfield.api.nodes.ui import Case, Ui, UiFields

_METRICS: Case = {"operation": "setMetrics"}
_COMPARED: list[JsonValue] = ["correctness", "stringSimilarity", "categorization"]
_SOURCE = Ui(
    label="Source", choices={"dataTable": "Data table", "googleSheets": "Google Sheets (is not read)"}, expression=False
)
LOCATOR = Ui(
    "locator",
    label="Data table",
    options={
        "modes": [{"name": "list", "label": "From list"}, {"name": "id", "label": "By ID"}],
        "opens": "data-tables",
    },
)
TRIGGER_FORM: UiFields = {
    "source": _SOURCE,
    "dataTableId": Ui(when={"source": "dataTable"}),
    "limitRows": Ui(label="Limit rows"),
    "maxRows": Ui(label="Most rows", when={"limitRows": True}),
    "filterRows": Ui(label="Filter rows", when={"source": "dataTable"}),
    "matchType": Ui(
        label="Rows must meet",
        when={"filterRows": True},
        choices={"anyCondition": "Any condition", "allConditions": "All conditions"},
    ),
    "filters": Ui(label="Conditions", when={"filterRows": True}, options={"add": "Add condition"}),
}
EVALUATION_FORM: UiFields = {
    "operation": Ui(
        choices={
            "setInputs": "Set inputs",
            "setOutputs": "Set outputs",
            "setMetrics": "Set metrics",
            "checkIfEvaluating": "Check if evaluating",
        },
        expression=False,
    ),
    "source": Ui(label="Source", when={"operation": "setOutputs"}, choices=_SOURCE.choices, expression=False),
    "dataTableId": Ui(when={"operation": "setOutputs", "source": "dataTable"}),
    "inputs": Ui(label="Inputs", when={"operation": "setInputs"}, options={"add": "Add input"}),
    "outputs": Ui(label="Outputs", when={"operation": "setOutputs"}, options={"add": "Add output"}),
    "metric": Ui(
        when=_METRICS,
        choices={
            "correctness": ("Correctness (by a model)", "1 to 5: whether the answer agrees with the expected one."),
            "helpfulness": ("Helpfulness (by a model)", "1 to 5: whether the answer helps with the query."),
            "stringSimilarity": ("Similarity of texts", "0 to 1, by the number of characters that differ."),
            "categorization": ("Categorization", "1 where both answers are the same, else 0."),
            "toolsUsed": ("Tools used", "0 to 1: the part of the expected tools that an agent has called."),
            "customMetrics": ("Metrics of your own", "Numbers that other nodes have calculated."),
        },
        expression=False,
    ),
    "expectedAnswer": Ui(when={**_METRICS, "metric": _COMPARED}),
    "actualAnswer": Ui(when={**_METRICS, "metric": [*_COMPARED, "helpfulness"]}),
    "userQuery": Ui(when={**_METRICS, "metric": "helpfulness"}),
    "expectedTools": Ui(when={**_METRICS, "metric": "toolsUsed"}),
    "intermediateSteps": Ui(when={**_METRICS, "metric": "toolsUsed"}),
    "prompt": Ui("textarea", when={**_METRICS, "metric": ["correctness", "helpfulness"]}),
    "metrics": Ui("assignments", label="Metrics", when={**_METRICS, "metric": "customMetrics"}),
    "options": Ui(when={**_METRICS}, hide={"metric": "customMetrics"}),
}
