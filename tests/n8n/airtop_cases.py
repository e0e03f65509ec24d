"""Airtop."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"airtopApi": {"apiKey": "key-of-airtop"}}
INPUT = [{"json": {"sessionId": "s1", "windowId": "w1"}}]
SESSION = {"data": {"id": "s1", "status": "running", "note": None}, "meta": {"a": 1}}
WINDOW = {"data": {"windowId": "w1", "targetId": "t"}}
PLACE = "/api/v1/sessions/s1/windows/w1"
LOOKED = {"sessionMode": "existing", "prompt": "Is there a form?"}
NEW = {"sessionMode": "new", "url": "https://a.example", "profileName": "p-1", "prompt": "Is there a form?"}
OPENED = [Answer("/api/v1/sessions", SESSION, "POST"), Answer("/api/v1/sessions/s1/windows", WINDOW, "POST")]
CLOSED = Answer("/api/v1/sessions/s1", {}, "DELETE")
SAID = {"data": {"modelResponse": '{"ok": true}'}, "errors": [], "meta": None}
SCHEMA = '{"type": "object"}'


def case(
    resource: str, operation: str, *answers: Answer, name: str = "", fails: str = "", **parameters: Any
) -> ActionCase:
    return ActionCase(
        "airtop",
        {"resource": resource, "operation": operation, **parameters},
        answers,
        1.1,
        CREDENTIALS,
        INPUT,
        name=name,
        fails=fails,
    )


AGENT = {"agentId": {"__rl": True, "mode": "id", "value": "a1"}}
INVOKED = [
    Answer("/api/v2/agents/a1", {"webhookId": "h1"}),
    Answer("/api/hooks/agents/a1/webhooks/h1", {"invocationId": "i1"}, "POST"),
]
RESULT = "/api/hooks/agents/a1/invocations/i1/result"
FILES = {"data": {"files": [{"id": "f1"}, {"id": "f2"}], "pagination": {"hasMore": False}}}
CASES = [
    case(
        "agent",
        "run",
        *INVOKED,
        Answer(RESULT, {}),
        Answer(RESULT, {"status": "Completed", "output": {"a": 1}}),
        **AGENT,
        agentParameters={"mappingMode": "defineBelow", "value": {"q": "x"}},
    ),
    case("agent", "run", *INVOKED, name="at once", **AGENT, awaitExecution=False, profileName="p-1"),
    case(
        "agent",
        "run",
        *INVOKED,
        Answer(RESULT, {"error": "It broke"}),
        name="fails",
        fails="it broke. agent invocation id: i1",
        **AGENT,
    ),
    case("agent", "run", name="too short", fails="at least 10 seconds", **AGENT, timeout=5),
    case("session", "create", Answer("/api/v1/sessions", SESSION, "POST")),
    case(
        "session",
        "create",
        Answer("/api/v1/sessions", {"data": {"id": "s1", "status": "initializing"}}, "POST"),
        Answer("/api/v1/sessions/s1", {"data": {"status": "initializing"}}),
        Answer("/api/v1/sessions/s1", {"data": {"status": "running"}}),
        Answer("/api/v1/sessions/s1/save-profile-on-termination/p-1", {}, "PUT"),
        name="slow",
        profileName="p-1",
        saveProfileOnTermination=True,
        record=True,
        timeoutMinutes=20,
        proxy="integrated",
        additionalFields={"solveCaptcha": True, "extensionIds": "a, b"},
    ),
    case(
        "session",
        "create",
        Answer("/api/v1/sessions", SESSION, "POST"),
        name="proxy",
        proxy="proxyUrl",
        proxyUrl="http://p.example",
    ),
    case(
        "session",
        "create",
        Answer("/api/v1/sessions", SESSION, "POST"),
        name="any proxy",
        proxy="integrated",
        proxyConfig={},
    ),
    case("session", "create", name="wrong profile", fails="profile", profileName="a b"),
    case("session", "create", name="no profile", fails="profile", saveProfileOnTermination=True),
    case(
        "session",
        "save",
        Answer("/api/v1/sessions/s1/save-profile-on-termination/p-1", {"data": {}}, "PUT"),
        profileName="p-1",
    ),
    case("session", "terminate", CLOSED),
    case("window", "create", OPENED[1], url="https://a.example", additionalFields={"waitUntil": "complete"}),
    case(
        "window",
        "create",
        OPENED[1],
        Answer(PLACE, {"data": {"liveViewUrl": "https://l.example"}}),
        name="live",
        getLiveView=True,
        includeNavigationBar=True,
        disableResize=True,
        screenResolution="1280X720",
    ),
    case("window", "create", name="wrong address", fails="url", url="ftp://a.example"),
    case("window", "close", Answer(PLACE, {"data": {"a": 1}}, "DELETE")),
    case(
        "window",
        "close",
        Answer(PLACE, {"errors": [{"message": "It broke"}]}, "DELETE"),
        name="fails",
        fails="it broke",
    ),
    case(
        "window",
        "getLiveView",
        Answer(PLACE, {"data": {"a": 1}}),
        additionalFields={"includeNavigationBar": True, "disableResize": False, "screenResolution": "1280x720"},
    ),
    case("window", "getLiveView", name="wrong size", fails="resolution", additionalFields={"screenResolution": "big"}),
    case("window", "list", Answer("/api/v1/sessions/s1/windows", {"data": {"windows": [{"windowId": "w1"}]}})),
    case(
        "window",
        "load",
        Answer(PLACE, {"data": {}, "meta": {"a": None}}, "POST"),
        url="https://a.example",
        additionalFields={"waitUntil": "load"},
    ),
    case(
        "window",
        "takeScreenshot",
        Answer(f"{PLACE}/screenshot", {"meta": {"screenshots": [{"dataUrl": "data:image/jpeg;base64,AAAA"}]}}, "POST"),
    ),
    case(
        "window",
        "takeScreenshot",
        Answer(f"{PLACE}/screenshot", {"meta": {"screenshots": [{"dataUrl": "data:image/jpeg;base64,AAAA"}]}}, "POST"),
        name="file",
        outputImageAsBinary=True,
    ),
    case("extraction", "query", Answer(f"{PLACE}/page-query", SAID, "POST"), **LOOKED),
    case("extraction", "query", *OPENED, CLOSED, Answer(f"{PLACE}/page-query", SAID, "POST"), name="new", **NEW),
    case(
        "extraction",
        "query",
        *OPENED,
        Answer(f"{PLACE}/page-query", SAID, "POST"),
        name="kept",
        **NEW,
        autoTerminateSession=False,
        additionalFields={"includeVisualAnalysis": True, "outputSchema": SCHEMA, "parseJsonOutput": True},
    ),
    case(
        "extraction",
        "query",
        *OPENED,
        CLOSED,
        Answer(f"{PLACE}/page-query", SAID, "POST"),
        name="parsed",
        **NEW,
        additionalFields={"outputSchema": SCHEMA, "parseJsonOutput": True},
    ),
    case(
        "extraction",
        "query",
        *OPENED,
        CLOSED,
        Answer(f"{PLACE}/page-query", {"errors": [{"message": "It broke"}]}, "POST"),
        name="fails",
        fails="it broke",
        **NEW,
    ),
    case(
        "extraction",
        "getPaginated",
        Answer(f"{PLACE}/paginated-extraction", SAID, "POST"),
        **LOOKED,
        additionalFields={"interactionMode": "accurate", "paginationMode": "paginated"},
    ),
    case(
        "extraction",
        "scrape",
        *OPENED,
        CLOSED,
        Answer(f"{PLACE}/scrape-content", {"data": {"text": "x"}}, "POST"),
        **NEW,
    ),
    case(
        "interaction",
        "click",
        Answer(f"{PLACE}/click", SAID, "POST"),
        elementDescription="the button",
        clickType="doubleClick",
    ),
    case(
        "interaction",
        "hover",
        Answer(f"{PLACE}/hover", SAID, "POST"),
        elementDescription="the button",
        additionalFields={"visualScope": "page", "waitForNavigation": "networkidle0"},
    ),
    case("interaction", "type", Answer(f"{PLACE}/type", SAID, "POST"), text="Ada", pressEnterKey=True),
    case(
        "interaction",
        "scroll",
        Answer(f"{PLACE}/scroll", SAID, "POST"),
        scrollToElement="the end",
        scrollWithin="the list",
    ),
    case(
        "interaction",
        "scroll",
        Answer(f"{PLACE}/scroll", SAID, "POST"),
        name="by hand",
        scrollingMode="manual",
        scrollToEdge={"edgeValues": {"yAxis": "bottom", "xAxis": ""}},
        scrollBy={"scrollValues": {"yAxis": "-100px", "xAxis": "20%"}},
    ),
    case("interaction", "scroll", name="nowhere", fails="scroll", scrollingMode="manual"),
    case(
        "interaction",
        "scroll",
        name="wrongly",
        fails="100px",
        scrollingMode="manual",
        scrollBy={"scrollValues": {"yAxis": "far", "xAxis": ""}},
    ),
    case(
        "interaction",
        "fill",
        Answer("/api/v1/async/sessions/s1/windows/w1/execute-automation", {"requestId": "r1"}, "POST"),
        Answer("/api/v1/requests/r1/status", {"status": "processing"}),
        Answer("/api/v1/requests/r1/status", {"status": "completed", "data": {"a": 1}}),
        formData="Name: Ada",
    ),
    case("file", "deleteFile", Answer("/api/v1/files/f1", {}, "DELETE"), fileId="f1"),
    case(
        "file",
        "get",
        Answer("/api/v1/files/f1", {"data": {"id": "f1", "status": "uploading"}}),
        fileId="f1",
        outputBinaryFile=True,
    ),
    case("file", "getMany", Answer("/api/v1/files", FILES), sessionIds="s1"),
    case("file", "getMany", Answer("/api/v1/files", FILES), name="apart", limit=2, outputSingleItem=False),
    case("file", "getMany", Answer("/api/v1/files", FILES), name="all", returnAll=True),
    case("file", "getMany", Answer("/api/v1/files", FILES), name="all apart", returnAll=True, outputSingleItem=False),
]
