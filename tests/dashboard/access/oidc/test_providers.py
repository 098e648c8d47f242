"""Tests of the providers of a web process."""

from __future__ import annotations

import logging

import pytest

from dashboard.access.oidc.providers import Providers
from dashboard.runtime.oidc_issuers import Issuer
from tests.support.clock import FakeClock
from tests.support.sign_in.provider import Provider


async def test_what_is_wrong_with_an_issuer_is_logged_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    with Provider() as provider:
        right = Issuer("right", "Right Inc.", provider.url, "deltaboard")
        wrong = Issuer("wrong", "Wrong Inc.", f"{provider.url}/", "deltaboard")
        providers = Providers((right, wrong), FakeClock())
        with caplog.at_level(logging.WARNING):
            await providers.check()
    (said,) = caplog.messages
    assert said.startswith("nobody can sign in with wrong now: it calls itself")
    assert providers.title_of("right") == "Right Inc."
    assert providers.title_of("gone") == "gone"
