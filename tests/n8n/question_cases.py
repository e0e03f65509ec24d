"""Questions whose answers nodes of services wait for. Links differ on purpose; they are compared by the answer that
they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .action_cases import ActionCase, Answer

ROOM = {"__rl": True, "mode": "id", "value": "C1"}
BOTH = {"values": {"approvalType": "double", "approveLabel": "Yes", "disapproveLabel": "No"}}
BARE = {"appendAttribution": False}
ITEMS = [{"json": {"n": 1}}, {"json": {"n": 2}}]
LIMIT = {"values": {"limitType": "afterTimeInterval", "resumeAmount": 5, "resumeUnit": "minutes"}}


def _approvals(kind: str, version: float, answers: Sequence[Answer], **base: Any) -> list[ActionCase]:
    """One button, two, two with the labels of the service, and the texts that n8n changes."""
    hidden = frozenset(base.pop("hidden", ()))
    credentials: Mapping[str, Any] = base.pop("credentials")
    where, paths = base.pop("where", ""), base.pop("paths", {})
    shapes: Mapping[str, Mapping[str, Any]] = {
        "one button": {"options": BARE},
        "two buttons": {"approvalOptions": BOTH, "options": {**BARE, "limitWaitTime": LIMIT}},
        "the service's labels": {"approvalOptions": {"values": {"approvalType": "double"}}, "options": BARE},
        "no label": {
            "approvalOptions": {"values": {"approvalType": "double", "approveLabel": "", "disapproveLabel": ""}},
            "options": BARE,
        },
        "entities": {"message": "  a &lt;b&gt; &amp; c\\nd<br>e ", "options": BARE},
        "free text": {"responseType": "freeText", "options": BARE},
        "custom form": {
            "responseType": "customForm",
            "formFields": {"values": [{"fieldLabel": "Size", "requiredField": True}]},
            "options": {**BARE, "messageButtonLabel": "Fill in"},
        },
    }
    return [
        ActionCase(
            kind,
            {"operation": "sendAndWait", "message": "Ship it?", **base, **more},
            answers,
            version,
            credentials,
            items=ITEMS,
            hidden=hidden,
            paths=paths,
            name=f"{where}{name}",
        )
        for name, more in shapes.items()
    ]


_SLACK = [Answer("/api/chat.postMessage", {"ok": True})]
_SLACK_KEY = {"slackApi": {"accessToken": "token-of-slack"}}
_DISCORD = [Answer("/api/v10/channels/C1/messages", {"id": "M1"})]
_BOT = {"discordBotApi": {"botToken": "token-of-discord"}}
_FAILING = ActionCase(
    "slack",
    {
        "operation": "sendAndWait",
        "select": "channel",
        "channelId": ROOM,
        "message": "Ship it?",
        "responseType": "customForm",
        "defineForm": "json",
        "jsonOutput": "{",
    },
    _SLACK,
    2.3,
    _SLACK_KEY,
    fails="json",
    name="a form that cannot be shown",
)
CASES: Sequence[ActionCase] = [
    *_approvals("slack", 2.2, _SLACK, credentials=_SLACK_KEY, select="channel", channelId=ROOM),
    *_approvals(
        "slack",
        2.3,
        _SLACK,
        credentials=_SLACK_KEY,
        select="user",
        user={"__rl": True, "mode": "username", "value": "ada"},
    ),
    _FAILING,
    *_approvals(
        "telegram",
        1.2,
        [Answer("/bottoken-of-telegram/sendMessage", {"ok": True, "result": {}})],
        credentials={"telegramApi": {"accessToken": "token-of-telegram", "baseUrl": "{service}"}},
        chatId="7",
    ),
    *_approvals(
        "discord",
        2,
        _DISCORD,
        credentials=_BOT,
        resource="message",
        guildId={"__rl": True, "mode": "id", "value": "1"},
        sendTo="channel",
        channelId=ROOM,
    ),
    *_approvals(
        "discord",
        2,
        [Answer("/api/v10/users/@me/channels", {"id": "C1"}), *_DISCORD],
        credentials=_BOT,
        where="to a user, ",
        resource="message",
        guildId={"__rl": True, "mode": "id", "value": "1"},
        sendTo="user",
        userId={"__rl": True, "mode": "id", "value": "9"},
    ),
    *_approvals(
        "microsoftTeams",
        2,
        [Answer("/v1.0/chats/C1/messages", {"id": "M1"})],
        credentials={"microsoftTeamsOAuth2Api": {"accessToken": "token-of-teams"}},
        resource="chatMessage",
        chatId=ROOM,
    ),
    *_approvals(
        "whatsApp",
        1,
        [Answer(f"/{version}/123/messages", {"messages": [{"id": "W1"}]}) for version in ("v13.0", "v23.0")],
        paths={"/v13.0/": "/v23.0/"},
        credentials={"whatsAppApi": {"accessToken": "token-of-whatsapp"}},
        resource="message",
        phoneNumberId="123",
        recipientPhoneNumber="+49-170 (1)",
    ),
    *_approvals(
        "gmail",
        2.1,
        [Answer("/gmail/v1/users/me/messages/send", {"id": "G1"})],
        credentials={"gmailOAuth2": {"accessToken": "token-of-gmail"}},
        hidden=["raw"],
        resource="message",
        sendTo="ada@example.com",
        subject="Release",
    ),
    *_approvals(
        "microsoftOutlook",
        2,
        [Answer("/v1.0/me/sendMail", {})],
        credentials={"microsoftOutlookOAuth2Api": {"accessToken": "token-of-outlook"}},
        hidden=["content"],
        resource="message",
        toRecipients="ada@example.com, bob@example.com",
        subject="Release",
    ),
]
