"""Every operation of `/openapi.json`, called with generated requests: the status is documented, the body is as the
document says, and nothing answers 5xx.

`JACKFIELD_TEST_OPENAPI_EXAMPLES`: requests to each operation, as `tox -e openapi` and `tox -e fuzz` ask for them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contract import Contract

MANY = int(os.environ.get("JACKFIELD_TEST_OPENAPI_EXAMPLES", "0"))


def test_answers_are_those_of_the_description(contract: Contract) -> None:
    contract.hold(MANY)
    print(f"{sum(contract.sent.values())} requests: {dict(sorted(contract.statuses.items()))}")
    assert set(contract.sent) == {operation.label for operation in contract.operations}
    assert {200, 400, 401, 404} <= set(contract.statuses), "the requests reach little"
    assert not contract.broken, contract.report()


def test_an_undocumented_answer_is_found(contract: Contract) -> None:
    """The test above would pass as well if it compared nothing."""
    document = contract.document
    del document["paths"]["/api/v1/workflows/{workflow_id}"]["get"]["responses"]["404"]
    document["components"]["schemas"]["AgentList"]["required"].append("nonsense")
    del document["paths"]["/api/v1/workflows/{workflow_id}"]["get"]["responses"]["200"]["headers"]["ETag"]
    del document["components"]["schemas"]["AgentItem"]["properties"]["installed"]
    contract.take(document, {"/api/v1/workflows/{workflow_id}", "/api/agents"})
    contract.hold(20)
    found = "\n".join(contract.broken)
    assert "GET /api/v1/workflows/{workflow_id}: 404: Undocumented status code" in found
    assert "GET /api/agents: 200: Response violates schema" in found
    assert "GET /api/v1/workflows/{workflow_id}: 200: header etag is not described" in found
    assert "GET /api/agents: 200: field .data[].installed is not described" in found
