"""Tests of flash messages, which the next page shows once."""

from __future__ import annotations

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory, override_settings

from dashboard.objects.kinds.catalog import KINDS
from dashboard.pages.layout.flash import COOKIE, clear_flash, flash, flash_for
from dashboard.pages.writes.target import Target


def request_after(response: HttpResponse, path: str) -> object:
    request = RequestFactory().get(path)
    request.COOKIES[COOKIE] = response.cookies[COOKIE].value
    return flash_for(request)


def test_what_was_said_is_shown_on_its_own_page_only() -> None:
    response = HttpResponse()
    flash(response, "/resources/mydemos/a/", "Mydemo a is saved.")
    found = request_after(response, "/resources/mydemos/a/")
    assert found is not None
    assert "saved" in str(found)
    assert request_after(response, "/resources/mydemos/b/") is None


@pytest.mark.parametrize("secure", [True, False])
def test_it_travels_by_https_only_wherever_the_other_cookies_do(secure: bool) -> None:
    response = HttpResponse()
    with override_settings(CSRF_COOKIE_SECURE=secure):
        flash(response, "/resources/mydemos/a/", "Mydemo a is saved.")
    assert bool(response.cookies[COOKIE]["secure"]) is secure


def test_who_goes_on_to_edit_again_is_not_told_of_the_last_save() -> None:
    saved, edited = HttpResponse(), HttpResponse()
    flash(saved, "/resources/mydemos/a/", "Mydemo a is saved.")
    request = RequestFactory().get("/resources/mydemos/a/edit/")
    request.COOKIES[COOKIE] = saved.cookies[COOKIE].value
    clear_flash(request, edited)
    assert edited.cookies[COOKIE].value == ""
    assert edited.cookies[COOKIE]["max-age"] == 0
    assert request_after(edited, "/resources/mydemos/a/") is None


def test_addresses_hold_any_name_and_what_is_said_there_is_shown() -> None:
    target = Target(KINDS["mydemos.crddemo.k8s.io"], "default", "odd: 50%?/é")
    assert target.href == "/resources/mydemos.crddemo.k8s.io/default/odd%3A%2050%25%3F%2F%C3%A9/"
    response = HttpResponse()
    flash(response, target.href, "Saved.")
    request = HttpRequest()
    request.path = "/resources/mydemos.crddemo.k8s.io/default/odd: 50%?/é/"
    request.COOKIES[COOKIE] = response.cookies[COOKIE].value
    assert flash_for(request) is not None


def test_what_is_said_is_shown_where_it_is_meant_and_nowhere_else() -> None:
    response = HttpResponse()
    flash(response, "/there/", "Saved <b>.", "warn")
    request = HttpRequest()
    request.path = "/there/"
    assert flash_for(request) is None
    request.COOKIES[COOKIE] = response.cookies[COOKIE].value
    said = flash_for(request)
    assert said is not None
    assert (said.words, said.tone) == ("Saved <b>.", "warn")
    request.path = "/elsewhere/"
    assert flash_for(request) is None
    request.path = "/there/"
    request.COOKIES[COOKIE] += "x"
    assert flash_for(request) is None
