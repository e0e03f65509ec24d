"""How the node Terminal Session shows its parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Case, Ui, UiFields

_START: Case = {"operation": "start"}
_SEND: Case = {"operation": "send"}
_WAIT: Case = {"operation": "wait"}
SESSION: UiFields = {
    "operation": Ui(
        choices={
            "start": ("Start", "Starts a profile's agent in a terminal."),
            "send": ("Send", "Types a text or keys."),
            "wait": ("Wait", "Waits until the screen is still, shows a text, or the agent ends."),
            "read": ("Read", "Gives the text of the screen."),
            "stop": ("Stop", "Ends the session."),
        },
        help="The work that the node does.",
    ),
    "profile": Ui(when=_START, help="The alias of the profile whose agent starts."),
    "args": Ui(
        label="Arguments", when=_START, help="Further arguments for the agent.", options={"add": "Add argument"}
    ),
    "workingDirectory": Ui(when=_START, placeholder="/home/ada/project", help="The directory; else the profile's."),
    "cols": Ui(label="Columns", when=_START, help="How wide the terminal is."),
    "rows": Ui(when=_START, help="How high the terminal is."),
    "record": Ui(when=_START, help="Records the session."),
    "persist": Ui(when=_START, help="The session outlives the daemon; else as the profile says."),
    "sessionId": Ui(label="Session ID", hide=_START, help="The session, as Start gives it."),
    "text": Ui("textarea", when=_SEND, help="The text that is typed."),
    "keys": Ui(when=_SEND, help="Keys after the text, such as enter, up or ctrl-c.", options={"add": "Add key"}),
    "waitFor": Ui(
        when=_WAIT,
        choices={"idle": "A still screen", "regex": "A text", "exit": "The end of the agent"},
        help="The event that ends the wait.",
    ),
    "pattern": Ui(when={**_WAIT, "waitFor": "regex"}, help="A regular expression for the text of the screen."),
    "quiet": Ui(label="Still for (s)", when={**_WAIT, "waitFor": "idle"}, help="Seconds without a change."),
    "timeout": Ui(label="Timeout (s)", when=_WAIT, help="How long to wait, in seconds."),
    "failOnTimeout": Ui(label="Fail on timeout", when=_WAIT, help="Fails when the awaited text has not come in time."),
}
