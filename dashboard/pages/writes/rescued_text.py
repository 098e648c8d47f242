"""Page for a posted text that cannot be saved: it shows the text, and can send it once more."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.pages.forms.input_names import STATE
from dashboard.pages.layout.not_found import NotFoundInfo
from dashboard.pages.layout.page import page_info

TEXT_ROWS = 30
"""Visible lines of the text."""
_BASE = ("base", "base_uid", "base_version")
_DRAFT = ("draft", "draft_owner", "draft_tab", "draft_seen", "draft_number")


def has_text(request: HttpRequest) -> bool:
    """Whether the request has a posted text, which every answer then must include."""
    return request.method == "POST" and bool(request.POST.get("yaml"))


def kept_page(request: HttpRequest, missing: NotFoundInfo, *, status: int, key: str = "") -> HttpResponse:
    """The page with the reason, the text, and the inputs that the editor needs to continue."""
    context: dict[str, object] = {
        "page": page_info(request, title="Your text", key=key),
        "missing": missing,
        "draft": {"text": request.POST["yaml"]},
        "fields": tuple(_carried(request.POST.dict())),
        "rows": TEXT_ROWS,
    }
    response = render(request, "writes/rescued_text.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _carried(post: Mapping[str, str]) -> list[tuple[str, str]]:
    """The base, the form input that is not in the text yet, and the draft."""
    return [(name, value) for name, value in post.items() if name in _BASE + _DRAFT or name.startswith(STATE)]
