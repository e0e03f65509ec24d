"""How Code nodes show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields

_CODE = {"language": "javascript"}
CODE: UiFields = {
    "language": Ui(
        choices={
            "javaScript": "JavaScript",
            "python": "Python",
            "pythonNative": "Python (native)",
            "rhai": "Rhai",
        },
        help="The language of the program.",
        expression=False,
    ),
    "mode": Ui(
        choices={
            "runOnceForAllItems": ("Once for all items", "The program sees all items at once."),
            "runOnceForEachItem": ("Once per item", "The program runs for each item by itself."),
        },
        help="How often the program runs.",
        expression=False,
    ),
    "jsCode": Ui("code", label="JavaScript", when={"language": "javaScript"}, options=_CODE, expression=False),
    "pythonCode": Ui(
        "code",
        label="Python",
        when={"language": ["python", "pythonNative"]},
        options={"language": "python"},
        expression=False,
    ),
    "rhaiCode": Ui("code", label="Rhai", when={"language": "rhai"}, options={"language": "rhai"}, expression=False),
}
FUNCTION: UiFields = {"functionCode": Ui("code", label="JavaScript", options=_CODE, expression=False)}
