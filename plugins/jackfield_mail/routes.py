"""`/api/v1/mail`, for administrators."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, RateLimited, UpstreamFailed
from jackfield.api.http import json_response, operation, principal, read_model
from jackfield.api.mail import Letter, is_address
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield_mail.mailer import SmtpMailer
from jackfield_mail.schemas import MailTestBody

_SCHEMAS = "jackfield_mail.schemas"
_TAGS = ("mail",)


class MailRoutes:
    """Views."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._mailer = context.port(SmtpMailer)

    @operation(
        "Show whether mail is set up, and its sender",
        operation_id="getMail",
        scope="admin",
        response=f"{_SCHEMAS}:MailShown",
        tags=_TAGS,
    )
    async def read(self) -> Response:
        settings = self._mailer.settings
        return json_response(
            {"ready": self._mailer.ready, "host": settings.host or None, "sender": settings.sender or None}
        )

    @operation(
        "Send a test mail",
        operation_id="testMail",
        scope="admin",
        request=f"{_SCHEMAS}:MailTestBody",
        response=f"{_SCHEMAS}:MailTestSent",
        tags=_TAGS,
        errors=(Conflict, RateLimited, UpstreamFailed),
    )
    async def test(self) -> Response:
        body = await read_model(MailTestBody)
        if not is_address(body.to):
            raise InvalidInput("Give one address, such as ada@example.com.", details={"to": "is no address"})
        await self._mailer.send(body.to, _test_letter(self._context.service.public_url))
        self._context.log.info("A test mail was sent for %s.", principal().user_id)
        return json_response({"sent": True, "to": body.to})


def _test_letter(url: str) -> Letter:
    return Letter(
        "Test mail of Jackfield",
        [f"Jackfield at {url} sends mail.", "An administrator has asked for this test. You need not do anything."],
    )


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = MailRoutes(context)
    routes = Blueprint("mail", __name__, url_prefix=f"{SERVICE_PREFIX}/mail")
    routes.add_url_rule("", view_func=views.read, methods=["GET"])
    routes.add_url_rule("/test", view_func=views.test, methods=["POST"])
    return [routes]
