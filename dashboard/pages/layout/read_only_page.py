"""The 403 page of an address that writes to the cluster, in read-only mode."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.runtime.read_only import read_only_sentences


def read_only_info(*choices: ChoiceLink) -> NotFoundInfo:
    """Why nothing can be written, with links to pages that read."""
    title, reason = read_only_sentences()
    return NotFoundInfo(title, reason, choices, "Go to")


def read_only_page(request: HttpRequest, *choices: ChoiceLink, key: str = "") -> HttpResponse:
    """The page, with status 403. `key` is that of the kind, for the navigation."""
    response = not_found_page(request, read_only_info(*choices), key=key, status=403, title="Read-only")
    response["Cache-Control"] = "no-store"
    return response
