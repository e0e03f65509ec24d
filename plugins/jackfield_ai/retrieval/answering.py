"""An answer to a question from documents that were found."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.ai import ChatModel, Document, Message
from jackfield_ai.parsing.parsers import filled

SYSTEM = (
    "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the "
    "question.\nIf you don't know the answer, just say that you don't know, don't try to make up an answer.\n"
    "----------------\nContext: {context}"
)


async def answered(model: ChatModel, question: str, found: Sequence[Document], template: str) -> str:
    """The model's answer from these documents."""
    context = "\n\n".join(document.text for document in found)
    system = filled(template or SYSTEM, context=context)
    answer = await model.complete([Message("system", system), Message("user", question)])
    return answer.message.text.strip()
