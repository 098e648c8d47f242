"""Tests of the return to the list after a deletion."""

from __future__ import annotations

from types import SimpleNamespace as Made
from typing import Any

import pytest
from django.test import RequestFactory

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.delete.views import _referring_list

KIND = KINDS["mydemos.crddemo.k8s.io"]
DELETE = f"{KIND.path}shop/alpha/delete/"


def before(request: Any) -> str:
    return _referring_list(Made(request=request, target=Made(kind=KIND)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        (f"http://testserver{KIND.path}", KIND.path),
        (f"http://testserver{KIND.path}?q=web&namespace=shop&x=1", f"{KIND.path}?namespace=shop&q=web"),
        ("http://testserver/resources/pods/?q=web", ""),
        (f"http://testserver{KIND.path}shop/alpha/", ""),
        ("", ""),
    ],
)
def test_the_list_is_known_by_its_address(referer: str, back: str) -> None:
    assert before(RequestFactory().get(DELETE, headers={"referer": referer})) == back


def test_the_form_carries_it_on_and_nobody_is_sent_elsewhere() -> None:
    assert before(RequestFactory().post(DELETE, {"back": f"{KIND.path}?q=web"})) == f"{KIND.path}?q=web"
    for elsewhere in ("https://evil.example/", f"//evil.example{KIND.path}/x", "/", ""):
        assert before(RequestFactory().post(DELETE, {"back": elsewhere})) == ""
    assert before(RequestFactory().post(DELETE, {"back": f"https://evil.example{KIND.path}"})) == KIND.path
