"""Files of YAML that are sent with a text."""

from __future__ import annotations

from django.http import HttpRequest

from dashboard.edits.document import MAX_BYTES
from dashboard.edits.posted import text_of
from dashboard.edits.problems import Problem, Refusal


def with_files(request: HttpRequest) -> tuple[str, Refusal | None]:
    """The text with what was uploaded behind it; and why a file cannot be taken."""
    text, files = text_of(request.POST), request.FILES.getlist("file")
    large = next((file for file in files if (file.size or 0) > MAX_BYTES), None)
    if large is not None:
        return text, _refused(f"{large.name} has more than 3 MiB.", 413)
    if files and sum(file.size or 0 for file in files) + len(text.encode(errors="replace")) > MAX_BYTES:
        words = "The files and the text have more than 3 MiB together. Make the objects in several goes."
        return text, _refused(words, 413)
    texts = [text.rstrip()] if text.strip() else []
    for file in files:
        try:
            content = file.read().decode()
        except UnicodeDecodeError:
            return text, _refused(f"{file.name} is no text in UTF-8, so it cannot be YAML.", 422)
        content = content.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        texts += [content.rstrip()] if content.strip() else []
    return ("\n---\n".join(texts) + "\n" if files else text), None


def _refused(words: str, code: int) -> Refusal:
    return Refusal((Problem(words),), code, "The file cannot be taken")
