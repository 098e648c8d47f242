"""Tests of our own checks for `manage.py check --deploy`."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks


@pytest.mark.parametrize(
    ("sign_in", "secure", "ids"),
    [
        ("token", True, []),
        ("token", False, ["deltaboard.W001"]),
        ("oidc", True, []),
        ("oidc", False, ["deltaboard.W002"]),
    ],
)
def test_cookies_that_browsers_send_over_http_are_warned_about(
    settings: Any, sign_in: str, secure: bool, ids: list[str]
) -> None:
    settings.DELTABOARD_SIGN_IN = sign_in
    settings.CSRF_COOKIE_SECURE = secure
    messages = run_checks(tags=["security"], include_deployment_checks=True)
    assert [message.id for message in messages if str(message.id).startswith("deltaboard.")] == ids
