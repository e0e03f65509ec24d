"""Messages, members of chats and online meetings of Microsoft Teams."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

TOKEN = {"microsoftTeamsOAuth2Api": {"oauthTokenData": {"access_token": "t"}}}
ROWS = [{"id": str(number), "body": {"content": f"n{number}"}, "deleted": None} for number in range(5)]


def _id(value: str, mode: str = "id") -> dict[str, Any]:
    return {"__rl": True, "mode": mode, "value": value}


def _case(
    work: str, method: str, path: str, body: Any = None, name: str = "", first: Answer | None = None, **more: Any
) -> ActionCase:
    resource, operation = work.split(".")
    given = {"resource": resource, "operation": operation, **more}
    beta = Answer(f"/beta{path}", body, method)
    return ActionCase(
        "microsoftTeams",
        given,
        [*([first] if first else []), Answer(f"/v1.0{path}", body, method), beta],
        2,
        TOKEN,
        headers=("prefer",),
        paths={"/beta": "/v1.0"},
        name=name,
    )


def _refused(work: str, fails: str, name: str = "", *answers: Answer, **more: Any) -> ActionCase:
    resource, operation = work.split(".")
    given = {"resource": resource, "operation": operation, **more}
    return ActionCase("microsoftTeams", given, answers, 2, TOKEN, fails=fails, name=name)


TEAM = "61165b04-e4cc-4026-b43f-926b4e2a7182"
PLACE = {"teamId": _id(TEAM), "channelId": _id("channel1", "list"), "messageId": "m1"}
AT = f"/teams/{TEAM}/channels/channel1/messages"
REPLY = {"parentMessageId": "m0"}
CHANNELS = [
    _case("channelMessage.get", "GET", f"{AT}/m1", ROWS[0], **PLACE),
    _case("channelMessage.getAllReplies", "GET", f"{AT}/m1/replies", {"value": ROWS}, **PLACE, limit=3),
    _case(
        "channelMessage.reply",
        "POST",
        f"{AT}/m1/replies",
        ROWS[1],
        **PLACE,
        contentType="html",
        message="<b>Hi</b>",
        options={"includeLinkToWorkflow": False},
    ),
    *(
        _case(operation, "POST", f"{AT}/{path}", None, name, **PLACE, options=options)
        for operation, path, name, options in (
            ("channelMessage.softDeleteMessage", "m1/softDelete", "", {}),
            ("channelMessage.softDeleteMessage", "m0/replies/m1/softDelete", "a reply", REPLY),
            ("channelMessage.undoSoftDeleteMessage", "m1/undoSoftDelete", "", {}),
            (
                "channelMessage.undoSoftDeleteMessage",
                "m0/replies/m1/undoSoftDelete",
                "a reply",
                {"parentMessageId": "m0"},
            ),
        )
    ),
]
CHAT = {"chatId": _id("chat1")}
ME = Answer("/v1.0/me", {"id": "u1"}, "GET")
MEMBER = {**CHAT, "userId": _id("u2")}
CHATS = [
    *(
        _case(f"chatMessage.{operation}", "POST", f"/users/u1/chats/chat1/messages/m1/{action}", first=ME, **more)
        for operation, action, more in (
            ("softDeleteMessage", "softDelete", {**CHAT, "messageId": "m1"}),
            ("undoSoftDeleteMessage", "undoSoftDelete", {**CHAT, "messageId": "m1"}),
        )
    ),
    _case("chatMember.add", "POST", "/chats/chat1/members", **MEMBER),
    _case(
        "chatMember.add",
        "POST",
        "/chats/chat1/members",
        name="a guest",
        **MEMBER,
        options={"role": "guest", "shareHistory": "all"},
    ),
    _case(
        "chatMember.add",
        "POST",
        "/chats/chat1/members",
        name="since a day",
        **MEMBER,
        options={"shareHistory": "fromDate", "historyStartDate": "2026-01-31T10:00:00.000Z"},
    ),
    _refused("chatMember.add", "no history start date", "since no day", **MEMBER, options={"shareHistory": "fromDate"}),
    _case("chatMember.getAll", "GET", "/chats/chat1/members", {"value": ROWS}, **CHAT, limit=2),
    _case("chatMember.getAll", "GET", "/chats/chat1/members", {"value": ROWS}, "all", **CHAT, returnAll=True),
    _case("chatMember.remove", "DELETE", "/chats/chat1/members/x1", **CHAT, membershipId=_id("x1")),
]
MEETING = {"id": "meet1", "subject": "S", "joinWebUrl": "https://teams.example/j/1", "audio": None}
MEETINGS_AT, SEARCH = "/me/onlineMeetings", Answer("/v1.0/me/onlineMeetings", {"value": [MEETING]}, "GET")
NOTHING = Answer("/v1.0/me/onlineMeetings", {"value": []}, "GET")
TIMES = {"startDateTime": "2026-01-31T10:00:00+02:00", "endDateTime": "2026-01-31T09:30:00"}
BY_ID, BY_URL = {"meetingId": _id("meet1")}, {"meetingId": _id("https://teams.example/j/1?a='b'", "url")}
NO_START = {"endDateTime": "2026-01-31"}
MEETINGS = [
    _case("onlineMeeting.create", "POST", MEETINGS_AT, MEETING, subject="S", **TIMES),
    _case(
        "onlineMeeting.create",
        "POST",
        MEETINGS_AT,
        MEETING,
        "with options",
        subject="S",
        **TIMES,
        options={
            "passcodeRequired": True,
            "lobbyBypassScope": "organizer",
            "allowMeetingChat": "limited",
            "recordAutomatically": True,
            "allowAttendeeToEnableMic": False,
        },
    ),
    _case("onlineMeeting.createOrGet", "POST", f"{MEETINGS_AT}/createOrGet", MEETING, externalId="e1"),
    _case(
        "onlineMeeting.createOrGet",
        "POST",
        f"{MEETINGS_AT}/createOrGet",
        MEETING,
        "with options",
        externalId="e1",
        options={**TIMES, "subject": "S"},
    ),
    _refused(
        "onlineMeeting.createOrGet",
        "requires a start",
        "no start",
        externalId="e1",
        options=NO_START,
    ),
    _case("onlineMeeting.get", "GET", f"{MEETINGS_AT}/meet1", MEETING, **BY_ID),
    _case("onlineMeeting.get", "GET", MEETINGS_AT, {"value": [MEETING]}, "by URL", **BY_URL),
    _refused("onlineMeeting.get", "join url", "no such URL", NOTHING, **BY_URL),
    _case("onlineMeeting.deleteMeeting", "DELETE", f"{MEETINGS_AT}/meet1", **BY_ID),
    _case("onlineMeeting.deleteMeeting", "DELETE", f"{MEETINGS_AT}/meet1", None, "by URL", SEARCH, **BY_URL),
    _case(
        "onlineMeeting.update",
        "PATCH",
        f"{MEETINGS_AT}/meet1",
        MEETING,
        **BY_ID,
        updateFields={**TIMES, "subject": "N", "allowedPresenters": "organizer"},
    ),
    _case(
        "onlineMeeting.update",
        "PATCH",
        f"{MEETINGS_AT}/meet1",
        MEETING,
        "by URL",
        SEARCH,
        **BY_URL,
        updateFields={"allowTeamworkReactions": False},
    ),
    _refused("onlineMeeting.update", "updated together", "no start", **BY_ID, updateFields=NO_START),
    _refused("onlineMeeting.update", "updated together", "no end", **BY_ID, updateFields={"startDateTime": "2026"}),
    _refused("onlineMeeting.update", "no fields are set", "nothing", **BY_ID, updateFields={}),
]
CASES = [*CHANNELS, *CHATS, *MEETINGS]
