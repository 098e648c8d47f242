"""Fixture: two addresses of Django, one that shows and one that takes a form."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import override_settings
from django.urls import path


async def show(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request) + " " * 500)


async def take(request: HttpRequest) -> HttpResponse:
    return HttpResponse("taken")


@pytest.fixture
def urls(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("tests_access_urls")
    module.urlpatterns = [path("show/", show), path("take/", take), path("healthz", take)]  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, module.__name__, module)
    with override_settings(ROOT_URLCONF=module.__name__):
        yield
