"""How the node Coding Agent shows its parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields

AGENT: UiFields = {
    "profile": Ui(help="The alias of the profile whose agent runs."),
    "prompt": Ui(
        "textarea", options={"rows": 4}, help="The task for the agent; leave it empty where arguments say it."
    ),
    "args": Ui(label="Arguments", help="Further arguments for the agent.", options={"add": "Add argument"}),
    "timeout": Ui(label="Timeout (s)", help="How long the agent may run, in seconds; else as the settings say."),
    "workingDirectory": Ui(placeholder="/home/ada/project", help="The directory to work in; else the profile's."),
    "outputFormat": Ui(
        choices={"text": "Text", "json": ("JSON", "The answer is read as JSON and comes as data.")},
        help="The form of the agent's answer.",
    ),
    "labels": Ui(
        label="Host labels",
        help="All labels that the host must have, such as gpu. Without any, every host that has the profile fits.",
        options={"add": "Add label"},
    ),
}
