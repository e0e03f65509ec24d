"""A node type's description of itself: for the editor, for the API, and for checks of a workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from ..jsontext import Json
from ..records import record


@record
class NodeCredential:
    """A kind of credential that a node uses.

    `kind`: empty when a parameter names it. `parameter`: the one that does. `required`: whether the node can do nothing
    without. `when`: it counts only while each of these parameters has one of these values. An empty one stands for a
    parameter without a value. `@version` is the node's version.
    """

    kind: str = ""
    parameter: str = ""
    required: bool = True
    when: Mapping[str, Sequence[str]] = field(default_factory=dict)


@record
class NodeShape:
    """The inputs and outputs of a node while its parameters have certain values, as an editor draws it."""

    when: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    """Paths of parameters, such as `options.mode`, and the values that each of them may have. Empty: otherwise."""
    inputs: int = 1
    outputs: Sequence[str] = ("main",)
    provides: str = ""
    accepts: Sequence[str] = ()


@record
class NodeDescription:
    """The description that `GET /node-types` and the editor show."""

    display_name: str
    summary: str
    group: str
    """trigger, flow, transform, output, code, network"""
    inputs: int = 1
    outputs: Sequence[str] = ("main",)
    trigger: bool = False
    provides: str = ""
    """The kind of wire by which it serves another node, such as `ai_tool`; empty: it runs in turn."""
    accepts: Sequence[str] = ()
    """The kinds of such wires that it takes."""
    needs: Sequence[str] = ()
    """Those of them without which it cannot run."""
    credentials: Sequence[NodeCredential] = ()
    missing: str = ""
    """The reason that keeps it from running, with the remedy: a library is not installed (`libraries.lacking_library`),
    or nothing but its parameters is known. Then it is offered to nobody who does not ask for it. Empty: it runs."""
    scopes: Sequence[str] = ()
    """Names of `jackfield.api.auth.SCOPES` that you need to store, activate or start a workflow with such a node.
    `machine:write` is for nodes that reach the machine, `agents:write` for those that start an agent. See also
    `ScopedNode`."""
    icon: str = ""
    """An icon's name, such as `webhook` or `slack`; the browser decides on the picture. `kilns/oven` is the picture
    `oven.svg` of the browser extension `kilns` (`jackfield.api.browser`). Empty: that of the group."""
    shapes: Sequence[NodeShape] = ()
    """The parts of `inputs`, `outputs`, `provides` and `accepts` that it has with which parameters; the first whose
    `when` holds counts. Empty: always all of them."""
    help: str = ""
    """The page of the documentation that describes it, such as `webhooks` or `webhooks#the-node`; a plugin's own is an
    `https` address. Empty: the page of the group, if there is one."""
    reads_items: bool = True
    """Whether items change what a node does beyond the expressions in its parameters. A caller without the scopes may
    change the nodes in front of one that reads none and has no expression."""
