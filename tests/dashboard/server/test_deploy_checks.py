"""Tests of our own checks for `manage.py check --deploy`."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks


@pytest.mark.parametrize(("secure", "ids"), [(True, []), (False, ["deltaboard.W001"])])
def test_cookies_that_browsers_send_over_http_are_warned_about(settings: Any, secure: bool, ids: list[str]) -> None:
    settings.CSRF_COOKIE_SECURE = secure
    messages = run_checks(tags=["security"], include_deployment_checks=True)
    assert [message.id for message in messages if str(message.id).startswith("deltaboard.")] == ids
