"""Slack."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"slackApi": {"accessToken": "token-of-slack"}}
CHANNEL = {"__rl": True, "mode": "id", "value": "C1"}
AT = "2026-01-01T10:00:00.000Z"


def slack(version: float, resource: str, operation: str, *answers: Answer, name: str = "", **more: Any) -> ActionCase:
    unlike = "n8n leaves out what it is told" if (resource, operation) == ("userProfile", "get") else ""
    if (named := more.pop("named", None)) is not None:
        more["name"] = named
    given = {"authentication": "accessToken", "resource": resource, "operation": operation, **more}
    return ActionCase(
        "slack",
        given,
        answers,
        version,
        CREDENTIALS,
        name=name,
        unlike=unlike,
        hidden=frozenset({"attachments", "customFieldUi", "includeLinkToWorkflow"}),
    )


def ok(method: str, **fields: Any) -> Answer:
    return Answer(f"/api/{method}", {"ok": True, **fields})


GROUPS = ok("usergroups.list", usergroups=[{"id": "S0"}, {"id": "S1", "users": ["U1", "U2"]}])
GROUP = {"id": "S1", "name": "Team", "note": None}
CASES = [
    slack(2.2, "star", "add", ok("stars.add"), target="message", channelId=CHANNEL, timestamp=1.5),
    slack(
        2.2,
        "star",
        "add",
        ok("stars.add"),
        name="file",
        target="file",
        channelId=CHANNEL,
        fileId="F1",
        options={"fileComment": "x"},
    ),
    slack(2.2, "star", "delete", ok("stars.remove"), options={"channelId": "C1", "fileId": "F1"}),
    slack(2.2, "star", "getAll", ok("stars.list", items=[{"type": "message"}]), limit=5),
    slack(
        2.2, "userGroup", "create", ok("usergroups.create", usergroup=GROUP), named="Team", Options={"handle": "team"}
    ),
    slack(
        2.2,
        "userGroup",
        "enable",
        ok("usergroups.enable", usergroup=GROUP),
        userGroupId="S1",
        option={"include_count": True},
    ),
    slack(2.2, "userGroup", "disable", ok("usergroups.disable", usergroup=GROUP), userGroupId="S1"),
    slack(
        2.2,
        "userGroup",
        "update",
        ok("usergroups.update", usergroup=GROUP),
        userGroupId="S1",
        updateFields={"handle": "h"},
    ),
    slack(
        2.2,
        "userGroup",
        "updateUsers",
        GROUPS,
        ok("usergroups.users.update", usergroup=GROUP),
        userGroupId="S1",
        users=["U2", "U3"],
    ),
    slack(2.2, "userGroup", "getUsers", GROUPS, ok("users.info", user={"id": "U"}), userGroupId="S1"),
    slack(2.2, "userGroup", "getUsers", GROUPS, name="bare", userGroupId="S1", options={"resolveData": False}),
    slack(2.2, "user", "lookupByEmail", ok("users.lookupByEmail", user={"id": "U1"}), email="a@a.example"),
    slack(
        2.2,
        "user",
        "updateProfile",
        ok("users.profile.set", profile={"status_text": "x"}),
        options={
            "first_name": "Ada",
            "status": {"set_status": [{"status_emoji": ":x:", "status_text": "away", "status_expiration": AT}]},
            "customFieldUi": {"customFieldValues": [{"id": "X1", "value": "v", "alt": "a"}]},
        },
    ),
    slack(
        2.2,
        "message",
        "schedule",
        ok("chat.scheduleMessage", scheduled_message_id="Q1"),
        select="channel",
        channelId=CHANNEL,
        postAt=AT,
        text="Hi",
        otherOptions={
            "includeLinkToWorkflow": False,
            "mrkdwn": True,
            "thread_ts": {"replyValues": {"thread_ts": 1.5, "reply_broadcast": True}},
        },
    ),
    slack(
        2.2, "message", "deleteScheduled", ok("chat.deleteScheduledMessage"), channelId=CHANNEL, scheduledMessageId="Q1"
    ),
    slack(
        2.2,
        "message",
        "getManyScheduled",
        ok("chat.scheduledMessages.list", scheduled_messages=[{"id": "Q1"}]),
        limit=5,
        filters={"channelId": CHANNEL, "latest": AT, "oldest": AT},
    ),
    slack(
        1,
        "userProfile",
        "get",
        ok("users.profile.get", profile={"real_name": "Ada"}),
        additionalFields={"includeLabels": True},
    ),
    slack(
        1,
        "userProfile",
        "update",
        ok("users.profile.set", profile={"real_name": "Ada"}),
        additionalFields={"status_text": "x", "status_expiration": AT},
    ),
    slack(1, "message", "postEphemeral", ok("chat.postEphemeral", message_ts="1"), channel="C1", user="U1", text="Hi"),
]
