"""The page for a text that came where it can go no further: what was typed is shown, and can be sent once more."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.edits.input_names import STATE
from dashboard.resources.missing import Missing
from dashboard.resources.page_info import page_info

ROWS = 30
"""Lines of the text that show at once."""
_BASE = ("base", "base_uid", "base_version")
_DRAFT = ("draft", "draft_owner", "draft_tab", "draft_seen", "draft_number")


def has_text(request: HttpRequest) -> bool:
    """Whether somebody's text came with the request, so that no answer may be without it."""
    return request.method == "POST" and bool(request.POST.get("yaml"))


def kept_page(request: HttpRequest, missing: Missing, *, status: int, key: str = "") -> HttpResponse:
    """Says why nothing came of it, with the text, and with what else the editor needs to go on from it."""
    context: dict[str, object] = {
        "page": page_info(request, title="Your text", key=key),
        "missing": missing,
        "draft": {"text": request.POST["yaml"]},
        "fields": tuple(_carried(request.POST.dict())),
        "rows": ROWS,
    }
    response = render(request, "edits/kept.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _carried(post: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the edit began with, what was typed into the form but not written into the text yet, and its draft."""
    return [(name, value) for name, value in post.items() if name in _BASE + _DRAFT or name.startswith(STATE)]
