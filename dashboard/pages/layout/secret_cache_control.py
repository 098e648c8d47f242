"""Cache-Control of pages and files of Secrets: no browser may store them."""

from __future__ import annotations

from django.http import HttpResponse

from dashboard.objects.kinds.catalog import KindInfo


def forbid_storing_secrets(response: HttpResponse, kind: KindInfo) -> None:
    """Have no browser store a page or file of a Secret: its cache is a file, and its history outlasts a sign-out."""
    if kind.is_secret_kind:
        response["Cache-Control"] = "no-store"
