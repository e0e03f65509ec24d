"""GitHub: pull requests and members."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"githubApi": {"server": "{service}", "user": "u", "accessToken": "token-of-github"}}
REPO = {
    "owner": {"__rl": True, "mode": "name", "value": "ada"},
    "repository": {"__rl": True, "mode": "name", "value": "engine"},
}
PULL = "/repos/ada/engine/pulls/7"
ONE = {"number": 7, "title": "T", "body": None}


def github(
    operation: str, path: str, method: str, body: Any = ONE, resource: str = "pullRequest", **more: Any
) -> ActionCase:
    place = REPO if resource == "pullRequest" else {"owner": REPO["owner"]}
    given = {"authentication": "accessToken", "resource": resource, "operation": operation, **place, **more}
    return ActionCase("github", given, [Answer(path, body, method)], 1.1, CREDENTIALS)


CASES = [
    ActionCase(
        "github",
        {
            "authentication": "accessToken",
            "resource": "pullRequest",
            "operation": "create",
            **REPO,
            "title": "T",
            "body": "B",
            "head": "ada:x",
            "base": "main",
            "draft": True,
        },
        [Answer("/repos/ada/engine/pulls", ONE, "POST")],
        1.1,
        CREDENTIALS,
    ),
    github("update", PULL, "PATCH", pullRequestNumber=7, editFields={"title": "N", "state": "closed", "base": "dev"}),
    github("close", PULL, "PATCH", pullRequestNumber=7),
    github("reopen", PULL, "PATCH", pullRequestNumber=7),
    github("get", PULL, "GET", pullRequestNumber=7),
    ActionCase(
        "github",
        {
            "authentication": "accessToken",
            "resource": "pullRequest",
            "operation": "createComment",
            **REPO,
            "pullRequestNumber": 7,
            "body": "Good",
        },
        [Answer("/repos/ada/engine/issues/7/comments", {"id": 9}, "POST")],
        1.1,
        CREDENTIALS,
    ),
    ActionCase(
        "github",
        {
            "authentication": "accessToken",
            "resource": "pullRequest",
            "operation": "editComment",
            **REPO,
            "commentId": "9",
            "body": "Good",
        },
        [Answer("/repos/ada/engine/issues/comments/9", {"id": 9}, "PATCH")],
        1.1,
        CREDENTIALS,
    ),
    github("getDiff", PULL, "GET", "diff --git a b", pullRequestNumber=7),
    github("getPatch", PULL, "GET", "From: ada", pullRequestNumber=7),
    github(
        "merge", f"{PULL}/merge", "PUT", {"merged": True}, pullRequestNumber=7, mergeMethod="squash", commitTitle="T"
    ),
    github("getMembers", "/orgs/ada/members", "GET", [{"login": "a"}], "organization", limit=5),
]
