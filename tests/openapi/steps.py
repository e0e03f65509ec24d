"""The operations as a state machine: answers feed later requests. The links are those that schemathesis finds in names
and schemas."""

from __future__ import annotations

from typing import Any

from contract import Contract
from schemathesis import Response
from schemathesis.generation.stateful.state_machine import APIStateMachine


def machine_of(contract: Contract) -> type[APIStateMachine]:
    base: Any = contract.schema.as_state_machine()  # made at run time

    class Steps(base):  # type: ignore[misc]
        def call(self, case: Any, **kwargs: Any) -> Response:
            return Response.from_any(contract.send(case.operation.label, case))

        def validate_response(self, response: Response, case: Any, **kwargs: Any) -> None:
            """It was, with all that is known of the request."""

    found: type[APIStateMachine] = Steps
    return found
