"""Tests of what a page reads from htmx's headers, and of what it answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django_htmx.middleware import HtmxMiddleware

from dashboard.pages.layout.htmx import current_page_params, htmx_of, keep_address, vary_on_htmx, wants_fragment


def asked(path: str = "/resources/pods/?q=new", **headers: Any) -> HttpRequest:
    request = RequestFactory().get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    HtmxMiddleware(lambda _: HttpResponse())(request)
    return request


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"HX_Request": "true", "HX_Target": "section#list"}, True),
        ({"HX_Request": "true", "HX_Target": "aside#drawer"}, False),
        ({"HX_Request": "true"}, False),
        ({"HX_Target": "section#list"}, False),
        ({}, False),
    ],
)
def test_a_part_of_the_page_is_sent_to_htmx_alone_and_for_its_own_element(
    headers: dict[str, str], expected: bool
) -> None:
    assert wants_fragment(asked(**headers), "#list") is expected


def test_htmx_is_known_by_its_own_header() -> None:
    assert htmx_of(asked(HX_Request="true"))
    assert not htmx_of(asked())


@pytest.mark.parametrize("origin", ["http://testserver", "https://behind.a.proxy.example:8443"])
def test_parameters_are_those_of_the_page_that_htmx_asks_from_whatever_its_origin(origin: str) -> None:
    request = asked(HX_Request="true", HX_Current_URL=f"{origin}/resources/pods/?q=old")
    assert current_page_params(request)["q"] == "old"
    elsewhere = asked(HX_Request="true", HX_Current_URL=f"{origin}/resources/nodes/?q=old")
    assert current_page_params(elsewhere)["q"] == "new"
    assert current_page_params(asked())["q"] == "new"


def test_an_answer_depends_on_htmxs_headers_and_may_keep_the_address() -> None:
    response = vary_on_htmx(HttpResponse())
    keep_address(response)
    assert response["Vary"] == "HX-Request, HX-Target"
    assert response["HX-Replace-Url"] == "false"
