"""How Code nodes show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields

_CODE = {"language": "javascript"}
_JAVASCRIPT = Ui("code", label="JavaScript", options=_CODE, help="The program.", expression=False)
CODE: UiFields = {
    "language": Ui(
        when={"@version": {"_cnd": {"gte": 2}}},
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
    "jsCode": (
        Ui(when={"language": "javaScript", "@version": {"_cnd": {"gte": 2}}}).over(_JAVASCRIPT),
        Ui(when={"@version": 1}).over(_JAVASCRIPT),
    ),
    "pythonCode": Ui(
        "code",
        label="Python",
        when={"language": ["python", "pythonNative"], "@version": {"_cnd": {"gte": 2}}},
        options={"language": "python"},
        expression=False,
    ),
    "rhaiCode": Ui(
        "code",
        label="Rhai",
        when={"language": "rhai", "@version": {"_cnd": {"gte": 2}}},
        options={"language": "rhai"},
        expression=False,
    ),
}
FUNCTION: UiFields = {"functionCode": Ui("code", label="JavaScript", options=_CODE, expression=False)}
